//! Issues, pull requests, comments and reviews: who wrote them, and where they stand.
//!
//! Source: docs.github.com REST "Issues", "Pulls", "Commit comments"; read 2026-11-30.

use toolpass_http::error::Error;
use toolpass_http::json::Json;

use super::{flag, login, person, text};

/// Something with an author, in a conversation that may be locked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Authored {
    /// The author's login; `None` when the account is gone or is no person's.
    pub author: Option<String>,
    /// Who closed it, when it is closed: as `author`.
    pub closed_by: Option<String>,
    /// Whether it is open, where the record says so.
    pub open: Option<bool>,
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
    /// The pull requests, lowest first: number, and whether it is not known to be closed.
    pub pulls: Vec<(u64, bool)>,
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
        author: person(json, "user", "type")?,
        closed_by: person(json, "closed_by", "type")?,
        open: text(json, "state")?.map(|state| state == "open"),
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
            !matches!(text(pull, "state")?.as_deref(), Some("closed" | "merged")),
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_comment_knows_its_conversation() {
        let comment = json!({"user": {"login": "dana", "type": "User"}, "issue_url": "https://api.github.com/repos/acme/shop/issues/12"});
        assert_eq!(
            authored(Json::new(&comment)).unwrap().conversation,
            Some(12)
        );
    }

    #[test]
    fn an_author_is_a_person() {
        let author = |kind: &str| {
            let record = json!({"user": {"login": "dana", "type": kind}});
            authored(Json::new(&record)).unwrap().author
        };
        assert_eq!(author("User").as_deref(), Some("dana"));
        for none in ["Bot", "Mannequin", "Organization", "user"] {
            assert_eq!(author(none), None, "{none}");
        }
        assert!(authored(Json::new(&json!({"user": {"login": "dana"}}))).is_err());
        assert_eq!(
            authored(Json::new(&json!({"user": null}))).unwrap().author,
            None
        );
    }
}
