//! One request of a body, from a hook to its permit.
//!
//! A hook hands over what will really be sent. Sync hooks wait here with the interpreter's lock let go; async ones get an
//! [`Observing`] whose awaitable they await. Whatever goes wrong on the way refuses the request.

use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyException, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};
use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;
use toolpass_core::question::Question;
use toolpass_guard::process::{self, Process};
use toolpass_guard::refusal::Refusal;
use toolpass_guard::request::{self, RequestCheck, RequestNext, RequestPermit};
use toolpass_guard::settings::ActAs;
use toolpass_wire::body::limits::Limits;
use toolpass_wire::observe::Systems;
use toolpass_wire::raw::{RawBody, RawRequest};
use toolpass_wire::request::WireRequest;

use crate::call::CallContext;
use crate::decision::of_foreign;
use crate::engine::{Answer, Asker, Found, Lookup, Named, Seen};
use crate::errors;
use crate::keeper::{FromStore, Keeper};
use crate::locate::{self, Located};
use crate::redaction;
use crate::runtime;
use crate::source::{Quiet, current_block};
use crate::toolkit::State;
use crate::value::type_name;

/// Leave for one request to leave.
#[pyclass(frozen, module = "toolpass._native")]
pub(crate) struct Permit(Leave);

enum Leave {
    /// Of a call.
    Call(RequestPermit),
    /// Where no call is known, for what is sent so.
    NoCall([u8; 32]),
}

/// A request whose permit is still asked for.
#[pyclass(frozen, module = "toolpass._native")]
pub(crate) struct Observing {
    context: Py<CallContext>,
    waiting: Mutex<Option<Waiting>>,
    awaitable: Py<PyAny>,
}

struct Waiting {
    check: RequestCheck,
    asked: Asked,
}

enum Asked {
    Addresses,
    Decision(Box<Question>),
    Name,
    Pointer,
    Session,
    Visibility,
}

#[pymethods]
impl Permit {
    /// Whether these are the parts of the request this permit is for.
    #[pyo3(signature = (*parts))]
    fn covers(&self, parts: &Bound<'_, PyTuple>) -> PyResult<bool> {
        let request = read(parts)?;
        Ok(match &self.0 {
            Leave::Call(permit) => permit.covers(&request),
            Leave::NoCall(sending) => *sending == request.sending(),
        })
    }

    /// Leave it to no lower hook: it is kept only until the request is sent, which takes as long as the permit is kept.
    pub(crate) fn release(&self) {
        match &self.0 {
            Leave::Call(permit) => permit.release(),
            Leave::NoCall(_) => {}
        }
    }
}

impl Permit {
    /// Leave for a request that no call is known for.
    pub(crate) fn of_no_call(request: &WireRequest) -> Permit {
        Permit(Leave::NoCall(request.sending()))
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        match &self.0 {
            Leave::Call(permit) => permit.sent(Asker::now()),
            Leave::NoCall(_) => {}
        }
    }
}

/// Ask whether a request may leave, waiting for the answer.
/// Errors: `ActionRefused` or `ToolRefused` when it may not.
pub(crate) fn observe(
    context: &Bound<'_, CallContext>,
    parts: &Bound<'_, PyTuple>,
) -> PyResult<Permit> {
    ask_now(context, read(parts))
}

/// The same of a request that was read, or could not be.
/// Errors: as [`observe`].
pub(crate) fn ask_now(
    context: &Bound<'_, CallContext>,
    request: PyResult<WireRequest>,
) -> PyResult<Permit> {
    let (this, py) = (context.get(), context.py());
    let quiet = Quiet::default();
    let started = request.and_then(|request| this.start(py, request));
    let decided = started.and_then(|check| this.decide_now(py, &quiet, check));
    this.settle(py, &quiet, decided)
}

/// The same without waiting: a `Permit`, or an `Observing` to be awaited and resumed.
pub(crate) fn observe_soon<'py>(
    context: &Bound<'py, CallContext>,
    parts: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    let (this, py) = (context.get(), context.py());
    let started = read(parts).and_then(|request| this.start(py, request));
    this.settle(
        py,
        &Quiet::default(),
        started.and_then(|check| Observing::advance(context, check, None)),
    )
}

/// Ask whether a process may begin.
/// Errors: `ToolRefused` when it may not.
pub(crate) fn process_begins(
    context: &CallContext,
    py: Python<'_>,
    process: Process<'_>,
) -> PyResult<()> {
    let began = process::begins(&context.call, current_block(py)?, process, Asker::now());
    let quiet = Quiet::default();
    for event in context.call.late_events(Asker::now()) {
        quiet.begin(py)?;
        context.state.emit(py, event)?;
    }
    began.map_err(|refusal| errors::refused(py, &refusal))
}

