//! What a request names only by an id or a node, and the resource that is. Pure.
//!
//! Ids are never decoded or trusted: they are looked up with our own credential, what is found must have the id, and be the
//! organization's. Names may be given to another repository later, so an answer is good for ten minutes.
//! Source: docs.github.com REST "Get a repository", "Get a team (Legacy)", GraphQL "Node"; read 2026-11-30.

use toolpass_core::question::Pointer;
use toolpass_core::resource::Resource;
use toolpass_integration::answers::{Answers, Found};
use toolpass_integration::failure::Failure;

use crate::facts::{node_id, number};
use crate::resource::{Branch, Login, Repo, Slug};
use crate::rules::known::{Known, Stop};
use crate::upstream::read::Read;
use crate::upstream::records::node::{self, Node};
use crate::upstream::records::people::Team;
use crate::upstream::records::repository;

/// The resource a pointer leads to; `None` when it leads nowhere, or out of the organization.
/// Errors: `unsupported` for a kind or part that is not known.
pub fn target(
    organization: &Login,
    pointer: &Pointer,
    answers: &Answers<Read>,
) -> Result<Option<Resource>, Stop> {
    let known = Known::new(answers);
    match pointer.kind.as_str() {
        "node_id" => {
            let Some(id) = node_id(&pointer.value) else {
                return Ok(None);
            };
            let Found::Here(node) = known.record(Read::Node(id), node::node)? else {
                return Ok(None);
            };
            of_node(organization, pointer, &node)
        }
        "repository_id" => {
            let Some(id) = number(&pointer.value) else {
                return Ok(None);
            };
            let Found::Here(record) =
                known.record(Read::RepositoryById(id), repository::repository)?
            else {
                return Ok(None);
            };
            let name = record.full_name.filter(|_| record.id == Some(id));
            repository(organization, pointer, name.as_deref())
        }
        "team_id" => {
            let Some(id) = number(&pointer.value) else {
                return Ok(None);
            };
            let Found::Here(record) = known.team_by_id(id)? else {
                return Ok(None);
            };
            if record.id != Some(id) {
                return Ok(None);
            }
            Ok(team_of(organization, pointer, &record)?)
        }
        _ => Err(Stop::unsupported(
            "the request names something by an id of a kind that is not looked up",
        )),
    }
}

fn of_node(organization: &Login, pointer: &Pointer, node: &Node) -> Result<Option<Resource>, Stop> {
    match pointer.parts.get("want").map(String::as_str) {
        Some("org") => match &node.organization {
            Some(login) if is(organization, login) => resource(&format!("org:{organization}")),
            Some(_) | None => Ok(None),
        },
        Some("repo") if pointer.parts.contains_key("shown") && !is_shown(node) => Ok(None),
        Some("repo") => repository(organization, pointer, node.repository.as_deref()),
        Some("team") => match (
            &node.organization,
            node.team.as_deref().and_then(Slug::parse),
        ) {
            (Some(login), Some(slug)) if is(organization, login) => {
                resource(&format!("team:{organization}/{slug}"))
            }
            (_, _) => Ok(None),
        },
        Some(_) | None => Err(Stop::unsupported(
            "the request's node is not said to be a repository, an organization or a team",
        )),
    }
}

fn repository(
    organization: &Login,
    pointer: &Pointer,
    full_name: Option<&str>,
) -> Result<Option<Resource>, Stop> {
    let Some(repo) = full_name
        .and_then(Repo::parse)
        .filter(|repo| repo.owner == *organization)
    else {
        return Ok(None);
    };
    let at = match pointer.parts.get("at") {
        Some(branch) => match Branch::parse(branch) {
            Some(branch) => format!("@{branch}"),
            None => return Ok(None),
        },
        None => String::new(),
    };
    resource(&format!("repo:{organization}/{}{at}", repo.name()))
}

fn team_of(
    organization: &Login,
    pointer: &Pointer,
    team: &Team,
) -> Result<Option<Resource>, Failure> {
    let same_organization = match pointer.parts.get("organization_id") {
        Some(id) => number(id).is_some() && number(id) == team.organization_id,
        None => true,
    };
    let own = team
        .organization
        .as_deref()
        .is_some_and(|login| is(organization, login))
        && same_organization;
    match team.slug.as_deref().and_then(Slug::parse) {
        Some(slug) if own => Resource::parse(&format!("team:{organization}/{slug}"))
            .map(Some)
            .map_err(|error| Failure::invalid(error.to_string())),
        Some(_) | None => Ok(None),
    }
}

