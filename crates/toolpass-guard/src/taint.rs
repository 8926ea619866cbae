//! Outside text in what goes out: step 5 of a call and rule 10 of a request.
//!
//! A session remembers outside text as fingerprints ([`record`]). Here the arguments of a call and the texts of a request are
//! compared with them, and the trust gate is asked, which looks at no words. INVARIANT: what cannot be looked at is refused
//! once there is something to compare with; no reason repeats what was found.

pub mod distinctive;
mod escapes;
pub mod gate;
pub mod key;
mod normal;
#[cfg(test)]
mod properties;
pub mod provenance;
pub mod record;
mod shingles;
pub mod store;
mod tags;
mod tokens;
mod views;

use std::collections::HashSet;

use toolpass_core::codes::RefusalCode;
use toolpass_core::effect::Effect;
use toolpass_wire::field::Field;
use toolpass_wire::request::WireRequest;

use crate::arguments::Argument;
use crate::budget::Budget;
use crate::call::Call;
use crate::session::Session;
use crate::session::stored::Operation;
use crate::tool::{Inputs, Tool};
use crate::value::Value;
use crate::wording;

/// The texts of a call's arguments, kept for its steps and its requests.
pub(crate) struct Given {
    /// By parameter, in order; `None` when there is more than is looked at.
    texts: Option<Vec<GivenTexts>>,
    bytes: usize,
    /// The parameters that were given a handle.
    handled: Vec<usize>,
}

/// The texts of one argument.
#[derive(Debug)]
pub(crate) struct GivenTexts {
    /// Its place.
    pub(crate) parameter: usize,
    /// Every text in it, keys included, in order.
    pub(crate) texts: Vec<String>,
    /// Whether the call left it out.
    pub(crate) is_default: bool,
    /// Whether it was given as a handle.
    pub(crate) is_handle: bool,
}

impl Default for Given {
    fn default() -> Given {
        Given {
            texts: Some(Vec::new()),
            bytes: 0,
            handled: Vec::new(),
        }
    }
}

impl Given {
    /// The texts of the bound arguments: of a tool that is held to any of them, or in a session that asks who named them.
    pub(crate) fn of<V: Value>(
        tool: &Tool,
        session: Option<&Session>,
        arguments: &[Argument<V>],
    ) -> Given {
        let handled = arguments
            .iter()
            .filter(|argument| argument.handle.is_some())
            .map(|argument| argument.parameter)
            .collect();
        let outside = &tool.outside;
        let is_held =
            tool.checks_reads() || !outside.of_parameters.is_empty() || !outside.handles.is_empty();
        if !is_held && !session.is_some_and(Session::was_told) {
            return Given::default();
        }
        let mut budget = Budget::of_result();
        let mut bytes = 0;
        let texts = arguments.iter().map(|argument| {
            let mut texts = Vec::new();
            argument.value.texts(&mut budget, &mut texts).ok()?;
            bytes += texts.iter().map(String::len).sum::<usize>();
            Some(GivenTexts {
                parameter: argument.parameter,
                texts,
                is_default: argument.is_default,
                is_handle: argument.handle.is_some(),
            })
        });
        Given {
            texts: texts.collect(),
            bytes,
            handled,
        }
    }

    /// How long they are together.
    pub(crate) fn len(&self) -> usize {
        self.bytes
    }

    /// The texts by argument, as they are compared; none when there is more than is looked at.
    pub(crate) fn by_name<'g>(&'g self, tool: &'g Tool) -> Vec<record::Argument<'g>> {
        let texts = self.texts.iter().flatten();
        texts
            .map(|argument| record::Argument {
                name: name_of(tool, argument.parameter),
                texts: argument.texts.iter().map(String::as_str).collect(),
                is_destination: false,
            })
            .collect()
    }

    /// Whether an argument was given as a handle.
    pub(crate) fn has_handles(&self) -> bool {
        !self.handled.is_empty()
    }

    /// Whether an argument may hold outside text because the tool says so of it, or because it was given as a handle.
    fn accepts(&self, tool: &Tool, parameter: usize) -> bool {
        let named = tool.outside.handles.contains(&parameter)
            || tool
                .outside
                .of_parameters
                .iter()
                .any(|(place, _)| *place == parameter);
        self.handled.contains(&parameter) || (named && tool.inputs_of(parameter) == Inputs::Ignore)
    }

    /// The texts by argument; `None` when there is more than is looked at.
    pub(crate) fn by_argument(&self) -> Option<&[GivenTexts]> {
        self.texts.as_deref()
    }

    /// The texts a tool lets its body repeat, argument by argument.
    fn ignored<'g>(&'g self, tool: &Tool) -> Vec<&'g str> {
        let is_ignored = |parameter: usize| self.accepts(tool, parameter);
        let texts = self.texts.iter().flatten();
        texts
            .filter(|argument| is_ignored(argument.parameter))
            .flat_map(|argument| argument.texts.iter().map(String::as_str))
            .collect()
    }
}

/// The arguments of a call that are compared; `None` when there is more than is looked at.
fn compared<'c>(call: &'c Call, session: &Session) -> Option<Vec<record::Argument<'c>>> {
    let tool = &call.tool;
    // Where it counts who named a destination, it is no matter who else did.
    let by_tokens = !(call.settings.provenance.destinations && session.asks_who_named());
    let texts = call.repeatable.by_argument()?.iter();
    let checked = texts.filter(|argument| {
        let place = argument.parameter;
        tool.inputs_of(place) == Inputs::Check && !call.repeatable.accepts(tool, place)
    });
    let arguments = checked.map(|argument| record::Argument {
        name: name_of(tool, argument.parameter),
        texts: argument.texts.iter().map(String::as_str).collect(),
        is_destination: by_tokens && tool.is_destination(argument.parameter),
    });
    Some(arguments.collect())
}