/// Whether an upper layer was just given leave for this very request; uses it up.
pub(crate) fn admits(context: &CallContext, parts: &Bound<'_, PyTuple>) -> PyResult<bool> {
    if !context.call.holds_permits() {
        return Ok(false); // the usual case, told without reading the request
    }
    Ok(request::admitted(
        &context.call,
        current_block(parts.py())?,
        &read(parts)?,
    ))
}

#[pymethods]
impl Observing {
    /// What to await.
    #[getter]
    fn awaitable(&self, py: Python<'_>) -> Py<PyAny> {
        self.awaitable.clone_ref(py)
    }

    /// Go on with what was awaited: a `Permit`, or another `Observing`.
    fn resume<'py>(
        &self,
        py: Python<'py>,
        answer: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.go_on(py, Ok(answer.clone()))
    }

    /// Go on although the awaited raised: an engine that raises has not answered, anything else refuses the request. What is no
    /// `Exception` is raised again.
    fn fail<'py>(&self, py: Python<'py>, error: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.go_on(py, Err(PyErr::from_value(error.clone())))
    }
}

impl Waiting {
    /// Answer what was asked; also what an engine raised instead of an answer.
    /// Errors: what was raised instead of an answer, or an answer that is none.
    fn answered(
        self,
        py: Python<'_>,
        answer: PyResult<Bound<'_, PyAny>>,
    ) -> PyResult<(RequestCheck, Option<PyErr>)> {
        let Waiting { mut check, asked } = self;
        let mut raised = None;
        match (asked, answer) {
            (Asked::Addresses, answer) => {
                check.answer_addresses(&answer?.extract::<Vec<IpAddr>>()?)
            }
            (Asked::Decision(question), Ok(answer)) => {
                check.answer_decision(&question, &of_foreign(&answer), Asker::now())
            }
            (Asked::Decision(question), Err(error)) if error.is_instance_of::<PyException>(py) => {
                let said = Asker::crashed(py, error);
                check.answer_decision(&question, &said.decision, Asker::now());
                raised = said.raised;
            }
            (Asked::Decision(_), Err(error)) => return Err(error),
            (Asked::Name, answer) => {
                let answer = answer?;
                check.answer_served(match answer.cast::<Named>() {
                    Ok(named) => named.get().0.clone(),
                    Err(_) => Err(of_foreign(&answer)),
                });
            }
            (Asked::Session, answer) => check.answer_session(FromStore::answer(py, answer)?),
            (Asked::Pointer, answer) => {
                let answer = answer?;
                let found = match answer.cast::<Found>() {
                    Ok(found) => found.get().0.clone(),
                    Err(_) => Err(of_foreign(&answer)),
                };
                check.answer_resource(found);
            }
            (Asked::Visibility, answer) => {
                let answer = answer?;
                check.answer_visibility(match answer.cast::<Seen>() {
                    Ok(seen) => seen.get().0.clone(),
                    Err(_) => Err(of_foreign(&answer)),
                });
            }
        }
        Ok((check, raised))
    }
}

