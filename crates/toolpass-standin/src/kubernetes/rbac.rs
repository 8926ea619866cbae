//! What a user may, by the roles and bindings stored in the world.

use serde_json::Value;

use super::world::{KubernetesWorld, at};

/// A user as bindings name them.
pub(super) struct Who<'a> {
    /// The name.
    pub(super) user: &'a str,
    /// The groups.
    pub(super) groups: Vec<&'a str>,
}

/// What is asked.
pub(super) struct What<'a> {
    /// The verb.
    pub(super) verb: &'a str,
    /// The namespace; empty is the cluster.
    pub(super) namespace: &'a str,
    /// The API group.
    pub(super) group: &'a str,
    /// The plural, with the part after a slash.
    pub(super) resource: String,
    /// The name.
    pub(super) name: &'a str,
    /// The path, when it is no resource.
    pub(super) path: Option<&'a str>,
}

/// Why a user may; `None` when nothing says so.
pub(super) fn allowed(world: &KubernetesWorld, who: &Who<'_>, what: &What<'_>) -> Option<String> {
    rules(world, who, what.namespace)
        .into_iter()
        .find(|(_, rule)| covers(rule, what))
        .map(|(binding, _)| format!("RBAC: allowed by {binding}"))
}

/// Every rule a user has in a namespace, with the binding it comes from.
pub(super) fn rules<'w>(
    world: &'w KubernetesWorld,
    who: &Who<'_>,
    namespace: &str,
) -> Vec<(&'w str, &'w Value)> {
    let base = "/apis/rbac.authorization.k8s.io/v1";
    let here = format!("{base}/namespaces/{namespace}/rolebindings/");
    let everywhere = format!("{base}/clusterrolebindings/");
    let bindings = world.objects.iter().filter(|(path, binding)| {
        let binds_here = !namespace.is_empty() && path.starts_with(&here);
        (binds_here || path.starts_with(&everywhere)) && names(binding, who)
    });
    bindings
        .flat_map(|(path, binding)| {
            let role = at(binding, &["roleRef"]);
            let name = at(role, &["name"]).as_str().unwrap_or_default();
            let place = match at(role, &["kind"]).as_str() {
                Some("Role") => format!("{base}/namespaces/{namespace}/roles/{name}"),
                _ => format!("{base}/clusterroles/{name}"),
            };
            let rules = world
                .objects
                .get(&place)
                .and_then(|role| at(role, &["rules"]).as_array());
            rules
                .into_iter()
                .flatten()
                .map(move |rule| (path.as_str(), rule))
        })
        .collect()
}

fn names(binding: &Value, who: &Who<'_>) -> bool {
    let subjects = at(binding, &["subjects"]).as_array();
    subjects.into_iter().flatten().any(|subject| {
        let name = at(subject, &["name"]).as_str().unwrap_or_default();
        match at(subject, &["kind"]).as_str() {
            Some("User") => name == who.user,
            Some("Group") => who.groups.contains(&name),
            _ => false,
        }
    })
}

fn covers(rule: &Value, what: &What<'_>) -> bool {
    let holds = |member: &str, wanted: &str| {
        let list = at(rule, &[member]).as_array();
        list.into_iter()
            .flatten()
            .any(|one| one == wanted || one == "*")
    };
    let Some(path) = what.path else {
        let names = at(rule, &["resourceNames"]).as_array();
        let part = what
            .resource
            .split_once('/')
            .map(|(_, part)| format!("*/{part}"));
        return holds("verbs", what.verb)
            && holds("apiGroups", what.group)
            && (holds("resources", &what.resource)
                || part.is_some_and(|part| holds("resources", &part)))
            && names.is_none_or(|names| names.iter().any(|name| name == what.name));
    };
    let paths = at(rule, &["nonResourceURLs"]).as_array();
    let fits = paths
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .any(|known| {
            known == path
                || known
                    .strip_suffix('*')
                    .is_some_and(|start| path.starts_with(start))
        });
    fits && holds("verbs", what.verb)
}
