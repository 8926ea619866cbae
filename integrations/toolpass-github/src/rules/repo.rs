//! Rules about a repository: the level an action needs, who else may, and what the repository itself forbids.
//!
//! Source: docs.github.com "Repository roles for an organization", "Archiving repositories", "Limiting interactions in your repository",
//! "Disabling pull requests", REST "Create a pull request", "Rename a branch"; read 2026-11-30.

use toolpass_core::decision::Decision;
use toolpass_core::quoted::Quoted;
use toolpass_integration::answers::Found;

use super::Question;
use super::branch::{self, Operation};
use super::known::{Known, Stop};
use super::role::{Grant, Level};
use super::{deployment, org, ruleset, subject};
use crate::actions::Action;
use crate::config::Edition;
use crate::facts::RefOperation;
use crate::resource::{Branch, Repo};
use crate::upstream::read::Read;
use crate::upstream::records::repository::{self, Repository};

/// Rules 2 to 4 of the specification.
pub fn decide(
    question: &Question,
    known: &Known,
    repo: &Repo,
    branch: Option<&Branch>,
) -> Result<Decision, Stop> {
    if let Some(pull) = &question.said.head_of_pull {
        let (repo, branch) = head_of(question, known, repo, pull)?;
        return on(question, known, &repo, Some(&branch));
    }
    on(question, known, repo, branch)
}

/// The same, on the repository and branch that are really changed.
fn on(
    question: &Question,
    known: &Known,
    repo: &Repo,
    branch: Option<&Branch>,
) -> Result<Decision, Stop> {
    let (user, said) = (&question.user, &question.said);
    if let Some(deployments) = &said.reviewers_of {
        return deployment::decide(question, known, repo, deployments);
    }
    let changes = question.action != Action::RepoRead || said.writes;
    let looks_at_record = changes || said.forks;
    known.all(first_reads(question, repo, looks_at_record))?;

    let grant = Grant::of(question, known, repo, user)?;
    let level = level_needed(question, known, repo, &grant)?;
    grant.require(question, known, level)?;
    if !looks_at_record {
        return Ok(Decision::allow(format!(
            "`{user}` has the role {} on `{repo}`",
            grant.shown()
        )));
    }
    let record = known.repository(repo)?;
    if changes {
        is_open_to_changes(question, repo, &record)?;
    }
    let note = match question.action {
        Action::RepoRead => reads_or_comments(question, known, repo, &grant, &record)?,
        Action::IssueCreate => opens_issue(question, known, repo, &grant, &record)?,
        Action::PrCreate => opens_pull_request(question, known, repo, &grant, &record)?,
        Action::RepoAdmin => administers(question, known)?,
        Action::RepoPush | Action::PrMerge => {
            changes_branch(question, known, repo, branch, &grant, &record)?
        }
        Action::RepoMaintain => administers(question, known)?,
        Action::RepoTriage => String::new(),
        Action::OrgMember
        | Action::OrgAdmin
        | Action::OrgRepoCreate
        | Action::TeamMember
        | Action::TeamMaintainer => {
            return Err(Stop::new(
                toolpass_core::codes::Code::InvalidRequest,
                format!("`{}` is not asked on a repository", question.action.name()),
            ));
        }
    };
    Ok(Decision::allow(format!(
        "`{user}` has the role {} on `{repo}`{note}",
        grant.shown()
    )))
}

/// What is surely needed, so that it is read at once.
fn first_reads(question: &Question, repo: &Repo, record: bool) -> Vec<Read> {
    let said = &question.said;
    let things = [
        &said.locked_of,
        &said.reaction_on,
        &said.approves_pull,
        &said.dismisses_review,
        &said.base_of_pull,
    ];
    let mut reads = vec![Read::Permission(repo.clone(), question.user.clone())];
    reads.extend(record.then(|| Read::Repository(repo.clone())));
    reads.extend(
        things
            .into_iter()
            .flatten()
            .map(|thing| subject::read_of(repo, thing)),
    );
    reads
}

