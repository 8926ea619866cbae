//! What every store of runs owes, in memory and in a file; and what the file owes beyond a process' life.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::path::PathBuf;
use std::time::Duration;

use toolpass_store::runs::filter::Filter;
use toolpass_store::runs::memory::Memory;
use toolpass_store::runs::run::{Dropped, Run};
use toolpass_store::runs::sqlite::SqliteFile;
use toolpass_store::runs::{Kept, Reporter, Runs, RunsError};
use toolpass_wire::json::Json;

const MANY: u64 = 1 << 30;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder =
            std::env::temp_dir().join(format!("toolpass-runs-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    fn file(&self) -> PathBuf {
        self.0.join("runs.db")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn from(key: &str) -> Reporter {
    Reporter {
        key: key.into(),
        server: "shop".into(),
    }
}

fn run(text: &str) -> Run {
    Run::read(
        &Json::parse(text.as_bytes()).unwrap(),
        &mut Dropped::default(),
    )
    .unwrap()
}

fn call(id: &str, user: &str, outcome: &str, system: &str) -> Run {
    run(&format!(
        r#"{{"id":"{id}","tool":"t","outcome":"{outcome}","user":"{user}","actions":[{{"connection":"{system}"}}]}}"#
    ))
}

fn ids(rows: &[Kept]) -> Vec<String> {
    let id = |row: &Kept| {
        let json = Json::parse(row.text.as_bytes()).unwrap();
        json.get("id").unwrap().as_str().unwrap().to_owned()
    };
    rows.iter().map(id).collect()
}

const fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Run a test against every store.
async fn each(name: &str, test: impl AsyncFn(&dyn Runs)) {
    test(&Memory::new(1000, 1 << 20).unwrap()).await;
    let folder = Folder::new(name);
    test(&SqliteFile::open(&folder.file(), MANY).await.unwrap()).await;
}

#[tokio::test]
async fn an_event_of_a_reporter_is_kept_once() {
    each("once", async |runs| {
        let one = call("a", "dana@acme.com", "ran", "gh");
        assert_eq!(
            runs.add(&from("k"), &[one.clone(), one.clone()], at(1))
                .await
                .unwrap()
                .stored,
            1
        );
        assert_eq!(
            runs.add(&from("k"), std::slice::from_ref(&one), at(2))
                .await
                .unwrap()
                .stored,
            0
        );
        // Another key cannot take the place of an event by naming its id first.
        assert_eq!(
            runs.add(&from("other"), &[one], at(3))
                .await
                .unwrap()
                .stored,
            1
        );
        let nameless = run(r#"{"tool":"t","outcome":"ran"}"#);
        assert_eq!(
            runs.add(&from("k"), &[nameless.clone(), nameless], at(3))
                .await
                .unwrap()
                .stored,
            2
        );
        let numbers: Vec<u64> = runs
            .after(&Filter::default(), 0, 10)
            .await
            .unwrap()
            .iter()
            .map(|row| row.seq)
            .collect();
        assert!(numbers.len() == 4 && numbers.is_sorted_by(|one, other| one < other));
        assert_eq!(runs.last().await.unwrap(), numbers[3]);
    })
    .await;
}

#[tokio::test]
async fn the_end_of_a_call_takes_the_place_of_its_beginning() {
    each("started", async |runs| {
        let begun = call("a", "dana@acme.com", "started", "gh");
        let ended = call("a", "dana@acme.com", "ran", "gh");
        runs.add(&from("k"), std::slice::from_ref(&begun), at(1))
            .await
            .unwrap();
        assert_eq!(
            runs.add(&from("k"), &[ended], at(2)).await.unwrap().stored,
            1
        );
        // A beginning that comes late begins nothing.
        assert_eq!(
            runs.add(&from("k"), &[begun], at(3)).await.unwrap().stored,
            0
        );
        let rows = runs.after(&Filter::default(), 0, 10).await.unwrap();
        assert_eq!(rows.len(), 1);
        assert!(rows[0].seq > 1 && rows[0].text.contains("\"outcome\":\"ran\""));
    })
    .await;
}

#[tokio::test]
async fn runs_are_found_by_every_column() {
    each("found", async |runs| {
        let all = [
            call("a", "dana@acme.com", "ran", "gh"),
            call("b", "dana@acme.com", "refused", "gl"),
            call("c", "robin@acme.com", "raised", "gh"),
            call("d", "robin@acme.com", "handoff_refused", "gh"),
            run(r#"{"id":"e","tool":"other","outcome":"late","code":"denied"}"#),
        ];
        for (one, second) in all.iter().zip(10..) {
            runs.add(&from("k"), std::slice::from_ref(one), at(second))
                .await
                .unwrap();
        }
        let word = |word: &str| {
            let mut filter = Filter::default();
            filter.want_outcome(word).unwrap();
            filter
        };
        let none = Filter::default();
        let text = |text: &str| Some(text.to_owned());
        for (filter, expected) in [
            (none.clone(), "edcba"),
            (
                Filter {
                    user: text("dana@acme.com"),
                    ..none.clone()
                },
                "ba",
            ),
            (
                Filter {
                    user: text("Dana@acme.com"),
                    ..none.clone()
                },
                "",
            ),
            (
                Filter {
                    tool: text("other"),
                    ..none.clone()
                },
                "e",
            ),
            (
                Filter {
                    server: text("shop"),
                    ..none.clone()
                },
                "edcba",
            ),
            (
                Filter {
                    server: text("x' OR 1=1 --"),
                    ..none.clone()
                },
                "",
            ),
            (
                Filter {
                    system: text("gh"),
                    ..none.clone()
                },
                "dca",
            ),
            (
                Filter {
                    system: text("gh"),
                    user: text("robin@acme.com"),
                    ..none.clone()
                },
                "dc",
            ),
            (
                Filter {
                    id: text("c"),
                    ..none.clone()
                },
                "c",
            ),
            (word("refused"), "edb"),
            (word("failed"), "c"),
            (word("handoff_refused"), "d"),
            (
                Filter {
                    from: Some(at(11)),
                    to: Some(at(13)),
                    ..none.clone()
                },
                "cb",
            ),
            (
                Filter {
                    from: Some(at(15)),
                    ..none.clone()
                },
                "",
            ),
            (
                Filter {
                    to: Some(at(10)),
                    ..none.clone()
                },
                "",
            ),
        ] {
            let found = runs.find(&filter, u64::MAX, 10).await.unwrap();
            assert_eq!(ids(&found).concat(), expected, "{filter:?}");
        }
        let newest = runs.find(&none, u64::MAX, 2).await.unwrap();
        assert_eq!(ids(&newest).concat(), "ed");
        let older = runs.find(&none, newest[1].seq, 2).await.unwrap();
        assert_eq!(ids(&older).concat(), "cb");
        assert!(Filter::default().want_outcome("all").is_err());
    })
    .await;
}

#[tokio::test]
async fn numbers_and_times_grow_together_whatever_the_clock_says() {
    each("clock", async |runs| {
        runs.add(&from("k"), &[call("a", "u", "ran", "s")], at(100))
            .await
            .unwrap();
        runs.add(&from("k"), &[call("b", "u", "ran", "s")], at(50))
            .await
            .unwrap();
        let rows = runs.after(&Filter::default(), 0, 10).await.unwrap();
        assert_eq!(rows[1].at, at(100));
        assert!(rows[1].text.contains("\"at\":100.000"));
    })
    .await;
}

#[tokio::test]
async fn what_is_too_old_goes_and_its_number_is_not_given_again() {
    each("old", async |runs| {
        for second in 1..=3 {
            let one = call(&second.to_string(), "u", "ran", "s");
            runs.add(&from("k"), &[one], at(second)).await.unwrap();
        }
        runs.trim(at(4)).await.unwrap();
        assert!(
            runs.after(&Filter::default(), 0, 10)
                .await
                .unwrap()
                .is_empty()
        );
        runs.add(&from("k"), &[call("1", "u", "ran", "s")], at(5))
            .await
            .unwrap();
        assert_eq!(
            runs.after(&Filter::default(), 0, 10).await.unwrap()[0].seq,
            4
        );
    })
    .await;
}

#[tokio::test]
async fn the_oldest_make_room() {
    let folder = Folder::new("room");
    let file = SqliteFile::open(&folder.file(), 300_000).await.unwrap();
    let stores: [&dyn Runs; 2] = [&Memory::new(100_000, 300_000).unwrap(), &file];
    for runs in stores {
        for number in 0..40_u32 {
            let batch: Vec<Run> = (0..100)
                .map(|one| call(&format!("{number}.{one}"), "u", "ran", "s"))
                .collect();
            runs.add(&from("k"), &batch, at(1)).await.unwrap();
        }
        let rows = runs.after(&Filter::default(), 0, 100_000).await.unwrap();
        let bytes: usize = rows.iter().map(|row| row.text.len()).sum();
        assert!(bytes <= 300_000 && bytes > 30_000, "{bytes}");
        assert_eq!(rows.last().unwrap().seq, 4000);
    }
}

#[tokio::test]
async fn a_file_is_there_after_a_restart_with_its_epoch_and_numbers() {
    let folder = Folder::new("restart");
    let epoch = {
        let runs = SqliteFile::open(&folder.file(), MANY).await.unwrap();
        runs.add(&from("k"), &[call("a", "u", "ran", "s")], at(1))
            .await
            .unwrap();
        runs.epoch().to_owned()
    };
    let runs = SqliteFile::open(&folder.file(), MANY).await.unwrap();
    assert_eq!(runs.epoch(), epoch);
    assert_eq!(
        ids(&runs.after(&Filter::default(), 0, 10).await.unwrap()),
        ["a"]
    );
    runs.add(
        &from("k"),
        &[call("a", "u", "ran", "s"), call("b", "u", "ran", "s")],
        at(2),
    )
    .await
    .unwrap();
    assert_eq!(
        ids(&runs.after(&Filter::default(), 0, 10).await.unwrap()),
        ["a", "b"]
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        for one in std::fs::read_dir(&folder.0).unwrap() {
            let one = one.unwrap();
            assert_eq!(
                one.metadata().unwrap().permissions().mode() & 0o077,
                0,
                "{:?}",
                one.path()
            );
        }
    }
}

#[tokio::test]
async fn a_file_of_a_newer_version_is_left_alone() {
    let folder = Folder::new("newer");
    drop(SqliteFile::open(&folder.file(), MANY).await.unwrap());
    let url = format!("sqlite://{}", folder.file().display());
    let pool = sqlx::SqlitePool::connect(&url).await.unwrap();
    sqlx::query("PRAGMA user_version = 99")
        .execute(&pool)
        .await
        .unwrap();
    pool.close().await;
    let opened = SqliteFile::open(&folder.file(), MANY).await;
    assert_eq!(opened.err(), Some(RunsError::Newer));
}

/// No search reads more than its answer: each is led by an index, in the order of the answer.
#[tokio::test]
async fn every_search_follows_an_index() {
    let folder = Folder::new("plan");
    let runs = SqliteFile::open(&folder.file(), MANY).await.unwrap();
    let text = || Some("x".to_owned());
    let none = Filter::default();
    let refused = Filter {
        group: Some("refused"),
        ..none.clone()
    };
    for filter in [
        none.clone(),
        refused.clone(),
        Filter {
            user: text(),
            ..none.clone()
        },
        Filter {
            user: text(),
            ..refused.clone()
        },
        Filter {
            tool: text(),
            ..none.clone()
        },
        Filter {
            server: text(),
            ..none.clone()
        },
        Filter {
            system: text(),
            ..none.clone()
        },
        Filter {
            from: Some(at(1)),
            to: Some(at(2)),
            ..none.clone()
        },
        Filter {
            system: text(),
            from: Some(at(1)),
            ..refused
        },
    ] {
        let plan = runs.plan(&filter, 1_000_000).await.unwrap();
        assert!(!plan.is_empty());
        for line in &plan {
            assert!(
                line.starts_with("SEARCH") || line.starts_with("SCALAR SUBQUERY"),
                "{filter:?}: {plan:?}"
            );
        }
    }
    let plan = runs
        .plan(&Filter { id: text(), ..none }, 1_000_000)
        .await
        .unwrap();
    assert!(plan[0].contains("toolpass_runs_id"), "{plan:?}");
}
