//! What a decision rests on: the upstream responses that were read for it.

use std::time::Duration;

/// At most this many calls are kept per decision.
pub const MAX_CALLS: usize = 100;

/// One completed upstream response.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct UpstreamCall {
    /// The HTTP method.
    pub method: String,
    /// The path as sent, still encoded, never with a query.
    pub path: String,
    /// The host, only when the call left the client's base host.
    pub host: Option<String>,
    /// The HTTP status, errors included.
    pub status: u16,
    /// The ETag, when printable ASCII without spaces and at most 128 bytes.
    pub etag: Option<String>,
    /// Hex SHA-256 of the body, when there is one and no ETag.
    pub sha256: Option<String>,
    /// Not made for this check: replayed from a cached lookup.
    pub cached: bool,
    /// Made by a concurrent check this one joined.
    pub shared: bool,
    /// How long the answer took, when that was measured. Shown by an explanation only.
    pub took: Option<Duration>,
}

/// The list attached to a decision.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Evidence {
    /// The calls, oldest first.
    pub upstream: Vec<UpstreamCall>,
    /// Whether calls were dropped to stay within [`MAX_CALLS`].
    pub truncated: bool,
}

impl Evidence {
    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.upstream.is_empty() && !self.truncated
    }

    /// Keep at most [`MAX_CALLS`]: replayed calls go first, oldest first, then the oldest own ones, because the last calls decided.
    pub fn capped(mut self) -> Evidence {
        let mut excess = self.upstream.len().saturating_sub(MAX_CALLS);
        if excess == 0 {
            return self;
        }
        self.truncated = true;
        self.upstream.retain(|call| {
            let drop = excess > 0 && call.cached;
            excess -= usize::from(drop);
            !drop
        });
        self.upstream.drain(..excess);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(path: &str, cached: bool) -> UpstreamCall {
        UpstreamCall {
            path: path.into(),
            cached,
            ..UpstreamCall::default()
        }
    }

    #[test]
    fn replayed_calls_are_dropped_before_own_ones() {
        let mut upstream: Vec<_> = (0..60).map(|n| call(&format!("own{n}"), false)).collect();
        upstream.extend((0..30).map(|n| call(&format!("old{n}"), true)));
        upstream.extend((60..90).map(|n| call(&format!("own{n}"), false)));
        let capped = Evidence {
            upstream,
            truncated: false,
        }
        .capped();
        assert!(capped.truncated);
        assert_eq!(capped.upstream.len(), MAX_CALLS);
        assert_eq!(
            capped.upstream.iter().filter(|call| call.cached).count(),
            10
        );
        assert_eq!(
            capped.upstream.last().map(|call| call.path.as_str()),
            Some("own89")
        );
    }
}
