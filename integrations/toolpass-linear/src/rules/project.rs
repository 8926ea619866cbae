//! Rules about a project: rule 6 of the specification, and 11.18 of it.
//!
//! A project shared with a private team stays editable from its public team, so any of its teams is enough for both.
//! Source: linear.app/docs "Private teams", "Members and roles"; read 2026-12-01.

use super::known::{Known, Stop};
use super::standing::Standing;
use super::{Question, Verdict, active, any, not_here};
use crate::actions::Action;
use crate::resource::Name;
use crate::upstream::read::Read;
use crate::upstream::records::{Project, Team};

/// Decide a question about a project.
pub fn decide(question: &Question, known: &Known, name: &Name) -> Verdict {
    known.all([
        Read::User(question.user.clone()),
        Read::Project(name.clone()),
    ])?;
    let standing = active(question, known)?;
    match question.action {
        Action::ProjectView => view(known, &standing, name),
        Action::ProjectEdit if question.said.archived_ok => {
            reach(known, &standing, &known.project(name)?)
        }
        Action::ProjectEdit => {
            let allowed = edit(known, &standing, name)?;
            match &question.said.keeps_teams {
                Some(kept) => takes_away(known, &standing, &known.project(name)?, kept),
                None => Ok(allowed),
            }
        }
        _ => Err(not_here(question)),
    }
}

/// Whoever sees one of its teams sees the project.
pub fn view(known: &Known, standing: &Standing, name: &Name) -> Verdict {
    let project = known.project(name)?;
    if project.trashed {
        return Err(Stop::unsupported("the project is in the trash"));
    }
    reach(known, standing, &project)
}

/// And edits it, unless it is archived.
pub fn edit(known: &Known, standing: &Standing, name: &Name) -> Verdict {
    if known.project(name)?.archived {
        return Err(Stop::unsupported(
            "the project is archived; who may edit it is not known",
        ));
    }
    view(known, standing, name)
}

/// A team is taken from a project by who sees it.
fn takes_away(known: &Known, standing: &Standing, project: &Project, kept: &[Name]) -> Verdict {
    let is_kept = |team: &Team| {
        kept.iter().any(|name| {
            [&team.id, &team.key]
                .iter()
                .any(|known| known.eq_ignore_ascii_case(name.as_str()))
        })
    };
    for team in project.teams.iter().filter(|team| !is_kept(team)) {
        standing.access(known, team)?;
    }
    if project.has_more_teams {
        return Err(Stop::unsupported(
            "the project has more teams than are looked at",
        ));
    }
    Ok(format!(
        "`{}` sees every team that the project loses",
        standing.shown()
    ))
}

fn reach(known: &Known, standing: &Standing, project: &Project) -> Verdict {
    let by_team = project
        .teams
        .iter()
        .map(|team| standing.access(known, team));
    let rest = project.has_more_teams.then(|| {
        Err(Stop::unsupported(
            "the project has more teams than are looked at",
        ))
    });
    any(by_team.chain(rest), "Linear names no team of the project")
}
