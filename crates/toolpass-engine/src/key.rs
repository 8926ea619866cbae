//! The keys of the engine's caches: one byte string each, unambiguous and cheap to look up borrowed.
//!
//! Every part is preceded by its length, so `["a", "b,c"]` and `["a,b", "c"]` are different keys. Both keys begin with the
//! connection's index and the user, so that either can be forgotten by them.
//!
//! INVARIANT: a key holds a token's digest, never a token.

use std::sync::Arc;

use toolpass_core::question::{Facts, Question};
use toolpass_core::user::Token;
use toolpass_integration::connection::Person;

/// An owned key.
pub(crate) type Key = Arc<[u8]>;

/// What a decision is kept under: connection, user as given, groups, token, action, resource, facts.
/// `groups` are sorted and without repeats.
pub(crate) fn decision<'g>(
    buffer: &mut Vec<u8>,
    connection: u32,
    question: &Question,
    groups: impl Iterator<Item = &'g str>,
) {
    person(
        buffer,
        connection,
        &question.user,
        groups,
        question.token.as_ref(),
    );
    text(buffer, &question.action);
    text(buffer, &question.resource);
    facts(buffer, &question.facts);
}

/// What an account is kept under: connection, user in its one spelling, groups, token.
pub(crate) fn identity(connection: u32, asked: &Person) -> Key {
    let mut buffer = Vec::with_capacity(64);
    let groups = asked.groups.as_slice().iter().map(String::as_str);
    person(
        &mut buffer,
        connection,
        &asked.user.canonical(),
        groups,
        asked.token.as_ref(),
    );
    buffer.into()
}

/// What the visibility of a resource is kept under.
pub(crate) fn resource(connection: u32, resource: &str) -> Key {
    let mut buffer = connection.to_le_bytes().to_vec();
    text(&mut buffer, resource);
    buffer.into()
}

/// Whether a key of [`decision`] or [`identity`] is of this connection and this user, in any spelling of ASCII case.
pub(crate) fn is_of(key: &[u8], connection: Option<u32>, user: Option<&str>) -> bool {
    let Some((index, rest)) = key.split_first_chunk::<4>() else {
        return false;
    };
    let same_connection = connection.is_none_or(|connection| connection.to_le_bytes() == *index);
    same_connection
        && user.is_none_or(|user| {
            first_text(rest).is_some_and(|kept| kept.eq_ignore_ascii_case(user.as_bytes()))
        })
}

fn person<'g>(
    buffer: &mut Vec<u8>,
    connection: u32,
    user: &str,
    groups: impl Iterator<Item = &'g str>,
    token: Option<&Token>,
) {
    buffer.extend_from_slice(&connection.to_le_bytes());
    text(buffer, user);
    for group in groups {
        buffer.push(MORE);
        text(buffer, group);
    }
    buffer.push(END);
    match token {
        Some(token) => {
            buffer.push(MORE);
            buffer.extend_from_slice(&token.digest());
        }
        None => buffer.push(END),
    }
}

fn facts(buffer: &mut Vec<u8>, facts: &Facts) {
    for (name, value) in facts {
        buffer.push(MORE);
        text(buffer, name);
        text(buffer, value);
    }
    buffer.push(END);
}

fn text(buffer: &mut Vec<u8>, text: &str) {
    buffer.extend_from_slice(&(text.len() as u64).to_le_bytes());
    buffer.extend_from_slice(text.as_bytes());
}

fn first_text(bytes: &[u8]) -> Option<&[u8]> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    rest.get(..usize::try_from(u64::from_le_bytes(*length)).ok()?)
}

const END: u8 = 0;
const MORE: u8 = 1;

#[cfg(test)]
mod tests {
    use super::*;

    fn key(groups: &[&str], change: impl FnOnce(&mut Question)) -> Vec<u8> {
        let mut question = Question {
            user: "dana@example.com".into(),
            action: "pr.create".into(),
            resource: "repo:a/b".into(),
            ..Question::default()
        };
        change(&mut question);
        let mut buffer = Vec::new();
        decision(&mut buffer, 1, &question, groups.iter().copied());
        buffer
    }

    #[test]
    fn every_part_of_a_question_counts() {
        let fact = |name: &str, value: &str| {
            let (name, value) = (name.to_owned(), value.to_owned());
            move |question: &mut Question| {
                question.facts.insert(name, value);
            }
        };
        let keys = [
            key(&[], |_| {}),
            key(&["a", "b,c"], |_| {}),
            key(&["a,b", "c"], |_| {}),
            key(&["a"], |_| {}),
            key(&[], |q| q.user = "Dana@example.com".into()),
            key(&[], |q| q.token = Token::parse("t").unwrap()),
            key(&[], |q| q.token = Token::parse("u").unwrap()),
            key(&[], |q| q.action = "pr.creat".into()),
            key(&[], |q| q.resource = "repo:a/c".into()),
            key(&[], fact("k", "v")),
            key(&[], fact("kv", "")),
        ];
        for (index, one) in keys.iter().enumerate() {
            for other in keys.iter().skip(index + 1) {
                assert_ne!(one, other);
            }
        }
    }

    #[test]
    fn keys_are_found_by_connection_and_user() {
        let key = key(&["g"], |q| q.user = "Dana@example.com".into());
        assert!(is_of(&key, None, None));
        assert!(is_of(&key, Some(1), Some("dana@example.com")));
        assert!(!is_of(&key, Some(2), None));
        assert!(!is_of(&key, None, Some("dan@example.com")));
    }
}
