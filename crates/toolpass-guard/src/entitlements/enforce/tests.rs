//! What entries cover, which of several decides, and what is known beforehand.

use super::*;
use crate::entitlements::testing::{given, many, set, tool_of};
use proptest::prelude::*;

fn asked<'r>(action: &'r str, resource: Option<&'r str>, effect: Effect) -> Asked<'r> {
    let (integration, action) = action.split_once(':').unwrap();
    Asked {
        integration,
        action,
        resource,
        effect,
    }
}

fn shown(coverage: Coverage<'_>) -> String {
    match coverage {
        Coverage::Covered(grant) => format!("{:?} by {}", grant.acts_as, grant.entry.resource),
        Coverage::Exceeded(entry) => format!("exceeds {}", entry.effect),
        Coverage::Missing => "missing".into(),
    }
}

#[test]
fn the_strictest_of_the_matching_entries_decides() {
    use Effect::{Destructive, Read, Write};
    let entry = tool_of(
        &[],
        &[
            ("github:repo.read", "repo:acme/*", "agent", "read"),
            ("github:repo.read", "repo:{repo}", "user", "read"),
            ("github:repo.read", "repo:acme/x", "agent", "read"),
            ("github:repo.push", "repo:{repo}", "agent", "write"),
            ("github:repo.push", "repo:acme/y", "user", "destructive"),
            ("github:user.read", "", "agent", "read"),
            ("github:*", "repo:**", "agent", "destructive"),
        ],
    );
    let arguments = given(&[("repo", "acme/x")]);
    for (action, resource, effect, expected) in [
        (
            "github:repo.read",
            Some("repo:acme/x"),
            Read,
            "User by repo:acme/x",
        ),
        (
            "github:repo.read",
            Some("repo:acme/z"),
            Read,
            "Agent by repo:acme/*",
        ),
        ("github:repo.read", Some("repo:evil/x"), Read, "missing"),
        (
            "github:repo.read",
            Some("repo:acme/x"),
            Write,
            "exceeds read",
        ),
        (
            "github:repo.push",
            Some("repo:acme/x"),
            Write,
            "Agent by repo:{repo}",
        ),
        (
            "github:repo.push",
            Some("repo:acme/x"),
            Destructive,
            "exceeds write",
        ),
        (
            "github:repo.push",
            Some("repo:acme/y"),
            Destructive,
            "User by repo:acme/y",
        ),
        ("github:repo.push", None, Write, "User by repo:acme/y"),
        ("github:user.read", None, Read, "Agent by "),
        ("github:pr.create", Some("repo:acme/x"), Write, "missing"),
        ("gitlab:repo.read", Some("repo:acme/x"), Read, "missing"),
    ] {
        let coverage = covers(&entry, &arguments, asked(action, resource, effect));
        assert_eq!(shown(coverage), expected, "{action} {resource:?} {effect}");
    }
}

#[test]
fn fresh_and_limit_are_the_strictest_of_all_that_match() {
    let mut entry = tool_of(
        &[],
        &[
            ("github:x", "repo:acme/x", "user", "write"),
            ("github:x", "repo:acme/*", "user", "read"),
            ("github:x", "repo:**", "user", "write"),
        ],
    );
    if let [_, two, three] = entry.actions.as_mut_slice() {
        two.fresh = true;
        two.limit = Some(2);
        three.limit = Some(5);
    }
    let coverage = covers(
        &entry,
        &given(&[]),
        asked("github:x", Some("repo:acme/x"), Effect::Write),
    );
    let Coverage::Covered(grant) = coverage else {
        panic!("{coverage:?}");
    };
    assert_eq!((grant.fresh, grant.limit), (true, Some(2)));
}

#[test]
fn a_tool_without_an_entry_is_held_only_under_strict() {
    let file = set(&[("t", &[], &[])]);
    let none = standing(None, "t");
    let held = standing(Some(&file), "t");
    let unlisted = standing(Some(&file), "other");
    for (standing, strict, gap) in [
        (none, true, None),
        (held, true, None),
        (unlisted, false, None),
        (unlisted, true, Some(Gap::Tool)),
    ] {
        assert_eq!(tool_gap(standing, strict), gap, "{standing:?} {strict}");
    }
    let codes: Vec<_> = [Gap::Action, Gap::Host, Gap::Tool, Gap::UnmappedRead]
        .into_iter()
        .map(|gap| gap.code().as_str())
        .collect();
    assert_eq!(
        codes,
        [
            "unentitled_action",
            "unknown_host",
            "no_entitlements",
            "unmapped_action"
        ]
    );
}

