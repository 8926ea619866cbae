//! A call that began: what it needs besides the guard's state machine, how an ordinary tool's checks are driven, and its end.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyException, PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use toolpass_core::codes::Outcome;
use toolpass_guard::arguments::Argument;
use toolpass_guard::audit::AuditEvent;
use toolpass_guard::call::{BodyEnd, Call, Finished, Permit};
use toolpass_guard::entitlements::enforce::Standing;
use toolpass_guard::entitlements::record::Run;
use toolpass_guard::pipeline::{Admission, Begin, Next, begin};
use toolpass_guard::refusal::Refusal;
use toolpass_guard::session::stored::{Answer, Operation, Place};

use super::result::accepted;
use super::{Guarded, bind, handles};
use crate::authorizer;
use crate::call::CallContext;
use crate::credential::{Source, injected};
use crate::disclosure;
use crate::engine::{Asker, Said, Told};
use crate::entitlements;
use crate::errors;
use crate::host::{PyHost, close_awaitable};
use crate::keeper::Keeper;
use crate::redaction;
use crate::runtime;
use crate::secrets::revealed;
use crate::session::Session;
use crate::source::{Quiet, current_call, current_session};
use crate::toolkit::{OnRefuse, State, UNFOLLOWED, ensure_hooks, log_raised};
use crate::value::{PyValue, type_name};
use crate::watch::Watched;

/// A call that began.
pub(crate) struct Opened {
    pub(crate) state: Arc<State>,
    pub(crate) call: Arc<Call>,
    /// What authorizers and credential sources are given, and what `current_call()` answers.
    pub(crate) context: Py<CallContext>,
    /// Whether anybody reads its event.
    pub(super) heard: bool,
    /// Shows it as running on the pages that were open when it began.
    _watched: Option<Watched>,
    /// What the body is called with, when handles stood in what was given.
    substituted: Option<(Py<PyTuple>, Py<PyDict>)>,
    /// The sink of this call, of a sink that follows calls from their begin.
    follower: Option<Py<PyAny>>,
    admission: Mutex<Option<Admission>>,
    /// What made a check fail unexpectedly.
    crash: Mutex<Option<PyErr>>,
    /// Whether the session's store was told what the body brought; nothing while it was not asked to be.
    pub(super) told: Mutex<Option<Result<(), String>>>,
}

/// What a session's store is to be told, and where it keeps the session.
pub(crate) type Untold = (Place, Arc<Operation>);

/// How far a call came.
pub(super) enum Driven {
    /// It is refused.
    Refused(Refusal),
    /// Its body may run, with this credential.
    Run(Permit, Option<Py<PyAny>>),
}

/// What a call finds where it is made.
#[derive(Default)]
struct Surroundings<'py> {
    session: Option<Bound<'py, Session>>,
    parent: Option<Arc<Call>>,
    unhooked: Option<String>,
}