impl Observing {
    fn go_on<'py>(
        &self,
        py: Python<'py>,
        answer: PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let context = self.context.bind(py);
        let Some(waiting) = self
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
        else {
            return Err(PyTypeError::new_err("this request was answered already"));
        };
        let went_on = waiting
            .answered(py, answer)
            .and_then(|(check, raised)| Observing::advance(context, check, raised));
        context.get().settle(py, &Quiet::default(), went_on)
    }

    /// Go on as far as possible without waiting. `raised` is what the engine raised last.
    fn advance<'py>(
        context: &Bound<'py, CallContext>,
        check: RequestCheck,
        raised: Option<PyErr>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = context.py();
        let this = context.get();
        let state = Arc::clone(&this.state);
        let mut check = check;
        loop {
            let (rest, next) = this.next(py, check);
            let (waiting, awaitable) = match (rest, next) {
                (_, RequestNext::Pass(permit)) => {
                    let permit = this.passed(py, permit);
                    return Ok(Bound::new(py, permit)?.into_any());
                }
                (_, RequestNext::Refuse(refusal)) => {
                    return Err(this.refused(py, &refusal, raised));
                }
                (Some(mut rest), RequestNext::Ask(question)) => {
                    match this.engine(&state)?.ask_soon(py, &question)? {
                        Answer::Now(decision) => {
                            rest.answer_decision(&question, &decision, Asker::now());
                            check = rest;
                            continue;
                        }
                        Answer::Later(awaitable) => (
                            Waiting {
                                check: rest,
                                asked: Asked::Decision(question),
                            },
                            awaitable,
                        ),
                    }
                }
                (
                    Some(mut rest),
                    RequestNext::Resolve {
                        connection,
                        freshness,
                        pointer,
                    },
                ) => match &state.engine {
                    None => {
                        rest.answer_resource(Err(unasked()));
                        check = rest;
                        continue;
                    }
                    Some(engine) => {
                        let awaitable = engine.resolve_soon(
                            py,
                            Lookup {
                                connection,
                                freshness,
                                pointer,
                            },
                        )?;
                        (
                            Waiting {
                                check: rest,
                                asked: Asked::Pointer,
                            },
                            awaitable,
                        )
                    }
                },
                (Some(rest), RequestNext::Session(place, operation)) => {
                    let awaitable = keeper(&state)?.apply_soon(py, &place, &operation)?;
                    (
                        Waiting {
                            check: rest,
                            asked: Asked::Session,
                        },
                        awaitable,
                    )
                }
                (
                    Some(mut rest),
                    RequestNext::See {
                        connection,
                        resource,
                    },
                ) => match &state.engine {
                    None => {
                        rest.answer_visibility(Err(unasked()));
                        check = rest;
                        continue;
                    }
                    Some(engine) => {
                        let awaitable = engine.see_soon(py, connection, resource)?;
                        let asked = Asked::Visibility;
                        (Waiting { check: rest, asked }, awaitable)
                    }
                },
                (Some(rest), RequestNext::Observe { .. }) => {
                    let (request, systems) = to_be_named(&rest)?;
                    let engine = this.engine(&state)?;
                    let awaitable = engine.observe_soon(py, request, systems)?;
                    let asked = Asked::Name;
                    (Waiting { check: rest, asked }, awaitable)
                }
                (Some(mut rest), RequestNext::Locate { host, port }) => {
                    match locate::soon(py, (&state, rest.systems()), host, port)? {
                        Located::Now(addresses) => {
                            rest.answer_addresses(&addresses);
                            check = rest;
                            continue;
                        }
                        Located::Later(awaitable) => (
                            Waiting {
                                check: rest,
                                asked: Asked::Addresses,
                            },
                            awaitable,
                        ),
                    }
                }
                (
                    None,
                    RequestNext::Ask(_)
                    | RequestNext::Locate { .. }
                    | RequestNext::Observe { .. }
                    | RequestNext::Resolve { .. }
                    | RequestNext::See { .. }
                    | RequestNext::Session(..),
                ) => return Err(PyTypeError::new_err("a request asked after its end")),
            };
            let waiting = Mutex::new(Some(waiting));
            let observing = Observing {
                context: context.clone().unbind(),
                waiting,
                awaitable: awaitable.unbind(),
            };
            return Ok(Bound::new(py, observing)?.into_any());
        }
    }
}

impl CallContext {
    fn start(&self, py: Python<'_>, request: WireRequest) -> PyResult<RequestCheck> {
        let block: Option<ActAs> = current_block(py)?;
        Ok(RequestCheck::new(
            &self.call,
            block,
            Arc::new(request),
            Asker::now(),
        ))
    }

    /// What must be known next. A big body is looked at with the interpreter's lock let go.
    fn next(&self, py: Python<'_>, check: RequestCheck) -> (Option<RequestCheck>, RequestNext) {
        let callables = &self.guarded.get().callables;
        runtime::by_size(py, looked_at(check.request()), || {
            check.next(callables, Asker::now())
        })
    }

