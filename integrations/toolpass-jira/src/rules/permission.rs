//! What Jira's own evaluator answers: a permission key on a project, an issue or the site, and what takes several keys at once.
//!
//! Every operation on an issue or a project also takes *Browse projects*, so both are asked in one call.
//! Source: developer.atlassian.com/cloud/jira/platform/rest/v3 "Permissions"; support.atlassian.com "Permissions for company-managed
//! projects", "Permissions overview"; read 2026-12-01.

use toolpass_core::effect::Effect;

use super::Question;
use super::known::{Known, Place, Stop};
use crate::actions::Action;
use crate::resource::{Issue, Target};
use crate::upstream::read::Read;
use crate::upstream::records::work;

/// A permission key, asked as it is.
pub fn key(question: &Question, known: &Known) -> Result<String, Stop> {
    let key = question.key.as_str();
    if question.action == Action::Other {
        exists(question, known)?;
    }
    let place = match &question.target {
        Target::Global => return global(known, key),
        Target::Issue(issue) => known.issue(issue)?,
        Target::Project(project) => known.project(project)?,
        Target::Board(_)
        | Target::Comment(..)
        | Target::Dashboard(_)
        | Target::Filter(_)
        | Target::IssueLink(_)
        | Target::Sprint(_)
        | Target::Worklog(..) => {
            return Err(Stop::unsupported("the key is of projects and issues"));
        }
    };
    let mut keys = vec![key];
    keys.extend(fields(question, known)?);
    if let Some(comment) = question.said.replies_to {
        parent(question, known, comment)?;
    }
    if question.said.deletes_subtasks {
        with_subtasks(question, known, &place)?;
    }
    holds(question, known, &keys, &place)
}

/// Administering a project, which an administrator of the site may as well.
pub fn administers(question: &Question, known: &Known) -> Result<String, Stop> {
    let place = match &question.target {
        Target::Issue(issue) => known.issue(issue)?,
        Target::Project(project) => known.project(project)?,
        _ => return Err(Stop::unsupported("expected a project or an issue")),
    };
    let keys = ["ADMINISTER_PROJECTS", "BROWSE_PROJECTS"];
    let granted = known.held_and_global(&keys, &[&place], &["ADMINISTER"])?;
    let of_project = granted.has(keys[0], &place)? && granted.has(keys[1], &place)?;
    match of_project || granted.has_global("ADMINISTER") {
        true => Ok(format!("the user administers {} or the site", place.name)),
        false => Err(Stop::deny(format!(
            "the user administers neither {} nor the site",
            place.name
        ))),
    }
}

/// A link is removed: by who sees both issues and may link one of them.
pub fn link(question: &Question, known: &Known) -> Result<String, Stop> {
    let Target::IssueLink(id) = &question.target else {
        return Err(Stop::unsupported("expected a link"));
    };
    let [inward, outward] = known
        .seen(Read::IssueLink(*id), work::link)?
        .issues
        .map(Issue::of_id);
    known.all([Read::Issue(inward.clone()), Read::Issue(outward.clone())])?;
    let places = [known.issue(&inward)?, known.issue(&outward)?];
    let keys = with_agents(question, &["LINK_ISSUES", "BROWSE_PROJECTS"], &places);
    let granted = known.held(&keys, &places.each_ref())?;
    let mut may_link = false;
    for place in &places {
        may_link |= granted.has("LINK_ISSUES", place)?;
        if !granted.has("BROWSE_PROJECTS", place)? {
            return Err(Stop::deny("the user does not see both issues of the link"));
        }
    }
    if !may_link {
        return Err(Stop::deny("the user may link neither issue"));
    }
    for place in &places {
        as_agent(question, &granted, place)?;
    }
    Ok("the user may remove the link".into())
}

/// Participants of a customer's request: an agent may; a customer perhaps.
pub fn request(question: &Question, known: &Known) -> Result<String, Stop> {
    let Target::Issue(issue) = &question.target else {
        return Err(Stop::unsupported("expected an issue"));
    };
    let place = known.issue(issue)?;
    let granted = known.held(&["SERVICEDESK_AGENT", "BROWSE_PROJECTS"], &[&place])?;
    if !granted.has("BROWSE_PROJECTS", &place)? {
        return Err(Stop::deny(format!("the user does not see {}", place.name)));
    }
    match granted.has("SERVICEDESK_AGENT", &place)? {
        true => Ok(format!("the user is an agent of {}", place.name)),
        false => Err(Stop::unsupported(
            "the user is no agent, and what customers may share is not readable",
        )),
    }
}

/// A key of the site. Jira leaves out those that are not held, and refuses those it does not know.
pub fn global(known: &Known, key: &str) -> Result<String, Stop> {
    match known.global(&[key])?.has_global(key) {
        true => Ok(format!("the user holds `{key}` on the site")),
        false => Err(Stop::deny(format!(
            "the user does not hold `{key}` on the site"
        ))),
    }
}

