//! The words of refusals, one function a code, from named fields. English, for a model and a person to read.
//!
//! Only `not_authorized` may claim that the user lacks access. `authorization_error` says what kind of act helps, and to try again
//! only where trying again can; `not_configured` that an operator must act. No function here is given a query, a body or a secret.

use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;
use toolpass_core::effect::Effect;
use toolpass_core::quoted::{MAX_TEXT_CHARS, Quoted};

use crate::session::caps::Cap;
use crate::taint::provenance::Unnamed;
use crate::taint::record::Kind;

pub(crate) fn no_session() -> String {
    "no session says for whom the agent works; run the call inside `with Session(user).active():`"
        .into()
}

pub(crate) fn unbindable(problem: &str) -> String {
    format!("the arguments do not fit the tool's parameters: {problem}")
}

pub(crate) fn wrong_type(argument: &str, expected: &str, actual: &str) -> String {
    format!("`{argument}` must be {expected}, not {actual}")
}

pub(crate) fn invalid(argument: &str, said: Option<&str>) -> String {
    match said {
        Some(said) => format!("`{argument}` was not accepted: {said}"),
        None => format!("`{argument}` was not accepted"),
    }
}

pub(crate) fn argument_out_of_scope(argument: &str) -> String {
    format!("`{argument}` is outside what this tool may touch")
}

pub(crate) fn resource_out_of_scope(request: &str, resource: &str) -> String {
    format!(
        "{request}: {} is outside what this tool may touch",
        Quoted::new(resource)
    )
}

pub(crate) fn limit(cap: &Cap) -> String {
    match cap.limit.per {
        None => format!("the session has used up {cap}"),
        Some(_) => format!("the user has used up {cap}, over all sessions; it frees up with time"),
    }
}

/// `why` is a kind of failure, never what a store said.
pub(crate) fn store_failed(why: &str) -> String {
    format!(
        "the session's state could not be had from its store ({why}), so nothing can be decided; try again"
    )
}

pub(crate) fn not_asked() -> String {
    "nothing was checked: no engine is set up to ask; an operator must call `toolpass.configure(permissions=...)`".into()
}

pub(crate) fn endpoints_unknown() -> String {
    "nothing was checked: which hosts the engine's connections are is not known; an operator must name them with `connections=[...]`".into()
}

pub(crate) fn endpoints_untold(why: &str) -> String {
    format!("nothing was checked: the server did not say where its connections are reached: {why}")
}

pub(crate) fn authorizer_crashed(type_name: &str) -> String {
    format!("the authorizer raised {type_name}; whether the user may could not be decided")
}

pub(crate) fn authorizer_odd(type_name: &str) -> String {
    format!(
        "the authorizer answered {type_name}, where `True`, `False` or an `AuthDecision` is accepted; whether the user may could not be decided"
    )
}

pub(crate) fn authorizer_denied(reason: &str) -> String {
    if reason.is_empty() {
        "the authorizer says the user may not".into()
    } else {
        toolpass_core::quoted::clipped(reason, MAX_TEXT_CHARS)
    }
}

/// The three sentences a decision can lead to; `what` names user, action and resource.
pub(crate) fn not_authorized(user: &str, what: &str, decision: &Decision) -> String {
    format!(
        "{} may not {what}: {}",
        Quoted::new(user),
        decision.reason()
    )
}

pub(crate) fn authorization_error(user: &str, what: &str, decision: &Decision) -> String {
    format!(
        "whether {} may {what} could not be decided, {}: {}",
        Quoted::new(user),
        what_helps(decision.code()),
        decision.reason()
    )
}

/// What can be done about a question that was not decided.
fn what_helps(code: Code) -> &'static str {
    match code {
        Code::Overloaded
        | Code::UpstreamError
        | Code::UpstreamRateLimited
        | Code::UpstreamTimeout => "try again",
        Code::CredentialRejected => {
            "trying again does not help; an operator must look at toolpass's credential"
        }
        Code::ResourceNotVisible => {
            "trying again does not help; check the name, or an operator must let toolpass's credential see it"
        }
        Code::UserAmbiguous => {
            "trying again does not help; an operator must make the account unambiguous"
        }
        Code::InvalidRequest => "trying again does not help; the question itself must change",
        Code::Unsupported => {
            "trying again does not help; toolpass cannot ask this of the system, so a person must do it"
        }
        Code::ClientError => {
            "trying again does not help; an operator must look at how the engine is reached"
        }
        Code::Allowed
        | Code::Denied
        | Code::NotConfigured
        | Code::Unauthorized
        | Code::UnknownAction
        | Code::UnknownConnection
        | Code::UserNotFound => "trying again does not help",
    }
}

