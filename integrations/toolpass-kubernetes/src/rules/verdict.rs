//! One review, read strictly.
//!
//! Separate because every other rule rests on it. `allowed: false` without `denied` is that no authorizer had an opinion, which the
//! server refuses too; so it is a no.
//! Source: k8s.io/api `authorization/v1/types.go`; k8s.io/apiserver `endpoints/filters/authorization.go`; kubeguard/guard
//! `authz/providers/azure` (its words for a user without an object id); read 2026-12-01.

use toolpass_http::error::Error;
use toolpass_http::json::Json;
use toolpass_integration::answers::{Answers, Found, Stop};

use crate::upstream::Read;

/// What the API server says of one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Yes, for this reason.
    Allowed(String),
    /// No, for this reason.
    Denied(String),
    /// It could not be found out, and why.
    Undecided(String),
}

/// The verdict of a review.
/// Errors: [`Stop`]: not asked yet, failed, or an answer of another shape.
pub fn of(read: Read, answers: &Answers<Read>) -> Result<Verdict, Stop<Read>> {
    match answers.record(read, parse)? {
        Found::Here(verdict) => Ok(verdict),
        Found::Missing => Err(Stop::unsupported("the API server knows no access reviews")),
        Found::Forbidden => Err(Stop::unsupported("the token may not create access reviews")),
    }
}

/// Read the answer to a review.
/// Errors: another shape, or one that says both yes and no.
pub fn parse(json: Json<'_>) -> Result<Verdict, Error> {
    let status = json.required("status")?;
    let allowed = status.required("allowed")?.bool()?;
    let denied = match status.member("denied")? {
        Some(denied) => denied.bool()?,
        None => false,
    };
    let text = |name| match status.member(name)? {
        Some(text) => Ok::<_, Error>(shortened(text.string()?)),
        None => Ok(String::new()),
    };
    let (reason, error) = (text("reason")?, text("evaluationError")?);
    match (allowed, denied) {
        (true, true) => Err(Error::malformed("the review says both yes and no")),
        (true, false) => Ok(Verdict::Allowed(reason)),
        (false, _) if reason.contains(NO_OBJECT_ID) => Ok(Verdict::Undecided(
            "the cluster asks Azure, which knows users by an object id that is not sent".to_owned(),
        )),
        (false, true) => Ok(Verdict::Denied(reason)),
        (false, false) if !error.is_empty() => Ok(Verdict::Undecided(format!(
            "the cluster could not evaluate it: {error}"
        ))),
        (false, false) => Ok(Verdict::Denied(reason)),
    }
}

/// At most 200 bytes, no character split.
fn shortened(text: &str) -> String {
    let text = text.trim();
    if text.len() <= MAX_REASON {
        return text.to_owned();
    }
    let end = (0..=MAX_REASON)
        .rev()
        .find(|end| text.is_char_boundary(*end));
    format!(
        "{}…",
        text.get(..end.unwrap_or_default()).unwrap_or_default()
    )
}

const MAX_REASON: usize = 200;
const NO_OBJECT_ID: &str = "Access denied by Azure RBAC for non AAD users";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_long_reason_is_cut_between_characters() {
        let text = "é".repeat(150);
        let short = shortened(&text);
        assert!(
            short.ends_with('…') && short.chars().count() == 101,
            "{short}"
        );
    }

    #[test]
    fn what_each_answer_means() {
        let parsed = |status: serde_json::Value| {
            parse(Json::new(&json!({"status": status}))).map_err(|error| error.code().to_string())
        };
        assert_eq!(
            parsed(json!({"allowed": true})),
            Ok(Verdict::Allowed(String::new()))
        );
        assert_eq!(
            parsed(json!({"allowed": false, "reason": " RBAC: x "})),
            Ok(Verdict::Denied("RBAC: x".into()))
        );
        assert!(matches!(
            parsed(json!({"allowed": false, "evaluationError": "webhook"})),
            Ok(Verdict::Undecided(_))
        ));
        assert!(matches!(
            parsed(json!({"allowed": false, "denied": true, "evaluationError": "webhook"})),
            Ok(Verdict::Denied(_))
        ));
        assert!(matches!(
            parsed(
                json!({"allowed": false, "denied": true, "reason": "Access denied by Azure RBAC for non AAD users. x"})
            ),
            Ok(Verdict::Undecided(_))
        ));
        for wrong in [
            json!({}),
            json!({"allowed": "true"}),
            json!({"allowed": null}),
            json!({"allowed": 1}),
            json!({"allowed": true, "denied": true}),
            json!({"allowed": true, "denied": "false"}),
            json!({"allowed": true, "reason": 7}),
            json!([]),
            json!(null),
        ] {
            assert!(parsed(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