#[test]
fn effects_recorded_and_declared() {
    let file = set(&[
        (
            "t",
            &[],
            &[
                ("github:a", "repo:a", "user", "read"),
                ("github:b", "repo:a", "user", "destructive"),
            ],
        ),
        ("empty", &[], &[]),
    ]);
    let entry = file.for_tool("t").unwrap();
    let mismatch = |declared| effect_mismatch(entry, declared).map(|entry| entry.action.as_str());
    assert_eq!(mismatch(None), None);
    assert_eq!(mismatch(Some(Effect::Destructive)), None);
    assert_eq!(mismatch(Some(Effect::Write)), Some("github:b"));
    let held = standing(Some(&file), "t");
    assert_eq!(effect_of(None, held), Some(Effect::Destructive));
    assert_eq!(effect_of(Some(Effect::Write), held), Some(Effect::Write));
    assert_eq!(effect_of(None, standing(Some(&file), "empty")), None);
    assert_eq!(effect_of(None, standing(Some(&file), "other")), None);
}

#[test]
fn what_the_arguments_tell_is_known_beforehand() {
    let entry = tool_of(
        &[],
        &[
            ("github:a", "repo:{repo}", "user", "read"),
            ("github:b", "repo:{repos[]}", "user", "write"),
            ("github:c", "repo:{repo}/*", "user", "write"),
            ("github:d", "repo:{missing}", "user", "write"),
            ("github:e", "", "user", "write"),
            ("github:f", "repo:acme/z", "agent", "write"),
        ],
    );
    let mut pairs = vec![("repos".to_owned(), many(&["acme/x", "acme/y", "acme/x"]))];
    pairs.push((
        "repo".to_owned(),
        crate::entitlements::testing::one("acme/x"),
    ));
    let arguments = pairs.into_iter().collect();
    let known: Vec<_> = known_beforehand(&entry, &arguments)
        .iter()
        .map(|planned| format!("{} {}", planned.entry.action, planned.resource))
        .collect();
    assert_eq!(
        known,
        [
            "github:a repo:acme/x",
            "github:b repo:acme/x",
            "github:b repo:acme/y",
            "github:f repo:acme/z",
        ]
    );
}

#[test]
fn reads_that_no_route_knows_are_listed_by_their_path() {
    let entry = tool_of(
        &[],
        &[(
            "github:unmapped.read",
            "path:/orgs/{org}/x",
            "agent",
            "read",
        )],
    );
    for (org, path, expected) in [
        ("acme", "/orgs/acme/x", "Agent by path:/orgs/{org}/x"),
        ("acme", "/orgs/%61cme/x", "Agent by path:/orgs/{org}/x"),
        ("acme", "/orgs/acme%2Fx", "missing"),
        ("acme", "/orgs/evil/x", "missing"),
        ("a/../x", "/orgs/a/x", "missing"),
    ] {
        let path = PathSegments::read(path).unwrap();
        let coverage = covers_unmapped_read(&entry, &given(&[("org", org)]), "github", &path);
        assert_eq!(shown(coverage), expected, "{org} {path:?}");
    }
    for (raw, resource) in [
        ("/", "path:/"),
        ("/a", "path:/a"),
        ("/a%3Fb", "path:/a%3Fb"),
        ("/100%25", "path:/100%25"),
    ] {
        assert_eq!(path_resource(&PathSegments::read(raw).unwrap()), resource);
    }
}

#[test]
fn the_best_listing_of_a_host_counts() {
    let entry = tool_of(&["*.example.com", "ci.example.com", "tcp://db:5432"], &[]);
    for (scheme, host, port, listed) in [
        ("https", "ci.example.com", 443, Listed::ByName),
        ("https", "b.example.com", 443, Listed::ByWildcard),
        ("https", "b.example.com", 8443, Listed::No),
        ("tcp", "db", 5432, Listed::ByName),
        ("https", "db", 443, Listed::No),
    ] {
        assert_eq!(
            covers_host(&entry, &Scheme::parse(scheme), host, port),
            listed,
            "{host}"
        );
    }
}

proptest! {
    #[test]
    fn an_added_entry_never_loosens_what_is_covered(
        rows in prop::collection::vec((any::<bool>(), prop::sample::select(vec!["repo:a", "repo:{r}", "repo:*"]), prop::sample::select(Effect::ALL.to_vec())), 1..5),
        effect in prop::sample::select(Effect::ALL.to_vec()),
    ) {
        let rows: Vec<_> = rows.iter().map(|(agent, resource, effect)| {
            ("github:x", *resource, if *agent { "agent" } else { "user" }, effect.as_str())
        }).collect();
        let arguments = given(&[("r", "a")]);
        let question = asked("github:x", Some("repo:a"), effect);
        let fewer = tool_of(&[], rows.get(1..).unwrap());
        let all = tool_of(&[], &rows);
        if let (Coverage::Covered(fewer), Coverage::Covered(all)) = (covers(&fewer, &arguments, question), covers(&all, &arguments, question)) {
            prop_assert!(fewer.acts_as == ActAs::Agent || all.acts_as == ActAs::User);
        }
    }
}
