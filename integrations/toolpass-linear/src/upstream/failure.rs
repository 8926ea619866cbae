//! What an answer of Linear's that is no record means: one place for its statuses and its error types.
//!
//! Linear answers errors with 200 or 400 and a type in `extensions`; rate limiting is a 400. The first error
//! decides. "Not found" is also what Linear says of a private team it hides, so it is never a no.
//! Source: linear/linear `packages/sdk/src/error.ts` (2026-07-22); linear.app/developers "Rate limiting"; read 2026-12-01.

use serde_json::Value;
use toolpass_core::codes::Code;
use toolpass_http::error::Error;
use toolpass_http::json::Json;
use toolpass_http::response::Response;

/// The `data` of an answer; `None` when what was asked for is not there, or hidden from our credential.
/// Errors: what the errors inside mean; `upstream_error` when there is neither data nor an error.
pub fn data(response: &Response) -> Result<Option<Value>, Error> {
    let answer = response.json()?;
    let json = Json::new(&answer);
    let errors = json.member("errors")?;
    let first = errors.map(|errors| errors.array()).transpose()?;
    if let Some(error) = first.and_then(|mut errors| errors.next()) {
        return meaning(error).map_or(Ok(None), Err);
    }
    if response.status != 200 {
        return Err(Error::malformed("Linear answered 400 and gave no error"));
    }
    let data = json
        .member("data")?
        .ok_or_else(|| Error::malformed("Linear's answer has no data"))?;
    if data.value().is_object() {
        Ok(Some(data.value().clone()))
    } else {
        Err(Error::malformed("the data of Linear's answer is no object"))
    }
}

/// Whether an answer says that somebody else was just changing the same thing: asking once more helps.
pub fn is_passing(response: &Response) -> bool {
    let Ok(answer) = response.json() else {
        return false;
    };
    let kind = answer.pointer("/errors/0/extensions/type");
    kind.and_then(Value::as_str)
        .is_some_and(|kind| kind.eq_ignore_ascii_case("lock timeout"))
}

/// Give a failed call its meaning.
pub fn of_status(error: Error) -> Error {
    match error.status() {
        Some(401) => error.recoded(
            Code::CredentialRejected,
            "Linear does not accept the credential: revoked, expired or mistyped",
        ),
        Some(403) => error.recoded(
            Code::CredentialRejected,
            "Linear refuses the credential this read; grant it reading",
        ),
        _ => error,
    }
}

/// What one error of an answer means; `None` when it says that there is no such thing.
fn meaning(error: Json<'_>) -> Option<Error> {
    let read = || -> Result<(String, String), Error> {
        let extensions = error.member("extensions")?;
        let member = |name: &'static str| {
            extensions
                .map(|extensions| extensions.member(name))
                .transpose()
                .map(Option::flatten)
        };
        let text = |json: Option<Json<'_>>| {
            json.map(|json| json.string().map(str::to_ascii_lowercase))
                .transpose()
                .map(Option::unwrap_or_default)
        };
        let (kind, code) = (text(member("type")?)?, text(member("code")?)?);
        let kind = if code == "ratelimited" { code } else { kind };
        Ok((kind, text(error.member("message")?)?))
    };
    let (kind, message) = match read() {
        Ok(read) => read,
        Err(error) => return Some(error),
    };
    match kind.as_str() {
        "ratelimited" => Some(Error::coded(
            Code::UpstreamRateLimited,
            "Linear limits how often the credential may ask",
        )),
        "authentication error" => Some(Error::coded(
            Code::CredentialRejected,
            "Linear does not accept the credential: revoked, expired or mistyped",
        )),
        "forbidden" | "feature not accessible" => Some(Error::coded(
            Code::CredentialRejected,
            "Linear refuses the credential this read",
        )),
        "invalid input" if message.contains("not found") => None,
        _ => Some(Error::malformed("Linear's answer holds an error")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn code(error: Value) -> Option<Code> {
        meaning(Json::new(&error)).map(|error| error.code())
    }

    #[test]
    fn types() {
        let typed = |kind: &str, message: &str| {
            code(json!({"message": message, "extensions": {"type": kind}}))
        };
        assert_eq!(typed("Ratelimited", "x"), Some(Code::UpstreamRateLimited));
        assert_eq!(
            typed("authentication error", "x"),
            Some(Code::CredentialRejected)
        );
        assert_eq!(typed("Forbidden", "x"), Some(Code::CredentialRejected));
        assert_eq!(
            typed("feature not accessible", "x"),
            Some(Code::CredentialRejected)
        );
        // A plan's limit: asking again does not help.
        assert_eq!(
            typed("usage limit exceeded", "x"),
            Some(Code::UpstreamError)
        );
        assert_eq!(typed("invalid input", "Entity not found: Issue"), None);
        // The words alone are not enough: a message may quote what a person wrote.
        assert_eq!(
            typed("other", "Entity not found: Issue"),
            Some(Code::UpstreamError)
        );
        assert_eq!(typed("invalid input", "bad id"), Some(Code::UpstreamError));
        assert_eq!(typed("internal error", "x"), Some(Code::UpstreamError));
        assert_eq!(
            code(json!({"message": "slow down", "extensions": {"code": "RATELIMITED"}})),
            Some(Code::UpstreamRateLimited)
        );
        assert_eq!(code(json!({"message": 7})), Some(Code::UpstreamError));
        assert_eq!(code(json!({"extensions": "x"})), Some(Code::UpstreamError));
        assert_eq!(code(json!({})), Some(Code::UpstreamError));
        assert_eq!(code(json!([])), Some(Code::UpstreamError));
    }
}
