//! The driver of one call: what the guard must know next, found out; the body; the end.
//!
//! The order of everything is the guard's (`toolpass_guard::pipeline`); nothing goes on past a question that is not answered.
//! INVARIANT: a body runs only with a permit, and every call that began ends in one event, also one that is dropped half-way.

use std::sync::Arc;

use serde_json::{Map, Value};
use toolpass_core::codes::Outcome;
use toolpass_core::decision::Decision;
use toolpass_core::question::Question;
use toolpass_guard::arguments::Argument;
use toolpass_guard::budget::Budget;
use toolpass_guard::call::{BodyEnd, Call, Permit};
use toolpass_guard::fence::FenceId;
use toolpass_guard::output::{self, Fencing, Output};
use toolpass_guard::pipeline::{Admission, Begin, Next, begin};
use toolpass_guard::refusal::Refusal;
use toolpass_guard::session::Session;
use toolpass_guard::value::Value as _;

use crate::context::{Context, NO_STORE};
use crate::random;
use crate::tool::{Arguments, Tool};
use crate::toolkit::{CallError, Shared};
use crate::value::{Given, NoCallables, records};

/// Run a call, from its first check to its event.
/// Errors: [`CallError`].
pub(crate) async fn run(
    shared: &Arc<Shared>,
    tool: &Tool,
    session: &Session,
    arguments: Map<String, Value>,
) -> Result<Value, CallError> {
    let (admission, arguments) = opened(shared, tool, session, arguments);
    let open = Open {
        shared: Arc::clone(shared),
        call: Arc::clone(admission.call()),
        is_over: false,
    };
    let permit = match admitted(shared, admission).await {
        Ok(permit) => permit,
        Err(refusal) => return Err(CallError::Refused(open.refused(refusal))),
    };
    let call = permit.enter();
    let context = Context::new(shared, &call);
    let ended = (tool.body)(context, arguments).await;
    for again in call.to_ask_again() {
        // The person may have lost the permission meanwhile; no answer changes how the call ended.
        call.answer_again(&shared.remote.server().check(&again.question).await);
    }
    match ended {
        Ok(value) => match handed_out(&call, value) {
            Ok(value) => open.ended(&BodyEnd::Returned).map(|()| value),
            Err(kind) => {
                open.ended(&BodyEnd::ResultRejected(kind.to_owned()))?;
                Err(CallError::Raised {
                    kind,
                    text: "the result cannot be handed out".to_owned(),
                })
            }
        },
        Err(error) => {
            let kind = error.kind();
            let text = said(&call, &error.to_string());
            open.ended(&BodyEnd::Raised(kind.to_owned()))?;
            Err(CallError::Raised { kind, text })
        }
    }
}

/// Begin a call: the steps that need nobody.
fn opened(
    shared: &Shared,
    tool: &Tool,
    session: &Session,
    arguments: Map<String, Value>,
) -> (Admission, Arguments) {
    let admission = {
        let bound = bound(tool, &arguments);
        let input = Begin {
            settings: Arc::clone(&shared.settings),
            tool: Arc::clone(&tool.declared),
            session: Some(session.clone()),
            arguments: bound.as_deref().map_err(Clone::clone),
            parent: None,
            now: shared.clock.monotonic(),
            wall: shared.clock.wall(),
            unhooked: None,
        };
        begin(input, &mut NoCallables)
    };
    (admission, Arguments(arguments))
}

/// The arguments by parameter.
/// Errors: what does not fit, naming parameters only.
fn bound<'a>(
    tool: &Tool,
    arguments: &'a Map<String, Value>,
) -> Result<Vec<Argument<Given<'a>>>, String> {
    if let Some(stranger) = arguments
        .keys()
        .find(|name| !tool.parameters().any(|known| known == name.as_str()))
    {
        return Err(format!("`{stranger}` is no parameter of the tool"));
    }
    let parameters = tool.parameters().enumerate();
    let given = parameters.map(|(parameter, name)| {
        let value = arguments.get(name);
        let value = value.ok_or_else(|| format!("`{name}` is missing"))?;
        Ok(Argument {
            parameter,
            value: Given::Value(value),
            is_default: false,
            handle: None,
        })
    });
    given.collect()
}

