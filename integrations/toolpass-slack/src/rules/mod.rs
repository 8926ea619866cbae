//! From records to a decision. Pure: no network, no clock, no logging.
//!
//! One file per thing asked about, one function per rule of the specification. [`decide`] is the only way in; what it does not know
//! yet it names (see [`known`]).
//! INVARIANT: deny only on a positive no. Absent, null, an unknown word, a wrong type, a refused or failed read each have a stated
//! meaning, and none of them is "allow".

pub mod channel;
pub mod dm;
pub mod file;
pub mod invite;
pub mod known;
pub mod membership;
pub mod posters;
pub mod posting;
pub mod standing;
pub mod usergroup;
pub mod workspace;

use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;
use toolpass_integration::answers::Answers;
use toolpass_integration::connection::Request;
use toolpass_integration::failure::Failure;

use crate::actions::Action;
use crate::config::{Config, Policy};
use crate::facts::Circumstances;
use crate::resource::{Target, TeamId, UserId};
use crate::upstream::read::Read;
use known::{Known, Stop};

/// A question, read: everything the rules need besides what Slack says.
#[derive(Clone, Debug)]
pub struct Question {
    /// What is to be done.
    pub action: Action,
    /// To what.
    pub target: Target,
    /// By whom.
    pub user: UserId,
    /// What the request said besides.
    pub said: Circumstances,
    /// The connection's workspace, when its configuration names it.
    pub team: Option<TeamId>,
    /// What is assumed where Slack does not say.
    pub policy: Policy,
}

impl Question {
    /// Read a request to the connection of `config`.
    /// Errors: `unknown_action`, `invalid_request` (the resource), `unsupported` (identity or facts).
    pub fn read(config: &Config, request: &Request) -> Result<Question, Failure> {
        let action = Action::parse(&request.action)
            .ok_or_else(|| Failure::new(Code::UnknownAction, "Slack has no such action here"))?;
        let user = UserId::parse(&request.identity.id)
            .ok_or_else(|| Failure::unsupported("the user's identity is no id of Slack"))?;
        let target = Target::read(&request.resource)?;
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
            team: config.team.clone(),
            policy: config.policy,
        })
    }
}

/// Decide a question from what is known.
/// Errors: [`Stop::Missing`] with what must be read first, [`Stop::Failed`] when there is no answer; never [`Stop::Denied`].
pub fn decide(question: &Question, answers: &Answers<Read>) -> Result<Decision, Stop> {
    let known = &Known::new(answers);
    match on_target(question, known) {
        Ok(decision) => Ok(decision.by(rule_of(&question.target))),
        Err(Stop::Denied(text)) => Ok(Decision::deny(text).by(rule_of(&question.target))),
        Err(other) => Err(other),
    }
}

/// Rule 0 comes first: whoever is deactivated, no person, or not joined may nothing, and nothing else is read for them.
fn on_target(question: &Question, known: &Known) -> Result<Decision, Stop> {
    let standing = &standing::of_user(question, known)?;
    same_team(question, known)?;
    match &question.target {
        Target::Channel(id) => channel::decide(question, known, standing, id),
        Target::Dm(with) => dm::decide(question, known, standing, with),
        Target::File(id) => file::decide(question, known, standing, id),
        Target::Usergroup(id) => usergroup::decide(question, known, standing, Some(id)),
        Target::Workspace => workspace::decide(question, known, standing),
    }
}

/// A request may name another workspace of the organization, of which the user's standing here says nothing. What is asked of the
/// organization is asked of all of it.
fn same_team(question: &Question, known: &Known) -> Result<(), Stop> {
    let Some(named) = &question.said.team else {
        return Ok(());
    };
    if matches!(question.action, Action::OrgAdmin | Action::OrgOwner) {
        return Ok(());
    }
    let own = match &question.team {
        Some(team) => Some(team.to_string()),
        None => known.auth()?.team_id,
    };
    match own.as_deref() == Some(named.as_str()) {
        true => Ok(()),
        false => Err(Stop::unsupported(format!(
            "the request names the workspace `{named}`, and the connection answers for another"
        ))),
    }
}

/// What the decision was reached by.
fn rule_of(target: &Target) -> &'static str {
    match target {
        Target::Channel(_) => "channel",
        Target::Dm(_) => "direct message",
        Target::File(_) => "file",
        Target::Usergroup(_) => "user group",
        Target::Workspace => "workspace",
    }
}

/// The action is not asked on this type of resource: the catalogue says so before.
fn misplaced(question: &Question) -> Stop {
    Stop::new(
        Code::InvalidRequest,
        format!(
            "`{}` is not asked on a `{}`",
            question.action.name(),
            question.target.type_name()
        ),
    )
}
