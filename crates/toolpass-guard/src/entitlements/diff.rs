//! What changed between two files: for a person who reviews, and for a build that must fail when a tool starts to do more.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use toolpass_core::effect::Effect;

use super::model::{Entitlement, Entitlements, ToolEntitlements, acts_as_str};
use crate::settings::ActAs;

/// One change of a tool's entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The tool.
    pub tool: String,
    /// What changed.
    pub what: What,
}

/// What changed. The order is the order of the list.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// The tool has an entry now.
    ToolAdded,
    /// The tool has no entry any more: outside `strict` it is held to nothing.
    ToolRemoved,
    /// It may call another host.
    HostAdded(String),
    /// It may no longer call a host.
    HostRemoved(String),
    /// It may do something else.
    ActionAdded(Entitlement),
    /// It may no longer do something.
    ActionRemoved(Entitlement),
    /// The same action runs on another authority: the entry as it is now, and whose it was.
    AuthorityMoved(Entitlement, ActAs),
    /// The same action may do more or less: the entry as it is now, and the effect it had.
    EffectChanged(Entitlement, Effect),
    /// Its answers must be fresh now, or need no longer be.
    FreshChanged(Entitlement),
    /// It may be done more or less often: the entry as it is now, and the limit it had.
    LimitChanged(Entitlement, Option<u32>),
}

