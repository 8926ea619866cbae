//! What a run leaves in the file, and that the run is covered by it.

use super::*;
use crate::entitlements::enforce::{Asked, Coverage, covers, covers_host};
use crate::entitlements::host::Listed;
use crate::entitlements::testing::{given, many, one, set};
use proptest::prelude::*;
use toolpass_wire::request::Scheme;

fn did(action: &str, resource: &str, as_agent: bool, effect: Effect) -> ObservedAction {
    ObservedAction {
        method: "GET".into(),
        host: "api.github.com".into(),
        path: "/x".into(),
        effect: Some(effect),
        allowed: true,
        integration: Some("github".into()),
        action: Some(format!("github:{action}")),
        resource: (!resource.is_empty()).then(|| resource.into()),
        as_agent,
        ..ObservedAction::default()
    }
}

fn noted(note: Note, path: &str, host: &str) -> ObservedAction {
    ObservedAction {
        action: None,
        resource: None,
        path: path.into(),
        host: host.into(),
        note: Some(note),
        ..did("x", "", false, Effect::Read)
    }
}

fn run(file: &Entitlements, arguments: &Arguments, actions: &[ObservedAction]) -> Recording {
    let run = Run {
        tool: "t",
        arguments,
        outcome: CallOutcome::Ran,
        actions,
    };
    record(file, run, Partial::Skip)
}

fn lines(file: &Entitlements) -> Vec<String> {
    let entry = file.for_tool("t").cloned().unwrap_or_default();
    let hosts = entry.hosts.iter().map(ToString::to_string);
    let actions = entry.actions.iter().map(|action| {
        let candidate = action
            .candidate
            .as_ref()
            .map(|own| format!(" or {own}"))
            .unwrap_or_default();
        format!("{action}, seen {}{candidate}", action.seen.unwrap_or(0))
    });
    hosts.chain(actions).collect()
}

#[test]
fn a_run_is_recorded() {
    let refused = ObservedAction {
        allowed: false,
        ..did("repo.push", "repo:acme/x", false, Effect::Write)
    };
    let recording = run(
        &Entitlements::default(),
        &given(&[("repo", "acme/x")]),
        &[
            did("repo.read", "repo:acme/x", true, Effect::Read),
            did("repo.read", "repo:acme/x", true, Effect::Read),
            did("pr.create", "repo:acme/x", false, Effect::Write),
            did("user.read", "", false, Effect::Read),
            refused,
            noted(Note::UnknownHost, "/", "ci.example.com:8443"),
            noted(Note::Unmapped, "/orgs/acme/hooks", "api.github.com"),
            ObservedAction {
                action: None,
                ..did("x", "", false, Effect::Read)
            },
        ],
    );
    assert_eq!(
        lines(&recording.entitlements),
        [
            "ci.example.com:8443",
            "github:repo.read on repo:{repo} as agent, read, seen 1",
            "github:pr.create on repo:{repo} as user, write, seen 1",
            "github:user.read as user, read, seen 1",
            "github:unmapped.read on path:/orgs/acme/hooks as user, read, seen 1",
        ]
    );
    assert_eq!(recording.changes.len(), 6);
    assert!(recording.unwritable.is_empty());
}

#[test]
fn nothing_to_record_changes_nothing() {
    let file = Entitlements::default();
    let recording = run(&file, &given(&[]), &[]);
    assert_eq!((recording.entitlements, recording.changes), (file, vec![]));
}

#[test]
fn the_same_run_again_only_counts() {
    let arguments = given(&[("repo", "acme/x")]);
    let actions = [did("repo.read", "repo:acme/x", false, Effect::Read)];
    let mut file = Entitlements::default();
    for seen in [1, 2, 3, 3] {
        file = run(&file, &arguments, &actions).entitlements;
        assert_eq!(
            lines(&file),
            [format!(
                "github:repo.read on repo:{{repo}} as user, read, seen {seen}"
            )]
        );
    }
}

#[test]
fn a_stronger_effect_raises_the_entry() {
    let arguments = given(&[("repo", "acme/x")]);
    let weak = [did("repo.push", "repo:acme/x", false, Effect::Write)];
    let strong = [did("repo.push", "repo:acme/x", false, Effect::Destructive)];
    let file = run(&Entitlements::default(), &arguments, &weak).entitlements;
    let recording = run(&file, &arguments, &strong);
    let changes: Vec<_> = recording.changes.iter().map(ToString::to_string).collect();
    assert_eq!(
        changes,
        ["~ t: github:repo.push on repo:{repo} as user, destructive; was write"]
    );
    let again = run(&recording.entitlements, &arguments, &weak);
    assert_eq!(
        lines(&again.entitlements),
        ["github:repo.push on repo:{repo} as user, destructive, seen 3"]
    );
}

