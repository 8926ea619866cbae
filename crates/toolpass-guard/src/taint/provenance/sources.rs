//! What a session knows of who named what: fingerprints of values, never the values.
//!
//! Separate from the rules over it, so that a store can keep the same numbers.

use std::fmt;

use super::super::distinctive::plain;
use super::super::key::HashKey;
use super::super::normal::{Byte, Memo, Piece, byte};
use super::super::store::PrintSet;
use super::super::views;
use super::chunks::{self, LONGEST};

/// Who named what, in a session that was told what the person asked.
pub struct Sources {
    key: HashKey,
    capacity: usize,
    /// The person's words: every run of up to [`LONGEST`] chunks.
    said: PrintSet,
    /// Who they are. Their name stands in most records about them, so it names none of these.
    identity: PrintSet,
    /// Values whose type leaves no room for a message. Nobody named them.
    endorsed: PrintSet,
    /// Whole values that tools of the application's own gave, and those of records that the person named.
    given: PrintSet,
    /// Chunks, and pairs of them, in texts that are more than a value: whoever wrote them may have meant them to be used.
    mentioned: PrintSet,
    /// Places in what the person looked up, by tool and by themselves.
    looked_up: PrintSet,
    /// Places that more than one tool gave.
    elsewhere: PrintSet,
    /// Whether something could not be kept that would be held against a call.
    is_full: bool,
    /// Whether a tool gave anything: before that nobody can have been talked into anything.
    has_results: bool,
}

/// What a call gave back.
pub(crate) struct Gave<'o> {
    /// The tool.
    pub(crate) tool: &'o str,
    /// Whether somebody outside wrote it.
    pub(crate) is_outside: bool,
    /// Whether the call's arguments were the person's words.
    pub(crate) is_looked_up: bool,
    /// Its texts by record: what stands together in one mapping or object; `None` for more than is looked at.
    pub(crate) records: Option<&'o [Vec<String>]>,
}

/// What is remembered of it.
#[derive(Default)]
pub(crate) struct Taken {
    given: Vec<u64>,
    mentioned: Vec<u64>,
    places: Vec<(u64, u64)>,
    is_too_much: bool,
}

impl Sources {
    pub(crate) fn new(key: HashKey, capacity: usize) -> Sources {
        Sources {
            key,
            capacity,
            said: PrintSet::default(),
            identity: PrintSet::default(),
            endorsed: PrintSet::default(),
            given: PrintSet::default(),
            mentioned: PrintSet::default(),
            looked_up: PrintSet::default(),
            elsewhere: PrintSet::default(),
            is_full: false,
            has_results: false,
        }
    }

    /// Remember who the person is.
    pub(crate) fn introduce(&mut self, name: &str) {
        let print = self.print(name);
        let _ = self.identity.extend(print.as_slice(), self.capacity);
    }

    /// Remember the person's words. What no longer fits was not said.
    pub(crate) fn say(&mut self, text: &str) {
        let raw: Vec<&str> = chunks::each(text).collect();
        let spelled: Vec<_> = raw.iter().map(|chunk| chunks::spelling(chunk)).collect();
        let mut prints = Vec::new();
        for start in 0..spelled.len() {
            let mut run = String::new();
            for chunk in spelled.iter().skip(start).take(LONGEST) {
                run.push_str(chunk);
                prints.push(self.key.token(VALUE, &run));
                run.push(BETWEEN);
            }
        }
        for before in raw
            .iter()
            .filter_map(|chunk| chunks::before_full_stop(chunk))
        {
            prints.push(self.key.token(VALUE, &chunks::spelling(before)));
        }
        let _ = self.said.extend(&prints, self.capacity);
    }

    /// Remember a value that is endorsed.
    pub(crate) fn endorse(&mut self, value: &str) {
        let print = self.print(value);
        let _ = self.endorsed.extend(print.as_slice(), self.capacity);
    }

    /// What is to be remembered of what a call gave back.
    pub(crate) fn read(&self, output: &Gave<'_>) -> Taken {
        let mut taken = Taken::default();
        let Some(records) = output.records else {
            taken.is_too_much = true;
            return taken;
        };
        let mut memo = Memo::default();
        for record in records {
            let is_given = !output.is_outside || record.iter().any(|text| self.is_named_by(text));
            for text in record {
                if is_given {
                    self.values(text, output.is_outside, &mut taken.given);
                }
                self.mentions(text, output.is_outside, &mut memo, &mut taken.mentioned);
            }
        }
        if output.is_outside && output.is_looked_up {
            taken.places = self.places(output.tool, records);
        }
        taken
    }

