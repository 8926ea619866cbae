//! What a workflow run waits for, and who may let it go on.
//!
//! Source: docs.github.com REST "Workflow runs", "Deployment environments"; read 2026-11-30.

use toolpass_http::error::Error;
use toolpass_http::json::Json;

use super::{flag, login, number, text};

/// An environment a run waits for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PendingDeployment {
    /// The environment's number.
    pub environment_id: Option<u64>,
    /// The environment's name.
    pub environment: Option<String>,
    /// Who may let it through.
    pub reviewers: Vec<Reviewer>,
}

/// Who may let a deployment through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reviewer {
    /// A team of this slug.
    Team(String),
    /// An account of this login.
    User(String),
}

/// Read what a run waits for.
pub fn pending_deployments(json: Json<'_>) -> Result<Vec<PendingDeployment>, Error> {
    let pending = |pending: Json<'_>| -> Result<_, Error> {
        let environment = pending.required("environment")?;
        Ok(PendingDeployment {
            environment_id: number(environment, "id")?,
            environment: text(environment, "name")?,
            reviewers: pending
                .member("reviewers")?
                .map(reviewers)
                .transpose()?
                .unwrap_or_default(),
        })
    };
    json.array()?.map(pending).collect()
}

/// Whether an environment keeps whoever started the run from letting it through.
pub fn prevents_self_review(json: Json<'_>) -> Result<bool, Error> {
    let rules = json.required("protection_rules")?;
    let mut prevented = false;
    for rule in rules.array()? {
        prevented |= flag(rule, "prevent_self_review")? == Some(true);
    }
    Ok(prevented)
}

/// Read who started a run: at first, and this time.
pub fn run_actors(json: Json<'_>) -> Result<[Option<String>; 2], Error> {
    Ok([login(json, "actor")?, login(json, "triggering_actor")?])
}

fn reviewers(json: Json<'_>) -> Result<Vec<Reviewer>, Error> {
    let reviewer = |entry: Json<'_>| -> Result<_, Error> {
        let who = entry.required("reviewer")?;
        Ok(match entry.required("type")?.string()? {
            "Team" => Reviewer::Team(who.required("slug")?.string()?.to_owned()),
            "User" => Reviewer::User(who.required("login")?.string()?.to_owned()),
            _ => {
                return Err(Error::malformed(
                    "the answer names a reviewer that is neither a user nor a team",
                ));
            }
        })
    };
    json.array()?.map(reviewer).collect()
}
