//! The branch a request changes, runs or reads, wherever the vendor lets it be named.
//!
//! Source: docs.github.com/rest/repos/contents, /git/refs, /branches, /actions/workflows, /deployments, /releases; read 2026-11-30.

use toolpass_wire::extract::Extracted;
use toolpass_wire::field::Unresolved;
use toolpass_wire::json::Json;
use toolpass_wire::reading::Reading;

use super::pulls;
use super::{SET, by_method, member, pair, repo, required, text};
use crate::actions::Action;
use crate::facts;
use crate::resource::Branch;

/// The branch of the path.
pub fn of_path(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let branch = suffix(reading.path("branch"))?;
    let mut extracted = by_method(reading);
    extracted.fields = Extracted::fields([("at", branch)]).fields;
    Ok(extracted)
}

/// A file is written to or removed from `branch`; the default branch without it.
pub fn of_contents(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    named(text(reading, "branch")?)
}

/// The branch of the path gets another name: the one goes, the other comes to be.
pub fn rename(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let (repo, old) = (repo(reading)?, reading.path("branch"));
    let new = suffix(&required(reading, "new_name")?)?;
    Ok(Extracted::pairs(vec![
        pair(Action::RepoPush, format!("{repo}{}", suffix(old)?)).fact(facts::RENAME_BRANCH, old),
        pair(Action::RepoPush, format!("{repo}{new}")).fact(facts::REF_OPERATION, "create"),
    ]))
}

/// `branch` is brought up to date with the repository that was forked.
pub fn merge_upstream(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    named(text(reading, "branch")?)
}

/// Something is merged into `base`, not through a pull request.
pub fn merge_into_base(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let merged = named(text(reading, "base")?)?.fact(facts::REF_OPERATION, "merge");
    pulls::with_message(reading, merged)
}

/// A suggested fix is committed to `target_ref`; to the default branch without it.
pub fn autofix(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    match text(reading, "target_ref")? {
        None => named(None),
        Some(target) => on_ref(&target, "update"),
    }
}

/// A ref is created: a branch, or something that is none.
pub fn create_ref(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    on_ref(&required(reading, "ref")?, "create")
}

/// The ref of the path is moved or removed.
pub fn ref_of_path(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let operation = match reading.method() {
        "DELETE" => "delete",
        _ if matches!(
            member(reading, "force")?,
            None | Some(Json::Null | Json::Bool(false))
        ) =>
        {
            "update"
        }
        _ => "force",
    };
    on_ref(reading.path("ref"), operation)
}

/// A workflow runs as it stands at `ref`, a branch or a tag.
pub fn run_of_ref(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    run(&required(reading, "ref")?, "run")
}

/// Workflows run as they stand on the default branch.
pub fn run_of_default(_: &Reading<'_>) -> Result<Extracted, Unresolved> {
    Ok(Extracted::default()
        .fact(facts::DEFAULT_BRANCH, SET)
        .fact(facts::REF_OPERATION, "run"))
}

/// `ref` is deployed; unless `auto_merge` is false, the default branch is merged into it first.
pub fn deployment(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let operation = match member(reading, "auto_merge")? {
        Some(Json::Bool(false)) => "run",
        _ => "merge",
    };
    run(&required(reading, "ref")?, operation)
}

/// A release is made of `target_commitish`; of the default branch without it. Its tag comes to be unless it is there.
pub fn release(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let extracted = match text(reading, "target_commitish")? {
        None => named(None)?.fact(facts::REF_OPERATION, "run"),
        Some(target) => run(&target, "run")?,
    };
    Ok(match text(reading, "tag_name")? {
        Some(name) => extracted.fact(facts::TAG, tag(&name)?),
        None => extracted,
    })
}

/// A coding agent starts from `base_ref` and pushes a branch of its own.
pub fn agent_task(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    match text(reading, "base_ref")? {
        None => Ok(named(None)?.fact(facts::REF_OPERATION, "run")),
        Some(base) => run(&base, "run"),
    }
}

