//! E-mail and groups to a user name and groups in the cluster.
//!
//! A cluster has no directory: a user is whatever name its authentication makes, so this is text to text and reads nothing. What it
//! refuses are names and groups of the cluster's own: whoever may say `system:masters` may do anything.
//! Source: kubernetes.io "Authenticating", "Using RBAC Authorization" (default groups); read 2026-12-01.

use toolpass_core::user::{Groups, User};
use toolpass_integration::failure::Failure;

use crate::config::{Names, PLACEHOLDERS};

/// A user as reviews name them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subject {
    /// The name.
    pub user: String,
    /// The groups, without repeats.
    pub groups: Vec<String>,
}

/// Who a person is in the cluster.
/// Errors: `invalid_request` for a name or a group of the cluster's own.
pub fn subject(names: &Names, user: &User, groups: &Groups) -> Result<Subject, Failure> {
    let email = match names.keeps_case {
        true => user.as_str().to_owned(),
        false => user.canonical(),
    };
    let name = filled(&names.template, &email);
    if is_own(&name) {
        return Err(Failure::invalid(
            "the user's name in the cluster would begin with `system:`, as only the cluster's own do",
        ));
    }
    let mut found: Vec<String> = Vec::new();
    for group in groups.as_slice() {
        let group = format!("{}{group}", names.group_prefix);
        if is_own(&group) {
            return Err(Failure::invalid(
                "a group of the user begins with `system:`, as only the cluster's own do; set `group_prefix`",
            ));
        }
        if !found.contains(&group) {
            found.push(group);
        }
    }
    if names.authenticated {
        found.push(AUTHENTICATED.to_owned());
    }
    Ok(Subject {
        user: name,
        groups: found,
    })
}

/// A template with its placeholders filled; what is put in is not looked at again.
fn filled(template: &str, email: &str) -> String {
    let (local, domain) = email.split_once('@').unwrap_or((email, ""));
    let values = [email, local, domain];
    let mut out = String::with_capacity(template.len() + email.len());
    let mut rest = template;
    while let Some(at) = rest.find('{') {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let found = PLACEHOLDERS
            .iter()
            .zip(values)
            .find_map(|(placeholder, value)| {
                after.strip_prefix(placeholder).map(|rest| (value, rest))
            });
        let (value, after) = found.unwrap_or(("{", after.strip_prefix('{').unwrap_or_default()));
        out.push_str(value);
        rest = after;
    }
    out.push_str(rest);
    out
}

fn is_own(name: &str) -> bool {
    name.starts_with("system:")
}

/// The group of everybody who logged in.
pub const AUTHENTICATED: &str = "system:authenticated";

#[cfg(test)]
mod tests {
    use super::*;

    fn names(template: &str, prefix: &str) -> Names {
        Names {
            template: template.to_owned(),
            keeps_case: false,
            group_prefix: prefix.to_owned(),
            authenticated: true,
        }
    }

    fn named(names: &Names, email: &str, groups: &[&str]) -> Result<(String, Vec<String>), String> {
        let groups = Groups::new(groups.iter().map(|group| (*group).to_owned())).unwrap();
        subject(names, &User::parse(email).unwrap(), &groups)
            .map(|subject| (subject.user, subject.groups))
            .map_err(|failure| failure.code().to_string())
    }

    #[test]
    fn a_name_is_filled_once() {
        assert_eq!(
            filled("{local}@{domain}", "{domain}@x.org"),
            "{domain}@x.org"
        );
        assert_eq!(filled("oidc:{email}", "a@b"), "oidc:a@b");
        assert_eq!(filled("{local}", "a@b"), "a");
    }

    #[test]
    fn case_is_folded_unless_it_is_kept() {
        let mut names = names("{email}", "");
        assert_eq!(
            named(&names, "Dana@Example.com", &[]).unwrap().0,
            "dana@example.com"
        );
        names.keeps_case = true;
        assert_eq!(
            named(&names, "Dana@Example.com", &[]).unwrap().0,
            "Dana@Example.com"
        );
    }

    #[test]
    fn nobody_becomes_the_clusters_own() {
        let plain = names("{email}", "");
        assert!(named(&plain, "system:serviceaccount:kube-system:x@corp.com", &[]).is_err());
        assert!(named(&names("{local}", ""), "system:admin@corp.com", &[]).is_err());
        assert!(named(&plain, "dana@example.com", &["system:masters"]).is_err());
        assert!(
            named(
                &names("{email}", "sys"),
                "dana@example.com",
                &["tem:masters"]
            )
            .is_err()
        );
        let prefixed = named(
            &names("{email}", "oidc:"),
            "dana@example.com",
            &["system:masters"],
        );
        assert_eq!(prefixed.unwrap().1, ["oidc:system:masters", AUTHENTICATED]);
        assert_eq!(
            named(&names("u:{email}", ""), "system:x@corp.com", &[])
                .unwrap()
                .0,
            "u:system:x@corp.com"
        );
    }

    #[test]
    fn everybody_is_authenticated_unless_it_is_off() {
        let mut names = names("{email}", "");
        assert_eq!(
            named(&names, "dana@example.com", &["dev"]).unwrap().1,
            ["dev", AUTHENTICATED]
        );
        names.authenticated = false;
        assert_eq!(
            named(&names, "dana@example.com", &[]).unwrap().1,
            Vec::<String>::new()
        );
    }
}
