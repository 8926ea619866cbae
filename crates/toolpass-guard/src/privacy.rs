//! What private data a session has read, and who may read it: which audience is narrow enough.
//!
//! Readers and members of an audience are texts: an e-mail in the core's one form, anything else as it stands. Only keyed hashes of
//! them are kept. Whoever the session is for may read everything it has read. Separate from [`crate::exfiltration`], which says
//! when any of this matters.
//! INVARIANT: memory is bounded, and what no longer fits makes the readers fewer, never more.

use toolpass_core::resource::Resource;
use toolpass_core::user::User;

use crate::taint::key::HashKey;
use crate::taint::record::{Argument, Reader, Record, Tokens};

/// How many readers or members of an audience one call may name.
pub const MAX_NAMED: usize = 100_000;

/// How many sources of private data are told apart.
const MAX_SOURCES: usize = 16;

/// How many resources that were read are remembered.
pub(crate) const MAX_READ: usize = 256;

/// How many fingerprints of private text are kept, to say which argument repeats it.
const MAX_PRINTS: usize = 200_000;

/// Why texts name no readers or audience. Holds nothing of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidNames {
    /// A name with nothing in it.
    #[error("an empty text names nobody")]
    Blank,
    /// More than are looked at.
    #[error("more than {MAX_NAMED} names")]
    Many,
}

/// Who reads something, or would: keyed hashes, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names(Vec<u64>);

/// The private data of a session.
pub(crate) struct Privacy {
    key: HashKey,
    user: u64,
    sources: Vec<Source>,
    /// Private text, as fingerprints.
    texts: Record,
    /// Resources that requests have read, in the order they were read.
    read: Vec<ResourceRead>,
    /// There were more.
    read_more: bool,
}

/// A resource of a connection that a request has read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResourceRead {
    pub(crate) connection: String,
    pub(crate) resource: Resource,
}

/// Data of one kind: where it came from, and who may read it besides the person.
struct Source {
    what: String,
    readers: Names,
    /// Whether nobody else was ever said to read it: then the person may say who gets it.
    is_persons: bool,
}

impl Names {
    /// Read names under the key of a session.
    /// Errors: [`InvalidNames`].
    fn read<T: AsRef<str>>(key: &HashKey, names: &[T]) -> Result<Names, InvalidNames> {
        check(names)?;
        let mut hashes: Vec<u64> = names.iter().map(|name| hash(key, name.as_ref())).collect();
        hashes.sort_unstable();
        hashes.dedup();
        Ok(Names(hashes))
    }

    fn has(&self, hash: u64) -> bool {
        self.0.binary_search(&hash).is_ok()
    }

    fn both(&self, other: &Names) -> Names {
        let kept = self.0.iter().copied().filter(|hash| other.has(*hash));
        Names(kept.collect())
    }
}

/// Whether texts name readers or an audience. None at all is nobody.
/// Errors: [`InvalidNames`].
pub fn check<T: AsRef<str>>(names: &[T]) -> Result<(), InvalidNames> {
    if names.len() > MAX_NAMED {
        return Err(InvalidNames::Many);
    }
    if names.iter().any(|name| name.as_ref().trim().is_empty()) {
        return Err(InvalidNames::Blank);
    }
    Ok(())
}

impl Privacy {
    /// Nothing private, of a session of `user`.
    pub(crate) fn new(key: [u8; 16], ngram: usize, user: &str) -> Privacy {
        let key = HashKey::new(key);
        let reader = Reader::new(key.clone(), ngram);
        Privacy {
            user: hash(&key, user),
            key,
            sources: Vec::new(),
            texts: Record::new(reader, MAX_PRINTS),
            read: Vec::new(),
            read_more: false,
        }
    }

