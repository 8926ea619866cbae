//! How much an action can do: `read` < `write` < `destructive`.

use std::fmt;

/// The strength of an action. The order of the variants is the order of strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// Changes nothing.
    Read,
    /// Changes or creates something.
    Write,
    /// Removes something or cannot be undone.
    Destructive,
}

impl Effect {
    /// Every member, weakest first.
    pub const ALL: [Effect; 3] = [Effect::Read, Effect::Write, Effect::Destructive];

    /// The wire form.
    pub fn as_str(self) -> &'static str {
        match self {
            Effect::Read => "read",
            Effect::Write => "write",
            Effect::Destructive => "destructive",
        }
    }

    /// The member whose wire form is `text`.
    pub fn parse(text: &str) -> Option<Effect> {
        Effect::ALL
            .into_iter()
            .find(|effect| effect.as_str() == text)
    }

    /// The effect an HTTP method has when nothing else is known. Unknown methods are writes.
    pub fn of_method(method: &str) -> Effect {
        match method {
            "GET" | "HEAD" | "OPTIONS" => Effect::Read,
            "DELETE" => Effect::Destructive,
            _ => Effect::Write,
        }
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
