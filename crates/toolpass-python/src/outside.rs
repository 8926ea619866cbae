//! What settings and declarations say about text from outside, as the face spelled it.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use toolpass_core::effect::Effect;
use toolpass_guard::fence::structured::Style;
use toolpass_guard::taint::gate::{AfterUntrusted, Gate};
use toolpass_guard::taint::provenance::Rules;
use toolpass_guard::taint::record::Tokens;
use toolpass_guard::tool::{Inputs, Outside, Parameter, ParameterKind, Tool};

use crate::declare::{index_of, mapping, maybe_value};
use crate::toolkit::{one_of, texts};

/// How structured output is fenced; the first is the default.
pub(crate) const STYLES: &[(&str, Option<Style>)] = &[
    ("off", None),
    ("leaves", Some(Style::Leaves)),
    ("json", Some(Style::Json)),
];

/// Which arguments are held to single tokens; the first is the default.
pub(crate) const TOKENS: &[(&str, Tokens)] = &[
    ("destinations", Tokens::Destinations),
    ("all", Tokens::All),
    ("off", Tokens::Off),
];

const AFTER: &[(&str, AfterUntrusted)] = &[
    ("check", AfterUntrusted::Check),
    ("refuse", AfterUntrusted::Refuse),
];

const INPUTS: &[(&str, Inputs)] = &[("check", Inputs::Check), ("ignore", Inputs::Ignore)];

