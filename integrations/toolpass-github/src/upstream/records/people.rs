//! The organization, its teams, and who is in them.
//!
//! Source: docs.github.com REST "Organizations", "Members", "Teams"; read 2026-11-30.

use toolpass_http::error::Error;
use toolpass_http::json::Json;

use super::{flag, number, text};

/// A membership in the organization or in a team.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Membership {
    /// `active`, `pending`.
    pub state: Option<String>,
    /// `admin`, `member`; in a team `maintainer`, `member`.
    pub role: Option<String>,
}

/// What the organization lets its members do. Absent fields are those our credential may not see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Organization {
    /// Create repositories at all.
    pub create_repositories: Option<bool>,
    /// Create public ones.
    pub create_public: Option<bool>,
    /// Create private ones.
    pub create_private: Option<bool>,
    /// Create internal ones.
    pub create_internal: Option<bool>,
    /// Delete and transfer repositories they administer.
    pub delete_repositories: Option<bool>,
    /// Change who sees a repository they administer.
    pub change_visibility: Option<bool>,
    /// Delete issues of repositories they administer.
    pub delete_issues: Option<bool>,
    /// Create teams.
    pub create_teams: Option<bool>,
    /// Bring people from outside into a repository they administer.
    pub invite_outside: Option<bool>,
    /// Publish sites at all.
    pub create_pages: Option<bool>,
    /// Publish sites for everybody.
    pub create_public_pages: Option<bool>,
    /// Publish sites for those who see the repository.
    pub create_private_pages: Option<bool>,
    /// Open discussions with read only.
    pub create_discussions: Option<bool>,
    /// Fork private repositories.
    pub fork_private: Option<bool>,
}

/// A team.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Team {
    /// Its number.
    pub id: Option<u64>,
    /// Its name in addresses.
    pub slug: Option<String>,
    /// `closed`: seen by every member; `secret`: by its own.
    pub privacy: Option<String>,
    /// The organization's login.
    pub organization: Option<String>,
    /// The organization's number.
    pub organization_id: Option<u64>,
}

/// Read a membership.
pub fn membership(json: Json<'_>) -> Result<Membership, Error> {
    Ok(Membership {
        state: text(json, "state")?,
        role: text(json, "role")?,
    })
}

/// Read an organization.
pub fn organization(json: Json<'_>) -> Result<Organization, Error> {
    Ok(Organization {
        create_repositories: flag(json, "members_can_create_repositories")?,
        create_public: flag(json, "members_can_create_public_repositories")?,
        create_private: flag(json, "members_can_create_private_repositories")?,
        create_internal: flag(json, "members_can_create_internal_repositories")?,
        delete_repositories: flag(json, "members_can_delete_repositories")?,
        change_visibility: flag(json, "members_can_change_repo_visibility")?,
        delete_issues: flag(json, "members_can_delete_issues")?,
        create_teams: flag(json, "members_can_create_teams")?,
        invite_outside: flag(json, "members_can_invite_outside_collaborators")?,
        create_pages: flag(json, "members_can_create_pages")?,
        create_public_pages: flag(json, "members_can_create_public_pages")?,
        create_private_pages: flag(json, "members_can_create_private_pages")?,
        create_discussions: flag(json, "readers_can_create_discussions")?,
        fork_private: flag(json, "members_can_fork_private_repositories")?,
    })
}

/// Read a team.
pub fn team(json: Json<'_>) -> Result<Team, Error> {
    let organization = json.member("organization")?;
    Ok(Team {
        id: number(json, "id")?,
        slug: text(json, "slug")?,
        privacy: text(json, "privacy")?,
        organization: organization
            .map(|organization| text(organization, "login"))
            .transpose()?
            .flatten(),
        organization_id: organization
            .map(|organization| number(organization, "id"))
            .transpose()?
            .flatten(),
    })
}
