//! How a moment is written, in the decision log and in every answer.
//!
//! Separate because the server and the command write what the engine dates, and all must write it alike.

use jiff::Timestamp;
use toolpass_core::clock::Wall;

/// Wall time as RFC 3339 in UTC, its fraction without trailing zeros.
pub fn rfc3339(time: Wall) -> String {
    let seconds = i64::try_from(time.0.as_secs()).unwrap_or(i64::MAX);
    let nanos = i32::try_from(time.0.subsec_nanos()).unwrap_or(0);
    Timestamp::new(seconds, nanos)
        .unwrap_or(Timestamp::MAX)
        .to_string()
}