pub(crate) fn not_configured(what: &str, decision: &Decision) -> String {
    format!(
        "nothing was checked for {what}; an operator must act: {}",
        decision.reason()
    )
}

pub(crate) fn credential_missing(name: &str, why: &str) -> String {
    format!("the credential `{name}` is unavailable ({why})")
}

pub(crate) fn repeats(argument: Option<&str>, kind: Kind) -> String {
    let what = match argument {
        Some(argument) => format!("`{argument}`"),
        None => "it".into(),
    };
    match kind {
        Kind::Overflow => {
            "not all untrusted text of this session is remembered (there was too much untrusted text, or the session was set aside), so what repeats it cannot be told; start a new session".into()
        }
        Kind::Phrase => format!("{what} repeats words that came from outside"),
        Kind::Split => "its texts, one after the other, repeat words that came from outside".into(),
        Kind::Token(class) => format!(
            "{what} holds {} that came from outside and that nobody trusted named",
            class.noun()
        ),
        Kind::Unread => format!(
            "{what} holds encoded text that could not be looked at, in a session that has read outside text"
        ),
    }
}

pub(crate) fn unnamed(argument: &str, unnamed: Unnamed) -> String {
    match unnamed {
        Unnamed::Destination => format!(
            "`{argument}` names a destination that neither the person's own words nor a trusted tool named"
        ),
        Unnamed::Fetch => format!(
            "`{argument}` names a place that neither the person's own words nor a trusted tool named"
        ),
        Unnamed::Link => format!(
            "`{argument}` carries a link or an address that neither the person's own words nor a trusted tool named"
        ),
        Unnamed::Object => {
            format!("`{argument}` is named by text that came from outside, and by nobody trusted")
        }
    }
}

pub(crate) fn too_large() -> String {
    "the arguments hold more text than is looked at, in a session that has read outside text".into()
}

pub(crate) fn unread_body(why: &str) -> String {
    format!(
        "the body could not be read ({why}), in a session that has read outside text it might repeat"
    )
}

pub(crate) fn closed_after_untrusted(what: &str) -> String {
    format!("this session has read outside text, and {what} is not open after that")
}

pub(crate) fn exfiltration(what: &str, read: &[String], repeated: Option<&str>) -> String {
    let private = if read.is_empty() {
        String::new()
    } else {
        format!(" ({})", quoted_list(read))
    };
    format!(
        "{what} would send data out of a session that has read private data{private} and seen outside text{}",
        repeating(repeated)
    )
}

pub(crate) fn not_readers(
    tool: &str,
    strangers: &[String],
    more: usize,
    what: &str,
    repeated: Option<&str>,
) -> String {
    let and_more = if more == 0 {
        String::new()
    } else {
        format!(" and {more} more")
    };
    format!(
        "`{tool}` would send to {}{and_more}, who may not read what the session has read of `{what}`{}",
        strangers.join(", "),
        repeating(repeated)
    )
}

pub(crate) fn not_public(request: &str, read: &str, visibility: &str) -> String {
    format!(
        "{request} would publish out of a session that has seen outside text and read {read}, which is {visibility}"
    )
}

pub(crate) fn too_much_read(request: &str, most: usize) -> String {
    format!(
        "{request} may publish out of a session that has seen outside text and read more than {most} resources, too many to look up who can read them; start a new session"
    )
}

pub(crate) fn nobody_named(tool: &str, parameter: &str, why: &str) -> String {
    format!(
        "it could not be found out who {}: `{parameter}` of `{tool}` {why}",
        if parameter == "sends_out" {
            "would read what is sent"
        } else {
            "may read what is read"
        }
    )
}

fn repeating(argument: Option<&str>) -> String {
    argument.map_or_else(String::new, |argument| {
        format!("; the argument `{argument}` repeats private data")
    })
}

