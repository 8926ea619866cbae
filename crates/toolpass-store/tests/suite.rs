//! What every store owes, without a server: memory and a file answer alike, and like the wire says they did.
//!
//! Stores that need a server are put through the same by the tests of the Python face, which bring the servers.

#![cfg(feature = "sqlite")]
#![expect(clippy::unwrap_used, reason = "the helpers of a test may fail it")]

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proptest::prelude::*;
use toolpass_core::clock::{Clock, Monotonic, Wall};
use toolpass_core::effect::Effect;
use toolpass_guard::session::caps::{Cap, Key, Limit, Window};
use toolpass_guard::session::ledger::Ticket;
use toolpass_guard::session::stored::{
    Answer, Marks, Operation, Outcome, Place, PrintsOf, Remembers, StoreId,
};
use toolpass_store::memory::Memory;
use toolpass_store::sqlite::SqliteFile;
use toolpass_store::{Backend, Sessions, StoreError, Who, wire};

struct HandClock(Mutex<Duration>);

impl HandClock {
    fn new() -> Arc<HandClock> {
        Arc::new(HandClock(Mutex::new(Duration::from_secs(1_700_000_000))))
    }

    fn advance(&self, by: Duration) {
        *self.0.lock().unwrap() += by;
    }
}

impl Clock for HandClock {
    fn monotonic(&self) -> Monotonic {
        Monotonic(*self.0.lock().unwrap())
    }

    fn wall(&self) -> Wall {
        Wall(*self.0.lock().unwrap())
    }
}

const IDLE: Duration = Duration::from_secs(3600);

/// A file nobody had before.
fn file() -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("stores");
    std::fs::create_dir_all(&folder).unwrap();
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let path = folder.join(format!("{}-{number}.db", std::process::id()));
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{end}", path.display()));
    }
    path
}

fn place(session: &str) -> Place {
    let who = Who {
        user: "dana@example.com",
        groups: None,
        conversation: session,
    };
    toolpass_store::place(StoreId(1), b"a secret", &who)
}

fn cap(name: &str, at_most: u32, per: Option<Window>) -> Cap {
    Cap {
        key: Key::Tool(name.into()),
        limit: Limit { at_most, per },
    }
}

fn reserve(ticket: u128, caps: &[Cap]) -> Operation {
    Operation::Reserve {
        ticket: Ticket(ticket),
        caps: caps.to_vec(),
    }
}

fn run<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    runtime.unwrap().block_on(future)
}