/// A branch by its plain name, or the default branch.
/// Errors: [`Unresolved`] for a full ref, which only some of GitHub's endpoints take for a branch.
fn named(branch: Option<String>) -> Result<Extracted, Unresolved> {
    match branch {
        None => Ok(Extracted::fields([("at", String::new())]).fact(facts::DEFAULT_BRANCH, SET)),
        Some(branch) => Ok(Extracted::fields([("at", suffix(&branch)?)])),
    }
}

/// What is done to a ref in full; `heads/x` stands for `refs/heads/x`.
/// Errors: [`Unresolved`] for a spelling that could still be a branch.
pub(crate) fn on_ref(full: &str, operation: &str) -> Result<Extracted, Unresolved> {
    match branch_of(full)? {
        Some(branch) => {
            Ok(Extracted::fields([("at", suffix(branch)?)]).fact(facts::REF_OPERATION, operation))
        }
        None => {
            let extracted =
                Extracted::fields([("at", String::new())]).fact(facts::REF_OPERATION, operation);
            Ok(match tag_of(full)? {
                Some(name) => extracted.fact(facts::TAG, name),
                None => extracted,
            })
        }
    }
}

/// The tag that a ref in full is; `None` for a ref that is none.
pub(crate) fn tag_of(full: &str) -> Result<Option<String>, Unresolved> {
    let short = full.strip_prefix("refs/").unwrap_or(full);
    short.strip_prefix("tags/").map(tag).transpose()
}

/// The name of a tag, whose grammar is a branch's.
fn tag(name: &str) -> Result<String, Unresolved> {
    suffix(name).map(|_| name.to_owned())
}

/// What is done to a ref that may be given by its plain name: a branch, a tag or a commit.
fn run(name: &str, operation: &str) -> Result<Extracted, Unresolved> {
    let branch = match name.starts_with("refs/") {
        true => branch_of(name)?,
        false => Some(name),
    };
    let at = branch.map(suffix).transpose()?.unwrap_or_default();
    Ok(Extracted::fields([("at", at)]).fact(facts::REF_OPERATION, operation))
}

/// The branch that a ref in full is; `None` for a ref that is none.
pub(crate) fn branch_of(full: &str) -> Result<Option<&str>, Unresolved> {
    let short = full.strip_prefix("refs/").unwrap_or(full);
    if let Some(branch) = short.strip_prefix("heads/") {
        return Ok(Some(branch));
    }
    let (space, rest) = short.split_once('/').unwrap_or(("", short));
    let is_plain = !space.is_empty()
        && !space.eq_ignore_ascii_case("heads")
        && !space.eq_ignore_ascii_case("refs");
    if is_plain && rest.split('/').all(|segment| !segment.is_empty()) {
        Ok(None)
    } else {
        Err(Unresolved::new(
            "expected a ref such as `refs/heads/x` or `refs/tags/x`",
        ))
    }
}

/// `@branch`.
pub(crate) fn suffix(branch: &str) -> Result<String, Unresolved> {
    if branch.starts_with("refs/") || Branch::parse(branch).is_none() {
        return Err(Unresolved::new("expected the plain name of a branch"));
    }
    Ok(format!("@{branch}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refs() {
        let cases = [
            ("refs/heads/main", Ok(Some("main"))),
            ("heads/a/b", Ok(Some("a/b"))),
            ("refs/heads/refs/x", Ok(Some("refs/x"))),
            ("refs/tags/v1", Ok(None)),
            ("tags/v1", Ok(None)),
            ("main", Err(())),
            ("/refs/heads/main", Err(())),
            ("refs//heads/main", Err(())),
            ("refs/Heads/main", Err(())),
            ("refs/refs/heads/main", Err(())),
            ("refs/tags//v1", Err(())),
            ("", Err(())),
        ];
        for (full, expected) in cases {
            assert_eq!(branch_of(full).map_err(drop), expected, "{full:?}");
        }
    }

    #[test]
    fn suffixes() {
        assert_eq!(suffix("feature/x").unwrap(), "@feature/x");
        for refused in ["", "refs/heads/main", "a?b", "a b", "a..b", "-a", "@"] {
            assert!(suffix(refused).is_err(), "{refused:?}");
        }
    }
}