/// The level the request really needs: the action's, raised or lowered by what the request says.
fn level_needed(
    question: &Question,
    known: &Known,
    repo: &Repo,
    grant: &Grant,
) -> Result<Level, Stop> {
    let (user, said) = (&question.user, &question.said);
    let level = match question.action {
        Action::RepoPush if said.admin_on_ghes && question.edition == Edition::Server => {
            Level::Admin
        }
        Action::RepoPush
            if said.rename_branch.is_some()
                && !grant.has(Level::Admin)
                && renames_guarded(question, known, repo)? =>
        {
            Level::Admin
        }
        Action::RepoPush | Action::PrMerge => Level::Push,
        Action::PrCreate if said.head_same_repo => Level::Push,
        Action::PrCreate
            if said
                .head_repo
                .as_ref()
                .map(|head| subject::is_repository(known, repo, head))
                .transpose()?
                == Some(true) =>
        {
            Level::Push
        }
        Action::RepoTriage => Level::Triage,
        Action::RepoMaintain => Level::Maintain,
        Action::RepoAdmin if said.collaborator_self.as_ref() == Some(user) => Level::Pull,
        Action::RepoAdmin => Level::Admin,
        Action::RepoRead
        | Action::IssueCreate
        | Action::PrCreate
        | Action::OrgMember
        | Action::OrgAdmin
        | Action::OrgRepoCreate
        | Action::TeamMember
        | Action::TeamMaintainer => Level::Pull,
    };
    match &said.author_of {
        Some(thing)
            if !grant.has(level)
                && grant.has(Level::Pull)
                && subject::is_author(known, repo, thing, user)?
                && (!said.reopens || subject::may_reopen(known, repo, thing, user)?) =>
        {
            Ok(Level::Pull)
        }
        _ => Ok(level),
    }
}

/// Rule 11.36: renaming the default branch or a protected one is an administrator's.
fn renames_guarded(question: &Question, known: &Known, repo: &Repo) -> Result<bool, Stop> {
    let Some(renamed) = &question.said.rename_branch else {
        return Ok(false);
    };
    let default = default_branch(repo, &known.repository(repo)?)?;
    Ok(*renamed == default || branch::protection_of(known, repo, renamed)?.is_some())
}

/// Rule 11.9: an archived or disabled repository is read-only for everyone.
fn is_open_to_changes(question: &Question, repo: &Repo, record: &Repository) -> Result<(), Stop> {
    match (record.archived, record.disabled) {
        (Some(true), _) if !question.said.archived_ok => Err(Stop::deny(format!(
            "`{repo}` is archived: read-only for everyone"
        ))),
        (_, Some(true)) => Err(Stop::deny(format!("`{repo}` is disabled by GitHub"))),
        (Some(_), Some(false)) => Ok(()),
        (None, _) | (_, None) => Err(Stop::unsupported(format!(
            "GitHub's record of `{repo}` does not say whether it is archived or disabled"
        ))),
    }
}

/// A read; or a comment, a reaction or a copy, which GitHub opens to readers.
fn reads_or_comments(
    question: &Question,
    known: &Known,
    repo: &Repo,
    grant: &Grant,
    record: &Repository,
) -> Result<String, Stop> {
    let (user, said) = (&question.user, &question.said);
    if let Some(thing) = &said.reaction_on
        && subject::is_locked(known, repo, thing)?
    {
        return Err(Stop::deny(
            "the conversation is locked and takes no reactions",
        ));
    }
    if let Some(thing) = &said.locked_of
        && subject::is_locked(known, repo, thing)?
        && !grant.has(Level::Push)
    {
        return Err(Stop::deny(format!(
            "the conversation is locked; `{user}` has the role {} and only write may comment",
            grant.shown()
        )));
    }
    if let Some(switch) = said.organization_switch
        && !grant.has(Level::Triage)
    {
        org::switched(question, known, switch)?;
    }
    if said.forks {
        may_fork(question, known, repo, record)?;
    }
    if said.writes {
        interaction_note(question, known, repo, grant, record)
    } else {
        Ok(String::new())
    }
}

