//! Step 4: whether the person may, as an authorizer of the application or the engine answers.
//!
//! The one place where a decision becomes a refusal, for calls and for requests.

use toolpass_core::codes::{RefusalCode, refusal_of};
use toolpass_core::decision::Decision;

use crate::wording;

/// What a callable of the application answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuthorizerAnswer {
    /// A decision object of the application.
    Decided {
        /// Whether the call may go on.
        allowed: bool,
        /// Why, for the audit event and the model.
        reason: String,
        /// A refusal code it may name.
        code: String,
    },
    /// Neither a decision nor a plain truth value, or something that could only be awaited: of this type.
    Odd(String),
    /// It raised an exception of this type.
    Raised(String),
}

/// The refusal an answer leads to, and what the audit event notes of it.
pub(crate) fn of_answer(answer: &AuthorizerAnswer) -> (String, Option<(RefusalCode, String)>) {
    match answer {
        AuthorizerAnswer::Decided {
            allowed: true,
            reason,
            ..
        } => (or(reason, "allow"), None),
        AuthorizerAnswer::Decided {
            allowed: false,
            reason,
            code,
        } => {
            let refusal = (code_of(code), wording::authorizer_denied(reason));
            (or(reason, "deny"), Some(refusal))
        }
        AuthorizerAnswer::Odd(type_name) => (
            "no answer".into(),
            Some((
                RefusalCode::AuthorizationError,
                wording::authorizer_odd(type_name),
            )),
        ),
        AuthorizerAnswer::Raised(type_name) => (
            format!("raised {type_name}"),
            Some((
                RefusalCode::AuthorizationError,
                wording::authorizer_crashed(type_name),
            )),
        ),
    }
}

/// The refusal a decision leads to. `what` names action, resource and connection.
pub(crate) fn of_decision(
    user: &str,
    what: &str,
    decision: &Decision,
) -> Option<(RefusalCode, String)> {
    let code = refusal_of(decision.code())?;
    let reason = match code {
        RefusalCode::NotAuthorized => wording::not_authorized(user, what, decision),
        RefusalCode::NotConfigured => wording::not_configured(what, decision),
        _ => wording::authorization_error(user, what, decision),
    };
    Some((code, reason))
}

/// The codes an authorizer may name; anything else reads as its "no".
fn code_of(text: &str) -> RefusalCode {
    match RefusalCode::parse(text) {
        Some(
            code @ (RefusalCode::AuthorizationError
            | RefusalCode::InvalidArguments
            | RefusalCode::NotConfigured),
        ) => code,
        _ => RefusalCode::NotAuthorized,
    }
}

fn or(reason: &str, otherwise: &str) -> String {
    if reason.is_empty() {
        otherwise.into()
    } else {
        reason.into()
    }
}
