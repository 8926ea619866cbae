//! What a tool declares. Built once, when the function is decorated; a bad declaration never becomes a [`Tool`].

use toolpass_core::effect::Effect;
use toolpass_core::template::Template;

use crate::fence::structured::Style;
use crate::hint::Hint;
use crate::scope::ScopeRule;
use crate::session::caps::Limit;
use crate::settings::{EngineState, Settings, Subprocess};
use crate::taint::gate::AfterUntrusted;

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
    /// How often it may be called.
    pub limit: Option<Limit>,
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
    /// Who may read what it reads, and who reads what it sends.
    pub disclosure: Disclosure,
    /// How it deals with text from outside.
    pub outside: Outside,
}

/// Who may read what a tool reads, and who reads what it sends.
#[derive(Debug, Default)]
pub struct Disclosure {
    /// Of what it reads, when that is private.
    pub readers: Readers,
    /// Of what it sends, when it sends out.
    pub audience: Audience,
}

/// Who may read private data besides the person the session is for.
#[derive(Debug, Default)]
pub enum Readers {
    /// Whom the application names for the call.
    Asked,
    /// Nobody.
    #[default]
    Nobody,
    /// These.
    These(Vec<String>),
}

/// Who reads what a tool sends out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Audience {
    /// Nobody knows.
    #[default]
    Anyone,
    /// Whom the application names for the call.
    Asked,
}

/// How a tool deals with text from outside.
#[derive(Debug, Default)]
pub struct Outside {
    /// Whether its arguments may repeat such text. `None`: they may when it only reads and sends nothing out.
    pub inputs: Option<Inputs>,
    /// The same for single parameters, by their place.
    pub of_parameters: Vec<(usize, Inputs)>,
    /// Whether its output stays in the session, and the model is given a handle.
    pub behind_handle: bool,
    /// The parameters that may be given a handle, by their place. Outside text is accepted there.
    pub handles: Vec<usize>,
    /// The parameters that say where something goes, by their place. `None`: those that are named like it, of a tool that
    /// sends out or destroys.
    pub destinations: Option<Vec<usize>>,
    /// Texts of the declaration, such as what a scope rule admits: nobody from outside put them there.
    pub declared: Vec<String>,
    /// What becomes of it once such text was read. `None`: what the toolkit says of its effect.
    pub after: Option<AfterUntrusted>,
    /// How its output is fenced when that is no text. `None`: as the toolkit says.
    pub structured: Option<Option<Style>>,
    /// Only what stands under these keys is fenced; all of it when empty.
    pub fields: Vec<String>,
}

/// Whether an argument may repeat text from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inputs {
    /// It may not.
    Check,
    /// It may.
    Ignore,
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
            || settings.subprocess == Some(Subprocess::Refuse)
            || settings.unattributed.is_some()
            || settings.uses_entitlements()
            || !self.resources.is_empty();
        settings.intercept && something_to_hold_it_to
    }

    /// Whether an argument may repeat text from outside.
    pub fn inputs_of(&self, parameter: usize) -> Inputs {
        let own = self.outside.of_parameters.iter();
        let mut own = own.filter(|(place, _)| *place == parameter);
        let unsaid = || {
            if self.outside.handles.contains(&parameter) {
                Inputs::Ignore
            } else {
                self.inputs()
            }
        };
        own.next().map_or_else(unsaid, |(_, own)| *own)
    }

    /// Whether its declaration says that an argument may be from outside.
    pub fn waives(&self, parameter: usize) -> bool {
        self.outside.inputs == Some(Inputs::Ignore) && self.inputs_of(parameter) == Inputs::Ignore
            || self
                .outside
                .of_parameters
                .contains(&(parameter, Inputs::Ignore))
    }

    /// Whether its requests may repeat text from outside even when they only read.
    pub fn checks_reads(&self) -> bool {
        let own = self.outside.of_parameters.iter();
        self.inputs() == Inputs::Check || own.into_iter().any(|(_, own)| *own == Inputs::Check)
    }

    /// Whether an argument says where something goes.
    pub fn is_destination(&self, parameter: usize) -> bool {
        let is_named_so = || {
            let name = self
                .parameters
                .get(parameter)
                .map(|parameter| parameter.name.as_str());
            name.is_some_and(|name| DESTINATIONS.contains(&name))
        };
        match &self.outside.destinations {
            Some(places) => places.contains(&parameter),
            None => (self.sends_out || self.effect == Some(Effect::Destructive)) && is_named_so(),
        }
    }

    /// Whether an argument says where a read goes: a declared destination, or one that is named like a place on the network.
    pub fn is_fetched(&self, parameter: usize) -> bool {
        match &self.outside.destinations {
            Some(places) => places.contains(&parameter),
            None => {
                let parameter = self.parameters.get(parameter);
                parameter.is_some_and(|parameter| FETCHED.contains(&parameter.name.as_str()))
            }
        }
    }

    fn inputs(&self) -> Inputs {
        let only_reads = self.effect == Some(Effect::Read) && !self.sends_out;
        let unsaid = if only_reads {
            Inputs::Ignore
        } else {
            Inputs::Check
        };
        self.outside.inputs.unwrap_or(unsaid)
    }
}

/// What parameters are called that say where something goes.
const DESTINATIONS: &[&str] = &[
    "account",
    "address",
    "bcc",
    "cc",
    "channel",
    "email",
    "endpoint",
    "host",
    "iban",
    "recipient",
    "recipients",
    "to",
    "uri",
    "url",
    "webhook",
];

/// What parameters are called that say where a read goes.
const FETCHED: &[&str] = &["endpoint", "host", "uri", "url", "webhook"];
