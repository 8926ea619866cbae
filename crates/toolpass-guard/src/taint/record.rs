//! What a session knows of outside text: fingerprints of it, and of what is trusted; and the question whether a call repeats it.
//!
//! Never the text itself. Pure: no clock, no lock, no randomness but the key it is given, so that the session decides how it is
//! shared and a store can keep the same numbers. INVARIANT: once something could not be recorded, every later check says so;
//! nothing that was not looked at counts as harmless.

use std::fmt;

use super::distinctive::{self, Class};
use super::key::HashKey;
use super::shingles::{Across, Ends, Shingles};
use super::store::PrintSet;
use super::views::{self, Read, View};

/// The record of one session.
pub struct Record {
    reader: Reader,
    capacity: usize,
    seen: PrintSet,
    trusted: PrintSet,
    overflowed: bool,
    /// Whether there is more of it in a store.
    elsewhere: bool,
    /// Fingerprints of what the person looked up.
    quotable: PrintSet,
}

/// Turns text into fingerprints, and holds the session's key.
#[derive(Clone, Debug)]
pub struct Reader {
    key: HashKey,
    ngram: usize,
}

/// The texts of one argument. An argument whose words are not to be looked at is left out, or given as ignored.
#[derive(Clone, Debug)]
pub struct Argument<'a> {
    /// Its name, for the reason.
    pub name: &'a str,
    /// Every text in it, keys included, in order.
    pub texts: Vec<&'a str>,
    /// Whether it says where something goes.
    pub is_destination: bool,
}

/// Which arguments are looked at for distinctive tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tokens {
    /// All.
    All,
    /// Those that say where something goes.
    #[default]
    Destinations,
    /// None.
    Off,
}

/// What a check found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match<'a> {
    /// The argument that holds it; `None` when it is spread over several, or is about none.
    pub argument: Option<&'a str>,
    /// What it is.
    pub kind: Kind,
}

/// Why a call is not let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The record is full, so nobody can tell.
    Overflow,
    /// Words in a row.
    Phrase,
    /// Words in a row, spread over several texts.
    Split,
    /// A token that names a place or an object.
    Token(Class),
    /// Encoded text that was nested too deep or too long to look at.
    Unread,
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record")
            .field("seen", &self.seen.len())
            .field("trusted", &self.trusted.len())
            .field("overflowed", &self.overflowed)
            .finish_non_exhaustive()
    }
}

impl Reader {
    /// Under `key`, for runs of `ngram` words (at least 2).
    pub fn new(key: HashKey, ngram: usize) -> Reader {
        Reader {
            key,
            ngram: ngram.max(2),
        }
    }

    /// The fingerprints of outside, trusted or private text: every run of words and every distinctive token, in every view.
    pub fn prints<'t>(&self, texts: impl IntoIterator<Item = &'t str>) -> Vec<u64> {
        let mut shingles = Shingles::new(&self.key, self.ngram);
        let mut prints = Vec::new();
        for text in texts {
            // What is encoded too deep to be read here cannot be read in an argument either, and is refused there.
            let _ = views::each(text, &mut |_, view| {
                prints.extend_from_slice(shingles.of(view));
                distinctive::each(view, &mut |class, token| {
                    prints.push(self.token(class, token))
                });
            });
        }
        prints
    }

    fn token(&self, class: Class, token: &str) -> u64 {
        self.key.token(class as u8, token)
    }
}

impl Record {
    /// An empty record of at most `capacity` fingerprints.
    pub fn new(reader: Reader, capacity: usize) -> Record {
        Record {
            reader,
            capacity,
            seen: PrintSet::default(),
            trusted: PrintSet::default(),
            overflowed: false,
            elsewhere: false,
            quotable: PrintSet::default(),
        }
    }

    /// Remember outside text.
    pub fn record<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>) {
        let prints = self.reader.prints(texts);
        self.record_prints(&prints);
    }

    /// Remember the fingerprints of outside text.
    pub fn record_prints(&mut self, prints: &[u64]) {
        self.overflowed |= self.seen.extend(prints, self.capacity).is_err();
    }

    /// Remember text that is never held against a call: the user's own words, and what the application declares. What no
    /// longer fits is not trusted.
    pub fn trust<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>) {
        let prints = self.reader.prints(texts);
        self.trust_prints(&prints);
    }

    /// Remember the fingerprints of trusted text.
    pub fn trust_prints(&mut self, prints: &[u64]) {
        let _ = self.trusted.extend(prints, self.capacity);
    }

    /// A store has fingerprints of outside text, of which those that matter are learnt before each check.
    pub fn note_elsewhere(&mut self) {
        self.elsewhere = true;
    }

    /// What was recorded is not known any more: every later check says so.
    pub fn lose(&mut self) {
        self.overflowed = true;
    }

    /// Every fingerprint that a check of `arguments` may ask for, whatever tokens are looked at.
    pub fn asked(&self, arguments: &[Argument<'_>]) -> Vec<u64> {
        let mut check = Check::new(self, &[]);
        check.against = Against::Nothing(Vec::new());
        for argument in arguments {
            check.argument(argument, Tokens::All);
        }
        match check.against {
            Against::Nothing(mut asked) => {
                asked.sort_unstable();
                asked.dedup();
                asked
            }
            Against::Record { .. } => Vec::new(),
        }
    }

    /// Remember the fingerprints of outside text that the person looked up: arguments that say not where something goes may
    /// repeat its words.
    pub fn quote_prints(&mut self, prints: &[u64]) {
        let _ = self.quotable.extend(prints, self.capacity);
    }

    /// Whether outside text was recorded, so that a request which cannot be read has to be refused.
    pub fn is_empty(&self) -> bool {
        self.seen.is_empty() && !self.overflowed && !self.elsewhere
    }

    /// The reader that made its fingerprints.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Whether `arguments` repeat outside text. What `ignored` says is not held against them: the texts of the arguments that
    /// a tool lets repeat it, when the request of its body is looked at.
    pub fn check<'a>(
        &self,
        arguments: &[Argument<'a>],
        ignored: &[&str],
        tokens: Tokens,
    ) -> Option<Match<'a>> {
        if self.is_empty() {
            return None;
        }
        let mut check = Check::new(self, ignored);
        let found = arguments
            .iter()
            .find_map(|argument| check.argument(argument, tokens));
        let overflow = Match {
            argument: None,
            kind: Kind::Overflow,
        };
        found.or_else(|| self.overflowed.then_some(overflow))
    }

    /// Whether a fingerprint is of outside text that nobody trusts.
    fn holds(&self, print: u64) -> bool {
        self.seen.contains(print) && !self.trusted.contains(print)
    }
}

