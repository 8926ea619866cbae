//! Every rule of a file and of the code form: what is accepted, and every message word for word.

use std::sync::Arc;

use proptest::prelude::*;
use toolpass_core::secret::Secret;
use toolpass_integration::fields::CodeValue;

use super::*;
use crate::config::CallerGroups;
use crate::load::{CodeInput, CodeOptions, from_values};
use crate::testing::{ALL, load, problems};

/// One connection with these lines below `id` and `integration`.
fn one(lines: &[&str]) -> String {
    let keys: String = ["url: https://h", "credential: env:X"]
        .iter()
        .chain(lines)
        .map(|line| format!("    {line}\n"))
        .collect();
    format!("connections:\n  - id: a\n    integration: sample\n{keys}")
}

#[test]
fn a_whole_file() {
    let config = load(
        "%YAML 1.2
---
api_key: env:TOOLPASS_API_KEY
listen: \"127.0.0.1:9\"
decision_log: /var/log/decisions
decision_cache_seconds: +5
identity_cache_seconds: 2m
connections:
  - id: main
    integration: sample
    url: HTTPS://Acme.example:443/api
    username: yes
    credential: file:secrets/token
    timeout: 1m30s
    idp_connection: people
    decision_cache_seconds: 0
    max_concurrency: 4
    caller_groups: refuse
    private: true
    proxy_url: http://Proxy:3128
    proxy_username: bot
    proxy_credential: env:PROXY
  - id: people
    integration: idp
",
    )
    .unwrap();
    assert_eq!(
        config.api_key.as_ref().map(SecretRef::shown).as_deref(),
        Some("env:TOOLPASS_API_KEY")
    );
    assert_eq!(config.listen, "127.0.0.1:9");
    assert_eq!(
        config.decision_log,
        DecisionLog::File("/var/log/decisions".into())
    );
    assert_eq!(
        (config.decision_cache, config.identity_cache),
        (Duration::from_secs(5), Duration::from_secs(120))
    );
    assert_eq!(config.order, [1, 0]);
    let [main, people] = &config.connections[..] else {
        panic!()
    };
    assert_eq!(
        (main.id.as_str(), main.integration.name(), main.line),
        ("main", "sample", Some(9))
    );
    assert_eq!(main.settings.text("url"), Some("https://acme.example/api"));
    assert_eq!(main.settings.text("username"), Some("yes"));
    assert_eq!(main.settings.text("mode"), Some("direct"));
    assert_eq!(
        main.settings
            .secret("credential")
            .map(SecretRef::shown)
            .as_deref(),
        Some("file:/etc/toolpass/secrets/token")
    );
    assert!(!main.settings.has("id") && !main.settings.has("timeout"));
    assert_eq!(main.timeout, Duration::from_secs(90));
    assert_eq!(
        (main.tuning.decision_cache, main.tuning.max_concurrency),
        (Some(Duration::ZERO), 4)
    );
    assert_eq!(
        (main.caller_groups, main.private, main.strict_reads),
        (CallerGroups::Refuse, true, false)
    );
    assert_eq!(
        main.transport.proxy_url.as_deref(),
        Some("http://proxy:3128")
    );
    assert_eq!(main.references, ["people"]);
    assert_eq!(
        (
            people.timeout,
            people.tuning.max_concurrency,
            people.private
        ),
        (Duration::from_secs(8), 32, false)
    );
}

#[test]
fn defaults() {
    let config = load("connections: []\n").unwrap();
    assert_eq!(
        (config.listen.as_str(), config.decision_log),
        (":8080", DecisionLog::Stderr)
    );
    assert_eq!(
        (config.decision_cache, config.identity_cache),
        (Duration::from_secs(30), Duration::from_secs(900))
    );
    assert!(
        config.api_key.is_none() && config.connections.is_empty() && config.warnings.is_empty()
    );
    assert_eq!(
        from_values(Vec::new(), CodeOptions::default(), ALL)
            .unwrap()
            .decision_log,
        DecisionLog::None
    );
}

