//! What a tool declares, and what its body is given.
//!
//! Separate from `toolkit` because a tool belongs to none: the same tool may be run by several, each with its own settings.

use std::fmt;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _};
use serde_json::{Map, Value};
use toolpass_core::effect::Effect;
use toolpass_core::glob::{Glob, InvalidGlob};
use toolpass_guard::hint::Hint;
use toolpass_guard::scope::ScopeRule;
use toolpass_guard::session::caps::Limit;
use toolpass_guard::tool::{Disclosure, Outside, Parameter, ParameterKind, Tool as Declared};

use crate::context::{Context, RequestError};

/// A tool: what it declares, and its body.
#[derive(Clone)]
pub struct Tool {
    pub(crate) declared: Arc<Declared>,
    pub(crate) body: Body,
}

/// A tool that is being declared.
pub struct Declaring {
    declared: Declared,
}

/// What a call was given. Every parameter is there, and a text: that was checked.
#[derive(Clone, Debug)]
pub struct Arguments(pub(crate) Map<String, Value>);

/// Why a body gave up.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// A request of it was refused, or could not be sent.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// Something else: what kind of failure, for the audit event, and what is said to the caller.
    #[error("{text}")]
    Other {
        /// The kind, in one word.
        kind: &'static str,
        /// What is said.
        text: String,
    },
}

/// What a body comes to.
pub type BodyResult = Result<Value, BodyError>;

pub(crate) type Body =
    Arc<dyn Fn(Context, Arguments) -> BoxFuture<'static, BodyResult> + Send + Sync>;

impl Tool {
    /// Declare a tool of this name.
    pub fn named(name: &str) -> Declaring {
        Declaring {
            declared: Declared {
                name: name.to_owned(),
                effect: None,
                parameters: Vec::new(),
                resources: Vec::new(),
                limit: None,
                authorize: None,
                credential: None,
                untrusted_output: false,
                reads_private: false,
                sends_out: false,
                disclosure: Disclosure::default(),
                outside: Outside::default(),
            },
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.declared.name
    }

    /// What it may do at most, when it declares that.
    pub fn effect(&self) -> Option<Effect> {
        self.declared.effect
    }

    /// The names of its parameters, in order.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        let parameters = self.declared.parameters.iter();
        parameters.map(|parameter| parameter.name.as_str())
    }
}

impl Declaring {
    /// A parameter that takes a text.
    pub fn takes(mut self, name: &str) -> Declaring {
        self.declared.parameters.push(Parameter {
            name: name.to_owned(),
            kind: ParameterKind::NameOnly,
            hint: Hint::Text,
            hint_shown: "string".to_owned(),
            has_default: false,
            validated: false,
            scope: None,
        });
        self
    }

    /// A parameter that takes a text which one of these globs matches.
    /// Errors: a glob that cannot be read.
    pub fn takes_only(mut self, name: &str, globs: &[&str]) -> Result<Declaring, InvalidGlob> {
        let globs = globs.iter().map(|glob| Glob::compile(glob));
        let rule = ScopeRule::Globs(globs.collect::<Result<_, _>>()?);
        self = self.takes(name);
        if let Some(parameter) = self.declared.parameters.last_mut() {
            parameter.scope = Some(rule);
        }
        Ok(self)
    }

    /// What it may do at most.
    pub fn effect(mut self, effect: Effect) -> Declaring {
        self.declared.effect = Some(effect);
        self
    }

    /// How often it may be called.
    pub fn limit(mut self, limit: Limit) -> Declaring {
        self.declared.limit = Some(limit);
        self
    }

    /// Its output is outside text: it is remembered, and fenced where it is a text.
    pub fn untrusted_output(mut self) -> Declaring {
        self.declared.untrusted_output = true;
        self
    }

    /// It puts text where other people read it.
    pub fn sends_out(mut self) -> Declaring {
        self.declared.sends_out = true;
        self
    }

    /// The tool, with this body.
    pub fn runs<F, R>(self, body: F) -> Tool
    where
        F: Fn(Context, Arguments) -> R + Send + Sync + 'static,
        R: Future<Output = BodyResult> + Send + 'static,
    {
        Tool {
            declared: Arc::new(self.declared),
            body: Arc::new(move |context, arguments| body(context, arguments).boxed()),
        }
    }
}

impl Arguments {
    /// The text of a parameter; empty for a name that is none.
    pub fn text(&self, name: &str) -> &str {
        self.0.get(name).and_then(Value::as_str).unwrap_or_default()
    }
}

impl BodyError {
    /// A failure of the body's own.
    pub fn new(kind: &'static str, text: impl Into<String>) -> BodyError {
        BodyError::Other {
            kind,
            text: text.into(),
        }
    }

    /// The kind, for the audit event.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            BodyError::Request(RequestError::Invalid(_)) => "InvalidRequest",
            BodyError::Request(RequestError::Refused(_)) => "Refused",
            BodyError::Request(RequestError::Unsent(_)) => "RequestFailed",
            BodyError::Other { kind, .. } => kind,
        }
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool")
            .field("declared", &self.declared)
            .finish_non_exhaustive()
    }
}
