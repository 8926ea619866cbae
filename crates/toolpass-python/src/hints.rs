//! A parameter's type as `toolpass._hints` spells it, compiled.
//!
//! The face resolves annotations, which only Python can, and hands over nested tuples: `("list", item)`. Nothing is decided
//! there: what each form accepts is in `toolpass_guard::hint`.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use toolpass_guard::hint::{Hint, Member};
use toolpass_guard::value::ClassId;

use crate::value::Class;

/// Compile a spelled hint; classes it names are appended to `classes`.
/// Errors: `ValueError` for a form this version does not know.
pub(crate) fn compile(spelled: &Bound<'_, PyAny>, classes: &mut Vec<Class>) -> PyResult<Hint> {
    let spelled = spelled.cast::<PyTuple>()?;
    let form: String = spelled.get_item(0)?.extract()?;
    let mut inner = |index: usize| -> PyResult<Box<Hint>> {
        Ok(Box::new(compile(&spelled.get_item(index)?, classes)?))
    };
    Ok(match form.as_str() {
        "any" => Hint::Any,
        "bool" => Hint::Bool,
        "float" => Hint::Float,
        "int" => Hint::Int,
        "never" => Hint::Never,
        "none" => Hint::None,
        "str" => Hint::Text,
        "list" => Hint::List(inner(1)?),
        "set" => Hint::Set(inner(1)?),
        "frozenset" => Hint::FrozenSet(inner(1)?),
        "sequence" => Hint::Sequence(inner(1)?),
        "tuple_of" => Hint::TupleOf(inner(1)?),
        "mapping" => Hint::Mapping(inner(1)?, inner(2)?),
        "tuple" => Hint::Tuple(compile_all(spelled, classes)?),
        "union" => Hint::Union(compile_all(spelled, classes)?),
        "class" => Hint::Class(add(
            classes,
            Class::Instances(spelled.get_item(1)?.unbind()),
        )),
        "literal" => Hint::Literal(literals(spelled, classes)),
        "typed_dict" => Hint::TypedDict(members(spelled, classes)?),
        other => {
            return Err(PyValueError::new_err(format!(
                "unknown form of hint `{other}`"
            )));
        }
    })
}

fn compile_all(spelled: &Bound<'_, PyTuple>, classes: &mut Vec<Class>) -> PyResult<Vec<Hint>> {
    spelled
        .iter()
        .skip(1)
        .map(|item| compile(&item, classes))
        .collect()
}

fn literals(spelled: &Bound<'_, PyTuple>, classes: &mut Vec<Class>) -> Vec<ClassId> {
    let members = spelled.iter().skip(1);
    members
        .map(|member| add(classes, Class::Member(member.unbind())))
        .collect()
}

fn members(spelled: &Bound<'_, PyTuple>, classes: &mut Vec<Class>) -> PyResult<Vec<Member>> {
    let one = |item: Bound<'_, PyAny>| -> PyResult<Member> {
        let (name, hint, required): (String, Bound<'_, PyAny>, bool) = item.extract()?;
        Ok(Member {
            name,
            hint: compile(&hint, classes)?,
            required,
        })
    };
    spelled.iter().skip(1).map(one).collect()
}

fn add(classes: &mut Vec<Class>, class: Class) -> ClassId {
    classes.push(class);
    ClassId(classes.len() - 1)
}
