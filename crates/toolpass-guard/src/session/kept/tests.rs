//! What is kept of a session, against a slow and obvious count of it.

use std::collections::HashMap;

use proptest::prelude::*;

use super::super::caps::{Key, Limit, Window};
use super::*;

/// What may happen to two sessions of one person, interleaved in any order.
#[derive(Clone, Debug)]
enum Event {
    Reserve { session: usize, caps: Vec<usize> },
    Again(usize),
    Release(usize),
    Wait(u64),
    ClockBack(u64),
}

/// The caps that the events name by number.
fn caps() -> Vec<Cap> {
    let cap = |name: &str, at_most, per| Cap {
        key: Key::Tool(name.into()),
        limit: Limit { at_most, per },
    };
    vec![
        cap("a", 2, None),
        cap("b", 0, None),
        cap("a", 3, Some(Window::Minute)),
        cap("c", 1, Some(Window::Second)),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        5 => (0usize..2, prop::collection::vec(prop_oneof![8 => Just(0usize), 1 => Just(1), 8 => Just(2), 4 => Just(3)], 1..4))
            .prop_map(|(session, caps)| Event::Reserve { session, caps }),
        1 => (0usize..20).prop_map(Event::Again),
        3 => (0usize..20).prop_map(Event::Release),
        2 => (1u64..90_000).prop_map(Event::Wait),
        1 => (1u64..90_000).prop_map(Event::ClockBack),
    ]
}

/// What a slow and obvious count says of what is taken: per session, and per person within a window.
struct Model {
    taken: HashMap<u128, (usize, Vec<Cap>, Duration)>,
}

impl Model {
    fn of_session(&self, session: usize, key: &Key) -> usize {
        let own = self.taken.values().filter(|(of, ..)| *of == session);
        own.flat_map(|(_, caps, _)| caps)
            .filter(|cap| cap.limit.per.is_none() && cap.key == *key)
            .count()
    }

