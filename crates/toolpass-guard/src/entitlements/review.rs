//! What a person should look at before a file is committed.

use std::fmt;

use super::model::Entitlements;
use super::pattern::Openness;

/// One thing to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// `tools.NAME.actions[0]` or `tools.NAME.hosts[0]`.
    pub place: String,
    /// The entry or host.
    pub entry: String,
    /// What is remarkable about it.
    pub why: Why,
}

/// What is remarkable about an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// Its glob can never match.
    Broken,
    /// A destructive action on whatever a glob matches.
    DestructiveGlob,
    /// Literal after one run, though arguments stand in it: another run would make it this pattern.
    Literal(String),
    /// A template that only one run was seen of: the argument may have had that value by chance.
    OnceSeen,
    /// A wildcard that lists every host.
    EveryHost,
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: ", self.place, self.entry)?;
        match &self.why {
            Why::Broken => f.write_str("the glob can never match, so nothing is covered"),
            Why::DestructiveGlob => f.write_str("a destructive action on whatever the glob matches"),
            Why::EveryHost => f.write_str("every host is listed"),
            Why::Literal(candidate) => {
                write!(f, "seen once; another run with other values would make it {candidate}")
            }
            Why::OnceSeen => f.write_str(
                "seen once; check that the argument names the resource and does not equal it by chance",
            ),
        }
    }
}

/// Look through a set.
pub fn review(entitlements: &Entitlements) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for (tool, entry) in entitlements.tools() {
        for (index, host) in entry.hosts.iter().enumerate() {
            if host.as_str().trim_matches('*').is_empty() {
                remarks.push(Remark {
                    place: format!("tools.{tool}.hosts[{index}]"),
                    entry: host.to_string(),
                    why: Why::EveryHost,
                });
            }
        }
        for (index, action) in entry.actions.iter().enumerate() {
            let once = action.seen == Some(1);
            let why = match (action.resource.openness(), &action.candidate) {
                _ if action.resource.is_broken() => Some(Why::Broken),
                (Openness::Glob, _)
                    if action.effect == toolpass_core::effect::Effect::Destructive =>
                {
                    Some(Why::DestructiveGlob)
                }
                (Openness::Template, _) if once => Some(Why::OnceSeen),
                (Openness::Literal, Some(candidate)) if once => {
                    Some(Why::Literal(candidate.to_string()))
                }
                (Openness::Glob | Openness::Literal | Openness::Template, _) => None,
            };
            remarks.extend(why.map(|why| Remark {
                place: format!("tools.{tool}.actions[{index}]"),
                entry: action.to_string(),
                why,
            }));
        }
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entitlements::pattern::ResourcePattern;
    use crate::entitlements::testing::set;

    #[test]
    fn what_needs_a_look_is_listed() {
        let mut entitlements = set(&[(
            "t",
            &["*", "a.example"],
            &[
                ("github:a", "repo:{repo}", "user", "read"),
                ("github:b", "repo:acme/x", "user", "read"),
                ("github:c", "repo:acme/*", "user", "destructive"),
                ("github:d", "repo:[z-a]", "user", "read"),
                ("github:e", "repo:{repo}", "user", "read"),
            ],
        )]);
        if let [one, two, ..] = entitlements.entry("t").actions.as_mut_slice() {
            one.seen = Some(1);
            two.seen = Some(1);
            two.candidate = Some(ResourcePattern::parse("repo:{owner}/{name}").unwrap());
        }
        let whys: Vec<_> = review(&entitlements)
            .into_iter()
            .map(|remark| (remark.place, remark.why))
            .collect();
        let at = |index: usize| format!("tools.t.actions[{index}]");
        assert_eq!(
            whys,
            [
                ("tools.t.hosts[0]".to_owned(), Why::EveryHost),
                (at(0), Why::OnceSeen),
                (at(1), Why::Literal("repo:{owner}/{name}".into())),
                (at(2), Why::DestructiveGlob),
                (at(3), Why::Broken),
            ]
        );
    }
}
