//! Projects, their components and versions, and configuration that may be of a project or of the site.
//!
//! Source: developer.atlassian.com/cloud/jira/platform/rest/v3 "Projects", "Project components", "Project versions", "Status"; read 2026-12-01.

use toolpass_core::effect::Effect;
use toolpass_wire::extract::Extracted;
use toolpass_wire::field::Unresolved;
use toolpass_wire::reading::Reading;

use super::{SITE, at, list, member, members, pair, pair_at, project, project_in, required};
use crate::actions::Action;
use crate::pointer::{COMPONENT, VERSION};

/// A project is changed: its key and its schemes are the site's.
pub fn update(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let of_site = members(reading)?
        .iter()
        .map(|(name, _)| name.to_ascii_lowercase())
        .any(|name| name == "key" || name.ends_with("scheme"));
    Ok(Extracted::pairs(vec![match of_site {
        true => pair(Action::Administer, SITE),
        false => pair(Action::ProjectAdmin, project(reading)?),
    }]))
}

/// A component of the project the body names.
pub fn create_component(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let project = project_in(required(reading, "project")?)?;
    Ok(Extracted::pairs(vec![pair(Action::ProjectAdmin, project)]))
}

/// A component: seen by who sees its project, changed by who administers it. Another one may take its place.
pub fn component(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    match seen(reading) {
        true => at(Action::BrowseProjects, reading, COMPONENT, "id"),
        false => of_project(reading, COMPONENT, reading.query("moveIssuesTo").known()?),
    }
}

/// A version of the project the body names, by its id or by its key.
pub fn create_version(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let project = match (member(reading, "projectId")?, member(reading, "project")?) {
        (Some(project), None) | (None, Some(project)) => project_in(project)?,
        (_, _) => return Err(Unresolved::new("expected either `projectId` or `project`")),
    };
    Ok(Extracted::pairs(vec![pair(Action::ProjectAdmin, project)]))
}

/// A version, in the same way.
pub fn version(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    if seen(reading) {
        return at(Action::BrowseProjects, reading, VERSION, "id");
    }
    let mut pairs = vec![pair_at(Action::ProjectAdmin, VERSION, reading.path("id"))?];
    for name in ["moveAffectedIssuesTo", "moveFixIssuesTo"] {
        if let Some(other) = reading.query(name).known()? {
            pairs.push(pair_at(Action::ProjectAdmin, VERSION, &other)?);
        }
    }
    Ok(Extracted::pairs(pairs))
}

/// A version is merged into another one.
pub fn merge_versions(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    of_project(
        reading,
        VERSION,
        Some(reading.path("moveIssuesTo").to_owned()),
    )
}

/// A version is removed, and others take its place.
pub fn swap_versions(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let mut pairs = vec![pair_at(Action::ProjectAdmin, VERSION, reading.path("id"))?];
    let custom = member(reading, "customFieldReplacementList")?;
    let custom = custom
        .map(|items| list(items, "customFieldReplacementList"))
        .transpose()?;
    let replaced = custom
        .unwrap_or_default()
        .iter()
        .map(|item| item.get("moveTo"));
    let named = [
        member(reading, "moveAffectedIssuesTo")?,
        member(reading, "moveFixIssuesTo")?,
    ];
    for id in named.into_iter().chain(replaced).flatten() {
        let id = id.scalar().unwrap_or_default();
        pairs.push(pair_at(Action::ProjectAdmin, VERSION, id)?);
    }
    Ok(Extracted::pairs(pairs))
}

/// Work related to a version: who resolves and edits issues of its project.
pub fn related_work(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    if seen(reading) {
        return at(Action::BrowseProjects, reading, VERSION, "id");
    }
    Ok(Extracted::pairs(vec![
        pair_at(Action::ResolveIssues, VERSION, reading.path("id"))?,
        pair_at(Action::EditIssues, VERSION, reading.path("id"))?,
    ]))
}

/// Statuses and workflows of a project that the body's scope names, or of the site.
pub fn scoped(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let scope = required(reading, "scope")?;
    let kind = scope.member("type").required("scope.type")?;
    Ok(Extracted::pairs(vec![match kind.as_str() {
        Some("GLOBAL") => pair(Action::Administer, SITE),
        Some("PROJECT") => {
            let project = scope.member("project").required("scope.project")?;
            let id = project.member("id").required("scope.project.id")?;
            pair(Action::ProjectAdmin, project_in(id)?)
        }
        _ => {
            return Err(Unresolved::new(
                "expected `GLOBAL` or `PROJECT` as `scope.type`",
            ));
        }
    }]))
}

/// Settings of an account: of another's an administrator's, of the agent's own nobody's to say.
pub fn of_account(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    match reading.query("accountId").known()? {
        Some(_) => Ok(Extracted::pairs(vec![pair(Action::Administer, SITE)])),
        None => Ok(Extracted::default()
            .agent_only("without `accountId` it is the agent's own account that is meant")),
    }
}

fn of_project(
    reading: &Reading<'_>,
    kind: &str,
    other: Option<String>,
) -> Result<Extracted, Unresolved> {
    let mut pairs = vec![pair_at(Action::ProjectAdmin, kind, reading.path("id"))?];
    let other = other.map(|id| pair_at(Action::ProjectAdmin, kind, &id));
    pairs.extend(other.transpose()?);
    Ok(Extracted::pairs(pairs))
}

fn seen(reading: &Reading<'_>) -> bool {
    Effect::of_method(reading.method()) == Effect::Read
}