#[test]
fn a_segment_waits_for_a_second_run_that_agrees() {
    let of = |owner: &'static str, name: &'static str| {
        (
            given(&[("owner", owner), ("name", name), ("title", "x")]),
            [did(
                "repo.read",
                &format!("repo:{owner}/{name}"),
                false,
                Effect::Read,
            )],
        )
    };
    let mut file = Entitlements::default();
    for ((arguments, actions), expected) in [
        (
            of("acme", "y"),
            "repo:acme/y as user, read, seen 1 or repo:{owner}/{name}",
        ),
        (
            of("acme", "z"),
            "repo:acme/{name} as user, read, seen 2 or repo:{owner}/{name}",
        ),
        (of("beta", "z"), "repo:{owner}/{name} as user, read, seen 3"),
    ] {
        file = run(&file, &arguments, &actions).entitlements;
        assert_eq!(lines(&file), [format!("github:repo.read on {expected}")]);
    }
}

#[test]
fn one_coincidence_makes_no_template() {
    let first = run(
        &Entitlements::default(),
        &given(&[("title", "x")]),
        &[did("repo.read", "repo:acme/x", false, Effect::Read)],
    );
    let second = run(
        &first.entitlements,
        &given(&[("title", "Fix")]),
        &[did("repo.read", "repo:acme/y", false, Effect::Read)],
    );
    assert_eq!(
        lines(&second.entitlements),
        [
            "github:repo.read on repo:acme/x as user, read, seen 1 or repo:acme/{title}",
            "github:repo.read on repo:acme/y as user, read, seen 1",
        ]
    );
}

#[test]
fn an_entry_written_by_hand_is_not_widened() {
    let file = set(&[(
        "t",
        &[],
        &[("github:repo.read", "repo:acme/x", "user", "read")],
    )]);
    let arguments = |name: &str| given(&[("name", name)]);
    let file = run(
        &file,
        &arguments("x"),
        &[did("repo.read", "repo:acme/x", false, Effect::Read)],
    )
    .entitlements;
    let file = run(
        &file,
        &arguments("y"),
        &[did("repo.read", "repo:acme/y", false, Effect::Read)],
    )
    .entitlements;
    assert_eq!(
        lines(&file),
        [
            "github:repo.read on repo:acme/x as user, read, seen 0",
            "github:repo.read on repo:acme/y as user, read, seen 1 or repo:acme/{name}",
        ]
    );
}

#[test]
fn what_did_not_run_to_its_end_is_recorded_only_when_asked_for() {
    let arguments = given(&[]);
    let actions = [did("repo.read", "repo:acme/x", false, Effect::Read)];
    for (outcome, from) in [
        (CallOutcome::Raised, Some("raised")),
        (CallOutcome::Refused, Some("refused")),
        (CallOutcome::Ran, None),
    ] {
        let run = Run {
            tool: "t",
            arguments: &arguments,
            outcome,
            actions: &actions,
        };
        let file = Entitlements::default();
        let skipped = record(&file, run, Partial::Skip);
        assert_eq!(skipped.entitlements == file, from.is_some());
        let kept = record(&file, run, Partial::Record);
        assert_eq!((kept.from, kept.entitlements.len()), (from, 1));
    }
}

#[test]
fn what_no_entry_can_say_is_reported() {
    let recording = run(
        &Entitlements::default(),
        &given(&[]),
        &[
            did("repo.read", "doc:\u{e000}", false, Effect::Read),
            noted(Note::UnknownHost, "/", "*"),
            noted(Note::Unmapped, "/a/%2e%2e/b", "api.github.com"),
        ],
    );
    assert_eq!(
        recording.unwritable,
        ["doc:\u{e000}", "*", "path:/a/%2e%2e/b"]
    );
    assert!(recording.entitlements.is_empty());
}

