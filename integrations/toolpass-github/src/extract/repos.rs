//! Repositories as a whole: creating, copying, moving and changing them.
//!
//! Source: docs.github.com/rest/repos, /deployments/environments; "Repository roles for an organization", "About custom repository
//! roles"; read 2026-11-30.

use toolpass_wire::extract::{Extracted, Pair};
use toolpass_wire::field::Unresolved;
use toolpass_wire::json::Json;
use toolpass_wire::reading::Reading;
use toolpass_wire::table::Audience;

use super::{
    SET, by_method, digits, member, members, number, org, pair, pair_by_id, repo, required, text,
};
use crate::actions::Action;
use crate::facts;
use crate::resource::{Kind, Login};

/// A setting is looked at or changed.
pub fn setting(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    Ok(by_method(reading))
}

/// A setting that somebody without the level may hold a right to which cannot be read.
pub fn delegable(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    Ok(by_method(reading).fact(facts::DELEGABLE, SET))
}

/// Secrets and variables: a writer's, but an administrator's on GitHub Enterprise Server.
pub fn admin_on_server(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    Ok(by_method(reading).fact(facts::ADMIN_ON_GHES, SET))
}

/// Values of custom properties.
pub fn custom_properties(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    granted_by(reading, "edit_repo_custom_properties_values")
}

/// Deploy keys.
pub fn deploy_keys(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    granted_by(reading, "manage_deploy_keys")
}

/// Settings of the site; owners may keep publishing to themselves.
pub fn pages(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let extracted = granted_by(reading, "manage_settings_pages")?;
    Ok(match reading.method() {
        "DELETE" => extracted,
        _ => extracted.fact(facts::ORGANIZATION_SWITCH, "pages"),
    })
}

/// Rules of the repository.
pub fn protections(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    granted_by(reading, "edit_repo_protections")
}

/// Topics.
pub fn topics(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    granted_by(reading, "manage_topics")
}

/// Webhooks.
pub fn webhooks(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    granted_by(reading, "manage_webhooks")
}

/// Security advisories: published ones are everybody's.
pub fn advisories(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    match reading.query("state").known()?.as_deref() {
        Some("published") => Ok(Extracted::pairs(vec![pair(
            Action::RepoRead,
            repo(reading)?,
        )])),
        _ => delegable(reading),
    }
}

/// Somebody becomes a collaborator; whoever is no member of the organization is invited from outside.
pub fn add_collaborator(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let login = Login::parse(reading.path("username"))
        .ok_or_else(|| Unresolved::new("expected a login as `username`"))?;
    Ok(Extracted::default().fact(facts::INVITES, login.as_str()))
}

/// A collaborator is removed; everyone may remove themselves.
pub fn remove_collaborator(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let extracted = Extracted::default();
    Ok(match Login::parse(reading.path("username")) {
        Some(login) => extracted.fact(facts::COLLABORATOR_SELF, login.as_str()),
        None => extracted,
    })
}

/// Deployments of a run are approved or rejected: by the environments' reviewers, who may be readers.
pub fn pending_deployments(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let unnamed = || Unresolved::new("expected the numbers of environments as `environment_ids`");
    let Some(Json::Array(ids)) = member(reading, "environment_ids")? else {
        return Err(unnamed());
    };
    let ids: Vec<&str> = ids
        .iter()
        .map(digits)
        .collect::<Option<_>>()
        .ok_or_else(unnamed)?;
    if ids.is_empty() {
        return Err(unnamed());
    }
    Ok(Extracted::default().fact(
        facts::REVIEWERS_OF,
        format!("{}/{}", number(reading, "run_id")?, ids.join(",")),
    ))
}

/// A repository is created in the organization, of a kind, and perhaps given to a team.
pub fn create(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let created = pair(Action::OrgRepoCreate, org(reading.path("org"))?)
        .fact(facts::VISIBILITY, kind(reading)?.as_str());
    let mut pairs = vec![created];
    match member(reading, "team_id")? {
        None | Some(Json::Null) => {}
        Some(team) => pairs.push(of_team(team)?),
    }
    Ok(made(pairs, kind(reading)?))
}

/// A repository is copied: the source is read, and something is created in the organization it goes to.
pub fn fork(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let Some(target) = text(reading, "organization")? else {
        return Err(Unresolved::new(
            "without `organization` the copy lands in the agent's own account",
        ));
    };
    Ok(Extracted::pairs(vec![
        pair(Action::RepoRead, repo(reading)?).fact(facts::FORKS, SET),
        pair(Action::OrgRepoCreate, org(&target)?),
    ]))
}

/// Two commits are compared. Either may be another repository's of the same network: `OWNER:NAME:REF`, or `OWNER:REF`, which
/// leaves the name open unless the owner is this one's.
pub fn compare(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let owner = reading.path("owner");
    let mut pairs = vec![pair(Action::RepoRead, repo(reading)?)];
    for side in reading.path("basehead").split("..") {
        let mut parts = side.trim_start_matches('.').split(':');
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some(of), Some(_), None, None) if of.eq_ignore_ascii_case(owner) => {}
            (_, None, None, None) => {}
            (Some(of), Some(name), Some(_), None) => {
                let other = crate::resource::Repo::parse(&format!("{of}/{name}"))
                    .ok_or_else(super::no_repository)?;
                pairs.push(pair(Action::RepoRead, format!("repo:{other}")));
            }
            _ => {
                return Err(Unresolved::new(
                    "a commit of a fork is named without the fork; spell it `OWNER:NAME:REF`",
                ));
            }
        }
    }
    Ok(Extracted::pairs(pairs))
}