    fn decide_now<'py>(
        &self,
        py: Python<'py>,
        quiet: &Quiet<'py>,
        check: RequestCheck,
    ) -> PyResult<Permit> {
        let state = Arc::clone(&self.state);
        let (mut check, mut raised) = (check, None);
        loop {
            let (rest, next) = self.next(py, check);
            check =
                match (rest, next) {
                    (_, RequestNext::Pass(permit)) => {
                        if permit.is_unasked_write() {
                            quiet.begin(py)?;
                        }
                        return Ok(self.passed(py, permit));
                    }
                    (_, RequestNext::Refuse(refusal)) => {
                        return Err(self.refused(py, &refusal, raised));
                    }
                    (Some(mut rest), RequestNext::Ask(question)) => {
                        let engine = self.engine(&state)?;
                        let said = match engine.known(&question)? {
                            Some(decision) => decision.into(),
                            None => {
                                quiet.begin(py)?;
                                engine.ask(py, &question)?
                            }
                        };
                        rest.answer_decision(&question, &said.decision, Asker::now());
                        raised = said.raised;
                        rest
                    }
                    (
                        Some(mut rest),
                        RequestNext::Resolve {
                            connection,
                            freshness,
                            pointer,
                        },
                    ) => {
                        quiet.begin(py)?;
                        let lookup = Lookup {
                            connection,
                            freshness,
                            pointer,
                        };
                        rest.answer_resource(state.engine.as_ref().map_or_else(
                            || Ok(Err(unasked())),
                            |engine| engine.resolve(py, lookup),
                        )?);
                        rest
                    }
                    (Some(mut rest), RequestNext::Session(place, operation)) => {
                        rest.answer_session(keeper(&state)?.apply(py, &place, &operation)?);
                        rest
                    }
                    (
                        Some(mut rest),
                        RequestNext::See {
                            connection,
                            resource,
                        },
                    ) => {
                        rest.answer_visibility(state.engine.as_ref().map_or_else(
                            || Ok(Err(unasked())),
                            |engine| engine.see(py, connection, resource),
                        )?);
                        rest
                    }
                    (Some(mut rest), RequestNext::Observe { .. }) => {
                        let (request, systems) = to_be_named(&rest)?;
                        let engine = self.engine(&state)?;
                        rest.answer_served(engine.observe(py, request, systems)?);
                        rest
                    }
                    (Some(mut rest), RequestNext::Locate { host, port }) => {
                        quiet.begin(py)?;
                        let place = (&state, rest.systems());
                        let addresses = locate::now(py, place, host, port)?;
                        rest.answer_addresses(&addresses);
                        rest
                    }
                    (
                        None,
                        RequestNext::Ask(_)
                        | RequestNext::Locate { .. }
                        | RequestNext::Observe { .. }
                        | RequestNext::Resolve { .. }
                        | RequestNext::See { .. }
                        | RequestNext::Session(..),
                    ) => return Err(PyTypeError::new_err("a request asked after its end")),
                };
        }
    }

    fn passed(&self, py: Python<'_>, permit: RequestPermit) -> Permit {
        if permit.is_unasked_write() {
            self.guarded.get().warn_of_unasked_write(py);
        }
        Permit(Leave::Call(permit))
    }

    fn refused(&self, py: Python<'_>, refusal: &Refusal, raised: Option<PyErr>) -> PyErr {
        let cause = raised.and_then(|error| errors::kept(py, &self.call, "the engine", error));
        errors::refused_because(py, refusal, cause)
    }

    fn engine<'s>(&self, state: &'s State) -> PyResult<&'s Asker> {
        state
            .engine
            .as_ref()
            .ok_or_else(|| PyTypeError::new_err("no engine is set up to ask"))
    }

    /// Whatever went wrong on the way to a permit refuses the request; a late one is an audit event of its own.
    fn settle<'py, T>(
        &self,
        py: Python<'py>,
        quiet: &Quiet<'py>,
        outcome: PyResult<T>,
    ) -> PyResult<T> {
        let outcome = outcome.map_err(|error| {
            if errors::is_refusal(py, &error) || !error.is_instance_of::<PyException>(py) {
                return error;
            }
            let refusal: Refusal = self.call.check_crashed(&type_name(error.value(py)));
            let secrets = self.call.secrets();
            let tells = |error: &PyErr| !redaction::chain_mentions(py, error, &secrets);
            errors::refused_because(py, &refusal, Some(error).filter(tells))
        });
        for event in self.call.late_events(Asker::now()) {
            quiet.begin(py)?;
            self.state.emit(py, event)?;
        }
        outcome
    }
}

/// The store that keeps the toolkit's sessions.
/// Errors: `TypeError` when there is none.
fn keeper(state: &State) -> PyResult<&Keeper> {
    let keeper = state.keeper.as_deref();
    keeper.ok_or_else(|| PyTypeError::new_err("no store is set up to keep sessions"))
}

/// A request that the server names, and the systems it is attributed to.
/// Errors: `TypeError` when there are none.
fn to_be_named(check: &RequestCheck) -> PyResult<(Arc<WireRequest>, Arc<Systems>)> {
    let systems = check.systems().cloned();
    let systems = systems.ok_or_else(|| PyTypeError::new_err("no connections are known"))?;
    Ok((Arc::clone(check.request()), systems))
}

