//! Durations as a person writes them: `8s`, `1m30s`, `250ms`.
//!
//! Grammar: an optional sign, then one or more of number and unit, without spaces. A number is digits with an optional
//! fraction (`1.5`, `.5`, `5.`), a unit one of `ns us µs μs ms s m h`; `0` alone needs no unit. The value is exact to the
//! nanosecond, cut off below, and fits 64 bits.
//! Source: the duration syntax of Go's `time.ParseDuration`.

use std::fmt::Write as _;
use std::time::Duration;

/// Why a text is no duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidDuration {
    /// Below zero where only a length makes sense.
    #[error("expected a duration that is not negative")]
    Negative,
    /// More nanoseconds than 64 bits hold.
    #[error("the duration is longer than 292 years")]
    Overflow,
    /// Not numbers with units.
    #[error("expected a duration such as `8s`, `1m30s` or `250ms`")]
    Shape,
}

/// Read a duration that is not negative.
/// Errors: [`InvalidDuration`].
pub fn parse(text: &str) -> Result<Duration, InvalidDuration> {
    let nanos = parse_nanos(text)?;
    u64::try_from(nanos)
        .map(Duration::from_nanos)
        .map_err(|_| InvalidDuration::Negative)
}

/// Read a signed duration.
/// Units: nanoseconds.
/// Errors: [`InvalidDuration::Shape`], [`InvalidDuration::Overflow`].
pub fn parse_nanos(text: &str) -> Result<i64, InvalidDuration> {
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(InvalidDuration::Shape);
    }
    let mut total: i128 = 0;
    while !rest.is_empty() {
        let (nanos, after) = leading_part(rest)?;
        total = total.checked_add(nanos).ok_or(InvalidDuration::Overflow)?;
        rest = after;
    }
    i64::try_from(if negative { -total } else { total }).map_err(|_| InvalidDuration::Overflow)
}

/// Write a duration so that it reads back as itself: whole hours, minutes and seconds from a second on (`1m30s`, `1.5s`), one
/// smaller unit below (`250ms`).
pub fn shown(duration: Duration) -> String {
    let nanos = duration.as_nanos();
    if nanos == 0 {
        return "0s".into();
    }
    if nanos < 1_000_000_000 {
        let (unit, name) = if nanos < 1_000 {
            (1, "ns")
        } else if nanos < 1_000_000 {
            (1_000, "µs")
        } else {
            (1_000_000, "ms")
        };
        return with_fraction(nanos, unit) + name;
    }
    let (hours, minutes, rest) = (nanos / HOUR, nanos % HOUR / MINUTE, nanos % MINUTE);
    let mut out = String::new();
    for (count, name) in [(hours, 'h'), (minutes, 'm')] {
        if count > 0 {
            let _ = write!(out, "{count}{name}");
        }
    }
    if rest > 0 {
        out.push_str(&with_fraction(rest, 1_000_000_000));
        out.push('s');
    }
    out
}

/// The nanoseconds of the first number and unit, and what follows them.
fn leading_part(text: &str) -> Result<(i128, &str), InvalidDuration> {
    let (whole, rest) = digits(text);
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(rest) => digits(rest),
        None => ("", rest),
    };
    if whole.is_empty() && fraction.is_empty() {
        return Err(InvalidDuration::Shape);
    }
    let name_end = rest
        .find(|c: char| c == '.' || c.is_ascii_digit())
        .unwrap_or(rest.len());
    let (name, rest) = rest.split_at(name_end);
    let unit = UNITS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, unit)| *unit)
        .ok_or(InvalidDuration::Shape)?;
    let mut nanos: i128 = 0;
    for digit in whole.bytes().map(value_of) {
        nanos = nanos
            .checked_mul(10)
            .and_then(|n| n.checked_add(digit))
            .ok_or(InvalidDuration::Overflow)?;
    }
    nanos = nanos.checked_mul(unit).ok_or(InvalidDuration::Overflow)?;
    // Cutting off at each digit, last first, is cutting off the exact product once.
    let part = fraction
        .bytes()
        .rev()
        .map(value_of)
        .fold(0, |part, digit| (digit * unit + part) / 10);
    Ok((
        nanos.checked_add(part).ok_or(InvalidDuration::Overflow)?,
        rest,
    ))
}