    /// Remember it.
    pub(crate) fn take(&mut self, taken: &Taken) {
        self.has_results = true;
        let _ = self.given.extend(&taken.given, self.capacity);
        let kept = self.mentioned.extend(&taken.mentioned, self.capacity);
        self.is_full |= taken.is_too_much || kept.is_err();
        let is_elsewhere = |(place, by_tool): &&(u64, u64)| {
            self.looked_up.contains(*place) && !self.looked_up.contains(*by_tool)
        };
        let places = taken.places.iter();
        let elsewhere: Vec<u64> = places
            .filter(is_elsewhere)
            .map(|(place, _)| *place)
            .collect();
        let both = taken
            .places
            .iter()
            .flat_map(|(place, by_tool)| [*place, *by_tool]);
        let _ = self
            .looked_up
            .extend(&both.collect::<Vec<_>>(), self.capacity);
        let _ = self.elsewhere.extend(&elsewhere, self.capacity);
    }

    /// Whether the rules hold by now.
    pub(crate) fn has_results(&self) -> bool {
        self.has_results
    }

    /// Whether the person said this, word for word.
    pub(super) fn said(&self, text: &str) -> bool {
        self.print(text)
            .is_some_and(|print| self.said.contains(print))
    }

    /// Whether it is endorsed.
    pub(super) fn is_endorsed(&self, text: &str) -> bool {
        self.print(text)
            .is_some_and(|print| self.endorsed.contains(print))
    }

    /// Whether the person said it, or a tool of the application's own gave it, or a record they named.
    pub(super) fn gave(&self, text: &str) -> bool {
        self.above(text)
            .any(|print| self.is_person(print) || self.given.contains(print))
    }

    /// Whether it says where something goes on somebody's word. What a tool gave, and a text from elsewhere mentions as well,
    /// may be meant by that text.
    pub(super) fn names(&self, text: &str) -> bool {
        self.above(text).any(|print| self.is_person(print))
            || (!self.is_mentioned(text)
                && self.above(text).any(|print| self.given.contains(print)))
    }

    /// Whether it is a place that stands in what the person looked up.
    pub(super) fn stands_in_looked_up(&self, text: &str) -> bool {
        self.print(text)
            .is_some_and(|print| self.looked_up.contains(print))
    }

    /// The same, of what another tool gave.
    pub(super) fn stands_in_looked_up_elsewhere(&self, text: &str, tool: &str) -> bool {
        let Some(print) = self.print(text) else {
            return false;
        };
        self.elsewhere.contains(print)
            || (self.looked_up.contains(print) && !self.looked_up.contains(self.by(tool, print)))
    }

    /// Whether a text that is more than a value mentions it, in whatever disguise.
    pub(super) fn is_mentioned(&self, text: &str) -> bool {
        let mut prints = Vec::new();
        let count = each_word(text, &self.key, &mut Memo::default(), &mut |one, pair| {
            prints.push((one, pair));
        });
        match prints.as_slice() {
            [] => false,
            _ if self.is_full => true,
            [(one, _)] => self.mentioned.contains(*one),
            _ if count > LONGEST => false,
            [_, rest @ ..] => rest
                .iter()
                .all(|(_, pair)| pair.is_some_and(|pair| self.mentioned.contains(pair))),
        }
    }

    fn is_person(&self, print: u64) -> bool {
        self.said.contains(print) || self.identity.contains(print)
    }

    /// Whether a text of a record names it in the person's words: two words of theirs in a row, or one that is no everyday
    /// word. A file may be called without its ending and with blanks.
    fn is_named_by(&self, text: &str) -> bool {
        let Some(value) = chunks::value(text) else {
            return false;
        };
        let is_telling = match value.as_slice() {
            [one] => chunks::is_place(one) && !one.contains('/'),
            more => {
                more.iter()
                    .filter(|chunk| !chunks::is_figure(chunk))
                    .count()
                    >= 2
            }
        };
        if is_telling && self.said.contains(self.print_of(&value)) {
            return true;
        }
        match value.as_slice() {
            [file] if !file.contains('@') => {
                let stem = file.rsplit_once('.').map_or(&**file, |(stem, _)| stem);
                let words = stem.split(['-', '_']).filter(|word| !word.is_empty());
                let words: Vec<_> = words.map(std::borrow::Cow::Borrowed).collect();
                let telling = words.iter().filter(|word| !chunks::is_figure(word)).count();
                (2..=LONGEST).contains(&words.len())
                    && telling >= 2
                    && self.said.contains(self.print_of(&words))
            }
            _ => false,
        }
    }

    /// The values of a text: itself, and of a text of the application's own its lines and what they list.
    fn values(&self, text: &str, is_outside: bool, prints: &mut Vec<u64>) {
        let mut add = |value: &str| prints.extend(self.print(value));
        add(text);
        if is_outside {
            return;
        }
        for line in text.lines() {
            let listed = line.split_once(": ").map_or(line, |(_, listed)| listed);
            add(line);
            add(listed);
            listed.split([',', ';']).for_each(&mut add);
        }
    }