    fn of_person(&self, key: &Key, window: Window, real: Duration) -> usize {
        let lately = self
            .taken
            .values()
            .filter(|(.., at)| real.saturating_sub(*at) < window.length());
        lately
            .flat_map(|(_, caps, _)| caps)
            .filter(|cap| cap.limit.per == Some(window) && cap.key == *key)
            .count()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Whatever comes in whatever order, nobody ever holds more than a cap; and with a clock that is not put back, a slot that is
    /// free is given.
    #[test]
    fn never_more_than_the_cap_and_nothing_comes_back_but_by_release(events in prop::collection::vec(event(), 0..60)) {
        let (mut sessions, mut times) = ([Kept::default(), Kept::default()], Times::default());
        let mut model = Model { taken: HashMap::new() };
        let known = caps();
        let (mut now, mut real, mut put_back) = (Duration::from_secs(1_000_000), Duration::from_secs(1_000_000), false);
        let mut tickets: Vec<(usize, Vec<Cap>)> = Vec::new();
        for event in events {
            match event {
                Event::Wait(ms) => {
                    now += Duration::from_millis(ms);
                    real += Duration::from_millis(ms);
                }
                Event::ClockBack(ms) => {
                    now = now.saturating_sub(Duration::from_millis(ms));
                    put_back = true;
                }
                Event::Reserve { session, caps } => {
                    let caps: Vec<Cap> = caps.iter().map(|index| known[*index].clone()).collect();
                    let number = tickets.len() as u128;
                    tickets.push((session, caps.clone()));
                    let before = (sessions[session].clone(), times.clone());
                    let operation = Operation::Reserve { ticket: Ticket(number), caps: caps.clone() };
                    match sessions[session].apply(&mut times, &operation, now) {
                        Outcome::Done => {
                            model.taken.insert(number, (session, caps.clone(), real));
                        }
                        Outcome::Exhausted(cap) => {
                            prop_assert!(caps.contains(&cap));
                            // None of them was taken: the counts are what they were.
                            prop_assert_eq!(&sessions[session], &before.0);
                            if !put_back {
                                let mut asked: HashMap<Counted, usize> = HashMap::new();
                                for cap in &caps { *asked.entry(Counted::of(cap)).or_default() += 1; }
                                let fits = caps.iter().all(|cap| {
                                    let held = match cap.limit.per {
                                        None => model.of_session(session, &cap.key),
                                        Some(window) => model.of_person(&cap.key, window, real),
                                    };
                                    held + asked[&Counted::of(cap)] <= cap.limit.at_most as usize
                                });
                                prop_assert!(!fits, "a free slot was refused: {:?}", caps);
                            }
                        }
                        other => return Err(TestCaseError::fail(format!("{other:?}"))),
                    }
                }
                Event::Again(number) => {
                    // The same reservation once more, while it can be told: taken once.
                    let Some((session, caps)) = tickets.get(number).cloned() else { continue };
                    if !sessions[session].held.iter().any(|held| held.ticket == Ticket(number as u128)) { continue }
                    let before = sessions[session].clone();
                    let operation = Operation::Reserve { ticket: Ticket(number as u128), caps };
                    prop_assert_eq!(sessions[session].apply(&mut times, &operation, now), Outcome::Done);
                    prop_assert_eq!(&sessions[session], &before);
                }
                Event::Release(number) => {
                    let Some((session, _)) = tickets.get(number).cloned() else { continue };
                    let was_held = sessions[session].held.iter().any(|held| held.ticket == Ticket(number as u128));
                    let operation = Operation::Release(vec![Ticket(number as u128), Ticket(number as u128)]);
                    sessions[session].apply(&mut times, &operation, now);
                    if was_held { model.taken.remove(&(number as u128)); }
                }
            }
            for cap in &known {
                match cap.limit.per {
                    None => for (index, session) in sessions.iter().enumerate() {
                        let count = session.counts.of(&cap.key);
                        prop_assert!(count <= cap.limit.at_most);
                        prop_assert_eq!(count as usize, model.of_session(index, &cap.key));
                    },
                    Some(window) => {
                        prop_assert!(model.of_person(&cap.key, window, real) <= cap.limit.at_most as usize);
                    }
                }
            }
        }
    }

    /// Nothing that is asked of a session takes back what it has seen.
    #[test]
    fn marks_never_go_back(marks in prop::collection::vec((any::<bool>(), any::<bool>(), 0u8..4), 0..30)) {
        let (mut kept, mut times) = (Kept::default(), Times::default());
        let mut seen = Marks::default();
        for (untrusted, private, which) in marks {
            let marks = Marks { untrusted, private };
            let operation = match which {
                0 => Operation::Get,
                1 => Operation::Release(vec![Ticket(1)]),
                _ => { seen = seen.and(marks); Operation::Mark(marks) }
            };
            let outcome = kept.apply(&mut times, &operation, Duration::ZERO);
            let answer = kept.answer(outcome);
            prop_assert_eq!(answer.marks, seen);
            prop_assert!(answer.answers(&operation));
        }
    }
}

#[derive(PartialEq, Eq, Hash)]
struct Counted(Key, Option<Window>);

impl Counted {
    fn of(cap: &Cap) -> Counted {
        Counted(cap.key.clone(), cap.limit.per)
    }
}

#[test]
fn what_was_taken_long_ago_is_spent() {
    let (mut kept, mut times) = (Kept::default(), Times::default());
    let caps = [Cap {
        key: Key::Tool("a".into()),
        limit: Limit::of_session(3),
    }];
    let reserve = |ticket| Operation::Reserve {
        ticket: Ticket(ticket),
        caps: caps.to_vec(),
    };
    kept.apply(&mut times, &reserve(1), Duration::ZERO);
    kept.apply(&mut times, &reserve(2), HELD_FOR);
    kept.apply(&mut times, &Operation::Release(vec![Ticket(1)]), HELD_FOR);
    assert_eq!(kept.counts.of(&caps[0].key), 2, "the first is spent");
    kept.apply(&mut times, &Operation::Release(vec![Ticket(2)]), HELD_FOR);
    assert_eq!(kept.counts.of(&caps[0].key), 1);
}

#[test]
fn outside_text_without_room_is_too_much_for_good() {
    let mut kept = Kept::default();
    assert_eq!(kept.room(PrintsOf::Outside, 10), 10);
    kept.added(PrintsOf::Outside, 10, false);
    kept.added(PrintsOf::Outside, 0, true);
    assert_eq!(kept.room(PrintsOf::Outside, 10), 0);
    assert_eq!(kept.answer(Outcome::Done).remembers, Remembers::TooMuch);
    kept.added(PrintsOf::Trusted, 3, false);
    assert_eq!((kept.trusted, kept.outside), (3, 10));
}
