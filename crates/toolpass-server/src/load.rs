//! How much is done at once, and what is turned away before any work is queued.
//!
//! INVARIANT: whoever was let in gives the place back, also when they go away.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How many checks may ask systems at once, and of one system.
#[derive(Debug)]
pub(crate) struct Load {
    all: Places,
    per_connection: HashMap<String, Places>,
}

#[derive(Debug)]
struct Places {
    most: usize,
    taken: AtomicUsize,
}

/// A place, given back on drop.
#[derive(Debug)]
pub(crate) struct Place {
    load: Arc<Load>,
    connection: Option<String>,
}

/// No place is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

impl Load {
    /// So many at once; of one connection at most half of them when there are several, so that a slow one leaves room.
    pub(crate) fn new(most: usize, connections: &[String]) -> Arc<Load> {
        let share = if connections.len() > 1 {
            most.div_ceil(2).max(1)
        } else {
            most
        };
        let places = |most| Places {
            most,
            taken: AtomicUsize::new(0),
        };
        Arc::new(Load {
            all: places(most),
            per_connection: connections
                .iter()
                .map(|id| (id.clone(), places(share)))
                .collect(),
        })
    }

    /// Take a place for a check of this connection.
    /// Errors: [`Full`].
    pub(crate) fn enter(self: &Arc<Load>, connection: &str) -> Result<Place, Full> {
        self.all.take()?;
        let Some(own) = self.per_connection.get(connection) else {
            return Ok(Place {
                load: Arc::clone(self),
                connection: None,
            });
        };
        if own.take().is_err() {
            self.all.give();
            return Err(Full);
        }
        Ok(Place {
            load: Arc::clone(self),
            connection: Some(connection.to_owned()),
        })
    }

    /// How many places are taken.
    #[cfg(test)]
    fn taken(&self) -> usize {
        self.all.taken.load(Ordering::Relaxed)
    }
}

impl Places {
    fn take(&self) -> Result<(), Full> {
        let take = |taken| (taken < self.most).then_some(taken + 1);
        self.taken
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, take)
            .map(drop)
            .map_err(|_| Full)
    }

    fn give(&self) {
        self.taken.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.load.all.give();
        let own = self.connection.as_ref();
        if let Some(own) = own.and_then(|id| self.load.per_connection.get(id)) {
            own.give();
        }
    }
}

/// So many in so long: a bucket that fills evenly and holds one second's worth, or one when that is less.
#[derive(Debug)]
pub(crate) struct Rate {
    /// Between two of them.
    every: Duration,
    /// How far ahead of the even pace one may be.
    ahead: Duration,
    /// When the next is due at an even pace.
    due: Mutex<Option<Instant>>,
}

impl Rate {
    /// So many a second.
    pub(crate) fn new(per_second: f64) -> Rate {
        let every = Duration::try_from_secs_f64(1.0 / per_second).unwrap_or(Duration::MAX);
        Rate {
            every,
            ahead: Duration::from_secs(1).saturating_sub(every),
            due: Mutex::new(None),
        }
    }

    /// Take one, now.
    /// Errors: how long to wait for it.
    pub(crate) fn take(&self, now: Instant) -> Result<(), Duration> {
        let mut due = self.due.lock().unwrap_or_else(PoisonError::into_inner);
        let next = due.map_or(now, |due| due.max(now));
        let early = next.duration_since(now);
        if early > self.ahead {
            return Err(early.saturating_sub(self.ahead));
        }
        *due = next.checked_add(self.every);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_connection_leaves_room_for_others() {
        let load = Load::new(4, &["slow".into(), "fast".into()]);
        let held: Vec<_> = (0..2).map(|_| load.enter("slow").unwrap()).collect();
        assert_eq!(load.enter("slow").unwrap_err(), Full);
        let other = load.enter("fast").unwrap();
        let unknown = load.enter("none").unwrap();
        assert_eq!(load.enter("fast").unwrap_err(), Full);
        assert_eq!(load.taken(), 4);
        drop((held, other, unknown));
        assert_eq!(load.taken(), 0);
        assert!(Load::new(2, &["only".into()]).enter("only").is_ok());
    }

    #[test]
    fn a_rate_allows_a_burst_of_a_second_and_then_its_pace() {
        let now = Instant::now();
        let rate = Rate::new(10.0);
        let taken = (0..20).filter(|_| rate.take(now).is_ok()).count();
        assert_eq!(taken, 10);
        let wait = rate.take(now).unwrap_err();
        assert_eq!(wait, Duration::from_millis(100));
        assert!(rate.take(now + wait).is_ok());
        assert!(rate.take(now + wait).is_err());
        let slow = Rate::new(0.5);
        assert!(slow.take(now).is_ok());
        assert_eq!(slow.take(now).unwrap_err(), Duration::from_secs(2));
    }
}
