//! A chain as a whole: written by threads and processes, killed, cut, rotated, tampered with.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use toolpass_audit::chain::{Chain, Flush};
use toolpass_audit::error::Error;
use toolpass_audit::line::Hash;
use toolpass_audit::verify::{Fault, Report, verify};

/// A folder that goes with its owner.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("toolpass-audit-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn chain(path: &Path) -> Chain {
    Chain::open(path, Flush::System).unwrap()
}

fn event(number: usize) -> String {
    format!("{{\"v\":1,\"number\":{number}}}")
}

/// A chain of some events.
fn written(path: &Path, events: usize) {
    let chain = chain(path);
    for number in 0..events {
        chain.append(&event(number)).unwrap();
    }
}

fn report(path: &Path) -> Report {
    verify(path, None).unwrap()
}

#[track_caller]
fn check(path: &Path, line: u64, fault: Fault) {
    let problem = report(path).problem.unwrap();
    assert_eq!((problem.line, problem.fault), (line, fault));
}

fn lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    text.split_inclusive('\n').map(str::to_owned).collect()
}

#[test]
fn what_was_written_verifies() {
    let folder = Folder::new();
    let path = folder.file("audit.jsonl");
    let last = {
        written(&path, 2);
        chain(&path).append(&event(2)).unwrap()
    };
    let found = report(&path);
    assert_eq!(
        (found.lines, found.dropped, found.continues, found.last),
        (4, 0, None, Some(last))
    );
    assert_eq!(found.problem, None);
    for (number, line) in lines(&path).iter().skip(1).enumerate() {
        let own = event(number);
        assert!(line.starts_with(own.trim_end_matches('}')), "{line}");
    }
}

#[cfg(unix)]
#[test]
fn only_its_owner_may_read_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    let path = folder.file("audit.jsonl");
    written(&path, 1);
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn with_a_disk_that_is_waited_for_it_is_the_same_file() {
    let folder = Folder::new();
    let (a, b) = (folder.file("a"), folder.file("b"));
    written(&a, 3);
    let chain = Chain::open(&b, Flush::Disk).unwrap();
    for number in 0..3 {
        chain.append(&event(number)).unwrap();
    }
    assert_eq!(lines(&a), lines(&b));
}

#[test]
fn every_changed_byte_is_found() {
    let folder = Folder::new();
    let path = folder.file("audit.jsonl");
    written(&path, 3);
    let text = fs::read(&path).unwrap();
    for place in 0..text.len() {
        for bit in [1, 0x20, 0x80] {
            let mut changed = text.clone();
            changed[place] ^= bit;
            fs::write(&path, &changed).unwrap();
            assert!(report(&path).problem.is_some(), "byte {place}, bit {bit}");
        }
    }
}

#[test]
fn every_cut_but_that_of_whole_lines_is_found_and_gone_on_from() {
    let folder = Folder::new();
    let path = folder.file("audit.jsonl");
    written(&path, 2);
    let text = fs::read(&path).unwrap();
    let ends: Vec<usize> = (0..text.len()).filter(|at| text[*at] == b'\n').collect();
    for length in 0..text.len() {
        fs::write(&path, &text[..length]).unwrap();
        let whole = ends.iter().filter(|end| **end < length).count();
        let cut = ends[..whole].last().map_or(length, |end| length - end - 1) as u64;
        match report(&path).problem {
            None => assert_eq!((cut, whole > 0), (0, true), "{length}"),
            Some(problem) if length == 0 => assert_eq!(problem.fault, Fault::Empty),
            Some(problem) => {
                assert_eq!(problem.line, whole as u64 + 1, "{length}");
                assert_eq!(problem.fault, Fault::CutOff(cut), "{length}");
            }
        }
        written(&path, 1);
        let found = report(&path);
        assert_eq!(found.problem, None, "{length}");
        assert_eq!(found.dropped, u64::from(cut > 0), "{length}");
    }
}

#[test]
fn missing_moved_and_repeated_lines_are_told_apart() {
    let folder = Folder::new();
    let path = folder.file("audit.jsonl");
    written(&path, 4);
    let whole = lines(&path);
    let with = |order: &[usize]| {
        let text: String = order.iter().map(|line| whole[*line].as_str()).collect();
        fs::write(&path, text).unwrap();
    };
    with(&[0, 1, 3, 4]);
    check(&path, 3, Fault::Missing);
    with(&[0, 1, 3, 2, 4]);
    check(&path, 3, Fault::Displaced);
    with(&[0, 1, 2, 2, 3, 4]);
    check(&path, 4, Fault::Displaced);
    with(&[1, 2, 3, 4]);
    check(&path, 1, Fault::NoOpening);
    with(&[0, 0, 1]);
    check(&path, 2, Fault::Missing);
    fs::write(&path, format!("{}{{}}\n", whole[0])).unwrap();
    check(&path, 2, Fault::NotALine);
    fs::write(
        &path,
        whole.concat().replace("\"number\":1", "\"number\":7"),
    )
    .unwrap();
    check(&path, 3, Fault::Altered);
}

#[test]
fn a_line_that_was_sealed_anew_shows_at_the_next_one() {
    let folder = Folder::new();
    let path = folder.file("audit.jsonl");
    written(&path, 2);
    let old = lines(&path);
    fs::write(&path, &old[0]).unwrap();
    chain(&path).append("{\"v\":1,\"forged\":true}").unwrap();
    let forged = lines(&path);
    fs::write(
        &path,
        [&forged[0], &forged[1], &old[2]]
            .map(String::as_str)
            .concat(),
    )
    .unwrap();
    check(&path, 3, Fault::Missing);
}

