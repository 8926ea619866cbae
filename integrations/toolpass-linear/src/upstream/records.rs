//! What Linear's records say, read strictly into plain structs.
//!
//! A member that is absent or null is `None` (or nothing in a list) and means what the rule that uses it says; a member of a wrong type is a
//! failure, `upstream_error`; members not named here are ignored. Texts stay texts: which words mean what is a rule.
//! Source: Linear's GraphQL schema of 2026-07-22.

use toolpass_http::error::Error;
use toolpass_http::json::Json;

/// An account of the workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Its id.
    pub id: String,
    /// Its e-mail.
    pub email: String,
    /// Whether it is not suspended.
    pub active: bool,
    /// Whether it administers the workspace.
    pub admin: bool,
    /// Whether it owns the workspace.
    pub owner: bool,
    /// Whether it sees only the teams it was invited to.
    pub guest: bool,
    /// Whether it is an application.
    pub app: bool,
    /// Whether it sees every public team.
    pub sees_public: Option<bool>,
    /// Why it is suspended.
    pub disabled_for: Option<String>,
    /// Its memberships.
    pub memberships: Vec<Membership>,
}

/// A membership in a team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Membership {
    /// The team's id.
    pub team: String,
    /// Whether the member owns the team.
    pub owner: bool,
}

/// A team.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Team {
    /// Its id.
    pub id: String,
    /// Its key.
    pub key: String,
    /// Who sees it.
    pub visibility: Option<String>,
    /// Whether it was archived.
    pub archived: bool,
}

/// What a team lets its members do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TeamSettings {
    /// Whether it takes no new issues and members.
    pub retired: bool,
    /// Whether everybody may join.
    pub open: Option<bool>,
    /// Which role may do what.
    pub roles: Vec<(String, String)>,
}

/// An issue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Issue {
    /// Its id.
    pub id: String,
    /// Its identifier now.
    pub identifier: String,
    /// What it was called before.
    pub previous: Vec<String>,
    /// Whether it is in the trash.
    pub trashed: bool,
    /// Its team.
    pub team: Team,
}

/// With whom an issue is shared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shares {
    /// Whether it is shared at all.
    pub shared: bool,
    /// With how many.
    pub count: Option<u64>,
    /// With whom.
    pub users: Vec<String>,
    /// The issue above it whose shares it takes over, in the same team.
    pub inherits_from: Option<String>,
}

/// The issues below an issue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Children {
    /// Whether all are known and of the same team.
    pub same_team: bool,
}

/// A project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Project {
    /// Its id.
    pub id: String,
    /// The end of its address.
    pub slug: Option<String>,
    /// Whether it is in the trash.
    pub trashed: bool,
    /// Whether it was archived.
    pub archived: bool,
    /// Its teams.
    pub teams: Vec<Team>,
    /// Whether it has more teams than these.
    pub has_more_teams: bool,
}

/// Something that belongs to an issue, a project, a team or the workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thing {
    /// Its id.
    pub id: String,
    /// The end of its address.
    pub slug: Option<String>,
    /// What it belongs to, each once.
    pub parents: Vec<Parent>,
    /// Who made or wrote it.
    pub author: Option<String>,
    /// Whose it is.
    pub owner: Option<String>,
    /// Whether others see it.
    pub shared: Option<bool>,
    /// Whether it has a list of teams.
    pub lists_teams: bool,
    /// Whether it belongs to more than these.
    pub has_more: bool,
}

/// What a thing belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parent {
    /// An initiative.
    Initiative,
    /// An issue, by id.
    Issue(String),
    /// A pipeline of releases, by id.
    Pipeline(String),
    /// A project, by id.
    Project(String),
    /// A team, by id.
    Team(String),
}

/// Read an account; memberships where it has them. A membership that names no team is none.
pub fn account(json: Json<'_>) -> Result<Account, Error> {
    let mut memberships = Vec::new();
    if let Some(page) = json.member("teamMemberships")? {
        for node in page.required("nodes")?.array()? {
            let Some(team) = id_of(node, "team")? else {
                continue;
            };
            memberships.push(Membership {
                team,
                owner: node.required("owner")?.bool()?,
            });
        }
    }
    Ok(Account {
        id: owned(json, "id")?,
        email: owned(json, "email")?,
        active: json.required("active")?.bool()?,
        admin: json.required("admin")?.bool()?,
        owner: json.required("owner")?.bool()?,
        guest: json.required("guest")?.bool()?,
        app: json.required("app")?.bool()?,
        sees_public: flag(json, "canAccessAnyPublicTeam")?,
        disabled_for: text(json, "disableReason")?,
        memberships,
    })
}

