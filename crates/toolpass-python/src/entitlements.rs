//! `toolpass.Entitlement`, `ToolEntitlements`, `Entitlements`, `ActionRecorder`, and the settings that are made of them.
//!
//! What an entry means is the guard's, what a file is `toolpass-entitlements`'; here both meet Python values.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyList, PyMapping, PyString, PyTuple};
use toolpass_core::effect::Effect;
use toolpass_entitlements::load::{Error, load};
use toolpass_entitlements::recorder::Recorder;
use toolpass_guard::audit::CallOutcome;
use toolpass_guard::entitlements::arguments::Arguments;
use toolpass_guard::entitlements::enforce::covers_host;
use toolpass_guard::entitlements::host::{HostPattern, Listed};
use toolpass_guard::entitlements::model::{self, ActionName};
use toolpass_guard::entitlements::pattern::{Escape, ResourcePattern};
use toolpass_guard::entitlements::read::{Content, Node, Reading, read};
use toolpass_guard::entitlements::record::{Partial, Recording, Run};
use toolpass_guard::settings::ActAs;
use toolpass_wire::request::Scheme;

use crate::audit::ObservedAction;
use crate::toolkit::{audit_logger, texts};
use crate::value::{PyValue, type_name};

/// One action a tool may do, on the resources its text describes.
#[pyclass(frozen, weakref, eq, module = "toolpass")]
#[derive(Clone, PartialEq)]
pub(crate) struct Entitlement(model::Entitlement);

/// What one tool may do: its actions, and the hosts of no connection that its body may call.
#[pyclass(frozen, weakref, eq, module = "toolpass")]
#[derive(Clone, PartialEq)]
pub(crate) struct ToolEntitlements {
    #[pyo3(get)]
    tool: String,
    entry: model::ToolEntitlements,
}

/// What tools may do, as a file of entitlements says.
#[pyclass(frozen, weakref, eq, module = "toolpass")]
#[derive(Clone, PartialEq)]
pub(crate) struct Entitlements(Arc<model::Entitlements>);

/// Records what calls did into a file of entitlements.
#[pyclass(frozen, weakref, module = "toolpass")]
pub(crate) struct ActionRecorder(Recorder);

/// What `configure` was given.
#[derive(Default)]
pub(crate) struct Given {
    pub(crate) entitlements: Option<Arc<model::Entitlements>>,
    pub(crate) recorder: Option<Arc<Recorder>>,
}

#[pymethods]
impl Entitlement {
    #[new]
    #[pyo3(signature = (action, resource = "", as_ = "user", effect = "write"))]
    fn new(action: &str, resource: &str, as_: &str, effect: &str) -> PyResult<Entitlement> {
        let wrong = |name: &str, error: &dyn std::fmt::Display| {
            PyValueError::new_err(format!("`{name}`: {error}"))
        };
        let action = ActionName::parse(action).map_err(|error| wrong("action", &error))?;
        let resource =
            ResourcePattern::parse(resource).map_err(|error| wrong("resource", &error))?;
        let acts_as = match as_ {
            "agent" => ActAs::Agent,
            "user" => ActAs::User,
            _ => return Err(wrong("as_", &"expected \"user\" or \"agent\"")),
        };
        let effect = Effect::parse(effect)
            .ok_or_else(|| wrong("effect", &"expected \"read\", \"write\" or \"destructive\""))?;
        Ok(Entitlement(model::Entitlement {
            acts_as,
            effect,
            ..model::Entitlement::new(action, resource)
        }))
    }

