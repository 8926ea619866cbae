//! The settings of one toolkit, as the face validated them, and what is done with a finished call.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};

use pyo3::exceptions::{PyException, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use toolpass_core::effect::Effect;
use toolpass_entitlements::recorder::Recorder;
use toolpass_guard::audit as guard;
use toolpass_guard::call::Call;
use toolpass_guard::entitlements::enforce::OnMissing;
use toolpass_guard::settings::{
    ActAs, EngineState, KnownSystems, OnAuditError, Settings, Subprocess, Unattributed,
    UnknownHosts,
};
use toolpass_local::addresses::Looked;
use toolpass_wire::observe::Systems;

use crate::audit::AuditEvent;
use crate::credential::Source;
use crate::engine::{self, Asker};
use crate::entitlements;
use crate::host::is_async;
use crate::keeper::{self, Keeper};
use crate::limits;
use crate::outside;
use crate::reports::Reports;
use crate::unattributed;
use crate::watch::Pages;

/// One toolkit's settings; replaced as a whole.
#[pyclass(frozen, module = "toolpass._native")]
pub(crate) struct ToolkitCore {
    state: unattributed::Current,
    /// The open live pages, which outlast the settings.
    pages: Arc<Pages>,
    /// Whether it was said that a write left without anybody asked.
    warned_of_unasked_write: AtomicBool,
}

/// The settings at one moment.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) settings: Arc<Settings>,
    pub(crate) engine: Option<Asker>,
    pub(crate) session: Option<Py<PyAny>>,
    /// The same settings without arguments in events, for calls whose event nobody reads.
    pub(crate) unheard: Arc<Settings>,
    pub(crate) credentials: Option<Source>,
    pub(crate) on_refuse: OnRefuse,
    /// The store that keeps sessions.
    pub(crate) keeper: Option<Arc<Keeper>>,
    /// Where what calls do is recorded.
    pub(crate) recorder: Option<Arc<Recorder>>,
    /// When the connections' addresses were looked up last.
    pub(crate) looked: Arc<Looked>,
    /// The toolkit's open live pages.
    pub(crate) pages: Arc<Pages>,
    /// The server that calls are reported to.
    reports: Reports,
    audit: Sink,
    /// What a sink that follows calls is told at the begin of each, see [`State::follow`].
    begin: Option<Py<PyAny>>,
}

/// What the caller of a refused call gets.
#[derive(Default)]
pub(crate) enum OnRefuse {
    /// What this callable answers.
    Call(Py<PyAny>),
    /// The exception's text.
    Message,
    /// The exception.
    #[default]
    Raise,
}

/// Where audit events go.
#[derive(Default)]
enum Sink {
    /// One line on the logger of the toolkit.
    #[default]
    Log,
    /// Nowhere.
    None,
    /// A callable.
    Callable(Py<PyAny>),
}

