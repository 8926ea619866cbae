//! What every integration owes its declaration: these would otherwise be errors at start.

use std::collections::BTreeSet;

use toolpass_integration::actions::ActionSpec;
use toolpass_integration::fields::{Key, KeyKind, Settings};
use toolpass_integration::integration::Integration;

use super::*;

fn is_key_name(name: &str) -> bool {
    let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
    name.bytes().next().is_some_and(|b| b.is_ascii_lowercase()) && name.bytes().all(fits)
}

fn key_problem(key: &Key) -> Option<&'static str> {
    let has_value = key.default.is_some() || !key.one_of.is_empty() || key.check.is_some();
    let is_reference = matches!(key.kind, KeyKind::Connection(_));
    let default_refused = key.default.is_some_and(|default| {
        let outside = !key.one_of.is_empty() && !key.one_of.contains(&default);
        outside || key.check.is_some_and(|check| check(default).is_err())
    });
    if !is_key_name(key.name) {
        Some("a name of lower-case letters, digits and `_`")
    } else if key.required && key.default.is_some() {
        Some("either required or a default")
    } else if key.kind == KeyKind::Secret && has_value {
        Some("a secret without default, closed set and check")
    } else if key.kind == KeyKind::Code && (has_value || key.required) {
        Some("a code key that is nothing else")
    } else if is_reference != key.name.ends_with("_connection") {
        Some("a name that ends in `_connection` exactly for a reference")
    } else if default_refused {
        Some("a default that its own rules accept")
    } else if key.help.is_empty() {
        Some("a help line")
    } else {
        None
    }
}

fn action_problem(integration: &dyn Integration, spec: &ActionSpec) -> Option<&'static str> {
    let plain: String = spec.name.replace(['<', '>'], "");
    if toolpass_integration::core::action::Action::parse(&plain).is_err() {
        Some("an action name")
    } else if spec.on.is_empty() || spec.phrase.is_empty() {
        Some("a resource type and a phrase")
    } else if !spec.name.contains('<') && !integration.has_action(spec.name) {
        Some("an action the integration has")
    } else {
        None
    }
}

#[test]
fn names_are_unique_and_plain() {
    let mut seen = BTreeSet::new();
    for integration in all() {
        let name = integration.name();
        assert!(seen.insert(name), "`{name}` is registered twice");
        assert!(is_key_name(name) && !name.contains('_'), "`{name}`");
        assert_eq!(find(name).map(|found| found.name()), Some(name));
    }
    assert!(find("no such").is_none());
}

#[test]
fn keys_are_declared_once_and_right() {
    for integration in all() {
        let mut seen = BTreeSet::new();
        for key in integration.keys() {
            assert!(
                seen.insert(key.name),
                "{}: `{}` is declared twice",
                integration.name(),
                key.name
            );
            assert_eq!(
                key_problem(key),
                None,
                "{}: `{}`: expected the above",
                integration.name(),
                key.name
            );
        }
    }
}

#[test]
fn references_name_integrations_there_are() {
    for integration in all() {
        for key in integration.keys() {
            if let KeyKind::Connection(wanted) = key.kind {
                assert!(
                    !wanted.is_empty() && wanted.iter().all(|name| find(name).is_some()),
                    "{}: `{}`",
                    integration.name(),
                    key.name
                );
            }
        }
    }
}

#[test]
fn actions_are_declared_once_and_right() {
    for integration in all() {
        let mut seen = BTreeSet::new();
        for spec in integration.actions() {
            assert!(
                seen.insert(spec.name),
                "{}: `{}` is declared twice",
                integration.name(),
                spec.name
            );
            assert_eq!(
                action_problem(*integration, spec),
                None,
                "{}: `{}`: expected the above",
                integration.name(),
                spec.name
            );
        }
        assert!(
            !integration.has_action("no.such.action"),
            "{}",
            integration.name()
        );
    }
}

#[test]
fn nothing_panics_on_settings_that_say_nothing() {
    for integration in all() {
        let settings = Settings::default();
        let _ = (
            integration.check(&settings),
            integration.endpoints(&settings),
            integration.vendor_hosts(),
        );
    }
}
