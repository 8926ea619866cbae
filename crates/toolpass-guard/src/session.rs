//! One person's run of an assistant: who, and what it has seen and spent.
//!
//! A handle that can be cloned; all clones are one session. Its state is in this process, or a store keeps it ([`stored`]): where,
//! is settled by the first call that is made in it, and stays so. Limits are taken all or none.

pub mod caps;
pub mod kept;
pub mod ledger;
mod mirror;
pub mod stored;
#[cfg(test)]
pub(crate) mod testing;
pub mod windows;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{
    Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
};

use toolpass_core::clock::Monotonic;
use toolpass_core::effect::Effect;
use toolpass_core::user::{Token, User};

use self::caps::{Cap, Key};
use self::ledger::{Counts, Ticket, Times};
use self::stored::{Answer, Marks, Operation, Outcome, Place, PrintsOf, Remembers, StoreId};
use self::windows::Windows;
use crate::handle::{self, Handle, Handles, Kept, Reference};
use crate::privacy::Privacy;
use crate::taint::GivenTexts;
use crate::taint::key::HashKey;
use crate::taint::provenance::{self, Finding, Gave, Rules, Sources};
use crate::taint::record::{self, Match, Reader, Record, Tokens};
use crate::tool::Tool;

/// A session.
#[derive(Clone)]
pub struct Session(Arc<State>);

struct State {
    user: String,
    groups: Option<Vec<String>>,
    token: Mutex<Option<Token>>,
    id: String,
    /// What a store calls its conversation.
    conversation: String,
    home: OnceLock<Home>,
    saw_untrusted: AtomicBool,
    read_private: AtomicBool,
    counts: Mutex<Counts>,
    /// What a store was not told yet that is to be given back.
    owed: Mutex<Vec<Ticket>>,
    /// Whether it is known what the person asked.
    was_told: AtomicBool,
    /// Who named what, once it is known what the person asked. It stays in this process.
    sources: RwLock<Option<Sources>>,
    memory: Memory,
    /// What is known of private data.
    privacy: Mutex<Option<Privacy>>,
    /// The values the model knows by handles; nothing until there is one.
    handles: Mutex<Option<Handles>>,
    /// Comparing a big text takes its time, and others of the session compare meanwhile.
    outside: RwLock<Outside>,
}

/// Where the state of a session is.
#[derive(Debug)]
enum Home {
    /// In this process.
    Here,
    /// In a store; what is here is what was learnt of it.
    Store(Place),
}

/// What is known of outside text.
#[derive(Default)]
struct Outside {
    /// Nothing until there is some.
    record: Option<Record>,
    /// Trusted texts, until there is a record.
    trusted: Vec<String>,
    /// How many bytes they have.
    trusted_bytes: usize,
    /// Trusted fingerprints that the store was not told yet.
    untold: Vec<u64>,
    /// Fingerprints of outside text that it was not told yet: nobody was given the text.
    unseen: Vec<u64>,
}

/// Trusted texts that wait for a record have so many bytes at most. What is beyond is not trusted.
const MAX_WAITING: usize = 16 * 1024 * 1024;

/// Where a session's state has to be for a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Here, as it is.
    Nothing,
    /// A store has to say first where it keeps the session.
    Place,
    /// The session's store.
    Store,
}

/// A session's state is somewhere else than the toolkit keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Elsewhere {
    /// In this process.
    #[error(
        "the session was used before in a toolkit without this `session_store`; start a new session"
    )]
    Here,
    /// In a store.
    #[error(
        "the session is kept in another `session_store` than this toolkit's; use it with toolkits of one store"
    )]
    Store,
}

/// How outside text is remembered.
#[derive(Clone, Copy)]
pub struct Memory {
    /// What the fingerprints are made with; nobody else may know it.
    pub key: [u8; 16],
    /// How many words in a row are a repetition.
    pub ngram: usize,
    /// How many fingerprints are kept at most.
    pub capacity: usize,
}

impl Memory {
    /// Under a key of random bytes: six words in a row, a million fingerprints.
    pub fn new(key: [u8; 16]) -> Memory {
        Memory {
            key,
            ngram: 6,
            capacity: 1_000_000,
        }
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory")
            .field("ngram", &self.ngram)
            .field("capacity", &self.capacity)
            .finish_non_exhaustive()
    }
}

