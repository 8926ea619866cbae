//! Time as it is passed in: a monotonic reading for ages and deadlines, a wall reading for logs and `exp`.
//!
//! This crate never reads a clock. Who has one implements [`Clock`]; tests implement one they move by hand.

use std::time::Duration;

/// A monotonic point in time, as an age since the clock's own start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Monotonic(pub Duration);

impl Monotonic {
    /// How long before `self` the point `earlier` was; zero when it was not before.
    pub fn since(self, earlier: Monotonic) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    /// This point, `by` later.
    pub fn plus(self, by: Duration) -> Monotonic {
        Monotonic(self.0.saturating_add(by))
    }

    /// This point, `by` earlier; the clock's start when there is no such point.
    pub fn minus(self, by: Duration) -> Monotonic {
        Monotonic(self.0.saturating_sub(by))
    }
}

/// Wall time as a duration since the Unix epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wall(pub Duration);

/// Where time comes from.
pub trait Clock: Send + Sync {
    /// A reading that never goes back; counts while the machine sleeps where the system can tell.
    fn monotonic(&self) -> Monotonic;
    /// The wall clock, for logs and token expiry only.
    fn wall(&self) -> Wall;
}
