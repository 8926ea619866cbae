//! The name of an action: what may be done.
//!
//! Grammar: `^[A-Za-z0-9][A-Za-z0-9_.:/*-]*$`, at most 200 bytes. Outside the engine an action is written
//! `<integration>:<action>`.

use std::fmt;
use std::sync::Arc;

/// A well-formed action name. Whether an integration has it is for the integration to say.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Action(Arc<str>);

/// The text is not an action name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected an action name of at most 200 letters, digits and any of `_ . : / * -`, beginning with a letter or digit"
)]
pub struct InvalidAction;

impl Action {
    /// Read an action name.
    /// Errors: [`InvalidAction`] when the whole text is not one.
    pub fn parse(text: &str) -> Result<Action, InvalidAction> {
        let mut bytes = text.bytes();
        let first = bytes.next().ok_or(InvalidAction)?;
        let rest_fits = bytes.all(|b| b.is_ascii_alphanumeric() || b"_.:/*-".contains(&b));
        if text.len() > 200 || !first.is_ascii_alphanumeric() || !rest_fits {
            return Err(InvalidAction);
        }
        Ok(Action(text.into()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_matched_whole() {
        for good in [
            "pr.create",
            "raw:s3:PutObject",
            "a",
            "raw:get:deployments.apps",
            "DELETE_ISSUES",
            "0/*",
        ] {
            assert!(Action::parse(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            ".x",
            "pr.create\n",
            "pr create",
            "é",
            "a\u{0}",
            &"a".repeat(201),
        ] {
            assert!(Action::parse(bad).is_err(), "{bad:?}");
        }
    }
}