/// Counts that were taken. Given back when dropped, unless [`Slots::keep`] spends them.
#[must_use]
#[derive(Debug)]
pub struct Slots(Taken);

#[derive(Debug)]
enum Taken {
    Here {
        session: Session,
        windows: Arc<Windows>,
        caps: Vec<Cap>,
        ticket: Ticket,
    },
    Nothing,
    /// By a store, which has to be told.
    There {
        session: Session,
        ticket: Ticket,
    },
}

/// Why a session cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSession {
    /// No user.
    #[error("expected `user` to be a non-empty text naming the person the agent works for")]
    User,
    /// Too few words in a row.
    #[error("expected `ngram` to be a whole number of at least 2")]
    Ngram,
    /// No room.
    #[error("expected `untrusted_capacity` to be a whole number of at least 1")]
    Capacity,
}

impl Session {
    /// A session of `user`, who is kept as given.
    /// Errors: [`InvalidSession`].
    pub fn new(
        user: &str,
        groups: Option<Vec<String>>,
        token: Option<Token>,
        id: Option<String>,
        memory: Memory,
    ) -> Result<Session, InvalidSession> {
        if memory.ngram < 2 {
            return Err(InvalidSession::Ngram);
        }
        if memory.capacity == 0 {
            return Err(InvalidSession::Capacity);
        }
        if user.trim().is_empty() {
            return Err(InvalidSession::User);
        }
        let id = id
            .filter(|id| !id.is_empty())
            .unwrap_or_else(|| uuid::Uuid::now_v7().simple().to_string());
        Ok(Session(Arc::new(State {
            user: user.into(),
            groups,
            token: Mutex::new(token),
            conversation: format!("id:{id}"),
            id,
            home: OnceLock::new(),
            saw_untrusted: AtomicBool::new(false),
            read_private: AtomicBool::new(false),
            counts: Mutex::default(),
            owed: Mutex::default(),
            was_told: AtomicBool::new(false),
            sources: RwLock::default(),
            memory,
            privacy: Mutex::default(),
            outside: RwLock::default(),
            handles: Mutex::default(),
        })))
    }

    /// What a store calls its conversation, when that is not its id. Before anybody else has the session.
    pub fn of_conversation(mut self, name: String) -> Session {
        if let Some(state) = Arc::get_mut(&mut self.0) {
            state.conversation = name;
        }
        self
    }

    /// Remember outside text, as fingerprints. Answers what the session's store must be told before anybody sees the text.
    #[must_use]
    pub fn record(&self, texts: &[String]) -> Option<Operation> {
        let reader = self.record_of(&mut self.outside()).reader().clone();
        // Reading a page takes its time, and other calls of the session need not wait for it.
        let prints = reader.prints(texts.iter().map(String::as_str));
        self.record_of(&mut self.outside()).record_prints(&prints);
        self.place().map(|_| Operation::Record {
            of: PrintsOf::Outside,
            prints,
            capacity: self.0.memory.capacity,
        })
    }

    /// Remember what the person asked, in their own words. They are never held against a call, and from now on it counts who
    /// named a value.
    pub fn trust(&self, text: &str) {
        self.told()
            .get_or_insert_with(|| self.nobody_yet())
            .say(text);
        self.0.was_told.store(true, Ordering::Release);
        self.spare(text);
    }

    /// Remember a value whose type leaves no room for a message: it is never held against a call. It is not the person's word:
    /// what it looks up is not what they asked for, and whom it names they have not.
    pub fn endorse(&self, value: &str) {
        self.told()
            .get_or_insert_with(|| self.nobody_yet())
            .endorse(value);
        self.spare(value);
    }

    /// Do not compare with this text.
    fn spare(&self, text: &str) {
        let reader = {
            let mut outside = self.outside();
            match &outside.record {
                Some(record) => record.reader().clone(),
                None => {
                    // Which key its fingerprints are made with is not settled before the first call.
                    outside.trusted_bytes = outside.trusted_bytes.saturating_add(text.len());
                    if outside.trusted_bytes <= MAX_WAITING {
                        outside.trusted.push(text.into());
                    }
                    return;
                }
            }
        };
        let prints = reader.prints([text]);
        let mut outside = self.outside();
        self.record_of(&mut outside).trust_prints(&prints);
        if self.place().is_some() {
            outside.untold.extend(prints);
        }
    }