/// Read a team.
pub fn team(json: Json<'_>) -> Result<Team, Error> {
    Ok(Team {
        id: owned(json, "id")?,
        key: owned(json, "key")?,
        visibility: text(json, "visibility")?,
        archived: text(json, "archivedAt")?.is_some(),
    })
}

/// Read the teams a look-up found.
pub fn teams(json: Json<'_>) -> Result<Vec<Team>, Error> {
    json.required("nodes")?.array()?.map(team).collect()
}

/// Read what a team lets its members do.
pub fn team_settings(json: Json<'_>) -> Result<TeamSettings, Error> {
    Ok(TeamSettings {
        retired: text(json, "retiredAt")?.is_some(),
        open: flag(json, "allMembersCanJoin")?,
        roles: roles(json)?,
    })
}

/// Read the words of `securitySettings`. What is no text there names no role.
pub fn roles(json: Json<'_>) -> Result<Vec<(String, String)>, Error> {
    let settings = json.required("securitySettings")?;
    let words = settings.members()?.filter_map(|(name, value)| {
        let word = value.string().ok()?;
        Some((name.to_owned(), word.to_owned()))
    });
    Ok(words.collect())
}

/// Read the id of the private team around a restricted one.
pub fn boundary(json: Json<'_>) -> Result<Option<String>, Error> {
    id_of(json, "restrictedBy")
}

/// Read the plan; nothing when the workspace pays for none.
pub fn plan(json: Json<'_>) -> Result<Option<String>, Error> {
    json.required("id")?.string()?;
    json.member("subscription")?
        .map(|subscription| owned(subscription, "type"))
        .transpose()
}

/// Read whether guests are kept from starting agents.
pub fn agent_policy(json: Json<'_>) -> Result<Option<bool>, Error> {
    flag(json, "restrictAgentInvocationToMembers")
}

/// Read an issue.
pub fn issue(json: Json<'_>) -> Result<Issue, Error> {
    let mut previous = Vec::new();
    if let Some(list) = json.member("previousIdentifiers")? {
        for entry in list.array()? {
            previous.push(entry.string()?.to_owned());
        }
    }
    Ok(Issue {
        id: owned(json, "id")?,
        identifier: owned(json, "identifier")?,
        previous,
        trashed: flag(json, "trashed")?.unwrap_or(false),
        team: team(json.required("team")?)?,
    })
}

/// Read with whom an issue is shared. A parent in another team shares nothing.
pub fn shares(json: Json<'_>) -> Result<Shares, Error> {
    let access = json.required("sharedAccess")?;
    let mut users = Vec::new();
    for user in access.required("sharedWithUsers")?.array()? {
        users.push(owned(user, "id")?);
    }
    let parent = json.member("parent")?;
    let same_team = match parent {
        Some(parent) => {
            let (own, above) = (id_of(json, "team")?, id_of(parent, "team")?);
            own.is_some() && own == above
        }
        None => false,
    };
    let inherits = flag(json, "inheritsSharedAccess")?.unwrap_or(false) && same_team;
    Ok(Shares {
        shared: access.required("isShared")?.bool()?,
        count: access
            .member("sharedWithCount")?
            .map(|count| count.uint())
            .transpose()?,
        users,
        inherits_from: if inherits {
            id_of(json, "parent")?
        } else {
            None
        },
    })
}

/// Read the issues below an issue.
pub fn children(json: Json<'_>) -> Result<Children, Error> {
    let own = id_of(json, "team")?;
    let page = json.required("children")?;
    let mut same_team = own.is_some() && !has_more(page)?;
    for child in page.required("nodes")?.array()? {
        same_team &= id_of(child, "team")? == own;
    }
    Ok(Children { same_team })
}

/// Read a project.
pub fn project(json: Json<'_>) -> Result<Project, Error> {
    let page = json.required("teams")?;
    Ok(Project {
        id: owned(json, "id")?,
        slug: text(json, "slugId")?,
        trashed: flag(json, "trashed")?.unwrap_or(false),
        archived: text(json, "archivedAt")?.is_some(),
        teams: teams(page)?,
        has_more_teams: has_more(page)?,
    })
}

/// Read what a thing belongs to. See `read::thing` for which members which kind has.
pub fn thing(json: Json<'_>) -> Result<Thing, Error> {
    let mut parents = Vec::new();
    belongs(json, &mut parents)?;
    let page = json.member("teams")?;
    let mut more = false;
    if let Some(page) = page {
        more = has_more(page)?;
        for team in page.required("nodes")?.array()? {
            add(&mut parents, Parent::Team(owned(team, "id")?));
        }
    }
    let author = match id_of(json, "user")? {
        Some(author) => Some(author),
        None => id_of(json, "creator")?,
    };
    Ok(Thing {
        id: owned(json, "id")?,
        slug: text(json, "slugId")?,
        parents,
        author,
        owner: id_of(json, "owner")?,
        shared: flag(json, "shared")?,
        lists_teams: page.is_some(),
        has_more: more,
    })
}

