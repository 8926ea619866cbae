//! How long things took: counts by bound, that any number of threads add to without waiting.
//!
//! Here and not in the server, because the engine counts what only it sees. The bounds are the same for all, so that pages of several
//! servers add up.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Durations, counted.
#[derive(Debug, Default)]
pub struct Histogram {
    buckets: [AtomicU64; BOUNDS.len()],
    count: AtomicU64,
    micros: AtomicU64,
}

/// A histogram as it was at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// How many took at most so many seconds, as text, for each bound; each counts those before it too.
    pub up_to: Vec<(&'static str, u64)>,
    /// How many there were.
    pub count: u64,
    /// How long all took together, in microseconds.
    pub micros: u64,
}

impl Histogram {
    /// Count one.
    pub fn observe(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let fits = |((bound, _), _): &(&(u64, &str), &AtomicU64)| micros <= *bound;
        if let Some((_, bucket)) = BOUNDS.iter().zip(&self.buckets).find(fits) {
            bucket.fetch_add(1, Ordering::Relaxed);
        }
        self.count.fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    /// What was counted so far.
    pub fn read(&self) -> Reading {
        let mut sum = 0;
        let up_to = BOUNDS
            .iter()
            .zip(&self.buckets)
            .map(|((_, bound), bucket)| {
                sum += bucket.load(Ordering::Relaxed);
                (*bound, sum)
            });
        let up_to: Vec<_> = up_to.collect();
        Reading {
            up_to,
            // Somebody may have added to a bucket and not yet to the count.
            count: self.count.load(Ordering::Relaxed).max(sum),
            micros: self.micros.load(Ordering::Relaxed),
        }
    }
}

/// Microseconds, and the same in seconds as text.
const BOUNDS: [(u64, &str); 12] = [
    (100, "0.0001"),
    (500, "0.0005"),
    (1_000, "0.001"),
    (5_000, "0.005"),
    (25_000, "0.025"),
    (100_000, "0.1"),
    (250_000, "0.25"),
    (500_000, "0.5"),
    (1_000_000, "1"),
    (2_500_000, "2.5"),
    (5_000_000, "5"),
    (10_000_000, "10"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bound_counts_those_before_it() {
        let histogram = Histogram::default();
        for millis in [0, 1, 2, 600, 60_000] {
            histogram.observe(Duration::from_millis(millis));
        }
        let read = histogram.read();
        let at = |bound: &str| {
            read.up_to
                .iter()
                .find(|(text, _)| *text == bound)
                .unwrap()
                .1
        };
        assert_eq!(
            (at("0.0001"), at("0.001"), at("0.005"), at("1"), at("10")),
            (1, 2, 3, 4, 4)
        );
        assert_eq!((read.count, read.micros), (5, 60_603_000));
    }
}