    /// Whether the session was told what the person asked.
    pub fn was_told(&self) -> bool {
        self.0.was_told.load(Ordering::Acquire)
    }

    /// Remember what a call gave back, as values that somebody may have named.
    pub(crate) fn take(&self, output: &Gave<'_>) {
        // Reading a page takes its time, and other calls of the session need not wait for it.
        let taken = self.sources().as_ref().map(|sources| sources.read(output));
        if let (Some(taken), Some(sources)) = (taken, self.told().as_mut()) {
            sources.take(&taken);
        }
        if output.is_outside && output.is_looked_up {
            let texts = output.records.unwrap_or_default().iter().flatten();
            let reader = self.record_of(&mut self.outside()).reader().clone();
            let prints = reader.prints(texts.map(String::as_str));
            self.record_of(&mut self.outside()).quote_prints(&prints);
        }
    }

    /// Whether the person's words are what a call's arguments are.
    pub(crate) fn is_looked_up(&self, given: &[GivenTexts]) -> bool {
        self.with_sources(|sources| provenance::is_looked_up(sources, given))
    }

    /// Whether it counts by now who named a value: the person's words are known, and a tool gave something.
    pub(crate) fn asks_who_named(&self) -> bool {
        self.with_sources(|sources| sources.has_results() || self.saw_untrusted())
    }

    /// The first argument of a call that rests on nobody's word.
    pub(crate) fn unnamed(
        &self,
        rules: Rules,
        tool: &Tool,
        effect: Option<Effect>,
        given: &[GivenTexts],
    ) -> Option<Finding> {
        if !self.asks_who_named() {
            return None;
        }
        let sources = self.sources();
        provenance::of_call(sources.as_ref()?, rules, tool, effect, given)
    }

    /// Whether everybody a call reaches was named.
    pub(crate) fn reaches_only_named(&self, tool: &Tool, given: &[GivenTexts]) -> bool {
        self.with_sources(|sources| provenance::reaches_only_named(sources, tool, given))
    }

    fn with_sources(&self, ask: impl FnOnce(&Sources) -> bool) -> bool {
        self.was_told() && self.sources().as_ref().is_some_and(ask)
    }