fn belongs(json: Json<'_>, parents: &mut Vec<Parent>) -> Result<(), Error> {
    if let Some(id) = id_of(json, "issue")? {
        add(parents, Parent::Issue(id));
    }
    if let Some(id) = id_of(json, "project")? {
        add(parents, Parent::Project(id));
    }
    if let Some(id) = id_of(json, "team")? {
        add(parents, Parent::Team(id));
    }
    if let Some(id) = text(json, "teamId")? {
        add(parents, Parent::Team(id));
    }
    if let Some(id) = id_of(json, "pipeline")? {
        add(parents, Parent::Pipeline(id));
    }
    for name in ["initiative", "initiativeUpdate"] {
        if json.member(name)?.is_some() {
            add(parents, Parent::Initiative);
        }
    }
    for name in [
        "cycle",
        "document",
        "documentContent",
        "projectMilestone",
        "projectUpdate",
        "release",
        "template",
    ] {
        if let Some(inner) = json.member(name)? {
            belongs(inner, parents)?;
        }
    }
    Ok(())
}

fn add(parents: &mut Vec<Parent>, parent: Parent) {
    if !parents.contains(&parent) {
        parents.push(parent);
    }
}

fn has_more(page: Json<'_>) -> Result<bool, Error> {
    page.required("pageInfo")?.required("hasNextPage")?.bool()
}

fn id_of(json: Json<'_>, name: &'static str) -> Result<Option<String>, Error> {
    json.member(name)?
        .map(|object| owned(object, "id"))
        .transpose()
}

fn owned(json: Json<'_>, name: &'static str) -> Result<String, Error> {
    let text = json.required(name)?.string()?;
    if text.is_empty() {
        return Err(Error::malformed(format!("the answer's {name} is empty")));
    }
    Ok(text.to_owned())
}

fn text(json: Json<'_>, name: &'static str) -> Result<Option<String>, Error> {
    json.member(name)?
        .map(|value| Ok(value.string()?.to_owned()))
        .transpose()
}

fn flag(json: Json<'_>, name: &'static str) -> Result<Option<bool>, Error> {
    json.member(name)?.map(|value| value.bool()).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn parents(value: Value) -> Vec<Parent> {
        thing(Json::new(&value)).unwrap().parents
    }

    #[test]
    fn things_say_what_they_belong_to() {
        let issue = || Parent::Issue("i".into());
        assert_eq!(parents(json!({"id": "c", "issue": {"id": "i"}})), [issue()]);
        assert_eq!(
            parents(
                json!({"id": "c", "issue": {"id": "i"}, "documentContent": {"issue": {"id": "i"}, "project": null}})
            ),
            [issue()]
        );
        assert_eq!(
            parents(
                json!({"id": "c", "projectUpdate": {"project": {"id": "p"}}, "initiativeUpdate": {"id": "u"}})
            ),
            [Parent::Initiative, Parent::Project("p".into())]
        );
        assert_eq!(
            parents(
                json!({"id": "d", "release": {"pipeline": {"id": "l"}}, "cycle": {"team": {"id": "t"}}})
            ),
            [Parent::Team("t".into()), Parent::Pipeline("l".into())]
        );
        assert!(parents(json!({"id": "c"})).is_empty());
        for bad in [
            json!({"issue": {"id": "i"}}),
            json!({"id": "c", "issue": {}}),
            json!({"id": "c", "issue": "i"}),
            json!({"id": "", "issue": null}),
        ] {
            assert!(thing(Json::new(&bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_share_is_inherited_inside_a_team_only() {
        let read = |parent: Value, inherits: bool| {
            shares(Json::new(&json!({
                "id": "i", "team": {"id": "t"}, "parent": parent, "inheritsSharedAccess": inherits,
                "sharedAccess": {"isShared": false, "sharedWithCount": 0, "sharedWithUsers": []},
            })))
            .unwrap()
            .inherits_from
        };
        let above = |team: &str| json!({"id": "p", "team": {"id": team}});
        assert_eq!(read(above("t"), true).as_deref(), Some("p"));
        assert_eq!(read(above("t"), false), None);
        assert_eq!(read(above("u"), true), None);
        assert_eq!(read(Value::Null, true), None);
    }
}
