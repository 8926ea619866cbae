//! `toolpass audit verify`: files as written, and what is said of others.

use std::fs;

use toolpass_audit::chain::{Chain, Flush};

use crate::support::{Folder, run, same};

/// A folder with a chain of two events in `a.jsonl`, and its continuation in `b.jsonl`.
fn written() -> Folder {
    let folder = Folder::with(&[]);
    let path = |name: &str| folder.as_ref().join(name);
    let chain = Chain::open(&path("b.jsonl"), Flush::System).unwrap();
    chain.append("{\"v\":1,\"tool\":\"read\"}").unwrap();
    chain.append("{\"v\":1,\"tool\":\"send\"}").unwrap();
    fs::rename(path("b.jsonl"), path("a.jsonl")).unwrap();
    chain.append("{\"v\":1,\"tool\":\"push\"}").unwrap();
    folder
}

#[test]
fn files_as_written() {
    same(
        &written().run(&["audit", "verify", "a.jsonl", "b.jsonl"]),
        r#"
exit 0
--- stdout
a.jsonl: ok, 3 lines
  last       f761ac7d4dd255899dddee6da9031e4c0a78ece5171a59abd13deb5600b9b538
b.jsonl: ok, 2 lines
  last       c934b19fca2d5c80cc266b1c14b521019bfaf8604df900479cb7ac8e1f2da07d
"#,
    );
    same(
        &written().run(&["audit", "verify", "b.jsonl"]),
        r#"
exit 0
--- stdout
b.jsonl: ok, 2 lines
  continues  f761ac7d4dd255899dddee6da9031e4c0a78ece5171a59abd13deb5600b9b538
  last       c934b19fca2d5c80cc266b1c14b521019bfaf8604df900479cb7ac8e1f2da07d
"#,
    );
}

#[test]
fn files_in_another_order_do_not_continue_each_other() {
    same(
        &written().run(&["audit", "verify", "b.jsonl", "a.jsonl"]),
        r#"
exit 1
--- stdout
b.jsonl: ok, 2 lines
  continues  f761ac7d4dd255899dddee6da9031e4c0a78ece5171a59abd13deb5600b9b538
  last       c934b19fca2d5c80cc266b1c14b521019bfaf8604df900479cb7ac8e1f2da07d
a.jsonl:1: the file does not continue the one before: lines or a file between them are missing
  unharmed   0 lines before it
"#,
    );
}

#[test]
fn an_altered_line_and_one_that_is_cut_off() {
    let folder = written();
    let path = |name: &str| folder.as_ref().join(name);
    let text = fs::read_to_string(path("a.jsonl")).unwrap();
    fs::write(path("altered"), text.replace("send", "read")).unwrap();
    fs::write(path("cut"), &text[..text.len() - 100]).unwrap();
    same(
        &folder.run(&["audit", "verify", "altered", "cut"]),
        r#"
exit 1
--- stdout
altered:3: the line was altered: its hash is not that of its bytes
  unharmed   2 lines before it
  last       b2614b44689768e4365920239041c8d441df631cc2e960257d301284236d1664
cut:3: the last line is cut off after 70 bytes
  unharmed   2 lines before it
  last       b2614b44689768e4365920239041c8d441df631cc2e960257d301284236d1664
"#,
    );
}

#[test]
fn a_noted_hash_must_be_there() {
    let folder = written();
    let missing = "0".repeat(63) + "1";
    let shown = folder.run(&["audit", "verify", "-holds", &missing, "a.jsonl", "b.jsonl"]);
    assert!(shown.starts_with("exit 1\n"), "{shown}");
    assert!(
        shown.ends_with(&format!("no file holds the line {missing}\n")),
        "{shown}"
    );
    let whole = folder.run(&["audit", "verify", "b.jsonl"]);
    let last = whole.trim_end().rsplit(' ').next().unwrap();
    let again = folder.run(&["audit", "verify", "-holds", last, "b.jsonl"]);
    assert_eq!(again, whole);
    let wrong = folder.run(&["audit", "verify", "-holds", "abc", "b.jsonl"]);
    assert!(
        wrong.starts_with("exit 2\n--- stderr\ntoolpass audit verify: -holds takes 64 digits"),
        "{wrong}"
    );
}

#[test]
fn what_is_no_audit_file_or_none() {
    let folder = Folder::with(&[("other", "{}\n"), ("empty", "")]);
    same(
        &folder.run(&["audit", "verify", "other", "empty"]),
        r#"
exit 1
--- stdout
other:1: this is no line of an audit file
  unharmed   0 lines before it
empty:1: the file is empty: it lacks even its first line
  unharmed   0 lines before it
"#,
    );
    let missing = folder.run(&["audit", "verify", "other", "nowhere"]);
    assert!(
        missing.starts_with("exit 1\n--- stderr\ntoolpass audit verify: nowhere: "),
        "{missing}"
    );
}

#[test]
fn how_it_is_used() {
    let help = run(&["help", "audit", "verify"]);
    assert_eq!(run(&["audit", "verify", "-h"]), help);
    same(
        &help,
        r#"
exit 0
--- stdout
usage: toolpass audit verify [flags] FILE...

say whether audit files are as they were written

flags
  -holds HASH  a hash of a line noted elsewhere, which one of the files must hold

exit
  0  they are
  1  one is not, or could not be read
  2  the command line is wrong
"#,
    );
    let without = run(&["audit", "verify"]);
    assert!(
        without
            .starts_with("exit 2\n--- stderr\ntoolpass audit verify: expected at least one FILE"),
        "{without}"
    );
    let half = run(&["audit"]);
    assert!(
        half.starts_with("exit 2\n--- stderr\ntoolpass: there is no command `audit`\n"),
        "{half}"
    );
}