    #[getter]
    fn action(&self) -> &str {
        self.0.action.as_str()
    }
    #[getter]
    fn resource(&self) -> &str {
        self.0.resource.as_str()
    }
    #[getter]
    fn as_(&self) -> &'static str {
        self.0.acts_as_str()
    }
    #[getter]
    fn effect(&self) -> &'static str {
        self.0.effect.as_str()
    }
    #[getter]
    fn integration(&self) -> &str {
        self.0.action.integration()
    }
    #[getter]
    fn name(&self) -> &str {
        self.0.action.name()
    }
    #[getter]
    fn is_glob(&self) -> bool {
        self.0.resource.is_glob()
    }
    #[getter]
    fn fresh(&self) -> bool {
        self.0.fresh
    }
    #[getter]
    fn limit(&self) -> Option<u32> {
        self.0.limit
    }

    /// The arguments the resource names, each once.
    fn fields(&self) -> Vec<&str> {
        self.0.resource.fields()
    }

    /// The resource with the arguments in it; `None` when they do not fill it, or fill it in several ways.
    #[pyo3(signature = (arguments, escape = false))]
    fn fill(&self, arguments: &Bound<'_, PyAny>, escape: bool) -> PyResult<Option<String>> {
        let escape = if escape { Escape::Yes } else { Escape::No };
        let mut filled = self.0.resource.fill(&given(arguments)?, escape);
        Ok(filled.pop().filter(|_| filled.is_empty()))
    }

    /// Whether the resource is covered in a call with these arguments.
    fn matches(&self, resource: &str, arguments: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(self.0.resource.matches(resource, &given(arguments)?))
    }

    /// The entry as in a file.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("action", self.action())?;
        dict.set_item("resource", self.resource())?;
        dict.set_item("as", self.as_())?;
        dict.set_item("effect", self.effect())?;
        if self.0.fresh {
            dict.set_item("fresh", true)?;
        }
        for (key, value) in [("limit", self.0.limit), ("seen", self.0.seen)] {
            if let Some(value) = value {
                dict.set_item(key, value)?;
            }
        }
        if let Some(candidate) = &self.0.candidate {
            dict.set_item("candidate", candidate.as_str())?;
        }
        Ok(dict)
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        self.0.key().hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        format!(
            "Entitlement({:?}, {:?}, as_={:?}, effect={:?})",
            self.action(),
            self.resource(),
            self.as_(),
            self.effect()
        )
    }
}

#[pymethods]
impl ToolEntitlements {
    #[new]
    #[pyo3(signature = (tool, actions = Vec::new(), hosts = None))]
    fn new(
        tool: String,
        actions: Vec<Bound<'_, Entitlement>>,
        hosts: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<ToolEntitlements> {
        let hosts = hosts
            .map(|hosts| texts("hosts", hosts))
            .transpose()?
            .unwrap_or_default();
        let host = |text: &String| {
            HostPattern::parse(text)
                .map_err(|error| PyValueError::new_err(format!("`hosts`: {error}")))
        };
        let entry = model::ToolEntitlements {
            hosts: hosts.iter().map(host).collect::<PyResult<_>>()?,
            actions: actions
                .iter()
                .map(|action| action.get().0.clone())
                .collect(),
        };
        Ok(ToolEntitlements { tool, entry })
    }

    #[getter]
    fn actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.entry.actions.iter().cloned().map(Entitlement))
    }
    #[getter]
    fn hosts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.entry.hosts.iter().map(HostPattern::as_str))
    }

    /// The strongest effect of its actions; `None` without actions.
    fn effect(&self) -> Option<&'static str> {
        self.entry.effect().map(Effect::as_str)
    }

    /// The first entry of an action, `integration:action`, that covers a resource in a call with these arguments. An action
    /// without a resource is covered by any entry of its name.
    fn find(
        &self,
        name: &str,
        resource: Option<&str>,
        arguments: &Bound<'_, PyAny>,
    ) -> PyResult<Option<Entitlement>> {
        let arguments = given(arguments)?;
        let covers = |entry: &&model::Entitlement| {
            entry.action.as_str() == name
                && resource.is_none_or(|resource| entry.resource.matches(resource, &arguments))
        };
        Ok(self
            .entry
            .actions
            .iter()
            .find(covers)
            .cloned()
            .map(Entitlement))
    }

    /// Whether a host, with its port when that is not 443, is listed.
    fn allows_host(&self, host: &str) -> PyResult<bool> {
        let (host, port) = match host
            .rsplit_once(':')
            .map(|(host, port)| (host, port.parse()))
        {
            Some((host, Ok(port))) => (host, port),
            _ => (host, 443),
        };
        let host = toolpass_wire::host::canonical(host)
            .map_err(|_| PyValueError::new_err("expected a host such as \"ci.example.com\""))?;
        Ok(covers_host(&self.entry, &Scheme::parse("https"), &host, port) != Listed::No)
    }

    /// The entry as in a file.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        if !self.entry.hosts.is_empty() {
            dict.set_item(
                "hosts",
                PyList::new(py, self.entry.hosts.iter().map(HostPattern::as_str))?,
            )?;
        }
        let actions = self
            .entry
            .actions
            .iter()
            .map(|action| Entitlement(action.clone()).to_dict(py));
        dict.set_item("actions", actions.collect::<PyResult<Vec<_>>>()?)?;
        Ok(dict)
    }

    fn __repr__(&self) -> String {
        format!(
            "ToolEntitlements({:?}, {} actions, {} hosts)",
            self.tool,
            self.entry.actions.len(),
            self.entry.hosts.len()
        )
    }
}

