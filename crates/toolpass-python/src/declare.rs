//! A tool's declaration, as the face spelled it, compiled. Every mistake is an error here, when the function is decorated.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use toolpass_core::effect::Effect;
use toolpass_core::glob::Glob;
use toolpass_guard::hint::Hint;
use toolpass_guard::scope::{PredicateId, ScopeRule};
use toolpass_guard::tool::{Authorize, Disclosure, Parameter, ParameterKind, Tool};

use crate::disclosure;
use crate::hints;
use crate::host::{Callables, Predicate, is_async};
use crate::limits::limit;
use crate::outside;
use crate::permission::Permission;
use crate::toolkit::texts;
use crate::value::Class;

/// A compiled declaration, and the Python objects it refers to.
pub(crate) struct Declared {
    pub(crate) tool: Tool,
    pub(crate) callables: Callables,
    pub(crate) classes: Vec<Class>,
    pub(crate) defaults: Vec<Option<Py<PyAny>>>,
    pub(crate) secret_fields: Vec<String>,
    pub(crate) receiver: bool,
}

/// Compile a declaration: what `toolpass.tool(...)` was given, and the function's parameters as
/// `(name, kind, spelled hint, shown hint, default or the empty tuple)`.
/// Errors: `TypeError`, `ValueError`, each naming the argument of the decorator.
pub(crate) fn declare(
    given: &Bound<'_, PyDict>,
    parameters: &Bound<'_, PyList>,
) -> PyResult<Declared> {
    let mut classes = Vec::new();
    let mut callables = Callables::default();
    let mut defaults = Vec::new();
    let mut compiled = Vec::new();
    for parameter in parameters {
        let (name, kind, hint, shown, default): (
            String,
            u8,
            Bound<'_, PyAny>,
            String,
            Bound<'_, PyTuple>,
        ) = parameter.extract()?;
        let hint = per_item(kind, hints::compile(&hint, &mut classes)?);
        compiled.push(Parameter {
            name,
            kind: kind_of(kind)?,
            hint,
            hint_shown: shown,
            has_default: !default.is_empty(),
            validated: false,
            scope: None,
        });
        defaults.push(default.get_item(0).ok().map(Bound::unbind));
    }
    callables.validators = compiled.iter().map(|_| None).collect();
    validators(given, &mut compiled, &mut callables)?;
    scopes(given, &mut compiled, &mut callables)?;
    let outside = outside::of_tool(given, &compiled)?;
    let (reads_private, readers) = disclosure::readers(given, &mut callables)?;
    let (sends_out, audience) = disclosure::audience(given, &mut callables)?;
    let tool = Tool {
        name: required(given, "name")?,
        effect: effect(given)?,
        parameters: compiled,
        resources: resources(given, &mut callables)?,
        limit: maybe_value(given, "limit")?
            .map(|value| limit("limit", &value))
            .transpose()?,
        authorize: authorizer(given)?,
        credential: maybe(given, "credential")?,
        untrusted_output: outside::is_untrusted(given)?,
        reads_private,
        sends_out,
        disclosure: Disclosure { readers, audience },
        outside,
    };
    outside::check_handles(given, &tool)?;
    let secret_fields = maybe_value(given, "secret_fields")?
        .map(|fields| texts("secret_fields", &fields))
        .transpose()?
        .unwrap_or_default();
    Ok(Declared {
        tool,
        callables,
        classes,
        defaults,
        secret_fields,
        receiver: flag(given, "receiver")?,
    })
}

/// `*args: T` holds a `T` each, `**kw: T` too.
fn per_item(kind: u8, hint: Hint) -> Hint {
    match kind {
        2 => Hint::TupleOf(Box::new(hint)),
        4 => Hint::Mapping(Box::new(Hint::Any), Box::new(hint)),
        _ => hint,
    }
}

