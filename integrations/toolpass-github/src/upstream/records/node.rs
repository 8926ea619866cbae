//! A node of GraphQL: what it is and where it belongs.
//!
//! Source: GitHub's GraphQL schema (octokit/graphql-schema, 2026-07).

use toolpass_http::error::Error;
use toolpass_http::json::Json;

use super::work::Authored;
use super::{flag, number, person, text};

/// A node of GraphQL: what it is and where it belongs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// Its type.
    pub kind: Option<String>,
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

/// Read the `node` of a GraphQL answer: see `graphql::NODE`. A review thread is its pull request author's.
pub fn node(json: Json<'_>) -> Result<Node, Error> {
    let of = |object: Option<Json<'_>>, name: &'static str| {
        Ok::<_, Error>(
            object
                .map(|object| text(object, name))
                .transpose()?
                .flatten(),
        )
    };
    let conversation = first([
        json.member("issue")?,
        json.member("pullRequest")?,
        json.member("discussion")?,
    ]);
    let repository = match first([
        json.member("repository")?,
        json.member("perhaps")?,
        json.member("source")?,
    ]) {
        Some(repository) => Some(repository),
        None => conversation
            .map(|of| of.member("repository"))
            .transpose()?
            .flatten(),
    };
    let project = json.member("project")?.unwrap_or(json);
    let organization = first([
        json.member("organization")?,
        json.member("source")?,
        project.member("owner")?,
    ]);
    let locked = match flag(json, "locked")? {
        Some(locked) => Some(locked),
        None => conversation
            .map(|of| flag(of, "locked"))
            .transpose()?
            .flatten(),
    };
    let author = match person(json, "author", "__typename")? {
        Some(author) => Some(author),
        None => conversation
            .map(|of| person(of, "author", "__typename"))
            .transpose()?
            .flatten(),
    };
    let kind = text(json, "__typename")?;
    let is_pull = kind.as_deref() == Some("PullRequest");
    Ok(Node {
        kind,
        repository: text(json, "nameWithOwner")?.or(of(repository, "nameWithOwner")?),
        organization: text(json, "login")?.or(of(organization, "login")?),
        team: text(json, "slug")?,
        authored: Authored {
            author,
            locked,
            ..Authored::default()
        },
        pull: if is_pull {
            number(json, "number")?
        } else {
            None
        },
    })
}

fn first<const N: usize>(members: [Option<Json<'_>>; N]) -> Option<Json<'_>> {
    members.into_iter().flatten().next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn read(value: Value) -> Node {
        node(Json::new(&value)).unwrap()
    }

    #[test]
    fn work_says_who_wrote_it_and_whether_it_is_locked() {
        let issue = read(
            json!({"__typename": "Issue", "number": 7, "repository": {"nameWithOwner": "acme/shop"}, "author": {"__typename": "User", "login": "dana"}, "locked": true}),
        );
        assert_eq!(issue.repository.as_deref(), Some("acme/shop"));
        assert_eq!(
            (
                issue.authored.author.as_deref(),
                issue.authored.locked,
                issue.pull
            ),
            (Some("dana"), Some(true), None)
        );
        let comment = read(
            json!({"__typename": "IssueComment", "author": null, "issue": {"locked": false}, "repository": {"nameWithOwner": "acme/shop"}}),
        );
        assert_eq!(
            (comment.authored.author, comment.authored.locked),
            (None, Some(false))
        );
        let thread = read(
            json!({"__typename": "PullRequestReviewThread", "pullRequest": {"locked": false, "author": {"__typename": "User", "login": "sam"}}}),
        );
        assert_eq!(thread.authored.author.as_deref(), Some("sam"));
        for other in ["Bot", "Mannequin"] {
            let bot = read(
                json!({"__typename": "Issue", "author": {"__typename": other, "login": "dana"}, "locked": false}),
            );
            assert_eq!(bot.authored.author, None, "{other}");
        }
        let pull = read(
            json!({"__typename": "PullRequest", "number": 3, "repository": {"nameWithOwner": "acme/shop"}}),
        );
        assert_eq!(pull.pull, Some(3));
    }

    #[test]
    fn everything_says_where_it_belongs() {
        let team = read(
            json!({"__typename": "Team", "slug": "payments", "organization": {"login": "acme"}}),
        );
        assert_eq!(
            (team.team.as_deref(), team.organization.as_deref()),
            (Some("payments"), Some("acme"))
        );
        for project in [
            json!({"owner": {"login": "acme"}}),
            json!({"project": {"owner": {"login": "acme"}}}),
            json!({"source": {"login": "acme"}}),
        ] {
            assert_eq!(read(project).organization.as_deref(), Some("acme"));
        }
        for rule in [
            json!({"perhaps": {"nameWithOwner": "acme/shop"}}),
            json!({"source": {"nameWithOwner": "acme/shop"}}),
            json!({"discussion": {"repository": {"nameWithOwner": "acme/shop"}}}),
        ] {
            assert_eq!(read(rule).repository.as_deref(), Some("acme/shop"));
        }
        let person = Node {
            kind: Some("User".into()),
            ..Node::default()
        };
        assert_eq!(read(json!({"__typename": "User"})), person);
    }
}