#[test]
fn a_file_with_twelve_mistakes_says_twelve_lines() {
    let text = "lisen: :80
decision_cache_seconds: 1_0
decision_log: stderr
decision_log: none
connections:
  - integration: sample
    url: https://h
    credential: env:X
  - id: jira
    integration: sampel
    whatever: 1
  - id: git
    integration: sample
    url: http://example.com
    username: ''
    credential: hunter2-s3cret
    usernam: x
    mode: serach
  - id: git
    integration: idp
  - id: last
    integration: sample
    url: https://h
";
    assert_eq!(
        problems(text),
        "toolpass.yaml:1: unknown key `lisen`; did you mean `listen`?; accepted: `api_key`, `api_keys`, `connections`, `decision_cache_seconds`, `decision_log`, `decision_log_mask`, `decision_log_on_error`, `decision_log_otlp`, `identity_cache_seconds`, `listen` and `server`
toolpass.yaml:2: `decision_cache_seconds`: expected whole seconds from 0 to 3600, or a duration up to 1h
toolpass.yaml:4: the key `decision_log` stands twice; it is already on line 3
toolpass.yaml:6: connection 1: `id` is missing
toolpass.yaml:10: connection \"jira\": unknown integration `sampel`; did you mean `sample`?; known: `idp` and `sample`
toolpass.yaml:14: connection \"git\": `url`: expected an `https://` URL; `http://` is accepted for `localhost` and loopback addresses only
toolpass.yaml:15: connection \"git\": `username`: the value is empty; leave the key out or give it one
toolpass.yaml:16: connection \"git\": `credential`: expected `env:NAME` or `file:/path`; inline secrets are not accepted
toolpass.yaml:17: connection \"git\": unknown key `usernam`; did you mean `username`?; accepted: `ca_file`, `ca_mode`, `caller_groups`, `credential`, `decision_cache_seconds`, `deny_cache_seconds`, `even`, `id`, `identity_cache_seconds`, `idp_connection`, `integration`, `lookup`, `map_file`, `max_concurrency`, `mode`, `no_proxy`, `not_found_cache_seconds`, `private`, `proxy_credential`, `proxy_url`, `proxy_username`, `strict_reads`, `timeout`, `tls_server_name`, `url` and `username`
toolpass.yaml:18: connection \"git\": `mode`: expected `direct` or `search`; did you mean `search`?
toolpass.yaml:19: connection \"git\": the id is taken by another connection on line 12
toolpass.yaml:21: connection \"last\": `credential` is missing"
    );
}

#[test]
fn the_top_of_the_file() {
    for (text, message) in [
        (
            "",
            "toolpass.yaml: the file is empty; expected a mapping with `connections`",
        ),
        (
            "- a\n",
            "toolpass.yaml:1: expected a mapping with `connections` at the top of the file",
        ),
        (
            "listen: x\n",
            "toolpass.yaml: `connections` is missing; write `connections: []` for none",
        ),
        (
            "connections:\n",
            "toolpass.yaml:1: expected a list under `connections`; write `[]` for none",
        ),
        (
            "connections: {}\n",
            "toolpass.yaml:1: expected a list under `connections`; write `[]` for none",
        ),
        (
            "connections: []\nconnections: []\n",
            "toolpass.yaml:2: the key `connections` stands twice; it is already on line 1",
        ),
        (
            "connections: [x]\n",
            "toolpass.yaml:1: connection 1: expected a mapping of keys and values",
        ),
        (
            "connections: []\nlisten: [x]\n",
            "toolpass.yaml:2: `listen`: expected a plain value, not a list, a mapping or an alias",
        ),
        (
            "connections: []\nlisten: ~\n",
            "toolpass.yaml:2: `listen`: the value is empty; leave the key out or give it one",
        ),
        (
            "connections: []\n? [a]\n: b\n",
            "toolpass.yaml:2: expected a plain text as key",
        ),
        (
            "connections: []\n---\nlisten: x\n",
            "toolpass.yaml:2: a second document begins here; expected one document in the file",
        ),
        (
            "connections: []\napi_key: s3cret\n",
            "toolpass.yaml:2: `api_key`: expected `env:NAME` or `file:/path`; inline secrets are not accepted",
        ),
        (
            "connections: []\ndecision_cache_seconds: x\nidentity_cache_seconds: 2d\n",
            "toolpass.yaml:2: `decision_cache_seconds`: expected whole seconds from 0 to 3600, or a duration up to 1h\ntoolpass.yaml:3: `identity_cache_seconds`: expected whole seconds from 0 to 86400, or a duration up to 24h",
        ),
        (
            "connections: []\ndecision_cache_seconds: 3601\n",
            "toolpass.yaml:2: `decision_cache_seconds`: expected whole seconds from 0 to 3600, or a duration up to 1h",
        ),
    ] {
        assert_eq!(problems(text), message, "{text}");
    }
    assert!(
        load("connections: []\ndecision_log: ''\n")
            .is_ok_and(|config| config.decision_log == DecisionLog::None)
    );
    let long = problems(&format!(
        "connections: []\n{}: x\n",
        "\u{202e}k".repeat(500)
    ));
    assert!(!long.contains('\u{202e}') && long.len() < 400, "{long}");
}

