//! The keys a connection of an integration takes, and the values it was given.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use toolpass_core::secret::SecretRef;

/// One key of an integration. Start from [`Key::text`], [`Key::secret`], [`Key::code`] or [`Key::connection`].
#[derive(Clone, Copy)]
pub struct Key {
    /// `^[a-z][a-z0-9_]*$`, declared once, not a common key.
    pub name: &'static str,
    /// What kind of value it takes.
    pub kind: KeyKind,
    /// Whether a connection must have it.
    pub required: bool,
    /// What an absent key reads as.
    pub default: Option<&'static str>,
    /// The accepted values; any when empty.
    pub one_of: &'static [&'static str],
    /// Looked at after `one_of`. Errors: what is accepted, as a lower-case fragment.
    pub check: Option<Check>,
    /// One line for the reference.
    pub help: &'static str,
}

/// A check of one value. Errors: what is accepted, as a lower-case fragment.
pub type Check = fn(&str) -> Result<(), String>;

/// What kind of value a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    /// A value only code can give, such as a callable.
    Code,
    /// The id of a connection of one of these integrations.
    Connection(&'static [&'static str]),
    /// The path of a file that must exist.
    File,
    /// A secret reference.
    Secret,
    /// A scalar.
    Text,
    /// An https URL, or http on loopback.
    Url,
}

impl Key {
    /// A scalar.
    pub const fn text(name: &'static str, help: &'static str) -> Key {
        Key {
            name,
            kind: KeyKind::Text,
            required: false,
            default: None,
            one_of: &[],
            check: None,
            help,
        }
    }

    /// A secret reference.
    pub const fn secret(name: &'static str, help: &'static str) -> Key {
        Key {
            kind: KeyKind::Secret,
            ..Key::text(name, help)
        }
    }

    /// A value of code.
    pub const fn code(name: &'static str, help: &'static str) -> Key {
        Key {
            kind: KeyKind::Code,
            ..Key::text(name, help)
        }
    }

    /// A URL.
    pub const fn url(name: &'static str, help: &'static str) -> Key {
        Key {
            kind: KeyKind::Url,
            ..Key::text(name, help)
        }
    }

    /// A file.
    pub const fn file(name: &'static str, help: &'static str) -> Key {
        Key {
            kind: KeyKind::File,
            ..Key::text(name, help)
        }
    }

    /// A reference to a connection of one of `integrations`.
    pub const fn connection(
        name: &'static str,
        integrations: &'static [&'static str],
        help: &'static str,
    ) -> Key {
        Key {
            kind: KeyKind::Connection(integrations),
            ..Key::text(name, help)
        }
    }

    /// The same, required.
    pub const fn required(self) -> Key {
        Key {
            required: true,
            ..self
        }
    }

    /// The same, with a default.
    pub const fn default(self, value: &'static str) -> Key {
        Key {
            default: Some(value),
            ..self
        }
    }

    /// The same, with a closed set of values.
    pub const fn one_of(self, values: &'static [&'static str]) -> Key {
        Key {
            one_of: values,
            ..self
        }
    }

    /// The same, with a check of the value.
    pub const fn checked(self, check: Check) -> Key {
        Key {
            check: Some(check),
            ..self
        }
    }
}

/// A validated value.
#[derive(Clone)]
pub enum Value {
    /// What only code can give.
    Code(CodeValue),
    /// A reference to a secret.
    Secret(SecretRef),
    /// Everything else.
    Text(String),
}

/// A value of code: a look-up, or something an integration downcasts.
#[derive(Clone)]
pub enum CodeValue {
    /// A callable from text to text.
    Lookup(Arc<dyn Lookup>),
    /// Anything else.
    Other(Arc<dyn Any + Send + Sync>),
}

/// A callable of the application: a text in, a text or nothing out.
pub trait Lookup: Send + Sync {
    /// Call it.
    fn lookup<'a>(&'a self, text: &'a str) -> BoxFuture<'a, LookupAnswer>;
}

/// What a [`Lookup`] came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LookupAnswer {
    /// It raised, or answered something that is neither text nor nothing. The exception's text is not kept.
    Failed,
    /// Nothing.
    Nothing,
    /// A text.
    Text(String),
}

/// The validated settings of one connection: defaults applied, unknown keys gone.
#[derive(Clone, Default)]
pub struct Settings {
    values: BTreeMap<String, Value>,
}

impl Settings {
    /// Settings of these values. Who builds them has validated them against the integration's keys.
    pub fn new(values: BTreeMap<String, Value>) -> Settings {
        Settings { values }
    }

    /// The text of a key.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.values.get(key) {
            Some(Value::Text(text)) => Some(text),
            Some(Value::Code(_) | Value::Secret(_)) | None => None,
        }
    }

    /// The secret reference of a key.
    pub fn secret(&self, key: &str) -> Option<&SecretRef> {
        match self.values.get(key) {
            Some(Value::Secret(secret)) => Some(secret),
            Some(Value::Code(_) | Value::Text(_)) | None => None,
        }
    }

    /// The code value of a key.
    pub fn code(&self, key: &str) -> Option<&CodeValue> {
        match self.values.get(key) {
            Some(Value::Code(code)) => Some(code),
            Some(Value::Secret(_) | Value::Text(_)) | None => None,
        }
    }

    /// Whether a key has a value.
    pub fn has(&self, key: &str) -> bool {
        self.values.contains_key(key)
    }

    /// A boolean key: `true yes 1`, `false no 0` in any case; anything else is the field's default.
    pub fn flag(&self, key: &str, default: bool) -> bool {
        match self.text(key).map(str::to_ascii_lowercase).as_deref() {
            Some("true" | "yes" | "1") => true,
            Some("false" | "no" | "0") => false,
            Some(_) | None => default,
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |value: &Value| match value {
            Value::Code(_) => "code".to_owned(),
            Value::Secret(secret) => secret.shown(),
            Value::Text(text) => text.clone(),
        };
        f.debug_map()
            .entries(self.values.iter().map(|(key, value)| (key, shown(value))))
            .finish()
    }
}