    fn sources(&self) -> RwLockReadGuard<'_, Option<Sources>> {
        let locked = self.0.sources.read();
        locked.unwrap_or_else(PoisonError::into_inner)
    }

    fn told(&self) -> RwLockWriteGuard<'_, Option<Sources>> {
        let locked = self.0.sources.write();
        locked.unwrap_or_else(PoisonError::into_inner)
    }

    /// Sources that know who the person is.
    fn nobody_yet(&self) -> Sources {
        let mut sources = Sources::new(HashKey::new(self.0.memory.key), self.0.memory.capacity);
        let groups = self.0.groups.iter().flatten().map(String::as_str);
        groups
            .chain([self.user()])
            .for_each(|name| sources.introduce(name));
        sources
    }

    /// What arguments repeat of outside text, once `ignored` is left out.
    pub(crate) fn repeats<'a>(
        &self,
        arguments: &[record::Argument<'a>],
        ignored: &[&str],
        tokens: Tokens,
    ) -> Option<Match<'a>> {
        let known = self.known();
        known.record.as_ref()?.check(arguments, ignored, tokens)
    }

    /// Keep a value behind a handle, in this process, whose number is another one after a fork. Answers what the model is given,
    /// and the values that made room.
    /// Errors: [`handle::TooLarge`].
    pub fn keep(
        &self,
        tool: &str,
        kind: handle::Kind,
        bytes: usize,
        value: Kept,
        process: u64,
    ) -> Result<(String, Vec<Kept>), handle::TooLarge> {
        let tag = || u64::try_from(uuid::Uuid::now_v7().as_u128() & TAG_BITS).unwrap_or_default();
        let mut handles = self.handles();
        let handles = handles.get_or_insert_with(|| Handles::new(process, tag()));
        handles.continue_in(process, tag);
        handles.keep(tool, kind, bytes, value)
    }

    /// What a handle stands for.
    pub fn kept(&self, reference: &Reference<'_>) -> Option<(Handle, Kept)> {
        self.handles().as_ref()?.find(reference)
    }

    fn handles(&self) -> MutexGuard<'_, Option<Handles>> {
        self.0
            .handles
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether no outside text was recorded.
    pub(crate) fn remembers_nothing(&self) -> bool {
        self.known().record.as_ref().is_none_or(Record::is_empty)
    }

    fn known(&self) -> RwLockReadGuard<'_, Outside> {
        let locked = self.0.outside.read();
        locked.unwrap_or_else(PoisonError::into_inner)
    }

    fn outside(&self) -> RwLockWriteGuard<'_, Outside> {
        let locked = self.0.outside.write();
        locked.unwrap_or_else(PoisonError::into_inner)
    }

    /// The record, begun when there is none. Who the session is for is trusted.
    fn record_of<'r>(&self, outside: &'r mut Outside) -> &'r mut Record {
        let Outside {
            record,
            trusted,
            untold,
            ..
        } = outside;
        record.get_or_insert_with(|| {
            let place = self.place();
            let key = place.map_or(self.0.memory.key, |place| place.hash_key);
            let reader = Reader::new(HashKey::new(key), self.0.memory.ngram);
            let prints = reader.prints(trusted.iter().map(String::as_str));
            let mut record = Record::new(reader, self.0.memory.capacity);
            let groups = self.0.groups.iter().flatten().map(String::as_str);
            record.trust(groups.chain([self.user()]));
            record.trust_prints(&prints);
            trusted.clear();
            if place.is_some() {
                untold.extend(prints);
            }
            record
        })
    }

    /// The person.
    pub fn user(&self) -> &str {
        &self.0.user
    }

    /// Whose windows of time are counted in: an e-mail is the same person in any case.
    pub fn person(&self) -> String {
        User::parse(self.user()).map_or_else(|_| self.user().to_owned(), |user| user.canonical())
    }

    /// The person's groups; `None` when none were given.
    pub fn groups(&self) -> Option<&[String]> {
        self.0.groups.as_deref()
    }

    /// The person's own login token.
    pub fn token(&self) -> Option<Token> {
        lock(&self.0.token).clone()
    }

    /// Take a newer token of the person's in place of the last one.
    pub fn replace_token(&self, token: Token) {
        *lock(&self.0.token) = Some(token);
    }

    /// The session's id.
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// Whether outside text was seen. Never goes back.
    pub fn saw_untrusted(&self) -> bool {
        self.0.saw_untrusted.load(Ordering::Acquire)
    }

    /// Whether private data was read. Never goes back.
    pub fn read_private(&self) -> bool {
        self.0.read_private.load(Ordering::Acquire)
    }

    /// Note that outside text is about to be seen.
    pub fn mark_untrusted(&self) {
        self.0.saw_untrusted.store(true, Ordering::Release);
    }

    /// Note that private data is about to be read: where it comes from, and who may read it besides the person.
    pub fn mark_private<T: AsRef<str>>(&self, what: &str, readers: &[T]) {
        self.privacy(|privacy| privacy.add(what, readers));
        self.0.read_private.store(true, Ordering::Release);
    }

    /// Remember private text, as fingerprints, to say later what repeats it.
    pub fn record_private(&self, texts: &[String]) {
        let reader = self.privacy(|privacy| privacy.reader().clone());
        // Reading a page takes its time, and other calls of the session need not wait for it.
        let prints = reader.prints(texts.iter().map(String::as_str));
        self.privacy(|privacy| privacy.record(&prints));
    }

    /// What is known of private data.
    pub(crate) fn privacy<T>(&self, look: impl FnOnce(&mut Privacy) -> T) -> T {
        let mut privacy = lock(&self.0.privacy);
        let memory = &self.0.memory;
        look(privacy.get_or_insert_with(|| Privacy::new(memory.key, memory.ngram, self.user())))
    }

    /// What it has seen.
    pub fn marks(&self) -> Marks {
        Marks {
            untrusted: self.saw_untrusted(),
            private: self.read_private(),
        }
    }

    /// How often a key was counted; of a session that a store keeps, what was learnt last.
    pub fn count(&self, key: &Key) -> u32 {
        lock(&self.0.counts).of(key)
    }

    /// Take one of each cap, all or none, in this process.
    /// Errors: the first cap that is reached; nothing is taken then.
    pub fn reserve(
        &self,
        caps: &[Cap],
        windows: &Arc<Windows>,
        now: Monotonic,
    ) -> Result<Slots, Cap> {
        if caps.is_empty() {
            return Ok(Slots(Taken::Nothing));
        }
        let ticket = windows.ticket();
        let mut counts = lock(&self.0.counts);
        if caps.iter().all(|cap| cap.limit.per.is_none()) {
            ledger::take(&mut counts, &mut Times::default(), caps, ticket, now.0)
                .map_err(Cap::clone)?;
        } else {
            windows.of(&self.person(), now, |times| {
                ledger::take(&mut counts, times, caps, ticket, now.0).map_err(Cap::clone)
            })?;
        }
        Ok(Slots(Taken::Here {
            session: self.clone(),
            windows: Arc::clone(windows),
            caps: caps.to_vec(),
            ticket,
        }))
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("user", &self.0.user)
            .field("id", &self.0.id)
            .finish_non_exhaustive()
    }
}

