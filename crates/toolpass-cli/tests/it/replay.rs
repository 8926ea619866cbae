//! `toolpass replay`: what a log's questions are answered now.

use crate::support::{Folder, same};

#[test]
fn what_changed_is_listed_and_nothing_else() {
    let folder = Folder::with(&[("toolpass.yaml", NOW), ("decisions.log", LOG)]);
    same(
        &folder.run(&["replay", "-config", "toolpass.yaml", "decisions.log"]),
        r#"
exit 1
--- stdout
allow -> deny  dana@example.com  main  thing.write  thing:1
  was  allowed: "dana@example.com" is an admin
  now  denied: "dana@example.com" is no admin
3 questions asked again, 1 answered otherwise, 2 lines skipped
"#,
    );
    same(
        &folder.run(&[
            "replay",
            "-config",
            "toolpass.yaml",
            "-json",
            "decisions.log",
        ]),
        r#"
exit 1
--- stdout
{"user":"dana@example.com","connection":"main","action":"thing.write","resource":"thing:1","was":"allow","was_reason":"allowed: \"dana@example.com\" is an admin","now":"deny","now_reason":"denied: \"dana@example.com\" is no admin"}
"#,
    );
}

#[test]
fn a_log_of_the_command_itself_is_answered_as_it_was() {
    let log = "{\"connection\":\"main\",\"user\":\"dana@example.com\",\"action\":\"thing.read\",\"resource\":\"thing:1\",\"decision\":\"allow\",\"code\":\"allowed\"}\n";
    let folder = Folder::with(&[("toolpass.yaml", NOW), ("a.log", log), ("b.log", log)]);
    same(
        &folder.run(&["replay", "-config", "toolpass.yaml", "a.log", "b.log"]),
        r#"
exit 0
--- stdout
1 question asked again, 0 answered otherwise, 0 lines skipped
"#,
    );
}

#[test]
fn a_log_without_anything_to_ask() {
    let folder = Folder::with(&[("toolpass.yaml", NOW), ("a.log", "half a li")]);
    let shown = folder.run(&["replay", "-config", "toolpass.yaml", "a.log"]);
    assert!(
        shown.starts_with(
            "exit 1\n--- stderr\ntoolpass replay: no line can be asked again (1 skipped)"
        ),
        "{shown}"
    );
    let shown = folder.run(&["replay", "-config", "toolpass.yaml", "nowhere"]);
    assert!(
        shown.starts_with("exit 1\n--- stderr\ntoolpass replay: `nowhere`: "),
        "{shown}"
    );
}

const NOW: &str = "connections:
  - {id: main, integration: fake, users: dana@example.com, admins: admin@example.com}
";
const LOG: &str = r#"{"time":"2030-01-01T00:00:00Z","connection":"main","user":"dana@example.com","action":"thing.read","resource":"thing:1","decision":"allow","code":"allowed","reason":"x","cached":false,"duration_ms":1,"status":200}
{"connection":"main","user":"dana@example.com","action":"thing.write","resource":"thing:1","decision":"deny","code":"denied","reason":"older"}
{"connection":"main","user":"dana@example.com","action":"thing.write","resource":"thing:1","decision":"allow","code":"allowed","reason":"\"dana@example.com\" is an admin"}
{"connection":"main","user":"[REDACTED]","action":"thing.write","resource":"thing:1","decision":"allow","code":"allowed","reason":""}
{"connection":"main","user":"eve@example.com","groups":["a"],"action":"thing.read","resource":"thing:1","decision":"deny","code":"user_not_found","reason":""}
{"connection":"main","user":"dana@ex
"#;