impl<'py> Surroundings<'py> {
    fn look(py: Python<'py>, guarded: &Guarded, state: &State) -> PyResult<Surroundings<'py>> {
        Ok(Surroundings {
            unhooked: if guarded.tool.wants_hook(&state.settings) {
                ensure_hooks(py)?
            } else {
                None
            },
            session: current_session(py, state.session.as_ref())?,
            parent: current_call(py)?.map(|outer| Arc::clone(&outer.get().call)),
        })
    }
}

impl Opened {
    /// Steps 1 to 3, which need nobody.
    /// Errors: what interrupted a callable of the application.
    pub(super) fn open(
        slf: &Bound<'_, Guarded>,
        args: &Bound<'_, PyTuple>,
        kwargs: &Bound<'_, PyDict>,
    ) -> PyResult<Opened> {
        let (py, guarded) = (slf.py(), slf.get());
        let state = guarded.state(py);
        let follower = state.follow(py, &guarded.tool.name)?;
        let heard = state.wants_events(py);
        let (around, failed) = match Surroundings::look(py, guarded, &state) {
            Ok(around) => (around, None),
            Err(error) => (Surroundings::default(), Some(error)),
        };
        let session = around.session.as_ref().map(|session| session.get().inner());
        let mut bound = bind::bind(guarded, args, kwargs);
        let substituted = match (session, &mut bound) {
            (Some(session), Ok(arguments)) => {
                handles::substitute(guarded, session, arguments, (args, kwargs))
            }
            (None, _) | (_, Err(_)) => Ok(None),
        };
        let (bound, substituted) = match substituted {
            Ok(substituted) => (bound, substituted),
            Err(problem) => (Err(problem), None),
        };
        let bound: Result<&[Argument<PyValue<'_, '_>>], String> =
            bound.as_deref().map_err(Clone::clone);
        let mut host = PyHost::new(py, &guarded.callables);
        let quiet = Quiet::default();
        if guarded.callables.are_some() {
            quiet.begin_in_body(py)?;
        }
        let mut admission = begin(
            Begin {
                settings: Arc::clone(if heard {
                    &state.settings
                } else {
                    &state.unheard
                }),
                tool: Arc::clone(&guarded.tool),
                session: session.cloned(),
                arguments: bound,
                parent: around.parent,
                now: Asker::now(),
                wall: Asker::wall(),
                unhooked: around.unhooked,
            },
            &mut host,
        );
        drop(quiet);
        if let Some(error) = &failed {
            admission.crashed(&type_name(error.value(py)));
        }
        let call = Arc::clone(admission.call());
        if call.standing() == Standing::Unlisted && !call.settings.strict {
            guarded.warn_of_no_entry(py);
        }
        call.hide(&injected());
        let given = substituted
            .as_ref()
            .map_or((args, kwargs), |(args, kwargs)| (args, kwargs));
        let context = CallContext::new(&call, slf, &state, around.session, given);
        let opened = Opened {
            _watched: state.pages.begin(&call),
            state,
            call,
            context: Py::new(py, context)?,
            heard,
            substituted: substituted.map(|(args, kwargs)| (args.unbind(), kwargs.unbind())),
            follower,
            admission: Mutex::new(Some(admission)),
            crash: Mutex::default(),
            told: Mutex::default(),
        };
        opened.troubled(py, host.interrupt().or(failed))
    }