#[test]
fn keys_of_a_connection() {
    for (lines, message) in [
        (
            &["url: https://h"][..],
            "6: connection \"a\": the key `url` stands twice; it is already on line 4",
        ),
        (
            &["username:"],
            "6: connection \"a\": `username`: the value is empty; leave the key out or give it one",
        ),
        (
            &["username: &x b", "mode: *x"],
            "7: connection \"a\": `mode`: expected a plain value, not a list, a mapping or an alias",
        ),
        (
            &["username: {a: b}"],
            "6: connection \"a\": `username`: expected a plain value, not a list, a mapping or an alias",
        ),
        (
            &["lookup: x"],
            "6: connection \"a\": `lookup`: it can only be given in code",
        ),
        (
            &["even: 3"],
            "6: connection \"a\": `even`: expected an even number",
        ),
        (
            &["mode: search"],
            "6: connection \"a\": `mode`: `search` needs `username` beside it",
        ),
        (
            &["map_file: no/such/file"],
            "6: connection \"a\": `map_file`: there is no such file",
        ),
        (
            &["map_file: /"],
            "6: connection \"a\": `map_file`: expected a file, found a directory",
        ),
        (
            &["ca_file: no/such.pem"],
            "6: connection \"a\": `ca_file`: there is no such file",
        ),
        (
            &["ca_mode: add"],
            "6: connection \"a\": `ca_mode`: it needs `ca_file` beside it",
        ),
        (
            &["timeout: 0s"],
            "6: connection \"a\": `timeout`: expected a duration of more than 0 and at most 5m",
        ),
        (
            &["timeout: 5"],
            "6: connection \"a\": `timeout`: expected a duration such as `8s`, `1m30s` or `250ms`",
        ),
        (
            &["private: maybe"],
            "6: connection \"a\": `private`: expected `true` or `false`",
        ),
        (
            &["caller_groups: deny"],
            "6: connection \"a\": `caller_groups`: expected `accept`, `ignore` or `refuse`",
        ),
        (
            &["max_concurrency: 0"],
            "6: connection \"a\": `max_concurrency`: expected a whole number from 1 to 1000",
        ),
        (
            &["proxy_username: bot", "proxy_credential: env:P"],
            "6: connection \"a\": `proxy_username`: it needs `proxy_url` beside it",
        ),
        (
            &["proxy_url: http://bot:pw@proxy"],
            "6: connection \"a\": `proxy_url`: user and password are not accepted in the address; give `proxy_username` and `proxy_credential`",
        ),
        (
            &["idp_connection: A"],
            "6: connection \"a\": `idp_connection`: expected the id of a connection",
        ),
    ] {
        assert_eq!(
            problems(&one(lines)),
            format!("toolpass.yaml:{message}"),
            "{lines:?}"
        );
    }
    assert!(
        problems(&one(&["<<: x"]))
            .starts_with("toolpass.yaml:6: connection \"a\": unknown key `<<`; accepted")
    );
    assert!(
        problems(&one(&["\"credential\\u200b\": env:Y"]))
            .contains("unknown key `credential`; did you mean `credential`?")
    );
    assert!(
        load(&one(&[
            "map_file: /etc/hosts",
            "even: \"4\"",
            "username: \"~\"",
            "mode: search"
        ]))
        .is_ok()
    );
}

#[test]
fn ids() {
    let config = |id: &str| format!("connections:\n  - id: {id}\n    integration: idp\n");
    let shape =
        "`id`: expected lower-case letters, digits and `-`, at most 64, not beginning with `-`";
    for (id, message) in [
        ("A", format!("toolpass.yaml:2: connection 1: {shape}")),
        ("-a", format!("toolpass.yaml:2: connection 1: {shape}")),
        ("a_b", format!("toolpass.yaml:2: connection 1: {shape}")),
        ("~", "toolpass.yaml:2: connection 1: `id`: the value is empty; leave the key out or give it one".into()),
        ("[a]", "toolpass.yaml:2: connection 1: `id`: expected a plain value, not a list, a mapping or an alias".into()),
    ] {
        assert_eq!(problems(&config(id)), message, "{id}");
    }
    assert_eq!(
        problems("connections:\n  - url: x\n"),
        "toolpass.yaml:2: connection 1: `id` is missing\ntoolpass.yaml:2: connection 1: `integration` is missing"
    );
}