/// The numbers of `inspect.Parameter.kind`.
fn kind_of(kind: u8) -> PyResult<ParameterKind> {
    Ok(match kind {
        0 => ParameterKind::PositionalOnly,
        1 => ParameterKind::Either,
        2 => ParameterKind::Positions,
        3 => ParameterKind::NameOnly,
        4 => ParameterKind::Names,
        other => {
            return Err(PyValueError::new_err(format!(
                "unknown kind of parameter {other}"
            )));
        }
    })
}

fn effect(given: &Bound<'_, PyDict>) -> PyResult<Option<Effect>> {
    let Some(name) = maybe_value(given, "effect")? else {
        return Ok(None);
    };
    let parsed = name.extract::<&str>().ok().and_then(Effect::parse);
    parsed.map(Some).ok_or_else(|| {
        PyValueError::new_err("expected `effect` to be \"read\", \"write\" or \"destructive\"")
    })
}

fn authorizer(given: &Bound<'_, PyDict>) -> PyResult<Option<Authorize>> {
    let Some(value) = maybe_value(given, "authorize")? else {
        return Ok(None);
    };
    if let Ok(permission) = value.cast::<Permission>() {
        return Ok(Some(Authorize::Permission(permission.get().question())));
    }
    if !value.is_callable() {
        return Err(PyTypeError::new_err("expected `authorize` to be callable"));
    }
    Ok(Some(Authorize::Host))
}

fn validators(
    given: &Bound<'_, PyDict>,
    parameters: &mut [Parameter],
    callables: &mut Callables,
) -> PyResult<()> {
    for (name, validator) in mapping(given, "validate")? {
        let index = index_of(parameters, "validate", &name)?;
        reject_async("validate", &name, &validator)?;
        if !validator.is_callable() {
            return Err(PyTypeError::new_err(format!(
                "expected the validator of `{name}` to be callable"
            )));
        }
        if let (Some(parameter), Some(slot)) = (
            parameters.get_mut(index),
            callables.validators.get_mut(index),
        ) {
            parameter.validated = true;
            *slot = Some(validator.unbind());
        }
    }
    Ok(())
}

fn scopes(
    given: &Bound<'_, PyDict>,
    parameters: &mut [Parameter],
    callables: &mut Callables,
) -> PyResult<()> {
    for (name, rule) in mapping(given, "scope")? {
        let index = index_of(parameters, "scope", &name)?;
        let rule = scope_rule("scope", &name, &rule, callables)?;
        if let Some(parameter) = parameters.get_mut(index) {
            parameter.scope = Some(rule);
        }
    }
    Ok(())
}

fn resources(
    given: &Bound<'_, PyDict>,
    callables: &mut Callables,
) -> PyResult<Vec<(String, ScopeRule)>> {
    let rules = mapping(given, "resources")?;
    rules
        .into_iter()
        .map(|(kind, rule)| {
            Ok((
                kind.clone(),
                scope_rule("resources", &kind, &rule, callables)?,
            ))
        })
        .collect()
}

