//! From records to a decision. Pure: no network, no clock, no logging.
//!
//! One file per thing asked about, one function per rule of the specification. [`decide`] is the only way in; what it does not know
//! yet it names (see [`known`]).
//! INVARIANT: deny only on a positive no. Absent, null, an unknown word, a wrong type, 401, 403, 404, 429 and 5xx each have a
//! stated meaning, and none of them is "allow".

pub mod branch;
pub mod deployment;
pub mod known;
pub mod org;
pub mod repo;
pub mod role;
pub mod ruleset;
pub mod subject;
pub mod team;

use toolpass_core::decision::Decision;
use toolpass_integration::answers::Answers;
use toolpass_integration::connection::Request;
use toolpass_integration::failure::Failure;

use crate::actions::Action;
use crate::config::{Config, Edition};
use crate::facts::Circumstances;
use crate::resource::{Login, Target};
use crate::upstream::read::Read;
use known::{Known, Stop};

/// A question, read: everything the rules need besides what GitHub says.
#[derive(Clone, Debug)]
pub struct Question {
    /// What is to be done.
    pub action: Action,
    /// To what.
    pub target: Target,
    /// By whom.
    pub user: Login,
    /// What the request said besides.
    pub said: Circumstances,
    /// The connection's organization.
    pub organization: Login,
    /// Which GitHub it is.
    pub edition: Edition,
    /// Whether a missing permission record of a visible repository is a no.
    pub missing_collaborator_denies: bool,
}

impl Question {
    /// Read a request to the connection of `config`.
    /// Errors: `unknown_action`, `invalid_request` (the resource), `unsupported` (identity or facts).
    pub fn read(config: &Config, request: &Request) -> Result<Question, Failure> {
        let action = Action::parse(&request.action).ok_or_else(|| {
            Failure::new(
                toolpass_core::codes::Code::UnknownAction,
                "GitHub has no such action here",
            )
        })?;
        let user = Login::returned(&request.identity.id)
            .ok_or_else(|| Failure::unsupported("the user's identity is not a login"))?;
        let target = Target::read(&config.organization, &request.resource)?;
        if !action.spec().on.contains(&target.type_name()) {
            return Err(Failure::invalid(format!(
                "`{}` is asked on `{}`, not on `{}`",
                action.name(),
                action.spec().on.join("`, `"),
                target.type_name()
            )));
        }
        Ok(Question {
            action,
            target,
            user,
            said: Circumstances::read(action, &request.facts)?,
            organization: config.organization.clone(),
            edition: config.site.edition,
            missing_collaborator_denies: config.missing_collaborator_denies,
        })
    }

    /// Whether the action puts commits on a branch.
    pub fn pushes_code(&self) -> bool {
        matches!(self.action, Action::RepoPush | Action::PrMerge)
    }
}

/// Decide a question from what is known.
/// Errors: [`Stop::Missing`] with what must be read first, [`Stop::Failed`] when there is no answer; never [`Stop::Denied`].
pub fn decide(question: &Question, answers: &Answers<Read>) -> Result<Decision, Stop> {
    let known = &Known::new(answers);
    let (rule, decided) = match &question.target {
        Target::Org(kind) => ("organization", org::decide(question, known, *kind)),
        Target::Repo(repo, branch) => (
            "repository",
            repo::decide(question, known, repo, branch.as_ref()),
        ),
        Target::Team(team) => ("team", team::decide(question, known, team)),
    };
    match decided {
        Ok(decision) => Ok(decision.by(rule)),
        Err(Stop::Denied(text)) => Ok(Decision::deny(text).by(rule)),
        Err(other) => Err(other),
    }
}
