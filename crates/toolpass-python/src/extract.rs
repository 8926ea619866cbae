//! `Session.extract`: schemas compiled, values taken out and held to them. What is endorsed is the guard's to say.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyBool, PyDate, PyDateAccess, PyDateTime, PyDelta, PyDict, PyInt, PyString, PyTimeAccess,
    PyTuple, PyTzInfo, PyTzInfoAccess,
};
use toolpass_core::codes::RefusalCode;
use toolpass_guard::extract::{Endorsed, Extracted, Kind, Shape, endorse};
use toolpass_guard::handle::{self, Reference};
use toolpass_guard::refusal::Refusal;
use toolpass_guard::session::Session as Inner;
use toolpass_guard::value::ClassId;

use crate::errors;
use crate::guarded::handles::{kept_in, object};
use crate::session::Session;
use crate::source::OnThread;
use crate::value::{Class, PyValue};

/// The value behind a handle.
/// Errors: `ToolRefused` when there is none.
#[pyfunction]
pub(crate) fn kept<'py>(
    session: &Bound<'py, Session>,
    handle: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = session.py();
    let text = handle.extract::<String>().unwrap_or_default();
    let found = Reference::parse(&text)
        .and_then(|reference| session.get().inner().kept(&reference))
        .and_then(|(_, kept)| object(py, &kept));
    found.ok_or_else(|| refused(py, handle::names_nothing()))
}

/// What of an extractor's answer comes back: endorsed values, and handles of free texts.
/// Errors: `ToolRefused` for an answer that does not fit the schema.
#[pyfunction]
pub(crate) fn endorsed<'py>(
    session: &Bound<'py, Session>,
    schema: &Bound<'py, PyTuple>,
    answer: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut classes = Vec::new();
    let shape = compile(schema, &mut classes)?;
    let answer = PyValue {
        object: answer,
        classes: &classes,
    };
    let endorsed = endorse(&shape, &answer).map_err(|problem| refused(session.py(), problem))?;
    given_back(session.get().inner(), endorsed)
}

/// Call what stands outside every tool: its requests are no body's.
#[pyfunction]
pub(crate) fn apart<'py>(
    function: &Bound<'py, PyAny>,
    arguments: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    let _apart = OnThread::check();
    function.call1(arguments)
}

fn refused(py: Python<'_>, reason: String) -> PyErr {
    let refusal = Refusal::of_call(RefusalCode::InvalidArguments, EXTRACT, reason);
    errors::refused(py, &refusal)
}

fn given_back<'py>(
    session: &Inner,
    endorsed: Endorsed<PyValue<'_, 'py>>,
) -> PyResult<Bound<'py, PyAny>> {
    match endorsed {
        Endorsed::Fields(fields) => {
            let members = fields
                .into_iter()
                .map(|(name, member)| Ok((name, given_back(session, member)?)))
                .collect::<PyResult<Vec<_>>>()?;
            let py = members.first().map(|(_, member)| member.py());
            let dict = PyDict::new(py.ok_or_else(|| PyValueError::new_err("an empty schema"))?);
            for (name, member) in members {
                dict.set_item(name, member)?;
            }
            Ok(dict.into_any())
        }
        Endorsed::Kept(text) => {
            let (said, _, untold) = kept_in(session, EXTRACT, text.object)?;
            if let Some((_, operation)) = untold {
                session.tell_later(&operation);
            }
            Ok(said)
        }
        Endorsed::Value(value) => {
            if !value.object.is_none() && !value.object.is_instance_of::<PyBool>() {
                session.endorse(&written(&value.object)?);
            }
            Ok(value.object)
        }
    }
}

/// How an endorsed value reads where an argument names it.
fn written(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let is_plain = value.is_exact_instance_of::<PyString>() || value.getattr("value").is_err();
    let value = if is_plain {
        value.clone()
    } else {
        value.getattr("value")? // a member of an enumeration
    };
    Ok(value.str()?.to_string_lossy().into_owned())
}

