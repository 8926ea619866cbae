//! An organization: its people, its teams, its App installation, its identity provider.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::repository::Ruleset;

/// An organization.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Organization {
    /// The numeric id.
    pub id: u64,
    /// What every member may do on every repository: `none`, `read`, `write` or `admin`.
    pub default_repository_permission: String,
    /// The `members_can_...` members of the record, and others that are true or false. One left out is not in the answer.
    pub flags: BTreeMap<String, bool>,
    /// The App's installation; absent: not installed.
    pub installation: Option<Installation>,
    /// Memberships by login. Roles: `member`, `admin`.
    pub members: BTreeMap<String, Membership>,
    /// Teams by slug.
    pub teams: BTreeMap<String, Team>,
    /// Custom repository roles by name.
    pub custom_roles: BTreeMap<String, CustomRole>,
    /// Rulesets by id that hold for every repository.
    pub rulesets: BTreeMap<u64, Ruleset>,
    /// The SAML identity provider; absent: none.
    pub saml: Option<SamlProvider>,
}

/// An App in an organization.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Installation {
    /// The installation id.
    pub id: u64,
    /// `read`, `write` or `admin` by permission, such as `members`.
    pub permissions: BTreeMap<String, String>,
    /// The chosen repositories as `owner/name`; absent: all.
    pub repositories: Option<BTreeSet<String>>,
    /// When it was suspended.
    pub suspended_at: Option<String>,
}

/// Somebody's place in an organization or a team.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Membership {
    /// `active` or `pending`.
    pub state: String,
    /// `member`, or `admin` in an organization, `maintainer` in a team.
    pub role: String,
}

/// A team.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Team {
    /// The numeric id.
    pub id: u64,
    /// The shown name; the slug when absent.
    pub name: Option<String>,
    /// `closed` or `secret`.
    pub privacy: String,
    /// The parent's slug.
    pub parent: Option<String>,
    /// Memberships by login. Roles: `member`, `maintainer`.
    pub members: BTreeMap<String, Membership>,
    /// Roles by repository, `owner/name`.
    pub repositories: BTreeMap<String, String>,
}

/// A custom repository role.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CustomRole {
    /// The numeric id.
    pub id: u64,
    /// `read`, `triage`, `write` or `maintain`.
    pub base_role: String,
    /// The added permissions.
    pub permissions: Vec<String>,
}

/// Who is who at the identity provider.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SamlProvider {
    /// In the order GitHub pages them.
    pub identities: Vec<ExternalIdentity>,
    /// Whether the `userName` filter is ignored and everything answered, as a filter that is not to be trusted might.
    pub ignore_filter: bool,
}

/// One person at the identity provider.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExternalIdentity {
    /// The linked account; absent: not linked yet.
    pub login: Option<String>,
    /// The SAML NameID.
    pub name_id: Option<String>,
    /// The SAML user name.
    pub username: Option<String>,
    /// The SCIM user name.
    pub scim_username: Option<String>,
}

impl Default for Organization {
    fn default() -> Organization {
        Organization {
            id: 0,
            default_repository_permission: "none".to_owned(),
            flags: BTreeMap::new(),
            installation: None,
            members: BTreeMap::new(),
            teams: BTreeMap::new(),
            custom_roles: BTreeMap::new(),
            rulesets: BTreeMap::new(),
            saml: None,
        }
    }
}

impl Default for Membership {
    fn default() -> Membership {
        Membership {
            state: "active".to_owned(),
            role: "member".to_owned(),
        }
    }
}

impl Default for Team {
    fn default() -> Team {
        Team {
            id: 0,
            name: None,
            privacy: "closed".to_owned(),
            parent: None,
            members: BTreeMap::new(),
            repositories: BTreeMap::new(),
        }
    }
}
