//! `toolpass demo`: its flags, that it ends by itself or with a signal, and what it leaves behind.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::support::{Folder, run, shown};

#[test]
fn flags_that_cannot_be() {
    for (arguments, expected) in [
        (
            &["demo", "-act", "4"][..],
            "-act: expected one of 1, 2, 3, 5, 6",
        ),
        (
            &["demo", "-act", "tour"],
            "-act: expected one of 1, 2, 3, 5, 6",
        ),
        (
            &["demo", "-open", "-no-dashboard"],
            "-open does not go with -no-dashboard",
        ),
        (&["demo", "shop"], "expected flags only"),
    ] {
        let shown = run(arguments);
        assert!(
            shown.starts_with("exit 2\n--- stderr\ntoolpass demo: "),
            "{shown}"
        );
        assert!(shown.contains(expected), "{shown}");
    }
    let shown = run(&["demo", "-no-dashboard", "-listen", "8080"]);
    assert!(
        shown.starts_with(
            "exit 1\n--- stderr\ntoolpass demo: the server did not start: `listen`: 8080"
        ),
        "{shown}"
    );
}

#[test]
fn it_ends_by_itself_and_leaves_a_recording() {
    let folder = Folder::with(&[]);
    let temporary = folder.as_ref().join("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let mut command = folder.command(&["demo", "-no-dashboard", "-record", "tour.jsonl"]);
    let output = command.env("TMPDIR", &temporary).output().unwrap();
    let all = shown(&output);
    assert!(all.starts_with("exit 0\n--- stdout\n"), "{all}");
    assert!(
        !all.contains("#key=") && !all.contains("--- stderr"),
        "{all}"
    );
    let read = |name: &str| std::fs::read_to_string(folder.as_ref().join(name)).unwrap();
    assert_eq!(read("tour.jsonl").lines().count(), 9);
    for line in read("tour.jsonl").lines() {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(
            event.get("tool").is_some() && event.get("actions").is_some(),
            "{line}"
        );
    }
    assert!(read("tour.md").starts_with("# The company tour\n"));
    assert_eq!(
        std::fs::read_dir(&temporary).unwrap().count(),
        0,
        "its folder is left"
    );
}

#[test]
#[cfg(unix)]
fn a_signal_ends_it() {
    let folder = Folder::with(&[]);
    let mut command = folder.command(&["demo", "-act", "6"]);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut address = String::new();
    for line in lines {
        let line = line.unwrap();
        if let Some((_, found)) = line.split_once("http://") {
            found.clone_into(&mut address);
        }
        if line.starts_with("Ctrl-C") {
            break;
        }
    }
    let (place, key) = address.split_once("/dashboard/#key=").unwrap();
    assert!(
        place.starts_with("127.0.0.1:") && key.len() == 32,
        "{address}"
    );
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    let ended = child.wait_with_output().unwrap();
    assert_eq!(shown(&ended), "exit 0\n");
}