/// Find out everything the guard asks for before the body.
async fn admitted(shared: &Shared, mut admission: Admission) -> Result<Permit, Refusal> {
    loop {
        let (rest, next) = admission.next();
        let mut rest = match (rest, &next) {
            (Some(rest), _) => rest,
            (None, _) => {
                return match next {
                    Next::Run(permit) => Ok(permit),
                    Next::Refuse(refusal) => Err(refusal),
                    Next::Ask(_)
                    | Next::AskEntitled(_)
                    | Next::Audit
                    | Next::CallAuthorizer
                    | Next::Endpoints
                    | Next::FetchCredential(_)
                    | Next::FindAudience
                    | Next::FindReaders
                    | Next::Place(_)
                    | Next::Session(..) => Err(Refusal::of_call(
                        toolpass_core::codes::RefusalCode::CheckError,
                        "",
                        "a call asked after its end",
                    )),
                };
            }
        };
        match next {
            Next::Ask(question) => {
                let decision = shared.remote.server().check(&question).await;
                rest.answer_decision(&decision, shared.clock.monotonic());
            }
            Next::Endpoints => rest.answer_endpoints(shared.remote.endpoints().await),
            Next::AskEntitled(questions) => {
                let decisions = ask_all(shared, &questions).await;
                rest.answer_entitled(&decisions, shared.clock.monotonic());
            }
            Next::Audit => rest.answer_audit(Ok(())),
            // No tool of this face declares one.
            Next::CallAuthorizer => rest.crashed("NoAuthorizer"),
            Next::FetchCredential(_) => rest.answer_credential(Err("NoCredentials".to_owned())),
            Next::FindAudience | Next::FindReaders => rest.crashed("NoCallables"),
            Next::Place(_) => rest.answer_place(Err(NO_STORE.to_owned())),
            Next::Session(..) => rest.answer_session(Err(NO_STORE.to_owned())),
            Next::Refuse(refusal) => return Err(refusal),
            Next::Run(permit) => return Ok(permit),
        }
        admission = rest;
    }
}

/// Ask until one is no allow.
async fn ask_all(shared: &Shared, questions: &[Question]) -> Vec<Decision> {
    let mut decisions = Vec::with_capacity(questions.len());
    for question in questions {
        let decision = shared.remote.server().check(question).await;
        let is_allow = decision.outcome() == Outcome::Allow;
        decisions.push(decision);
        if !is_allow {
            break;
        }
    }
    decisions
}

/// What the caller gets of a result: outside text is remembered first, and fenced where it is a text.
/// Errors: why it cannot be handed out.
fn handed_out(call: &Call, value: Value) -> Result<Value, &'static str> {
    if output::asks_who_named(call) {
        output::take(call, records(&value).ok().as_deref());
    }
    if output::of(call) == Output::Plain {
        return Ok(value);
    }
    let mut found = Vec::new();
    Given::Value(&value)
        .texts(&mut Budget::of_result(), &mut found)
        .map_err(|_| "TooLarge")?;
    remember(call, &found);
    match value {
        Value::String(text) => fenced(call, &text).map(Value::String),
        other => Ok(other),
    }
}

/// What the caller is told of a failure of the body: it may repeat outside text.
fn said(call: &Call, text: &str) -> String {
    if !output::is_untrusted(call) {
        return text.to_owned();
    }
    remember(call, &[text.to_owned()]);
    fenced(call, text).unwrap_or_else(output::withheld)
}

fn remember(call: &Call, texts: &[String]) {
    // A session of this face is kept by no store that would have to be told.
    let _ = output::record(call, texts);
}

fn fenced(call: &Call, text: &str) -> Result<String, &'static str> {
    let id = random::bytes().map_err(|_| "NoRandomness")?;
    let Some(fencing) = Fencing::of(call, FenceId::from_bytes(id)) else {
        return Ok(text.to_owned());
    };
    Ok(match fencing.text(text) {
        Some(fenced) => fenced.block,
        None => text.to_owned(),
    })
}

/// A call that began and has not ended.
struct Open {
    shared: Arc<Shared>,
    call: Arc<Call>,
    is_over: bool,
}

impl Open {
    /// It was refused before its body.
    fn refused(mut self, refusal: Refusal) -> Refusal {
        self.is_over = true;
        let now = self.shared.clock.monotonic();
        let refusal = self.call.end_refused(refusal);
        let finished = self.call.refuse(refusal.clone(), now);
        self.shared.emit(&finished.event);
        self.call.told(refusal)
    }

    /// Its body is over.
    /// Errors: the refusal that takes the place of whatever the body did.
    fn ended(mut self, end: &BodyEnd) -> Result<(), CallError> {
        self.is_over = true;
        match self.finish(end) {
            Some(refusal) => Err(CallError::Refused(self.call.told(refusal))),
            None => Ok(()),
        }
    }

    fn finish(&self, end: &BodyEnd) -> Option<Refusal> {
        let finished = self.call.finish(end, self.shared.clock.monotonic());
        self.shared.record(&self.call, &finished.event);
        self.shared.emit(&finished.event);
        finished.refusal
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if !self.is_over {
            // Given up half-way: whoever awaited it is gone, or its body panicked.
            self.finish(&BodyEnd::Raised("Dropped".to_owned()));
        }
    }
}