fn digits(text: &str) -> (&str, &str) {
    text.split_at(
        text.find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len()),
    )
}

fn value_of(digit: u8) -> i128 {
    i128::from(digit.saturating_sub(b'0'))
}

/// `nanos` counted in `unit`, with as many decimals as it needs.
fn with_fraction(nanos: u128, unit: u128) -> String {
    let mut out = (nanos / unit).to_string();
    let mut rest = nanos % unit;
    if rest > 0 {
        out.push('.');
    }
    let mut unit = unit;
    while rest > 0 {
        unit /= 10;
        let _ = write!(out, "{}", rest / unit);
        rest %= unit;
    }
    out
}

const HOUR: u128 = 3_600_000_000_000;
const MINUTE: u128 = 60_000_000_000;

/// Each unit in nanoseconds. Micro is written with either of its two characters, U+00B5 and U+03BC.
const UNITS: [(&str, i128); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("\u{b5}s", 1_000),
    ("\u{3bc}s", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", MINUTE as i128),
    ("h", HOUR as i128),
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn texts_and_their_nanoseconds() {
        for (text, nanos) in [
            ("0", 0),
            ("-0", 0),
            ("+0", 0),
            ("8s", 8_000_000_000),
            ("1m30s", 90_000_000_000),
            ("250ms", 250_000_000),
            ("1.5h", 5_400_000_000_000),
            (".5s", 500_000_000),
            ("5.s", 5_000_000_000),
            ("1us", 1_000),
            ("1µs", 1_000),
            ("1μs", 1_000),
            ("-1.5s", -1_500_000_000),
            ("+7ns", 7),
            ("1h1h", 7_200_000_000_000),
            ("5m0.000000001s", 300_000_000_001),
            ("0.3333333333333333333h", 1_199_999_999_999),
            (
                "1.00000000000000000000000000000000000000000000000009s",
                1_000_000_000,
            ),
            ("9223372036854775807ns", i64::MAX),
            ("-9223372036854775808ns", i64::MIN),
        ] {
            assert_eq!(parse_nanos(text), Ok(nanos), "{text}");
        }
    }

    #[test]
    fn texts_that_are_no_durations() {
        for text in [
            "", "+", "-", ".", ".s", "3", "5x", "1 s", " 1s", "1s ", "1e3s", "--1s", "1S", "s",
            "1m30", "0x1s", "٣s", "1s\n",
        ] {
            assert_eq!(parse_nanos(text), Err(InvalidDuration::Shape), "{text:?}");
        }
        for text in [
            "9223372036854775808ns",
            "3000000h",
            &format!("{}s", "9".repeat(60)),
        ] {
            assert_eq!(parse_nanos(text), Err(InvalidDuration::Overflow), "{text}");
        }
        assert_eq!(parse("-1ns"), Err(InvalidDuration::Negative));
    }

    #[test]
    fn printed_forms() {
        for (nanos, text) in [
            (0, "0s"),
            (8_000_000_000, "8s"),
            (90_000_000_000, "1m30s"),
            (250_000_000, "250ms"),
            (300_000_000_000, "5m"),
            (300_000_000_001, "5m0.000000001s"),
            (3_600_000_000_000, "1h"),
            (1_500, "1.5µs"),
            (1_500_000_000, "1.5s"),
            (7, "7ns"),
        ] {
            assert_eq!(shown(Duration::from_nanos(nanos)), text);
        }
    }

    proptest! {
        #[test]
        fn never_panics(text in "[-+]?([0-9.]{0,30}(ns|us|ms|s|m|h|µs)?){0,4}|\\PC{0,20}") {
            let _ = parse_nanos(&text);
        }

        #[test]
        fn what_is_printed_reads_back(nanos in 0..i64::MAX as u64) {
            let duration = Duration::from_nanos(nanos);
            prop_assert_eq!(parse(&shown(duration)), Ok(duration));
        }
    }
}