/// Whether the user holds all of these there, and sees it.
pub(super) fn holds(
    question: &Question,
    known: &Known,
    keys: &[&str],
    place: &Place,
) -> Result<String, Stop> {
    let mut keys = keys.to_vec();
    if !keys.contains(&BROWSE) {
        keys.push(BROWSE);
    }
    let wanted = keys.len();
    let asked = with_agents(question, &keys, std::slice::from_ref(place));
    let granted = known.held(&asked, &[place])?;
    for key in asked.iter().take(wanted) {
        if !granted.has(key, place)? {
            return Err(Stop::deny(format!(
                "the user does not hold `{key}` on {}",
                place.name
            )));
        }
    }
    if place.is_archived && question.action.spec().effect > Effect::Read {
        return Err(Stop::deny(format!("{} is archived", place.name)));
    }
    as_agent(question, &granted, place)?;
    Ok(format!(
        "the user holds `{}` on {}",
        question.key, place.name
    ))
}

/// In a service project a right may be one of the portal only, which cannot be told from one of the team: only agents are believed.
pub(super) fn as_agent(
    question: &Question,
    granted: &crate::upstream::records::permission::Granted,
    place: &Place,
) -> Result<(), Stop> {
    if !needs_agent(question, place) || granted.has(AGENT, place)? {
        return Ok(());
    }
    Err(Stop::unsupported(format!(
        "{} is of a service project and the user no agent of it: what the portal lets a customer do cannot be told from it",
        place.name
    )))
}

/// These keys, and the agents' where a place needs it.
pub(super) fn with_agents<'k>(
    question: &Question,
    keys: &[&'k str],
    places: &[Place],
) -> Vec<&'k str> {
    let mut keys = keys.to_vec();
    let wanted = places.iter().any(|place| needs_agent(question, place));
    if wanted && !keys.contains(&AGENT) {
        keys.push(AGENT);
    }
    keys
}

fn needs_agent(question: &Question, place: &Place) -> bool {
    place.is_service && !question.plain_service_projects && !question.said.as_customer
}

/// A key that only Jira's list knows, and of what it is.
fn exists(question: &Question, known: &Known) -> Result<(), Stop> {
    let catalogue = known.catalogue()?;
    let Some(kind) = catalogue.get(&question.key) else {
        return Err(Stop::unsupported(format!(
            "Jira has no permission `{}`",
            question.key
        )));
    };
    let fits = match (kind.as_deref(), &question.target) {
        (Some("GLOBAL"), target) => *target == Target::Global,
        (Some("PROJECT"), target) => *target != Target::Global,
        (_, _) => false,
    };
    match fits {
        true => Ok(()),
        false => Err(Stop::Failed(
            toolpass_integration::failure::Failure::invalid(format!(
                "`{}` is a permission of another type of resource",
                question.key
            )),
        )),
    }
}

/// What custom fields ask for besides: those of the sprint and of the rank are scheduling.
fn fields(question: &Question, known: &Known) -> Result<Vec<&'static str>, Stop> {
    if question.said.custom_fields.is_empty() {
        return Ok(Vec::new());
    }
    let fields = known.seen(Read::Fields, work::fields)?;
    let set = |number: &u64| {
        let id = format!("customfield_{number}");
        fields.iter().find(|field| field.id.as_ref() == Some(&id))
    };
    let mut keys = Vec::new();
    for number in &question.said.custom_fields {
        let Some(field) = set(number) else {
            return Err(Stop::unsupported(
                "Jira does not list a custom field that is set",
            ));
        };
        let schedules = field
            .custom
            .as_deref()
            .is_none_or(|custom| custom.ends_with("gh-sprint") || custom.ends_with("gh-lexo-rank"));
        if schedules && !keys.contains(&"SCHEDULE_ISSUES") {
            keys.push("SCHEDULE_ISSUES");
        }
    }
    Ok(keys)
}

/// A reply is as visible as what it answers.
fn parent(question: &Question, known: &Known, comment: u64) -> Result<(), Stop> {
    let Target::Issue(issue) = &question.target else {
        return Err(Stop::unsupported("a reply is asked on an issue"));
    };
    let parent = known.seen(Read::Comment(issue.clone(), comment), work::authored)?;
    match parent.is_restricted && parent.author.as_deref() != Some(known.user) {
        true => Err(Stop::unsupported(
            "the comment answered is restricted to a group or role, which is not read",
        )),
        false => Ok(()),
    }
}

/// An issue is deleted with its sub-tasks: each is asked about.
fn with_subtasks(question: &Question, known: &Known, place: &Place) -> Result<(), Stop> {
    let tasks = known.seen(Read::Subtasks(Issue::of_id(place.id)), work::subtasks)?;
    known.all(tasks.iter().map(|id| Read::Issue(Issue::of_id(*id))))?;
    for task in tasks {
        let task = known.issue(&Issue::of_id(task))?;
        holds(question, known, &[question.key.as_str()], &task)?;
    }
    Ok(())
}

const AGENT: &str = "SERVICEDESK_AGENT";
const BROWSE: &str = "BROWSE_PROJECTS";
