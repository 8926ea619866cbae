//! Two sets as one: what either lists is listed, and where both list the same, the stronger effect and the stricter rest hold.
//!
//! INVARIANT: merging is commutative, associative and idempotent; its result is in one order: tools by name, hosts by text,
//! actions by action, resource and authority.

use super::host::HostPattern;
use super::model::{ENOUGH_SEEN, Entitlement, Entitlements, ToolEntitlements};

/// Merge two sets.
pub fn merge(one: &Entitlements, other: &Entitlements) -> Entitlements {
    let mut merged = Entitlements::default();
    for (tool, entry) in one.tools().chain(other.tools()) {
        let own = merged.entry(tool);
        for host in &entry.hosts {
            add_host(&mut own.hosts, host.clone());
        }
        for action in &entry.actions {
            add_action(own, action);
        }
    }
    let tools: Vec<String> = merged.tools().map(|(tool, _)| tool.to_owned()).collect();
    for tool in tools {
        let own = merged.entry(&tool);
        own.hosts
            .sort_by(|one, other| one.as_str().cmp(other.as_str()));
        own.actions
            .sort_by(|one, other| one.key().cmp(&other.key()));
    }
    merged
}

/// Add a host that is not listed yet.
pub(super) fn add_host(hosts: &mut Vec<HostPattern>, host: HostPattern) {
    if !hosts.contains(&host) {
        hosts.push(host);
    }
}

fn add_action(entry: &mut ToolEntitlements, action: &Entitlement) {
    match entry
        .actions
        .iter_mut()
        .find(|own| own.key() == action.key())
    {
        Some(own) => join(own, action),
        None => entry.actions.push(Entitlement {
            seen: action.seen.map(|seen| seen.min(ENOUGH_SEEN)),
            ..action.clone()
        }),
    }
}

/// Make one entry of two with the same key.
fn join(own: &mut Entitlement, other: &Entitlement) {
    own.effect = own.effect.max(other.effect);
    own.fresh |= other.fresh;
    own.limit = own.limit.into_iter().chain(other.limit).min();
    // Both may have counted the same runs, so they are not added up.
    own.seen = own.seen.max(other.seen).map(|seen| seen.min(ENOUGH_SEEN));
    let candidates = own
        .candidate
        .take()
        .into_iter()
        .chain(other.candidate.clone());
    own.candidate = candidates.min_by(|one, other| one.as_str().cmp(other.as_str()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entitlements::testing::{any_set, set};
    use proptest::prelude::*;

    #[test]
    fn the_same_entry_keeps_the_stronger_effect_and_the_stricter_rest() {
        let mut one = set(&[("t", &["b", "a"], &[("github:x", "repo:a", "user", "read")])]);
        let mut other = set(&[(
            "t",
            &["a"],
            &[
                ("github:x", "repo:a", "user", "write"),
                ("github:x", "repo:a", "agent", "read"),
            ],
        )]);
        if let Some(entry) = one.entry("t").actions.first_mut() {
            entry.fresh = true;
            entry.limit = Some(5);
        }
        if let Some(entry) = other.entry("t").actions.first_mut() {
            entry.limit = Some(2);
        }
        let merged = merge(&one, &other);
        let entry = merged.for_tool("t").unwrap();
        let hosts: Vec<_> = entry.hosts.iter().map(HostPattern::as_str).collect();
        assert_eq!(hosts, ["a", "b"]);
        let shown: Vec<_> = entry.actions.iter().map(ToString::to_string).collect();
        assert_eq!(
            shown,
            [
                "github:x on repo:a as agent, read",
                "github:x on repo:a as user, write"
            ]
        );
        let user = entry.actions.last().unwrap();
        assert_eq!((user.fresh, user.limit), (true, Some(2)));
    }

    proptest! {
        #[test]
        fn merging_is_commutative_associative_and_idempotent(a in any_set(), b in any_set(), c in any_set()) {
            let ab = merge(&a, &b);
            prop_assert_eq!(&ab, &merge(&b, &a));
            prop_assert_eq!(&merge(&ab, &ab), &ab);
            prop_assert_eq!(&merge(&ab, &a), &ab);
            prop_assert_eq!(merge(&ab, &c), merge(&a, &merge(&b, &c)));
        }
    }
}
