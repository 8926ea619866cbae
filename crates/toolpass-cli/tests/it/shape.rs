//! What all commands have in common: the syntax of flags, help, errors, and that nothing drives the terminal.

use std::io::pipe;
use std::process::Stdio;

use crate::support::{Folder, run, same, shown};

#[test]
fn without_a_command_there_is_the_usage() {
    same(
        &run(&[]),
        r#"
exit 2
--- stderr
usage: toolpass COMMAND [flags]

  audit verify        say whether audit files are as they were written
  catalog             list the integrations, or the keys and actions of one
  check               ask whether a user may do something, or many such questions
  completion          print what a shell needs to complete this command
  demo                show an agent at work for two people of a small company, all of it on this machine
  doctor              say what keeps this machine from reaching the systems, before any credential is shown
  entitlements check  say what in files of entitlements deserves a look before it is committed
  entitlements diff   say what tools may do more or less by a newer file of entitlements
  gateway off         put back what old versions changed in the files of MCP clients
  help                show this, or the flags of one command
  init                print a first configuration for these integrations, every key explained
  mcp                 run the original command of an entry that an old version rewrote
  probe               ask every connection whether its credential works
  replay              ask the questions of decision logs again and list what is answered otherwise
  routes              list the requests an integration understands, or say what one request is
  serve               answer checks over HTTP
  validate            say what is wrong with configurations, without asking any system
  version             print the version

`toolpass help COMMAND` shows the flags of a command.
"#,
    );
}

#[test]
fn an_unknown_command_is_told_what_there_is() {
    same(
        &run(&["serv"]),
        r#"
exit 2
--- stderr
toolpass: there is no command `serv`
usage: toolpass COMMAND [flags]

  audit verify        say whether audit files are as they were written
  catalog             list the integrations, or the keys and actions of one
  check               ask whether a user may do something, or many such questions
  completion          print what a shell needs to complete this command
  demo                show an agent at work for two people of a small company, all of it on this machine
  doctor              say what keeps this machine from reaching the systems, before any credential is shown
  entitlements check  say what in files of entitlements deserves a look before it is committed
  entitlements diff   say what tools may do more or less by a newer file of entitlements
  gateway off         put back what old versions changed in the files of MCP clients
  help                show this, or the flags of one command
  init                print a first configuration for these integrations, every key explained
  mcp                 run the original command of an entry that an old version rewrote
  probe               ask every connection whether its credential works
  replay              ask the questions of decision logs again and list what is answered otherwise
  routes              list the requests an integration understands, or say what one request is
  serve               answer checks over HTTP
  validate            say what is wrong with configurations, without asking any system
  version             print the version

`toolpass help COMMAND` shows the flags of a command.
"#,
    );
}

#[test]
fn help_has_three_spellings() {
    let expected = run(&["help"]);
    assert!(
        expected.starts_with("exit 0\n--- stdout\nusage: toolpass COMMAND"),
        "{expected}"
    );
    for arguments in [["-h"], ["-help"], ["--help"]] {
        assert_eq!(run(&arguments), expected);
    }
    for arguments in [["probe", "-h"], ["probe", "-help"], ["probe", "--help"]] {
        assert_eq!(run(&arguments), run(&["help", "probe"]));
    }
}

