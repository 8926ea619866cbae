//! Scope rules: which values of an argument, and which resources, a tool may touch.
//!
//! A glob is matched against every reading of a value (`toolpass_core::glob`), unless the rule is for values that are no paths; patterns and predicates of the application get
//! the value as it is. A rule that crashes, or meets a value it cannot read, is out of scope.

use toolpass_core::glob::{Glob, in_scope, in_scope_literally};

use crate::value::{Value, View};

/// Which predicate or compiled pattern of the host a rule calls; an index into a list the host keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PredicateId(pub usize);

/// A rule.
#[derive(Clone, Debug)]
pub enum ScopeRule {
    /// Any of these globs, for each item of a list.
    Globs(Vec<Glob>),
    /// A compiled pattern or a predicate of the host, asked of each item of a list.
    EachItem(PredicateId),
    /// Any of these globs, for each item of a list, as it is written: for values that are no paths.
    Literal(Vec<Glob>),
    /// A predicate of the host, asked of the whole value.
    Whole(PredicateId),
}

/// The application's callables, called while a check runs. Never under a lock of ours.
pub trait Host<V: Value> {
    /// Call the validator of the parameter at `index`.
    fn validate(&mut self, index: usize, value: &V) -> Verdict;
    /// Ask a predicate or pattern about a value; a crash, or an answer that can only be awaited, is `false`.
    fn holds(&mut self, predicate: PredicateId, value: &V) -> bool;
}

/// What a validator said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The value will do.
    Accept,
    /// It will not; the text may be shown to the model.
    Reject(Option<String>),
}

impl ScopeRule {
    /// Whether an argument satisfies the rule.
    pub fn admits<V: Value, H: Host<V>>(&self, value: &V, host: &mut H) -> bool {
        match self {
            ScopeRule::Whole(predicate) => host.holds(*predicate, value),
            ScopeRule::EachItem(_) | ScopeRule::Globs(_) | ScopeRule::Literal(_) => match value
                .view()
            {
                View::List(items)
                | View::Tuple(items)
                | View::Set(items)
                | View::FrozenSet(items) => items.iter().all(|item| self.admits_item(item, host)),
                View::Bool(_)
                | View::Bytes(_)
                | View::Float(_)
                | View::Int(_)
                | View::Mapping(_)
                | View::None
                | View::Other
                | View::Text(_) => self.admits_item(value, host),
            },
        }
    }

    fn admits_item<V: Value, H: Host<V>>(&self, item: &V, host: &mut H) -> bool {
        match self {
            ScopeRule::EachItem(predicate) | ScopeRule::Whole(predicate) => {
                host.holds(*predicate, item)
            }
            ScopeRule::Globs(globs) => {
                matches!(item.view(), View::Text(text) if in_scope(globs, &text))
            }
            ScopeRule::Literal(globs) => {
                matches!(item.view(), View::Text(text) if in_scope_literally(globs, &text))
            }
        }
    }
}

/// What may be asked about a text once no argument is at hand: the id of a resource that a request touches.
pub trait AskText {
    /// Ask a predicate or pattern of the host about a text; a crash is `false`.
    fn holds_text(&self, predicate: PredicateId, text: &str) -> bool;
}

impl ScopeRule {
    /// Whether the id of a resource satisfies the rule.
    pub fn admits_text(&self, text: &str, host: &dyn AskText) -> bool {
        match self {
            ScopeRule::Globs(globs) => in_scope(globs, text),
            ScopeRule::Literal(globs) => in_scope_literally(globs, text),
            ScopeRule::EachItem(predicate) | ScopeRule::Whole(predicate) => {
                host.holds_text(*predicate, text)
            }
        }
    }
}