impl ToolEntitlements {
    pub(crate) fn of(tool: &str, entry: &model::ToolEntitlements) -> ToolEntitlements {
        ToolEntitlements {
            tool: tool.into(),
            entry: entry.clone(),
        }
    }
}

#[pymethods]
impl Entitlements {
    /// Read a mapping of the form of a file: `{"tools": {name: {"hosts": [...], "actions": [...]}}}`.
    #[staticmethod]
    fn from_mapping(mapping: &Bound<'_, PyAny>) -> PyResult<Entitlements> {
        Ok(Entitlements(Arc::new(of_mapping(mapping)?.entitlements)))
    }

    /// Read a file.
    #[staticmethod]
    fn load(path: PathBuf) -> PyResult<Entitlements> {
        Ok(Entitlements(Arc::new(
            load(&path).map_err(raised)?.entitlements,
        )))
    }

    /// What one tool may do; `None` when it is not listed.
    fn for_tool(&self, tool: &str) -> Option<ToolEntitlements> {
        self.0
            .for_tool(tool)
            .map(|entry| ToolEntitlements::of(tool, entry))
    }

    /// The names of the tools, sorted.
    fn tools(&self) -> Vec<&str> {
        self.0.tools().map(|(tool, _)| tool).collect()
    }

    /// The mapping that `from_mapping` reads.
    fn to_mapping<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tools = PyDict::new(py);
        for (tool, entry) in self.0.tools() {
            tools.set_item(tool, ToolEntitlements::of(tool, entry).to_dict(py)?)?;
        }
        let mapping = PyDict::new(py);
        mapping.set_item("tools", tools)?;
        Ok(mapping)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __repr__(&self) -> String {
        format!("Entitlements({:?})", self.tools())
    }
}

#[pymethods]
impl ActionRecorder {
    #[new]
    fn new(path: PathBuf) -> ActionRecorder {
        ActionRecorder(Recorder::new(&path, Partial::Skip))
    }

    /// Record the allowed requests of one call that ran to its end.
    fn record(
        &self,
        py: Python<'_>,
        tool: &str,
        arguments: &Bound<'_, PyAny>,
        observed: Vec<Bound<'_, ObservedAction>>,
    ) -> PyResult<()> {
        let arguments = given(arguments)?;
        let actions: Vec<_> = observed
            .iter()
            .map(|action| action.get().inner().clone())
            .collect();
        let run = Run {
            tool,
            arguments: &arguments,
            outcome: CallOutcome::Ran,
            actions: &actions,
        };
        py.detach(|| self.0.record(run)).map(drop).map_err(raised)
    }
}

/// The settings `entitlements`, `record` and `record_partial`.
/// Errors: what is no path, mapping or `Entitlements`, and every problem of what it says.
pub(crate) fn of_settings(
    py: Python<'_>,
    entitlements: Option<&Bound<'_, PyAny>>,
    record: Option<&Bound<'_, PyAny>>,
    partial: bool,
) -> PyResult<Given> {
    let record: Option<PathBuf> = record
        .map(|path| path_of("record", path, "a path"))
        .transpose()?;
    let reading = entitlements
        .map(|given| reading(py, given, record.as_deref()))
        .transpose()?;
    let partial = if partial {
        Partial::Record
    } else {
        Partial::Skip
    };
    for ignored in reading.iter().flat_map(|reading| &reading.ignored) {
        warn(py, &format!("entitlements: {ignored}"));
    }
    Ok(Given {
        entitlements: reading.map(|reading| Arc::new(reading.entitlements)),
        recorder: record.map(|path| Arc::new(Recorder::new(&path, partial))),
    })
}

/// Record a call that is over. A failure is logged; it never changes the call.
pub(crate) fn record(py: Python<'_>, recorder: &Recorder, run: Run<'_>) {
    let tool = run.tool;
    match py.detach(|| recorder.record(run)) {
        Ok(Recording { unwritable, .. }) => {
            for what in unwritable {
                warn(
                    py,
                    &format!("{tool}: {what} cannot be recorded; no entry can say it"),
                );
            }
        }
        Err(error) => {
            let text = format!("{tool}: what the call did could not be recorded: {error}");
            // A logger that raises leaves nobody to tell.
            let _ = audit_logger(py).and_then(|logger| logger.call_method1("error", ("%s", text)));
        }
    }
}

