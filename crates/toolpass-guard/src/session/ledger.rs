//! The counting itself: slots taken all or none, and given back.
//!
//! Pure, and the only place where it is said when a cap is reached: sessions in memory count with it, and every store applies it
//! to what it keeps. Time is what the caller says it is, as a duration since any fixed moment.
//! INVARIANT: what is taken never exceeds a cap, and nothing is given back that was not taken.

use std::collections::HashMap;
use std::time::Duration;

use super::caps::{Cap, Key, Window};

/// Names what was taken at once, so that exactly that is given back. Unique among those who share a ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(pub u128);

/// How often each key was counted in a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(HashMap<Key, u32>);

/// When each key was counted for a person, as far as it still matters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Times(HashMap<(Key, Window), Vec<Moment>>);

/// One slot taken at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// When.
    pub at: Duration,
    /// Under which ticket.
    pub ticket: Ticket,
}

impl Counts {
    /// How often a key was counted.
    pub fn of(&self, key: &Key) -> u32 {
        self.0.get(key).copied().unwrap_or(0)
    }

    /// Every key that was counted.
    pub fn iter(&self) -> impl Iterator<Item = (&Key, u32)> {
        self.0.iter().map(|(key, count)| (key, *count))
    }

    fn take(&mut self, key: &Key, at_most: u32) -> bool {
        match self.0.get_mut(key) {
            Some(count) if *count >= at_most => false,
            Some(count) => {
                *count += 1;
                true
            }
            None if at_most == 0 => false,
            None => {
                self.0.insert(key.clone(), 1);
                true
            }
        }
    }

    fn give_back(&mut self, key: &Key) {
        if let Some(count) = self.0.get_mut(key) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.0.remove(key);
            }
        }
    }
}

impl FromIterator<(Key, u32)> for Counts {
    fn from_iter<I: IntoIterator<Item = (Key, u32)>>(counts: I) -> Counts {
        Counts(counts.into_iter().collect())
    }
}

impl Times {
    /// Every key, its window, and when it was counted.
    pub fn iter(&self) -> impl Iterator<Item = (&Key, Window, &[Moment])> {
        self.0
            .iter()
            .map(|((key, window), moments)| (key, *window, moments.as_slice()))
    }

    /// Add what was counted before.
    pub fn insert(&mut self, key: Key, window: Window, moments: Vec<Moment>) {
        self.0.insert((key, window), moments);
    }

    /// Forget what no window reaches any more. Answers whether nothing is left.
    pub fn forget(&mut self, now: Duration) -> bool {
        self.0.retain(|(_, window), moments| {
            forget(moments, *window, now);
            !moments.is_empty()
        });
        self.0.is_empty()
    }

    fn take(&mut self, cap: &Cap, window: Window, ticket: Ticket, now: Duration) -> bool {
        let moments = self.0.entry((cap.key.clone(), window)).or_default();
        forget(moments, window, now);
        if moments.len() >= cap.limit.at_most as usize {
            return false;
        }
        moments.push(Moment { at: now, ticket });
        true
    }

    fn give_back(&mut self, key: &Key, window: Window, ticket: Ticket) {
        if let Some(moments) = self.0.get_mut(&(key.clone(), window))
            && let Some(at) = moments.iter().rposition(|moment| moment.ticket == ticket)
        {
            moments.remove(at);
        }
    }
}

/// Forget what the window has left behind. A moment still to come is one of a clock that was put back: it counts from now on.
fn forget(moments: &mut Vec<Moment>, window: Window, now: Duration) {
    moments.retain_mut(|moment| {
        moment.at = moment.at.min(now);
        now.saturating_sub(moment.at) < window.length()
    });
}

/// Take one of each cap, all or none.
/// Errors: the first cap that is reached; nothing is taken then.
pub fn take<'c>(
    counts: &mut Counts,
    times: &mut Times,
    caps: &'c [Cap],
    ticket: Ticket,
    now: Duration,
) -> Result<(), &'c Cap> {
    for (index, cap) in caps.iter().enumerate() {
        let taken = match cap.limit.per {
            None => counts.take(&cap.key, cap.limit.at_most),
            Some(window) => times.take(cap, window, ticket, now),
        };
        if !taken {
            give_back(counts, times, caps.get(..index).unwrap_or_default(), ticket);
            return Err(cap);
        }
    }
    Ok(())
}

/// Give back what [`take`] took of these caps under this ticket. Whoever calls it knows that this was not done before.
pub fn give_back(counts: &mut Counts, times: &mut Times, caps: &[Cap], ticket: Ticket) {
    for cap in caps {
        match cap.limit.per {
            None => counts.give_back(&cap.key),
            Some(window) => times.give_back(&cap.key, window, ticket),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::caps::Limit;
    use super::*;

    fn cap(name: &str, at_most: u32, per: Option<Window>) -> Cap {
        Cap {
            key: Key::Tool(name.into()),
            limit: Limit { at_most, per },
        }
    }

    const fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_window_slides() {
        let (mut counts, mut times) = (Counts::default(), Times::default());
        let caps = [cap("a", 2, Some(Window::Minute))];
        let mut try_at =
            |ticket, now| take(&mut counts, &mut times, &caps, Ticket(ticket), now).is_ok();
        assert!(try_at(1, at(100)) && try_at(2, at(130)));
        assert!(!try_at(3, at(159)), "both are within a minute");
        assert!(try_at(4, at(160)), "the first is a minute old");
        assert!(!try_at(5, at(189)));
        assert!(try_at(6, at(190)));
    }

    #[test]
    fn a_clock_put_back_opens_nothing() {
        let (mut counts, mut times) = (Counts::default(), Times::default());
        let caps = [cap("a", 1, Some(Window::Minute))];
        let mut try_at =
            |ticket, now| take(&mut counts, &mut times, &caps, Ticket(ticket), now).is_ok();
        assert!(try_at(1, at(9_000)));
        assert!(!try_at(2, at(100)));
        assert!(
            !try_at(3, at(159)),
            "and does not stay shut until the clock is where it was"
        );
        assert!(try_at(4, at(160)));
    }

    #[test]
    fn what_one_cap_refuses_leaves_the_others_as_they_were() {
        let (mut counts, mut times) = (Counts::default(), Times::default());
        let caps = [
            cap("a", 9, None),
            cap("b", 9, Some(Window::Day)),
            cap("c", 0, None),
        ];
        assert_eq!(
            take(&mut counts, &mut times, &caps, Ticket(1), at(5)),
            Err(&caps[2])
        );
        assert_eq!(counts.of(&caps[0].key), 0);
        assert!(times.forget(at(5)));
    }

    #[test]
    fn a_key_named_twice_is_counted_twice() {
        let (mut counts, mut times) = (Counts::default(), Times::default());
        let twice = [cap("a", 1, None), cap("a", 1, None)];
        assert!(take(&mut counts, &mut times, &twice, Ticket(1), at(5)).is_err());
        assert_eq!(counts.of(&twice[0].key), 0);
    }
}