/// Calls of one shape with the arguments a model might give.
fn any_arguments() -> impl Strategy<Value = Arguments> {
    let value = "[ab]|acme/x|[ab]/[ab]|\\*|\\[a\\]|\\{name\\}|a b|a@b\\.example|feat|\\.\\.";
    prop::collection::btree_map(
        prop::sample::select(vec!["owner", "name", "repo", "title"]),
        (value, prop::option::of(prop::collection::vec(value, 0..3))),
        0..4,
    )
    .prop_map(|given| {
        given
            .into_iter()
            .map(|(name, (value, items))| {
                let items: Option<Vec<&str>> = items
                    .as_ref()
                    .map(|items| items.iter().map(String::as_str).collect());
                (
                    name.to_owned(),
                    items.map_or_else(|| one(&value), |items| many(&items)),
                )
            })
            .collect::<Arguments>()
    })
}

fn any_request() -> impl Strategy<Value = ObservedAction> {
    let resource = "|repo:([ab]/[ab]|acme/x|a b|\\*|\\{name\\}/b|a@b\\.example|[ab]/\\[a\\]|\\.\\./a)(@feat|@[ab])?(\\?k=[ab*?]|\\?[ab])?";
    let mapped = (
        "repo\\.(read|push)",
        resource,
        any::<bool>(),
        prop::sample::select(Effect::ALL.to_vec()),
    )
        .prop_map(|(action, resource, as_agent, effect)| did(&action, &resource, as_agent, effect));
    let unmapped =
        "/[ab]/[ab*]{1,2}".prop_map(|path| noted(Note::Unmapped, &path, "api.github.com"));
    let host = "[ab]\\.example(:8443)?".prop_map(|host| noted(Note::UnknownHost, "/", &host));
    prop_oneof![4 => mapped, 1 => unmapped, 1 => host]
}

fn is_covered(file: &Entitlements, arguments: &Arguments, action: &ObservedAction) -> bool {
    let entry = file.for_tool("t").cloned().unwrap_or_default();
    if action.note == Some(Note::UnknownHost) {
        let (host, port) = action.host.split_once(':').unwrap_or((&action.host, "443"));
        return covers_host(&entry, &Scheme::Https, host, port.parse().unwrap()) == Listed::ByName;
    }
    let path = path_resource(&PathSegments::read(&action.path).unwrap());
    let (name, resource) = match &action.action {
        Some(name) => (
            name.strip_prefix("github:").unwrap(),
            action.resource.as_deref(),
        ),
        None => (UNMAPPED_READ, Some(path.as_str())),
    };
    let asked = Asked {
        integration: "github",
        action: name,
        resource,
        effect: action.effect.unwrap(),
    };
    match covers(&entry, arguments, asked) {
        // Where the user is asked of another entry, the request is still covered: by the stricter one.
        Coverage::Covered(_) => true,
        Coverage::Exceeded(_) | Coverage::Missing => false,
    }
}

proptest! {
    #[test]
    fn a_recorded_run_is_covered_by_what_was_recorded_of_it(
        runs in prop::collection::vec((any_arguments(), prop::collection::vec(any_request(), 0..5)), 1..5),
    ) {
        let mut file = Entitlements::default();
        for (arguments, actions) in &runs {
            let recording = run(&file, arguments, actions);
            prop_assert!(recording.unwritable.is_empty(), "{:?}", recording.unwritable);
            file = recording.entitlements;
        }
        for (arguments, actions) in &runs {
            for action in actions {
                prop_assert!(is_covered(&file, arguments, action), "{arguments:?} {action:?} {:#?}", lines(&file));
            }
        }
    }

    #[test]
    fn no_value_of_an_argument_gets_into_the_file_but_as_part_of_a_resource(secret in "[A-Z]{12}", actions in prop::collection::vec(any_request(), 0..4)) {
        let arguments: Arguments = [("title".to_owned(), one(&secret)), ("items".to_owned(), many(&[&secret]))].into_iter().collect::<Arguments>();
        let file = run(&Entitlements::default(), &arguments, &actions).entitlements;
        prop_assert!(!crate::entitlements::write::write(&file).contains(&secret));
    }

    #[test]
    fn another_value_of_an_argument_reaches_only_what_that_argument_names(
        (arguments, actions) in (any_arguments(), prop::collection::vec(any_request(), 1..4)),
        value in "[ab*?\\[\\]{}/@]{1,4}",
    ) {
        let file = run(&Entitlements::default(), &arguments, &actions).entitlements;
        let others: Arguments = arguments.iter().map(|(name, _)| (name.to_owned(), one(&value))).collect();
        let target = did("repo.read", "repo:evil/zz", false, Effect::Read);
        prop_assert!(!is_covered(&file, &others, &target));
    }
}
