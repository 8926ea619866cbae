//! Limits as the face gives them: whole numbers for a session, `"20/hour"` for a person over time.

use std::sync::{Arc, LazyLock};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBool;
use toolpass_core::effect::Effect;
use toolpass_guard::session::caps::{InvalidLimit, Limit};
use toolpass_guard::session::windows::Windows;

/// When people did what limits over time count, in this process: every toolkit without a store looks here.
static WINDOWS: LazyLock<Arc<Windows>> = LazyLock::new(Arc::default);

/// The windows of this process.
pub(crate) fn windows() -> Arc<Windows> {
    Arc::clone(&WINDOWS)
}

/// One limit.
/// Errors: `ValueError`, naming the argument `name`.
pub(crate) fn limit(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Limit> {
    let read = match value.extract::<&str>() {
        Ok(text) => Limit::parse(text).ok(),
        Err(_) if value.is_instance_of::<PyBool>() => None,
        Err(_) => value.extract().ok().map(Limit::of_session),
    };
    read.ok_or_else(|| {
        PyValueError::new_err(format!(
            "expected `{name}` to be a whole number of at least 0 (so often in a session), or {InvalidLimit} (so often by one user)"
        ))
    })
}

/// The limits of the effects, weakest first.
/// Errors: `ValueError`.
pub(crate) fn of_effects(value: Option<&Bound<'_, PyAny>>) -> PyResult<[Option<Limit>; 3]> {
    let mut limits = [None; 3];
    let Some(value) = value else {
        return Ok(limits);
    };
    let wrong = || {
        PyValueError::new_err(
            "expected `limits` to map `read`, `write` or `destructive` to a limit: a whole number of at least 0, or a text such as \"20/hour\"",
        )
    };
    for pair in value
        .call_method0("items")
        .map_err(|_| wrong())?
        .try_iter()?
    {
        let (name, given): (String, Bound<'_, PyAny>) = pair?.extract().map_err(|_| wrong())?;
        let effect = Effect::parse(&name).ok_or_else(wrong)?;
        let given = limit(&format!("limits[{name:?}]"), &given)?;
        for (slot, known) in limits.iter_mut().zip(Effect::ALL) {
            if known == effect {
                *slot = Some(given);
            }
        }
    }
    Ok(limits)
}