#[test]
fn references_lead_somewhere_and_in_no_circle() {
    let file = |links: &[(&str, &str)]| {
        let item = |(id, to): &(&str, &str)| {
            let link = if to.is_empty() {
                String::new()
            } else {
                format!("    up_connection: {to}\n")
            };
            format!("  - id: {id}\n    integration: idp\n{link}")
        };
        format!(
            "connections:\n{}",
            links.iter().map(item).collect::<String>()
        )
    };
    for (links, message) in [
        (
            &[("a", "a")][..],
            "2: connection \"a\": `up_connection`: it refers to itself",
        ),
        (
            &[("a", "people"), ("peolpe", "")],
            "2: connection \"a\": `up_connection`: no connection has the id `people`; did you mean `peolpe`?",
        ),
        (
            &[("x", ""), ("a", "b"), ("b", "c"), ("c", "a")],
            "4: connections refer to each other in a circle: a -> b -> c -> a",
        ),
    ] {
        assert_eq!(problems(&file(links)), format!("toolpass.yaml:{message}"));
    }
    let wrong = one(&["idp_connection: b"])
        + "  - id: b\n    integration: sample\n    url: https://h\n    credential: env:X\n";
    assert_eq!(
        problems(&wrong),
        "toolpass.yaml:2: connection \"a\": `idp_connection`: expected a connection of `idp`; `b` is of `sample`"
    );
    let ordered = load(&file(&[("a", "c"), ("b", ""), ("c", "d"), ("d", "")])).unwrap();
    assert_eq!(ordered.order, [3, 2, 0, 1]);
}

#[test]
fn a_reference_to_a_connection_with_a_mistake_is_no_second_mistake() {
    let text = one(&["idp_connection: b"]) + "  - id: b\n    integration: idp\n    nota: x\n";
    let found = problems(&text);
    assert!(
        found.lines().count() == 1 && found.contains("unknown key `nota`; did you mean `note`?"),
        "{found}"
    );
}

#[test]
fn long_caches_are_warned_about() {
    let config = load(
        &("decision_cache_seconds: 10m\n".to_owned() + &one(&["decision_cache_seconds: 301"])),
    )
    .unwrap();
    assert_eq!(config.warnings.len(), 2);
    assert!(config.warnings[1].starts_with("connection \"a\": `decision_cache_seconds`"));
}

fn coded(extra: Vec<(&str, CodeInput)>) -> Result<Config, Errors> {
    let text = |text: &str| CodeInput::Text(text.into());
    let mut keys = vec![
        ("id", text("a")),
        ("integration", text("sample")),
        ("url", text("https://h")),
    ];
    keys.extend(extra);
    let keys = keys
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect();
    from_values(vec![keys], CodeOptions::default(), ALL)
}