/// One warning on the toolkit's logger.
pub(crate) fn warn(py: Python<'_>, text: &str) {
    // A warning that cannot be given changes nothing.
    let _ = audit_logger(py).and_then(|logger| logger.call_method1("warning", ("%s", text)));
}

fn reading(py: Python<'_>, given: &Bound<'_, PyAny>, record: Option<&Path>) -> PyResult<Reading> {
    if let Ok(made) = given.cast::<Entitlements>() {
        return Ok(Reading {
            entitlements: (*made.get().0).clone(),
            ..Reading::default()
        });
    }
    if given.cast::<PyMapping>().is_ok() {
        return of_mapping(given);
    }
    let path = path_of(
        "entitlements",
        given,
        "a path, a mapping or an `Entitlements`",
    )?;
    match load(&path) {
        Err(Error::Missing(file)) if record.is_some_and(|record| is_same(record, &path)) => {
            warn(
                py,
                &format!(
                    "{file}: there is no such file yet, so nothing is enforced until it is recorded and read again"
                ),
            );
            Ok(Reading::default())
        }
        other => other.map_err(raised),
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    match (std::path::absolute(one), std::path::absolute(other)) {
        (Ok(one), Ok(other)) => one == other,
        (Ok(_) | Err(_), _) => one == other,
    }
}

fn path_of(name: &str, given: &Bound<'_, PyAny>, expected: &str) -> PyResult<PathBuf> {
    given
        .extract()
        .map_err(|_| PyTypeError::new_err(format!("expected `{name}` to be {expected}")))
}

fn raised(error: Error) -> PyErr {
    let text = error.to_string();
    match error {
        Error::Invalid(_) => PyValueError::new_err(text),
        Error::Missing(_) => PyFileNotFoundError::new_err(text),
        Error::Unusable { .. } => PyOSError::new_err(text),
    }
}

fn of_mapping(mapping: &Bound<'_, PyAny>) -> PyResult<Reading> {
    if mapping.cast::<PyMapping>().is_err() {
        return Err(PyTypeError::new_err(
            "expected a mapping with the key `tools`",
        ));
    }
    read(&node(mapping, MAX_DEPTH)?).map_err(|problems| {
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        PyValueError::new_err(format!("entitlements: {}", lines.join("\n")))
    })
}

/// A Python value as the tree that entitlements are read from.
fn node(value: &Bound<'_, PyAny>, levels: usize) -> PyResult<Node> {
    let content = if value.is_none() {
        Content::Null
    } else if let Ok(text) = value.cast::<PyString>() {
        Content::Text(text.to_str()?.into())
    } else if let Ok(truth) = value.cast::<PyBool>() {
        Content::Text(truth.is_true().to_string())
    } else if value.is_instance_of::<PyInt>() {
        Content::Text(value.str()?.to_str()?.into())
    } else if levels == 0 {
        Content::Other("a value nested too deep".into())
    } else if let Ok(mapping) = value.cast::<PyMapping>() {
        let pair = |pair: Bound<'_, PyAny>| -> PyResult<(Node, Node)> {
            let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
            Ok((node(&key, 0)?, node(&value, levels - 1)?))
        };
        Content::Mapping(mapping.items()?.iter().map(pair).collect::<PyResult<_>>()?)
    } else if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        Content::List(
            value
                .try_iter()?
                .map(|item| node(&item?, levels - 1))
                .collect::<PyResult<_>>()?,
        )
    } else {
        Content::Other(type_name(value))
    };
    Ok(Node {
        line: None,
        content,
    })
}

/// The arguments of a call, given as a mapping.
fn given(arguments: &Bound<'_, PyAny>) -> PyResult<Arguments> {
    let wrong =
        || PyTypeError::new_err("expected `arguments` to be a mapping from names to values");
    let items = arguments
        .cast::<PyMapping>()
        .map_err(|_| wrong())?
        .items()?;
    let pairs = items.iter().map(|pair| {
        let (name, object): (String, Bound<'_, PyAny>) = pair.extract().map_err(|_| wrong())?;
        Ok((
            name,
            PyValue {
                object,
                classes: &[],
            },
        ))
    });
    Ok(Arguments::of_pairs(pairs.collect::<PyResult<Vec<_>>>()?))
}

/// How deep a mapping of entitlements is followed: tools, a tool, its actions, one action, a value.
const MAX_DEPTH: usize = 8;
