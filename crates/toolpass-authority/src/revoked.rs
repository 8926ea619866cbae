//! What was taken back: hops and conversations, known by their names until they would have ended anyway.

use std::collections::HashMap;

/// The names of revoked hops (`jti`) and conversations (`sid`), each with the second since 1970 until which it matters.
#[derive(Clone, Debug, Default)]
pub struct Revoked(HashMap<String, u64>);

impl Revoked {
    /// Take back a hop or a conversation. What was revoked for longer stays so.
    pub fn add(&mut self, name: String, until: u64) {
        let kept = self.0.entry(name).or_default();
        *kept = (*kept).max(until);
    }

    /// Forget what has ended by itself.
    pub fn forget(&mut self, now: u64) {
        self.0.retain(|_, until| *until >= now);
    }

    /// Whether it was taken back.
    pub fn holds(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// All of them, with the second until which each matters.
    pub fn entries(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(name, until)| (name.as_str(), *until))
    }
}
