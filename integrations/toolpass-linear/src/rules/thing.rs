//! Rules about what belongs to an issue, a project, a team or the workspace, and about what belongs to a person.
//!
//! Most of it is decided by what it belongs to; where that is several things, all of them must allow it.
//! Source: linear.app/docs "Comments", "Documents", "Custom views", "Releases"; where those state no rule the stricter of the
//! likely ones is taken, and the README says so; read 2026-12-01.

use super::known::{self, Known, Stop};
use super::standing::Standing;
use super::{Question, Verdict, active, any, issue, not_here, project, team, workspace};
use crate::actions::Action;
use crate::resource::{Kind, Name};
use crate::upstream::read::Read;
use crate::upstream::records::{Parent, Thing};

/// What is wanted of the things it belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Want {
    Edit,
    View,
}

/// Decide a question about a thing.
pub fn decide(question: &Question, known: &Known, kind: Kind, name: &Name) -> Verdict {
    known.all([
        Read::User(question.user.clone()),
        Read::Thing(kind, name.clone()),
    ])?;
    let standing = &active(question, known)?;
    let thing = &known.thing(kind, name)?;
    let action = question.action;
    match action {
        Action::CommentView | Action::DocumentView => {
            of_parents(known, standing, thing, Want::View)
        }
        Action::ThingView => view(known, standing, thing, kind),
        Action::CommentResolve | Action::DocumentEdit | Action::LinkEdit => {
            of_parents(known, standing, thing, Want::Edit)
        }
        Action::CommentEdit => edit_comment(known, standing, thing),
        Action::CommentDelete => delete_comment(known, standing, thing),
        Action::NeedEdit => {
            workspace::member(standing)?;
            of_parents(known, standing, thing, Want::Edit)
        }
        Action::LabelEdit | Action::TemplateEdit | Action::IntakeEdit => {
            by_team(known, standing, thing, action)
        }
        Action::NoticesEdit => notices(known, standing, thing),
        Action::ViewEdit => edit_view(known, standing, thing),
        Action::ReleaseEdit => release(known, standing, thing),
        Action::SkillEdit => skill(known, standing, thing),
        Action::EmojiDelete if standing.is(thing.author.as_deref()) => workspace::member(standing),
        Action::EmojiDelete => workspace::admin(standing),
        Action::MembershipSort | Action::MembershipDelete
            if standing.is(thing.author.as_deref()) =>
        {
            workspace::user(standing)
        }
        Action::MembershipSort => team::admin(known, standing, &only_team(known, thing)?),
        Action::MembershipDelete => team::by_setting(
            known,
            standing,
            &only_team(known, thing)?,
            Action::TeamMembers,
        ),
        _ => Err(not_here(question)),
    }
}

/// What everything it belongs to says.
fn of_parents(known: &Known, standing: &Standing, thing: &Thing, want: Want) -> Verdict {
    let mut allowed = Err(Stop::unsupported("Linear does not say what it belongs to"));
    for parent in &thing.parents {
        allowed = Ok(of_parent(known, standing, parent, want)?);
    }
    if thing.has_more {
        return Err(Stop::unsupported("it belongs to more than is looked at"));
    }
    allowed
}

fn of_parent(known: &Known, standing: &Standing, parent: &Parent, want: Want) -> Verdict {
    match parent {
        Parent::Initiative => workspace::member(standing),
        Parent::Issue(id) => issue::reach(known, standing, &known::id(id)?),
        Parent::Pipeline(id) => {
            let pipeline = known.thing(Kind::Pipeline, &known::id(id)?)?;
            release(known, standing, &pipeline)
        }
        Parent::Project(id) if want == Want::Edit => {
            project::edit(known, standing, &known::id(id)?)
        }
        Parent::Project(id) => project::view(known, standing, &known::id(id)?),
        Parent::Team(id) => standing.access(known, &known.team(&known::id(id)?)?),
    }
}

/// Seeing it: by what it belongs to; what is the workspace's, members see; what is a person's own, that person.
fn view(known: &Known, standing: &Standing, thing: &Thing, kind: Kind) -> Verdict {
    let is_shown = match kind {
        Kind::View => thing.shared == Some(true),
        Kind::Skill => !thing.parents.is_empty(),
        _ => true,
    };
    if kind == Kind::Pipeline {
        return release(known, standing, thing);
    }
    if !is_shown {
        return own(standing, thing);
    }
    if thing.parents.is_empty() && matches!(kind, Kind::Label | Kind::Template | Kind::View) {
        return workspace::member(standing);
    }
    of_parents(known, standing, thing, Want::View)
}

/// Its author's, who must still see what it is about. What others may is not documented.
fn edit_comment(known: &Known, standing: &Standing, thing: &Thing) -> Verdict {
    if !standing.is(thing.author.as_deref()) {
        return Err(Stop::unsupported(format!(
            "the comment is not of `{}`; who else may edit it is not documented",
            standing.shown()
        )));
    }
    of_parents(known, standing, thing, Want::View)
}

