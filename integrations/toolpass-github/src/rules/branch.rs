//! Rules about a branch: rulesets first, then classic protection, then, for a merge, the pull request's own state.
//!
//! Rule 4 of the specification with 11.12, 11.13 and 11.39. Reached only by who holds the level. Rulesets and protection add up:
//! a positive no of either is a no, else what either leaves open is open.
//! Source: docs.github.com "About protected branches", "About rulesets", "Managing a branch protection rule", REST "Get branch
//! protection", GraphQL `MergeStateStatus`; read 2026-11-30.

use toolpass_core::quoted::Quoted;
use toolpass_integration::answers::Found;

use super::Question;
use super::known::{Known, Stop};
use super::org::Standing;
use super::role::{Grant, Held, Level};
use super::ruleset::{self, Verdict};
use super::{subject, team};
use crate::resource::{Branch, Repo, Slug};
use crate::upstream::read::Read;
use crate::upstream::records::branch::{Actors, Protection};
use crate::upstream::records::work::Pull;

/// What happens to a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// It comes to be.
    Create,
    /// It goes.
    Delete,
    /// It is moved to commits that do not follow.
    ForcePush,
    /// A pull request is merged into it.
    MergePull,
    /// It gets commits without a pull request.
    Push,
}

/// Whether somebody is on a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Listed {
    Yes,
    No,
    Untold,
}

/// One operation on one branch; the text says what was looked at.
pub fn decide(
    question: &Question,
    known: &Known,
    repo: &Repo,
    branch: &Branch,
    grant: &Grant,
    operation: Operation,
) -> Result<String, Stop> {
    let reads = [
        Read::BranchRules(repo.clone(), branch.clone()),
        Read::Protection(repo.clone(), branch.clone()),
    ];
    known.all(reads)?;
    let rules = ruleset::rules_of(known, repo, branch)?;
    let by_rulesets = ruleset::judge(question, known, repo, &rules, grant, operation)?;
    if let Verdict::Forbidden(kind) = &by_rulesets {
        return Err(Stop::deny(format!(
            "a rule of type {} binds `{}` on `{branch}` of `{repo}`",
            Quoted::new(kind),
            question.user
        )));
    }
    let protection = protection_of(known, repo, branch)?;
    if let Some(protection) = &protection {
        protected(question, known, branch, protection, grant, operation)?;
    }
    if let Verdict::Open(kind) = by_rulesets {
        return Err(Stop::unsupported(format!(
            "whether `{}` passes the rule of type {} on `{branch}` cannot be told: it depends on the commits, or on who may pass it, which our credential does not see",
            question.user,
            Quoted::new(&kind)
        )));
    }
    Ok(format!(
        "; `{branch}` has {} rules{} and nothing of them binds",
        rules.len(),
        if protection.is_some() {
            " and a protection"
        } else {
            ""
        }
    ))
}

/// A merge of one pull request: its base decides, and its state unless the user passes everything.
pub fn merge_pull(
    question: &Question,
    known: &Known,
    repo: &Repo,
    pull: &Pull,
    grant: &Grant,
) -> Result<String, Stop> {
    let base = pull
        .base
        .as_deref()
        .and_then(Branch::parse)
        .ok_or_else(|| {
            Stop::unsupported("GitHub's record does not name the pull request's base")
        })?;
    merge_into(question, known, repo, &base, pull, grant)
}

/// A merge of a pull request and of all below it in its stack: each must be free to go.
pub fn merge_stack(
    question: &Question,
    known: &Known,
    repo: &Repo,
    number: u64,
    grant: &Grant,
) -> Result<String, Stop> {
    let stacks = known.stacks(repo, number)?;
    let [stack] = stacks.as_slice() else {
        return if stacks.is_empty() {
            merge_pull(question, known, repo, &known.pull(repo, number)?, grant)
        } else {
            Err(Stop::unsupported(
                "the pull request stands in several stacks",
            ))
        };
    };
    let end = stack
        .base
        .as_deref()
        .and_then(Branch::parse)
        .ok_or_else(|| Stop::unsupported("GitHub's record does not name the stack's base"))?;
    let last = stack
        .pulls
        .iter()
        .position(|(each, _)| *each == number)
        .ok_or_else(|| Stop::unsupported("GitHub's stack does not hold the pull request"))?;
    let merged: Vec<u64> = stack
        .pulls
        .iter()
        .take(last + 1)
        .filter(|(each, open)| *open || *each == number)
        .map(|(each, _)| *each)
        .collect();
    known.all(merged.iter().map(|each| Read::Pull(repo.clone(), *each)))?;
    let mut text = String::new();
    for each in merged {
        text = merge_into(question, known, repo, &end, &known.pull(repo, each)?, grant)?;
    }
    Ok(text)
}