/// What a look-up comes to when there is no engine.
fn unasked() -> Decision {
    Decision::unknown(Code::NotConfigured, "no engine is set up to look it up")
}

/// How long a body is to look at. How long a compressed one gets is not known yet.
fn looked_at(request: &WireRequest) -> usize {
    if request.headers().has_any(&["content-encoding"]) {
        usize::MAX
    } else {
        request.body_len()
    }
}

/// The parts of a request as hooks hand them over: scheme, host, port, method, target, headers, body, whether there is a body
/// that could not be seen. What is read is copied once, into the request.
pub(crate) fn read(parts: &Bound<'_, PyTuple>) -> PyResult<WireRequest> {
    type Parts<'py> = (
        Any<'py>,
        Any<'py>,
        Option<u16>,
        Any<'py>,
        Any<'py>,
        Any<'py>,
        Option<Any<'py>>,
        bool,
    );
    let py = parts.py();
    let (scheme, host, port, method, target, headers, body, unread): Parts<'_> = parts.extract()?;
    let (scheme, host, method, target) =
        (text(&scheme)?, text(&host)?, text(&method)?, text(&target)?);
    let pairs: Vec<(Any<'_>, Any<'_>)> = headers
        .try_iter()?
        .map(|pair| header(&pair?))
        .collect::<PyResult<_>>()?;
    let headers: Vec<(Cow<'_, str>, Cow<'_, [u8]>)> = pairs
        .iter()
        .map(|(name, value)| Ok((text(name)?, bytes(value)?)))
        .collect::<PyResult<_>>()?;
    let body = body.map(as_bytes).transpose()?;
    let body = match &body {
        _ if unread => RawBody::Unread,
        Some(body) => RawBody::Bytes(body.as_bytes()),
        None => RawBody::None,
    };
    let raw = RawRequest {
        scheme: &scheme,
        host: &host,
        port,
        method: &method,
        target: &target,
        headers: headers
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect(),
        body,
    };
    let body_len = match body {
        RawBody::Bytes(bytes) => bytes.len(),
        RawBody::None | RawBody::Unread => 0,
    };
    Ok(runtime::by_size(py, body_len, || {
        WireRequest::read(raw, &Limits::default())
    }))
}

type Any<'py> = Bound<'py, PyAny>;

/// A text, or bytes read as latin-1, which is what HTTP's own readers do.
fn text<'a>(given: &'a Any<'_>) -> PyResult<Cow<'a, str>> {
    if let Ok(text) = given.cast::<PyString>() {
        return Ok(text.to_string_lossy());
    }
    Ok(match bytes(given)? {
        Cow::Borrowed(bytes) if bytes.is_ascii() => String::from_utf8_lossy(bytes),
        bytes => Cow::Owned(bytes.iter().copied().map(char::from).collect()),
    })
}

/// A header's name and value; a value that is neither text nor bytes as it is written.
fn header<'py>(pair: &Any<'py>) -> PyResult<(Any<'py>, Any<'py>)> {
    let (name, value): (Any<'_>, Any<'_>) = pair.extract()?;
    if value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>() {
        return Ok((name, value));
    }
    Ok((name, value.str()?.into_any()))
}

fn bytes<'a>(given: &'a Any<'_>) -> PyResult<Cow<'a, [u8]>> {
    if let Ok(bytes) = given.cast::<PyBytes>() {
        return Ok(Cow::Borrowed(bytes.as_bytes()));
    }
    if let Ok(text) = given.cast::<PyString>() {
        return Ok(match text.to_string_lossy() {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        });
    }
    Ok(Cow::Owned(as_bytes(given.clone())?.as_bytes().to_vec()))
}

/// The bytes object of bytes, of a text, or of anything that can be read as bytes.
fn as_bytes(given: Any<'_>) -> PyResult<Bound<'_, PyBytes>> {
    match given.cast_into::<PyBytes>() {
        Ok(bytes) => Ok(bytes),
        Err(other) => {
            let given = other.into_inner();
            if let Ok(text) = given.cast::<PyString>() {
                return Ok(PyBytes::new(given.py(), text.to_string_lossy().as_bytes()));
            }
            let made = given.py().get_type::<PyBytes>().call1((given,))?;
            Ok(made.cast_into::<PyBytes>()?)
        }
    }
}
