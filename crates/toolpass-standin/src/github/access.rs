//! What a user may do on a repository: the highest of every grant, as GitHub computes it.
//!
//! Grants come from being a collaborator, from teams (a child team has its parent's), from the organization's base permission, from
//! owning the organization, and from the repository being public. Source: docs.github.com, "Repository roles for an organization".

use super::world::GithubWorld;

use super::world::organization::{Organization, Team};

use super::world::repository::Repository;

/// The ladder, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    None,
    Pull,
    Triage,
    Push,
    Maintain,
    Admin,
}

/// A user's right on a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Right {
    /// The base role.
    pub(super) role: Role,
    /// The `role_name`: the role's, or a custom role's.
    pub(super) name: String,
}

impl Role {
    /// A role by any of the names GitHub uses for it.
    pub(super) fn parse(name: &str) -> Option<Role> {
        match name {
            "none" => Some(Role::None),
            "pull" | "read" => Some(Role::Pull),
            "triage" => Some(Role::Triage),
            "push" | "write" => Some(Role::Push),
            "maintain" => Some(Role::Maintain),
            "admin" => Some(Role::Admin),
            _ => None,
        }
    }

    /// The `role_name`; empty for none.
    pub(super) fn name(self) -> &'static str {
        match self {
            Role::None => "",
            Role::Pull => "read",
            Role::Triage => "triage",
            Role::Push => "write",
            Role::Maintain => "maintain",
            Role::Admin => "admin",
        }
    }

    /// The older `permission`, which knows neither triage nor maintain.
    pub(super) fn permission(self) -> &'static str {
        match self {
            Role::None => "none",
            Role::Pull | Role::Triage => "read",
            Role::Push | Role::Maintain => "write",
            Role::Admin => "admin",
        }
    }
}

/// The highest right `login` has on `owner/name`.
pub(super) fn right(
    world: &GithubWorld,
    full_name: &str,
    repository: &Repository,
    login: &str,
) -> Right {
    let owner = full_name.split('/').next().unwrap_or_default();
    let organization = organization(world, owner);
    let mut best = Right {
        role: Role::None,
        name: String::new(),
    };
    let mut offer = |name: &str| {
        let offered = resolve(organization, name);
        if offered.role > best.role
            || (offered.role == best.role
                && (best.name.is_empty() || Role::parse(&best.name).is_some()))
        {
            best = offered;
        }
    };
    if repository.visibility == "public" {
        offer("read");
    }
    if owner.eq_ignore_ascii_case(login) {
        offer("admin");
    }
    if let Some(role) = by_login(&repository.collaborators, login) {
        offer(role);
    }
    if let Some(organization) = organization {
        let member = by_login(&organization.members, login)
            .filter(|membership| membership.state == "active");
        if let Some(member) = member {
            offer(&organization.default_repository_permission);
            if repository.visibility == "internal" {
                offer("read");
            }
            if member.role == "admin" {
                offer("admin");
            }
        }
        for (slug, team) in &organization.teams {
            if belongs(team, login) {
                for role in granted(organization, slug, full_name) {
                    offer(role);
                }
            }
        }
    }
    best
}

/// An organization by its login, ignoring case.
pub(super) fn organization<'a>(world: &'a GithubWorld, login: &str) -> Option<&'a Organization> {
    by_login(&world.organizations, login)
}

/// A value by a name GitHub compares ignoring case.
pub(super) fn by_login<'a, T>(
    map: &'a std::collections::BTreeMap<String, T>,
    login: &str,
) -> Option<&'a T> {
    map.iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(login))
        .map(|(_, value)| value)
}

/// Whether somebody's membership in exactly this team is active.
fn belongs(team: &Team, login: &str) -> bool {
    by_login(&team.members, login).is_some_and(|membership| membership.state == "active")
}

/// The roles a team and those above it have on a repository.
fn granted<'a>(organization: &'a Organization, slug: &str, full_name: &str) -> Vec<&'a str> {
    let mut roles = Vec::new();
    let mut next = Some(slug);
    // A ring of parents, which GitHub forbids, must not be walked for ever.
    for _ in 0..organization.teams.len() {
        let Some(team) = next.and_then(|slug| organization.teams.get(slug)) else {
            break;
        };
        roles.extend(by_login(&team.repositories, full_name).map(String::as_str));
        next = team.parent.as_deref();
    }
    roles
}

/// A role by its name, which may be a custom role's.
fn resolve(organization: Option<&Organization>, name: &str) -> Right {
    if let Some(role) = Role::parse(name) {
        return Right {
            role,
            name: role.name().to_owned(),
        };
    }
    let custom = organization.and_then(|organization| organization.custom_roles.get(name));
    let role = custom
        .and_then(|custom| Role::parse(&custom.base_role))
        .unwrap_or(Role::None);
    Right {
        role,
        name: name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::world::organization::{CustomRole, Membership};
    use super::*;

    #[test]
    fn the_highest_grant_counts() {
        let mut world = super::super::demo::world();
        let check = |world: &GithubWorld, login: &str, expected: &str| {
            let right = right(world, "acme/shop", &world.repositories["acme/shop"], login);
            assert_eq!(right.name, expected, "{login}");
        };
        check(&world, "dana", "read");
        check(&world, "DANA", "read");
        check(&world, "admin", "admin");
        check(&world, "stranger", "");

        let acme = world.organizations.get_mut("acme").unwrap();
        acme.teams.insert(
            "parent".to_owned(),
            Team {
                repositories: [("acme/shop".to_owned(), "maintain".to_owned())].into(),
                ..Team::default()
            },
        );
        let sam = [("sam".to_owned(), Membership::default())].into();
        acme.teams.insert(
            "child".to_owned(),
            Team {
                parent: Some("parent".to_owned()),
                members: sam,
                ..Team::default()
            },
        );
        check(&world, "sam", "maintain");

        let acme = world.organizations.get_mut("acme").unwrap();
        acme.custom_roles.insert(
            "security".to_owned(),
            CustomRole {
                base_role: "read".to_owned(),
                ..CustomRole::default()
            },
        );
        world
            .repositories
            .get_mut("acme/shop")
            .unwrap()
            .collaborators
            .insert("dana".to_owned(), "security".to_owned());
        check(&world, "dana", "security");
    }
}