/// What a store has to be asked before [`of_call`].
pub(crate) fn asked_of_call(call: &Call, session: &Session) -> Operation {
    session.question(&compared(call, session).unwrap_or_default())
}

/// What a store has to be asked before [`of_request`].
pub(crate) fn asked_of_request(
    call: &Call,
    session: &Session,
    request: &WireRequest,
    effect: Effect,
) -> Operation {
    match request.text() {
        Field::Present(texts) if is_compared(call, effect) => session.question(&[whole(&texts)]),
        Field::Present(_) | Field::Absent | Field::Ambiguous(_) | Field::Unread(_) => {
            Operation::Get
        }
    }
}

/// Whether a request of this effect is compared with outside text.
fn is_compared(call: &Call, effect: Effect) -> bool {
    effect > Effect::Read || call.tool.checks_reads()
}

/// The texts of a request, which has no arguments.
fn whole(texts: &[String]) -> record::Argument<'_> {
    record::Argument {
        name: "",
        texts: texts.iter().map(String::as_str).collect(),
        is_destination: false,
    }
}

/// Step 5: whether the arguments repeat outside text, and whether the effect is still open.
/// Errors: `untrusted_input`, `untrusted_context`.
pub(crate) fn of_call(call: &Call, session: &Session) -> Result<(), (RefusalCode, String)> {
    match compared(call, session) {
        Some(arguments) => {
            if let Some(found) = repeated(call, session, &arguments, Vec::new()) {
                let reason = wording::repeats(found.argument, found.kind);
                return Err((RefusalCode::UntrustedInput, reason));
            }
        }
        None if session.remembers_nothing() => {}
        None => return Err((RefusalCode::UntrustedInput, wording::too_large())),
    }
    let given = call.repeatable.by_argument().unwrap_or_default();
    if let Some(found) = session.unnamed(call.settings.provenance, &call.tool, call.effect, given) {
        let argument = name_of(&call.tool, found.parameter);
        let reason = wording::unnamed(argument, found.unnamed);
        return Err((RefusalCode::UntrustedInput, reason));
    }
    gate(call, session, call.effect)
}

/// Whether everybody a call reaches was named by somebody the person can trust: what they asked to be sent there is no leak.
pub(crate) fn reaches_only_named(call: &Call, session: &Session) -> bool {
    let given = call.repeatable.by_argument();
    call.settings.provenance.destinations
        && given.is_some_and(|given| session.reaches_only_named(&call.tool, given))
}

/// The destinations of such a call; none of another.
pub(crate) fn named_destinations<'c>(call: &'c Call, session: &Session) -> HashSet<&'c str> {
    if !reaches_only_named(call, session) {
        return HashSet::new();
    }
    let given = call.repeatable.by_argument().unwrap_or_default().iter();
    given
        .filter(|argument| !argument.is_default && call.tool.is_destination(argument.parameter))
        .flat_map(|argument| argument.texts.iter().map(String::as_str))
        .collect()
}

/// Rule 10: whether a request repeats outside text, and whether its effect is still open.
/// Errors: `untrusted_input`, `untrusted_context`.
pub(crate) fn of_request(
    call: &Call,
    session: &Session,
    request: &WireRequest,
    effect: Effect,
) -> Result<(), (RefusalCode, String)> {
    if is_compared(call, effect) && !session.remembers_nothing() {
        let texts = match request.text() {
            Field::Present(texts) => texts,
            Field::Absent => Vec::new(),
            Field::Ambiguous(why) | Field::Unread(why) => {
                return Err((
                    RefusalCode::UntrustedInput,
                    wording::unread_body(why.as_str()),
                ));
            }
        };
        let arguments = [whole(&texts)];
        let ignored = call.repeatable.ignored(&call.tool);
        if let Some(found) = repeated(call, session, &arguments, ignored) {
            return Err((
                RefusalCode::UntrustedInput,
                wording::repeats(None, found.kind),
            ));
        }
    }
    gate(call, session, Some(effect))
}

/// What is repeated of outside text. What a declaration says counts as repeated from there.
fn repeated<'a, 'c>(
    call: &'c Call,
    session: &Session,
    arguments: &[record::Argument<'a>],
    mut ignored: Vec<&'c str>,
) -> Option<record::Match<'a>> {
    let tokens = call.settings.untrusted_tokens;
    let found = session.repeats(arguments, &[], tokens)?;
    ignored.extend(call.tool.outside.declared.iter().map(String::as_str));
    if ignored.is_empty() {
        return Some(found);
    }
    session.repeats(arguments, &ignored, tokens)
}

fn name_of(tool: &Tool, parameter: usize) -> &str {
    let parameter = tool.parameters.get(parameter);
    parameter.map_or("", |parameter| &parameter.name)
}

fn gate(
    call: &Call,
    session: &Session,
    effect: Option<Effect>,
) -> Result<(), (RefusalCode, String)> {
    let gate = call.settings.after_untrusted;
    if gate.is_open(session.saw_untrusted(), effect, call.tool.outside.after) {
        return Ok(());
    }
    let what = effect.map_or("this tool", Effect::as_str);
    Err((
        RefusalCode::UntrustedContext,
        wording::closed_after_untrusted(what),
    ))
}