    /// Data was read that these and the person may read. Names that are none are nobody.
    pub(crate) fn add<T: AsRef<str>>(&mut self, what: &str, readers: &[T]) {
        let readers = Names::read(&self.key, readers).unwrap_or_default();
        let is_persons = readers.0.is_empty();
        let known = |source: &&mut Source| source.what == what;
        if let Some(source) = self.sources.iter_mut().find(known) {
            source.readers = source.readers.both(&readers);
            source.is_persons &= is_persons;
            return;
        }
        let full = self.sources.len() >= MAX_SOURCES;
        match self.sources.last_mut() {
            Some(last) if full => {
                last.readers = last.readers.both(&readers);
                last.is_persons &= is_persons;
                last.what = MORE.into();
            }
            _ => self.sources.push(Source {
                what: what.into(),
                readers,
                is_persons,
            }),
        }
    }

    /// A request has read this.
    pub(crate) fn note_read(&mut self, read: ResourceRead) {
        if self.read.contains(&read) {
            return;
        }
        if self.read.len() < MAX_READ {
            self.read.push(read);
        } else {
            self.read_more = true;
        }
    }

    /// What requests have read; `None` when that is more than is remembered.
    pub(crate) fn read(&self) -> Option<&[ResourceRead]> {
        (!self.read_more).then_some(self.read.as_slice())
    }

    /// What makes fingerprints of private text.
    pub(crate) fn reader(&self) -> &Reader {
        self.texts.reader()
    }

    /// Remember fingerprints of private text.
    pub(crate) fn record(&mut self, prints: &[u64]) {
        self.texts.record_prints(prints);
    }

    /// Where private data came from, in the order it was read.
    pub(crate) fn sources(&self) -> Vec<String> {
        self.sources
            .iter()
            .map(|source| source.what.clone())
            .collect()
    }

    /// What was read, of a session that has read private data, that somebody of the audience may not read, each with the places of those in the audience.
    /// Whom the person named may read what is theirs alone.
    pub(crate) fn kept_from<T: AsRef<str>>(
        &self,
        audience: &[T],
        is_named: impl Fn(&str) -> bool,
    ) -> Vec<(String, Vec<usize>)> {
        let hashes: Vec<u64> = audience
            .iter()
            .map(|member| hash(&self.key, member.as_ref()))
            .collect();
        let strangers = |source: &Source| -> Vec<usize> {
            let places = hashes.iter().enumerate();
            places
                .filter(|(_, hash)| **hash != self.user && !source.readers.has(**hash))
                .map(|(place, _)| place)
                .filter(|place| {
                    let member = audience.get(*place).map_or("", AsRef::as_ref);
                    !source.is_persons || !is_named(member)
                })
                .collect()
        };
        // Private data that was read elsewhere, so that only the fact is known, is the person's alone.
        let unknown = self.sources.is_empty().then(|| Source {
            what: MORE.into(),
            readers: Names::default(),
            is_persons: true,
        });
        self.sources
            .iter()
            .chain(&unknown)
            .map(|source| (source.what.clone(), strangers(source)))
            .filter(|(_, strangers)| !strangers.is_empty())
            .collect()
    }

    /// The argument that repeats private text, when one does and it can be told.
    pub(crate) fn repeated<'a>(&self, arguments: &[Argument<'a>]) -> Option<&'a str> {
        self.texts.check(arguments, &[], Tokens::Off)?.argument
    }
}

/// What stands for the sources that are not told apart.
const MORE: &str = "other private data";

/// E-mails are the same in any case, anything else only as it stands.
fn hash(key: &HashKey, name: &str) -> u64 {
    match User::parse(name) {
        Ok(user) => key.named(EMAIL, &user.canonical()),
        Err(_) => key.named(OTHER, name),
    }
}

