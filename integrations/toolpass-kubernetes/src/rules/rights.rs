//! The rules of a role, and the single questions they come to.
//!
//! The API server lets somebody hand out a role who holds everything in it. It breaks a role into single rights and looks for a rule that
//! covers each; here each is a review, in which `*` is asked as it is written.
//! Source: kubernetes/kubernetes `pkg/registry/rbac/escalation_check.go`, `component-helpers/auth/rbac/validation/policy_comparator.go`;
//! kubernetes.io "Using RBAC Authorization", privilege escalation; read 2026-12-01.

use toolpass_http::error::Error;
use toolpass_http::json::Json;

use crate::resource::{Asked, Kind, Object};

/// One rule of a role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicyRule {
    /// What may be done.
    pub verbs: Vec<String>,
    /// In which API groups.
    pub groups: Vec<String>,
    /// To which resources, `pods/log` among them.
    pub resources: Vec<String>,
    /// Of these names only, when there are any.
    pub names: Vec<String>,
    /// On which paths of the API server.
    pub paths: Vec<String>,
}

/// The rules of a stored role.
/// Errors: no role, or one that is filled from other roles while it is read.
pub fn of_role(json: Json<'_>) -> Result<Vec<PolicyRule>, Error> {
    json.required("metadata")?.required("name")?.string()?;
    let has_rules = json.members()?.any(|(name, _)| name == "rules");
    match (json.member("rules")?, has_rules) {
        (Some(found), _) => rules(found),
        (None, true) => Ok(Vec::new()),
        (None, false) => Err(Error::malformed("the role has no `rules`")),
    }
}

/// The rules that must be held to change a stored role: everything, when it is filled from others.
/// Errors: as [`of_role`].
pub fn to_change(json: Json<'_>) -> Result<Vec<PolicyRule>, Error> {
    match is_gathered(json)? {
        true => Ok(everything()),
        false => of_role(json),
    }
}

/// Whether a stored role is filled from others.
/// Errors: no role.
pub fn is_gathered(json: Json<'_>) -> Result<bool, Error> {
    of_role(json)?;
    Ok(json.member("aggregationRule")?.is_some())
}

/// Everything, as the API server asks of whoever fills a role from others.
pub fn everything() -> Vec<PolicyRule> {
    let all = || vec!["*".to_owned()];
    vec![
        PolicyRule {
            verbs: all(),
            groups: all(),
            resources: all(),
            ..PolicyRule::default()
        },
        PolicyRule {
            verbs: all(),
            paths: all(),
            ..PolicyRule::default()
        },
    ]
}

/// A list of rules.
/// Errors: another shape.
pub fn rules(json: Json<'_>) -> Result<Vec<PolicyRule>, Error> {
    json.array()?.map(rule).collect()
}

fn rule(json: Json<'_>) -> Result<PolicyRule, Error> {
    let texts = |name| match json.member(name)? {
        Some(list) => list
            .array()?
            .map(|text| text.string().map(str::to_owned))
            .collect::<Result<Vec<String>, Error>>(),
        None => Ok(Vec::new()),
    };
    json.required("verbs")?;
    Ok(PolicyRule {
        verbs: texts("verbs")?,
        groups: texts("apiGroups")?,
        resources: texts("resources")?,
        names: texts("resourceNames")?,
        paths: texts("nonResourceURLs")?,
    })
}

/// Every single right of these rules, in a namespace or the whole cluster; `None` when they are too many to ask.
pub fn units(rules: &[PolicyRule], namespace: Option<&str>) -> Option<Vec<Asked>> {
    let mut units = Vec::new();
    for rule in rules {
        let each = [
            rule.verbs.len(),
            rule.groups.len(),
            rule.resources.len(),
            rule.names.len().max(1),
        ];
        let objects = each
            .into_iter()
            .try_fold(1_usize, |all, one| all.checked_mul(one))?;
        let paths = rule.paths.len().checked_mul(rule.verbs.len())?;
        if units.len().checked_add(objects)?.checked_add(paths)? > MAX_UNITS {
            return None;
        }
        for verb in &rule.verbs {
            let on_paths = rule.paths.iter().map(|path| Asked::Path {
                verb: verb.clone(),
                path: path.clone(),
            });
            units.extend(on_paths);
            units.extend(objects_of(rule, verb, namespace));
        }
    }
    units.sort();
    units.dedup();
    Some(units)
}

fn objects_of(rule: &PolicyRule, verb: &str, namespace: Option<&str>) -> Vec<Asked> {
    let any_name = [String::new()];
    let names: &[String] = match rule.names.is_empty() {
        true => &any_name,
        false => &rule.names,
    };
    let mut found = Vec::new();
    for group in &rule.groups {
        for resource in &rule.resources {
            let (resource, subresource) = resource.split_once('/').unwrap_or((resource, ""));
            for name in names {
                found.push(Asked::Object(Object {
                    verb: verb.to_owned(),
                    kind: Kind {
                        group: group.clone(),
                        resource: resource.to_owned(),
                        subresource: subresource.to_owned(),
                    },
                    namespace: namespace.map(str::to_owned),
                    name: name.clone(),
                }));
            }
        }
    }
    found
}

/// [`everything`], as a role writes it.
pub const EVERYTHING: &str = r#"[{"apiGroups":["*"],"resources":["*"],"verbs":["*"]},{"nonResourceURLs":["*"],"verbs":["*"]}]"#;

/// The most single rights of a role that are asked one by one.
const MAX_UNITS: usize = 50;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn units_of(value: serde_json::Value) -> Option<Vec<String>> {
        let rules = rules(Json::new(&value)).unwrap();
        let units = units(&rules, Some("shop"))?;
        Some(units.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_role_comes_to_single_rights() {
        let value = json!([
            {"apiGroups": ["", "apps"], "resources": ["pods", "pods/log"], "verbs": ["get"]},
            {"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["one", "two"], "verbs": ["get"]},
            {"nonResourceURLs": ["/healthz/*"], "verbs": ["get"]},
            {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
        ]);
        let mut expected = [
            "get pods shop",
            "get pods/log shop",
            "get pods.apps shop",
            "get pods.apps/log shop",
            "get secrets shop/one",
            "get secrets shop/two",
            "get /healthz/*",
            "* *.* shop",
        ];
        let mut found = units_of(value).unwrap();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected);
    }

    #[test]
    fn everything_is_written_as_it_is_meant() {
        let written: serde_json::Value = serde_json::from_str(EVERYTHING).unwrap();
        assert_eq!(rules(Json::new(&written)).unwrap(), everything());
    }

    #[test]
    fn too_many_are_not_asked() {
        let many: Vec<String> = (0..51).map(|n| format!("r{n}")).collect();
        assert_eq!(
            units_of(json!([{"apiGroups": [""], "resources": many, "verbs": ["get"]}])),
            None
        );
    }

    #[test]
    fn what_is_no_role() {
        for value in [
            json!({}),
            json!({"rules": []}),
            json!({"metadata": {"name": "x"}}),
            json!({"metadata": {"name": "x"}, "rules": {}}),
            json!({"metadata": {"name": "x"}, "rules": [{"resources": ["pods"]}]}),
            json!({"metadata": {"name": "x"}, "rules": [{"verbs": ["get"], "resources": "pods"}]}),
        ] {
            assert!(of_role(Json::new(&value)).is_err(), "{value}");
        }
        let empty = json!({"metadata": {"name": "x"}, "rules": null});
        assert_eq!(of_role(Json::new(&empty)).unwrap(), Vec::new());
    }
}
