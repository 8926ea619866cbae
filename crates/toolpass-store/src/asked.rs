//! An operation on a session as a server is asked it: read, bounded, applied, answered.
//!
//! Separate from the JSON of operations because a server is asked one thing more, for the secret of its store, and believes nobody.
//! Limits: names of 128 letters, digits, `-` and `_`; fifty thousand fingerprints at once.

use serde_json::{Value, json};
use toolpass_guard::session::stored::{Operation, Place, StoreId};

use crate::backend::{Backend, StoreError};
use crate::sessions::in_time;
use crate::wire;

/// What a body asks for.
pub struct Wanted(Asked);

enum Asked {
    Apply(Place, Operation),
    Secret([u8; 32]),
}

/// Why a body asks for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotWanted {
    /// It is larger than one may be.
    #[error("the operation is larger than one may be")]
    Large,
    /// It is none.
    #[error(
        "the body is no operation on a session: expected an object whose `op` is get, mark, matches, record, release or reserve, with the members of that operation"
    )]
    Unreadable,
}

impl Wanted {
    /// Read a body about the session of this name.
    /// Errors: [`NotWanted`].
    pub fn read(session: &str, body: &[u8]) -> Result<Wanted, NotWanted> {
        if let Ok(asked) = serde_json::from_slice::<SecretForm>(body) {
            let fresh = bytes_of(&asked.fresh).filter(|_| asked.op == "secret");
            return fresh
                .map(|fresh| Wanted(Asked::Secret(fresh)))
                .ok_or(NotWanted::Unreadable);
        }
        let request = serde_json::from_slice(body).map_err(|_| NotWanted::Unreadable)?;
        let (operation, person) = wire::operation(request).ok_or(NotWanted::Unreadable)?;
        let person = person.unwrap_or_else(|| NOBODY.into());
        if !is_within(&operation) || !is_name(&person) {
            return Err(NotWanted::Large);
        }
        let place = Place {
            store: StoreId(0),
            session: session.into(),
            person: person.into(),
            hash_key: [0; 16],
        };
        Ok(Wanted(Asked::Apply(place, operation)))
    }

    /// Do it.
    /// Errors: [`StoreError`].
    pub async fn apply(&self, store: &dyn Backend) -> Result<Value, StoreError> {
        match &self.0 {
            Asked::Apply(place, operation) => {
                let answer = in_time(store.apply(place, operation)).await?;
                Ok(wire::reply(&answer))
            }
            Asked::Secret(fresh) => {
                let secret = in_time(store.secret(*fresh)).await?;
                Ok(json!({"secret": hex(&secret)}))
            }
        }
    }
}

/// The secret of the store: the one that is kept, else `fresh`, which is kept from now on.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct SecretForm {
    op: String,
    fresh: String,
}

fn is_within(operation: &Operation) -> bool {
    match operation {
        Operation::Get | Operation::Mark(_) => true,
        Operation::Matches(prints) => prints.len() <= MAX_PRINTS,
        Operation::Record {
            prints, capacity, ..
        } => prints.len() <= MAX_PRINTS && *capacity <= MAX_CAPACITY,
        Operation::Release(tickets) => tickets.len() <= MAX_KEYS,
        Operation::Reserve { caps, .. } => caps.len() <= MAX_KEYS,
    }
}

/// Whether a text can name a session.
pub fn is_name(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !text.is_empty() && text.len() <= MAX_NAME && text.bytes().all(plain)
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

pub(crate) fn bytes_of(hex: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if hex.len() != 64 || !hex.is_ascii() {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(hex.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(bytes)
}

/// Whose windows an operation touches that touches none.
const NOBODY: &str = "nobody";
const MAX_CAPACITY: usize = 10_000_000;
const MAX_KEYS: usize = 1000;
const MAX_NAME: usize = 128;
const MAX_PRINTS: usize = 50_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies() {
        let secret = format!(r#"{{"op":"secret","fresh":"{}"}}"#, "0f".repeat(32));
        for body in [
            r#"{"op":"get"}"#,
            r#"{"op":"mark","untrusted":true,"private":false}"#,
            r#"{"op":"matches","hashes":[1,18446744073709551615]}"#,
            r#"{"op":"record","of":"outside","hashes":[1],"capacity":10}"#,
            &secret,
        ] {
            assert!(Wanted::read("a1", body.as_bytes()).is_ok(), "{body}");
        }
        for body in [
            "",
            "{}",
            "null",
            r#"{"op":"forget"}"#,
            r#"{"op":"get","op":"get"}"#,
            r#"{"op":"get","more":1}"#,
            r#"{"op":"mark","untrusted":true}"#,
            r#"{"op":"matches","hashes":[-1]}"#,
            r#"{"op":"record","of":"outside","hashes":[1],"capacity":10000001}"#,
            r#"{"op":"release","person":"a b","tickets":[]}"#,
            r#"{"op":"secret","fresh":"00"}"#,
            r#"{"op":"get"} {"op":"get"}"#,
        ] {
            assert!(Wanted::read("a1", body.as_bytes()).is_err(), "{body}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_body_panics(body in proptest::collection::vec(proptest::num::u8::ANY, 0..120)) {
            let _ = Wanted::read("a", &body);
        }
    }
}
