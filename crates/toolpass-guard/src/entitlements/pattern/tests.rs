//! What a pattern covers, and that no argument widens one.

use super::*;
use crate::entitlements::testing::{given, many, one};
use proptest::prelude::*;

fn covers(pattern: &str, arguments: &[(&str, &str)], resource: &str) -> bool {
    ResourcePattern::parse(pattern)
        .unwrap()
        .matches(resource, &given(arguments))
}

#[test]
fn patterns_cover() {
    for (pattern, arguments, resource, expected) in [
        ("", &[][..], "", true),
        ("", &[], "repo:a", false),
        ("global", &[], "global", true),
        ("repo:acme/x", &[], "repo:acme/x", true),
        ("repo:acme/x", &[], "repo:acme/X", false),
        ("repo:{repo}", &[("repo", "acme/x")], "repo:acme/x", true),
        ("repo:{repo}", &[("repo", "acme/x")], "repo:acme/y", false),
        ("repo:{repo}", &[], "repo:acme/x", false),
        (
            "repo:{repo}",
            &[("repo", "acme/x@main")],
            "repo:acme/x@main",
            false,
        ),
        (
            "repo:{owner}/{name}",
            &[("owner", "a"), ("name", "b/c")],
            "repo:a/b/c",
            false,
        ),
        (
            "user:{who:email}",
            &[("who", "a@b.example")],
            "user:a@b.example",
            true,
        ),
        ("repo:acme/*", &[], "repo:acme/x", true),
        ("repo:acme/*", &[], "repo:acme/x/y", false),
        ("repo:**", &[], "repo:acme/x", true),
        ("repo:acme/?", &[], "repo:acme/x", true),
        ("repo:acme/[xy]", &[], "repo:acme/y", true),
        ("repo:acme/[y-x]", &[], "repo:acme/y", false),
        ("repo:{owner}/*", &[("owner", "acme")], "repo:acme/x", true),
        ("repo:{owner}/*", &[("owner", "*")], "repo:evil/x", false),
        ("repo:{owner}/*", &[("owner", "*")], "repo:*/x", true),
        ("repo:{owner}/*", &[("owner", "[a-z]")], "repo:e/x", false),
        ("repo:{owner}/*", &[("owner", "?")], "repo:e/x", false),
        (
            "repo:{owner}/*",
            &[("owner", "acme/x")],
            "repo:acme/x/y",
            false,
        ),
        (
            "repo:{repo}@release/*",
            &[("repo", "a/b")],
            "repo:a/b@release/1",
            true,
        ),
        (
            "ns:{ns}?name={pod}",
            &[("ns", "prod"), ("pod", "a b")],
            "ns:prod?name=a%20b",
            true,
        ),
        (
            "ns:{ns}?name={pod}",
            &[("ns", "prod"), ("pod", "a b")],
            "ns:prod?name=a+b",
            true,
        ),
        (
            "ns:{ns}?name={pod}",
            &[("ns", "prod"), ("pod", "a&kind=b")],
            "ns:prod?name=a&kind=b",
            false,
        ),
        (
            "ns:{ns}?name={pod}",
            &[("ns", "prod"), ("pod", "a")],
            "ns:prodXname=a",
            false,
        ),
        ("ns:{ns}?name=*", &[("ns", "prod")], "ns:prod?name=x", true),
        ("ns:{ns}?name=*", &[("ns", "prod")], "ns:prodXname=x", false),
        ("doc:{}", &[], "doc:{}", true),
        ("doc:{0}/{id}", &[("id", "7")], "doc:{0}/7", true),
        ("doc:{0}/{id}/*", &[("id", "7")], "doc:{0}/7/x", true),
        ("doc:[{]id}", &[("id", "7")], "doc:{id}", true),
        ("doc:[{]id}", &[("id", "7")], "doc:7", false),
    ] {
        assert_eq!(
            covers(pattern, arguments, resource),
            expected,
            "{pattern} {arguments:?} {resource}"
        );
    }
}

#[test]
fn any_item_of_a_list_will_do() {
    let pattern = ResourcePattern::parse("repo:{repos[]}@{branch}").unwrap();
    let arguments: Arguments = [
        ("repos".to_owned(), many(&["acme/x", "acme/y", "*", "a@b"])),
        ("branch".to_owned(), one("main")),
    ]
    .into_iter()
    .collect();
    for (resource, expected) in [
        ("repo:acme/x@main", true),
        ("repo:acme/y@main", true),
        ("repo:acme/z@main", false),
        ("repo:acme/x@dev", false),
    ] {
        assert_eq!(
            pattern.matches(resource, &arguments),
            expected,
            "{resource}"
        );
    }
    let known: Vec<_> = pattern
        .known(&arguments)
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        known,
        ["repo:acme/x@main", "repo:acme/y@main", "repo:*@main"]
    );
    assert!(
        !ResourcePattern::parse("repo:{repos}")
            .unwrap()
            .matches("repo:acme/x", &arguments)
    );
    assert!(
        !ResourcePattern::parse("repo:{branch[]}")
            .unwrap()
            .matches("repo:main", &arguments)
    );
}

