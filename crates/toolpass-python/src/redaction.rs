//! Secrets of a call taken out of whatever its body returns or raises.
//!
//! A value that mentions no secret is handed out as it is. One that does is rebuilt, each part once, however often and along
//! however many ways it is reached. What is neither a container nor rebuildable becomes its redacted text.

mod mentions;
mod rebuild;

use pyo3::exceptions::{PyBaseException, PyValueError};
use pyo3::prelude::*;
use toolpass_guard::budget::TooLarge;
use toolpass_guard::redact::Secrets;

use crate::errors;
use mentions::Search;
pub(crate) use mentions::{fields, is_number};

/// The value without the secrets, and in how many texts of it they were replaced.
/// Errors: `ValueError` for a value larger than what is looked at.
pub(crate) fn redacted<'py>(
    value: &Bound<'py, PyAny>,
    secrets: &Secrets,
) -> PyResult<(Bound<'py, PyAny>, usize)> {
    if mentions::is_number(value) {
        return Ok((value.clone(), 0));
    }
    let mentioned = Search::new(secrets)
        .finds(value)
        .map_err(|TooLarge| PyValueError::new_err(TooLarge.to_string()))?;
    if mentioned {
        rebuild::rebuilt(value, secrets)
    } else {
        Ok((value.clone(), 0))
    }
}

/// Whether an exception, its causes, contexts, groups, notes and attributes mention a secret. One too large to be looked at
/// does. What a `ToolError` of ours holds back is not looked at: nobody is shown it.
pub(crate) fn chain_mentions(py: Python<'_>, error: &PyErr, secrets: &Secrets) -> bool {
    if secrets.is_empty() {
        return false;
    }
    let mut search = Search::new(secrets);
    let mut pending = vec![error.value(py).clone().into_any()];
    while let Some(exception) = pending.pop() {
        let members = ["args", "__notes__"]
            .iter()
            .filter_map(|name| exception.getattr(*name).ok());
        let whole = (!errors::is_tool_error(&exception)).then(|| exception.clone());
        if members
            .chain(whole)
            .any(|member| search.finds(&member).unwrap_or(true))
        {
            return true;
        }
        let linked = ["__cause__", "__context__"]
            .iter()
            .filter_map(|name| exception.getattr(*name).ok());
        let grouped = exception
            .getattr("exceptions")
            .and_then(|group| group.try_iter())
            .into_iter()
            .flatten()
            .flatten();
        let exceptions = linked
            .chain(grouped)
            .filter(|linked| linked.is_instance_of::<PyBaseException>());
        pending.extend(exceptions.filter(|linked| search.is_new(linked)));
    }
    false
}
