//! What GitHub's records say, read strictly into plain structs.
//!
//! A member that is absent or null is `None` (or nothing in a list) and means what the rule that uses it says; a member of a wrong type is a
//! failure, `upstream_error`; members not named here are ignored. Texts stay texts: which words mean what is a rule.
//! Source: docs.github.com REST reference and its published description, read 2026-11-30; the page is named in `read`.

use toolpass_http::error::Error;
use toolpass_http::json::Json;

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

/// One active rule of a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchRule {
    /// Its type.
    pub kind: String,
    /// The ruleset it stands in, which says who passes it.
    pub ruleset_id: Option<u64>,
}

/// Who passes one ruleset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ruleset {
    /// `None` when our credential may not see them, which is never "nobody".
    pub bypass_actors: Option<Vec<BypassActor>>,
}

/// One who passes a ruleset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BypassActor {
    /// Its number; of no meaning for some types.
    pub id: Option<u64>,
    /// Its type.
    pub kind: String,
    /// `always`, `exempt`, `pull_request`.
    pub mode: Option<String>,
}

/// The classic protection of a branch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Protection {
    /// Whether administrators are bound too.
    pub enforce_admins: Option<bool>,
    /// Whether it is read-only.
    pub lock_branch: bool,
    /// Whether it may be deleted.
    pub allow_deletions: bool,
    /// Whether everyone with write may force-push.
    pub allow_force_pushes: bool,
    /// Whether `restrictions` bind the making of branches of this name too.
    pub block_creations: bool,
    /// Who may push at all; everyone with write without it.
    pub restrictions: Option<Actors>,
    /// Changes come by pull request.
    pub reviews: Option<Reviews>,
    /// What is required of the commits themselves, by GitHub's names.
    pub requirements: Vec<&'static str>,
}

/// The part of a protection about pull requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reviews {
    /// Who needs none.
    pub bypass_allowances: Actors,
    /// Who may dismiss a review; everyone with write without it.
    pub dismissal_restrictions: Option<Actors>,
}

/// A list of people and teams. Apps in it are no people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Actors {
    /// Logins.
    pub users: Vec<String>,
    /// Slugs.
    pub teams: Vec<String>,
}

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
    /// Fork private repositories.
    pub fork_private: Option<bool>,
}

/// A team.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Team {
    /// Its name in addresses.
    pub slug: Option<String>,
    /// `closed`: seen by every member; `secret`: by its own.
    pub privacy: Option<String>,
    /// The organization's login.
    pub organization: Option<String>,
    /// The organization's number.
    pub organization_id: Option<u64>,
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

/// Something with an author, in a conversation that may be locked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Authored {
    /// The author's login; `None` when the account is gone.
    pub author: Option<String>,
    /// Whether it is locked, where the record says so.
    pub locked: Option<bool>,
    /// The number of the issue or pull request it belongs to.
    pub conversation: Option<u64>,
}

/// A pull request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pull {
    /// The author's login.
    pub author: Option<String>,
    /// The branch it is merged into.
    pub base: Option<String>,
    /// The branch it comes from.
    pub head: Option<String>,
    /// `owner/name` of the repository it comes from.
    pub head_repo: Option<String>,
    /// What stands between it and a merge.
    pub mergeable_state: Option<String>,
}

/// Pull requests that build on each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stack {
    /// The branch all of them end in.
    pub base: Option<String>,
    /// The pull requests, lowest first: number, and whether it is open.
    pub pulls: Vec<(u64, bool)>,
}

/// An environment a run waits for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PendingDeployment {
    /// The environment's number.
    pub environment_id: Option<u64>,
    /// The environment's name.
    pub environment: Option<String>,
    /// Who may let it through.
    pub reviewers: Vec<Reviewer>,
}

/// Who may let a deployment through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reviewer {
    /// A team of this slug.
    Team(String),
    /// An account of this login.
    User(String),
}

/// A node of GraphQL: what it is and where it belongs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// `owner/name` of the repository it is or belongs to.
    pub repository: Option<String>,
    /// The organization it is or belongs to.
    pub organization: Option<String>,
    /// The slug of the team it is or belongs to.
    pub team: Option<String>,
    /// The author, and whether its conversation is locked.
    pub authored: Authored,
    /// Its number, when it is a pull request.
    pub pull: Option<u64>,
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

