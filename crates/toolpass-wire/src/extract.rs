//! What an extractor answers: the pairs a request needs, or fields for its row's template.
//!
//! An extractor is a plain function from a [`crate::reading::Reading`] to [`Extracted`]. It never looks anything up: what a
//! request names only by an id is a [`Pointer`], resolved later by the engine with toolpass's own credential.

use toolpass_core::effect::Effect;
use toolpass_core::question::{Facts, Pointer};

use crate::field::Unresolved;
use crate::reading::Reading;
use crate::table::{Audience, Text};

/// Bytes in, fields out.
pub type Extractor = fn(&Reading<'_>) -> Result<Extracted, Unresolved>;

/// One (action, resource) pair that must be allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// The action; `None` needs no permission check.
    pub action: Option<Text>,
    /// What it acts on; `None` only together with no action.
    pub target: Option<Target>,
    /// The effect of this pair.
    pub effect: Effect,
    /// What the request said besides, for the integration's check.
    pub facts: Facts,
}

/// What a pair acts on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A resource as text, to be parsed by the engine.
    Resource(String),
    /// Something to be looked up first.
    Pointer(Pointer),
}

/// The answer of an extractor. Start from one of the constructors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extracted {
    /// Merged over the path variables before the row's template is filled. An empty value fills as empty.
    pub fields: Vec<(Text, String)>,
    /// Replaces the row's own pair: all of these must be allowed.
    pub pairs: Option<Vec<Pair>>,
    /// Facts of the row's own pair.
    pub facts: Facts,
    /// Another effect than the row's.
    pub effect: Option<Effect>,
    /// Another audience than the row's.
    pub sends_out: Option<Audience>,
    /// Why this request is only ever on the agent's own authority, though its row is not.
    pub agent_only: Option<Text>,
    /// The answer hands out a credential or a secret, though those of its row do not.
    pub sensitive: bool,
    /// The pairs cover all that comes back: the answer does not follow the agent's sight, though the row says so.
    pub is_bounded: bool,
}

/// A pair as an extractor names it; its effect is the request's unless written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The action; `None` needs no permission check.
    pub action: Option<Text>,
    /// What it acts on.
    pub target: Option<Target>,
    /// Another effect than the request's.
    pub effect: Option<Effect>,
    /// Facts of this pair.
    pub facts: Facts,
}

impl Extracted {
    /// Fields for the row's own template.
    pub fn fields<const N: usize>(fields: [(&'static str, String); N]) -> Extracted {
        let fields = fields
            .into_iter()
            .map(|(name, value)| (name.into(), value))
            .collect();
        Extracted {
            fields,
            ..Extracted::default()
        }
    }

    /// These pairs instead of the row's own. None at all: a read needs no permission, a write is unresolved; one that needs none
    /// says so with a pair of no action.
    pub fn pairs(pairs: Vec<Pair>) -> Extracted {
        Extracted {
            pairs: Some(pairs),
            ..Extracted::default()
        }
    }

    /// The same, with a fact for the row's own pair.
    pub fn fact(mut self, name: &str, value: impl Into<String>) -> Extracted {
        self.facts.insert(name.into(), value.into());
        self
    }

    /// The same, with another effect than the row's.
    pub fn with_effect(mut self, effect: Effect) -> Extracted {
        self.effect = Some(effect);
        self
    }

    /// The same, with pairs that cover all that comes back.
    pub fn bounded(mut self) -> Extracted {
        self.is_bounded = true;
        self
    }

    /// The same, with another audience than the row's.
    pub fn sending_to(mut self, audience: Audience) -> Extracted {
        self.sends_out = Some(audience);
        self
    }

    /// The same, with an answer that hands out a credential or a secret.
    pub fn sensitive(mut self) -> Extracted {
        self.sensitive = true;
        self
    }

    /// The same, only ever on the agent's own authority: as the user it is unresolved, for this reason.
    pub fn agent_only(mut self, why: &'static str) -> Extracted {
        self.agent_only = Some(why.into());
        self
    }
}

impl Pair {
    /// `action` on the resource written as `resource`.
    pub fn on(action: &'static str, resource: impl Into<String>) -> Pair {
        Pair {
            action: Some(action.into()),
            target: Some(Target::Resource(resource.into())),
            effect: None,
            facts: Facts::new(),
        }
    }

    /// `action` on what `pointer` leads to.
    pub fn at(action: &'static str, pointer: Pointer) -> Pair {
        Pair {
            action: Some(action.into()),
            target: Some(Target::Pointer(pointer)),
            effect: None,
            facts: Facts::new(),
        }
    }

    /// The same, with a fact.
    pub fn fact(mut self, name: &str, value: impl Into<String>) -> Pair {
        self.facts.insert(name.into(), value.into());
        self
    }
}
