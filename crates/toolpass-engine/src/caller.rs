//! Who puts a question to the engine, as far as that matters: to the log, to the groups it may send, to its patience.
//!
//! Separate from the question, because two callers may ask the same one and share its answer.

use std::time::Duration;

use toolpass_core::clock::Monotonic;

use crate::options::CallerGroups;

/// A caller. The default is this process itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caller {
    /// From where it asks; as the engine's options say when absent.
    pub remote: Option<String>,
    /// The name of the key it showed.
    pub name: Option<String>,
    /// The trace its question belongs to.
    pub trace_id: Option<String>,
    /// What becomes of the groups it sends. The stricter of this and the connection's own counts.
    pub groups: CallerGroups,
    /// How long it waits, when that is less than the connection's own time.
    pub patience: Option<Duration>,
}

impl Caller {
    /// When a check that began at `began` and may take `timeout` ends for this caller.
    pub(crate) fn deadline(&self, began: Monotonic, timeout: Duration) -> Monotonic {
        let allowed = self
            .patience
            .map_or(timeout, |patience| patience.min(timeout));
        began.plus(allowed)
    }

    /// What becomes of the groups it sends to a connection of this policy.
    pub(crate) fn groups_at(&self, connection: CallerGroups) -> CallerGroups {
        self.groups.max(connection)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stricter_policy_and_the_shorter_time_count() {
        use CallerGroups::{Accept, Ignore, Refuse};
        for (own, connection, expected) in [
            (Accept, Accept, Accept),
            (Accept, Ignore, Ignore),
            (Ignore, Accept, Ignore),
            (Refuse, Ignore, Refuse),
            (Ignore, Refuse, Refuse),
        ] {
            let caller = Caller {
                groups: own,
                ..Caller::default()
            };
            assert_eq!(caller.groups_at(connection), expected);
        }
        let began = Monotonic(Duration::from_secs(100));
        let patient = |seconds| Caller {
            patience: Some(Duration::from_secs(seconds)),
            ..Caller::default()
        };
        let timeout = Duration::from_secs(8);
        let ends = |caller: Caller| caller.deadline(began, timeout).since(began).as_secs();
        assert_eq!(
            (ends(patient(3)), ends(patient(30)), ends(Caller::default())),
            (3, 8, 8)
        );
    }
}