/// Read the rules of a branch.
pub fn branch_rules(json: Json<'_>) -> Result<Vec<BranchRule>, Error> {
    let rule = |rule: Json<'_>| -> Result<_, Error> {
        Ok(BranchRule {
            kind: rule.required("type")?.string()?.to_owned(),
            ruleset_id: number(rule, "ruleset_id")?,
        })
    };
    json.array()?.map(rule).collect()
}

/// Read a ruleset.
pub fn ruleset(json: Json<'_>) -> Result<Ruleset, Error> {
    let actor = |actor: Json<'_>| -> Result<_, Error> {
        let kind = actor.required("actor_type")?.string()?.to_owned();
        Ok(BypassActor {
            id: number(actor, "actor_id")?,
            kind,
            mode: text(actor, "bypass_mode")?,
        })
    };
    let actors = json
        .member("bypass_actors")?
        .map(|actors| actors.array()?.map(actor).collect::<Result<_, Error>>())
        .transpose()?;
    Ok(Ruleset {
        bypass_actors: actors,
    })
}

/// Whether a branch is protected by anything, as anyone with read may see.
pub fn branch_is_protected(json: Json<'_>) -> Result<Option<bool>, Error> {
    flag(json, "protected")
}

/// Read a branch protection.
pub fn protection(json: Json<'_>) -> Result<Protection, Error> {
    let enabled = |name: &'static str| {
        Ok::<_, Error>(
            json.member(name)?
                .map(|part| flag(part, "enabled"))
                .transpose()?
                .flatten(),
        )
    };
    let mut requirements = Vec::new();
    if json.member("required_status_checks")?.is_some() {
        requirements.push("required_status_checks");
    }
    for name in ["required_linear_history", "required_signatures"] {
        if enabled(name)? == Some(true) {
            requirements.push(name);
        }
    }
    Ok(Protection {
        enforce_admins: enabled("enforce_admins")?,
        lock_branch: enabled("lock_branch")? == Some(true),
        allow_deletions: enabled("allow_deletions")? == Some(true),
        allow_force_pushes: enabled("allow_force_pushes")? == Some(true),
        block_creations: enabled("block_creations")? == Some(true),
        restrictions: json.member("restrictions")?.map(actors).transpose()?,
        reviews: json
            .member("required_pull_request_reviews")?
            .map(reviews)
            .transpose()?,
        requirements,
    })
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
        fork_private: flag(json, "members_can_fork_private_repositories")?,
    })
}

/// Read a team.
pub fn team(json: Json<'_>) -> Result<Team, Error> {
    let organization = json.member("organization")?;
    Ok(Team {
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

/// Read an issue, a comment or a review.
pub fn authored(json: Json<'_>) -> Result<Authored, Error> {
    let conversation = match text(json, "issue_url")? {
        Some(url) => Some(url),
        None => text(json, "pull_request_url")?,
    };
    let conversation = conversation
        .as_deref()
        .and_then(|url| url.rsplit('/').next())
        .and_then(|number| number.parse().ok());
    Ok(Authored {
        author: login(json, "user")?,
        locked: flag(json, "locked")?,
        conversation,
    })
}

/// Read a pull request.
pub fn pull(json: Json<'_>) -> Result<Pull, Error> {
    let (base, head) = (json.member("base")?, json.member("head")?);
    let reference = |side: Option<Json<'_>>| {
        Ok::<_, Error>(side.map(|side| text(side, "ref")).transpose()?.flatten())
    };
    let head_repo = head.map(|head| head.member("repo")).transpose()?.flatten();
    Ok(Pull {
        author: login(json, "user")?,
        base: reference(base)?,
        head: reference(head)?,
        head_repo: head_repo
            .map(|repo| text(repo, "full_name"))
            .transpose()?
            .flatten(),
        mergeable_state: text(json, "mergeable_state")?,
    })
}

/// Read the stacks a pull request stands in.
pub fn stacks(json: Json<'_>) -> Result<Vec<Stack>, Error> {
    let pull = |pull: Json<'_>| -> Result<_, Error> {
        Ok((
            pull.required("number")?.uint()?,
            text(pull, "state")?.as_deref() == Some("open"),
        ))
    };
    let stack = |stack: Json<'_>| -> Result<_, Error> {
        let base = stack
            .member("base")?
            .map(|base| text(base, "ref"))
            .transpose()?
            .flatten();
        let pulls = stack
            .member("pull_requests")?
            .map(|pulls| pulls.array()?.map(pull).collect::<Result<_, Error>>())
            .transpose()?;
        Ok(Stack {
            base,
            pulls: pulls.unwrap_or_default(),
        })
    };
    json.array()?.map(stack).collect()
}

