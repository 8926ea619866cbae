//! Reviews: what somebody may do, and what the token itself may.

use serde_json::{Value, json};

use super::rbac::{self, What, Who};
use super::world::{Account, KubernetesWorld, at};
use crate::message::{Reply, set};

/// The answer to a review of this resource; `None` for another resource.
pub(super) fn answer(
    world: &KubernetesWorld,
    account: &Account,
    resource: &str,
    body: Value,
) -> Option<Reply> {
    let status = match resource {
        "selfsubjectaccessreviews" => access(world, &who(account), at(&body, &["spec"])),
        "selfsubjectreviews" => {
            json!({"userInfo": {"username": account.user, "groups": account.groups}})
        }
        "selfsubjectrulesreviews" => own_rules(world, account, at(&body, &["spec"])),
        "localsubjectaccessreviews" | "subjectaccessreviews" => {
            let groups = at(&body, &["spec", "groups"]).as_array();
            let asked = Who {
                user: at(&body, &["spec", "user"]).as_str().unwrap_or_default(),
                groups: groups
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                    .collect(),
            };
            access(world, &asked, at(&body, &["spec"]))
        }
        _ => return None,
    };
    let mut answer = body;
    set(&mut answer, "status", status);
    Some(Reply::json(201, &answer))
}

/// An account as bindings name it.
pub(super) fn who(account: &Account) -> Who<'_> {
    let mut groups: Vec<&str> = account.groups.iter().map(String::as_str).collect();
    groups.push("system:authenticated");
    Who {
        user: &account.user,
        groups,
    }
}

fn access(world: &KubernetesWorld, who: &Who<'_>, spec: &Value) -> Value {
    if let Some(error) = &world.authorizer_error {
        return json!({"allowed": false, "evaluationError": error});
    }
    let text =
        |value: &Value, name: &str| at(value, &[name]).as_str().unwrap_or_default().to_owned();
    let (on, path) = (
        at(spec, &["resourceAttributes"]),
        at(spec, &["nonResourceAttributes"]),
    );
    let (verb, namespace, group, name) = (
        text(on, "verb"),
        text(on, "namespace"),
        text(on, "group"),
        text(on, "name"),
    );
    let resource = match text(on, "subresource") {
        part if part.is_empty() => text(on, "resource"),
        part => format!("{}/{part}", text(on, "resource")),
    };
    let path_verb = text(path, "verb");
    let what = What {
        verb: if path.is_object() { &path_verb } else { &verb },
        namespace: &namespace,
        group: &group,
        resource,
        name: &name,
        path: at(path, &["path"]).as_str(),
    };
    match rbac::allowed(world, who, &what) {
        Some(reason) => json!({"allowed": true, "reason": reason}),
        None => json!({"allowed": false}),
    }
}

fn own_rules(world: &KubernetesWorld, account: &Account, spec: &Value) -> Value {
    let namespace = at(spec, &["namespace"]).as_str().unwrap_or_default();
    let rules = rbac::rules(world, &who(account), namespace);
    let (paths, resources): (Vec<&Value>, Vec<&Value>) = rules
        .into_iter()
        .map(|(_, rule)| rule)
        .partition(|rule| at(rule, &["nonResourceURLs"]).is_array());
    json!({"resourceRules": resources, "nonResourceRules": paths, "incomplete": false})
}