/// Its author's, its team's owners', and the workspace's administrators'.
fn delete_comment(known: &Known, standing: &Standing, thing: &Thing) -> Verdict {
    let user = standing.shown();
    if standing.is(thing.author.as_deref()) {
        return Ok(format!("`{user}` wrote the comment"));
    }
    if let Ok(text) = workspace::admin(standing) {
        return Ok(text);
    }
    for parent in &thing.parents {
        if let Parent::Issue(id) = parent {
            let team = known.issue(&known::id(id)?)?.team;
            if let Ok(text) = settled(team::admin(known, standing, &team))? {
                return Ok(text);
            }
        }
    }
    Err(Stop::unsupported(format!(
        "the comment is not of `{user}`; who else may delete it is not documented"
    )))
}

/// By its team, by its pipeline, or by the workspace.
fn by_team(known: &Known, standing: &Standing, thing: &Thing, action: Action) -> Verdict {
    let (of_team, of_workspace) = match action {
        Action::LabelEdit => (Action::TeamLabels, Some(Action::WorkspaceLabels)),
        Action::TemplateEdit => (Action::TeamTemplates, Some(Action::WorkspaceTemplates)),
        _ => (Action::TeamManage, None),
    };
    let mut allowed = None;
    for parent in &thing.parents {
        allowed = Some(match parent {
            Parent::Team(id) => {
                let team = known.team(&known::id(id)?)?;
                team::by_setting(known, standing, &team, of_team)?
            }
            Parent::Initiative | Parent::Issue(_) | Parent::Pipeline(_) | Parent::Project(_) => {
                of_parent(known, standing, parent, Want::Edit)?
            }
        });
    }
    match (allowed, of_workspace) {
        (Some(text), _) => Ok(text),
        (None, Some(action)) => workspace::by_role(known, standing, action),
        (None, None) => workspace::admin(standing),
    }
}

/// What is posted to chats: a setting of the team, of the project, of the initiative.
fn notices(known: &Known, standing: &Standing, thing: &Thing) -> Verdict {
    if thing.parents.is_empty() {
        return Err(Stop::unsupported("Linear does not say what it belongs to"));
    }
    by_team(known, standing, thing, Action::NoticesEdit)
}

/// Its owner's and its creator's; a shared one is also its team's or the workspace's.
fn edit_view(known: &Known, standing: &Standing, thing: &Thing) -> Verdict {
    let own = own(standing, thing);
    match thing.shared {
        _ if own.is_ok() => own,
        Some(false) => own,
        None => Err(Stop::unsupported(
            "Linear does not say whether the view is shared",
        )),
        Some(true) if thing.parents.is_empty() => workspace::member(standing),
        Some(true) => of_parents(known, standing, thing, Want::Edit),
    }
}

/// 11 of the routes: a member of the workspace who sees one of the pipeline's teams; one without teams is everybody's.
fn release(known: &Known, standing: &Standing, thing: &Thing) -> Verdict {
    let member = workspace::member(standing)?;
    if !thing.lists_teams {
        return Err(Stop::unsupported(
            "Linear does not name the teams of the pipeline",
        ));
    }
    if thing.parents.is_empty() && !thing.has_more {
        return Ok(member);
    }
    let by_team = thing
        .parents
        .iter()
        .map(|parent| of_parent(known, standing, parent, Want::Edit));
    any(by_team, "the teams of the pipeline are not known")
}

/// Of a team: by its settings; a person's own: that person's.
fn skill(known: &Known, standing: &Standing, thing: &Thing) -> Verdict {
    if thing.parents.is_empty() {
        return own(standing, thing);
    }
    let team = only_team(known, thing)?;
    team::by_setting(known, standing, &team, Action::TeamSkills)
}

fn own(standing: &Standing, thing: &Thing) -> Verdict {
    let (owner, author) = (thing.owner.as_deref(), thing.author.as_deref());
    if standing.is(owner) || standing.is(author) {
        Ok(format!("it is `{}`'s own", standing.shown()))
    } else if owner.is_none() {
        Err(Stop::unsupported("Linear does not say whose it is"))
    } else {
        Err(Stop::deny(format!(
            "it is somebody else's than `{}`'s",
            standing.shown()
        )))
    }
}

fn only_team(known: &Known, thing: &Thing) -> Result<crate::upstream::records::Team, Stop> {
    match thing.parents.as_slice() {
        [Parent::Team(id)] => known.team(&known::id(id)?),
        _ => Err(Stop::unsupported("Linear does not say of which team it is")),
    }
}

/// A verdict that is a yes or something else, once everything it needs is known.
/// Errors: what must be read first.
fn settled(verdict: Verdict) -> Result<Verdict, Stop> {
    match verdict {
        Err(missing @ toolpass_integration::answers::Stop::Missing(_)) => Err(missing),
        other => Ok(other),
    }
}
