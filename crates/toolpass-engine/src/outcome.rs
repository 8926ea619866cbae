//! How a failure becomes an answer: the only such place.
//!
//! INVARIANT: nothing here makes an allow. An allow comes from a connection's rules, through [`answered`].

use std::time::Duration;

use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;
use toolpass_integration::failure::Failure;

/// Why asking ended before there was an answer.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    /// A coded failure.
    Failed(Failure),
    /// Not asked now: the system is failing or asked to be left alone.
    Wait {
        /// The code the system's own failure had.
        code: Code,
        /// Why.
        text: String,
        /// When asking again is worth it.
        after: Duration,
    },
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::Failed(failure)
    }
}

/// A question that is not asked of any system.
pub(crate) fn refused(code: Code, text: impl AsRef<str>) -> Box<Decision> {
    let mut decision = Decision::unknown(code, text);
    decision.status = BAD_REQUEST;
    Box::new(decision)
}

/// What a connection answered: its code and text. Everything else of a decision is the engine's to say.
pub(crate) fn answered(decision: &Decision) -> Decision {
    later(
        Decision::new(decision.code(), decision.text()).by(decision.rule),
        decision.retry_after_ms,
    )
}

/// A failure keeps its code and text.
pub(crate) fn failed(failure: &Failure) -> Decision {
    let after = failure
        .upstream()
        .and_then(toolpass_http::error::Error::retry_after);
    later(
        Decision::new(failure.code(), failure.text()),
        after.map(millis),
    )
}

/// Asking ended early.
pub(crate) fn stopped(stop: &Stop) -> Decision {
    match stop {
        Stop::Failed(failure) => failed(failure),
        Stop::Wait { code, text, after } => {
            later(Decision::unknown(*code, text), Some(millis(*after)))
        }
    }
}

/// The budget was spent.
pub(crate) fn out_of_time() -> Failure {
    Failure::new(Code::UpstreamTimeout, "the time for this check ran out")
}

/// An allow whose line cannot be written, where that is not allowed.
pub(crate) fn unrecorded(decision: &Decision) -> Decision {
    let text = "the decision log cannot be written, and what is not recorded is not allowed";
    let mut unrecorded = Decision::unknown(Code::UpstreamError, text);
    unrecorded.identity.clone_from(&decision.identity);
    unrecorded.evidence.clone_from(&decision.evidence);
    unrecorded.id.clone_from(&decision.id);
    unrecorded.as_of = decision.as_of;
    unrecorded
}

/// The same, with when asking again is worth it.
fn later(mut decision: Decision, after_ms: Option<u64>) -> Decision {
    decision.retry_after_ms = after_ms;
    decision
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

const BAD_REQUEST: u16 = 400;

#[cfg(test)]
mod tests {
    use toolpass_core::codes::Outcome;

    use super::*;

    #[test]
    fn no_failure_of_any_code_allows() {
        for code in Code::ALL {
            let failure = Failure::new(*code, "x");
            assert_ne!(failed(&failure).outcome(), Outcome::Allow, "{code}");
            assert_eq!(refused(*code, "x").outcome(), Outcome::Unknown, "{code}");
            let stop = Stop::Wait {
                code: *code,
                text: "x".into(),
                after: Duration::from_secs(1),
            };
            assert_eq!(stopped(&stop).outcome(), Outcome::Unknown, "{code}");
        }
        assert_eq!(
            unrecorded(&Decision::allow("x")).outcome(),
            Outcome::Unknown
        );
    }

    #[test]
    fn what_a_connection_may_not_say_is_dropped() {
        let mut claimed = Decision::allow("yes");
        claimed.status = 500;
        claimed.cached = true;
        claimed.id = "forged".into();
        assert_eq!(answered(&claimed), Decision::allow("yes"));
    }
}