#[test]
fn texts_that_are_no_pattern() {
    for (text, message) in [
        ("Repo:x", "expected a resource type"),
        ("re{kind}:x", "the field `kind` would choose"),
        ("repo:{a:>10}", "expected the kind"),
        ("repo:[{a}]", "cannot stand inside"),
        ("repo:a[{a[]}", "cannot stand inside"),
        ("repo:{a[]}/{b[]}", "at most one list argument"),
        ("repo:{a[]}/{a}", "at most one list argument"),
        ("repo:\u{e000}", "private-use"),
        ("repo:*\n", "control"),
        ("repo:a\n", "control"),
    ] {
        let error = ResourcePattern::parse(text).unwrap_err().to_string();
        assert!(error.contains(message), "{text:?}: {error}");
    }
}

#[test]
fn openness_is_told_from_the_text_without_its_fields() {
    for (text, openness) in [
        ("", Openness::Literal),
        ("repo:a", Openness::Literal),
        ("ns:a?b=c", Openness::Literal),
        ("repo:{a}", Openness::Template),
        ("repo:{a[]}", Openness::Template),
        ("ns:{a}?b={c}", Openness::Template),
        ("repo:{a}/*", Openness::Glob),
        ("repo:a?", Openness::Glob),
        ("ns:a?b=c?", Openness::Glob),
        ("repo:[ab]", Openness::Glob),
    ] {
        assert_eq!(
            ResourcePattern::parse(text).unwrap().openness(),
            openness,
            "{text}"
        );
    }
}

/// Values a model might choose, and a few it must not get away with.
const HOSTILE: &str =
    "[ab*?\\[\\]!{}:/@%&=#\\\\.,; \u{e000}é\u{200b}-]{0,8}|\\*\\*|\\[a-z\\]|\\{other\\}";

proptest! {
    #[test]
    fn an_argument_never_widens_a_glob(value in HOSTILE, target in "[ab]{1,2}") {
        let resource = format!("repo:{target}/x");
        if covers("repo:{owner}/*", &[("owner", &value)], &resource) {
            prop_assert_eq!(value, target);
        }
    }

    #[test]
    fn an_argument_never_becomes_another_resource(value in HOSTILE, kind in "|:id|:path|:any|:email") {
        let pattern = ResourcePattern::parse(&format!("repo:{{x{kind}}}/y")).unwrap();
        let arguments = given(&[("x", &value), ("other", "acme")]);
        prop_assert!(!pattern.matches("repo:acme/y", &arguments) || value == "acme");
        for resource in pattern.known(&arguments) {
            prop_assert_eq!(resource.as_str(), format!("repo:{value}/y"));
            prop_assert!(pattern.matches(resource.as_str(), &arguments));
        }
    }

    #[test]
    fn an_exact_pattern_covers_its_resource_and_no_other(id in HOSTILE, other in HOSTILE, query in "|\\?k=[a?*\\[{]{0,3}|\\?[{*]") {
        let resource = format!("doc:{id}{query}");
        let arguments = given(&[("other", "acme"), ("a", "b")]);
        if let Ok(pattern) = ResourcePattern::exactly(&resource) {
            prop_assert!(pattern.matches(&resource, &arguments), "{:?}", pattern);
            prop_assert!(pattern.fields().is_empty());
            let another = format!("doc:{other}{query}");
            let same = match (Resource::parse(&resource), Resource::parse(&another)) {
                (Ok(one), Ok(other)) => one.id() == other.id() && one.query() == other.query(),
                _ => false,
            };
            prop_assert!(same || !pattern.matches(&another, &arguments), "{:?} {}", pattern, another);
            prop_assert_eq!(ResourcePattern::parse(pattern.as_str()), Ok(pattern));
        }
    }

    #[test]
    fn never_panics(text in "[a-z:{}\\[\\]*?!=&@/]{0,16}|\\PC{0,16}", value in HOSTILE, resource in "\\PC{0,12}") {
        if let Ok(pattern) = ResourcePattern::parse(&text) {
            let arguments = given(&[("a", &value)]);
            let _ = pattern.matches(&resource, &arguments);
            let _ = pattern.known(&arguments);
            prop_assert_eq!(pattern.fill(&arguments, Escape::No).len() <= 1, true);
        }
    }
}