/// Dismissing a review: write, unless the base's protection names who may.
pub fn dismissal(
    question: &Question,
    known: &Known,
    repo: &Repo,
    base: &Branch,
    grant: &Grant,
) -> Result<String, Stop> {
    let Some(reviews) = protection_of(known, repo, base)?.and_then(|protection| protection.reviews)
    else {
        return Ok(String::new());
    };
    let Some(restrictions) = reviews.dismissal_restrictions else {
        return Ok(String::new());
    };
    if grant.has(Level::Admin) {
        return Ok(String::new());
    }
    match listed(question, known, &restrictions)? {
        Listed::Yes => Ok(String::new()),
        Listed::No if grant.custom_role().is_none() => Err(Stop::deny(format!(
            "`{base}` names who may dismiss reviews, and `{}` is not among them",
            question.user
        ))),
        Listed::No | Listed::Untold => Err(Stop::unsupported(format!(
            "whether `{}` may dismiss reviews on `{base}` cannot be told",
            question.user
        ))),
    }
}

fn merge_into(
    question: &Question,
    known: &Known,
    repo: &Repo,
    base: &Branch,
    pull: &Pull,
    grant: &Grant,
) -> Result<String, Stop> {
    let text = decide(question, known, repo, base, grant, Operation::MergePull)?;
    let rules = ruleset::rules_of(known, repo, base)?;
    let protection = protection_of(known, repo, base)?;
    if question.said.when_ready || rules.is_empty() && protection.is_none() {
        return Ok(text);
    }
    let passes = match (
        ruleset::passes_all(question, known, repo, &rules, grant)?,
        passes_protection(question, protection.as_ref(), grant),
    ) {
        (Held::Yes, Held::Yes) => return Ok(text),
        (Held::No, _) | (_, Held::No) => Held::No,
        (Held::Untold, _) | (_, Held::Untold) => Held::Untold,
    };
    match (pull.mergeable_state.as_deref(), passes) {
        (Some("clean" | "has_hooks" | "unstable"), _) => Ok(text),
        (Some("dirty"), _) => Ok(format!("{text}; it has conflicts")),
        (Some(state @ ("blocked" | "behind" | "draft")), Held::No) => Err(Stop::deny(format!(
            "the pull request cannot be merged into `{base}` yet: its state is {}, and `{}` does not pass the branch's rules",
            Quoted::new(state),
            question.user
        ))),
        (Some(state @ ("blocked" | "behind" | "draft")), Held::Yes | Held::Untold) => {
            Err(Stop::unsupported(format!(
                "the state of the pull request is {}, and whether `{}` passes the rules of `{base}` cannot be told",
                Quoted::new(state),
                question.user
            )))
        }
        (Some("unknown") | None, _) => Err(Stop::unsupported(
            "GitHub is still working out whether the pull request can be merged; ask again",
        )),
        (Some(other), _) => Err(Stop::unsupported(format!(
            "the state {} of the pull request is not known",
            Quoted::new(other)
        ))),
    }
}

/// Whether what the protection asks of a pull request binds the user.
fn passes_protection(question: &Question, protection: Option<&Protection>, grant: &Grant) -> Held {
    let Some(protection) = protection else {
        return Held::Yes;
    };
    let allowances = protection
        .reviews
        .as_ref()
        .map(|reviews| &reviews.bypass_allowances);
    let excepted = allowances.is_some_and(|actors| {
        !actors.teams.is_empty()
            || actors
                .users
                .iter()
                .any(|login| subject::is_login(Some(login), &question.user))
    });
    match (grant.has(Level::Admin), protection.enforce_admins) {
        (true, Some(false)) => Held::Yes,
        (true, None) => Held::Untold,
        // Excepted from reviews is not excepted from checks, and the state does not say which of them blocks.
        (true, Some(true)) | (false, _) if excepted || grant.custom_role().is_some() => {
            Held::Untold
        }
        (true, Some(true)) | (false, _) => Held::No,
    }
}

/// Rule 11.13: classic protection.
fn protected(
    question: &Question,
    known: &Known,
    branch: &Branch,
    protection: &Protection,
    grant: &Grant,
    operation: Operation,
) -> Result<(), Stop> {
    let user = &question.user;
    let bypasses = match (grant.has(Level::Admin), protection.enforce_admins) {
        (true, None) => {
            return Err(Stop::unsupported(format!(
                "GitHub's record does not say whether `{branch}` is protected against administrators too"
            )));
        }
        (true, Some(enforced)) => !enforced,
        (false, _) => false,
    };
    if protection.lock_branch && operation != Operation::Create {
        return Err(Stop::deny(format!(
            "`{branch}` is locked: read-only for everyone"
        )));
    }
    match operation {
        Operation::Create if !protection.block_creations => return Ok(()),
        Operation::Delete => return deletable(question, branch, protection, bypasses, grant),
        Operation::ForcePush if !protection.allow_force_pushes => {
            // The record does not hold those whom the setting may except by name.
            return Err(Stop::unsupported(format!(
                "`{branch}` takes no force pushes but from people its record does not name"
            )));
        }
        Operation::Create | Operation::ForcePush | Operation::MergePull | Operation::Push => {}
    }
    may_push_at_all(question, known, branch, protection, grant)?;
    if bypasses || matches!(operation, Operation::Create | Operation::MergePull) {
        return Ok(());
    }
    needs_no_review(question, known, branch, protection, grant)?;
    match protection.requirements.first() {
        None => Ok(()),
        Some(requirement) => Err(Stop::unsupported(format!(
            "whether what `{user}` pushes to `{branch}` meets {} depends on the commits",
            Quoted::new(requirement)
        ))),
    }
}

