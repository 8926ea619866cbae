//! What is selected below a field: whether it stays inside the thing that was asked about.
//!
//! Every object of Linear's schema leads on: an issue to its parent, its assignee, their issues, and so to all the agent sees. So below
//! what was asked about only fields on a closed list may have fields of their own; people show what everybody sees of them, other things
//! their names. Anything else may be named by its id alone, as the fragments of Linear's own client do.
//! INVARIANT: a field that is not listed and goes deeper than an id makes the request the agent's own.
//! Source: linear/linear `packages/sdk/src/schema.graphql`, 2026-07-22.

use toolpass_wire::field::Unresolved;
use toolpass_wire::graphql::Selection;

/// Where a selection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// At a person: what everybody sees of them.
    Account,
    /// Anywhere: the schema itself.
    Free,
    /// In an issue, a comment, a document.
    Issue,
    /// At something else than was asked about: its names.
    Named,
    /// At something that leads nowhere: plain values.
    Plain,
    /// In a project.
    Project,
    /// In something of the workspace.
    Shared,
    /// In a team.
    Team,
}

/// A selection below what was asked about.
pub(super) fn below(place: Place, selections: &[Selection]) -> Result<(), Unresolved> {
    for field in selections {
        let name = field.name.as_str();
        if field.selections.is_empty() {
            let is_shown = match place {
                Place::Free => true,
                Place::Account => PROFILE.contains(&name),
                Place::Named => NAMES.contains(&name),
                Place::Issue | Place::Plain | Place::Project | Place::Shared | Place::Team => {
                    !SECRETS.contains(&name)
                }
            };
            if !is_shown {
                return Err(leads_on(name));
            }
            continue;
        }
        match inside(place, field) {
            Some(next) => below(next, &field.selections)?,
            None if is_named_only(field) => {}
            None => return Err(leads_on(name)),
        }
    }
    Ok(())
}

/// What a mutation answers with: no more than its pairs cover.
pub(super) fn of_payload(selections: &[Selection]) -> Result<(), Unresolved> {
    for field in selections {
        if field.selections.is_empty() {
            // A payload's own values: whether it worked, and what sync calls it.
            continue;
        }
        let place = match field.name.as_str() {
            "attachment" | "comment" | "document" | "issue" | "issues" => Place::Issue,
            "project" | "projectMilestone" | "projectUpdate" => Place::Project,
            "cycle" | "team" | "teamMembership" | "workflowState" => Place::Team,
            "user" => Place::Account,
            _ => Place::Shared,
        };
        below(place, &field.selections)?;
    }
    Ok(())
}

/// That a field leads out of what was asked about.
pub(super) fn leads_on(name: &str) -> Unresolved {
    Unresolved::new(format!(
        "`{name}` leads to what the agent sees, not only to what was asked about"
    ))
}

/// Where a field with fields of its own leads.
fn inside(place: Place, field: &Selection) -> Option<Place> {
    let name = field.name.as_str();
    if PLUMBING.contains(&name) {
        return Some(place);
    }
    let (own, next) = match place {
        Place::Free => return Some(Place::Free),
        Place::Account | Place::Named | Place::Plain => return None,
        Place::Issue => (IN_ISSUE, Place::Issue),
        Place::Project => (IN_PROJECT, Place::Project),
        Place::Shared => (IN_SHARED, Place::Shared),
        Place::Team if name == "issues" => {
            // Issues of teams below are in a list of this one when it is asked for them.
            let spreads = field.argument("includeSubTeams").is_some();
            return (!spreads).then_some(Place::Issue);
        }
        // Labels may be the workspace's, and list what has them in every team.
        Place::Team if name == "labels" => return Some(Place::Shared),
        Place::Team => (IN_TEAM, Place::Team),
    };
    if PEOPLE.contains(&name) {
        Some(Place::Account)
    } else if own.contains(&name) {
        Some(next)
    } else if OTHERS.contains(&name) {
        Some(Place::Named)
    } else {
        None
    }
}

/// Whether nothing but an id is asked of it. A list is not named so: it would say how many there are.
fn is_named_only(field: &Selection) -> bool {
    field.selections.iter().all(|below| {
        below.selections.is_empty() && ["__typename", "id"].contains(&below.name.as_str())
    })
}

/// The parts of a list.
const PLUMBING: &[&str] = &["edges", "node", "nodes", "pageInfo"];

/// People and applications.
#[rustfmt::skip]
const PEOPLE: &[&str] = &[
    "actor", "appUser", "asksRequester", "assignee", "botActor", "creator", "currentUser", "delegate", "externalUser", "externalUserCreator", "lastUpdatedBy",
    "lead", "members", "onBehalfOf", "owner", "resolvingUser", "retiredBy", "sharedWithUsers", "snoozedBy", "subscribers", "updatedBy", "user",
];