/// Rule 11.34: the organization and the repository may forbid copies.
fn may_fork(
    question: &Question,
    known: &Known,
    repo: &Repo,
    record: &Repository,
) -> Result<(), Stop> {
    forking_is_allowed(repo, record)?;
    if is_public(record) == Some(true) {
        return Ok(());
    }
    match known.organization()?.fork_private {
        Some(true) => Ok(()),
        Some(false) => Err(Stop::deny(format!(
            "`{}` does not let its private repositories be forked",
            question.organization
        ))),
        None => Err(Stop::unsupported(format!(
            "our credential does not see whether `{}` lets private repositories be forked",
            question.organization
        ))),
    }
}

/// Rule 3: the repository takes issues.
fn opens_issue(
    question: &Question,
    known: &Known,
    repo: &Repo,
    grant: &Grant,
    record: &Repository,
) -> Result<String, Stop> {
    match record.has_issues {
        Some(true) => interaction_note(question, known, repo, grant, record),
        Some(false) => Err(Stop::deny(format!("issues are switched off on `{repo}`"))),
        None => Err(Stop::unsupported(format!(
            "GitHub's record of `{repo}` does not say whether it takes issues"
        ))),
    }
}

/// Rules 3 and 11.30: from the repository itself with push, else from a fork, as far as the repository lets either.
fn opens_pull_request(
    question: &Question,
    known: &Known,
    repo: &Repo,
    grant: &Grant,
    record: &Repository,
) -> Result<String, Stop> {
    // Absent: a server that cannot switch pull requests off.
    if record.has_pull_requests == Some(false) {
        return Err(Stop::deny(format!(
            "pull requests are switched off on `{repo}`"
        )));
    }
    if grant.has(Level::Push) {
        return Ok(String::new());
    }
    match record.pull_request_creation_policy.as_deref() {
        None | Some("all") => {}
        Some("collaborators_only") => {
            return Err(Stop::deny(format!(
                "only those with write may open pull requests on `{repo}`"
            )));
        }
        Some(other) => {
            return Err(Stop::unsupported(format!(
                "the policy {} for pull requests on `{repo}` is not known",
                Quoted::new(other)
            )));
        }
    }
    forking_is_allowed(repo, record)?;
    let note = interaction_note(question, known, repo, grant, record)?;
    let visibility = record
        .visibility
        .as_deref()
        .map_or("unknown visibility".into(), |visibility| {
            Quoted::new(visibility).to_string()
        });
    Ok(format!(", which is {visibility}; via fork{note}"))
}

fn forking_is_allowed(repo: &Repo, record: &Repository) -> Result<(), Stop> {
    match record.allow_forking {
        Some(true) => Ok(()),
        Some(false) => Err(Stop::deny(format!("`{repo}` may not be forked"))),
        None => Err(Stop::unsupported(format!(
            "GitHub's record of `{repo}` does not say whether it may be forked"
        ))),
    }
}

/// Rule 11.31: a public repository may keep those without write from commenting for a while.
fn interaction_note(
    question: &Question,
    known: &Known,
    repo: &Repo,
    grant: &Grant,
    record: &Repository,
) -> Result<String, Stop> {
    if is_public(record) == Some(false) || grant.has(Level::Push) {
        return Ok(String::new());
    }
    match known.record(
        Read::InteractionLimits(repo.clone()),
        repository::interaction_limit,
    )? {
        Found::Here(None) => Ok(String::new()),
        Found::Here(Some(limit)) if limit == "collaborators_only" => Err(Stop::deny(format!(
            "`{repo}` is limited to collaborators for now, and `{}` has the role {}",
            question.user,
            grant.shown()
        ))),
        Found::Here(Some(limit)) => Err(Stop::unsupported(format!(
            "`{repo}` is limited to {} for now, which cannot be evaluated",
            Quoted::new(&limit)
        ))),
        Found::Missing | Found::Forbidden => {
            Ok("; interaction limits are not seen by our credential".into())
        }
    }
}