/// Read the interaction limit of a repository; `None` when there is none.
pub fn interaction_limit(json: Json<'_>) -> Result<Option<String>, Error> {
    text(json, "limit")
}

/// Read what a run waits for.
pub fn pending_deployments(json: Json<'_>) -> Result<Vec<PendingDeployment>, Error> {
    let pending = |pending: Json<'_>| -> Result<_, Error> {
        let environment = pending.required("environment")?;
        Ok(PendingDeployment {
            environment_id: number(environment, "id")?,
            environment: text(environment, "name")?,
            reviewers: pending
                .member("reviewers")?
                .map(reviewers)
                .transpose()?
                .unwrap_or_default(),
        })
    };
    json.array()?.map(pending).collect()
}

/// Whether an environment keeps whoever started the run from letting it through.
pub fn prevents_self_review(json: Json<'_>) -> Result<bool, Error> {
    let Some(rules) = json.member("protection_rules")? else {
        return Ok(false);
    };
    let mut prevented = false;
    for rule in rules.array()? {
        prevented |= flag(rule, "prevent_self_review")? == Some(true);
    }
    Ok(prevented)
}

/// Read who started a run: at first, and this time.
pub fn run_actors(json: Json<'_>) -> Result<[Option<String>; 2], Error> {
    Ok([login(json, "actor")?, login(json, "triggering_actor")?])
}

/// Read the `node` of a GraphQL answer: see `graphql::NODE`.
pub fn node(json: Json<'_>) -> Result<Node, Error> {
    let inner = |object: Option<Json<'_>>, name: &'static str| {
        Ok::<_, Error>(
            object
                .map(|object| text(object, name))
                .transpose()?
                .flatten(),
        )
    };
    let team = json.member("team")?.unwrap_or(json);
    let organization = json
        .member("organization")?
        .or(team.member("organization")?)
        .or(json.member("owner")?);
    let conversation = json
        .member("issue")?
        .or(json.member("pullRequest")?)
        .or(json.member("discussion")?);
    let repository = json.member("repository")?.or(conversation
        .map(|of| of.member("repository"))
        .transpose()?
        .flatten());
    let locked = match flag(json, "locked")? {
        Some(locked) => Some(locked),
        None => conversation
            .map(|of| flag(of, "locked"))
            .transpose()?
            .flatten(),
    };
    let is_pull = text(json, "__typename")?.as_deref() == Some("PullRequest");
    Ok(Node {
        repository: text(json, "nameWithOwner")?.or(inner(repository, "nameWithOwner")?),
        organization: text(json, "login")?.or(inner(organization, "login")?),
        team: text(team, "slug")?,
        authored: Authored {
            author: login(json, "author")?,
            locked,
            conversation: None,
        },
        pull: if is_pull {
            number(json, "number")?
        } else {
            None
        },
    })
}

fn actors(json: Json<'_>) -> Result<Actors, Error> {
    let named = |list: &'static str, name: &'static str| {
        let Some(list) = json.member(list)? else {
            return Ok(Vec::new());
        };
        list.array()?
            .map(|entry| Ok(entry.required(name)?.string()?.to_owned()))
            .collect::<Result<Vec<_>, Error>>()
    };
    Ok(Actors {
        users: named("users", "login")?,
        teams: named("teams", "slug")?,
    })
}

fn reviews(json: Json<'_>) -> Result<Reviews, Error> {
    Ok(Reviews {
        bypass_allowances: json
            .member("bypass_pull_request_allowances")?
            .map(actors)
            .transpose()?
            .unwrap_or_default(),
        dismissal_restrictions: json
            .member("dismissal_restrictions")?
            .map(actors)
            .transpose()?,
    })
}