/// Things that may be others than the one asked about.
#[rustfmt::skip]
const OTHERS: &[&str] = &[
    "children", "initiative", "issue", "lastAppliedTemplate", "originalIssue", "parent", "project", "relatedIssue", "relatedProject", "release", "team",
];

/// What belongs to an issue.
#[rustfmt::skip]
const IN_ISSUE: &[&str] = &[
    "attachments", "comments", "cycle", "documentContent", "documents", "labels", "projectMilestone", "reactions", "relations", "sharedAccess",
    "state", "syncedWith",
];

/// What belongs to a project.
#[rustfmt::skip]
const IN_PROJECT: &[&str] = &[
    "comments", "documentContent", "documents", "externalLinks", "labels", "lastUpdate", "projectMilestones", "projectUpdates", "reactions", "status",
];

/// What belongs to something of the workspace.
const IN_SHARED: &[&str] = &["labels", "metadata", "stages", "status", "tier"];

/// What belongs to a team.
#[rustfmt::skip]
const IN_TEAM: &[&str] = &[
    "activeCycle", "cycles", "defaultIssueState", "gitAutomationStates", "labels", "markedAsDuplicateWorkflowState", "memberships", "state",
    "states", "templates", "triageIssueState", "triageResponsibility",
];

/// What is shown of something else: not its words, which its address would repeat.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "__typename", "displayName", "endCursor", "hasNextPage", "hasPreviousPage", "id", "identifier", "key", "name", "number", "slugId", "startCursor",
];

/// What everybody sees of a person, and of a list of them.
#[rustfmt::skip]
const PROFILE: &[&str] = &[
    "__typename", "active", "admin", "app", "avatarBackgroundColor", "avatarUrl", "createdAt", "cursor", "description", "disableReason", "displayName",
    "email", "endCursor", "guest", "hasNextPage", "hasPreviousPage", "id", "initials", "isAssignable", "isMe", "isMentionable", "lastSeen", "name", "owner",
    "startCursor", "statusEmoji", "statusLabel", "statusUntilAt", "subType", "timezone", "title", "type", "updatedAt", "url", "userDisplayName",
];

/// Values that are credentials, or open a door.
const SECRETS: &[&str] = &[
    "address",
    "calendarHash",
    "clientSecret",
    "cycleCalenderUrl",
    "inviteHash",
    "secret",
    "webhookSecret",
];

#[cfg(test)]
mod tests {
    use super::*;
    use toolpass_wire::graphql::read;
    use toolpass_wire::json::Json;

    #[test]
    fn lists_are_sorted() {
        for list in [
            PLUMBING, PEOPLE, OTHERS, IN_ISSUE, IN_PROJECT, IN_SHARED, IN_TEAM, NAMES, PROFILE,
            SECRETS,
        ] {
            assert!(
                list.is_sorted_by(|before, after| before < after),
                "{list:?}"
            );
        }
    }

    fn stays(place: Place, selection: &str) -> bool {
        let operation = read(&format!("{{ x {{ {selection} }} }}"), None, &Json::Null).unwrap();
        below(place, &operation.fields[0].selections).is_ok()
    }

    #[test]
    fn what_stays_inside() {
        for inside in [
            "id title description state { name } assignee { name email } comments { nodes { body user { name } } }",
            "team { id key name } parent { identifier } children { nodes { identifier } } project { name }",
            "favorite { id } recurringIssueTemplate { id }",
            "relations { nodes { type relatedIssue { identifier } } }",
        ] {
            assert!(stays(Place::Issue, inside), "{inside}");
        }
        assert!(stays(
            Place::Team,
            "name issues(first: 9) { nodes { title } } members { nodes { name } }"
        ));
    }

    #[test]
    fn what_leads_on() {
        for out in [
            "assignee { assignedIssues { nodes { title } } }",
            "team { issues { nodes { id } } }",
            "parent { title }",
            "children { nodes { description } }",
            "relations { nodes { relatedIssue { title } } }",
            "comments { nodes { issue { description } } }",
            "history { nodes { fromTitle } }",
            "favorite { issue { title } }",
            "creator { organization { teams { nodes { name } } } }",
        ] {
            assert!(!stays(Place::Issue, out), "{out}");
        }
        for out in [
            "issues(includeSubTeams: true) { nodes { title } }",
            "children { description }",
            "organization { name }",
            "projects { nodes { name } }",
        ] {
            assert!(!stays(Place::Team, out), "{out}");
        }
        assert!(!stays(Place::Issue, "parent { url }"));
        let by_label = "labels { nodes { name issues { nodes { title } } } }";
        assert!(!stays(Place::Team, by_label));
        assert!(stays(Place::Team, "labels { nodes { id name color } }"));
        assert!(!stays(Place::Project, "issues { nodes { title } }"));
        assert!(!stays(Place::Account, "inviteHash"));
        assert!(!stays(Place::Shared, "secret"));
    }
}