    /// The words of a text that is more than one value. A short text of outside mentions its single words: it may be a name,
    /// or all that somebody wrote.
    fn mentions(&self, text: &str, is_outside: bool, memo: &mut Memo, prints: &mut Vec<u64>) {
        let count = chunks::each(text).take(LONGEST + 1).count();
        let is_long = count > LONGEST;
        if count < 2 || !(is_long || is_outside) {
            return;
        }
        // What is encoded too deep to be read cannot be read here.
        let _ = views::each(text, &mut |_, view| {
            each_word(view, &self.key, memo, &mut |one, pair| {
                prints.push(one);
                prints.extend(pair.filter(|_| is_long));
            });
        });
    }

    /// Places in what the person looked up, each by itself and by the tool that gave it.
    fn places(&self, tool: &str, records: &[Vec<String>]) -> Vec<(u64, u64)> {
        let chunks = records.iter().flatten().flat_map(|text| chunks::each(text));
        chunks
            .map(chunks::spelling)
            .filter(|spelling| chunks::is_place(spelling))
            .map(|spelling| {
                let print = self.key.token(VALUE, &spelling);
                (print, self.by(tool, print))
            })
            .collect()
    }

    fn by(&self, tool: &str, print: u64) -> u64 {
        self.key.token(BY_TOOL, &format!("{print:x}{tool}"))
    }

    fn print(&self, text: &str) -> Option<u64> {
        chunks::value(text).map(|value| self.print_of(&value))
    }

    fn print_of(&self, value: &[std::borrow::Cow<'_, str>]) -> u64 {
        let mut run = String::new();
        for (at, chunk) in value.iter().enumerate() {
            if at > 0 {
                run.push(BETWEEN);
            }
            run.push_str(chunk);
        }
        self.key.token(VALUE, &run)
    }

    /// The fingerprints of a value and, for a URL, of the places above it.
    fn above(&self, text: &str) -> impl Iterator<Item = u64> {
        let value = chunks::value(text).unwrap_or_default();
        let mut prints = Vec::new();
        match value.as_slice() {
            [] => {}
            [place] => {
                prints.extend(chunks::and_above(place).map(|place| self.key.token(VALUE, place)))
            }
            more => prints.push(self.print_of(more)),
        }
        prints.into_iter()
    }
}

impl fmt::Debug for Sources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sources")
            .field("said", &self.said.len())
            .field("given", &self.given.len())
            .finish_non_exhaustive()
    }
}

/// Tell `sink` the chunks of a text in normal form, each alone and with the one before it; how many there are. A letter of a
/// script written without spaces is one of its own.
fn each_word(
    text: &str,
    key: &HashKey,
    memo: &mut Memo,
    sink: &mut dyn FnMut(u64, Option<u64>),
) -> usize {
    let (mut count, mut before) = (0, None);
    let mut tell = |hash: u64| {
        if hash != key.start() {
            let hash = key.seal(hash);
            let pair = before.map(|before: u64| key.pair(PAIR, before, hash));
            sink(key.pair(WORD, 0, hash), pair);
            before = Some(hash);
            count += 1;
        }
    };
    for chunk in chunks::each(&plain(text)) {
        for piece in pieces(&chunks::spelling(chunk)) {
            let last = each_run(piece, key, memo, &mut tell);
            tell(last);
        }
    }
    count
}

/// A chunk that gives a name a value: `id=13`, `to:bob`. A time (`11:00`) stays whole.
fn pieces(chunk: &str) -> impl Iterator<Item = &str> {
    let is_time = chunk.chars().all(|c| c.is_ascii_digit() || c == ':');
    chunk.split(move |c| c == '=' || (c == ':' && !is_time))
}

/// The hash of a chunk's letters in normal form; those up to a cluster, and the cluster, are told before.
fn each_run(chunk: &str, key: &HashKey, memo: &mut Memo, tell: &mut dyn FnMut(u64)) -> u64 {
    let mut hash = key.start();
    for c in chunk.chars() {
        match u8::try_from(c).map_or(Byte::Other, byte) {
            Byte::Letter(letter) => hash = key.step(hash, u32::from(letter)),
            Byte::M => {
                hash = key.step(hash, u32::from(b'r'));
                hash = key.step(hash, u32::from(b'n'));
            }
            Byte::Other => {
                for piece in memo.form(c) {
                    match piece {
                        Piece::Letter(letter) => hash = key.step(hash, u32::from(*letter)),
                        Piece::Cluster(letter) => {
                            tell(hash);
                            tell(key.step(key.start(), u32::from(*letter)));
                            hash = key.start();
                        }
                        Piece::Gap | Piece::Joiner => (),
                    }
                }
            }
            Byte::Dropped | Byte::Gap | Byte::Joiner => (),
        }
    }
    hash
}

/// Between the chunks of a value.
const BETWEEN: char = '\u{1F}';

/// What a fingerprint is of, beside the classes of distinctive tokens.
const VALUE: u8 = 101;
const WORD: u8 = 102;
const PAIR: u8 = 103;
const BY_TOOL: u8 = 104;
