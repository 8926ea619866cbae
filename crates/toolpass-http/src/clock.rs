//! The clocks: the system's, and one moved by hand.
//!
//! Separate because this is the only file of the workspace that reads the time. Ages and deadlines rest on a reading
//! that counts while the machine sleeps where the system has one (Linux: `CLOCK_BOOTTIME`), so a laptop that wakes up
//! does not go on trusting what it read yesterday.

use std::time::{Duration, SystemTime};

use toolpass_core::clock::{Clock, Monotonic, Wall};

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn monotonic(&self) -> Monotonic {
        Monotonic(since_boot())
    }

    fn wall(&self) -> Wall {
        #[expect(clippy::disallowed_methods, reason = "the home of the wall clock")]
        let now = SystemTime::now();
        Wall(
            now.duration_since(SystemTime::UNIX_EPOCH)
                .unwrap_or_default(),
        )
    }
}

#[cfg(target_os = "linux")]
fn since_boot() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    Duration::new(
        u64::try_from(time.tv_sec).unwrap_or(0),
        u32::try_from(time.tv_nsec).unwrap_or(0),
    )
}

#[cfg(not(target_os = "linux"))]
fn since_boot() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    #[expect(clippy::disallowed_methods, reason = "the home of the monotonic clock")]
    let now = Instant::now();
    now.saturating_duration_since(*START.get_or_init(|| now))
}

/// A clock that moves only when told to. Both readings move together; the wall begins at 2030-01-01T00:00:00Z.
/// It moves ages and budgets; what waits still waits in the runtime's time.
#[cfg(feature = "test-util")]
#[derive(Clone, Debug, Default)]
pub struct ManualClock(std::sync::Arc<std::sync::Mutex<Duration>>);

#[cfg(feature = "test-util")]
impl ManualClock {
    /// A clock at its start.
    pub fn new() -> ManualClock {
        ManualClock::default()
    }

    /// Move it forward.
    pub fn advance(&self, by: Duration) {
        let mut at = self
            .0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        *at = at.saturating_add(by);
    }

    fn at(&self) -> Duration {
        *self
            .0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(feature = "test-util")]
impl Clock for ManualClock {
    fn monotonic(&self) -> Monotonic {
        Monotonic(self.at())
    }

    fn wall(&self) -> Wall {
        Wall(MANUAL_WALL_START.saturating_add(self.at()))
    }
}

#[cfg(feature = "test-util")]
const MANUAL_WALL_START: Duration = Duration::from_secs(1_893_456_000);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_clock_never_goes_back() {
        let first = SystemClock.monotonic();
        assert!(SystemClock.monotonic() >= first);
        assert!(SystemClock.wall().0 > Duration::from_secs(1_700_000_000));
    }
}