fn reviewers(json: Json<'_>) -> Result<Vec<Reviewer>, Error> {
    let reviewer = |entry: Json<'_>| -> Result<_, Error> {
        let who = entry.required("reviewer")?;
        Ok(match entry.required("type")?.string()? {
            "Team" => Reviewer::Team(who.required("slug")?.string()?.to_owned()),
            "User" => Reviewer::User(who.required("login")?.string()?.to_owned()),
            _ => {
                return Err(Error::malformed(
                    "the answer names a reviewer that is neither a user nor a team",
                ));
            }
        })
    };
    json.array()?.map(reviewer).collect()
}

fn login(json: Json<'_>, name: &'static str) -> Result<Option<String>, Error> {
    Ok(json
        .member(name)?
        .map(|user| text(user, "login"))
        .transpose()?
        .flatten())
}

fn text(json: Json<'_>, name: &'static str) -> Result<Option<String>, Error> {
    json.member(name)?
        .map(|value| Ok(value.string()?.to_owned()))
        .transpose()
}

fn texts(json: Json<'_>, name: &'static str) -> Result<Vec<String>, Error> {
    let Some(list) = json.member(name)? else {
        return Ok(Vec::new());
    };
    list.array()?
        .map(|entry| Ok(entry.string()?.to_owned()))
        .collect()
}

fn flag(json: Json<'_>, name: &'static str) -> Result<Option<bool>, Error> {
    json.member(name)?.map(|value| value.bool()).transpose()
}

fn number(json: Json<'_>, name: &'static str) -> Result<Option<u64>, Error> {
    json.member(name)?.map(|value| value.uint()).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn absent_and_null_are_nothing_and_a_wrong_type_is_a_failure() {
        assert_eq!(
            permission(Json::new(&json!({}))).unwrap(),
            Permission::default()
        );
        assert_eq!(
            permission(Json::new(&json!({"user": null, "permission": null}))).unwrap(),
            Permission::default()
        );
        for wrong in [
            json!([]),
            json!({"permission": 1}),
            json!({"user": "dana"}),
            json!({"user": {"permissions": {"push": "yes"}}}),
        ] {
            assert!(permission(Json::new(&wrong)).is_err(), "{wrong}");
        }
        assert!(protection(Json::new(&json!({"enforce_admins": true}))).is_err());
        assert!(protection(Json::new(&json!({"restrictions": {"users": [{"id": 1}]}}))).is_err());
    }

    #[test]
    fn an_unseen_list_is_no_empty_list() {
        assert_eq!(
            ruleset(Json::new(&json!({"id": 1}))).unwrap().bypass_actors,
            None
        );
        assert_eq!(
            ruleset(Json::new(&json!({"bypass_actors": []})))
                .unwrap()
                .bypass_actors,
            Some(vec![])
        );
    }

    #[test]
    fn nodes_say_where_they_belong() {
        let read = |value| node(Json::new(&value)).unwrap();
        let issue = read(
            json!({"__typename": "Issue", "number": 7, "repository": {"nameWithOwner": "acme/shop"}, "author": {"login": "dana"}, "locked": true}),
        );
        assert_eq!(
            (
                issue.repository.as_deref(),
                issue.authored.author.as_deref(),
                issue.authored.locked,
                issue.pull
            ),
            (Some("acme/shop"), Some("dana"), Some(true), None)
        );
        let comment = read(
            json!({"__typename": "IssueComment", "author": null, "issue": {"locked": false}, "repository": {"nameWithOwner": "acme/shop"}}),
        );
        assert_eq!(
            (comment.authored.author, comment.authored.locked),
            (None, Some(false))
        );
        let team = read(
            json!({"__typename": "Team", "slug": "payments", "organization": {"login": "acme"}}),
        );
        assert_eq!(
            (team.team.as_deref(), team.organization.as_deref()),
            (Some("payments"), Some("acme"))
        );
        let project = read(json!({"__typename": "ProjectV2", "owner": {"login": "acme"}}));
        assert_eq!(project.organization.as_deref(), Some("acme"));
    }

    #[test]
    fn a_comment_knows_its_conversation() {
        let comment = json!({"user": {"login": "dana"}, "issue_url": "https://api.github.com/repos/acme/shop/issues/12"});
        assert_eq!(
            authored(Json::new(&comment)).unwrap().conversation,
            Some(12)
        );
    }
}