#[test]
fn code_takes_what_a_file_cannot_hold() {
    let literal = || CodeInput::Secret(SecretRef::Literal(Secret::new("hunter2")));
    let callable = || CodeInput::Code(CodeValue::Other(Arc::new(())));
    let config = coded(vec![("credential", literal()), ("lookup", callable())]).unwrap();
    assert!(config.connections[0].settings.code("lookup").is_some());
    assert!(!format!("{config:?}").contains("hunter2"));
    for (extra, message) in [
        (
            vec![("credential", CodeInput::Null)],
            "`credential`: the value is empty; leave the key out or give it one",
        ),
        (
            vec![("credential", callable())],
            "`credential`: expected a secret or a reference such as `env:NAME`",
        ),
        (
            vec![("credential", literal()), ("username", literal())],
            "`username`: this key holds no secret; pass a plain string",
        ),
        (
            vec![("credential", literal()), ("username", callable())],
            "`username`: expected a text, a number or a boolean",
        ),
        (
            vec![
                ("credential", literal()),
                ("username", CodeInput::Text("a\0".into())),
            ],
            "`username`: the value holds a control character",
        ),
        (
            vec![
                ("credential", literal()),
                ("lookup", CodeInput::Text("f".into())),
            ],
            "`lookup`: expected a value of code such as a callable, not a text or a secret",
        ),
        (vec![], "`credential` is missing"),
    ] {
        assert_eq!(
            coded(extra).unwrap_err().to_string(),
            format!("<connections>: connection \"a\": {message}")
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn code_and_file_agree(
        connections in prop::collection::vec(
            prop::collection::btree_map(
                prop::sample::select(vec!["id", "integration", "url", "username", "credential", "mode", "even", "timeout", "private",
                    "idp_connection", "up_connection", "usernam", "decision_cache_seconds", "max_concurrency", "proxy_url"]),
                prop::sample::select(vec!["a", "b", "sample", "idp", "https://h", "http://h", "env:X", "direct", "8", "8s", "true", "", "é", "0"]),
                0..9,
            ),
            0..4,
        )
    ) {
        let item = |keys: &BTreeMap<&str, &str>| {
            let lines: Vec<String> = keys.iter().map(|(key, value)| format!("{key}: '{value}'")).collect();
            format!("  - {{{}}}\n", lines.join(", "))
        };
        let list: String = connections.iter().map(item).collect();
        let text = format!("decision_log: none\nconnections:{}\n{list}", if connections.is_empty() { " []" } else { "" });
        let values = connections.iter()
            .map(|keys| keys.iter().map(|(key, value)| ((*key).to_owned(), CodeInput::Text((*value).to_owned()))).collect())
            .collect();
        let from_file = load(&text);
        let from_code = from_values(values, CodeOptions::default(), ALL);
        match (from_file, from_code) {
            (Ok(file), Ok(code)) => {
                prop_assert_eq!(format!("{:?}", file.connections), format!("{:?}", code.connections));
                prop_assert_eq!(file.order, code.order);
            }
            (Err(file), Err(code)) => {
                let messages = |errors: &Errors| {
                    let mut messages: Vec<String> = errors.problems().iter().map(|problem| {
                        problem.message.split(" on line ").next().unwrap().to_owned()
                    }).map(|message| message.replace("; it is already", "")).collect();
                    messages.sort();
                    messages
                };
                prop_assert_eq!(messages(&file), messages(&code));
            }
            (file, code) => prop_assert!(false, "{:?} {:?}", file.err(), code.err()),
        }
    }

    #[test]
    fn no_file_panics_and_every_problem_has_a_message(text in "((api_key|listen|connections|  - id|    integration|    url|    credential): ?([a-z:*&\\[{'\"~]{0,8}|idp|sample)\n){0,8}|[-a-z:\\[\\]{} \n'\"&*!|>#%?]{0,80}") {
        if let Err(errors) = load(&text) {
            prop_assert!(errors.problems().iter().all(|problem| !problem.message.is_empty()));
        }
    }

    #[test]
    fn no_message_shows_a_value(value in "[A-Za-z0-9+/]{20,40}", key in "api_key|credential|username|mode|even|timeout|url|proxy_url|map_file|private|idp_connection|id") {
        let text = match key.as_str() {
            "api_key" => format!("api_key: S{value}\nconnections: []\n"),
            key => one(&[&format!("{key}: S{value}")]),
        };
        if let Err(errors) = load(&text) {
            prop_assert!(!errors.to_string().contains(&value), "{}", errors);
        }
    }
}

#[test]
fn what_the_decision_log_hides_and_refuses() {
    let config = |keys: &str| load(&format!("{keys}\nconnections: []\n")).unwrap();
    let plain = config("");
    assert!(!plain.decision_log_refuses);
    assert_eq!(plain.decision_log_mask, LogMask::default());
    let strict = config("decision_log_on_error: refuse\ndecision_log_mask: remote, user");
    assert!(strict.decision_log_refuses);
    let expected = LogMask {
        user: true,
        groups: false,
        remote: true,
    };
    assert_eq!(strict.decision_log_mask, expected);
    let found =
        problems("decision_log_mask: user,names\ndecision_log_on_error: warn\nconnections: []\n");
    let expected = "toolpass.yaml:1: `decision_log_mask`: expected some of `user`, `groups`, `remote`, separated by commas
toolpass.yaml:2: `decision_log_on_error`: expected `ignore` or `refuse`";
    assert_eq!(found, expected);
}

#[test]
fn one_digest_for_the_same_settings_and_another_for_others() {
    let digest = |text: &str| load(text).unwrap().digest;
    let first = digest(&one(&["timeout: 3s"]));
    assert_eq!(first.len(), 16);
    assert_eq!(first, digest(&one(&["'timeout': \"3s\" # the same"])));
    for other in [one(&[]), one(&["timeout: 4s"]), one(&["username: 3s"])] {
        assert_ne!(first, digest(&other));
    }
}
