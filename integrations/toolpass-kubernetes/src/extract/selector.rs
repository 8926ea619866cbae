//! What narrows a collection: the selectors of a list, a watch and a deletion, and the name one of them may give.
//!
//! Source: k8s.io/apiserver `endpoints/request/requestinfo.go`; KEP-4601; read 2026-12-01.

use toolpass_core::question::Facts;
use toolpass_wire::field::Unresolved;
use toolpass_wire::reading::Reading;

use crate::facts::{FIELD_SELECTOR, LABEL_SELECTOR};
use crate::resource::{Object, is_name};

/// The selectors, as facts.
pub(super) fn facts(reading: &Reading<'_>, object: &Object) -> Result<Facts, Unresolved> {
    let mut found = Facts::new();
    if !matches!(object.verb.as_str(), "deletecollection" | "list" | "watch") {
        return Ok(found);
    }
    for (parameter, fact) in [
        ("fieldSelector", FIELD_SELECTOR),
        ("labelSelector", LABEL_SELECTOR),
    ] {
        match reading.query(parameter).known()? {
            Some(value) if value.len() > MAX_SELECTOR => {
                return Err(Unresolved::new(format!(
                    "`{parameter}` is longer than {MAX_SELECTOR} bytes"
                )));
            }
            Some(value) if !value.is_empty() => {
                found.insert(fact.to_owned(), value);
            }
            Some(_) | None => {}
        }
    }
    Ok(found)
}

/// The one object that a list or a watch is narrowed to; a deletion of a collection is never.
pub(super) fn only_name(selectors: &Facts, object: &Object) -> Option<String> {
    if object.verb == "deletecollection" {
        return None;
    }
    let found = name(selectors.get(FIELD_SELECTOR)?)?;
    is_name(found, &object.kind).then(|| found.to_owned())
}

/// The name a selector asks for, when it is one plainly.
fn name(selector: &str) -> Option<&str> {
    if selector.contains('\\') {
        return None;
    }
    let mut names = selector.split(',').filter_map(|term| {
        let value = term.trim().strip_prefix("metadata.name=")?;
        Some(value.strip_prefix('=').unwrap_or(value))
    });
    match (names.next(), names.next()) {
        (Some(name), None) => Some(name).filter(|name| !name.is_empty() && !name.contains('=')),
        _ => None,
    }
}

const MAX_SELECTOR: usize = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_plain_name_narrows() {
        for (selector, expected) in [
            ("metadata.name=web", Some("web")),
            ("metadata.name==web", Some("web")),
            ("status.phase=Running,metadata.name=web", Some("web")),
            ("metadata.name!=web", None),
            ("metadata.name=web,metadata.name=db", None),
            ("metadata.name=we\\,b", None),
            ("metadata.name=", None),
            ("metadata.namespace=web", None),
            ("", None),
        ] {
            assert_eq!(name(selector), expected, "{selector}");
        }
    }
}