const EMAIL: u8 = 1;
const OTHER: u8 = 2;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn privacy() -> Privacy {
        Privacy::new([7; 16], 6, "dana@example.com")
    }

    fn allows(privacy: &Privacy, audience: &[&str]) -> bool {
        privacy.kept_from(audience, |_| false).is_empty()
    }

    #[test]
    fn the_person_may_say_who_gets_what_is_theirs_alone() {
        let named = |member: &str| member == "bob@example.com";
        let mut session = privacy();
        session.add::<&str>("mail", &[]);
        assert!(session.kept_from(&["bob@example.com"], named).is_empty());
        assert_eq!(
            session.kept_from(&["bob@example.com", "eve@example.com"], named),
            [("mail".into(), vec![1])]
        );
        session.add("payroll", &["hr@example.com"]);
        session.add::<&str>("payroll", &[]);
        assert_eq!(
            session.kept_from(&["bob@example.com"], named),
            [("payroll".into(), vec![0])]
        );
    }

    #[test]
    fn everything_read_must_be_open_to_the_whole_audience() {
        let mut session = privacy();
        assert!(!allows(&session, &["anyone@example.net"]));
        assert!(allows(&session, &["DANA@example.com"]));
        session.add("wiki", &["sam@example.com", "kim@example.com"]);
        session.add("payroll", &["kim@example.com"]);
        assert!(allows(&session, &["KIM@example.com"]));
        assert!(allows(&session, &["Dana@Example.com", "kim@example.com"]));
        assert!(allows(&session, &[]));
        assert!(!allows(&session, &["kim@example.com", "sam@example.com"]));
        let kept = session.kept_from(&["kim@example.com", "sam@example.com"], |_| false);
        assert_eq!(kept, [("payroll".to_owned(), vec![1])]);
    }

    #[test]
    fn an_address_in_disguise_is_nobodys() {
        let mut session = privacy();
        session.add("wiki", &["sam@example.com", "team:ops"]);
        for other in [
            "sam@example.com ",
            "Sam <sam@example.com>",
            "sam@example.com\u{200b}",
            "sam@example.com,eve@example.net",
            "s\u{430}m@example.com",
            "team:OPS",
        ] {
            assert!(!allows(&session, &[other]), "{other:?}");
        }
        assert!(allows(&session, &["team:ops"]));
    }

    #[test]
    fn many_sources_leave_fewer_readers_never_more() {
        let mut session = privacy();
        for number in 0..100 {
            session.add(&format!("source {number}"), &["kim@example.com"]);
        }
        assert!(allows(&session, &["kim@example.com"]));
        session.add("another", &["sam@example.com"]);
        assert_eq!(session.sources.len(), MAX_SOURCES);
        assert!(!allows(&session, &["kim@example.com"]));
        assert!(!allows(&session, &["sam@example.com"]));
    }

    #[test]
    fn resources_are_remembered_once_and_not_without_end() {
        let mut session = privacy();
        let repository = |number: usize| ResourceRead {
            connection: "github".into(),
            resource: Resource::parse(&format!("repo:acme/{number}")).unwrap(),
        };
        for number in (0..MAX_READ).chain(0..MAX_READ) {
            session.note_read(repository(number));
        }
        assert_eq!(session.read().map(<[_]>::len), Some(MAX_READ));
        session.note_read(repository(MAX_READ));
        assert_eq!(session.read(), None);
    }

    #[test]
    fn names_are_texts_with_something_in_them() {
        assert_eq!(check(&["a", " "]), Err(InvalidNames::Blank));
        assert_eq!(check::<&str>(&[]), Ok(()));
        assert_eq!(check(&vec!["a"; MAX_NAMED + 1]), Err(InvalidNames::Many));
    }

    fn names() -> impl Strategy<Value = Vec<String>> {
        let name = prop_oneof!["[a-e]@x\\.org", "[A-E]@X\\.org", "[a-e]"];
        prop::collection::vec(name, 0..5)
    }

    proptest! {
        #[test]
        fn more_readers_refuse_no_more_and_a_larger_audience_passes_no_more(
            reads in prop::collection::vec((0..20_u8, names(), names()), 0..24),
            audience in names(),
            others in names(),
        ) {
            let (mut fewer, mut more) = (privacy(), privacy());
            for (source, readers, further) in &reads {
                let all: Vec<_> = readers.iter().chain(further).collect();
                fewer.add(&source.to_string(), readers);
                more.add(&source.to_string(), &all);
            }
            let larger: Vec<_> = audience.iter().chain(&others).collect();
            let passes = |session: &Privacy, of: &[&String]| session.kept_from(of, |_| false).is_empty();
            let audience: Vec<_> = audience.iter().collect();
            prop_assert!(!passes(&fewer, &audience) || passes(&more, &audience));
            prop_assert!(!passes(&fewer, &larger) || passes(&fewer, &audience));
        }
    }
}
