//! What sessions and people are called in a store: keyed hashes, so that whoever reads the store without the secret learns no
//! name and cannot try a dictionary.

use ring::hmac;
use toolpass_guard::session::stored::{Place, StoreId};

/// Whose conversation it is: the whole of a session's key.
#[derive(Clone, Copy, Debug)]
pub struct Who<'a> {
    /// The person.
    pub user: &'a str,
    /// The person's groups; none given is another key than no group.
    pub groups: Option<&'a [String]>,
    /// The conversation.
    pub conversation: &'a str,
}

/// Where a store with this secret keeps a session.
pub fn place(store: StoreId, secret: &[u8], who: &Who<'_>) -> Place {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
    let session = parts(who);
    let mut hash_key = [0; 16];
    let made = sign(&key, b"fingerprints", &session);
    for (to, from) in hash_key.iter_mut().zip(made.as_ref()) {
        *to = *from;
    }
    Place {
        store,
        session: hex(sign(&key, b"session", &session).as_ref()).into(),
        person: hex(sign(&key, b"person", &[Some(who.user.as_bytes())]).as_ref()).into(),
        hash_key,
    }
}

fn parts<'w>(who: &Who<'w>) -> Vec<Option<&'w [u8]>> {
    let mut parts = vec![Some(who.user.as_bytes()), Some(who.conversation.as_bytes())];
    match who.groups {
        None => parts.push(None),
        Some(groups) => parts.extend(groups.iter().map(|group| Some(group.as_bytes()))),
    }
    parts
}

/// Each part with its length in front, so that no two lists of parts look alike.
fn sign(key: &hmac::Key, purpose: &[u8], parts: &[Option<&[u8]>]) -> hmac::Tag {
    let mut context = hmac::Context::with_key(key);
    for part in std::iter::once(&Some(purpose)).chain(parts) {
        let length = part.map_or(u64::MAX, |part| part.len() as u64);
        context.update(&length.to_le_bytes());
        context.update(part.unwrap_or_default());
    }
    context.sign()
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().take(16).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_the_key_counts() {
        let groups = |names: &[&str]| {
            names
                .iter()
                .map(|name| (*name).to_owned())
                .collect::<Vec<_>>()
        };
        let (none, one, two, joined) = (
            groups(&[]),
            groups(&["a"]),
            groups(&["a", "b"]),
            groups(&["ab"]),
        );
        let place = |secret: &[u8], user, conversation, groups| {
            let who = Who {
                user,
                groups,
                conversation,
            };
            place(StoreId(1), secret, &who)
        };
        let all = [
            place(b"s", "dana", "id:1", None),
            place(b"t", "dana", "id:1", None),
            place(b"s", "dan", "aid:1", None),
            place(b"s", "dana", "id:2", None),
            place(b"s", "dana", "id:1", Some(none.as_slice())),
            place(b"s", "dana", "id:1", Some(one.as_slice())),
            place(b"s", "dana", "id:1", Some(two.as_slice())),
            place(b"s", "dana", "id:1", Some(joined.as_slice())),
        ];
        for (index, one) in all.iter().enumerate() {
            assert_eq!(one.session.len(), 32);
            assert!(!one.session.contains("dana") && !one.person.contains("dana"));
            for other in all.iter().skip(index + 1) {
                assert_ne!(
                    (&one.session, one.hash_key),
                    (&other.session, other.hash_key)
                );
            }
        }
        assert_eq!(all[0].person, all[3].person);
        assert_ne!(all[0].person, all[1].person);
    }
}
