//! What the file of entitlements says: per tool, the hosts its body may call and the actions it may do.
//!
//! Plain data with texts already read: an action, a resource pattern and a host pattern exist only when they are well formed.
//! Tools are in the order of their names, so one set has one spelling.

use std::collections::BTreeMap;
use std::fmt;

use toolpass_core::effect::Effect;

use super::host::HostPattern;
use super::pattern::ResourcePattern;
use crate::settings::ActAs;

/// A whole file: every tool that has an entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entitlements {
    tools: BTreeMap<String, ToolEntitlements>,
}

/// What one tool may do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolEntitlements {
    /// Hosts of no connection that its body may call.
    pub hosts: Vec<HostPattern>,
    /// Actions it may do, in the order of the file.
    pub actions: Vec<Entitlement>,
}

/// One action a tool may do on the resources a pattern describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entitlement {
    /// The action.
    pub action: ActionName,
    /// The resources.
    pub resource: ResourcePattern,
    /// Whose authority a request of it has.
    pub acts_as: ActAs,
    /// The strongest effect it covers.
    pub effect: Effect,
    /// Whether its answers must be fresh.
    pub fresh: bool,
    /// How often it may be done.
    pub limit: Option<u32>,
    /// In how many recorded runs it was seen; none for an entry written by hand. At most [`ENOUGH_SEEN`].
    pub seen: Option<u32>,
    /// What the resource becomes once another run with other values agrees.
    pub candidate: Option<ResourcePattern>,
}

/// `integration:action`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActionName {
    text: String,
    colon: usize,
}

/// The text names no action of an integration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected `integration:action`: lower-case letters and digits, a `:`, then letters, digits and any of `_ . : / * -`"
)]
pub struct InvalidActionName;

impl Entitlements {
    /// The entry of a tool.
    pub fn for_tool(&self, tool: &str) -> Option<&ToolEntitlements> {
        self.tools.get(tool)
    }

    /// Every tool with its entry, by name.
    pub fn tools(&self) -> impl Iterator<Item = (&str, &ToolEntitlements)> {
        self.tools
            .iter()
            .map(|(name, entry)| (name.as_str(), entry))
    }

    /// How many tools have an entry.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether no tool has one.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// The entry of a tool, to change it; an empty one is made where there is none.
    pub fn entry(&mut self, tool: &str) -> &mut ToolEntitlements {
        self.tools.entry(tool.into()).or_default()
    }

    /// Give a tool its entry, in place of what it had.
    pub fn insert(&mut self, tool: String, entry: ToolEntitlements) {
        self.tools.insert(tool, entry);
    }
}

impl ToolEntitlements {
    /// The strongest effect of its actions; none without actions.
    pub fn effect(&self) -> Option<Effect> {
        self.actions.iter().map(|entry| entry.effect).max()
    }
}

impl Entitlement {
    /// An entry with the defaults of the file: the user's authority, effect `write`.
    pub fn new(action: ActionName, resource: ResourcePattern) -> Entitlement {
        Entitlement {
            action,
            resource,
            acts_as: ActAs::User,
            effect: Effect::Write,
            fresh: false,
            limit: None,
            seen: None,
            candidate: None,
        }
    }

    /// What makes two entries one: action, resource and whose authority.
    pub fn key(&self) -> (&str, &str, &'static str) {
        (
            self.action.as_str(),
            self.resource.as_str(),
            self.acts_as_str(),
        )
    }

    /// The form of `as` in the file.
    pub fn acts_as_str(&self) -> &'static str {
        acts_as_str(self.acts_as)
    }
}

impl fmt::Display for Entitlement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.action)?;
        if !self.resource.as_str().is_empty() {
            write!(f, " on {}", self.resource)?;
        }
        write!(f, " as {}, {}", self.acts_as_str(), self.effect)
    }
}

impl ActionName {
    /// Read `integration:action`.
    /// Errors: [`InvalidActionName`].
    pub fn parse(text: &str) -> Result<ActionName, InvalidActionName> {
        let colon = text.find(':').ok_or(InvalidActionName)?;
        let (integration, name) = text.split_at(colon);
        let name = name.strip_prefix(':').unwrap_or_default();
        let integration_fits = integration.starts_with(|c: char| c.is_ascii_lowercase())
            && integration
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
        let name_fits = !name.is_empty()
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"_.:/*-".contains(&b));
        if text.len() > MAX_ACTION || !integration_fits || !name_fits {
            return Err(InvalidActionName);
        }
        Ok(ActionName {
            text: text.into(),
            colon,
        })
    }

    /// The whole text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The integration.
    pub fn integration(&self) -> &str {
        self.text.get(..self.colon).unwrap_or_default()
    }

    /// The action, as the integration calls it.
    pub fn name(&self) -> &str {
        self.text.get(self.colon + 1..).unwrap_or_default()
    }
}

impl fmt::Debug for ActionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ActionName({:?})", self.text)
    }
}

impl fmt::Display for ActionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The form of `as` in the file.
pub fn acts_as_str(acts_as: ActAs) -> &'static str {
    match acts_as {
        ActAs::Agent => "agent",
        ActAs::User => "user",
    }
}

/// The stricter of two authorities: the user is asked.
pub fn stricter(one: ActAs, other: ActAs) -> ActAs {
    match (one, other) {
        (ActAs::Agent, ActAs::Agent) => ActAs::Agent,
        (ActAs::User, _) | (_, ActAs::User) => ActAs::User,
    }
}

/// The count of recorded runs stops here, so that a file settles.
pub const ENOUGH_SEEN: u32 = 3;

/// The longest `integration:action`: a name of the engine's grammar and an integration before it.
const MAX_ACTION: usize = 300;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_name_an_integration() {
        let action = ActionName::parse("k8s:raw:get:pods/log").unwrap();
        assert_eq!(
            (action.integration(), action.name()),
            ("k8s", "raw:get:pods/log")
        );
        for bad in [
            "",
            "github",
            ":x",
            "github:",
            "GitHub:x",
            "1a:x",
            "git_hub:x",
            "github:a b",
            "github:é",
        ] {
            assert_eq!(ActionName::parse(bad), Err(InvalidActionName), "{bad}");
        }
    }
}
