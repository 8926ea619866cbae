//! What the API server says of itself.

use serde_json::{Value, json};

/// The answer to a GET of a path that is no resource.
pub(super) fn answer(path: &str) -> Option<Value> {
    let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
    Some(match names.as_slice() {
        ["version"] => json!({"major": "1", "minor": "35", "gitVersion": "v1.35.0"}),
        ["api"] => {
            json!({"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []})
        }
        ["api", "v1"] => resources(""),
        ["apis"] => {
            json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": GROUPS.map(group)})
        }
        ["apis", name] if GROUPS.contains(name) => group(name),
        ["apis", name, "v1"] if GROUPS.contains(name) => resources(name),
        ["healthz" | "livez" | "readyz"] => json!("ok"),
        ["metrics"] => json!("apiserver_requests_total 1"),
        _ => return None,
    })
}

/// Plural, kind, and whether it is kept in a namespace.
pub(super) fn kinds(group: &str) -> &'static [(&'static str, &'static str, bool)] {
    match group {
        "" => &[
            ("configmaps", "ConfigMap", true),
            ("namespaces", "Namespace", false),
            ("nodes", "Node", false),
            ("pods", "Pod", true),
            ("secrets", "Secret", true),
            ("serviceaccounts", "ServiceAccount", true),
            ("services", "Service", true),
        ],
        "apps" => &[
            ("deployments", "Deployment", true),
            ("statefulsets", "StatefulSet", true),
        ],
        "example.com" => &[("widgets", "Widget", true)],
        "rbac.authorization.k8s.io" => &[
            ("clusterrolebindings", "ClusterRoleBinding", false),
            ("clusterroles", "ClusterRole", false),
            ("rolebindings", "RoleBinding", true),
            ("roles", "Role", true),
        ],
        _ => &[],
    }
}

fn group(name: &str) -> Value {
    let version = json!({"groupVersion": format!("{name}/v1"), "version": "v1"});
    json!({"kind": "APIGroup", "apiVersion": "v1", "name": name, "versions": [version], "preferredVersion": version})
}

fn resources(group: &str) -> Value {
    let version = if group.is_empty() {
        "v1".to_owned()
    } else {
        format!("{group}/v1")
    };
    let verbs = [
        "create",
        "delete",
        "deletecollection",
        "get",
        "list",
        "patch",
        "update",
        "watch",
    ];
    let listed: Vec<Value> = kinds(group)
        .iter()
        .map(|(plural, kind, namespaced)| {
            json!({"name": plural, "singularName": kind.to_lowercase(), "namespaced": namespaced, "kind": kind, "verbs": verbs})
        })
        .collect();
    json!({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": version, "resources": listed})
}

const GROUPS: [&str; 3] = ["apps", "example.com", "rbac.authorization.k8s.io"];
