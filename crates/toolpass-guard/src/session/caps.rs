//! What is counted, and how high it may go: in one session, or for one person over time.
//!
//! Separate from the session because stores count the same things by the same rules ([`super::ledger`]).

use std::fmt;
use std::time::Duration;

use toolpass_core::effect::Effect;

/// What is counted.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    /// Requests of one action of one tool.
    Action {
        /// The tool.
        tool: String,
        /// `integration:action`.
        action: String,
    },
    /// Calls and requests of an effect.
    Effect(Effect),
    /// Calls of a tool.
    Tool(String),
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Action { tool, action } => write!(f, "action:{tool}:{action}"),
            Key::Effect(effect) => write!(f, "effect:{effect}"),
            Key::Tool(name) => write!(f, "tool:{name}"),
        }
    }
}

/// How far back a limit over time looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Window {
    /// One second.
    Second,
    /// Sixty seconds.
    Minute,
    /// Sixty minutes.
    Hour,
    /// Twenty-four hours.
    Day,
}

impl Window {
    /// All, shortest first.
    pub const ALL: [Window; 4] = [Window::Second, Window::Minute, Window::Hour, Window::Day];

    /// As it is written after the slash.
    pub fn as_str(self) -> &'static str {
        match self {
            Window::Second => "second",
            Window::Minute => "minute",
            Window::Hour => "hour",
            Window::Day => "day",
        }
    }

    /// One of [`Window::as_str`].
    pub fn parse(text: &str) -> Option<Window> {
        Window::ALL
            .into_iter()
            .find(|window| window.as_str() == text)
    }

    /// How long it is.
    pub fn length(self) -> Duration {
        Duration::from_secs(match self {
            Window::Second => 1,
            Window::Minute => 60,
            Window::Hour => 60 * 60,
            Window::Day => 24 * 60 * 60,
        })
    }
}

/// How often something may be done: in a session, or by a person within any window of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// How often at most.
    pub at_most: u32,
    /// Within which time; `None`: in one session.
    pub per: Option<Window>,
}

/// A text is no limit over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`N/second`, `N/minute`, `N/hour` or `N/day` with a whole number `N` of at most {MAX_IN_WINDOW}"
)]
pub struct InvalidLimit;

/// How many moments of one key are remembered at most.
pub const MAX_IN_WINDOW: u32 = 10_000;

impl Limit {
    /// So many in one session.
    pub fn of_session(at_most: u32) -> Limit {
        Limit { at_most, per: None }
    }

    /// Shape: `N/second`, `N/minute`, `N/hour`, `N/day`; `N` in decimal digits, at most [`MAX_IN_WINDOW`].
    /// Errors: [`InvalidLimit`].
    pub fn parse(text: &str) -> Result<Limit, InvalidLimit> {
        let (number, window) = text.split_once('/').ok_or(InvalidLimit)?;
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(InvalidLimit);
        }
        let at_most: u32 = number.parse().map_err(|_| InvalidLimit)?;
        if at_most > MAX_IN_WINDOW {
            return Err(InvalidLimit);
        }
        let per = Window::parse(window).ok_or(InvalidLimit)?;
        Ok(Limit {
            at_most,
            per: Some(per),
        })
    }
}

/// A limit of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cap {
    /// What is counted.
    pub key: Key,
    /// How high it may go.
    pub limit: Limit,
}

impl fmt::Display for Cap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (key, at_most) = (&self.key, self.limit.at_most);
        match self.limit.per {
            None => write!(f, "{key} ({at_most} at most)"),
            Some(window) => write!(f, "{key} ({at_most} at most in one {})", window.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_limit_over_time_is_a_number_and_a_unit() {
        let hour = Limit {
            at_most: 20,
            per: Some(Window::Hour),
        };
        assert_eq!(Limit::parse("20/hour"), Ok(hour));
        assert_eq!(Limit::parse("0/day").map(|limit| limit.at_most), Ok(0));
        for wrong in [
            "",
            "20",
            "/hour",
            "20/",
            "20/hours",
            "20/Hour",
            " 20/hour",
            "20 / hour",
            "+20/hour",
            "-1/hour",
            "2.0/hour",
            "10001/day",
            "99999999999/day",
            "20/hour/day",
            "٢/hour",
        ] {
            assert_eq!(Limit::parse(wrong), Err(InvalidLimit), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_written_is_read_as_that_or_not_at_all(text in "[0-9]{0,7}/?[a-z]{0,7}|.{0,12}") {
            if let Ok(limit) = Limit::parse(&text) {
                let unit = limit.per.map(Window::as_str).unwrap_or_default();
                let (number, window) = text.split_once('/').unwrap();
                prop_assert_eq!(window, unit);
                prop_assert_eq!(number.parse::<u32>().unwrap(), limit.at_most);
            }
        }
    }
}
