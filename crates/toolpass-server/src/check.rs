//! `/check`: one question, answered as it always was.

use futures_util::future::{BoxFuture, FutureExt};
use http::StatusCode;
use toolpass_core::codes::Code;
use toolpass_core::question::{Freshness, Question};
use toolpass_core::user::Token;

use crate::exchange::Asked;
use crate::members::{Members, Names, json};
use crate::reply::{Form, Reply};

/// Answer `/check`.
pub(crate) fn plain(asked: Asked) -> BoxFuture<'static, Reply> {
    async move {
        match question(&asked.body) {
            Ok(question) => match asked.ask(question).await {
                Ok(decision) => Reply::decision(&decision),
                Err(refused) => refused.reply(Form::Decision),
            },
            Err(text) => Reply::wrong(
                Form::Decision,
                StatusCode::BAD_REQUEST,
                Code::InvalidRequest,
                &text,
            ),
        }
    }
    .boxed()
}

/// The question of a body.
/// Errors: what is wrong with it.
fn question(body: &[u8]) -> Result<Question, String> {
    let mut members = Members::of("the request", json(body)?, FIELDS, Names::AnyCase)?;
    let mut question = person(&mut members)?;
    question.freshness = Freshness {
        fresh: members.flag("fresh")?,
        max_age: None,
    };
    Ok(question)
}

/// The members that every form of a question has.
/// Errors: what is wrong with one of them.
pub(crate) fn person(members: &mut Members) -> Result<Question, String> {
    let token = members.text("token")?;
    Ok(Question {
        user: members.text("user")?,
        groups: members.texts("groups")?,
        token: Token::parse(&token).map_err(|error| format!("token: {error}"))?,
        connection: members.text("connection")?,
        action: members.text("action")?,
        resource: members.text("resource")?,
        ..Question::default()
    })
}

const FIELDS: &[&str] = &[
    "action",
    "connection",
    "fresh",
    "groups",
    "resource",
    "token",
    "user",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies() {
        let read = |body: &[u8]| question(body).unwrap();
        let whole = read(
            br#"{"user":"a@b","connection":"c","action":"x","resource":"r:1","groups":["g",null],"fresh":true,"token":"t"}"#,
        );
        assert_eq!(
            (whole.user.as_str(), whole.connection.as_str()),
            ("a@b", "c")
        );
        assert_eq!(
            (whole.action.as_str(), whole.resource.as_str()),
            ("x", "r:1")
        );
        assert_eq!(whole.groups, ["g", ""]);
        assert!(whole.freshness.fresh && whole.token.is_some());
        for body in [
            "null",
            "{}",
            " {\"user\":null,\"groups\":null,\"fresh\":null,\"token\":\"\"}\n",
        ] {
            let read = read(body.as_bytes());
            assert_eq!(read.user, "", "{body}");
            assert!(read.groups.is_empty() && !read.freshness.fresh && read.token.is_none());
        }
        assert_eq!(read(br#"{"USER":"a","rEsource":"r"}"#).user, "a");
        assert_eq!(
            read(b"{\"user\":\"a\xffb\\ud800\"}").user,
            "a\u{fffd}b\u{fffd}"
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (body, expected) in [
            ("", "the body is empty"),
            (" \n", "the body is empty"),
            ("{", "syntax error at byte 1"),
            ("{\"user\":NaN}", "syntax error at byte 8"),
            ("{\"user\":'a'}", "syntax error"),
            ("{} {}", "more data at byte 3"),
            ("{}x", "more data at byte 2"),
            ("[]", "the request is a list, expected an object"),
            ("\"x\"", "the request is a string"),
            ("{\"usr\":1}", "unknown field \"usr\""),
            ("{\"u\u{17f}er\":\"a\"}", "unknown field"),
            (
                "{\"user\":\"a\",\"user\":\"a\"}",
                "the field \"user\" is given twice",
            ),
            (
                "{\"User\":\"a\",\"user\":\"a\"}",
                "the field \"user\" is given twice",
            ),
            (
                "{\"user\":1}",
                "the field \"user\" of the request is or holds a number, expected a string",
            ),
            (
                "{\"groups\":\"g\"}",
                "\"groups\" of the request is or holds a string, expected a list of strings",
            ),
            (
                "{\"groups\":[1]}",
                "\"groups\" of the request is or holds a number, expected only strings",
            ),
            (
                "{\"fresh\":\"true\"}",
                "\"fresh\" of the request is or holds a string, expected true or false",
            ),
            ("{\"fresh\":1}", "\"fresh\""),
            ("{\"token\":\"a b\"}", "token"),
        ] {
            let found = question(body.as_bytes()).unwrap_err();
            assert!(found.contains(expected), "{body}: {found}");
        }
        let deep = format!("{{\"user\":{}1{}}}", "[".repeat(60_000), "]".repeat(60_000));
        assert_eq!(
            question(deep.as_bytes()).unwrap_err(),
            "the body is nested deeper than 32"
        );
    }

    proptest::proptest! {
        #[test]
        fn no_body_panics(body in proptest::collection::vec(proptest::num::u8::ANY, 0..120)) {
            let _ = question(&body);
        }
    }
}