/// The setting `after_untrusted`: what becomes of each effect.
pub(crate) fn gate(value: Option<&Bound<'_, PyAny>>) -> PyResult<Gate> {
    let mut gate = Gate::default();
    let Some(value) = value else { return Ok(gate) };
    let wrong = || {
        PyValueError::new_err(
            "expected `after_untrusted` to map `read`, `write` or `destructive` to \"check\" or \"refuse\"",
        )
    };
    for pair in value
        .call_method0("items")
        .map_err(|_| wrong())?
        .try_iter()?
    {
        let (name, after): (String, Bound<'_, PyAny>) = pair?.extract().map_err(|_| wrong())?;
        let after = one_of("after_untrusted", Some(&after), AFTER)?;
        match Effect::parse(&name).ok_or_else(wrong)? {
            Effect::Read => gate.read = after,
            Effect::Write => gate.write = after,
            Effect::Destructive => gate.destructive = after,
        }
    }
    Ok(gate)
}

/// The setting `provenance`: which rules hold about who named a value.
/// Errors: `ValueError`, for anything but names of rules.
pub(crate) fn provenance(value: Option<&Bound<'_, PyAny>>) -> PyResult<Rules> {
    let Some(value) = value else {
        return Ok(Rules::default());
    };
    let mut rules = Rules::NONE;
    for name in texts("provenance", value)? {
        match name.as_str() {
            "destinations" => rules.destinations = true,
            "fetches" => rules.fetches = true,
            "links" => rules.links = true,
            "objects" => rules.objects = true,
            _ => {
                return Err(PyValueError::new_err(
                    "expected `provenance` to hold \"destinations\", \"fetches\", \"links\" or \"objects\"",
                ));
            }
        }
    }
    Ok(rules)
}

/// What a tool's declaration says.
/// Errors: `TypeError`, `ValueError`, each naming the argument of the decorator.
pub(crate) fn of_tool(given: &Bound<'_, PyDict>, parameters: &[Parameter]) -> PyResult<Outside> {
    let mut outside = Outside {
        declared: declared(given)?,
        ..Outside::default()
    };
    match maybe_value(given, "untrusted_inputs")? {
        None => {}
        Some(value) if value.is_instance_of::<PyString>() => {
            outside.inputs = Some(one_of("untrusted_inputs", Some(&value), INPUTS)?);
        }
        Some(value) if !value.hasattr("items")? => {
            return Err(PyValueError::new_err(
                "expected `untrusted_inputs` to be \"check\", \"ignore\", or a mapping from arguments to these",
            ));
        }
        Some(_) => {
            for (name, inputs) in mapping(given, "untrusted_inputs")? {
                let index = index_of(parameters, "untrusted_inputs", &name)?;
                let inputs = one_of("untrusted_inputs", Some(&inputs), INPUTS)?;
                outside.of_parameters.push((index, inputs));
            }
        }
    }
    if let Some(names) = maybe_value(given, "destinations")? {
        let places = texts("destinations", &names)?;
        let places = places
            .iter()
            .map(|name| index_of(parameters, "destinations", name));
        outside.destinations = Some(places.collect::<PyResult<_>>()?);
    }
    if let Some(after) = maybe_value(given, "after_untrusted")? {
        outside.after = Some(one_of("after_untrusted", Some(&after), AFTER)?);
    }
    if let Some(style) = maybe_value(given, "fence_structured")? {
        outside.structured = Some(one_of("fence_structured", Some(&style), STYLES)?);
    }
    if let Some(fields) = maybe_value(given, "fence_fields")? {
        outside.fields = texts("fence_fields", &fields)?;
    }
    outside.behind_handle = is_behind_handle(given)?;
    if let Some(names) = maybe_value(given, "handles")? {
        let names = texts("handles", &names)?;
        let places = names
            .iter()
            .map(|name| index_of(parameters, "handles", name));
        outside.handles = places.collect::<PyResult<_>>()?;
    }
    let is_fenced = is_untrusted(given)? && !outside.behind_handle;
    if !outside.fields.is_empty() && !is_fenced {
        return Err(PyTypeError::new_err(
            "`fence_fields` is for a tool with `untrusted_output=True`",
        ));
    }
    Ok(outside)
}

/// Whether a tool's output is outside text.
/// Errors: `TypeError` for neither a truth value nor `"handle"`.
pub(crate) fn is_untrusted(given: &Bound<'_, PyDict>) -> PyResult<bool> {
    let Some(value) = maybe_value(given, "untrusted_output")? else {
        return Ok(false);
    };
    if is_behind_handle(given)? {
        return Ok(true);
    }
    value.extract().map_err(|_| {
        PyTypeError::new_err("expected `untrusted_output` to be True, False or \"handle\"")
    })
}

fn is_behind_handle(given: &Bound<'_, PyDict>) -> PyResult<bool> {
    let value = maybe_value(given, "untrusted_output")?;
    Ok(value.is_some_and(|value| value.extract::<&str>().is_ok_and(|text| text == "handle")))
}

/// Whether outside text may stand in every parameter that a tool lets a handle stand in.
/// Errors: `ValueError` for one that says where something goes or what is asked about, `TypeError` for one that takes several values.
pub(crate) fn check_handles(given: &Bound<'_, PyDict>, tool: &Tool) -> PyResult<()> {
    let fields: Vec<String> = match maybe_value(given, "authorize")? {
        Some(authorize) => authorize
            .getattr("__toolpass_fields__")
            .and_then(|fields| texts("__toolpass_fields__", &fields))
            .unwrap_or_default(),
        None => Vec::new(),
    };
    for place in &tool.outside.handles {
        let Some(parameter) = tool.parameters.get(*place) else {
            continue;
        };
        let name = &parameter.name;
        if matches!(
            parameter.kind,
            ParameterKind::Names | ParameterKind::Positions
        ) {
            return Err(PyTypeError::new_err(format!(
                "`handles` names `{name}`, which takes any number of values; a handle is one whole argument"
            )));
        }
        if tool.is_destination(*place) {
            return Err(PyValueError::new_err(format!(
                "`handles` names `{name}`, which says where something goes; outside text may not choose that"
            )));
        }
        if fields.contains(name) {
            return Err(PyValueError::new_err(format!(
                "`handles` names `{name}`, from which the authorizer's resource is filled; outside text may not choose that"
            )));
        }
    }
    Ok(())
}

/// The texts that scope rules admit word for word.
fn declared(given: &Bound<'_, PyDict>) -> PyResult<Vec<String>> {
    let mut declared = Vec::new();
    for (_, rule) in mapping(given, "scope")? {
        let rule = rule.getattr("__toolpass_literal__").unwrap_or(rule);
        match rule.extract::<String>() {
            Ok(glob) => declared.push(glob),
            Err(_) if rule.is_callable() => {}
            Err(_) => declared.extend(rule.extract::<Vec<String>>().unwrap_or_default()),
        }
    }
    declared.retain(|glob| !glob.contains(['*', '?', '[']));
    Ok(declared)
}
