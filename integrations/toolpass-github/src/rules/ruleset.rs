//! Rulesets: which rules of a branch bind an operation, and whether the user passes the ruleset they stand in.
//!
//! Rulesets add up and the most restrictive wins; who passes is said per ruleset. So a rule that binds is a no unless the user
//! positively passes its ruleset, and a ruleset whose list our credential does not see leaves the question open.
//! Source: docs.github.com REST "Get rules for a branch", "Get a repository ruleset", "About rulesets", "Available rules for
//! rulesets"; role ids: integrations/terraform-provider-github docs, `github_repository_ruleset`; read 2026-11-30.

use toolpass_core::codes::Code;
use toolpass_integration::answers::Found;

use super::Question;
use super::branch::Operation;
use super::known::{Known, Stop};
use super::org::{self, Standing};
use super::role::{Grant, Held, Level};
use super::team;
use crate::resource::{Branch, Login, Repo, Slug};
use crate::upstream::read::Read;
use crate::upstream::records::branch::{self, BranchRule, BypassActor, Ruleset};

/// What a rule does to an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bearing {
    /// Nothing.
    None,
    /// It forbids it to whoever does not pass its ruleset.
    Forbids,
    /// Whether it forbids it depends on the commits, or the rule is not known.
    Depends,
}

/// Whether a user passes a ruleset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passes {
    /// Always.
    Always,
    /// With a pull request only.
    ByPullRequest,
    /// Not, and the whole list was seen and understood.
    Not,
    /// Cannot be told.
    Untold,
}

/// What the rulesets of a branch come to for one user and operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing binds the user.
    Free,
    /// A rule of this type forbids it.
    Forbidden(String),
    /// Rules of this type leave it open.
    Open(String),
}

/// Judge the rules of `branch` for `operation`. A merge is bound by more than this: see [`super::branch`].
pub fn judge(
    question: &Question,
    known: &Known,
    repo: &Repo,
    rules: &[BranchRule],
    grant: &Grant,
    operation: Operation,
) -> Result<Verdict, Stop> {
    let binding: Vec<(&BranchRule, Bearing)> = rules
        .iter()
        .map(|rule| (rule, bearing(&rule.kind, operation)))
        .filter(|(_, bearing)| *bearing != Bearing::None)
        .collect();
    known.all(
        binding
            .iter()
            .filter_map(|(rule, _)| rule.ruleset_id)
            .map(|id| Read::Ruleset(repo.clone(), id)),
    )?;
    let mut open = None;
    for (rule, bearing) in binding {
        match (
            passes(question, known, repo, rule.ruleset_id, grant)?,
            bearing,
            operation,
        ) {
            (Passes::Always, _, _) | (Passes::ByPullRequest, _, Operation::MergePull) => {}
            (Passes::Not, Bearing::Forbids, _) => return Ok(Verdict::Forbidden(rule.kind.clone())),
            (Passes::ByPullRequest, Bearing::Forbids, _) => {
                return Ok(Verdict::Forbidden(rule.kind.clone()));
            }
            (Passes::Not | Passes::ByPullRequest, Bearing::Depends, _) | (Passes::Untold, _, _) => {
                open = Some(rule.kind.clone())
            }
            (Passes::Not | Passes::ByPullRequest, Bearing::None, _) => {}
        }
    }
    Ok(open.map_or(Verdict::Free, Verdict::Open))
}

/// Whether the user passes the ruleset of every rule, with a pull request.
pub fn passes_all(
    question: &Question,
    known: &Known,
    repo: &Repo,
    rules: &[BranchRule],
    grant: &Grant,
) -> Result<Held, Stop> {
    known.all(
        rules
            .iter()
            .filter_map(|rule| rule.ruleset_id)
            .map(|id| Read::Ruleset(repo.clone(), id)),
    )?;
    let mut all = Held::Yes;
    for rule in rules {
        match passes(question, known, repo, rule.ruleset_id, grant)? {
            Passes::Always | Passes::ByPullRequest => {}
            Passes::Not => return Ok(Held::No),
            Passes::Untold => all = Held::Untold,
        }
    }
    Ok(all)
}

/// Judge the rulesets about tags for one tag. Who passes them all is free; that a pattern matches is not worked out, so the others are
/// never told no.
/// Errors: a ruleset may be about the tag and the operation, and the user does not positively pass it.
pub fn judge_tag(
    question: &Question,
    known: &Known,
    repo: &Repo,
    tag: &Branch,
    grant: &Grant,
    operation: Operation,
) -> Result<(), Stop> {
    let heads = known.seen(Read::TagRulesets(repo.clone()), branch::rulesets)?;
    let binding: Vec<u64> = heads
        .iter()
        .filter(|head| head.binds)
        .map(|head| head.id)
        .collect();
    known.all(binding.iter().map(|id| Read::Ruleset(repo.clone(), *id)))?;
    for id in binding {
        let bears = match known.ruleset(repo, id)? {
            Found::Here(ruleset) => may_bear_on(&ruleset, tag, operation),
            Found::Missing | Found::Forbidden => true,
        };
        if bears && passes(question, known, repo, Some(id), grant)? != Passes::Always {
            return Err(Stop::unsupported(format!(
                "whether a ruleset of `{repo}` about tags binds `{}` on `{tag}` cannot be told",
                question.user
            )));
        }
    }
    Ok(())
}