/// Whether every reader of its repository sees a node: alerts, drafts of releases and protections have a repository too.
fn is_shown(node: &Node) -> bool {
    node.kind
        .as_deref()
        .is_some_and(|kind| SHOWN_TO_READERS.contains(&kind))
}

fn is(organization: &Login, login: &str) -> bool {
    login.eq_ignore_ascii_case(organization.as_str())
}

fn resource(text: &str) -> Result<Option<Resource>, Stop> {
    Resource::parse(text)
        .map(Some)
        .map_err(|error| Stop::Failed(Failure::invalid(error.to_string())))
}

/// Types of nodes that are shown to who reads the repository.
#[rustfmt::skip]
const SHOWN_TO_READERS: &[&str] = &[
    "Blob", "CheckRun", "CheckSuite", "Commit", "CommitComment", "CommitCommentThread", "Deployment", "Discussion", "DiscussionComment",
    "Issue", "IssueComment", "Label", "Milestone", "PinnedDiscussion", "PinnedIssue", "PullRequest", "PullRequestCommitCommentThread",
    "PullRequestReview", "PullRequestReviewComment", "PullRequestReviewThread", "Ref", "Repository", "Tag", "Tree",
];

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use toolpass_integration::answers::Answer;

    fn resolved(
        kind: &str,
        value: &str,
        parts: &[(&str, &str)],
        read: Read,
        body: Value,
    ) -> Option<String> {
        let pointer = Pointer {
            kind: kind.into(),
            value: value.into(),
            parts: parts
                .iter()
                .map(|(name, value)| (name.to_string(), value.to_string()))
                .collect(),
        };
        let mut answers = Answers::default();
        answers.insert(read, Answer::Body(body));
        target(&Login::parse("acme").unwrap(), &pointer, &answers)
            .unwrap()
            .map(|resource| resource.to_string())
    }

    #[test]
    fn ids_lead_to_names_of_the_organization_only() {
        let repo = |parts: &[(&str, &str)], name: &str| {
            resolved(
                "repository_id",
                "7",
                parts,
                Read::RepositoryById(7),
                json!({"id": 7, "full_name": name}),
            )
        };
        assert_eq!(repo(&[], "Acme/shop").as_deref(), Some("repo:acme/shop"));
        assert_eq!(
            repo(&[("at", "feature/x")], "acme/shop").as_deref(),
            Some("repo:acme/shop@feature/x")
        );
        assert_eq!(repo(&[("at", "a..b")], "acme/shop"), None);
        assert_eq!(repo(&[], "other/shop"), None);
        let team = |parts: &[(&str, &str)]| {
            resolved(
                "team_id",
                "3",
                parts,
                Read::TeamById(3),
                json!({"id": 3, "slug": "payments", "organization": {"login": "acme", "id": 9}}),
            )
        };
        assert_eq!(
            team(&[("organization_id", "9")]).as_deref(),
            Some("team:acme/payments")
        );
        assert_eq!(team(&[("organization_id", "8")]), None);
        let other = json!({"id": 8, "full_name": "acme/shop"});
        let read = Read::RepositoryById(7);
        assert_eq!(resolved("repository_id", "7", &[], read, other), None);
    }

    #[test]
    fn a_reader_is_not_shown_every_node() {
        let shown = |kind: &str| {
            resolved(
                "node_id",
                "X_1",
                &[("want", "repo"), ("shown", "1")],
                Read::Node("X_1".into()),
                json!({"__typename": kind, "repository": {"nameWithOwner": "acme/shop"}}),
            )
        };
        assert_eq!(shown("Issue").as_deref(), Some("repo:acme/shop"));
        for hidden in [
            "BranchProtectionRule",
            "Release",
            "RepositoryVulnerabilityAlert",
            "SomethingNew",
        ] {
            assert_eq!(shown(hidden), None, "{hidden}");
        }
        assert!(SHOWN_TO_READERS.is_sorted());
    }

    #[test]
    fn nodes_lead_where_they_belong() {
        let node = |want: &str, body| {
            resolved(
                "node_id",
                "X_1",
                &[("want", want)],
                Read::Node("X_1".into()),
                body,
            )
        };
        assert_eq!(
            node(
                "repo",
                json!({"repository": {"nameWithOwner": "acme/shop"}})
            )
            .as_deref(),
            Some("repo:acme/shop")
        );
        assert_eq!(
            node("org", json!({"login": "ACME"})).as_deref(),
            Some("org:acme")
        );
        assert_eq!(
            node(
                "team",
                json!({"slug": "payments", "organization": {"login": "acme"}})
            )
            .as_deref(),
            Some("team:acme/payments")
        );
        assert_eq!(node("org", json!({"login": "dana"})), None);
        assert_eq!(node("repo", json!({})), None);
    }
}