impl ToolkitCore {
    pub(crate) fn state(&self) -> Arc<State> {
        Arc::clone(&self.state.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The open live pages.
    pub(crate) fn pages(&self) -> &Arc<Pages> {
        &self.pages
    }

    /// Say once that a write left although nobody can be asked about it.
    pub(crate) fn warn_of_unasked_write(&self, py: Python<'_>, tool: &str) {
        if self.warned_of_unasked_write.swap(true, Ordering::Relaxed) {
            return;
        }
        let text = "%s: a write request left and nobody was asked whether the user may: the toolkit has neither `permissions` nor `connections`; call toolpass.configure(permissions=...), or refuse such requests with unknown_hosts=\"refuse\"";
        // A warning that cannot be given changes nothing about the request.
        let _ = audit_logger(py).and_then(|logger| logger.call_method1("warning", (text, tool)));
    }
}

#[pymethods]
impl ToolkitCore {
    #[new]
    fn new() -> ToolkitCore {
        ToolkitCore {
            state: Arc::default(),
            pages: Arc::default(),
            warned_of_unasked_write: AtomicBool::new(false),
        }
    }

    /// Whether a live page of it is open.
    fn is_watched(&self) -> bool {
        self.pages.are_open()
    }

    /// Replace the settings. A rejected call changes nothing.
    fn configure(&self, py: Python<'_>, given: &Bound<'_, PyDict>) -> PyResult<()> {
        let state = Arc::new(State {
            pages: Arc::clone(&self.pages),
            ..read(py, given)?
        });
        let is_declared = state.settings.unattributed.is_some() && state.settings.intercept;
        *self.state.write().unwrap_or_else(PoisonError::into_inner) = state;
        if is_declared {
            unattributed::declare(&self.state);
            ensure_hooks(py)?; // a library that cannot be hooked refuses every call
        }
        Ok(())
    }
}

impl State {
    /// Tell a sink that follows calls that one begins. What it answers is the sink of that call, with `enter` and `leave` around
    /// its body.
    /// Errors: what is no `Exception`.
    pub(crate) fn follow(&self, py: Python<'_>, tool: &str) -> PyResult<Option<Py<PyAny>>> {
        let Some(begin) = &self.begin else {
            return Ok(None);
        };
        match begin.call1(py, (tool,)) {
            Ok(sink) => Ok(Some(sink)),
            Err(error) => log_raised(py, error, UNFOLLOWED).map(|()| None),
        }
    }

    /// Show a finished call on the open pages, report it, and hand its event to its sink. A sink that raises is logged, nothing else.
    /// Errors: what is no `Exception`.
    pub(crate) fn emit(&self, py: Python<'_>, event: guard::AuditEvent) -> PyResult<()> {
        self.emit_by(py, None, event)
    }

    /// The same of a call that has a sink of its own.
    /// Errors: what is no `Exception`.
    pub(crate) fn emit_by(
        &self,
        py: Python<'_>,
        own: Option<&Py<PyAny>>,
        event: guard::AuditEvent,
    ) -> PyResult<()> {
        self.pages.complete(&event);
        self.reports.push(py, &event);
        match self.send(py, own, event) {
            Ok(()) => Ok(()),
            Err(error) => log_raised(py, error, LOST),
        }
    }

    /// Report that a call's body is about to begin.
    pub(crate) fn begins(&self, py: Python<'_>, call: &Call) {
        if self.reports.are_on(py) {
            self.reports.push(py, &call.started(Asker::now()));
        }
    }

    /// Hand an event to its sink.
    /// Errors: what the sink raised.
    pub(crate) fn send(
        &self,
        py: Python<'_>,
        own: Option<&Py<PyAny>>,
        event: guard::AuditEvent,
    ) -> PyResult<()> {
        match (own, &self.audit) {
            (Some(sink), _) | (None, Sink::Callable(sink)) => {
                sink.call1(py, (AuditEvent::new(event),)).map(drop)
            }
            (None, Sink::None) => Ok(()),
            (None, Sink::Log) => log_event(py, event),
        }
    }

    /// Whether its systems are those that a server tells.
    pub(crate) fn is_served(&self) -> bool {
        matches!(self.settings.systems, KnownSystems::Served)
    }

    /// Which host is which connection, outside of calls; nothing when nobody tells.
    pub(crate) fn systems(&self, py: Python<'_>) -> PyResult<Option<Arc<Systems>>> {
        match (&self.settings.systems, &self.engine) {
            (KnownSystems::Known(systems), _) => Ok(Some(Arc::clone(systems))),
            (KnownSystems::Served, Some(engine)) => Ok(engine.endpoints(py)?.ok()),
            (KnownSystems::NeverTold | KnownSystems::Served, _) => Ok(None),
        }
    }

    /// Whether anybody reads events; when nobody does, none is made.
    pub(crate) fn wants_events(&self, py: Python<'_>) -> bool {
        if self.settings.on_audit_error == OnAuditError::Refuse
            || self.pages.are_open()
            || self.reports.are_on(py)
        {
            return true;
        }
        match &self.audit {
            Sink::None => false,
            Sink::Callable(_) => true,
            Sink::Log => audit_logger(py)
                .and_then(|logger| {
                    logger
                        .call_method1(pyo3::intern!(py, "isEnabledFor"), (INFO,))?
                        .is_truthy()
                })
                .unwrap_or(true),
        }
    }
}

/// Make sure the hooks are in place. Answers a library in use that cannot be looked at.
pub(crate) fn ensure_hooks(py: Python<'_>) -> PyResult<Option<String>> {
    static INSTALL: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    INSTALL
        .import(py, "toolpass._hooks._registry", "install")?
        .call0()?
        .extract()
}

/// Log what a sink raised.
/// Errors: what is no `Exception`.
pub(crate) fn log_raised(py: Python<'_>, error: PyErr, text: &str) -> PyResult<()> {
    if !error.is_instance_of::<PyException>(py) {
        return Err(error);
    }
    // A logger that raises as well leaves nobody to tell.
    let _ = audit_logger(py).and_then(|logger| {
        let kwargs = PyDict::new(py);
        kwargs.set_item("exc_info", error.value(py))?;
        logger.call_method("error", (text,), Some(&kwargs))
    });
    Ok(())
}

const LOST: &str = "the audit sink raised; the event is lost";

/// What is said when a sink could not be told how far a call is.
pub(crate) const UNFOLLOWED: &str = "the audit sink raised; it does not follow this call";

/// `logging.INFO`.
const INFO: u8 = 20;

fn log_event(py: Python<'_>, event: guard::AuditEvent) -> PyResult<()> {
    let line = AuditEvent::new(event);
    let line = Bound::new(py, line)?.call_method0("to_json")?;
    audit_logger(py)?
        .call_method1("info", ("%s", line))
        .map(drop)
}

/// The logger of the toolkit.
pub(crate) fn audit_logger<'py>(py: Python<'py>) -> PyResult<&'py Bound<'py, PyAny>> {
    static LOGGER: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let logger = LOGGER.get_or_try_init(py, || {
        py.import("logging")?
            .call_method1("getLogger", ("toolpass.toolkit",))
            .map(Bound::unbind)
    })?;
    Ok(logger.bind(py))
}

fn read(py: Python<'_>, given: &Bound<'_, PyDict>) -> PyResult<State> {
    let setting = |name: &str| -> PyResult<Option<Bound<'_, PyAny>>> {
        Ok(given.get_item(name)?.filter(|value| !value.is_none()))
    };
    let flag = |name: &str, default: bool| -> PyResult<bool> {
        match given.get_item(name)? {
            None => Ok(default),
            Some(value) => value.extract().map_err(|_| {
                PyTypeError::new_err(format!("expected `{name}` to be True or False"))
            }),
        }
    };
    flag("strict_types", false)?; // the face reads it, when a tool is declared
    let permissions = setting("permissions")?;
    let connections = setting("connections")?;
    let systems = engine::systems(py, permissions.as_ref(), connections.as_ref())?;
    let asked = permissions.as_ref().and_then(engine::behind_server);
    let held = entitlements::of_settings(
        py,
        setting("entitlements")?.as_ref(),
        setting("record")?.as_ref(),
        flag("record_partial", false)?,
    )?;
    let keeper = keeper::of_settings(
        setting("session_store")?.as_ref(),
        setting("session_secret")?.as_ref(),
        setting("session_idle")?.as_ref(),
        asked.as_ref(),
    )?;
    let audit = sink(given)?;
    let settings = Settings {
        limits: limits::of_effects(setting("limits")?.as_ref())?,
        session_store: keeper.as_ref().map(|keeper| keeper.id()),
        windows: limits::windows(),
        act_as: one_of(
            "act_as",
            setting("act_as")?.as_ref(),
            &[("user", ActAs::User), ("agent", ActAs::Agent)],
        )?,
        strict: flag("strict", false)?,
        unknown_hosts: one_of(
            "unknown_hosts",
            setting("unknown_hosts")?.as_ref(),
            UNKNOWN_HOSTS,
        )?,
        subprocess: subprocess(setting("subprocess")?.as_ref())?,
        unattributed: unattributed_requests(setting("unattributed")?.as_ref())?,
        fresh_effects: fresh_effects(setting("fresh_effects")?.as_ref())?,
        intercept: flag("intercept", true)?,
        private: setting("private")?
            .map(|value| texts("private", &value))
            .transpose()?
            .unwrap_or_default(),
        engine: if permissions.is_some() {
            EngineState::Present
        } else {
            EngineState::Absent
        },
        has_connections: connections.is_some(),
        systems,
        exfiltration: exfiltration(setting("exfiltration")?.as_ref())?,
        audit_arguments: flag("audit_arguments", true)?,
        on_audit_error: on_audit_error(setting("audit_on_error")?.as_ref(), &audit)?,
        fence_untrusted: flag("fence_untrusted", true)?,
        fence_structured: one_of(
            "fence_structured",
            setting("fence_structured")?.as_ref(),
            outside::STYLES,
        )?,
        untrusted_tokens: one_of(
            "untrusted_tokens",
            setting("untrusted_tokens")?.as_ref(),
            outside::TOKENS,
        )?,
        provenance: outside::provenance(setting("provenance")?.as_ref())?,
        after_untrusted: outside::gate(setting("after_untrusted")?.as_ref())?,
        on_missing: one_of(
            "on_missing",
            setting("on_missing")?.as_ref(),
            &[("refuse", OnMissing::Refuse), ("warn", OnMissing::Warn)],
        )?,
        record: held.recorder.is_some(),
        entitlements: held.entitlements,
    };
    Ok(State {
        unheard: Arc::new(Settings {
            audit_arguments: false,
            ..settings.clone()
        }),
        settings: Arc::new(settings),
        engine: permissions.map(|engine| Asker::of(&engine)),
        session: session_source(setting("session")?)?,
        credentials: setting("credentials")?
            .map(|source| Source::of(&source))
            .transpose()?,
        on_refuse: on_refuse(setting("on_refuse")?)?,
        keeper,
        recorder: held.recorder,
        looked: Arc::default(),
        pages: Arc::default(),
        reports: Reports::new(
            dashboard_arguments(setting("dashboard_arguments")?.as_ref(), asked.is_some())?,
            asked,
        ),
        begin: follows(given)?,
        audit,
    })
}

