//! Rule 11.37: approving or rejecting a deployment is its environment's required reviewers', whatever their role.
//!
//! Source: docs.github.com REST "Review pending deployments for a workflow run", "Managing environments for deployment"; read 2026-11-30.

use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;
use toolpass_core::quoted::Quoted;

use super::Question;
use super::known::{Known, Stop};
use super::role::{Grant, Level};
use super::{subject, team};
use crate::facts::Deployments;
use crate::resource::{Repo, Slug};
use crate::upstream::read::Read;
use crate::upstream::records::deployment::{self, PendingDeployment, Reviewer};

/// Every environment named must have the user among its reviewers.
pub fn decide(
    question: &Question,
    known: &Known,
    repo: &Repo,
    deployments: &Deployments,
) -> Result<Decision, Stop> {
    let (user, run) = (&question.user, deployments.run);
    known.all([
        Read::Permission(repo.clone(), user.clone()),
        Read::PendingDeployments(repo.clone(), run),
        Read::Run(repo.clone(), run),
    ])?;
    Grant::of(question, known, repo, user)?.require(question, known, Level::Pull)?;
    let pending = known.seen(
        Read::PendingDeployments(repo.clone(), run),
        deployment::pending_deployments,
    )?;
    for id in &deployments.environments {
        let environment = pending
            .iter()
            .find(|pending| pending.environment_id == Some(*id))
            .ok_or_else(|| {
                Stop::new(
                    Code::ResourceNotVisible,
                    "the run does not wait for an environment the request names",
                )
            })?;
        is_reviewer(question, known, repo, run, environment)?;
    }
    Ok(Decision::allow(format!(
        "`{user}` is a required reviewer of every environment named"
    )))
}

fn is_reviewer(
    question: &Question,
    known: &Known,
    repo: &Repo,
    run: u64,
    pending: &PendingDeployment,
) -> Result<(), Stop> {
    let user = &question.user;
    let name = pending
        .environment
        .as_deref()
        .ok_or_else(|| Stop::unsupported("GitHub's record does not name the environment"))?;
    if !is_among(question, known, &pending.reviewers)? {
        return Err(Stop::deny(format!(
            "`{user}` is no required reviewer of the environment {}",
            Quoted::new(name)
        )));
    }
    let prevented = known.seen(
        Read::Environment(repo.clone(), name.to_owned()),
        deployment::prevents_self_review,
    )?;
    let started = known.seen(Read::Run(repo.clone(), run), deployment::run_actors)?;
    if prevented
        && started
            .iter()
            .any(|actor| subject::is_login(actor.as_deref(), user))
    {
        return Err(Stop::deny(format!(
            "`{user}` started the run, and the environment {} takes no review of one's own",
            Quoted::new(name)
        )));
    }
    if prevented && started.iter().any(Option::is_none) {
        return Err(Stop::unsupported(
            "GitHub's record does not say who started the run",
        ));
    }
    Ok(())
}

fn is_among(question: &Question, known: &Known, reviewers: &[Reviewer]) -> Result<bool, Stop> {
    let mut among = false;
    for reviewer in reviewers {
        among |= match reviewer {
            Reviewer::User(login) => subject::is_login(Some(login), &question.user),
            Reviewer::Team(slug) => {
                let slug = Slug::parse(slug)
                    .ok_or_else(|| Stop::unsupported("a reviewing team's name cannot be read"))?;
                let standing = team::standing_of(known, &slug, &question.user)?;
                matches!(
                    standing,
                    super::org::Standing::Head | super::org::Standing::Member
                )
            }
        };
        if among {
            break;
        }
    }
    Ok(among)
}