/// Whether a ruleset can be about a tag and an operation: neither what its patterns begin with nor its rules rule it out.
fn may_bear_on(ruleset: &Ruleset, tag: &Branch, operation: Operation) -> bool {
    let full = format!("refs/tags/{tag}");
    let may_match = |pattern: &String| {
        let literal = pattern
            .split(['*', '?', '[', '{', '\\', '~'])
            .next()
            .unwrap_or_default();
        // A pattern is of a full ref; what else one may be is not said, so it may match.
        !literal.starts_with("refs/") || full.starts_with(literal)
    };
    let named = ruleset
        .includes
        .as_ref()
        .is_none_or(|patterns| patterns.iter().any(may_match));
    let bears = ruleset.rules.as_ref().is_none_or(|kinds| {
        kinds
            .iter()
            .any(|kind| bearing(kind, operation) != Bearing::None)
    });
    named && bears
}

/// What a rule of this type does to an operation. The list is the published one; a type that is not on it leaves the question open.
fn bearing(kind: &str, operation: Operation) -> Bearing {
    use Operation::{Create, Delete, ForcePush, MergePull, Push};
    match (kind, operation) {
        ("creation", Create) | ("deletion", Delete) | ("non_fast_forward", ForcePush) => {
            Bearing::Forbids
        }
        ("creation" | "deletion" | "non_fast_forward", _) => Bearing::None,
        ("update", Push | ForcePush | MergePull) => Bearing::Forbids,
        ("pull_request" | "merge_queue", Push | ForcePush) => Bearing::Forbids,
        ("update" | "pull_request" | "merge_queue", Create | Delete)
        | ("pull_request" | "merge_queue", MergePull) => Bearing::None,
        // A branch is made of commits that are there already; only its name is new.
        ("branch_name_pattern", Create) => Bearing::Depends,
        (_, Create | Delete) if COMMIT_RULES.contains(&kind) => Bearing::None,
        // The pull request's own state says whether these are met.
        (_, MergePull) if COMMIT_RULES.contains(&kind) => Bearing::None,
        (_, Create | Delete | ForcePush | MergePull | Push) => Bearing::Depends,
    }
}

/// Whether the user passes a ruleset; one without a number cannot be looked at.
fn passes(
    question: &Question,
    known: &Known,
    repo: &Repo,
    ruleset: Option<u64>,
    grant: &Grant,
) -> Result<Passes, Stop> {
    let Some(id) = ruleset else {
        return Ok(Passes::Untold);
    };
    let Found::Here(ruleset) = known.ruleset(repo, id)? else {
        return Ok(Passes::Untold);
    };
    let Some(actors) = ruleset.bypass_actors else {
        return Ok(Passes::Untold);
    };
    let mut best = Passes::Not;
    for actor in &actors {
        let passes = match (
            is_actor(question, known, actor, grant)?,
            actor.mode.as_deref(),
        ) {
            (Some(false), _) => continue,
            (Some(true), Some("always" | "exempt")) => return Ok(Passes::Always),
            (Some(true), Some("pull_request")) => Passes::ByPullRequest,
            (Some(true), _) | (None, _) => Passes::Untold,
        };
        best = match (best, passes) {
            (Passes::Untold, _) | (_, Passes::Untold) => Passes::Untold,
            (_, found) => found,
        };
    }
    Ok(best)
}

/// Whether the user is one who passes; `None` when that cannot be told.
fn is_actor(
    question: &Question,
    known: &Known,
    actor: &BypassActor,
    grant: &Grant,
) -> Result<Option<bool>, Stop> {
    let user = &question.user;
    Ok(match (actor.kind.as_str(), actor.id) {
        ("DeployKey" | "Integration", _) => Some(false), // no people
        ("OrganizationAdmin", _) => match known.org_membership(user)? {
            Found::Here(membership) => Some(org::standing(&membership, "admin")? == Standing::Head),
            Found::Missing => Some(false),
            Found::Forbidden => None,
        },
        ("RepositoryRole", Some(id)) => has_role(known, id, grant)?,
        ("Team", Some(id)) => is_in_team(question, known, id, user)?,
        ("User", Some(id)) => grant.user_id().map(|own| own == id),
        // `EnterpriseOwner`, `EnterpriseRole`, and what is not known.
        (_, _) => None,
    })
}

