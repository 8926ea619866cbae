//! One value held against one key: the same for top-level, common and integrations' keys, for file and code.

use std::path::{Path, PathBuf};
use std::time::Duration;

use toolpass_core::duration;
use toolpass_core::secret::SecretRef;
use toolpass_http::tls::CaMode;
use toolpass_integration::fields::{Key, KeyKind, Value};

use crate::config::{CallerGroups, LogMask};
use crate::near::{hint, listed};
use crate::raw::Input;
use crate::url;

/// Where a configuration comes from, as far as values depend on it.
#[derive(Clone, Copy)]
pub(crate) struct Origin<'a> {
    /// What relative paths start from: the file's folder; in code, the working directory.
    pub(crate) folder: &'a Path,
    /// Whether it is the code form.
    pub(crate) in_code: bool,
}

/// Whether an empty text is a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Empty {
    Accepted,
    Refused,
}

/// Hold a value against its key.
/// Errors: what is accepted, as text that follows "`key`: ".
pub(crate) fn validated(
    origin: Origin<'_>,
    key: &Key,
    input: &Input,
    empty: Empty,
) -> Result<Value, String> {
    match (input, key.kind) {
        (Input::Nested, KeyKind::Text) if key.help.contains("separated by commas") => Err(
            "expected one text, separated by commas, as in `a, b`; not a list, a mapping or an alias"
                .into(),
        ),
        (Input::Nested, _) => {
            Err("expected a plain value, not a list, a mapping or an alias".into())
        }
        (Input::Null, _) => Err("the value is empty; leave the key out or give it one".into()),
        (Input::Code(code), KeyKind::Code) => Ok(Value::Code(code.clone())),
        (_, KeyKind::Code) if origin.in_code => {
            Err("expected a value of code such as a callable, not a text or a secret".into())
        }
        (_, KeyKind::Code) => Err("it can only be given in code".into()),
        (Input::Code(_), KeyKind::Secret) => {
            Err("expected a secret or a reference such as `env:NAME`".into())
        }
        (Input::Code(_), _) => Err("expected a text, a number or a boolean".into()),
        (Input::Secret(secret), KeyKind::Secret) => Ok(Value::Secret(secret.clone())),
        (Input::Secret(_), _) => Err("this key holds no secret; pass a plain string".into()),
        (Input::Text(text), _) if text.chars().any(is_stray) => {
            Err("the value holds a control character".into())
        }
        (Input::Text(text), KeyKind::Secret) => secret(origin, text).map(Value::Secret),
        (Input::Text(text), _) if text.is_empty() && empty == Empty::Refused => {
            Err("the value is empty; leave the key out or give it one".into())
        }
        (Input::Text(text), kind) => plain(origin, key, kind, text).map(Value::Text),
    }
}

/// A secret reference, its path made absolute.
fn secret(origin: Origin<'_>, text: &str) -> Result<SecretRef, String> {
    match SecretRef::parse(text).map_err(|error| error.to_string())? {
        SecretRef::File(path) => Ok(SecretRef::File(origin.folder.join(path))),
        other => Ok(other),
    }
}

fn plain(origin: Origin<'_>, key: &Key, kind: KeyKind, text: &str) -> Result<String, String> {
    if !key.one_of.is_empty() && !key.one_of.contains(&text) {
        let names = || key.one_of.iter().copied();
        return Err(format!(
            "expected {}{}",
            listed(names(), "or"),
            hint(text, names())
        ));
    }
    let text = match kind {
        KeyKind::File => existing_file(origin, text)?,
        KeyKind::Url => url::normalised(text)?,
        KeyKind::Connection(_) if !is_id(text) => {
            return Err("expected the id of a connection".into());
        }
        KeyKind::Code | KeyKind::Connection(_) | KeyKind::Secret | KeyKind::Text => text.into(),
    };
    match key.check {
        Some(check) => check(&text).map(|()| text),
        None => Ok(text),
    }
}

fn existing_file(origin: Origin<'_>, text: &str) -> Result<String, String> {
    let path: PathBuf = origin.folder.join(text);
    match std::fs::metadata(&path) {
        Ok(found) if found.is_dir() => Err("expected a file, found a directory".into()),
        Ok(_) => path
            .into_os_string()
            .into_string()
            .map_err(|_| "expected a path that is readable as UTF-8".into()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err("there is no such file".into())
        }
        Err(_) => Err("the file cannot be looked at".into()),
    }
}

/// Seconds, whole or with a fraction, or a duration with units.
/// Errors: what is accepted.
pub(crate) fn seconds(text: &str, most: Duration) -> Result<Duration, String> {
    let accepted = || {
        format!(
            "expected whole seconds from 0 to {}, or a duration up to {}",
            most.as_secs(),
            duration::shown(most)
        )
    };
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = unsigned.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        && unsigned.bytes().any(|b| b.is_ascii_digit());
    let parsed = if is_number {
        duration::parse(&format!("{text}s"))
    } else {
        duration::parse(text)
    };
    parsed
        .ok()
        .filter(|parsed| *parsed <= most)
        .ok_or_else(accepted)
}

