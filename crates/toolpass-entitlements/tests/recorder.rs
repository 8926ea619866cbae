//! Recording into a file on disk: what is kept, what is not touched, and that nothing is lost between recorders.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use toolpass_core::effect::Effect;
use toolpass_core::template::Filled;
use toolpass_entitlements::load::{Error, load, parse};
use toolpass_entitlements::recorder::Recorder;
use toolpass_guard::audit::{CallOutcome, ObservedAction};
use toolpass_guard::entitlements::arguments::{Arguments, Given};
use toolpass_guard::entitlements::record::{Partial, Run};
use toolpass_guard::entitlements::write::write;

/// A folder of its own for each test, removed when it is done.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("toolpass-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("toolpass-tools.yaml")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn read_of(repo: &str) -> ObservedAction {
    ObservedAction {
        method: "GET".into(),
        effect: Some(Effect::Read),
        allowed: true,
        action: Some("github:repo.read".into()),
        resource: Some(format!("repo:{repo}")),
        ..ObservedAction::default()
    }
}

fn ran<'r>(tool: &'r str, arguments: &'r Arguments, actions: &'r [ObservedAction]) -> Run<'r> {
    Run {
        tool,
        arguments,
        outcome: CallOutcome::Ran,
        actions,
    }
}

fn repo(value: &str) -> Arguments {
    let given = Given::One(Filled::Text(value.to_owned().into()));
    [("repo".to_owned(), given)].into_iter().collect()
}

#[test]
fn a_run_makes_the_file_and_the_next_one_adds_to_it() {
    let folder = Folder::new("adds");
    let recorder = Recorder::new(&folder.file(), Partial::Skip);
    recorder.record(ran("t", &repo("acme/x"), &[])).unwrap();
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 0);
    recorder
        .record(ran("t", &repo("acme/x"), &[read_of("acme/x")]))
        .unwrap();
    recorder
        .record(ran("b", &repo("acme/x"), &[read_of("acme/y")]))
        .unwrap();
    assert_eq!(
        fs::read_to_string(folder.file()).unwrap(),
        "# Written by toolpass from recorded calls. Review it, then commit it.
version: 2
tools:
  b:
    actions:
      - action: github:repo.read
        resource: \"repo:acme/y\"
        as: user
        effect: read
        seen: 1
  t:
    actions:
      - action: github:repo.read
        resource: \"repo:{repo}\"
        as: user
        effect: read
        seen: 1
"
    );
}

#[test]
fn comments_stay_and_a_file_in_another_form_is_written_whole() {
    let folder = Folder::new("comments");
    let recorder = Recorder::new(&folder.file(), Partial::Record);
    let commented = "# Ours.\ntools:\n  t:  # asked by many\n    actions: # all\n      - action: github:repo.read\n        resource: 'repo:{repo}'\n";
    fs::write(folder.file(), commented).unwrap();
    let (arguments, actions) = (repo("acme/x"), [read_of("acme/z")]);
    let run = Run {
        outcome: CallOutcome::Raised,
        ..ran("t", &arguments, &actions)
    };
    recorder.record(run).unwrap();
    let text = fs::read_to_string(folder.file()).unwrap();
    assert!(
        text.starts_with("# Ours.\nversion: 2\ntools:\n  t:  # asked by many\n"),
        "{text}"
    );
    assert!(
        text.contains("- action: github:repo.read # from: raised\n"),
        "{text}"
    );
    fs::write(folder.file(), "{tools: {t: {actions: []}}}\n").unwrap();
    recorder
        .record(ran("t", &repo("acme/x"), &[read_of("acme/x")]))
        .unwrap();
    let text = fs::read_to_string(folder.file()).unwrap();
    assert_eq!(text, write(&load(&folder.file()).unwrap().entitlements));
}

#[test]
fn a_file_that_is_not_understood_is_not_touched() {
    let folder = Folder::new("broken");
    fs::write(folder.file(), "tools: [\n").unwrap();
    let recorder = Recorder::new(&folder.file(), Partial::Skip);
    let error = recorder
        .record(ran("t", &repo("a"), &[read_of("a")]))
        .unwrap_err();
    assert!(matches!(error, Error::Invalid(_)), "{error}");
    assert_eq!(fs::read_to_string(folder.file()).unwrap(), "tools: [\n");
}

#[test]
fn a_missing_file_is_no_empty_set() {
    let folder = Folder::new("missing");
    let error = load(&folder.file()).unwrap_err();
    assert!(matches!(error, Error::Missing(_)));
    assert!(error.to_string().contains("nothing would be enforced"));
}

#[cfg(unix)]
#[test]
fn mode_and_link_are_kept() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = Folder::new("mode");
    let real = folder.0.join("real.yaml");
    fs::write(&real, "tools: {}\n").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real.yaml", folder.file()).unwrap();
    let recorder = Recorder::new(&folder.file(), Partial::Skip);
    recorder
        .record(ran("t", &repo("a"), &[read_of("a")]))
        .unwrap();
    assert!(fs::symlink_metadata(folder.file()).unwrap().is_symlink());
    assert_eq!(
        fs::metadata(&real).unwrap().permissions().mode() & 0o777,
        0o640
    );
    assert!(
        fs::read_to_string(&real)
            .unwrap()
            .contains("github:repo.read")
    );
}

#[test]
fn recorders_do_not_lose_each_others_entries() {
    let folder = Folder::new("many");
    let path = folder.file();
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let path = &path;
            scope.spawn(move || {
                let recorder = Recorder::new(path, Partial::Skip);
                for index in 0..5 {
                    let tool = format!("t{worker}{index}");
                    recorder
                        .record(ran(&tool, &repo("a"), &[read_of("a")]))
                        .unwrap();
                }
            });
        }
    });
    assert_eq!(load(&path).unwrap().entitlements.len(), 20);
}

proptest! {
    #[test]
    fn what_is_written_is_read_and_written_again_byte_for_byte(
        tools in prop::collection::btree_map("[a-c]|on|~|a b|\"|#|é", prop::collection::vec("[ab]|a: b|#|\"\\\\|'|\\{|é日|\u{85}?| a|\\*", 0..3), 0..3),
    ) {
        let folder = Folder::new("bytes");
        let recorder = Recorder::new(&folder.file(), Partial::Skip);
        for (tool, ids) in &tools {
            let actions: Vec<_> = ids.iter().map(|id| read_of(id)).collect();
            recorder.record(ran(tool, &repo("a"), &actions)).unwrap();
        }
        let text = fs::read_to_string(folder.file()).unwrap_or_default();
        let read = parse("f", &text).unwrap().entitlements;
        let written = write(&read);
        prop_assert_eq!(&parse("f", &written).unwrap().entitlements, &read);
        prop_assert_eq!(write(&parse("f", &written).unwrap().entitlements), written.clone());
        if !read.is_empty() {
            prop_assert_eq!(written, text, "an edited file of ours is as if written whole");
        }
    }
}