    /// What the body is called with.
    pub(super) fn given<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: &Bound<'py, PyDict>,
    ) -> handles::Given<'py> {
        let py = args.py();
        match &self.substituted {
            Some((args, kwargs)) => (args.bind(py).clone(), kwargs.bind(py).clone()),
            None => (args.clone(), kwargs.clone()),
        }
    }

    /// The call, with what made a check fail; an interrupt gives it up.
    /// Errors: the interrupt.
    fn troubled(self, py: Python<'_>, trouble: Option<PyErr>) -> PyResult<Opened> {
        match trouble {
            Some(error) if error.is_instance_of::<PyException>(py) => {
                *self.crash.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                Ok(self)
            }
            Some(interrupt) => Err(self.cancelled(py, interrupt)),
            None => Ok(self),
        }
    }

    /// Find out, waiting where it must be, everything the guard asks for.
    /// Errors: what interrupted the call.
    pub(super) fn drive(&self, guarded: &Guarded, py: Python<'_>) -> PyResult<Driven> {
        let mut credential = None;
        let mut admission = self.take()?;
        let quiet = Quiet::default();
        loop {
            let (rest, next) = self.next(py, admission);
            admission = match (rest, next) {
                (_, Next::Run(permit)) => return Ok(Driven::Run(permit, credential)),
                (_, Next::Refuse(refusal)) => return Ok(Driven::Refused(refusal)),
                (Some(rest), Next::Ask(question)) => {
                    quiet.begin_in_body(py)?;
                    let said = guarded
                        .authorizer
                        .engine()
                        .and_then(|engine| engine.ask(py, &question));
                    self.take_decision(py, rest, said)?
                }
                (Some(rest), Next::AskEntitled(questions)) => {
                    quiet.begin_in_body(py)?;
                    let said = self
                        .engine()
                        .and_then(|engine| engine.ask_many(py, &questions));
                    self.take_entitled(py, rest, said)?
                }
                (Some(rest), Next::CallAuthorizer) => {
                    quiet.begin_in_body(py)?;
                    let answered = guarded.authorizer.ask(py, &self.context);
                    self.take_authorizer(py, rest, answered)?
                }
                (Some(rest), next @ (Next::FindAudience | Next::FindReaders)) => {
                    self.take_names(py, guarded, rest, &next)?
                }
                (Some(rest), Next::FetchCredential(name)) => {
                    let fetched = self.fetch_credential(py, &name);
                    self.take_credential(guarded, rest, fetched, &mut credential)?
                }
                (Some(rest), Next::Audit) => self.announce(py, rest)?,
                (Some(rest), Next::Endpoints) => {
                    let told = self.engine().and_then(|engine| engine.endpoints(py));
                    self.take_endpoints(py, rest, told)?
                }
                (Some(rest), Next::Place(session)) => {
                    let place = self.keeper().and_then(|keeper| keeper.place(py, &session));
                    self.take_place(py, rest, place)?
                }
                (Some(rest), Next::Session(place, operation)) => {
                    let keeper = self.keeper();
                    let answered = keeper.and_then(|keeper| keeper.apply(py, &place, &operation));
                    self.take_session(py, rest, answered)?
                }
                (None, _) => {
                    return Err(asked_too_late());
                }
            }
        }
    }

    /// What must be known next. Big arguments are compared with the interpreter's lock let go.
    pub(super) fn next(&self, py: Python<'_>, admission: Admission) -> (Option<Admission>, Next) {
        runtime::by_size(py, self.call.compared_len(), || admission.next())
    }

    /// The store that keeps the toolkit's sessions.
    /// Errors: `TypeError` when there is none.
    pub(super) fn keeper(&self) -> PyResult<&Keeper> {
        let keeper = self.state.keeper.as_deref();
        keeper.ok_or_else(|| PyTypeError::new_err("no store is set up to keep sessions"))
    }

    /// Tell the session's store what the body brought, waiting, unless it was told already.
    /// Errors: `RuntimeError` for a store that does not take it; what interrupts the wait.
    pub(super) fn tell_store(&self, py: Python<'_>, untold: Option<Untold>) -> PyResult<()> {
        let mut told = self
            .told
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if told.is_none()
            && let Some((place, operation)) = untold
        {
            let answered = self.keeper()?.apply(py, &place, &operation)?;
            told = Some(accepted(&operation, answered));
        }
        told.unwrap_or(Ok(())).map_err(|why| {
            PyRuntimeError::new_err(format!("the session's store was not told: {why}"))
        })
    }

    /// Answer with what the server told of its connections.
    /// Errors: what interrupted the call.
    pub(super) fn take_endpoints(
        &self,
        py: Python<'_>,
        mut admission: Admission,
        told: PyResult<Told>,
    ) -> PyResult<Admission> {
        match told {
            Ok(told) => {
                admission.answer_endpoints(told.map_err(|decision| decision.reason()));
                Ok(admission)
            }
            Err(error) => self.not_answered(py, admission, error),
        }
    }

    /// Answer with where the session is kept.
    /// Errors: what interrupted the call.
    pub(super) fn take_place(
        &self,
        py: Python<'_>,
        mut admission: Admission,
        place: PyResult<Result<Place, String>>,
    ) -> PyResult<Admission> {
        match place {
            Ok(place) => admission.answer_place(place),
            Err(error) => return self.not_answered(py, admission, error),
        }
        Ok(admission)
    }

    /// Answer with what the session's store answered.
    /// Errors: what interrupted the call.
    pub(super) fn take_session(
        &self,
        py: Python<'_>,
        mut admission: Admission,
        answered: PyResult<Result<Answer, String>>,
    ) -> PyResult<Admission> {
        match answered {
            Ok(answered) => admission.answer_session(answered),
            Err(error) => return self.not_answered(py, admission, error),
        }
        Ok(admission)
    }

    /// Write the event without which the body does not run.
    /// Errors: what interrupted the sink.
    pub(super) fn announce(&self, py: Python<'_>, mut admission: Admission) -> PyResult<Admission> {
        let started = self.call.started(Asker::now());
        let quiet = Quiet::default();
        quiet.begin_in_body(py)?;
        match self.state.send(py, self.follower.as_ref(), started) {
            Ok(()) => admission.answer_audit(Ok(())),
            Err(error) if error.is_instance_of::<PyException>(py) => {
                admission.answer_audit(Err(type_name(error.value(py))));
                *self.crash.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            }
            Err(error) => {
                drop(admission);
                return Err(self.cancelled(py, error));
            }
        }
        Ok(admission)
    }

    /// Answer with what an engine said; an exception of it stays to be the refusal's cause.
    /// Errors: what interrupted the call.
    pub(super) fn take_decision(
        &self,
        py: Python<'_>,
        mut admission: Admission,
        said: PyResult<Said>,
    ) -> PyResult<Admission> {
        let said = match said {
            Ok(said) => said,
            Err(error) => return self.not_answered(py, admission, error),
        };
        admission.answer_decision(&said.decision, Asker::now());
        self.keep_raised(py, said.raised);
        Ok(admission)
    }

    /// The same for all that the entitlements ask at once: the cause is that of the first which is no allow.
    /// Errors: what interrupted the call.
    pub(super) fn take_entitled(
        &self,
        py: Python<'_>,
        mut admission: Admission,
        said: PyResult<Vec<Said>>,
    ) -> PyResult<Admission> {
        let said = match said {
            Ok(said) => said,
            Err(error) => return self.not_answered(py, admission, error),
        };
        let (decisions, raised): (Vec<_>, Vec<_>) = said
            .into_iter()
            .map(|said| (said.decision, said.raised))
            .unzip();
        admission.answer_entitled(&decisions, Asker::now());
        let refusing = decisions
            .iter()
            .zip(raised)
            .find(|(decision, _)| decision.outcome() != Outcome::Allow);
        self.keep_raised(py, refusing.and_then(|(_, raised)| raised));
        Ok(admission)
    }

    fn keep_raised(&self, py: Python<'_>, raised: Option<PyErr>) {
        if let Some(error) = raised {
            self.keep(errors::kept(py, &self.call, "the engine", error));
        }
    }

    /// Answer with what an authorizer of the application said; an exception of it stays to be the refusal's cause.
    /// Errors: what interrupted the call.
    pub(super) fn take_authorizer(
        &self,
        py: Python<'_>,
        mut admission: Admission,
        answered: PyResult<Bound<'_, PyAny>>,
    ) -> PyResult<Admission> {
        if let Err(error) = &answered
            && error.is_instance_of::<PyException>(py)
        {
            let error = error.clone_ref(py);
            self.keep(errors::kept(py, &self.call, "the authorizer", error));
        }
        match authorizer::read(py, answered) {
            Ok(answer) => {
                admission.answer_authorizer(&answer);
                Ok(admission)
            }
            Err(error) => self.not_answered(py, admission, error),
        }
    }

    /// Ask the application who would read what is sent, or may read what is read; an exception stays to be the refusal's cause.
    /// Errors: what interrupted the call.
    pub(super) fn take_names(
        &self,
        py: Python<'_>,
        guarded: &Guarded,
        mut admission: Admission,
        next: &Next,
    ) -> PyResult<Admission> {
        let of_audience = matches!(next, Next::FindAudience);
        let callables = &guarded.callables;
        let callable = if of_audience {
            &callables.audience
        } else {
            &callables.readers
        };
        let quiet = Quiet::default();
        quiet.begin_in_body(py)?;
        let (names, raised) = match disclosure::ask(py, callable.as_ref(), &self.context) {
            Ok(answered) => answered,
            Err(error) => {
                drop(admission);
                return Err(self.cancelled(py, error));
            }
        };
        if let Some(error) = raised {
            self.keep(errors::kept(py, &self.call, "the callable", error));
        }
        if of_audience {
            admission.answer_audience(names);
        } else {
            admission.answer_readers(names);
        }
        Ok(admission)
    }

    fn keep(&self, crash: Option<PyErr>) {
        *self.crash.lock().unwrap_or_else(PoisonError::into_inner) = crash;
    }

    /// The toolkit's engine.
    /// Errors: `TypeError` when there is none.
    pub(super) fn engine(&self) -> PyResult<&Asker> {
        let engine = self.state.engine.as_ref();
        engine.ok_or_else(|| PyTypeError::new_err("no engine is set up to ask"))
    }

    /// The named credential of the toolkit's source.
    pub(super) fn fetch_credential<'py>(
        &self,
        py: Python<'py>,
        name: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let source = self
            .state
            .credentials
            .as_ref()
            .ok_or_else(|| PyTypeError::new_err("no credentials are configured"))?;
        let quiet = Quiet::default();
        quiet.begin_in_body(py)?;
        source.fetch(py, name, &self.context)
    }

    /// Keep a fetched credential, or its failure.
    /// Errors: what interrupted the call.
    pub(super) fn take_credential(
        &self,
        guarded: &Guarded,
        mut admission: Admission,
        fetched: PyResult<Bound<'_, PyAny>>,
        credential: &mut Option<Py<PyAny>>,
    ) -> PyResult<Admission> {
        let name = guarded.tool.credential.as_deref().unwrap_or_default();
        Python::attach(|py| {
            let value = fetched.and_then(|value| {
                if close_awaitable(&value)? {
                    Err(PyTypeError::new_err("the credential can only be awaited"))
                } else {
                    Ok(value)
                }
            });
            match value.map(|value| revealed(py, value)) {
                Ok(Err(why)) => admission.answer_credential(Err(why)),
                Ok(Ok(value)) => {
                    let hidden = guarded.remembered.hidden(&value, &guarded.secret_fields);
                    if hidden.too_short {
                        guarded.warn_of_short_secret(py, name);
                    }
                    self.call.hide(&hidden.injected());
                    admission.answer_credential(Ok(()));
                    *credential = Some(value.unbind());
                }
                Err(error) if error.is_instance_of::<PyException>(py) => {
                    admission.answer_credential(Err(self.no_credential(py, name, &error)))
                }
                Err(error) => {
                    drop(admission);
                    return Err(self.cancelled(py, error));
                }
            }
            Ok(admission)
        })
    }

    /// Why a source gave no credential: what kind of source it is, and what went wrong. Names are no secrets.
    fn no_credential(&self, py: Python<'_>, name: &str, error: &PyErr) -> String {
        let type_name = type_name(error.value(py));
        match &self.state.credentials {
            None => "the toolkit has no `credentials`".into(),
            Some(Source::Callable(_)) => format!("the callable `credentials` raised {type_name}"),
            Some(Source::Mapping(mapping)) => match names(mapping.bind(py)) {
                Some(known) if !known.iter().any(|known| known == name) => format!(
                    "{type_name}: the mapping `credentials` has no such name; known are {}",
                    listed(&known)
                ),
                _ => format!("the mapping `credentials` raised {type_name}"),
            },
        }
    }

    /// A check that failed unexpectedly refuses the call; an interrupt gives it up.
    /// Errors: the interrupt.
    pub(super) fn not_answered(
        &self,
        py: Python<'_>,
        mut admission: Admission,
        error: PyErr,
    ) -> PyResult<Admission> {
        if error.is_instance_of::<PyException>(py) {
            admission.crashed(&type_name(error.value(py)));
            *self.crash.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            return Ok(admission);
        }
        drop(admission);
        Err(self.cancelled(py, error))
    }

    /// The call was given up before its body: what it took is given back. Answers the exception to raise.
    pub(super) fn cancelled(&self, py: Python<'_>, interrupt: PyErr) -> PyErr {
        drop(self.admission());
        if let (Some(keeper), Some(session)) = (&self.state.keeper, &self.call.session) {
            keeper.give_back(session);
        }
        if self.heard {
            let event = self.call.finish(&BodyEnd::Cancelled, Asker::now()).event;
            if let Err(another) = self.emit(py, event) {
                return another;
            }
        } else {
            self.call.end();
        }
        interrupt
    }

    /// The call is refused before its body: its event, and what its caller gets.
    pub(super) fn refuse(&self, py: Python<'_>, refusal: Refusal) -> PyResult<Py<PyAny>> {
        let refusal = self.call.end_refused(refusal);
        if self.heard {
            self.emit(py, self.call.refuse(refusal.clone(), Asker::now()).event)?;
        }
        let crash = self
            .crash
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        self.answer(
            py,
            &refusal,
            crash.filter(|crash| {
                !self.call.has_handles()
                    && !redaction::chain_mentions(py, crash, &self.call.secrets())
            }),
        )
    }

    /// The body is over: its event, what it did into the record, and the refusal that takes the place of whatever it did.
    pub(super) fn end(&self, py: Python<'_>, end: &BodyEnd) -> PyResult<Option<Refusal>> {
        let recorder = self.state.recorder.as_ref();
        if !self.heard && recorder.is_none() {
            return Ok(self.call.end());
        }
        let Finished { event, refusal } = self.call.finish(end, Asker::now());
        let recorded = recorder.map(|recorder| (recorder, event.outcome, event.actions.clone()));
        let sent = if self.heard {
            self.emit(py, event)
        } else {
            Ok(())
        };
        if let Some((recorder, outcome, actions)) = recorded {
            let run = Run {
                tool: &self.call.tool.name,
                arguments: self.call.given(),
                outcome,
                actions: &actions,
            };
            entitlements::record(py, recorder, run);
        }
        sent.map(|()| refusal)
    }

    fn emit(&self, py: Python<'_>, event: AuditEvent) -> PyResult<()> {
        let quiet = Quiet::default();
        quiet.begin_in_body(py)?;
        self.state.emit_by(py, self.follower.as_ref(), event)
    }

    /// Tell whoever follows the call that its body begins here.
    /// Errors: what is no `Exception`.
    pub(super) fn body_begins(&self, py: Python<'_>) -> PyResult<()> {
        self.state.begins(py, &self.call);
        self.tell(py, pyo3::intern!(py, "enter"))
    }

    /// Tell whoever follows the call that its body is over.
    pub(super) fn body_is_over(&self, py: Python<'_>) {
        // An interrupt here would leave the call without an end.
        let _ = self.tell(py, pyo3::intern!(py, "leave"));
    }

    fn tell(&self, py: Python<'_>, what: &Bound<'_, PyString>) -> PyResult<()> {
        match &self.follower {
            None => Ok(()),
            Some(follower) => match follower.call_method0(py, what) {
                Ok(_) => Ok(()),
                Err(error) => log_raised(py, error, UNFOLLOWED),
            },
        }
    }

    /// What the caller of a refused call gets: an exception, or what `on_refuse` makes of it.
    pub(super) fn answer(
        &self,
        py: Python<'_>,
        refusal: &Refusal,
        cause: Option<PyErr>,
    ) -> PyResult<Py<PyAny>> {
        let refused = errors::refused(py, &self.call.told(refusal.clone()));
        if cause.is_some() {
            refused.set_cause(py, cause);
        }
        match &self.state.on_refuse {
            OnRefuse::Raise => Err(refused),
            OnRefuse::Message => Ok(refused.value(py).str()?.into_any().unbind()),
            OnRefuse::Call(callable) => {
                let quiet = Quiet::default();
                quiet.begin_in_body(py)?;
                callable.call1(py, (refused.into_value(py),))
            }
        }
    }

    pub(super) fn take(&self) -> PyResult<Admission> {
        self.admission()
            .ok_or_else(|| PyTypeError::new_err("this call was begun already"))
    }

    fn admission(&self) -> Option<Admission> {
        self.admission
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }
}

/// The names of a mapping, when it tells them.
fn names(mapping: &Bound<'_, PyAny>) -> Option<Vec<String>> {
    let keys = mapping.call_method0("keys").ok()?;
    keys.try_iter()
        .ok()?
        .map(|key| key?.extract())
        .collect::<PyResult<_>>()
        .ok()
}

fn listed(names: &[String]) -> String {
    if names.is_empty() {
        return "none".into();
    }
    let shown = names.iter().take(MAX_NAMES);
    let quoted: Vec<String> = shown.map(|name| format!("`{name}`")).collect();
    let more = names.len().saturating_sub(MAX_NAMES);
    let quoted = quoted.join(", ");
    if more == 0 {
        quoted
    } else {
        format!("{quoted} and {more} more")
    }
}

/// How many names of a mapping are shown.
const MAX_NAMES: usize = 10;

/// The guard asked and went away.
pub(super) fn asked_too_late() -> PyErr {
    PyTypeError::new_err("a call asked after its end")
}