/// What fingerprints are held against.
enum Against<'r> {
    /// Nothing: which are asked for is what is wanted.
    Nothing(Vec<u64>),
    /// The record, what is ignored left out.
    Record {
        record: &'r Record,
        ignored: PrintSet,
    },
}

impl Against<'_> {
    /// The same of words, which may be quoted where nothing goes by them.
    fn words(&mut self, prints: &[u64], is_destination: bool) -> bool {
        match self {
            Against::Record { record, ignored } if !is_destination => prints.iter().any(|print| {
                record.holds(*print)
                    && !record.quotable.contains(*print)
                    && !ignored.contains(*print)
            }),
            Against::Nothing(_) | Against::Record { .. } => self.any(prints),
        }
    }

    #[inline]
    fn any(&mut self, prints: &[u64]) -> bool {
        match self {
            Against::Record { record, ignored } => prints
                .iter()
                .any(|print| record.holds(*print) && !ignored.contains(*print)),
            Against::Nothing(asked) => {
                asked.extend_from_slice(prints);
                false
            }
        }
    }
}

/// Where a text begins and ends, as it is and with its escapes undone.
#[derive(Default)]
struct TextEnds {
    as_it_is: Ends,
    undone: Option<Ends>,
}

/// One question, with the room it needs.
struct Check<'r> {
    reader: &'r Reader,
    against: Against<'r>,
    shingles: Shingles<'r>,
    /// Phrases that go on from text to text, as they are and with their escapes undone.
    as_they_are: Across,
    undone: Across,
}

impl<'r> Check<'r> {
    fn new(record: &'r Record, ignored: &[&str]) -> Check<'r> {
        let shingles = Shingles::new(&record.reader.key, record.reader.ngram);
        let mut set = PrintSet::default();
        if !ignored.is_empty() {
            let prints = record.reader.prints(ignored.iter().copied());
            let _ = set.extend(&prints, prints.len());
        }
        Check {
            reader: &record.reader,
            against: Against::Record {
                record,
                ignored: set,
            },
            as_they_are: Across::default(),
            undone: Across::default(),
            shingles,
        }
    }

    fn argument<'a>(&mut self, argument: &Argument<'a>, tokens: Tokens) -> Option<Match<'a>> {
        let wants_tokens = match tokens {
            Tokens::All => true,
            Tokens::Destinations => argument.is_destination,
            Tokens::Off => false,
        };
        argument.texts.iter().find_map(|text| {
            let mut ends = TextEnds::default();
            let own = self.text(text, wants_tokens, argument.is_destination, &mut ends);
            match own {
                Some(kind) => Some(Match {
                    argument: Some(argument.name),
                    kind,
                }),
                None => self.goes_on(&ends).then_some(Match {
                    argument: None,
                    kind: Kind::Split,
                }),
            }
        })
    }

    /// What one text repeats, in any view.
    fn text(
        &mut self,
        text: &str,
        wants_tokens: bool,
        is_destination: bool,
        ends: &mut TextEnds,
    ) -> Option<Kind> {
        let Check {
            reader,
            against,
            shingles,
            ..
        } = self;
        let mut found = None;
        let read = views::each(text, &mut |which, view| {
            if found.is_some() {
                return;
            }
            if against.words(shingles.of(view), is_destination) {
                found = Some(Kind::Phrase);
            }
            match which {
                View::Itself => ends.as_it_is = shingles.ends(),
                View::Undone => ends.undone = Some(shingles.ends()),
                View::Decoded => (),
            }
            if wants_tokens {
                let mut token = |class: Class, token: &str| {
                    if found.is_none() && against.any(&[reader.token(class, token)]) {
                        found = Some(Kind::Token(class));
                    }
                };
                match is_destination {
                    true => distinctive::each_destination(view, &mut token),
                    false => distinctive::each(view, &mut token),
                }
            }
        });
        found.or((read == Read::InPart).then_some(Kind::Unread))
    }

    /// Whether a text completes a phrase that texts before it began.
    fn goes_on(&mut self, ends: &TextEnds) -> bool {
        let undone = ends.undone.as_ref().unwrap_or(&ends.as_it_is);
        let mut repeats = |row: &mut Across, next: &Ends| {
            self.against.words(self.shingles.across(row, next), false)
        };
        let as_they_are = repeats(&mut self.as_they_are, &ends.as_it_is);
        repeats(&mut self.undone, undone) || as_they_are
    }
}