#[test]
fn the_help_of_a_command_is_its_row() {
    same(
        &run(&["help", "check"]),
        r#"
exit 0
--- stdout
usage: toolpass check [flags]

ask whether a user may do something, or many such questions

flags
  -action ACTION      what is to be done, such as `pr.create`; required
  -api-key REF        with `-server`: the key to show, `env:NAME` or `file:PATH`; `env:TOOLPASS_API_KEY` when not given
  -batch FILE         questions, one JSON object a line, `-` for standard input; what a line lacks is as the flags say
  -ca-file FILE       with `-server`: PEM certificates to trust instead of the system's
  -config FILE        the configuration, `-` for standard input; TOOLPASS_CONFIG or /etc/toolpass/toolpass.yaml when not given
  -connection ID      the connection to ask; required
  -explain            show the account, the calls, the rule that decided and the time of each step
  -fresh              take no stored answer; there is none in this process
  -group GROUP        a group of the user; may be repeated
  -json               print the decision as one JSON object; `v1` for `decision` and `reason` alone
  -max-age DURATION   take only what was read at most so long ago, such as `30s`
  -resource RESOURCE  what it is to be done to, such as `repo:acme/app`; required
  -server URL         ask this server instead of the systems themselves
  -timeout DURATION   with `-server`: how long it is waited for; `60s` when not given
  -token REF          the user's own ID token: `env:NAME` or `file:PATH`, never the token itself
  -user EMAIL         whom to ask about; required

exit
  0  allow; with `-batch`: every decision is
  1  deny; with `-batch`: one is, and none is unknown
  2  no decision was reached
  2  the command line is wrong
  3  unknown; with `-batch`: one is
"#,
    );
    same(
        &run(&["help", "version"]),
        r#"
exit 0
--- stdout
usage: toolpass version

print the version

exit
  0  printed
  2  the command line is wrong
"#,
    );
}