fn quoted_list(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

pub(crate) fn host_mismatch(request: &str, why: &str) -> String {
    format!("{request}: {why}")
}

pub(crate) fn unknown_host(request: &str) -> String {
    format!("{request}: the host belongs to no connection")
}

pub(crate) fn vendor_host(request: &str, integration: &str) -> String {
    format!("{request}: the host is {integration}'s, but no connection is configured for it")
}

pub(crate) fn other_name(request: &str, why: &str) -> String {
    format!("{request}: {why}")
}

pub(crate) fn unmapped(request: &str) -> String {
    format!("{request}: no route says what this request does, so it cannot be checked")
}

pub(crate) fn unmapped_read_as_user(request: &str) -> String {
    format!(
        "{request}: no route knows this read, and this connection lets such reads pass only inside `as_agent()`"
    )
}

pub(crate) fn tool_unlisted() -> String {
    "the file of entitlements does not list this tool, and `strict` is set".into()
}

pub(crate) fn effect_mismatch(entry: &str, declared: Effect) -> String {
    format!("the file of entitlements lists {entry}, and the tool declares {declared}")
}

pub(crate) fn unlisted(request: &str, what: &str) -> String {
    format!("{request}: the tool's entitlements do not list {what}")
}

pub(crate) fn unlisted_action(request: &str, action: &str, resource: Option<&str>) -> String {
    let on = resource.map(|resource| format!(" on {}", Quoted::new(resource)));
    unlisted(request, &format!("{action}{}", on.unwrap_or_default()))
}

pub(crate) fn exceeds_entry(request: &str, effect: Effect, entry: &str) -> String {
    format!("{request}: this is a {effect} request, and the tool's entitlements list {entry}")
}

pub(crate) fn unresolved(request: &str, why: &str) -> String {
    format!("{request}: what it acts on is not clear: {why}")
}

pub(crate) fn follows_agent_sight(request: &str) -> String {
    format!(
        "{request}: the answer follows what the agent may see; this connection accepts that only inside `as_agent()`"
    )
}

pub(crate) fn leads_nowhere(request: &str) -> String {
    format!("{request}: the id in it leads to nothing that toolpass can see")
}

pub(crate) fn ambiguous(request: &str) -> String {
    format!(
        "{request}: several connections answer for this host and not exactly one of them owns the resource; an operator must tell them apart"
    )
}

pub(crate) fn effect_exceeded(request: &str, effect: Effect, declared: Effect) -> String {
    format!("{request}: this is a {effect} request, and the tool declares {declared}")
}

pub(crate) fn hidden_text() -> &'static str {
    "[outside text]"
}

pub(crate) fn reason_hidden() -> String {
    "what it is about is made of outside text behind a handle and is not shown; the audit event has it".into()
}

pub(crate) fn check_crashed(type_name: &str) -> String {
    format!("a check failed unexpectedly ({type_name})")
}

pub(crate) fn audit_failed(type_name: &str) -> String {
    format!("the event that must be written before the tool runs cannot be ({type_name})")
}

pub(crate) fn unanswered() -> String {
    "a check was not given the answer it asked for".into()
}

pub(crate) fn unhooked(library: &str) -> String {
    format!(
        "requests of `{library}` cannot be seen: its shape is not known to this version of toolpass"
    )
}

pub(crate) fn program(name: &str) -> String {
    format!(
        "`{name}` may not be started: nobody sees what it sends; where that is fine, an operator sets `subprocess=\"allow\"`"
    )
}

pub(crate) fn program_untold(name: &str) -> String {
    format!("`{name}` may not be started: whoever keeps the session cannot be told of it")
}

pub(crate) fn unattributed(request: &str, of_several: bool) -> String {
    let why = if of_several {
        "its thread began while several tool calls ran, and may belong to any of them"
    } else {
        "it belongs to no tool call, so nobody can be asked whether it may be done; start its thread inside the call"
    };
    format!("{request}: {why}")
}

pub(crate) fn late(request: &str) -> String {
    format!("{request}: the tool call it belongs to is over")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trying_again_is_said_where_it_can_help() {
        for code in Code::ALL {
            let retryable = matches!(
                code,
                Code::Overloaded
                    | Code::UpstreamError
                    | Code::UpstreamRateLimited
                    | Code::UpstreamTimeout
            );
            assert_eq!(what_helps(*code) == "try again", retryable, "{code}");
        }
    }
}
