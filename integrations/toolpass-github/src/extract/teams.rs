//! Teams: what maintainers may do, and what hands a team rights it did not have.
//!
//! Source: docs.github.com/rest/teams; "Roles in an organization", "Assigning the team maintainer role to a team member"; read
//! 2026-11-30.

use toolpass_wire::extract::Extracted;
use toolpass_wire::field::Unresolved;
use toolpass_wire::json::Json;
use toolpass_wire::reading::Reading;

use super::{SET, digits, member, no_repository, org, pair, pair_by_id, text};
use crate::actions::Action;
use crate::facts;
use crate::resource::{Login, Repo};

/// A new team: repositories and a parent hand it rights.
pub fn create(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let mut pairs = vec![
        pair(Action::OrgAdmin, org(reading.path("org"))?)
            .fact(facts::ORGANIZATION_SWITCH, "create_teams"),
    ];
    match member(reading, "repo_names")? {
        None | Some(Json::Null) => {}
        Some(Json::Array(names)) => {
            for name in names {
                let repo = name
                    .as_str()
                    .and_then(Repo::parse)
                    .ok_or_else(no_repository)?;
                pairs.push(pair(Action::RepoAdmin, format!("repo:{repo}")));
            }
        }
        Some(_) => return Err(Unresolved::new("expected a list as `repo_names`")),
    }
    match member(reading, "parent_team_id")? {
        None | Some(Json::Null) => {}
        Some(parent) => {
            let parent = digits(parent)
                .ok_or_else(|| Unresolved::new("expected a number as `parent_team_id`"))?;
            pairs.push(pair_by_id(Action::TeamMaintainer, "team_id", parent));
        }
    }
    Ok(Extracted::pairs(pairs))
}

/// A team is looked at.
pub fn sight(_: &Reading<'_>) -> Result<Extracted, Unresolved> {
    Ok(Extracted::default().fact(facts::TEAM_SIGHT, SET))
}

/// A team is changed; moving it below another is an owner's, because a parent hands down its access.
pub fn update(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let moves = member(reading, "parent_team_id")?.is_some()
        || member(reading, "parent_team_slug")?.is_some();
    match moves {
        true => Ok(Extracted::pairs(vec![pair(
            Action::OrgAdmin,
            org(reading.path("org"))?,
        )])),
        false => Ok(Extracted::default()),
    }
}

/// Somebody is put into a team or gets another role there; somebody from outside would be invited into the organization.
pub fn add_member(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let login = Login::parse(reading.path("username"))
        .ok_or_else(|| Unresolved::new("expected a login as `username`"))?;
    let role = match text(reading, "role")?.as_deref() {
        None | Some("member") => "member",
        Some("maintainer") => "maintainer",
        Some(_) => {
            return Err(Unresolved::new(
                "expected `member` or `maintainer` as `role`",
            ));
        }
    };
    Ok(Extracted::default()
        .fact(facts::TEAM_ADD_MEMBER, login.as_str())
        .fact(facts::TEAM_ADD_ROLE, role))
}

/// A team gets a repository: an administrator of that repository who sees the team.
pub fn add_repository(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let team = format!("team:{}/{}", reading.path("org"), reading.path("team_slug"));
    Ok(Extracted::pairs(vec![
        pair(Action::RepoAdmin, format!("repo:{}", repository(reading)?)),
        pair(Action::TeamMember, team).fact(facts::TEAM_SIGHT, SET),
    ]))
}

/// A team loses a repository: also by an administrator of that repository.
pub fn remove_repository(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    Ok(Extracted::default().fact(facts::OR_ADMIN_OF, repository(reading)?.to_string()))
}

fn repository(reading: &Reading<'_>) -> Result<Repo, Unresolved> {
    Repo::parse(&format!(
        "{}/{}",
        reading.path("owner"),
        reading.path("repo")
    ))
    .ok_or_else(no_repository)
}