#[test]
fn the_manual_page_is_made_of_the_same_rows() {
    let page = run(&["help", "-man"]);
    for part in [
        "exit 0\n--- stdout\n.TH TOOLPASS 1 ",
        ".SS \"toolpass check [flags]\"\n",
        ".TP\n\\fB\\-user\\fR \\fIEMAIL\\fR\n",
        ".SS \"toolpass mcp ... \\-\\- COMMAND [ARGUMENTS...]\"\n",
        "TOOLPASS_CONFIG",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
}

#[test]
fn the_version_is_found_as_a_flag_too() {
    let version = run(&["version"]);
    assert!(version.contains("exit 0"), "{version}");
    assert_eq!(run(&["--version"]), version);
    assert_eq!(run(&["-version"]), version);
    assert!(run(&["--version", "x"]).contains("there is no command `--version`"));
}

#[test]
fn the_version_needs_nothing() {
    let folder = Folder::with(&[]);
    let mut command = folder.command(&["version"]);
    command
        .env("TOOLPASS_CONFIG", "/nowhere")
        .env_remove("PATH");
    let expected = format!("exit 0\n--- stdout\n{}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(shown(&command.output().unwrap()), expected);
}

#[test]
fn a_wrong_command_line_says_what_is_wrong_and_exits_2() {
    for (arguments, expected) in [
        (
            &["version", "-x"][..],
            "toolpass version: there is no flag -x",
        ),
        (
            &["version", "x"],
            "toolpass version: expected flags only; a value follows its flag, as in `-name value`",
        ),
        (
            &["help", "serv"],
            "toolpass help: there is no command `serv`; there are `audit verify`, `catalog`, ",
        ),
        (
            &["catalog", "fake", "-json"],
            "toolpass catalog: expected at most one INTEGRATION, after all flags",
        ),
        (
            &["probe", "---config", "x"],
            "toolpass probe: bad flag syntax; expected ",
        ),
        (
            &["probe", "-config"],
            "toolpass probe: -config lacks its value, FILE",
        ),
        (
            &["probe", "-config="],
            "toolpass probe: -config is empty; expected a file",
        ),
        (
            &["routes", "-json=maybe"],
            "toolpass routes: -json takes `true` or `false`, after `=`",
        ),
        (
            &["routes", "-body", "x"],
            "toolpass routes: -body goes with -match only",
        ),
        (
            &["routes", "-config", "x", "fake"],
            "toolpass routes: -config goes with -match only",
        ),
        (
            &["routes", "-diff", "x"],
            "toolpass routes: -diff needs the INTEGRATION",
        ),
        (
            &["routes", "-diff", "x", "-search", "x", "fake"],
            "toolpass routes: -search and -diff exclude each other",
        ),
        (
            &["help", "-man", "check"],
            "toolpass help: -man is the page of all commands",
        ),
        (
            &["routes", "-search", "x", "-match", "GET https://h/"],
            "toolpass routes: -search and -match exclude each other",
        ),
        (
            &[
                "routes",
                "-match",
                "GET https://h/",
                "-body",
                "-",
                "-config",
                "-",
            ],
            "toolpass routes: -body and -config cannot both",
        ),
    ] {
        let shown = run(arguments);
        assert!(
            shown.starts_with(&format!("exit 2\n--- stderr\n{expected}")),
            "{shown}"
        );
        assert!(shown.contains("\nusage: toolpass "), "{shown}");
    }
}

#[test]
fn a_secret_in_the_wrong_place_is_not_repeated() {
    for arguments in [
        &["check", "-token=hunter2"][..],
        &["check", "-json=hunter2"],
        &["check", "hunter2"],
        &["routes", "-match", "GET https://dana:hunter2@example.com/"],
        &["routes", "-match", "GET https://example.com/?key=hunter2"],
        &["routes", "-match", "hunter2"],
    ] {
        let shown = run(arguments);
        assert!(
            !shown.starts_with("exit 0") && !shown.contains("hunter2"),
            "{shown}"
        );
    }
}

#[test]
fn no_control_character_is_ever_printed() {
    let hostile = "x\u{1b}[2J\u{1b}]0;y\u{7}\r\nexit 0\u{9b}1A\u{202e}\u{2028}";
    let file = Folder::with(&[("fake.yaml", FAKE)]);
    for arguments in [
        &[hostile][..],
        &["help", hostile],
        &["catalog", hostile],
        &["catalog", "-search", hostile],
        &["routes", hostile],
        &["routes", "-match", "GET https://h/\u{1b}[2J\u{9b}1A"],
        &["probe", "-config", hostile],
        &["probe", "-config", "fake.yaml", "-connection", hostile],
        &[
            "check",
            "-config",
            "fake.yaml",
            "-connection",
            hostile,
            "-user",
            hostile,
            "-action",
            hostile,
            "-resource",
            hostile,
        ],
    ] {
        let output = file.command(arguments).output().unwrap();
        assert_ne!(output.status.code(), Some(0), "{arguments:?}");
        for text in [output.stdout, output.stderr] {
            let text = String::from_utf8(text).unwrap();
            let is_quiet =
                |c: char| c == '\n' || !c.is_control() && !matches!(c, '\u{202e}' | '\u{2028}');
            assert!(text.chars().all(is_quiet), "{text:?}");
            assert!(
                !text.lines().any(|line| line.starts_with("exit 0")),
                "{text:?}"
            );
        }
    }
}

#[test]
fn there_are_no_colours_for_no_color_to_switch_off() {
    let folder = Folder::with(&[("fake.yaml", FAKE)]);
    for arguments in [
        &["probe", "-config", "fake.yaml"][..],
        &["catalog", "fake"],
        &["nothing"],
    ] {
        let plain = folder
            .command(arguments)
            .env("NO_COLOR", "1")
            .output()
            .unwrap();
        let forced = folder
            .command(arguments)
            .env("CLICOLOR_FORCE", "1")
            .env("TERM", "xterm")
            .output()
            .unwrap();
        assert_eq!(shown(&plain), shown(&forced));
        assert!(!shown(&plain).contains('\u{1b}'));
    }
}

#[test]
fn whoever_closes_the_pipe_gets_no_message() {
    let (reader, writer) = pipe().unwrap();
    drop(reader);
    let folder = Folder::with(&[]);
    let child = folder
        .command(&["catalog"])
        .stdout(writer)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    assert_eq!(shown(&child.wait_with_output().unwrap()), "exit 1\n");
}

const FAKE: &str = "connections:\n  - {id: a, integration: fake, users: dana@example.com}\n";