#[test]
fn handles_of_one_file_never_give_more_than_there_is() {
    let (path, clock) = (file(), HandClock::new());
    run(async {
        let mut tasks = Vec::new();
        for number in 0..12_u128 {
            let store = SqliteFile::new(&path, clock.clone(), IDLE);
            tasks.push(tokio::spawn(async move {
                let operation =
                    reserve(number, &[cap("a", 5, None), cap("b", 9, Some(Window::Day))]);
                store.apply(&place("c"), &operation).await.unwrap().outcome
            }));
        }
        let mut taken = 0;
        for task in tasks {
            match task.await.unwrap() {
                Outcome::Done => taken += 1,
                Outcome::Exhausted(reached) => assert_eq!(reached, cap("a", 5, None)),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(taken, 5);
    });
}

#[test]
fn another_handle_knows_what_the_first_was_told_until_it_is_idle() {
    let (path, clock) = (file(), HandClock::new());
    run(async {
        let first = SqliteFile::new(&path, clock.clone(), IDLE);
        let marks = Marks {
            untrusted: true,
            private: false,
        };
        first
            .apply(&place("c"), &Operation::Mark(marks))
            .await
            .unwrap();
        let record = Operation::Record {
            of: PrintsOf::Outside,
            prints: vec![1, u64::MAX, 1 << 63],
            capacity: 10,
        };
        first.apply(&place("c"), &record).await.unwrap();
        drop(first);
        clock.advance(IDLE);
        let second = SqliteFile::new(&path, clock.clone(), IDLE);
        let asked = Operation::Matches(vec![u64::MAX, 7, 1 << 63]);
        let answer = second.apply(&place("c"), &asked).await.unwrap();
        assert_eq!((answer.marks, answer.remembers), (marks, Remembers::Some));
        let Outcome::Known {
            mut outside,
            trusted,
        } = answer.outcome
        else {
            panic!("expected what is known")
        };
        outside.sort_unstable();
        assert_eq!((outside, trusted), (vec![1 << 63, u64::MAX], vec![]));
        clock.advance(IDLE + Duration::from_secs(1));
        let answer = second.apply(&place("c"), &asked).await.unwrap();
        assert_eq!(
            (answer.marks, answer.remembers),
            (Marks::default(), Remembers::Nothing)
        );
    });
}

#[test]
fn what_has_no_room_is_too_much() {
    let (path, clock) = (file(), HandClock::new());
    run(async {
        let store = SqliteFile::new(&path, clock, IDLE);
        let record = |prints: Vec<u64>, of| Operation::Record {
            of,
            prints,
            capacity: 3,
        };
        let mut remembers = Vec::new();
        for prints in [vec![1, 2, 2, 1], vec![2, 3], vec![1, 2, 3], vec![4], vec![]] {
            let operation = record(prints, PrintsOf::Outside);
            remembers.push(
                store
                    .apply(&place("c"), &operation)
                    .await
                    .unwrap()
                    .remembers,
            );
        }
        use Remembers::{Some, TooMuch};
        assert_eq!(remembers, [Some, Some, Some, TooMuch, TooMuch]);
        let trusted = record(vec![1, 2, 3, 4], PrintsOf::Trusted);
        let answer = store.apply(&place("d"), &trusted).await.unwrap();
        assert_eq!(answer.remembers, Remembers::Nothing);
    });
}

#[test]
fn processes_without_a_secret_find_the_one_in_the_store() {
    let (path, clock) = (file(), HandClock::new());
    run(async {
        let who = Who {
            user: "dana@example.com",
            groups: None,
            conversation: "c",
        };
        let mut found = Vec::new();
        for _ in 0..3 {
            let backend = Arc::new(SqliteFile::new(&path, clock.clone(), IDLE));
            let sessions = Sessions::new(StoreId(1), backend, None);
            found.push(sessions.place(&who).await.unwrap());
        }
        assert!(
            found
                .windows(2)
                .all(|two| two[0].session == two[1].session && two[0].hash_key == two[1].hash_key)
        );
        let given = Sessions::new(
            StoreId(1),
            Arc::new(SqliteFile::new(&path, clock, IDLE)),
            Some(b"a secret of the application's".to_vec()),
        );
        assert_ne!(given.place(&who).await.unwrap().session, found[0].session);
    });
}

#[test]
fn a_file_that_cannot_be_used_is_an_error_and_never_an_empty_session() {
    let path = file();
    std::fs::write(&path, b"this is no database".repeat(500)).unwrap();
    let store = SqliteFile::new(&path, HandClock::new(), IDLE);
    let answer = run(async { store.apply(&place("c"), &Operation::Get).await });
    assert_eq!(answer, Err(StoreError::Unreachable));
}

fn key() -> impl Strategy<Value = Key> {
    prop_oneof![
        "[a-c:]{1,2}".prop_map(Key::Tool),
        Just(Key::Effect(Effect::Write)),
        ("[a-c:]", "[a-c:]").prop_map(|(tool, action)| Key::Action { tool, action }),
    ]
}

fn any_cap() -> impl Strategy<Value = Cap> {
    let per = prop::option::of(prop::sample::select(Window::ALL.to_vec()));
    (key(), 0u32..4, per).prop_map(|(key, at_most, per)| Cap {
        key,
        limit: Limit { at_most, per },
    })
}

fn operation() -> impl Strategy<Value = Operation> {
    let prints = || prop::collection::vec(prop_oneof![0u64..12, Just(u64::MAX)], 0..8);
    let of = prop::sample::select(vec![PrintsOf::Outside, PrintsOf::Trusted]);
    prop_oneof![
        1 => Just(Operation::Get),
        1 => (any::<bool>(), any::<bool>()).prop_map(|(untrusted, private)| Operation::Mark(Marks { untrusted, private })),
        2 => prints().prop_map(Operation::Matches),
        2 => (of, prints(), 0usize..12).prop_map(|(of, prints, capacity)| Operation::Record { of, prints, capacity }),
        2 => prop::collection::vec((0u128..12).prop_map(Ticket), 0..3).prop_map(Operation::Release),
        4 => (0u128..12, prop::collection::vec(any_cap(), 1..4))
            .prop_map(|(ticket, caps)| Operation::Reserve { ticket: Ticket(ticket), caps }),
    ]
}

/// An answer whose lists have one order; which numbers fit where there is little room is any store's own choice.
fn ordered(mut answer: Answer) -> Answer {
    match &mut answer.outcome {
        Outcome::Counts(counts) => counts.sort(),
        Outcome::Known { outside, trusted } => {
            for known in [outside, trusted] {
                known.sort_unstable();
                known.dedup();
            }
        }
        Outcome::Done | Outcome::Exhausted(_) => {}
    }
    answer
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// A file answers as memory does, whatever is asked in whatever order, and the wire loses nothing on the way.
    #[test]
    fn stores_answer_alike(asked in prop::collection::vec((0usize..2, operation(), 0u64..2000), 1..24)) {
        let clock = HandClock::new();
        let (memory, on_disk) = (Memory::new(clock.clone(), IDLE), SqliteFile::new(&file(), clock.clone(), IDLE));
        let places = [place("one"), place("two")];
        run(async {
            for (which, operation, seconds) in asked {
                clock.advance(Duration::from_secs(seconds));
                // Which numbers fit is a store's own choice, so room is what there is for all or for none.
                let operation = match operation {
                    Operation::Record { of, prints, capacity } if capacity > 0 => Operation::Record { of, prints, capacity: 1000 },
                    other => other,
                };
                let text = serde_json::to_string(&wire::request(&operation, &places[which].person)).unwrap();
                let (read, person) = wire::operation(serde_json::from_str(&text).unwrap()).unwrap();
                assert_eq!(read, operation);
                assert!(person.is_none_or(|person| *person == *places[which].person));
                let expected = ordered(memory.apply(&places[which], &operation).await.unwrap());
                let found = ordered(on_disk.apply(&places[which], &operation).await.unwrap());
                assert_eq!(found, expected, "{operation:?}");
                assert!(found.answers(&operation), "{operation:?}: {found:?}");
                let reply = wire::reply(&found).to_string();
                assert_eq!(wire::answer(&reply), Some(found), "{reply}");
            }
        });
    }

    #[test]
    fn an_answer_that_is_not_wholly_understood_is_none(text in r#"\{?("untrusted"|"private"|"remembers"|"exhausted"|[:{}\[\],truefalsn"0-9 ])*\}?"#) {
        if let Some(answer) = wire::answer(&text) {
            let again = wire::reply(&answer).to_string();
            prop_assert_eq!(wire::answer(&again), Some(answer));
        }
    }
}

#[test]
fn answers_with_something_missing_or_more_are_none() {
    for text in [
        "{}",
        "null",
        r#"{"untrusted": true, "private": false}"#,
        r#"{"untrusted": 1, "private": false, "remembers": "nothing"}"#,
        r#"{"untrusted": true, "private": false, "remembers": "little"}"#,
        r#"{"untrusted": true, "private": false, "remembers": "nothing", "more": 1}"#,
        r#"{"untrusted": true, "private": false, "remembers": "nothing", "counts": [], "known": {"outside": [], "trusted": []}}"#,
        r#"{"untrusted": true, "private": false, "remembers": "nothing", "exhausted": {"key": {"tool": "a", "effect": "write"}, "at_most": 1}}"#,
    ] {
        assert_eq!(wire::answer(text), None, "{text}");
    }
}