/// Rule 11.15.
fn administers(question: &Question, known: &Known) -> Result<String, Stop> {
    if let Some(switch) = question.said.organization_switch {
        org::switched(question, known, switch)?;
    }
    if let Some(invited) = &question.said.invites {
        org::invites(question, known, invited)?;
    }
    Ok(String::new())
}

/// Rules 4, 10 and 39: the branch that is changed, and who else has a say.
fn changes_branch(
    question: &Question,
    known: &Known,
    repo: &Repo,
    named: Option<&Branch>,
    grant: &Grant,
    record: &Repository,
) -> Result<String, Stop> {
    let (user, said) = (&question.user, &question.said);
    if let Some(pull) = &said.approves_pull {
        let author = subject::pull(known, repo, pull)?.author.ok_or_else(|| {
            Stop::unsupported("GitHub's record does not say who opened the pull request")
        })?;
        if subject::is_login(Some(&author), user) {
            return Err(Stop::deny(format!(
                "`{user}` opened the pull request, and nobody reviews their own"
            )));
        }
    }
    if let Some(pull) = &said.dismisses_review {
        let base = branch_named(subject::pull(known, repo, pull)?.base.as_deref())?;
        return branch::dismissal(question, known, repo, &base, grant);
    }
    if let Some(number) = said.stack_of_pull {
        return branch::merge_stack(question, known, repo, number, grant);
    }
    if let Some(pull) = &said.base_of_pull {
        let pull = subject::pull(known, repo, pull)?;
        return branch::merge_pull(question, known, repo, &pull, grant);
    }
    if let Some(tag) = &said.tag {
        let operation = match said.ref_operation {
            RefOperation::Create | RefOperation::Merge | RefOperation::Run => Operation::Create,
            RefOperation::Delete => Operation::Delete,
            RefOperation::Force | RefOperation::Update => Operation::ForcePush,
        };
        ruleset::judge_tag(question, known, repo, tag, grant, operation)?;
    }
    let branch = match named {
        Some(branch) => branch.clone(),
        None if said.default_branch => default_branch(repo, record)?,
        None => return Ok("; no branch is named, so no branch rule was evaluated".into()),
    };
    let operation = match (question.action, said.ref_operation) {
        (Action::PrMerge, _) => Operation::MergePull,
        (_, RefOperation::Create) => Operation::Create,
        (_, RefOperation::Delete) => Operation::Delete,
        (_, RefOperation::Force) => Operation::ForcePush,
        (_, RefOperation::Merge | RefOperation::Update) => Operation::Push,
        (_, RefOperation::Run) => return Ok(String::new()),
    };
    branch::decide(question, known, repo, &branch, grant, operation)
}

/// Where a pull request comes from: a repository of this organization and a branch of it.
fn head_of(
    question: &Question,
    known: &Known,
    repo: &Repo,
    pull: &crate::facts::Subject,
) -> Result<(Repo, Branch), Stop> {
    let pull = subject::pull(known, repo, pull)?;
    let outside = || {
        Stop::unsupported(format!(
            "the pull request comes from outside the organization `{}`",
            question.organization
        ))
    };
    let head = pull
        .head_repo
        .as_deref()
        .and_then(Repo::parse)
        .filter(|head| head.owner == question.organization)
        .ok_or_else(outside)?;
    Ok((head, branch_named(pull.head.as_deref())?))
}

fn default_branch(repo: &Repo, record: &Repository) -> Result<Branch, Stop> {
    branch_named(record.default_branch.as_deref()).map_err(|_| {
        Stop::unsupported(format!(
            "GitHub's record of `{repo}` does not say what its default branch is"
        ))
    })
}

fn branch_named(name: Option<&str>) -> Result<Branch, Stop> {
    name.and_then(Branch::parse)
        .ok_or_else(|| Stop::unsupported("GitHub's record names no branch"))
}

fn is_public(record: &Repository) -> Option<bool> {
    match (record.visibility.as_deref(), record.private) {
        (Some(visibility), _) => Some(visibility == "public"),
        (None, private) => private.map(|private| !private),
    }
}