/// One rule: a glob, a sequence of globs, a compiled pattern, a predicate, or `each(...)`/`whole(...)` around a predicate.
fn scope_rule(
    setting: &str,
    name: &str,
    rule: &Bound<'_, PyAny>,
    callables: &mut Callables,
) -> PyResult<ScopeRule> {
    let wrong = || {
        PyTypeError::new_err(format!(
            "expected the rule of `{name}` in `{setting}` to be a glob, a sequence of globs, a compiled pattern or a callable"
        ))
    };
    if let Ok(glob) = rule.extract::<String>() {
        return Ok(ScopeRule::Globs(vec![compile_glob(name, &glob)?]));
    }
    if rule.hasattr("fullmatch")? {
        return Ok(ScopeRule::EachItem(add(
            callables,
            Predicate::Pattern(rule.clone().unbind()),
        )));
    }
    if let Ok(globs) = rule.getattr("__toolpass_literal__") {
        return match scope_rule(setting, name, &globs, callables)? {
            ScopeRule::Globs(globs) => Ok(ScopeRule::Literal(globs)),
            ScopeRule::EachItem(_) | ScopeRule::Literal(_) | ScopeRule::Whole(_) => Err(wrong()),
        };
    }
    if let Ok(marked) = rule.getattr("__toolpass_whole__") {
        reject_async(setting, name, &marked)?;
        return Ok(ScopeRule::Whole(add(
            callables,
            Predicate::Callable(marked.unbind()),
        )));
    }
    if rule.is_callable() {
        reject_async(setting, name, rule)?;
        return Ok(ScopeRule::EachItem(add(
            callables,
            Predicate::Callable(rule.clone().unbind()),
        )));
    }
    let globs = rule.try_iter().map_err(|_| wrong())?;
    let globs = globs
        .map(|glob| compile_glob(name, &glob?.extract::<String>().map_err(|_| wrong())?))
        .collect::<PyResult<Vec<_>>>()?;
    Ok(ScopeRule::Globs(globs))
}

fn compile_glob(name: &str, glob: &str) -> PyResult<Glob> {
    Glob::compile(glob).map_err(|error| {
        PyValueError::new_err(format!("the glob of `{name}` cannot be used: {error}"))
    })
}

fn add(callables: &mut Callables, predicate: Predicate) -> PredicateId {
    callables.predicates.push(predicate);
    PredicateId(callables.predicates.len() - 1)
}

/// What an async function answers is true whatever it would say: it is no validator and no predicate.
pub(crate) fn reject_async(setting: &str, name: &str, callable: &Bound<'_, PyAny>) -> PyResult<()> {
    if is_async(callable)? {
        return Err(PyTypeError::new_err(format!(
            "expected the rule of `{name}` in `{setting}` to be an ordinary function, not an async one"
        )));
    }
    Ok(())
}

pub(crate) fn index_of(parameters: &[Parameter], setting: &str, name: &str) -> PyResult<usize> {
    let found = parameters
        .iter()
        .position(|parameter| parameter.name == name);
    found.ok_or_else(|| {
        PyTypeError::new_err(format!(
            "`{setting}` names `{name}`, which is no parameter of the function"
        ))
    })
}

pub(crate) fn mapping<'py>(
    given: &Bound<'py, PyDict>,
    key: &str,
) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
    let Some(value) = maybe_value(given, key)? else {
        return Ok(Vec::new());
    };
    let wrong = || {
        PyTypeError::new_err(format!(
            "expected `{key}` to be a mapping from names to rules"
        ))
    };
    if value.is_instance_of::<PyString>() {
        return Err(wrong());
    }
    let items = value.call_method0("items").map_err(|_| wrong())?;
    items
        .try_iter()?
        .map(|pair| pair?.extract().map_err(|_| wrong()))
        .collect()
}

pub(crate) fn maybe_value<'py>(
    given: &Bound<'py, PyDict>,
    key: &str,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    Ok(given.get_item(key)?.filter(|value| !value.is_none()))
}

fn maybe(given: &Bound<'_, PyDict>, key: &str) -> PyResult<Option<String>> {
    maybe_value(given, key)?
        .map(|value| {
            value
                .extract()
                .map_err(|_| PyTypeError::new_err(format!("expected `{key}` to be a text")))
        })
        .transpose()
}

fn required(given: &Bound<'_, PyDict>, key: &str) -> PyResult<String> {
    maybe(given, key)?.ok_or_else(|| PyTypeError::new_err(format!("expected `{key}` to be a text")))
}

fn flag(given: &Bound<'_, PyDict>, key: &str) -> PyResult<bool> {
    match maybe_value(given, key)? {
        None => Ok(false),
        Some(value) => value
            .extract()
            .map_err(|_| PyTypeError::new_err(format!("expected `{key}` to be True or False"))),
    }
}
