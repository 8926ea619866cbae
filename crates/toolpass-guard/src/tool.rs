//! What a tool declares. Built once, when the function is decorated; a bad declaration never becomes a [`Tool`].

use toolpass_core::effect::Effect;
use toolpass_core::template::Template;

use crate::hint::Hint;
use crate::scope::ScopeRule;
use crate::settings::{EngineState, Settings};

/// A declared tool.
#[derive(Debug)]
pub struct Tool {
    /// The key of its limits.
    pub name: String,
    /// What it may do at most; `None`: each request is what it is.
    pub effect: Option<Effect>,
    /// Its parameters, in order, without the credential.
    pub parameters: Vec<Parameter>,
    /// Rules for the resources its requests touch, by resource type. Empty: no rule at all.
    pub resources: Vec<(String, ScopeRule)>,
    /// Calls per session.
    pub limit: Option<u32>,
    /// Who is asked before the body.
    pub authorize: Option<Authorize>,
    /// The secret handed to the body.
    pub credential: Option<String>,
    /// Its output is outside text.
    pub untrusted_output: bool,
    /// Its output is private data.
    pub reads_private: bool,
    /// It puts text where other people read it.
    pub sends_out: bool,
}

/// One parameter of a tool.
#[derive(Debug)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// How it takes values.
    pub kind: ParameterKind,
    /// Its type.
    pub hint: Hint,
    /// How the type is shown.
    pub hint_shown: String,
    /// Whether a call may leave it out.
    pub has_default: bool,
    /// Whether the application gave a validator for it.
    pub validated: bool,
    /// Its scope rule.
    pub scope: Option<ScopeRule>,
}

/// How a parameter takes values. The order is the order in a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ParameterKind {
    /// By position only.
    PositionalOnly,
    /// By position or by name.
    Either,
    /// All further positions.
    Positions,
    /// By name only.
    NameOnly,
    /// All further names.
    Names,
}

/// Who is asked before the body runs.
#[derive(Debug)]
pub enum Authorize {
    /// A callable of the application.
    Host,
    /// The engine, with a resource filled from the arguments.
    Permission(Permission),
}

/// One question to the engine, with a resource to be filled from the arguments.
#[derive(Debug)]
pub struct Permission {
    /// The connection's id.
    pub connection: String,
    /// The action.
    pub action: String,
    /// The resource.
    pub resource: Template,
    /// Whether a stored answer will do.
    pub fresh: bool,
}

impl Tool {
    /// Whether requests of its body are looked at.
    pub fn wants_hook(&self, settings: &Settings) -> bool {
        let something_to_hold_it_to = self.effect.is_none()
            || settings.engine == EngineState::Present
            || settings.has_connections
            || settings.strict
            || settings.uses_entitlements()
            || !self.resources.is_empty();
        settings.intercept && something_to_hold_it_to
    }
}