/// Whether arguments are reported: unless it is said, to a server that is asked about them anyway. With an engine in this process
/// nobody was asked whether they may go to one.
/// Errors: `TypeError` for anything else than a truth value.
fn dashboard_arguments(value: Option<&Bound<'_, PyAny>>, asks_server: bool) -> PyResult<bool> {
    value.map_or(Ok(asks_server), |value| {
        value.extract().map_err(|_| {
            PyTypeError::new_err("expected `dashboard_arguments` to be True, False or None")
        })
    })
}

/// Errors: `ValueError` when calls are to be refused without a sink that says whether it wrote.
fn on_audit_error(value: Option<&Bound<'_, PyAny>>, audit: &Sink) -> PyResult<OnAuditError> {
    let chosen = one_of(
        "audit_on_error",
        value,
        &[
            ("ignore", OnAuditError::Ignore),
            ("refuse", OnAuditError::Refuse),
        ],
    )?;
    match (chosen, audit) {
        (OnAuditError::Refuse, Sink::Log | Sink::None) => Err(PyValueError::new_err(
            "expected `audit` to be a sink that raises when it cannot write, such as `audit_file(...)`, for `audit_on_error=\"refuse\"`",
        )),
        (OnAuditError::Ignore | OnAuditError::Refuse, _) => Ok(chosen),
    }
}