/// Whether the user holds the role a ruleset names. That a stronger role is meant too is nowhere said, so it is not assumed.
fn has_role(known: &Known, id: u64, grant: &Grant) -> Result<Option<bool>, Stop> {
    let named = match id {
        2 => Some(Level::Maintain),
        4 => Some(Level::Push),
        5 => Some(Level::Admin),
        _ => None,
    };
    match (named, grant.custom_role()) {
        (Some(level), None) => Ok(match grant.level() {
            Some(held) if held == level => Some(true),
            Some(held) if held > level => None,
            Some(_) | None => Some(false),
        }),
        (Some(level), Some(_)) => Ok(if grant.has(level) { None } else { Some(false) }),
        (None, None) => Ok(Some(false)),
        (None, Some(own)) => {
            let Found::Here(roles) = known.custom_roles()? else {
                return Ok(None);
            };
            Ok(roles
                .iter()
                .find(|role| role.id == Some(id))
                .and_then(|role| role.name.as_deref())
                .map(|name| name == own))
        }
    }
}

fn is_in_team(
    question: &Question,
    known: &Known,
    id: u64,
    user: &Login,
) -> Result<Option<bool>, Stop> {
    let Found::Here(record) = known.team_by_id(id)? else {
        return Ok(None);
    };
    let own = record.id == Some(id)
        && record
            .organization
            .as_deref()
            .and_then(Login::parse)
            .is_some_and(|owner| owner == question.organization);
    let Some(slug) = record.slug.as_deref().and_then(Slug::parse).filter(|_| own) else {
        return Ok(None);
    };
    let standing = team::standing_of(known, &slug, user)?;
    Ok(Some(matches!(standing, Standing::Head | Standing::Member)))
}

/// The rules of a branch.
/// Errors: our credential may not read them, or does not see the repository.
pub fn rules_of(known: &Known, repo: &Repo, branch: &Branch) -> Result<Vec<BranchRule>, Stop> {
    match known.branch_rules(repo, branch)? {
        Found::Here(rules) => Ok(rules),
        Found::Forbidden => Err(Stop::unsupported(format!(
            "our credential may not read the rules of `{branch}`; grant repository Metadata: read"
        ))),
        Found::Missing => Err(Stop::new(
            Code::ResourceNotVisible,
            format!("our credential does not see the rules of `{repo}`"),
        )),
    }
}

/// Rules about what the commits hold or what was found in them.
const COMMIT_RULES: &[&str] = &[
    "branch_name_pattern",
    "code_scanning",
    "commit_author_email_pattern",
    "commit_message_pattern",
    "committer_email_pattern",
    "copilot_code_review",
    "file_extension_restriction",
    "file_path_restriction",
    "license_compliance_scanning",
    "max_file_path_length",
    "max_file_size",
    "required_deployments",
    "required_linear_history",
    "required_signatures",
    "required_status_checks",
    "workflows",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_bears_on_its_operation() {
        use Operation::{Create, Delete, ForcePush, MergePull, Push};
        let rows = [
            (
                "creation",
                [
                    Bearing::Forbids,
                    Bearing::None,
                    Bearing::None,
                    Bearing::None,
                    Bearing::None,
                ],
            ),
            (
                "deletion",
                [
                    Bearing::None,
                    Bearing::Forbids,
                    Bearing::None,
                    Bearing::None,
                    Bearing::None,
                ],
            ),
            (
                "non_fast_forward",
                [
                    Bearing::None,
                    Bearing::None,
                    Bearing::Forbids,
                    Bearing::None,
                    Bearing::None,
                ],
            ),
            (
                "update",
                [
                    Bearing::None,
                    Bearing::None,
                    Bearing::Forbids,
                    Bearing::Forbids,
                    Bearing::Forbids,
                ],
            ),
            (
                "pull_request",
                [
                    Bearing::None,
                    Bearing::None,
                    Bearing::Forbids,
                    Bearing::None,
                    Bearing::Forbids,
                ],
            ),
            (
                "merge_queue",
                [
                    Bearing::None,
                    Bearing::None,
                    Bearing::Forbids,
                    Bearing::None,
                    Bearing::Forbids,
                ],
            ),
            (
                "required_status_checks",
                [
                    Bearing::None,
                    Bearing::None,
                    Bearing::Depends,
                    Bearing::None,
                    Bearing::Depends,
                ],
            ),
            ("a_rule_of_tomorrow", [Bearing::Depends; 5]),
        ];
        for (kind, expected) in rows {
            assert_eq!(
                [Create, Delete, ForcePush, MergePull, Push]
                    .map(|operation| bearing(kind, operation)),
                expected,
                "{kind}"
            );
        }
        assert!(COMMIT_RULES.is_sorted());
    }
}
