//! Which parts of a resource become fields at once, which wait for another run, and which never do.

use super::*;
use crate::entitlements::testing::{given, many};
use proptest::prelude::*;

fn shown(resource: &str, arguments: &Arguments) -> (String, Option<String>) {
    let templated = templated(resource, arguments).unwrap();
    let candidate = templated
        .candidate
        .map(|candidate| candidate.as_str().to_owned());
    (templated.resource.as_str().to_owned(), candidate)
}

#[test]
fn whole_identifiers_become_fields_at_once() {
    for (resource, arguments, expected, candidate) in [
        (
            "repo:acme/x",
            &[("repo", "acme/x")][..],
            "repo:{repo}",
            None,
        ),
        (
            "repo:acme/x@feat",
            &[("repo", "acme/x"), ("branch", "feat")],
            "repo:{repo}@{branch}",
            None,
        ),
        (
            "repo:acme/x@feat",
            &[("repo", "acme/x")],
            "repo:{repo}@feat",
            None,
        ),
        (
            "repo:acme/x@feat",
            &[("branch", "feat")],
            "repo:acme/x@feat",
            Some("repo:acme/x@{branch}"),
        ),
        (
            "repo:acme/x",
            &[("title", "x")],
            "repo:acme/x",
            Some("repo:acme/{title}"),
        ),
        (
            "repo:acme/x",
            &[("owner", "acme"), ("name", "x")],
            "repo:acme/x",
            Some("repo:{owner}/{name}"),
        ),
        ("repo:acme/x", &[("repo", "acme/y")], "repo:acme/x", None),
        (
            "repo:acme/x",
            &[("b", "acme/x"), ("a", "acme/x")],
            "repo:{a}",
            None,
        ),
        ("global", &[("x", "global")], "global", None),
        ("issue:", &[("x", "")], "issue:", None),
        (
            "user:a@b.example",
            &[("who", "a@b.example")],
            "user:{who:email}",
            None,
        ),
        ("doc:a b", &[("x", "a b")], "doc:{x:path}", None),
        (
            "s3:arn:aws:s3:::b/k",
            &[("arn", "arn:aws:s3:::b")],
            "s3:arn:aws:s3:::b/k",
            None,
        ),
        (
            "s3:arn:aws:s3:::b",
            &[("arn", "arn:aws:s3:::b")],
            "s3:{arn}",
            None,
        ),
        (
            "ns:prod?name=a%20b&kind=pod",
            &[("ns", "prod"), ("pod", "a b")],
            "ns:{ns}?name=a%20b&kind=pod",
            Some("ns:{ns}?name={pod}&kind=pod"),
        ),
        ("doc:{title}", &[("title", "x")], "doc:[{]title}", None),
        ("doc:a*", &[("title", "x")], "doc:a[*]", None),
        ("doc:*/x", &[("t", "*")], "doc:[*]/x", Some("doc:{t}/x")),
        ("doc:x/../y", &[("t", "..")], "doc:x/../y", None),
    ] {
        let expected = (expected.to_owned(), candidate.map(str::to_owned));
        assert_eq!(
            shown(resource, &given(arguments)),
            expected,
            "{resource} {arguments:?}"
        );
    }
}

#[test]
fn items_of_lists_become_fields_only_as_a_whole() {
    let arguments = [("repos".to_owned(), many(&["acme/x", "acme"]))]
        .into_iter()
        .collect();
    assert_eq!(
        shown("repo:acme/x", &arguments),
        ("repo:{repos[]}".into(), None)
    );
    assert_eq!(
        shown("repo:acme/y", &arguments),
        ("repo:acme/y".into(), None)
    );
}

fn agreement(
    first: (&str, &[(&str, &str)]),
    second: (&str, &[(&str, &str)]),
) -> Option<(String, Option<String>)> {
    let before = templated(first.0, &given(first.1)).unwrap();
    let entry = Entitlement {
        seen: Some(1),
        candidate: before.candidate,
        ..Entitlement::new(
            crate::entitlements::model::ActionName::parse("github:x").unwrap(),
            before.resource,
        )
    };
    let now = templated(second.0, &given(second.1)).unwrap();
    let agreed = agree(&entry, &now)?;
    let candidate = agreed
        .candidate
        .map(|candidate| candidate.as_str().to_owned());
    Some((agreed.resource.as_str().to_owned(), candidate))
}

#[test]
fn two_runs_with_other_values_agree_on_a_template() {
    for (first, second, expected) in [
        (
            ("repo:acme/x", &[("owner", "acme"), ("name", "x")][..]),
            ("repo:beta/y", &[("owner", "beta"), ("name", "y")][..]),
            Some(("repo:{owner}/{name}", None)),
        ),
        (
            ("repo:acme/x", &[("owner", "acme"), ("name", "x")]),
            ("repo:acme/y", &[("owner", "acme"), ("name", "y")]),
            Some(("repo:acme/{name}", Some("repo:{owner}/{name}"))),
        ),
        // One coincidence is not repeated.
        (
            ("repo:acme/x", &[("title", "x")]),
            ("repo:acme/y", &[("title", "Fix it")]),
            None,
        ),
        (
            ("repo:acme/x", &[("a", "x")]),
            ("repo:acme/y", &[("b", "y")]),
            None,
        ),
        (
            ("repo:acme/x", &[("a", "x")]),
            ("repo:acme/y/z", &[("a", "y")]),
            None,
        ),
        (
            ("ns:p?name=a", &[("ns", "p"), ("pod", "a")]),
            ("ns:q?name=b", &[("ns", "q"), ("pod", "b")]),
            Some(("ns:{ns}?name={pod}", None)),
        ),
        (
            ("repo:acme/x@a", &[("branch", "a")]),
            ("repo:acme/x@b/c", &[("branch", "b/c")]),
            Some(("repo:acme/x@{branch}", None)),
        ),
    ] {
        let expected = expected
            .map(|(resource, candidate)| (resource.to_owned(), candidate.map(str::to_owned)));
        assert_eq!(agreement(first, second), expected, "{first:?} {second:?}");
    }
}

proptest! {
    #[test]
    fn parts_are_the_whole_text(text in "[a-z]{1,3}(:[a-z/@{}]{0,8})?(\\?[a-z&=]{0,6})?") {
        let joined: String = split(&text).into_iter().flat_map(|(lead, part)| [lead, part]).collect();
        prop_assert_eq!(joined, text);
    }
}
