//! From records to a decision. Pure: no network, no clock, no logging.
//!
//! One file per thing asked about, one function per rule of the specification. [`decide`] is the only way in; what it does not know
//! yet it names (see [`known`]).
//! INVARIANT: deny only on a positive no. Absent, null, an unknown word, a wrong type, 401, 403, 429 and 5xx each have a stated
//! meaning, and none of them is "allow". "Not found" also hides private teams, so it is never a no.

pub mod issue;
pub mod known;
pub mod project;
pub mod standing;
pub mod team;
pub mod thing;
pub mod workspace;

use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;
use toolpass_integration::answers::{self, Answers};
use toolpass_integration::connection::Request;
use toolpass_integration::failure::Failure;

use crate::actions::Action;
use crate::facts::Circumstances;
use crate::resource::{Name, Target};
use crate::upstream::read::Read;
use known::{Known, Stop};
use standing::Standing;

/// A question, read: everything the rules need besides what Linear says.
#[derive(Clone, Debug)]
pub struct Question {
    /// What is to be done.
    pub action: Action,
    /// To what.
    pub target: Target,
    /// By whom: the account's id.
    pub user: Name,
    /// How reasons name the user.
    pub shown: String,
    /// What the request said besides.
    pub said: Circumstances,
}

/// Why it is allowed.
/// Errors: why it is denied, or not known.
pub type Verdict = Result<String, Stop>;

impl Question {
    /// Read a request.
    /// Errors: `unknown_action`, `invalid_request` (the resource), `unsupported` (identity or facts).
    pub fn read(request: &Request) -> Result<Question, Failure> {
        let action = Action::parse(&request.action)
            .ok_or_else(|| Failure::new(Code::UnknownAction, "Linear has no such action here"))?;
        let user = Name::id(&request.identity.id)
            .ok_or_else(|| Failure::unsupported("the user's identity is not an account's id"))?;
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
            shown: request.identity.display.clone(),
            said: Circumstances::read(action, &request.facts)?,
        })
    }
}

/// Decide a question from what is known.
/// Errors: what must be read first, or why there is no answer; never a no.
pub fn decide(question: &Question, answers: &Answers<Read>) -> Result<Decision, Stop> {
    let known = &Known::new(answers);
    let (rule, verdict) = match &question.target {
        Target::Issue(name) => ("issue", issue::decide(question, known, name)),
        Target::Project(name) => ("project", project::decide(question, known, name)),
        Target::Team(name) => ("team", team::decide(question, known, name)),
        Target::Thing(kind, name) => ("thing", thing::decide(question, known, *kind, name)),
        Target::Workspace => ("workspace", workspace::decide(question, known)),
    };
    match verdict {
        Ok(text) => Ok(Decision::allow(text).by(rule)),
        Err(answers::Stop::Denied(text)) => Ok(Decision::deny(text).by(rule)),
        Err(other) => Err(other),
    }
}

/// Who the user is, when they may do anything at all.
/// Errors: as [`Known::standing`]; a suspended account is denied everything.
fn active(question: &Question, known: &Known) -> Result<Standing, Stop> {
    let standing = known.standing(&question.user, &question.shown)?;
    standing.must_be_active()?;
    Ok(standing)
}

/// Any of them allows: the first that does, else the first that is not known, else the last no.
fn any(verdicts: impl IntoIterator<Item = Verdict>, none: &str) -> Verdict {
    let (mut unknown, mut denied) = (None, None);
    for verdict in verdicts {
        match verdict {
            Ok(text) => return Ok(text),
            Err(missing @ answers::Stop::Missing(_)) => return Err(missing),
            Err(failed @ answers::Stop::Failed(_)) => unknown = unknown.or(Some(failed)),
            Err(no @ answers::Stop::Denied(_)) => denied = Some(no),
        }
    }
    Err(unknown
        .or(denied)
        .unwrap_or_else(|| Stop::unsupported(none)))
}

/// The action is not one that is asked of this type.
fn not_here(question: &Question) -> Stop {
    Stop::new(
        Code::InvalidRequest,
        format!(
            "`{}` is not asked on `{}`",
            question.action.name(),
            question.target.type_name()
        ),
    )
}