/// Errors: `ValueError`, for `"proxy"` too, which needs a proxy that there is not yet.
fn subprocess(value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Subprocess>> {
    if value.is_some_and(|value| value.extract::<&str>().is_ok_and(|text| text == "proxy")) {
        return Err(PyValueError::new_err(
            "`subprocess` cannot be \"proxy\" in this version, which has no proxy for programs; it is \"allow\" or \"refuse\"",
        ));
    }
    value
        .map(|value| one_of("subprocess", Some(value), SUBPROCESS))
        .transpose()
}

fn unattributed_requests(value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Unattributed>> {
    value
        .map(|value| one_of("unattributed", Some(value), UNATTRIBUTED))
        .transpose()
}

const SUBPROCESS: &[(&str, Subprocess)] =
    &[("allow", Subprocess::Allow), ("refuse", Subprocess::Refuse)];

const UNATTRIBUTED: &[(&str, Unattributed)] = &[
    ("audit", Unattributed::Audit),
    ("refuse", Unattributed::Refuse),
];

const UNKNOWN_HOSTS: &[(&str, UnknownHosts)] = &[
    ("guarded", UnknownHosts::Guarded),
    ("allow", UnknownHosts::Allow),
    ("refuse", UnknownHosts::Refuse),
];

fn sink(given: &Bound<'_, PyDict>) -> PyResult<Sink> {
    let Some(sink) = given.get_item("audit")? else {
        return Ok(Sink::Log);
    };
    if sink.is_none() {
        return Ok(Sink::None);
    }
    if sink.hasattr("__toolpass_log_audit__")? {
        return Ok(Sink::Log);
    }
    reject_async("audit", &sink)?;
    Ok(callable("audit", Some(sink))?.map_or(Sink::None, Sink::Callable))
}

/// Whether the guard against exfiltration is on.
fn exfiltration(value: Option<&Bound<'_, PyAny>>) -> PyResult<bool> {
    if value.is_some_and(|value| value.extract::<&str>().is_ok_and(|text| text == "approve")) {
        return Err(PyValueError::new_err(
            "`exfiltration` cannot be \"approve\": approvals were removed; it is \"refuse\" or \"off\"",
        ));
    }
    one_of("exfiltration", value, &[("refuse", true), ("off", false)])
}

/// What an async function answers is no session and no result.
fn reject_async(name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    if is_async(value)? {
        return Err(PyTypeError::new_err(format!(
            "expected `{name}` to be an ordinary function; nobody would await what an async one answers"
        )));
    }
    Ok(())
}

/// How a sink is told of the begin of a call, when it wants to be.
fn follows(given: &Bound<'_, PyDict>) -> PyResult<Option<Py<PyAny>>> {
    match given.get_item("audit")? {
        Some(sink) if !sink.is_none() => {
            Ok(sink.getattr_opt("__toolpass_begin__")?.map(Bound::unbind))
        }
        Some(_) | None => Ok(None),
    }
}

fn session_source(value: Option<Bound<'_, PyAny>>) -> PyResult<Option<Py<PyAny>>> {
    match value {
        Some(value) if !value.is_callable() && !value.hasattr("get")? => Err(PyTypeError::new_err(
            "expected `session` to be a context variable or a callable without arguments",
        )),
        Some(value) => {
            reject_async("session", &value)?;
            Ok(Some(value.unbind()))
        }
        None => Ok(None),
    }
}

fn on_refuse(value: Option<Bound<'_, PyAny>>) -> PyResult<OnRefuse> {
    match value {
        None => Ok(OnRefuse::Raise),
        Some(value) if value.extract::<&str>().is_ok_and(|text| text == "message") => {
            Ok(OnRefuse::Message)
        }
        Some(value) if value.is_callable() => {
            reject_async("on_refuse", &value)?;
            Ok(OnRefuse::Call(value.unbind()))
        }
        Some(_) => Err(PyTypeError::new_err(
            "expected `on_refuse` to be a callable or \"message\"",
        )),
    }
}

fn callable(name: &str, value: Option<Bound<'_, PyAny>>) -> PyResult<Option<Py<PyAny>>> {
    match value {
        Some(value) if !value.is_callable() => Err(PyTypeError::new_err(format!(
            "expected `{name}` to be callable"
        ))),
        other => Ok(other.map(Bound::unbind)),
    }
}

/// A closed set of texts; the first is the default.
pub(crate) fn one_of<T: Copy>(
    name: &str,
    value: Option<&Bound<'_, PyAny>>,
    choices: &[(&str, T)],
) -> PyResult<T> {
    let accepted = || {
        choices
            .iter()
            .map(|(text, _)| format!("{text:?}"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let wrong = || PyValueError::new_err(format!("expected `{name}` to be one of {}", accepted()));
    let text = match value {
        None => None,
        Some(value) => Some(value.extract::<String>().map_err(|_| wrong())?),
    };
    let found = match text.as_deref() {
        None => choices.first(),
        Some(text) => choices.iter().find(|(choice, _)| *choice == text),
    };
    found.map(|(_, chosen)| *chosen).ok_or_else(wrong)
}

fn fresh_effects(value: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<Effect>> {
    let Some(value) = value else {
        return Ok(vec![Effect::Destructive]);
    };
    let wrong = || {
        PyValueError::new_err(
            "expected `fresh_effects` to hold only `read`, `write` and `destructive`",
        )
    };
    texts("fresh_effects", value)?
        .iter()
        .map(|name| Effect::parse(name).ok_or_else(wrong))
        .collect()
}

/// An iterable of texts; a bare text is refused, since its letters would be taken for them.
pub(crate) fn texts(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let wrong = || PyTypeError::new_err(format!("expected `{name}` to be an iterable of texts"));
    if value.is_instance_of::<pyo3::types::PyString>() {
        return Err(wrong());
    }
    value
        .try_iter()
        .map_err(|_| wrong())?
        .map(|item| item?.extract().map_err(|_| wrong()))
        .collect()
}
