//! When a failed request is made again, and after how long: pure rules.
//!
//! Separate so that the whole policy is one table. Who calls it has made sure that the request may be repeated.
//!
//! INVARIANT: nothing here retries what a repetition cannot help: a certificate that does not verify, a spent budget, a
//! body over the limit, an unusable proxy, a status 500.

use std::time::Duration;

use jiff::fmt::strtime;
use jiff::tz::TimeZone;
use toolpass_core::clock::Wall;

use crate::error::{Error, Kind};

/// Extra attempts after the first one.
pub const MAX_RETRIES: u32 = 2;

/// The longest wait a system may ask for and get; a longer one ends the request at once.
pub const MAX_WAIT: Duration = Duration::from_secs(5);

/// How long to wait before the next attempt; `None` gives up.
/// `retries` counts the extra attempts already made, `random` is in 0..=1.
pub fn wait_before_next(failure: &Error, retries: u32, random: f64) -> Option<Duration> {
    if retries >= MAX_RETRIES || !is_worth_repeating(failure.kind()) {
        return None;
    }
    match failure.retry_after() {
        Some(asked) if asked > MAX_WAIT => None,
        Some(asked) if !asked.is_zero() => Some(asked),
        _ => Some(back_off(retries, random)),
    }
}

/// Read a `Retry-After`: a sign and digits, or an HTTP date in any of its three forms. `None` for anything else.
/// A moment that is past is zero. Source: RFC 9110 §10.2.3, §5.6.7.
pub fn parse_retry_after(value: &str, now: Wall) -> Option<Duration> {
    if let Ok(seconds) = value.parse::<i64>() {
        return Some(Duration::from_secs(u64::try_from(seconds).unwrap_or(0)));
    }
    let at = HTTP_DATES.iter().find_map(|form| {
        let date = strtime::parse(form, value).ok()?.to_datetime().ok()?;
        TimeZone::UTC.to_timestamp(date).ok()
    })?;
    let at = Duration::from_secs(u64::try_from(at.as_second()).unwrap_or(0));
    Some(at.saturating_sub(now.0))
}

fn is_worth_repeating(kind: Kind) -> bool {
    match kind {
        Kind::Connection => true,
        Kind::Status(status) => matches!(status, 429 | 502 | 503 | 504),
        Kind::Certificate
        | Kind::Coded(_)
        | Kind::Deadline
        | Kind::Malformed
        | Kind::Proxy
        | Kind::Request
        | Kind::Timeout
        | Kind::TooLarge => false,
    }
}

/// 0.2 s, doubled each time up to 2 s, of which the upper half is random so that callers spread out.
fn back_off(retries: u32, random: f64) -> Duration {
    let whole = FIRST_WAIT
        .saturating_mul(2_u32.saturating_pow(retries))
        .min(LONGEST_BACK_OFF);
    let half = whole / 2;
    half + half.mul_f64(random.clamp(0.0, 1.0))
}

const FIRST_WAIT: Duration = Duration::from_millis(200);
const LONGEST_BACK_OFF: Duration = Duration::from_secs(2);
const HTTP_DATES: [&str; 3] = [
    "%a, %d %b %Y %H:%M:%S GMT",
    "%A, %d-%b-%y %H:%M:%S GMT",
    "%a %b %e %H:%M:%S %Y",
];

#[cfg(test)]
mod tests {
    use super::*;
    use toolpass_core::codes::Code;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn what_is_repeated() {
        let rows = [
            (Kind::Certificate, false),
            (Kind::Coded(Code::UpstreamRateLimited), false),
            (Kind::Connection, true),
            (Kind::Deadline, false),
            (Kind::Malformed, false),
            (Kind::Proxy, false),
            (Kind::Request, false),
            (Kind::Status(400), false),
            (Kind::Status(401), false),
            (Kind::Status(403), false),
            (Kind::Status(404), false),
            (Kind::Status(408), false),
            (Kind::Status(429), true),
            (Kind::Status(500), false),
            (Kind::Status(501), false),
            (Kind::Status(502), true),
            (Kind::Status(503), true),
            (Kind::Status(504), true),
            (Kind::Timeout, false),
            (Kind::TooLarge, false),
        ];
        for (kind, expected) in rows {
            assert_eq!(
                wait_before_next(&Error::new(kind, "x"), 0, 0.0).is_some(),
                expected,
                "{kind:?}"
            );
        }
    }

    #[test]
    fn how_long() {
        let check = |asked: Option<Duration>, retries, random, expected| {
            let failure = Error::new(Kind::Status(503), "x").with_retry_after(asked);
            assert_eq!(
                wait_before_next(&failure, retries, random),
                expected,
                "{asked:?} {retries} {random}"
            );
        };
        check(None, 0, 0.0, Some(MS(100)));
        check(None, 0, 1.0, Some(MS(200)));
        check(None, 1, 0.0, Some(MS(200)));
        check(None, 1, 0.5, Some(MS(300)));
        check(None, 2, 0.5, None);
        check(Some(MS(0)), 0, 1.0, Some(MS(200)));
        check(Some(MS(3000)), 0, 1.0, Some(MS(3000)));
        check(Some(MS(5000)), 1, 1.0, Some(MS(5000)));
        check(Some(MS(5001)), 0, 1.0, None);
        check(Some(MS(1000)), 2, 1.0, None);
        assert_eq!(back_off(9, 1.0), MS(2000));
        assert_eq!(back_off(u32::MAX, 0.0), MS(1000));
    }

    #[test]
    fn retry_after() {
        let now = Wall(Duration::from_secs(784_111_777));
        let check = |value: &str, seconds: Option<u64>| {
            assert_eq!(
                parse_retry_after(value, now),
                seconds.map(Duration::from_secs),
                "{value}"
            );
        };
        check("3", Some(3));
        check("+3", Some(3));
        check("-3", Some(0));
        check("0", Some(0));
        check("9223372036854775807", Some(9_223_372_036_854_775_807));
        check("9223372036854775808", None);
        check("Sun, 06 Nov 1994 08:49:47 GMT", Some(10));
        check("Sunday, 06-Nov-94 08:49:47 GMT", Some(10));
        check("Sun Nov  6 08:49:47 1994", Some(10));
        check("Sun, 06 Nov 1994 08:49:37 GMT", Some(0));
        check("Tue, 06 Nov 1990 08:49:37 GMT", Some(0));
        for bad in [
            "",
            "3.5",
            "1e3",
            "٣",
            "0x3",
            "soon",
            "3 s",
            "Sun, 06 Nov 1994 08:49:47 +0100",
            "- 3",
        ] {
            check(bad, None);
        }
    }
}
