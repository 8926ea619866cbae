//! Which method a request really has.
//!
//! Separate because a server may take the method from a header, the query or the body instead of the first line, and a request
//! that says so in any of those places is refused, never judged by its first line.
//! SOURCE: RFC 9110 section 9; the overrides are those of Rack, Symfony, Laravel, Express and the Google APIs.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use crate::body::form;
use crate::field::Unresolved;
use crate::headers::is_token;
use crate::json::Json;
use crate::query::{Pairs, folds_to, reads_as};

/// Headers that name another method, also when they are empty.
pub(crate) const OVERRIDE_HEADERS: [&str; 3] = [
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
];

/// The method in upper case.
pub(crate) fn canonical(method: &str) -> Cow<'static, str> {
    match KNOWN
        .iter()
        .find(|known| method.eq_ignore_ascii_case(known))
    {
        Some(known) => Cow::Borrowed(known),
        None => Cow::Owned(method.to_ascii_uppercase()),
    }
}

/// Why no request may have this method.
pub(crate) fn problem(method: &str) -> Option<Unresolved> {
    match method {
        "CONNECT" | "TRACE" => Some(Unresolved::new(format!("the method is {method}"))),
        _ if is_token(method) => None,
        _ => Some(Unresolved::new("the method is no token")),
    }
}

/// Why a request with these headers, this query or this body has another method than it says.
pub(crate) fn overridden(place: &str) -> Unresolved {
    Unresolved::new(format!("the request overrides its method in {place}"))
}

/// Whether a query or form overrides the method.
pub(crate) fn is_in_pairs(pairs: &Pairs) -> bool {
    pairs.names(FIELD)
}

/// Whether a JSON body overrides the method.
pub(crate) fn is_in_json(json: &Json) -> bool {
    json.as_object()
        .is_some_and(|members| members.iter().any(|(key, _)| folds_to(key, FIELD)))
}

/// Whether a body that is sent as a form and looks like JSON might override the method, read as either. It does not when it is
/// strict JSON without that key and no piece of it between separators has that name.
pub(crate) fn may_be_in_json_sent_as_form(body: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(body) else {
        return true;
    };
    let as_json = form::is_json_like(text)
        .then(|| Json::parse(body))
        .and_then(Result::ok);
    as_json.is_none_or(|json| is_in_json(&json)) || is_in_text_as_form(text)
}

/// Whether a piece of text between separators has the name, read as the most forgiving form reader does.
pub(crate) fn is_in_text_as_form(text: &str) -> bool {
    text.split(['&', ';']).any(|piece| {
        let name = piece.split('=').next().unwrap_or(piece).replace('+', " ");
        reads_as(&percent_decode_str(&name).decode_utf8_lossy(), FIELD)
    })
}

const FIELD: &str = "_method";

const KNOWN: [&str; 8] = [
    "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "QUERY",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods() {
        for (given, expected) in [
            ("get", "GET"),
            ("Patch", "PATCH"),
            ("PROPFIND", "PROPFIND"),
            ("purge", "PURGE"),
        ] {
            assert_eq!(canonical(given), expected);
            assert_eq!(problem(&canonical(given)), None);
        }
        for refused in ["CONNECT", "trace", "", "GET ", "GET\r\n", "GÉT", "G(T"] {
            assert!(problem(&canonical(refused)).is_some(), "{refused:?}");
        }
    }

    #[test]
    fn json_sent_as_a_form_is_looked_at_both_ways() {
        for body in [
            r#"{"title":"100% \"a\""}"#,
            r#"{"title":"a&b;c=_method"}"#,
            "[1]",
            r#"{"x":{"_method":"kept for the vendor's own nesting"}}"#,
        ] {
            assert!(!may_be_in_json_sent_as_form(body.as_bytes()), "{body}");
        }
        for body in [
            r#"{"_method":"DELETE"}"#,
            r#"{"_METHOD":"DELETE"}"#,
            r#"{"\u005fmethod":"DELETE"}"#,
            r#"{"a":1}&_method=DELETE"#,
            r#"{"a":"&_method=DELETE&"}"#,
            r#"{"a":"&%5Fmethod=DELETE&"}"#,
            r#"{"a":";_method[]=DELETE&"}"#,
            r#"{"a":1,"a":2}"#,
            "{",
            "a=1",
            "\u{ff}",
        ] {
            assert!(may_be_in_json_sent_as_form(body.as_bytes()), "{body}");
        }
        assert!(may_be_in_json_sent_as_form(b"{\xff}"));
    }
}
