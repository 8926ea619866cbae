//! A repository, what a user holds on it, and the roles of the organization's own making.
//!
//! Source: docs.github.com REST "Repositories", "Collaborators", "Custom repository roles", "Interactions"; read 2026-11-30.

use toolpass_http::error::Error;
use toolpass_http::json::Json;

use super::{flag, number, text, texts};

/// What one user holds on one repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permission {
    /// The lossy base role: maintain shows as `write`, triage as `read`.
    pub base: Option<String>,
    /// The role's name, also of a custom one.
    pub role_name: Option<String>,
    /// The base role in full, weakest first: pull, triage, push, maintain, admin.
    pub levels: Option<[Option<bool>; 5]>,
    /// The user's number.
    pub user_id: Option<u64>,
}

/// A repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repository {
    /// Its number.
    pub id: Option<u64>,
    /// `owner/name` as GitHub spells it.
    pub full_name: Option<String>,
    /// Read-only for everyone.
    pub archived: Option<bool>,
    /// Switched off by GitHub.
    pub disabled: Option<bool>,
    /// Whether it takes issues.
    pub has_issues: Option<bool>,
    /// Whether it takes pull requests.
    pub has_pull_requests: Option<bool>,
    /// Who may open a pull request: `all`, `collaborators_only`.
    pub pull_request_creation_policy: Option<String>,
    /// Whether it may be forked.
    pub allow_forking: Option<bool>,
    /// The branch meant when none is named.
    pub default_branch: Option<String>,
    /// `public`, `private`, `internal`.
    pub visibility: Option<String>,
    /// Whether it is not public; older than `visibility`.
    pub private: Option<bool>,
}

/// A custom repository role of the organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomRole {
    /// Its number, as rulesets name it.
    pub id: Option<u64>,
    /// Its name, as permission records name it.
    pub name: Option<String>,
    /// `read`, `triage`, `write`, `maintain`.
    pub base_role: Option<String>,
    /// What it adds.
    pub permissions: Vec<String>,
}

/// Read a permission record.
pub fn permission(json: Json<'_>) -> Result<Permission, Error> {
    let user = json.member("user")?;
    let held = user
        .map(|user| user.member("permissions"))
        .transpose()?
        .flatten();
    let levels = match held {
        Some(held) => {
            let mut levels = [None; 5];
            for (level, name) in levels
                .iter_mut()
                .zip(["pull", "triage", "push", "maintain", "admin"])
            {
                *level = flag(held, name)?;
            }
            Some(levels)
        }
        None => None,
    };
    let user_id = user.map(|user| number(user, "id")).transpose()?.flatten();
    Ok(Permission {
        base: text(json, "permission")?,
        role_name: text(json, "role_name")?,
        levels,
        user_id,
    })
}

/// Read a repository.
pub fn repository(json: Json<'_>) -> Result<Repository, Error> {
    Ok(Repository {
        id: number(json, "id")?,
        full_name: text(json, "full_name")?,
        archived: flag(json, "archived")?,
        disabled: flag(json, "disabled")?,
        has_issues: flag(json, "has_issues")?,
        has_pull_requests: flag(json, "has_pull_requests")?,
        pull_request_creation_policy: text(json, "pull_request_creation_policy")?,
        allow_forking: flag(json, "allow_forking")?,
        default_branch: text(json, "default_branch")?,
        visibility: text(json, "visibility")?,
        private: flag(json, "private")?,
    })
}

/// Read the organization's custom repository roles.
pub fn custom_roles(json: Json<'_>) -> Result<Vec<CustomRole>, Error> {
    let role = |role: Json<'_>| -> Result<_, Error> {
        Ok(CustomRole {
            id: number(role, "id")?,
            name: text(role, "name")?,
            base_role: text(role, "base_role")?,
            permissions: texts(role, "permissions")?,
        })
    };
    json.required("custom_roles")?.array()?.map(role).collect()
}

/// Read the interaction limit of a repository; `None` when there is none.
pub fn interaction_limit(json: Json<'_>) -> Result<Option<String>, Error> {
    text(json, "limit")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn absent_and_null_are_nothing_and_a_wrong_type_is_a_failure() {
        for nothing in [json!({}), json!({"user": null, "permission": null})] {
            assert_eq!(
                permission(Json::new(&nothing)).unwrap(),
                Permission::default()
            );
        }
        for wrong in [
            json!([]),
            json!({"permission": 1}),
            json!({"user": "dana"}),
            json!({"user": {"permissions": {"push": "yes"}}}),
        ] {
            assert!(permission(Json::new(&wrong)).is_err(), "{wrong}");
        }
    }
}