/// Deleting a protected branch: blocked by default; when allowed, for anyone with write.
fn deletable(
    question: &Question,
    branch: &Branch,
    protection: &Protection,
    bypasses: bool,
    grant: &Grant,
) -> Result<(), Stop> {
    if protection.allow_deletions {
        return Ok(());
    }
    if bypasses || grant.custom_role().is_some() {
        return Err(Stop::unsupported(format!(
            "whether `{}` may delete the protected branch `{branch}` is not said by GitHub's pages",
            question.user
        )));
    }
    Err(Stop::deny(format!(
        "`{branch}` is protected against deletion"
    )))
}

/// The list of who may push to the branch at all. Administrators always may; a maintainer's case the pages disagree on.
fn may_push_at_all(
    question: &Question,
    known: &Known,
    branch: &Branch,
    protection: &Protection,
    grant: &Grant,
) -> Result<(), Stop> {
    let Some(restrictions) = &protection.restrictions else {
        return Ok(());
    };
    if grant.has(Level::Admin) {
        return Ok(());
    }
    let user = &question.user;
    match listed(question, known, restrictions)? {
        Listed::Yes => Ok(()),
        Listed::No if grant.has(Level::Maintain) || grant.custom_role().is_some() => {
            Err(Stop::unsupported(format!(
                "`{branch}` names who may push, `{user}` is not among them, and whether the role {} is bound cannot be told",
                grant.shown()
            )))
        }
        Listed::No => Err(Stop::deny(format!(
            "`{branch}` names who may push, and `{user}` is not among them"
        ))),
        Listed::Untold => Err(Stop::unsupported(format!(
            "whether `{user}` is among those who may push to `{branch}` cannot be told"
        ))),
    }
}

/// Changes come by pull request, but for those who are excepted.
fn needs_no_review(
    question: &Question,
    known: &Known,
    branch: &Branch,
    protection: &Protection,
    grant: &Grant,
) -> Result<(), Stop> {
    let Some(reviews) = &protection.reviews else {
        return Ok(());
    };
    let user = &question.user;
    match listed(question, known, &reviews.bypass_allowances)? {
        Listed::Yes => Ok(()),
        Listed::No if grant.custom_role().is_none() => Err(Stop::deny(format!(
            "`{branch}` takes changes by pull request only, and `{user}` is not excepted"
        ))),
        Listed::No | Listed::Untold => Err(Stop::unsupported(format!(
            "whether `{user}` may push to `{branch}` without a pull request cannot be told"
        ))),
    }
}

/// Whether the user is on a list, by login or as an active member of a team. Apps on it are no people.
fn listed(question: &Question, known: &Known, actors: &Actors) -> Result<Listed, Stop> {
    if actors
        .users
        .iter()
        .any(|login| subject::is_login(Some(login), &question.user))
    {
        return Ok(Listed::Yes);
    }
    let slugs: Vec<Option<Slug>> = actors.teams.iter().map(|slug| Slug::parse(slug)).collect();
    known.all(
        slugs
            .iter()
            .flatten()
            .map(|slug| Read::TeamMembership(slug.clone(), question.user.clone())),
    )?;
    let mut found = Listed::No;
    for slug in slugs {
        let Some(slug) = slug else {
            found = Listed::Untold;
            continue;
        };
        match known.team_membership(&slug, &question.user)? {
            Found::Here(_)
                if matches!(
                    team::standing_of(known, &slug, &question.user)?,
                    Standing::Head | Standing::Member
                ) =>
            {
                return Ok(Listed::Yes);
            }
            Found::Here(_) | Found::Missing => {}
            Found::Forbidden => found = Listed::Untold,
        }
    }
    Ok(found)
}

/// The protection of a branch; `None` when it has none.
/// Errors: our credential may not read it.
pub fn protection_of(
    known: &Known,
    repo: &Repo,
    branch: &Branch,
) -> Result<Option<Protection>, Stop> {
    match known.protection(repo, branch)? {
        Found::Here(protection) => Ok(protection),
        Found::Missing | Found::Forbidden => Err(Stop::unsupported(format!(
            "our credential may not read the protection of `{branch}`; grant {}",
            Read::Protection(repo.clone(), branch.clone()).permission()
        ))),
    }
}
