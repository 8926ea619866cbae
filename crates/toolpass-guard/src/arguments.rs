//! Step 2: the bound arguments against the tool's types, validators and scope rules, in that order.
//!
//! A default left untouched is the developer's own: its type is not checked, everything else about it is.

use toolpass_core::codes::RefusalCode;

use crate::handle::Handle;
use crate::refusal::Refusal;
use crate::scope::{Host, Verdict};
use crate::tool::{Parameter, Tool};
use crate::value::Value;
use crate::wording;

/// One bound argument.
pub struct Argument<V> {
    /// The parameter's place in [`Tool::parameters`].
    pub parameter: usize,
    /// The value.
    pub value: V,
    /// Whether the call left it out.
    pub is_default: bool,
    /// The handle it was given as; the value is what that stands for.
    pub handle: Option<Handle>,
}

/// Check every argument.
/// Errors: `invalid_arguments` or `out_of_scope`, naming the first argument that does not fit.
pub(crate) fn check<V: Value, H: Host<V>>(
    tool: &Tool,
    arguments: &[Argument<V>],
    host: &mut H,
) -> Result<(), Refusal> {
    let refuse = |code, reason| Err(Refusal::of_call(code, &tool.name, reason));
    let bound = || {
        arguments
            .iter()
            .filter_map(|argument| Some((argument, tool.parameters.get(argument.parameter)?)))
    };

    for (argument, parameter) in bound().filter(|(argument, _)| !argument.is_default) {
        if !parameter.hint.fits(&argument.value) {
            // The name of a type may be made of outside text as well.
            let actual = match &argument.handle {
                Some(_) => "what the handle stands for".into(),
                None => argument.value.type_name(),
            };
            let reason = wording::wrong_type(&parameter.name, &parameter.hint_shown, &actual);
            return refuse(RefusalCode::InvalidArguments, reason);
        }
    }
    for (argument, parameter) in bound().filter(|(_, parameter)| parameter.validated) {
        if let Verdict::Reject(said) = host.validate(argument.parameter, &argument.value) {
            // What a validator says of outside text may repeat it.
            let shown = said.filter(|_| argument.handle.is_none());
            return refuse(
                RefusalCode::InvalidArguments,
                wording::invalid(&parameter.name, shown.as_deref()),
            );
        }
    }
    for (argument, parameter) in bound() {
        if !in_scope(parameter, &argument.value, host) {
            return refuse(
                RefusalCode::OutOfScope,
                wording::argument_out_of_scope(&parameter.name),
            );
        }
    }
    Ok(())
}

fn in_scope<V: Value, H: Host<V>>(parameter: &Parameter, value: &V, host: &mut H) -> bool {
    parameter
        .scope
        .as_ref()
        .is_none_or(|rule| rule.admits(value, host))
}