/// The budget of a check.
/// Errors: what is accepted.
pub(crate) fn timeout(text: &str) -> Result<Duration, String> {
    let parsed = duration::parse(text).map_err(|error| error.to_string())?;
    if parsed.is_zero() || parsed > MAX_TIMEOUT {
        return Err("expected a duration of more than 0 and at most 5m".into());
    }
    Ok(parsed)
}

/// A number of checks at once.
/// Errors: what is accepted.
pub(crate) fn concurrency(text: &str) -> Result<usize, String> {
    let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let parsed = text
        .parse()
        .ok()
        .filter(|count| is_number && (1..=1000).contains(count));
    parsed.ok_or_else(|| "expected a whole number from 1 to 1000".into())
}

/// A switch.
/// Errors: what is accepted.
pub(crate) fn flag(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "1" => Ok(true),
        "false" | "no" | "0" => Ok(false),
        _ => Err("expected `true` or `false`".into()),
    }
}

/// What to do with groups the caller sends.
/// Errors: what is accepted.
pub(crate) fn caller_groups(text: &str) -> Result<CallerGroups, String> {
    match text {
        "accept" => Ok(CallerGroups::Accept),
        "ignore" => Ok(CallerGroups::Ignore),
        "refuse" => Ok(CallerGroups::Refuse),
        _ => Err("expected `accept`, `ignore` or `refuse`".into()),
    }
}

/// What lines of the decision log do not tell.
/// Errors: what is accepted.
pub(crate) fn log_mask(text: &str) -> Result<LogMask, String> {
    let mut mask = LogMask::default();
    for name in text.split(',') {
        match name.trim() {
            "groups" => mask.groups = true,
            "remote" => mask.remote = true,
            "user" => mask.user = true,
            _ => {
                return Err(
                    "expected some of `user`, `groups`, `remote`, separated by commas".into(),
                );
            }
        }
    }
    Ok(mask)
}

/// What own certificates do to the system's.
/// Errors: what is accepted.
pub(crate) fn ca_mode(text: &str) -> Result<CaMode, String> {
    match text {
        "add" => Ok(CaMode::Add),
        "replace" => Ok(CaMode::Replace),
        _ => Err("expected `replace` or `add`".into()),
    }
}

fn is_stray(c: char) -> bool {
    c.is_control() && !matches!(c, '\t' | '\n' | '\r')
}

/// Whether a text is a connection's id: `^[a-z0-9][a-z0-9-]{0,63}$`.
pub(crate) fn is_id(text: &str) -> bool {
    let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    text.len() <= 64
        && text.bytes().next().is_some_and(fits)
        && text.bytes().all(|b| fits(b) || b == b'-')
}

const MAX_TIMEOUT: Duration = Duration::from_secs(300);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_numbers_or_durations() {
        let most = Duration::from_secs(3600);
        for (text, ms) in [
            ("30", 30_000),
            ("+5", 5_000),
            ("007", 7_000),
            ("0", 0),
            ("-0", 0),
            ("3600", 3_600_000),
            ("2.5", 2_500),
            ("30s", 30_000),
            ("1h", 3_600_000),
        ] {
            assert_eq!(seconds(text, most), Ok(Duration::from_millis(ms)), "{text}");
        }
        for text in [
            "",
            "-1",
            "3601",
            "0x10",
            "1_0",
            "1e3",
            " 5",
            "5 ",
            "٣",
            ".",
            "1h1s",
            "30 s",
            "never",
            "99999999999999999999",
        ] {
            assert!(seconds(text, most).is_err(), "{text:?}");
        }
    }

    #[test]
    fn timeouts_are_positive_and_at_most_five_minutes() {
        assert_eq!(timeout("5m"), Ok(MAX_TIMEOUT));
        assert_eq!(timeout("250ms"), Ok(Duration::from_millis(250)));
        for text in ["0", "0s", "-1s", "5m0.000000001s", "10", "1 s", "soon"] {
            assert!(timeout(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_switches_and_ids() {
        assert_eq!((concurrency("32"), concurrency("1000")), (Ok(32), Ok(1000)));
        for text in ["0", "1001", "+5", "-1", "1.0", ""] {
            assert!(concurrency(text).is_err(), "{text}");
        }
        assert_eq!(
            (flag("YES"), flag("0"), flag("true")),
            (Ok(true), Ok(false), Ok(true))
        );
        assert!(flag("on").is_err() && flag("").is_err());
        for (text, fits) in [
            ("a", true),
            ("0-a", true),
            ("-a", false),
            ("A", false),
            ("a_b", false),
            ("", false),
            ("a\n", false),
        ] {
            assert_eq!(is_id(text), fits, "{text:?}");
        }
        assert!(is_id(&"a".repeat(64)) && !is_id(&"a".repeat(65)));
    }
}