/// A schema as the face spells it.
/// Errors: `ValueError` for a form this version does not know.
fn compile(spelled: &Bound<'_, PyTuple>, classes: &mut Vec<Class>) -> PyResult<Shape> {
    let form: String = spelled.get_item(0)?.extract()?;
    let mut add = |class: Class| {
        classes.push(class);
        ClassId(classes.len() - 1)
    };
    Ok(match form.as_str() {
        "bool" => Shape::Exactly(Kind::Bool),
        "date" => Shape::Exactly(Kind::Date),
        "datetime" => Shape::Exactly(Kind::DateTime),
        "int" => Shape::Exactly(Kind::Int),
        "none" => Shape::Exactly(Kind::None),
        "str" => Shape::Text,
        "enum" => Shape::Exactly(Kind::Member(add(Class::Instances(
            spelled.get_item(1)?.unbind(),
        )))),
        "pattern" => Shape::Id(add(Class::Pattern(spelled.get_item(1)?.unbind()))),
        "literal" => Shape::Union(
            spelled
                .iter()
                .skip(1)
                .map(|member| Shape::Exactly(Kind::Literal(add(Class::Member(member.unbind())))))
                .collect(),
        ),
        "union" => Shape::Union(
            spelled
                .iter()
                .skip(1)
                .map(|part| compile(part.cast()?, classes))
                .collect::<PyResult<_>>()?,
        ),
        "fields" => Shape::Fields(
            spelled
                .iter()
                .skip(1)
                .map(|field| {
                    let (name, part): (String, Bound<'_, PyTuple>) = field.extract()?;
                    Ok((name, compile(&part, classes)?))
                })
                .collect::<PyResult<_>>()?,
        ),
        other => {
            return Err(PyValueError::new_err(format!(
                "unknown form of schema `{other}`"
            )));
        }
    })
}

impl Extracted for PyValue<'_, '_> {
    fn exactly(&self, kind: Kind) -> Option<Self> {
        let object = &self.object;
        let made = match kind {
            Kind::Bool => object.cast::<PyBool>().ok()?.clone().into_any(),
            Kind::Date => date(object)?,
            Kind::DateTime => date_time(object)?,
            Kind::Int => object
                .is_exact_instance_of::<PyInt>()
                .then(|| object.clone())?,
            Kind::Literal(class) => match self.classes.get(class.0)? {
                Class::Member(member) => {
                    let member = member.bind(object.py());
                    let is_it = object.get_type().is(member.get_type());
                    (is_it && object.eq(member).ok()?).then(|| member.clone())?
                }
                Class::Instances(_) | Class::Pattern(_) => return None,
            },
            Kind::Member(class) => match self.classes.get(class.0)? {
                Class::Instances(class) => member(class.bind(object.py()), object)?,
                Class::Member(_) | Class::Pattern(_) => return None,
            },
            Kind::None => object.is_none().then(|| object.clone())?,
            Kind::Text => exact_text(object)?,
        };
        Some(PyValue {
            object: made,
            classes: self.classes,
        })
    }

    fn matches(&self, pattern: ClassId) -> bool {
        let Some(Class::Pattern(pattern)) = self.classes.get(pattern.0) else {
            return false;
        };
        let Some(text) = exact_text(&self.object) else {
            return false;
        };
        pattern
            .bind(text.py())
            .call_method1("fullmatch", (text,))
            .is_ok_and(|found| !found.is_none())
    }
}

/// The text itself when it is one, without whatever a class derived from it adds.
fn exact_text<'py>(object: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    let text = object.cast::<PyString>().ok()?;
    if text.is_exact_instance_of::<PyString>() {
        return Some(text.clone().into_any());
    }
    // `str(text)` would ask the class.
    let py = object.py();
    let plain = py.get_type::<PyString>();
    plain
        .call_method1("__str__", (text,))
        .ok()
        .filter(|made| made.is_exact_instance_of::<PyString>())
}

/// A date, or a text of ISO 8601 that spells one.
fn date<'py>(object: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    let py = object.py();
    let parsed = spelled(object, "date");
    let object = parsed.as_ref().unwrap_or(object);
    if !object.is_exact_instance_of::<PyDate>() {
        return None;
    }
    let date = object.cast::<PyDate>().ok()?;
    let made = PyDate::new(py, date.get_year(), date.get_month(), date.get_day());
    Some(made.ok()?.into_any())
}

/// A date with a time, or a text of ISO 8601 that spells one. Its zone becomes its offset: a zone's name is a free text.
fn date_time<'py>(object: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    let py = object.py();
    let parsed = spelled(object, "datetime");
    let object = parsed.as_ref().unwrap_or(object);
    if !object.is_exact_instance_of::<PyDateTime>() {
        return None;
    }
    let time = object.cast::<PyDateTime>().ok()?;
    let zone = match time.get_tzinfo() {
        None => None,
        Some(_) => {
            let offset = time.call_method0("utcoffset").ok()?;
            let offset = offset.cast_into::<PyDelta>().ok()?;
            Some(PyTzInfo::fixed_offset(py, offset).ok()?)
        }
    };
    let made = PyDateTime::new_with_fold(
        py,
        time.get_year(),
        time.get_month(),
        time.get_day(),
        time.get_hour(),
        time.get_minute(),
        time.get_second(),
        time.get_microsecond(),
        zone.as_ref(),
        false,
    );
    Some(made.ok()?.into_any())
}

/// What a text of ISO 8601 spells in a class of `datetime`.
fn spelled<'py>(object: &Bound<'py, PyAny>, class: &str) -> Option<Bound<'py, PyAny>> {
    static DATETIME: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let text = exact_text(object)?;
    let module = DATETIME
        .get_or_try_init(text.py(), || {
            text.py().import("datetime").map(Bound::unbind)
        })
        .ok()?;
    let class = module.bind(text.py()).getattr(class).ok()?;
    class.call_method1("fromisoformat", (text,)).ok()
}

/// A member that the declaration of an enumeration names, or the one that has this value. A class may make members up when it is
/// asked for them (`_missing_`, `IntFlag`), and those say whatever they were made of.
fn member<'py>(class: &Bound<'py, PyAny>, object: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    let found = if object.get_type().is(class) {
        object.clone()
    } else {
        class.call1((object,)).ok()?
    };
    let members = class.getattr("__members__").ok()?;
    let members: Vec<_> = members
        .call_method0("values")
        .and_then(|members| members.try_iter()?.collect())
        .ok()?;
    let is_declared = members.iter().any(|member| member.is(&found));
    (is_declared || is_combined(&found, &members)).then_some(found)
}

/// Whether it is flags of these together, and nothing else.
fn is_combined(found: &Bound<'_, PyAny>, members: &[Bound<'_, PyAny>]) -> bool {
    static FLAG: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let same_class = |member: &Bound<'_, PyAny>| member.get_type().is(found.get_type());
    let is_flag = FLAG
        .import(found.py(), "enum", "Flag")
        .and_then(|flag| found.is_instance(flag));
    if !is_flag.unwrap_or(false) || !members.first().is_some_and(same_class) {
        return false;
    }
    let bits = |flag: &Bound<'_, PyAny>| flag.getattr("value")?.extract::<u64>();
    let declared = members.iter().filter_map(|member| bits(member).ok());
    let declared = declared.fold(0, |all, bits| all | bits);
    bits(found).is_ok_and(|bits| bits & !declared == 0)
}

/// What refusals of an extraction are called, and what the handles of its free texts begin with.
const EXTRACT: &str = "extract";
