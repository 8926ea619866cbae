//! Sets of entitlements for the tests of this folder.

use proptest::prelude::*;
use toolpass_core::effect::Effect;
use toolpass_core::template::Filled;

use super::arguments::{Arguments, Given};
use super::host::HostPattern;
use super::model::{ActionName, Entitlement, Entitlements, ToolEntitlements};
use super::pattern::ResourcePattern;
use crate::settings::ActAs;

/// Action, resource, as, effect.
pub(crate) type Row = (&'static str, &'static str, &'static str, &'static str);

/// A set by its rows.
pub(crate) fn set(tools: &[(&str, &[&str], &[Row])]) -> Entitlements {
    let mut entitlements = Entitlements::default();
    for (tool, hosts, rows) in tools {
        entitlements.insert((*tool).into(), tool_of(hosts, rows));
    }
    entitlements
}

/// One tool's entry by its rows.
pub(crate) fn tool_of(hosts: &[&str], rows: &[Row]) -> ToolEntitlements {
    ToolEntitlements {
        hosts: hosts
            .iter()
            .map(|host| HostPattern::parse(host).unwrap())
            .collect(),
        actions: rows
            .iter()
            .map(|(action, resource, acts_as, effect)| Entitlement {
                acts_as: if *acts_as == "agent" {
                    ActAs::Agent
                } else {
                    ActAs::User
                },
                effect: Effect::parse(effect).unwrap(),
                ..Entitlement::new(
                    ActionName::parse(action).unwrap(),
                    ResourcePattern::parse(resource).unwrap(),
                )
            })
            .collect(),
    }
}

/// Arguments that are single texts.
pub(crate) fn given(pairs: &[(&str, &str)]) -> Arguments {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), one(value)))
        .collect()
}

/// One text.
pub(crate) fn one(value: &str) -> Given {
    Given::One(Filled::Text(value.to_owned().into()))
}

/// A list of texts.
pub(crate) fn many(values: &[&str]) -> Given {
    Given::Many(
        values
            .iter()
            .map(|value| Filled::Text((*value).to_owned().into()))
            .collect(),
    )
}

/// Any set.
pub(crate) fn any_set() -> impl Strategy<Value = Entitlements> {
    let host = "[a-c]\\.example(:8443)?|\\*\\.example|tcp://[a-c]:1";
    let resource = "|repo:[ab]/x|repo:\\{repo\\}|repo:\\{o\\}/[*x]|doc:[\"\\\\é日 *?\\[{}-]{1,4}|ns:x\\?name=\\{pod\\}|path:/\\{ids\\[\\]\\}";
    let effect = prop::sample::select(Effect::ALL.to_vec());
    let action = (
        ("github:[ab]|k8s:raw:get:pods/log", resource),
        (any::<bool>(), effect, any::<bool>()),
        (prop::option::of(1..9_u32), prop::option::of(1..4_u32)),
        prop::option::of("repo:\\{[ab]\\}/x"),
    )
        .prop_filter_map(
            "a pattern",
            |((action, resource), (agent, effect, fresh), counts, candidate)| {
                Some(Entitlement {
                    acts_as: if agent { ActAs::Agent } else { ActAs::User },
                    effect,
                    fresh,
                    limit: counts.0,
                    seen: counts.1,
                    candidate: candidate.and_then(|text| ResourcePattern::parse(&text).ok()),
                    ..Entitlement::new(
                        ActionName::parse(&action).ok()?,
                        ResourcePattern::parse(&resource).ok()?,
                    )
                })
            },
        );
    let tool = (
        prop::collection::vec(host, 0..3),
        prop::collection::vec(action, 0..4),
    )
        .prop_map(|(hosts, actions)| ToolEntitlements {
            hosts: hosts
                .iter()
                .filter_map(|host| HostPattern::parse(host).ok())
                .collect(),
            actions,
        });
    prop::collection::btree_map("[a-c]|on|a b|\"", tool, 0..3).prop_map(|tools| {
        let mut entitlements = Entitlements::default();
        for (name, entry) in tools {
            entitlements.insert(name, entry);
        }
        entitlements
    })
}
