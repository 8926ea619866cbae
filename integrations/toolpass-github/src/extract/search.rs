//! Searches: held to the repositories and organizations they name, because GitHub answers with what the agent may see.
//!
//! A search is understood when every result lies in something named: a `repo:`, `org:` or `user:` qualifier outside quotes, and no
//! operator that could widen it. An organization as a whole is an owner's to search.
//! Source: docs.github.com/rest/search, "Searching issues and pull requests", "Understanding the search syntax"; read 2026-11-30.

use toolpass_wire::extract::{Extracted, Pair};
use toolpass_wire::field::Unresolved;
use toolpass_wire::reading::Reading;

use super::{org, pair, pointer};
use crate::actions::Action;
use crate::facts;
use crate::resource::Repo;

/// A search by `q`.
pub fn qualified(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    Ok(Extracted::pairs(scopes(
        &reading.query("q").required("q")?,
    )?))
}

/// A search for labels of the repository `repository_id`.
pub fn labels(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let id = reading.query("repository_id").required("repository_id")?;
    if facts::number(&id).is_none() {
        return Err(Unresolved::new("expected a number as `repository_id`"));
    }
    Ok(Extracted::pairs(vec![Pair::at(
        Action::RepoRead.name(),
        pointer("repository_id", &id),
    )]))
}

/// What must be allowed for a search to be run.
/// Errors: [`Unresolved`] for a search whose results may lie anywhere.
pub(crate) fn scopes(query: &str) -> Result<Vec<Pair>, Unresolved> {
    let mut pairs = Vec::new();
    for word in words(query)? {
        let is_operator = ["AND", "NOT", "OR"]
            .iter()
            .any(|operator| word.eq_ignore_ascii_case(operator));
        if is_operator || word.contains(['(', ')']) {
            return Err(Unresolved::new(
                "the search has operators; name scopes with `repo:` only, and put words such as `or` in quotes",
            ));
        }
        let Some((qualifier, value)) = word.split_once(':') else {
            continue;
        };
        let value = value.trim_matches('"');
        match qualifier.to_ascii_lowercase().as_str() {
            "repo" => {
                let repo = Repo::parse(value)
                    .ok_or_else(|| Unresolved::new("expected `repo:owner/name` in the search"))?;
                pairs.push(pair(Action::RepoRead, format!("repo:{repo}")));
            }
            "org" | "user" => pairs.push(pair(Action::OrgAdmin, org(value)?)),
            _ => {}
        }
    }
    if pairs.is_empty() {
        return Err(Unresolved::new(
            "the search names no scope; add `repo:owner/name` or `org:login`",
        ));
    }
    Ok(pairs)
}

/// The words of a search; what stands in quotes is one word, of which a leading quote says that it is only text.
fn words(query: &str) -> Result<Vec<String>, Unresolved> {
    let (mut words, mut word, mut is_quoted) = (Vec::new(), String::new(), false);
    for c in query.chars() {
        if c != ' ' && (c.is_whitespace() || c.is_control()) {
            return Err(Unresolved::new(
                "the search has white space that is no plain space",
            ));
        }
        if c == '\\' || c == '/' && word.is_empty() {
            return Err(Unresolved::new("the search has escapes or a pattern"));
        }
        is_quoted ^= c == '"';
        if c.is_whitespace() && !is_quoted {
            words.push(std::mem::take(&mut word));
        } else if !c.is_whitespace() || is_quoted {
            word.push(c);
        }
    }
    words.push(word);
    if is_quoted {
        return Err(Unresolved::new("the search has a quote that is not closed"));
    }
    Ok(words
        .into_iter()
        .filter(|word| !word.is_empty() && !word.starts_with('"'))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_named_scopes_are_understood() {
        let one = |query: &str| scopes(query).map(|pairs| pairs.len()).map_err(drop);
        assert_eq!(one("bug repo:acme/shop is:open"), Ok(1));
        assert_eq!(one("repo:acme/shop repo:acme/infra"), Ok(2));
        assert_eq!(one("REPO:\"acme/shop\" org:acme"), Ok(2));
        assert_eq!(
            one("\"a phrase\" label:\"good first issue\" repo:acme/shop"),
            Ok(1)
        );
        for unbounded in [
            "bug",
            "",
            "-repo:acme/shop bug",
            "\"repo:acme/shop\" bug",
            "repo:acme/shop OR is:open",
            "(repo:acme/shop) bug",
            "repo:acme",
            "org:",
            "repo:acme/shop \"open",
            "repo:acme/shop \\\"x",
            "repo:acme/shop or is:open",
            "bug not repo:acme/shop",
            "bug\u{a0}repo:acme/shop",
            "bug\trepo:acme/shop",
            "bug\nrepo:acme/shop",
        ] {
            assert_eq!(one(unbounded), Err(()), "{unbounded:?}");
        }
    }
}
