//! What joins a request to the logs of others: its id, and the trace it is part of.
//!
//! INVARIANT: what a client sends is repeated only when it has exactly the form asked for, so no log line and no header is
//! forged with it.
//! SOURCE: W3C Trace Context, "traceparent Header Field Values".

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use http::HeaderMap;

/// The id of a request: the client's own when it is a plain one, else a new one.
pub(crate) fn request_id(headers: &HeaderMap) -> String {
    let mut given = headers.get_all(REQUEST_ID).iter();
    match (given.next(), given.next()) {
        (Some(id), None) => id
            .to_str()
            .ok()
            .filter(|id| is_plain(id))
            .map_or_else(new_id, str::to_owned),
        _ => new_id(),
    }
}

/// The trace id of a valid `traceparent`.
pub(crate) fn trace_id(headers: &HeaderMap) -> Option<&str> {
    let mut given = headers.get_all("traceparent").iter();
    let (Some(parent), None) = (given.next(), given.next()) else {
        return None;
    };
    let parent = parent.to_str().ok()?;
    let mut parts = parent.split('-');
    let (version, trace, span, flags) =
        (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let fits = |text: &str, length: usize| {
        text.len() == length && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    };
    let is_set = |text: &str| text.bytes().any(|b| b != b'0');
    // A later version may add parts, the first has none.
    let complete = version != "00" || parts.next().is_none();
    let valid =
        fits(version, 2) && version != "ff" && fits(trace, 32) && fits(span, 16) && fits(flags, 2);
    (valid && complete && is_set(trace) && is_set(span)).then_some(trace)
}

/// The header that names a request.
pub(crate) const REQUEST_ID: &str = "x-request-id";

fn is_plain(id: &str) -> bool {
    let fits = |b: u8| {
        b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b':' | b'/' | b'+' | b'=')
    };
    (1..=MAX_ID_BYTES).contains(&id.len()) && id.bytes().all(fits)
}

/// Unique without asking the system for random bytes at every request; it is no secret.
fn new_id() -> String {
    static KEYS: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    static MADE: AtomicU64 = AtomicU64::new(0);
    let count = MADE.fetch_add(1, Ordering::Relaxed);
    format!(
        "{:016x}{:016x}",
        KEYS.hash_one((count, 0_u8)),
        KEYS.hash_one((count, 1_u8))
    )
}

const MAX_ID_BYTES: usize = 128;

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn headers(name: &'static str, values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        headers
    }

    #[test]
    fn a_plain_id_is_kept_and_no_other() {
        let long = "x".repeat(129);
        assert_eq!(request_id(&headers(REQUEST_ID, &["a-1_b.C"])), "a-1_b.C");
        for given in [
            &["a b"][..],
            &["é"],
            &[""],
            &["\"x\""],
            &["a", "a"],
            &[&long],
            &[],
        ] {
            let id = request_id(&headers(REQUEST_ID, given));
            assert_eq!(id.len(), 32, "{given:?}");
            assert!(!given.contains(&id.as_str()));
        }
    }

    #[test]
    fn traces() {
        let (trace, span) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");
        let found = |value: String| trace_id(&headers("traceparent", &[&value])).map(str::to_owned);
        assert_eq!(
            found(format!("00-{trace}-{span}-01")).as_deref(),
            Some(trace)
        );
        assert_eq!(
            found(format!("cc-{trace}-{span}-01-what")).as_deref(),
            Some(trace)
        );
        for bad in [
            format!("00-{trace}-{span}-01-what"),
            format!("ff-{trace}-{span}-01"),
            format!("00-{}-{span}-01", trace.to_uppercase()),
            format!("00-{}-{span}-01", "0".repeat(32)),
            format!("00-{trace}-{}-01", "0".repeat(16)),
            format!("00-{trace}-{span}"),
            format!("00-{trace}-{span}-1"),
            String::new(),
        ] {
            assert_eq!(found(bad.clone()), None, "{bad}");
        }
        let twice = format!("00-{trace}-{span}-01");
        assert_eq!(trace_id(&headers("traceparent", &[&twice, &twice])), None);
    }
}