impl Change {
    /// Whether the tool may do more than before, or does the same on another authority.
    pub fn widens(&self) -> bool {
        match &self.what {
            What::ActionAdded(_)
            | What::AuthorityMoved(..)
            | What::HostAdded(_)
            | What::ToolAdded
            | What::ToolRemoved => true,
            What::ActionRemoved(_) | What::HostRemoved(_) => false,
            What::EffectChanged(now, before) => now.effect > *before,
            What::FreshChanged(now) => !now.fresh,
            What::LimitChanged(now, before) => match (now.limit, before) {
                (None, _) => true,
                (Some(_), None) => false,
                (Some(now), Some(before)) => now > *before,
            },
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tool = &self.tool;
        match &self.what {
            What::ToolAdded => write!(f, "+ {tool}: is listed now"),
            What::ToolRemoved => write!(f, "- {tool}: is no longer listed"),
            What::HostAdded(host) => write!(f, "+ {tool}: may call {host}"),
            What::HostRemoved(host) => write!(f, "- {tool}: may no longer call {host}"),
            What::ActionAdded(entry) => write!(f, "+ {tool}: {entry}"),
            What::ActionRemoved(entry) => write!(f, "- {tool}: {entry}"),
            What::AuthorityMoved(entry, before) => {
                write!(f, "~ {tool}: {entry}; was as {}", acts_as_str(*before))
            }
            What::EffectChanged(entry, before) => write!(f, "~ {tool}: {entry}; was {before}"),
            What::FreshChanged(entry) if entry.fresh => {
                write!(f, "~ {tool}: {entry}; is asked fresh now")
            }
            What::FreshChanged(entry) => write!(f, "~ {tool}: {entry}; is no longer asked fresh"),
            What::LimitChanged(entry, before) => {
                write!(
                    f,
                    "~ {tool}: {entry}; {} at most, was {}",
                    times(entry.limit),
                    times(*before)
                )
            }
        }
    }
}

/// What changed from `old` to `new`, by tool.
pub fn diff(old: &Entitlements, new: &Entitlements) -> Vec<Change> {
    let names: BTreeSet<&str> = old
        .tools()
        .chain(new.tools())
        .map(|(name, _)| name)
        .collect();
    let none = ToolEntitlements::default();
    let mut changes = Vec::new();
    for tool in names {
        let (before, after) = (old.for_tool(tool), new.for_tool(tool));
        let mut say = |what| {
            changes.push(Change {
                tool: tool.to_owned(),
                what,
            });
        };
        match (before, after) {
            (None, Some(_)) => say(What::ToolAdded),
            (Some(_), None) => say(What::ToolRemoved),
            (Some(_) | None, _) => {}
        }
        let (before, after) = (before.unwrap_or(&none), after.unwrap_or(&none));
        hosts(before, after, &mut say);
        actions(before, after, &mut say);
    }
    changes
}

fn hosts(before: &ToolEntitlements, after: &ToolEntitlements, say: &mut impl FnMut(What)) {
    for host in after
        .hosts
        .iter()
        .filter(|host| !before.hosts.contains(host))
    {
        say(What::HostAdded(host.as_str().into()));
    }
    for host in before
        .hosts
        .iter()
        .filter(|host| !after.hosts.contains(host))
    {
        say(What::HostRemoved(host.as_str().into()));
    }
}

fn actions(before: &ToolEntitlements, after: &ToolEntitlements, say: &mut impl FnMut(What)) {
    let before = by_target(before);
    let after = by_target(after);
    let targets: BTreeSet<_> = before.keys().chain(after.keys()).copied().collect();
    let none = Vec::new();
    for target in targets {
        let old = before.get(&target).unwrap_or(&none);
        let new = after.get(&target).unwrap_or(&none);
        let counterpart = |entry: &Entitlement, others: &[Entitlement]| {
            let same = |other: &&Entitlement| other.acts_as == entry.acts_as;
            others.iter().find(same).cloned()
        };
        match (old.as_slice(), new.as_slice()) {
            ([one], [other]) if one.acts_as != other.acts_as => {
                say(What::AuthorityMoved(other.clone(), one.acts_as));
                details(one, other, say);
            }
            _ => {
                for entry in new {
                    match counterpart(entry, old) {
                        None => say(What::ActionAdded(entry.clone())),
                        Some(before) => details(&before, entry, say),
                    }
                }
                for entry in old.iter().filter(|entry| counterpart(entry, new).is_none()) {
                    say(What::ActionRemoved(entry.clone()));
                }
            }
        }
    }
}

fn details(before: &Entitlement, after: &Entitlement, say: &mut impl FnMut(What)) {
    if before.effect != after.effect {
        say(What::EffectChanged(after.clone(), before.effect));
    }
    if before.fresh != after.fresh {
        say(What::FreshChanged(after.clone()));
    }
    if before.limit != after.limit {
        say(What::LimitChanged(after.clone(), before.limit));
    }
}

/// The entries by action and resource; of entries with one key the first, with the strongest effect of all.
fn by_target(entry: &ToolEntitlements) -> BTreeMap<(&str, &str), Vec<Entitlement>> {
    let mut targets: BTreeMap<_, Vec<Entitlement>> = BTreeMap::new();
    for action in &entry.actions {
        let (name, resource, _) = action.key();
        let entries = targets.entry((name, resource)).or_default();
        match entries.iter_mut().find(|own| own.acts_as == action.acts_as) {
            Some(own) => own.effect = own.effect.max(action.effect),
            None => entries.push(action.clone()),
        }
    }
    targets
}

fn times(limit: Option<u32>) -> String {
    limit.map_or_else(|| "any number of times".into(), |limit| limit.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entitlements::testing::{any_set, set};
    use proptest::prelude::*;

    fn shown(old: &Entitlements, new: &Entitlements) -> Vec<(String, bool)> {
        diff(old, new)
            .iter()
            .map(|change| (change.to_string(), change.widens()))
            .collect()
    }

    #[test]
    fn each_change_is_named_and_says_whether_it_widens() {
        let old = set(&[
            ("gone", &[], &[]),
            (
                "t",
                &["a.example", "b.example"],
                &[
                    ("github:moved", "repo:a", "agent", "read"),
                    ("github:raised", "repo:a", "user", "read"),
                    ("github:lowered", "repo:a", "user", "destructive"),
                    ("github:removed", "repo:a", "user", "read"),
                ],
            ),
        ]);
        let mut new = set(&[
            ("new", &[], &[("jira:x", "issue:{key}", "user", "write")]),
            (
                "t",
                &["b.example", "c.example"],
                &[
                    ("github:moved", "repo:a", "user", "read"),
                    ("github:raised", "repo:a", "user", "write"),
                    ("github:lowered", "repo:a", "user", "write"),
                ],
            ),
        ]);
        if let Some(entry) = new.entry("t").actions.first_mut() {
            entry.limit = Some(3);
            entry.fresh = true;
        }
        let line = |text: &str, widens| (text.to_owned(), widens);
        assert_eq!(
            shown(&old, &new),
            [
                line("- gone: is no longer listed", true),
                line("+ new: is listed now", true),
                line("+ new: jira:x on issue:{key} as user, write", true),
                line("+ t: may call c.example", true),
                line("- t: may no longer call a.example", false),
                line(
                    "~ t: github:lowered on repo:a as user, write; was destructive",
                    false
                ),
                line(
                    "~ t: github:moved on repo:a as user, read; was as agent",
                    true
                ),
                line(
                    "~ t: github:moved on repo:a as user, read; is asked fresh now",
                    false
                ),
                line(
                    "~ t: github:moved on repo:a as user, read; 3 at most, was any number of times",
                    false
                ),
                line(
                    "~ t: github:raised on repo:a as user, write; was read",
                    true
                ),
                line("- t: github:removed on repo:a as user, read", false),
            ]
        );
    }

    proptest! {
        #[test]
        fn a_set_does_not_differ_from_itself(one in any_set(), other in any_set()) {
            prop_assert_eq!(diff(&one, &one), Vec::new());
            let there = diff(&one, &other).len();
            let back = diff(&other, &one).len();
            prop_assert_eq!(there, back);
        }
    }
}
