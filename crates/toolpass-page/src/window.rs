//! The rows of a page: the newest ones that are over, within a bound of number and of bytes, and the calls that still run.
//!
//! Pure and without a lock, so that its bounds are a property test. A call that is over has a number that never changes: 1, 2,
//! 3, … in the order they ended. A call that runs has none yet; it is shown with the numbers that come next, and its row is
//! made when somebody looks, so that a running call costs one entry in a map.
//! INVARIANT: a call is either running or over, never both; the numbers kept are those up to the last one without a gap.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crate::row::Row;

/// How many bytes the rows of a page have together.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;

/// How many running calls a page follows; further ones are shown when they end.
const MAX_RUNNING: usize = 1000;

/// A call that has not ended.
pub trait InFlight: Send + Sync {
    /// How far it is: grows with each of its requests.
    fn progress(&self) -> usize;
    /// What there is to show of it now.
    fn row(&self) -> Row;
}

/// The rows of a page.
pub struct Window {
    keep: usize,
    max_bytes: usize,
    bytes: usize,
    last: u64,
    over: VecDeque<Arc<Row>>,
    running: BTreeMap<String, Arc<dyn InFlight>>,
}

/// What a page shows at one moment to one who knows everything up to a number.
pub struct View {
    /// Rows of calls that are over, with their numbers, oldest first.
    pub over: Vec<(u64, Arc<Row>)>,
    /// The calls that run, by id.
    pub running: Vec<(String, Arc<dyn InFlight>)>,
    /// The last number given.
    pub last: u64,
}

impl Window {
    /// An empty window for `keep` rows of `max_bytes` together.
    pub fn new(keep: usize, max_bytes: usize) -> Window {
        Window {
            keep,
            max_bytes,
            bytes: 0,
            last: 0,
            over: VecDeque::new(),
            running: BTreeMap::new(),
        }
    }

    /// A call began.
    pub fn begin(&mut self, id: String, call: Arc<dyn InFlight>) {
        if self.running.len() < MAX_RUNNING {
            self.running.insert(id, call);
        }
    }

    /// Whether this call is shown as running.
    pub fn runs(&self, id: &str) -> bool {
        self.running.contains_key(id)
    }

    /// A call is over: its row takes the place of the running one, and the oldest rows make room.
    pub fn complete(&mut self, row: Row) {
        self.running.remove(&row.id);
        self.last += 1;
        self.bytes += row.weight();
        self.over.push_back(Arc::new(row));
        // The newest row stays, whatever its weight: rows are capped on their own.
        while self.over.len() > self.keep.max(1)
            || (self.bytes > self.max_bytes && self.over.len() > 1)
        {
            if let Some(gone) = self.over.pop_front() {
                self.bytes -= gone.weight();
            }
        }
    }

    /// The rows past a number, and the calls that run.
    pub fn view(&self, since: u64) -> View {
        let kept = u64::try_from(self.over.len()).unwrap_or(u64::MAX);
        let first = self.last - kept + 1;
        let skipped = (since.saturating_add(1)).saturating_sub(first);
        let skipped = usize::try_from(skipped).unwrap_or(usize::MAX);
        View {
            over: (first..=self.last)
                .zip(&self.over)
                .skip(skipped)
                .map(|(seq, row)| (seq, Arc::clone(row)))
                .collect(),
            running: self
                .running
                .iter()
                .map(|(id, call)| (id.clone(), Arc::clone(call)))
                .collect(),
            last: self.last,
        }
    }

    /// Drop everything.
    pub fn clear(&mut self) {
        self.over.clear();
        self.running.clear();
        self.bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    struct Still(String);

    impl InFlight for Still {
        fn progress(&self) -> usize {
            0
        }
        fn row(&self) -> Row {
            row(&self.0, 0)
        }
    }

    fn row(id: &str, padding: usize) -> Row {
        Row {
            id: id.to_owned(),
            text: format!("{{\"id\":\"{id}\",\"p\":\"{}\"}}", "x".repeat(padding)),
            actions: Vec::new(),
        }
    }

    #[derive(Clone, Debug)]
    enum Step {
        Begin(u8),
        Complete(u8, usize),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            (0_u8..12).prop_map(Step::Begin),
            (0_u8..12, 0_usize..400).prop_map(|(id, padding)| Step::Complete(id, padding)),
        ];
        prop::collection::vec(step, 0..80)
    }

    proptest! {
        /// Against the slow obvious list of everything that ever happened.
        #[test]
        fn the_newest_rows_are_kept_within_both_bounds(
            steps in steps(), keep in 1_usize..12, max_bytes in 100_usize..2000, since in 0_u64..90,
        ) {
            let mut window = Window::new(keep, max_bytes);
            let (mut all, mut running) = (Vec::new(), std::collections::BTreeSet::new());
            for step in steps {
                match step {
                    Step::Begin(id) => {
                        let id = format!("{id:02}");
                        window.begin(id.clone(), Arc::new(Still(id.clone())));
                        running.insert(id);
                    }
                    Step::Complete(id, padding) => {
                        let row = row(&format!("{id:02}"), padding);
                        running.remove(&row.id);
                        all.push(row.clone());
                        window.complete(row);
                    }
                }
                let bytes: usize = window.over.iter().map(|row| row.weight()).sum();
                prop_assert_eq!(bytes, window.bytes);
                prop_assert!(window.over.len() <= keep);
                prop_assert!(bytes <= max_bytes || window.over.len() == 1);
            }
            let view = window.view(since);
            prop_assert_eq!(view.last, all.len() as u64);
            // Numbers without a gap up to the last, each with the row that was recorded under it.
            for (seq, row) in &view.over {
                prop_assert!(*seq > since);
                prop_assert_eq!(&all[usize::try_from(*seq).unwrap() - 1], &**row);
            }
            let kept = window.over.len() as u64;
            let expected: Vec<u64> = (view.last - kept + 1..=view.last).filter(|seq| *seq > since).collect();
            prop_assert_eq!(view.over.iter().map(|(seq, _)| *seq).collect::<Vec<_>>(), expected);
            prop_assert_eq!(view.running.iter().map(|(id, _)| id.clone()).collect::<Vec<_>>(), running.into_iter().collect::<Vec<_>>());
            // No row could be added back without breaking a bound.
            if kept < view.last {
                let next = &all[usize::try_from(view.last - kept).unwrap() - 1];
                prop_assert!(window.over.len() == keep || window.bytes + next.weight() > max_bytes);
            }
        }
    }

    #[test]
    fn a_number_from_another_life_answers_nothing() {
        let mut window = Window::new(10, 1000);
        window.complete(row("a", 0));
        assert!(window.view(u64::MAX).over.is_empty());
        assert_eq!(window.view(u64::MAX).last, 1);
    }

    #[test]
    fn running_calls_are_bounded() {
        let mut window = Window::new(10, 1000);
        for number in 0..MAX_RUNNING + 5 {
            let id = number.to_string();
            window.begin(id.clone(), Arc::new(Still(id)));
        }
        assert_eq!(window.view(0).running.len(), MAX_RUNNING);
    }
}
