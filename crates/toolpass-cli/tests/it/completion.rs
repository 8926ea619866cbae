//! `toolpass completion`: scripts the shells themselves take.

use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::support::run;

fn script(shell: &str) -> String {
    let shown = run(&["completion", shell]);
    let script = shown.strip_prefix("exit 0\n--- stdout\n");
    assert!(script.is_some(), "{shown}");
    script.unwrap_or_default().to_owned()
}

/// What bash offers after these words.
fn offered(words: &[&str]) -> String {
    let program = format!(
        "{}\nCOMP_WORDS=({}); COMP_CWORD={}; _toolpass; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        script("bash"),
        words
            .iter()
            .map(|word| format!("'{word}'"))
            .collect::<Vec<_>>()
            .join(" "),
        words.len() - 1
    );
    let mut bash = Command::new("bash")
        .arg("--norc")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    bash.stdin
        .take()
        .unwrap()
        .write_all(program.as_bytes())
        .unwrap();
    String::from_utf8(bash.wait_with_output().unwrap().stdout).unwrap()
}

#[test]
fn bash_offers_commands_flags_and_integrations() {
    for (words, expected) in [
        (&["toolpass", "comp"][..], "completion\n"),
        (&["toolpass", "check", "-ex"], "-explain\n"),
        (&["toolpass", "catalog", "git"], "github\n"),
        (&["toolpass", "entitlements", "d"], "diff\n"),
        (&["toolpass", "audit", "verify", "-ho"], "-holds\n"),
        (&["toolpass", "completion", "z"], "zsh\n"),
        (&["toolpass", "check", "-nothing"], "\n"),
    ] {
        assert_eq!(offered(words), expected, "{words:?}");
    }
}

#[test]
fn the_others_name_every_command_and_flag() {
    let fish = script("fish");
    let systems: Vec<_> = toolpass_registry::all()
        .iter()
        .map(|one| one.name())
        .collect();
    for part in [
        "-a check",
        "-o explain",
        "-o require-no-warnings",
        &format!("-a '{}'", systems.join(" ")),
    ] {
        assert!(fish.contains(part), "{part}");
    }
    let zsh = script("zsh");
    assert!(zsh.starts_with("#compdef toolpass\n") && zsh.contains("bashcompinit"));
    assert!(
        run(&["completion", "tcsh"]).starts_with(
            "exit 2\n--- stderr\ntoolpass completion: expected `bash`, `zsh` or `fish`"
        )
    );
    assert!(
        run(&["completion"])
            .starts_with("exit 2\n--- stderr\ntoolpass completion: expected one SHELL")
    );
}
