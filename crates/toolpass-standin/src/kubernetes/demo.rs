//! The world of the demo: Dana deploys to staging, Sam looks, and nobody but the pipeline changes production.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::world::{Account, KubernetesWorld};

/// The token toolpass asks with.
pub const ENGINE_TOKEN: &str = "kubernetes-engine-token";
/// The token the agent's tools work with: an administrator's.
pub const AGENT_TOKEN: &str = "kubernetes-agent-token";
/// How users are named in the cluster.
pub const USERNAME_TEMPLATE: &str = "oidc:{email}";

/// A fresh copy of the demo's world.
pub fn world() -> KubernetesWorld {
    let token = |user: &str| Account {
        user: user.to_owned(),
        groups: vec!["system:serviceaccounts".to_owned()],
        revoked: false,
    };
    let mut objects = BTreeMap::new();
    for namespace in ["shop-prod", "shop-staging"] {
        place(
            &mut objects,
            None,
            "",
            "namespaces",
            "Namespace",
            namespace,
            json!({}),
        );
        workload(&mut objects, namespace);
    }
    roles(&mut objects);
    KubernetesWorld {
        objects,
        tokens: [
            (ENGINE_TOKEN, "system:serviceaccount:toolpass:engine"),
            (AGENT_TOKEN, "system:serviceaccount:apps:agent"),
        ]
        .map(|(value, user)| (value.to_owned(), token(user)))
        .into(),
        authorizer_error: None,
    }
}

fn workload(objects: &mut BTreeMap<String, Value>, namespace: &str) {
    let container = json!([{"name": "web", "image": "registry.example.com/shop-web:1.4.0"}]);
    let labels = json!({"app": "shop-web"});
    let deployment = json!({
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": container}},
        },
        "status": {"replicas": 2, "readyReplicas": 2},
    });
    place(
        objects,
        Some(namespace),
        "apps",
        "deployments",
        "Deployment",
        "shop-web",
        deployment,
    );
    let pod = json!({"spec": {"containers": container}, "status": {"phase": "Running"}});
    place(
        objects,
        Some(namespace),
        "",
        "pods",
        "Pod",
        "shop-web-1",
        pod,
    );
    let secret = json!({"type": "Opaque", "data": {"password": "aHVudGVyMg=="}});
    place(
        objects,
        Some(namespace),
        "",
        "secrets",
        "Secret",
        "shop-db",
        secret,
    );
    place(
        objects,
        Some(namespace),
        "",
        "configmaps",
        "ConfigMap",
        "shop-web",
        json!({"data": {"mode": "live"}}),
    );
}

fn roles(objects: &mut BTreeMap<String, Value>) {
    let looked_at = [
        "configmaps",
        "deployments",
        "deployments/scale",
        "pods",
        "pods/log",
        "services",
    ];
    let rules = |verbs: &[&str]| json!([{"apiGroups": ["", "apps"], "resources": looked_at, "verbs": verbs}]);
    let view = rules(&["get", "list", "watch"]);
    let deploy = rules(&["get", "list", "watch", "update", "patch"]);
    let engine = json!([
        {"apiGroups": ["authorization.k8s.io"], "resources": ["subjectaccessreviews"], "verbs": ["create"]},
        {"apiGroups": [RBAC], "resources": ["roles", "clusterroles", "rolebindings", "clusterrolebindings"], "verbs": ["get"]},
    ]);
    let everything = json!([
        {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
        {"nonResourceURLs": ["*"], "verbs": ["*"]},
    ]);
    let discovery = json!([{"nonResourceURLs": ["/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez", "/openapi", "/openapi/*", "/readyz", "/version", "/version/"], "verbs": ["get"]}]);
    for (name, rules) in [
        ("cluster-admin", everything),
        ("shop-deploy", deploy),
        ("shop-view", view),
        ("system:discovery", discovery),
        ("toolpass", engine),
    ] {
        place(
            objects,
            None,
            RBAC,
            "clusterroles",
            "ClusterRole",
            name,
            json!({"rules": rules}),
        );
    }
    for (name, role, subject) in [
        (
            "agent",
            "cluster-admin",
            user("system:serviceaccount:apps:agent"),
        ),
        (
            "engine",
            "toolpass",
            user("system:serviceaccount:toolpass:engine"),
        ),
        (
            "system:discovery",
            "system:discovery",
            json!({"kind": "Group", "name": "system:authenticated"}),
        ),
    ] {
        let binding = json!({"roleRef": role_ref(role), "subjects": [subject]});
        place(
            objects,
            None,
            RBAC,
            "clusterrolebindings",
            "ClusterRoleBinding",
            name,
            binding,
        );
    }
    let (dana, sam) = (user("oidc:dana@example.com"), user("oidc:sam@example.com"));
    for (namespace, name, role, subjects) in [
        ("shop-prod", "view", "shop-view", json!([dana, sam])),
        ("shop-staging", "deploy", "shop-deploy", json!([dana])),
        ("shop-staging", "view", "shop-view", json!([sam])),
    ] {
        let binding = json!({"roleRef": role_ref(role), "subjects": subjects});
        place(
            objects,
            Some(namespace),
            RBAC,
            "rolebindings",
            "RoleBinding",
            name,
            binding,
        );
    }
}

fn user(name: &str) -> Value {
    json!({"kind": "User", "name": name})
}

fn role_ref(role: &str) -> Value {
    json!({"apiGroup": RBAC, "kind": "ClusterRole", "name": role})
}

fn place(
    objects: &mut BTreeMap<String, Value>,
    namespace: Option<&str>,
    group: &str,
    resource: &str,
    kind: &str,
    name: &str,
    rest: Value,
) {
    let base = if group.is_empty() {
        "/api/v1".to_owned()
    } else {
        format!("/apis/{group}/v1")
    };
    let version = if group.is_empty() {
        "v1".to_owned()
    } else {
        format!("{group}/v1")
    };
    let within = namespace
        .map(|namespace| format!("/namespaces/{namespace}"))
        .unwrap_or_default();
    let metadata = match namespace {
        Some(namespace) => json!({"name": name, "namespace": namespace, "resourceVersion": "1"}),
        None => json!({"name": name, "resourceVersion": "1"}),
    };
    let mut object = json!({"apiVersion": version, "kind": kind, "metadata": metadata});
    if let (Value::Object(object), Value::Object(rest)) = (&mut object, rest) {
        object.extend(rest);
    }
    objects.insert(format!("{base}{within}/{resource}/{name}"), object);
}

const RBAC: &str = "rbac.authorization.k8s.io";
