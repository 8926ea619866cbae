//! An url-encoded form.
//!
//! Separate from the query only for what a body adds: bytes that are no text, and JSON sent under a form's type, which some
//! vendors read as JSON all the same (it is what `curl -d` and `urllib` send).

use crate::field::Unresolved;
use crate::query::Pairs;

use super::limits::Limits;

/// Read the pairs of a form body.
/// Errors: [`Unresolved`], when the body can be read in more than one way.
pub fn read(body: &[u8], limits: &Limits) -> Result<Pairs, Unresolved> {
    let text = std::str::from_utf8(body).map_err(|_| Unresolved::new("the form is not UTF-8"))?;
    if is_json_like(text) {
        return Err(Unresolved::new(
            "the body is sent as a form and looks like JSON",
        ));
    }
    if text.bytes().filter(|b| *b == b'&').count() >= limits.parts {
        return Err(Unresolved::new("the form has too many fields"));
    }
    Pairs::read(text).map_err(|problem| Unresolved::new(format!("the form holds {problem}")))
}

/// Whether a body under a form's type begins as a JSON object or array does.
pub(crate) fn is_json_like(text: &str) -> bool {
    text.trim_start_matches(|c: char| c == '\u{feff}' || c.is_whitespace())
        .starts_with(['{', '['])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Field;

    #[test]
    fn forms() {
        let read = |body: &[u8]| read(body, &Limits::default());
        assert_eq!(
            read(b"channel=C1&text=a+b").unwrap().value("channel"),
            Field::Present("C1")
        );
        for body in [
            &b"a=%zz"[..],
            b"a=\xff",
            b"{\"a\":1}",
            b" \n[1]",
            "\u{feff}{}".as_bytes(),
        ] {
            assert!(read(body).is_err(), "{body:?}");
        }
        assert!(read("a&".repeat(10_001).as_bytes()).is_err());
    }
}
