//! `toolpass gateway off` and `toolpass mcp`: what is left of versions that ran MCP servers through a wrapper.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use crate::support::{Folder, run, same, shown};

const DESKTOP: &str = r#"{
  "globalShortcut": "",
  "mcpServers": {
    "files": {
      "command": "toolpass",
      "args": ["mcp", "-name", "files", "--", "npx", "files"],
      "env": {"A": "b"},
      "toolpass": {"command": "npx", "args": ["files"]}
    },
    "own": {"command": "uvx", "args": []}
  }
}
"#;

const CODE: &str = r#"{"mcpServers":{"far":{"type":"stdio","command":"toolpass","args":["mcp"],"env":{"TOOLPASS_MCP_HEADERS":"hunter2"},"toolpass":{"type":"http","url":"https://far.example/mcp"}}},"projects":{"/p":{"mcpServers":{"near":{"command":"toolpass","toolpass":{"command":"near"}}}}},"numStartups":12}"#;

fn home() -> Folder {
    let home = Folder::with(&[(".claude.json", CODE)]);
    fs::create_dir_all(home.as_ref().join(".config/Claude")).unwrap();
    fs::write(desktop(&home), DESKTOP).unwrap();
    home
}

fn desktop(home: &Folder) -> std::path::PathBuf {
    home.as_ref()
        .join(".config/Claude/claude_desktop_config.json")
}

fn off(home: &Folder) -> String {
    let mut command = home.command(&["gateway", "off"]);
    let text = shown(&command.env("HOME", home.as_ref()).output().unwrap());
    text.replace(&home.as_ref().display().to_string(), "~")
}

#[cfg(target_os = "linux")]
#[test]
fn entries_are_put_back_once() {
    let home = home();
    let code = home.as_ref().join(".claude.json");
    fs::set_permissions(&code, fs::Permissions::from_mode(0o600)).unwrap();
    same(
        &off(&home),
        r#"
exit 0
--- stdout
Claude Desktop  files  ~/.config/Claude/claude_desktop_config.json
Claude Code     far    ~/.claude.json
Claude Code     near   ~/.claude.json

Restart these clients, so that they read their files again.
"#,
    );
    same(
        &fs::read_to_string(desktop(&home)).unwrap(),
        r#"
{
  "globalShortcut": "",
  "mcpServers": {
    "files": {
      "env": {
        "A": "b"
      },
      "command": "npx",
      "args": [
        "files"
      ]
    },
    "own": {
      "command": "uvx",
      "args": []
    }
  }
}
"#,
    );
    let text = fs::read_to_string(&code).unwrap();
    assert!(
        !text.contains("toolpass") && !text.contains("hunter2"),
        "{text}"
    );
    assert!(text.contains("\"numStartups\": 12"), "{text}");
    assert_eq!(
        fs::metadata(&code).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert!(
        names(home.as_ref())
            .iter()
            .all(|name| !name.ends_with(".toolpass"))
    );
    let none = "\nexit 0\n--- stdout\nno entry was found that runs through toolpass\n";
    same(&off(&home), none);
    assert_eq!(fs::read_to_string(&code).unwrap(), text);
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[test]
fn a_link_stays_a_link_and_what_is_no_json_stays() {
    let home = Folder::with(&[("dotfile", CODE)]);
    let link = home.as_ref().join(".claude.json");
    symlink(home.as_ref().join("dotfile"), &link).unwrap();
    assert!(off(&home).contains("far"));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(
        !fs::read_to_string(home.as_ref().join("dotfile"))
            .unwrap()
            .contains("toolpass")
    );

    let broken = format!("{CODE},");
    let home = Folder::with(&[(".claude.json", &broken)]);
    assert!(off(&home).contains("no entry was found"));
    assert_eq!(
        fs::read_to_string(home.as_ref().join(".claude.json")).unwrap(),
        broken
    );
}

#[test]
fn there_is_nothing_but_off() {
    for arguments in [
        &["gateway"][..],
        &["gateway", "on"],
        &["gateway", "off", "x"],
    ] {
        assert!(run(arguments).starts_with("exit 2\n"), "{arguments:?}");
    }
}

#[test]
fn a_rewritten_entry_still_runs() {
    let said = "toolpass mcp: this entry was rewritten by an old version; `toolpass gateway off` restores it\n";
    assert_eq!(
        run(&[
            "mcp",
            "-anything",
            "x",
            "--",
            "sh",
            "-c",
            "echo out; echo err >&2; exit 7"
        ]),
        format!("exit 7\n--- stdout\nout\n--- stderr\n{said}err\n")
    );
    assert_eq!(
        run(&["mcp", "--", "echo", "-json", "--", "x"]),
        format!("exit 0\n--- stdout\n-json -- x\n--- stderr\n{said}")
    );
    let missing = run(&["mcp", "--", "/nowhere/server"]);
    assert!(
        missing.starts_with("exit 127\n")
            && missing.contains("`/nowhere/server` cannot be started"),
        "{missing}"
    );
    for arguments in [&["mcp"][..], &["mcp", "x"], &["mcp", "--"]] {
        let text = run(arguments);
        assert!(
            text.starts_with("exit 2\n--- stderr\ntoolpass mcp: expected `-- COMMAND`"),
            "{text}"
        );
    }
    // An interrupt reaches the program itself, and what a shell makes of that is 130.
    let text = run(&["mcp", "--", "sh", "-c", "kill -INT $$"]);
    assert!(text.starts_with("killed\n"), "{text}");
}

#[test]
fn what_a_client_writes_reaches_the_program() {
    use std::io::Write as _;
    use std::process::Stdio;
    let folder = Folder::with(&[]);
    let mut child = folder
        .command(&["mcp", "--", "cat"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"{\"id\":1}\n")
        .unwrap();
    assert_eq!(child.wait_with_output().unwrap().stdout, b"{\"id\":1}\n");
}