/// Text is rendered as a repository would show it: what it mentions there is looked up.
pub fn render(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let Some(context) = text(reading, "context")?.filter(|context| !context.is_empty()) else {
        return Ok(Extracted::default());
    };
    let context = crate::resource::Repo::parse(&context).ok_or_else(super::no_repository)?;
    Ok(Extracted::pairs(vec![pair(
        Action::RepoRead,
        format!("repo:{context}"),
    )]))
}

/// A repository is made of a template: that is read, and something is created where it goes to.
pub fn generate(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let (owner, name) = (
        reading.path("template_owner"),
        reading.path("template_repo"),
    );
    let template = crate::resource::Repo::parse(&format!("{owner}/{name}"))
        .ok_or_else(super::no_repository)?;
    let target = org(&required(reading, "owner")?)?;
    let kind = kind(reading)?;
    let pairs = vec![
        pair(Action::RepoRead, format!("repo:{template}")),
        pair(Action::OrgRepoCreate, target).fact(facts::VISIBILITY, kind.as_str()),
    ];
    Ok(made(pairs, kind))
}

/// Settings of a repository: a maintainer's, or an administrator's; who sees it may be the owners'.
pub fn update(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let given = members(reading)?;
    let asks_maintain = !given.is_empty()
        && given
            .iter()
            .all(|(name, _)| OF_MAINTAINERS.contains(&name.as_str()));
    if asks_maintain {
        return Ok(Extracted::pairs(vec![pair(
            Action::RepoMaintain,
            repo(reading)?,
        )]));
    }
    let mut asked = pair(Action::RepoAdmin, repo(reading)?);
    if given
        .iter()
        .any(|(name, _)| name == "private" || name == "visibility")
    {
        asked = asked.fact(facts::ORGANIZATION_SWITCH, "visibility");
    }
    if member(reading, "archived")? == Some(&Json::Bool(false)) {
        asked = asked.fact(facts::ARCHIVED_OK, SET);
    }
    let publishes = member(reading, "private")? == Some(&Json::Bool(false))
        || text(reading, "visibility")?.is_some_and(|said| said.eq_ignore_ascii_case("public"));
    let extracted = Extracted::pairs(vec![asked]);
    Ok(if publishes {
        extracted.sending_to(Audience::Public)
    } else {
        extracted
    })
}

/// A repository of this kind is made: what is in it, everybody reads if it is public.
fn made(pairs: Vec<Pair>, kind: Kind) -> Extracted {
    let extracted = Extracted::pairs(pairs);
    match kind {
        Kind::Public => extracted.sending_to(Audience::Public),
        Kind::Internal | Kind::Private => extracted,
    }
}

/// A repository is deleted.
pub fn delete(_: &Reading<'_>) -> Result<Extracted, Unresolved> {
    Ok(Extracted::default()
        .fact(facts::ORGANIZATION_SWITCH, "delete")
        .fact(facts::ARCHIVED_OK, SET))
}

/// A repository changes its owner: within one connection that can only be the organization itself.
pub fn transfer(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let target = required(reading, "new_owner")?;
    if !target.eq_ignore_ascii_case(reading.path("owner")) {
        return Err(Unresolved::new(
            "the repository would leave the organization",
        ));
    }
    let mut pairs = vec![
        pair(Action::RepoAdmin, repo(reading)?).fact(facts::ORGANIZATION_SWITCH, "transfer"),
        pair(Action::OrgRepoCreate, org(&target)?),
    ];
    match member(reading, "team_ids")? {
        None | Some(Json::Null) => {}
        Some(Json::Array(teams)) => {
            for team in teams {
                pairs.push(of_team(team)?);
            }
        }
        Some(_) => return Err(Unresolved::new("expected a list as `team_ids`")),
    }
    Ok(Extracted::pairs(pairs))
}

/// The kind of a repository that is created; public when nothing is said.
fn kind(reading: &Reading<'_>) -> Result<Kind, Unresolved> {
    let private = match member(reading, "private")? {
        None | Some(Json::Null) => None,
        Some(Json::Bool(private)) => Some(*private),
        Some(_) => return Err(Unresolved::new("expected `true` or `false` as `private`")),
    };
    let said = match text(reading, "visibility")? {
        None => None,
        Some(said) => Some(Kind::parse(&said).ok_or_else(|| {
            Unresolved::new("expected `public`, `private` or `internal` as `visibility`")
        })?),
    };
    match (said, private) {
        (Some(Kind::Public), Some(true)) | (Some(Kind::Private | Kind::Internal), Some(false)) => {
            Err(Unresolved::new(
                "`private` and `visibility` say different things",
            ))
        }
        (Some(kind), _) => Ok(kind),
        (None, Some(true)) => Ok(Kind::Private),
        (None, Some(false) | None) => Ok(Kind::Public),
    }
}

fn of_team(id: &Json) -> Result<Pair, Unresolved> {
    let id = digits(id).ok_or_else(|| Unresolved::new("expected the number of a team"))?;
    Ok(pair_by_id(Action::TeamMember, "team_id", id))
}

fn granted_by(reading: &Reading<'_>, permission: &str) -> Result<Extracted, Unresolved> {
    Ok(by_method(reading).fact(facts::CUSTOM_PERMISSION, permission))
}

/// Settings that a maintainer changes. Source: "Repository roles for an organization", read 2026-11-30.
const OF_MAINTAINERS: &[&str] = &[
    "allow_auto_merge",
    "allow_merge_commit",
    "allow_rebase_merge",
    "allow_squash_merge",
    "allow_update_branch",
    "delete_branch_on_merge",
    "description",
    "has_projects",
    "has_wiki",
    "homepage",
    "merge_commit_message",
    "merge_commit_title",
    "squash_merge_commit_message",
    "squash_merge_commit_title",
    "use_squash_pr_title_as_default",
];