#[cfg(unix)]
#[test]
fn a_file_that_is_moved_away_is_continued_by_the_next() {
    let folder = Folder::new();
    let (path, old) = (folder.file("audit.jsonl"), folder.file("audit.jsonl.1"));
    let (one, two) = (chain(&path), chain(&path));
    one.append(&event(0)).unwrap();
    let last = two.append(&event(1)).unwrap();
    fs::rename(&path, &old).unwrap();
    one.append(&event(2)).unwrap();
    two.append(&event(3)).unwrap();
    let before = report(&old);
    assert_eq!((before.problem, before.last), (None, Some(last)));
    let found = verify(&path, Some(last)).unwrap();
    assert_eq!(
        (found.problem, found.lines, found.continues),
        (None, 3, Some(last))
    );
    let other = verify(&path, Some(Hash::of(b"another"))).unwrap().problem;
    assert_eq!(other.unwrap().fault, Fault::OtherFile);
}

#[test]
fn a_file_that_was_moved_away_while_nobody_wrote_is_named_by_hand() {
    let folder = Folder::new();
    let (path, old) = (folder.file("audit.jsonl"), folder.file("audit.jsonl.1"));
    written(&old, 1);
    Chain::open_after(&path, &old, Flush::System).unwrap();
    assert_eq!(report(&path).continues, report(&old).last);
}

#[test]
fn a_file_of_something_else_is_left_alone() {
    let folder = Folder::new();
    for text in [
        "root:x:0:0",
        "root:x:0:0\n",
        "{}\n",
        "\n",
        "{\"a\":1}\npiece",
    ] {
        let path = folder.file("other");
        fs::write(&path, text).unwrap();
        assert!(matches!(
            Chain::open(&path, Flush::System),
            Err(Error::NotAChain { .. })
        ));
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}

#[test]
fn what_is_no_event_is_not_written() {
    let folder = Folder::new();
    let path = folder.file("audit.jsonl");
    let chain = chain(&path);
    for wrong in ["", "7", "{\"a\":\n1}"] {
        assert!(matches!(chain.append(wrong), Err(Error::NotAnEvent { .. })));
    }
    assert_eq!(report(&path).lines, 1);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let folder = Folder::new();
    let path = folder.file("audit.jsonl");
    let full = Path::new("/dev/full");
    let Err(error) = Chain::open(full, Flush::System) else {
        panic!("a full disk takes nothing")
    };
    assert!(error.to_string().starts_with("/dev/full: "), "{error}");
    let chain = chain(&path);
    fs::rename(&path, folder.file("old")).unwrap();
    std::os::unix::fs::symlink(full, &path).unwrap();
    assert!(matches!(
        chain.append(&event(0)),
        Err(Error::Unusable { .. })
    ));
    fs::remove_file(&path).unwrap();
    chain.append(&event(1)).unwrap();
    assert_eq!(report(&path).continues, report(&folder.file("old")).last);
}

#[cfg(unix)]
#[test]
fn threads_and_processes_write_whole_lines() {
    let folder = Folder::new();
    let path = folder.file("audit.jsonl");
    let mut children = [child(&path, "200"), child(&path, "200")];
    let own = chain(&path);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for number in 0..100 {
                    own.append(&event(number)).unwrap();
                }
            });
        }
    });
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    let found = report(&path);
    assert_eq!((found.lines, found.problem), (601, None));
}

#[test]
fn a_writer_that_is_killed_leaves_what_verifies_up_to_its_last_line() {
    let folder = Folder::new();
    let path = folder.file("audit.jsonl");
    for round in 0..5 {
        let before = fs::metadata(&path).map_or(0, |file| file.len());
        let mut writer = child(&path, "1000000");
        while fs::metadata(&path).map_or(0, |file| file.len()) < before + 20_000 {
            assert!(writer.try_wait().unwrap().is_none(), "the writer ended");
            std::thread::yield_now();
        }
        writer.kill().unwrap();
        writer.wait().unwrap();
        let found = report(&path);
        if let Some(problem) = &found.problem {
            assert!(matches!(problem.fault, Fault::CutOff(_)), "{problem:?}");
        }
        assert!(found.lines > 50 * (round + 1));
        written(&path, 1);
        assert_eq!(report(&path).problem, None);
    }
}

/// Not a test: what [`child`] runs.
#[test]
#[ignore = "run by other tests, as a process of its own"]
fn writer() {
    let variable = |name| std::env::var_os(name);
    let (Some(path), Some(events)) = (
        variable("TOOLPASS_TEST_PATH"),
        variable("TOOLPASS_TEST_EVENTS"),
    ) else {
        return;
    };
    written(Path::new(&path), events.to_str().unwrap().parse().unwrap());
}

/// A process that writes so many events.
fn child(path: &Path, events: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "writer", "--ignored"])
        .env("TOOLPASS_TEST_PATH", path)
        .env("TOOLPASS_TEST_EVENTS", events)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Any part replaced by any other bytes is found, unless whole lines are cut from the end.
    #[test]
    fn tampering_is_found(from in 0_usize..900, length in 0_usize..300, new in proptest::collection::vec(any::<u8>(), 0..40)) {
        let folder = Folder::new();
        let path = folder.file("audit.jsonl");
        written(&path, 4);
        let text = fs::read(&path).unwrap();
        let from = from.min(text.len());
        let until = (from + length).min(text.len());
        let changed = [&text[..from], &new, &text[until..]].concat();
        fs::write(&path, &changed).unwrap();
        let only_cut = text.starts_with(&changed) && changed.ends_with(b"\n");
        prop_assert_eq!(report(&path).problem.is_none(), only_cut);
    }
}
