//! A question, from flags or from a line of JSON.
//!
//! Shared by one check and by many, so that both read the same things in the same way. A secret is named by a reference, never given.

use std::time::Duration;

use serde::Deserialize;
use toolpass_core::duration;
use toolpass_core::question::{Freshness, Question};
use toolpass_core::secret::SecretRef;
use toolpass_core::user::Token;

use crate::arguments::Arguments;
use crate::exit::Stop;

/// The question of the flags, whether or not anything is missing.
/// Errors: `-max-age` is no duration; `-token` is no reference, or what it names cannot be read.
pub(crate) fn of_flags(arguments: &Arguments) -> Result<Question, Stop> {
    let text = |flag| arguments.value(flag).unwrap_or_default().to_owned();
    let max_age = match arguments.value("max-age") {
        Some(given) => Some(duration::parse(given).map_err(|_| {
            Stop::Usage("-max-age: expected a duration, such as `30s` or `0`".into())
        })?),
        None => None,
    };
    let token = match arguments.value("token") {
        Some(reference) => token(reference).map_err(|why| match why {
            NoToken::Reference => Stop::Usage(format!("-token: {why}")),
            NoToken::Unreadable(_) => Stop::Failed(format!("-token: {why}")),
        })?,
        None => None,
    };
    Ok(Question {
        user: text("user"),
        groups: arguments.all("group").map(str::to_owned).collect(),
        token,
        connection: text("connection"),
        action: text("action"),
        resource: text("resource"),
        freshness: Freshness {
            fresh: arguments.is_on("fresh"),
            max_age,
        },
        ..Question::default()
    })
}

/// The question of a line of JSON; what it does not say is as in `otherwise`.
/// Errors: what is wrong with the line, without any of it.
pub(crate) fn of_line(line: &str, otherwise: &Question) -> Result<Question, String> {
    let said: Line = serde_json::from_str(line).map_err(|error| {
        format!(
            "expected a JSON object with `user`, `connection`, `action`, `resource` and perhaps `groups`, `fresh`, `max_age` and `token` (column {})",
            error.column()
        )
    })?;
    let age = |seconds: f64| {
        Duration::try_from_secs_f64(seconds)
            .map_err(|_| "`max_age`: expected seconds of at least 0".to_owned())
    };
    let or = |said: Option<String>, own: &String| said.unwrap_or_else(|| own.clone());
    Ok(Question {
        user: or(said.user, &otherwise.user),
        groups: said.groups.unwrap_or_else(|| otherwise.groups.clone()),
        token: match said.token {
            Some(reference) => token(&reference).map_err(|why| format!("`token`: {why}"))?,
            None => otherwise.token.clone(),
        },
        connection: or(said.connection, &otherwise.connection),
        action: or(said.action, &otherwise.action),
        resource: or(said.resource, &otherwise.resource),
        freshness: Freshness {
            fresh: said.fresh.unwrap_or(otherwise.freshness.fresh),
            max_age: match said.max_age {
                Some(seconds) => Some(age(seconds)?),
                None => otherwise.freshness.max_age,
            },
        },
        ..Question::default()
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    user: Option<String>,
    connection: Option<String>,
    action: Option<String>,
    resource: Option<String>,
    groups: Option<Vec<String>>,
    fresh: Option<bool>,
    max_age: Option<f64>,
    token: Option<String>,
}

/// Why there is no token.
enum NoToken {
    Reference,
    Unreadable(String),
}

impl std::fmt::Display for NoToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            NoToken::Reference => {
                "expected `env:NAME` or `file:PATH`; the token itself is not accepted"
            }
            NoToken::Unreadable(why) => why,
        })
    }
}

fn token(reference: &str) -> Result<Option<Token>, NoToken> {
    let reference = SecretRef::parse(reference).map_err(|_| NoToken::Reference)?;
    let secret = toolpass_http::secrets::read(&reference)
        .map_err(|error| NoToken::Unreadable(error.to_string()))?;
    let text = secret.expose_str().unwrap_or("\u{fffd}");
    Token::parse(text).map_err(|error| NoToken::Unreadable(error.to_string()))
}