impl Slots {
    /// Nothing was to be taken.
    pub(crate) fn none() -> Slots {
        Slots(Taken::Nothing)
    }

    /// What a store took under a ticket.
    pub(crate) fn of_store(session: &Session, ticket: Ticket) -> Slots {
        Slots(Taken::There {
            session: session.clone(),
            ticket,
        })
    }

    /// Spend them: they are not given back.
    pub fn keep(mut self) {
        self.0 = Taken::Nothing;
    }
}

impl Drop for Slots {
    fn drop(&mut self) {
        match std::mem::replace(&mut self.0, Taken::Nothing) {
            Taken::Nothing => {}
            Taken::There { session, ticket } => session.owe(ticket),
            Taken::Here {
                session,
                windows,
                caps,
                ticket,
            } => {
                let mut counts = lock(&session.0.counts);
                if caps.iter().all(|cap| cap.limit.per.is_none()) {
                    ledger::give_back(&mut counts, &mut Times::default(), &caps, ticket);
                } else {
                    windows.give_back(&session.person(), |times| {
                        ledger::give_back(&mut counts, times, &caps, ticket);
                    });
                }
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
/// The bits of an id that are random.
const TAG_BITS: u128 = (1 << 62) - 1;

#[cfg(test)]
mod tests {
    use super::*;

    use super::caps::Limit;

    fn cap(name: &str, at_most: u32) -> Cap {
        Cap {
            key: Key::Tool(name.into()),
            limit: Limit::of_session(at_most),
        }
    }

    fn reserve(session: &Session, caps: &[Cap]) -> Result<Slots, Cap> {
        session.reserve(caps, &Arc::default(), Monotonic(std::time::Duration::ZERO))
    }

    #[test]
    fn caps_are_taken_all_or_none() {
        let session =
            Session::new("dana@example.com", None, None, None, Memory::new([1; 16])).unwrap();
        reserve(&session, &[cap("a", 2), cap("b", 1)])
            .unwrap()
            .keep();
        assert_eq!(
            reserve(&session, &[cap("a", 2), cap("b", 1)]).unwrap_err(),
            cap("b", 1)
        );
        assert_eq!(session.count(&Key::Tool("a".into())), 1);
        drop(reserve(&session, &[cap("a", 2)]).unwrap());
        assert_eq!(session.count(&Key::Tool("a".into())), 1);
        assert!(reserve(&session, &[cap("a", 0)]).is_err());
    }

    #[test]
    fn one_slot_is_taken_by_one_of_many_threads() {
        let session =
            Session::new("dana@example.com", None, None, None, Memory::new([1; 16])).unwrap();
        let taken = std::thread::scope(|scope| {
            let tries: Vec<_> = (0..16)
                .map(|_| scope.spawn(|| reserve(&session, &[cap("a", 3)]).map(Slots::keep).is_ok()))
                .collect();
            tries
                .into_iter()
                .map(|t| usize::from(t.join().unwrap()))
                .sum::<usize>()
        });
        assert_eq!(taken, 3);
    }

    #[test]
    fn a_blank_user_is_no_user() {
        assert_eq!(
            Session::new("  ", None, None, None, Memory::new([1; 16])).unwrap_err(),
            InvalidSession::User
        );
    }
}
