//! One run of a tool: what the checks before the body, the requests of the body, and the end of it share.
//!
//! INVARIANT: the first refusal at a request is the outcome of the call, whatever the body does with it. A [`Permit`] is made
//! by `pipeline` alone.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use toolpass_core::clock::{Monotonic, Wall};
use toolpass_core::codes::RefusalCode;
use toolpass_core::decision::Decision;
use toolpass_core::effect::Effect;
use toolpass_core::question::Question;
use toolpass_wire::observe::Systems;
use toolpass_wire::request::WireRequest;

use crate::again::{Again, AnsweredBy, Destroyed};
use crate::audit::{AuditEvent, CallOutcome, Counts, Note, ObservedAction};
use crate::entitlements::arguments::Arguments;
use crate::entitlements::enforce::{Standing, effect_of, standing};
use crate::fence::FenceId;
use crate::output::{self, Output};
use crate::redact::Secrets;
use crate::refusal::Refusal;
use crate::session::stored::Marks;
use crate::session::{Session, Slots};
use crate::settings::{ActAs, KnownSystems, Settings};
use crate::taint::Given;
use crate::tool::Tool;
use crate::{exfiltration, wording};

/// How long an allow is reused inside one call.
const REUSE: Duration = Duration::from_secs(5);

/// How many allows are remembered at a time.
const MAX_REMEMBERED: usize = 1024;

/// How many blocks a call remembers.
const MAX_BLOCKS: usize = 256;

/// One run of a tool.
pub struct Call {
    /// The settings at its start.
    pub settings: Arc<Settings>,
    /// The tool.
    pub tool: Arc<Tool>,
    /// For whom; `None` only for a call refused because there is nobody.
    pub session: Option<Session>,
    /// Whether requests of its body are looked at.
    pub hooked: bool,
    /// What it may do at most, as the tool declares, else as the file of entitlements says.
    pub effect: Option<Effect>,
    /// The arguments that may name a resource; none when no file of entitlements is in use.
    given: Arguments,
    /// The texts of its arguments, which may repeat outside text.
    pub(crate) repeatable: Given,
    /// The systems that a server told, where it is one that tells them.
    pub(crate) told: OnceLock<Arc<Systems>>,
    parent: Option<String>,
    /// Whether what its body reads does not reach the model: its output, or that of a call it is made in, stays behind a handle.
    pub(crate) stays: bool,
    id: OnceLock<String>,
    began: Monotonic,
    wall: Wall,
    arguments: Option<String>,
    /// Whom the application named as readers of what the body sends.
    pub(crate) audience: OnceLock<Vec<String>>,
    /// Whom the application named as readers of what the body reads.
    pub(crate) readers: OnceLock<Vec<String>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    phase: Phase,
    observed: Vec<ObservedAction>,
    refused: HashMap<[u8; 32], Refusal>,
    first: Option<Refusal>,
    allowed: HashMap<Asked, Monotonic>,
    /// What came after the end and is no event yet.
    late: Vec<Late>,
    permits: Vec<Passage>,
    passed: u64,
    /// Requests that are being sent: the number of the passage, when it came, and its entries.
    sending: Vec<(u64, Monotonic, Range<usize>)>,
    counts: Counts,
    destroyed: Destroyed,
    authorization: Option<String>,
    /// What the file of entitlements lacks of the tool, and was waived.
    missing: Option<RefusalCode>,
    secrets: Secrets,
    /// Blocks that the body itself fenced, and blocks in what its nested tools gave it.
    minted: Vec<FenceId>,
    nested: Vec<FenceId>,
}

/// Where a call is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// Its checks run.
    #[default]
    Before,
    /// Its body is over.
    Over,
    /// Its body runs.
    Running,
}

/// A question whose allow is reused inside the call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Asked {
    pub(crate) connection: String,
    pub(crate) action: String,
    pub(crate) resource: String,
    pub(crate) facts: Vec<(String, String)>,
}

impl Asked {
    /// Whether it is what this question asks.
    pub(crate) fn is_of(&self, question: &Question) -> bool {
        let facts = self.facts.iter().map(|(name, value)| (name, value));
        self.connection == question.connection
            && self.action == question.action
            && self.resource == question.resource
            && facts.eq(question.facts.iter())
    }

    pub(crate) fn of(question: &Question) -> Asked {
        Asked {
            connection: question.connection.clone(),
            action: question.action.clone(),
            resource: question.resource.clone(),
            facts: question
                .facts
                .iter()
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
        }
    }
}

/// A request that came after the call had ended.
enum Late {
    Passed(ObservedAction),
    Refused(Refusal),
}

/// A request that was let through and has not been sent by a lower layer yet.
struct Passage {
    number: u64,
    who: ActAs,
    request: Arc<WireRequest>,
}

/// The one value that lets a body run.
///
/// INVARIANT: made by `pipeline` alone, after every check; not `Clone`; consumed by [`Permit::enter`]. Dropped unused, it gives
/// the call's slots back.
#[must_use]
pub struct Permit {
    call: Arc<Call>,
    slots: Slots,
}

/// How a body ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodyEnd {
    /// It was given up before the body ran.
    Cancelled,
    /// It raised an exception of this type.
    Raised(String),
    /// It returned something that cannot be handed out; the type of the failure.
    ResultRejected(String),
    /// It returned.
    Returned,
}

/// A call that is over.
#[derive(Debug)]
pub struct Finished {
    /// What happened.
    pub event: AuditEvent,
    /// The refusal the caller gets instead of whatever the body did.
    pub refusal: Option<Refusal>,
}

impl Permit {
    pub(crate) fn new(call: Arc<Call>, slots: Slots) -> Permit {
        Permit { call, slots }
    }

    /// The call it is for.
    pub fn call(&self) -> &Arc<Call> {
        &self.call
    }

    /// The body begins: its slots are spent, and the session is marked for what the body will read.
    pub fn enter(self) -> Arc<Call> {
        self.slots.keep();
        if let Some(session) = &self.call.session {
            if self.call.marks().untrusted {
                session.mark_untrusted();
            }
            if self.call.tool.reads_private {
                exfiltration::mark(&self.call, session);
            }
        }
        self.call.lock().phase = Phase::Running;
        self.call
    }
}

impl Call {
    pub(crate) fn new(
        (settings, tool): (Arc<Settings>, Arc<Tool>),
        session: Option<Session>,
        parent: Option<&Call>,
        (began, wall): (Monotonic, Wall),
        (arguments, given, repeatable): (Option<String>, Arguments, Given),
    ) -> Call {
        let hooked = tool.wants_hook(&settings);
        let file = settings.entitlements.as_deref();
        let effect = effect_of(tool.effect, standing(file, &tool.name));
        let stays_within = |outer: &Call| outer.stays && outer.phase() == Phase::Running;
        let stays = tool.outside.behind_handle || parent.is_some_and(stays_within);
        Call {
            settings,
            tool,
            session,
            hooked,
            effect,
            given,
            repeatable,
            stays,
            told: OnceLock::new(),
            parent: parent.map(|outer| outer.id().to_owned()),
            id: OnceLock::new(),
            began,
            wall,
            arguments,
            audience: OnceLock::new(),
            readers: OnceLock::new(),
            state: Mutex::default(),
        }
    }

    /// What its session has seen once its body has run.
    pub(crate) fn marks(&self) -> Marks {
        Marks {
            untrusted: output::of(self) == Output::Fenced && !self.stays,
            private: self.tool.reads_private,
        }
    }

    /// The id of its audit event.
    pub fn id(&self) -> &str {
        self.id.get_or_init(|| new_id(self.wall))
    }

    /// Which host is which connection; nothing while nobody told.
    pub fn systems(&self) -> Option<&Arc<Systems>> {
        match &self.settings.systems {
            KnownSystems::Known(systems) => Some(systems),
            KnownSystems::NeverTold => None,
            KnownSystems::Served => self.told.get(),
        }
    }

    /// How its tool stands to the file of entitlements.
    pub fn standing(&self) -> Standing<'_> {
        standing(self.settings.entitlements.as_deref(), &self.tool.name)
    }

    /// The arguments that may name a resource.
    pub fn given(&self) -> &Arguments {
        &self.given
    }

    /// How many bytes of its arguments are compared with outside text: for whoever must know how long that takes.
    pub fn compared_len(&self) -> usize {
        self.repeatable.len()
    }

    /// Where it is.
    pub fn phase(&self) -> Phase {
        self.lock().phase
    }

    /// What its body's requests were, so far.
    pub fn observed(&self) -> Vec<ObservedAction> {
        self.lock().observed.clone()
    }

    /// How many requests its body made, so far.
    pub fn requests(&self) -> usize {
        self.lock().observed.len()
    }

    /// The first refusal at a request, so far.
    pub fn refusal(&self) -> Option<Refusal> {
        self.lock().first.clone()
    }

    /// Secrets to be redacted from everything that leaves the call: those handed to bodies so far, its own included.
    pub fn hide(&self, secrets: &Secrets) {
        let mut state = self.lock();
        state.secrets = state.secrets.and(secrets);
    }

    /// A block was fenced by the body itself.
    pub fn note_minted(&self, id: FenceId) {
        keep_some(&mut self.lock().minted, [id]);
    }

    /// A nested call is over: its blocks are none of this body's own.
    pub fn note_nested(&self, inner: &Call, own: Option<FenceId>) {
        let (minted, nested) = inner.blocks();
        let ids = minted.into_iter().chain(nested).chain(own);
        keep_some(&mut self.lock().nested, ids);
    }

    /// Blocks that the body fenced, and blocks of its nested calls.
    pub(crate) fn blocks(&self) -> (Vec<FenceId>, Vec<FenceId>) {
        let state = self.lock();
        (state.minted.clone(), state.nested.clone())
    }

    /// What was done to its output.
    pub(crate) fn count(&self, more: Counts) {
        let counts = &mut self.lock().counts;
        counts.redacted = counts.redacted.saturating_add(more.redacted);
        counts.fenced = counts.fenced.saturating_add(more.fenced);
        counts.tainted = counts.tainted.saturating_add(more.tainted);
    }

    /// Something destructive was allowed by the answer to this question.
    pub(crate) fn destroyed(&self, by: AnsweredBy, question: Question) {
        self.lock().destroyed.add(by, question);
    }

    /// What is to be asked again once the body is over, each once. It is answered by [`Call::answer_again`].
    pub fn to_ask_again(&self) -> Vec<Again> {
        self.lock().destroyed.take()
    }

    /// What a question that was asked again was answered.
    pub fn answer_again(&self, decision: &Decision) {
        self.lock().destroyed.answer(decision);
    }

    /// When something was, for a record: by the clock that does not jump, in whole milliseconds as it is written.
    pub(crate) fn wall_at(&self, then: Monotonic) -> Wall {
        let exactly = self.wall.0.saturating_add(then.since(self.began));
        let part = exactly.subsec_nanos() % 1_000_000;
        Wall(exactly.saturating_sub(Duration::from_nanos(part.into())))
    }

    /// What is redacted.
    pub fn secrets(&self) -> Secrets {
        self.lock().secrets.clone()
    }

    /// A library the body uses cannot be looked at: the call is refused, and this is its outcome.
    pub fn library_unhooked(&self, library: &str) -> Refusal {
        let refusal = Refusal::of_call(
            RefusalCode::CheckError,
            &self.tool.name,
            wording::unhooked(library),
        );
        self.keep_first(refusal)
    }

    /// A check at a request crashed: the call is refused, and this is its outcome unless there is one.
    pub fn check_crashed(&self, type_name: &str) -> Refusal {
        let refusal = Refusal::of_call(
            RefusalCode::CheckError,
            &self.tool.name,
            wording::check_crashed(type_name),
        );
        self.keep_first(refusal)
    }

    /// The event that says its body is about to begin; the one at its end has the same id.
    pub fn started(&self, now: Monotonic) -> AuditEvent {
        self.event(CallOutcome::Started, None, None, now)
    }

    /// End the call without an event, for when nobody reads it. Answers the refusal its caller gets.
    pub fn end(&self) -> Option<Refusal> {
        let mut state = self.lock();
        state.phase = Phase::Over;
        state.permits.clear();
        state.first.clone()
    }

    /// End the call.
    pub fn finish(&self, end: &BodyEnd, now: Monotonic) -> Finished {
        let refusal = self.end();
        let (outcome, code, reason) = match (&refusal, end) {
            (Some(refusal), _) => (
                CallOutcome::Refused,
                Some(refusal.code),
                Some(refusal.reason.clone()),
            ),
            (None, BodyEnd::Cancelled) => (CallOutcome::Cancelled, None, None),
            (None, BodyEnd::Raised(type_name)) => {
                (CallOutcome::Raised, None, Some(type_name.clone()))
            }
            (None, BodyEnd::ResultRejected(type_name)) => (
                CallOutcome::Raised,
                None,
                Some(format!("after the body: {type_name}")),
            ),
            (None, BodyEnd::Returned) => (CallOutcome::Ran, None, None),
        };
        Finished {
            event: self.event(outcome, code, reason, now),
            refusal,
        }
    }

    /// End a call that never reached its body, without an event. Answers the refusal as its caller gets it.
    pub fn end_refused(&self, refusal: Refusal) -> Refusal {
        let mut state = self.lock();
        state.phase = Phase::Over;
        state.clean_refusal(refusal)
    }

    /// End a call that never reached its body.
    pub fn refuse(&self, refusal: Refusal, now: Monotonic) -> Finished {
        let refusal = self.end_refused(refusal);
        let event = self.event(
            CallOutcome::Refused,
            Some(refusal.code),
            Some(refusal.reason.clone()),
            now,
        );
        Finished {
            event,
            refusal: Some(refusal),
        }
    }

    /// The events of requests that came after the call had ended, each once.
    pub fn late_events(&self, now: Monotonic) -> Vec<AuditEvent> {
        let late = std::mem::take(&mut self.lock().late);
        late.into_iter()
            .map(|late| self.late_event(late, now))
            .collect()
    }

    fn late_event(&self, late: Late, now: Monotonic) -> AuditEvent {
        let (code, reason, action) = match late {
            Late::Passed(action) => (None, None, Some(action)),
            Late::Refused(refusal) => (
                Some(refusal.code),
                Some(refusal.reason),
                refusal.action.map(|action| *action),
            ),
        };
        let time = self.wall_at(now);
        let noted = |action| ObservedAction {
            note: Some(Note::Late),
            ..action
        };
        AuditEvent {
            id: new_id(time),
            parent: Some(self.id().into()),
            time,
            arguments: None,
            actions: action.map(noted).into_iter().collect(),
            ..self.event(CallOutcome::Late, code, reason, now)
        }
    }

    /// A refusal as the model is told it. What is refused of a body that keeps its output behind a handle may be made of outside
    /// text: host, path and resource of a request are not shown then; the audit event has them.
    pub fn told(&self, refusal: Refusal) -> Refusal {
        let stays = self.tool.outside.behind_handle;
        let Some(action) = refusal.action.clone().filter(|_| stays) else {
            return refusal;
        };
        let hidden = || wording::hidden_text().to_owned();
        Refusal {
            reason: wording::reason_hidden(),
            action: Some(Box::new(ObservedAction {
                host: hidden(),
                path: hidden(),
                resource: action.resource.as_ref().map(|_| hidden()),
                reason: None,
                ..*action
            })),
            ..refusal
        }
    }

    /// Whether an argument was given as a handle: what is said about it may repeat outside text.
    pub fn has_handles(&self) -> bool {
        self.repeatable.has_handles()
    }

    pub(crate) fn note_authorization(&self, said: String) {
        self.lock().authorization = Some(said);
    }

    pub(crate) fn note_missing(&self, code: RefusalCode) {
        self.lock().missing = Some(code);
    }

    /// The refusal of the same request before. It is told apart only when there was any.
    pub(crate) fn refused_before(&self, request: &WireRequest) -> Option<Refusal> {
        if self.lock().refused.is_empty() {
            return None;
        }
        let digest = request.digest();
        self.lock().refused.get(&digest).cloned()
    }

    /// Record a refused request, without the call's secrets; the first one becomes the outcome.
    pub(crate) fn record_refused(&self, digest: [u8; 32], refusal: Refusal) -> Refusal {
        let mut state = self.lock();
        let refusal = state.record_refused(refusal);
        state.refused.insert(digest, refusal.clone());
        refusal
    }

    /// Record a program that the body may not start; the first refusal becomes the outcome.
    pub(crate) fn refuse_program(&self, refusal: Refusal) -> Refusal {
        self.lock().record_refused(refusal)
    }

    /// Record a program that the body starts.
    pub(crate) fn record_program(&self, action: ObservedAction) {
        let mut state = self.lock();
        let action = state.clean_action(action);
        if state.phase == Phase::Over {
            state.late.push(Late::Passed(action));
        } else {
            state.observed.push(action);
        }
    }

    /// Record a request that was let through. Answers the number of its passage, which a lower layer may use up until it is
    /// [`Call::revoke`]d. Nothing when the call has ended meanwhile, unless the request may pass all the same.
    pub(crate) fn record_allowed(
        &self,
        (who, request): (ActAs, &Arc<WireRequest>),
        came: Monotonic,
        actions: Vec<ObservedAction>,
        even_when_over: bool,
    ) -> Option<u64> {
        let mut state = self.lock();
        if state.phase == Phase::Over && !even_when_over {
            return None;
        }
        let actions: Vec<_> = actions
            .into_iter()
            .map(|action| state.clean_action(action))
            .collect();
        let number = state.passed;
        state.passed += 1;
        if state.phase == Phase::Over {
            state.late.extend(actions.into_iter().map(Late::Passed));
        } else {
            let first = state.observed.len();
            state.observed.extend(actions);
            let entries = first..state.observed.len();
            state.sending.push((number, came, entries));
        }
        state.permits.push(Passage {
            number,
            who,
            request: Arc::clone(request),
        });
        Some(number)
    }

    /// Whether an upper layer holds a permit just now. Without one there is nothing a lower layer could use up.
    pub fn holds_permits(&self) -> bool {
        !self.lock().permits.is_empty()
    }

    /// Use up the permit an upper layer was given for this very request, on this authority.
    pub(crate) fn take_permit(&self, who: ActAs, request: &WireRequest) -> bool {
        let held: Vec<_> = self
            .lock()
            .permits
            .iter()
            .filter(|passage| passage.who == who)
            .map(|passage| (passage.number, Arc::clone(&passage.request)))
            .collect();
        // Comparing may take as long as the bodies are big, so nobody waits for it.
        let same = held
            .iter()
            .find(|(_, held)| held.sending() == request.sending());
        same.is_some_and(|(number, _)| {
            let mut state = self.lock();
            let place = state
                .permits
                .iter()
                .position(|passage| passage.number == *number);
            place
                .map(|place| state.permits.swap_remove(place))
                .is_some()
        })
    }

    /// The request with this permit has been sent.
    pub(crate) fn sent(&self, number: u64, now: Monotonic) {
        let mut state = self.lock();
        let place = state.sending.iter().position(|(of, ..)| *of == number);
        let Some((_, came, entries)) = place.map(|place| state.sending.swap_remove(place)) else {
            return;
        };
        for action in state.observed.get_mut(entries).into_iter().flatten() {
            action.duration_us = microseconds(now.since(came));
        }
    }

    /// The layer that was given this permit is done with it.
    pub(crate) fn revoke(&self, number: u64) {
        self.lock()
            .permits
            .retain(|passage| passage.number != number);
    }

    pub(crate) fn remember_allowed(&self, asked: Asked, now: Monotonic) {
        let mut state = self.lock();
        if state.allowed.len() >= MAX_REMEMBERED {
            state.allowed.retain(|_, then| now.since(*then) <= REUSE);
        }
        if state.allowed.len() < MAX_REMEMBERED {
            state.allowed.insert(asked, now);
        }
    }

    pub(crate) fn allowed_lately(&self, asked: &Asked, now: Monotonic) -> bool {
        self.lock()
            .allowed
            .get(asked)
            .is_some_and(|then| now.since(*then) <= REUSE)
    }

    fn keep_first(&self, refusal: Refusal) -> Refusal {
        let mut state = self.lock();
        let refusal = state.clean_refusal(refusal);
        if state.phase == Phase::Over {
            state.late.push(Late::Refused(refusal.clone()));
        }
        state.first.get_or_insert_with(|| refusal.clone());
        refusal
    }

    fn event(
        &self,
        outcome: CallOutcome,
        code: Option<RefusalCode>,
        reason: Option<String>,
        now: Monotonic,
    ) -> AuditEvent {
        let state = self.lock();
        let clean = |text: String| state.secrets.redact(&text).into_owned();
        AuditEvent {
            id: self.id().into(),
            parent: self.parent.clone(),
            time: self.wall_at(self.began),
            tool: self.tool.name.clone(),
            effect: self.effect,
            outcome,
            code: code.or(state.missing),
            reason: reason.map(&clean),
            session: self
                .session
                .as_ref()
                .map(|session| clean(session.id().into())),
            user: self
                .session
                .as_ref()
                .map(|session| clean(session.user().into())),
            arguments: self
                .arguments
                .as_deref()
                .map(|json| state.secrets.redact_json(json).into_owned()),
            authorization: state.authorization.clone().map(&clean),
            entitled: match self.standing() {
                Standing::Held(_) => Some(true),
                Standing::NoFile => None,
                Standing::Unlisted => Some(false),
            },
            duration_us: microseconds(now.since(self.began)),
            counts: state.counts,
            revoked_during_call: state.destroyed.revoked(),
            actions: state.observed.clone(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A duration as events have it.
pub(crate) fn microseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// Add blocks, as many as are remembered. What is forgotten counts as forged.
fn keep_some(blocks: &mut Vec<FenceId>, ids: impl IntoIterator<Item = FenceId>) {
    let room = MAX_BLOCKS.saturating_sub(blocks.len());
    blocks.extend(ids.into_iter().take(room));
}

/// The id of an event of this time: UUIDv7.
pub(crate) fn new_id(wall: Wall) -> String {
    let (seconds, nanos) = (wall.0.as_secs(), wall.0.subsec_nanos());
    uuid::Uuid::new_v7(uuid::Timestamp::from_unix(uuid::NoContext, seconds, nanos)).to_string()
}

impl State {
    /// Keep a refusal, without the call's secrets.
    fn record_refused(&mut self, refusal: Refusal) -> Refusal {
        let refusal = self.clean_refusal(refusal);
        if self.phase == Phase::Over {
            self.late.push(Late::Refused(refusal.clone()));
        } else if let Some(action) = &refusal.action {
            self.observed.push((**action).clone());
        }
        self.first.get_or_insert_with(|| refusal.clone());
        refusal
    }

    /// A refusal without the call's secrets: a path or a resource may hold one.
    fn clean_refusal(&self, refusal: Refusal) -> Refusal {
        if self.secrets.is_empty() {
            return refusal;
        }
        Refusal {
            reason: self.secrets.redact(&refusal.reason).into_owned(),
            action: refusal
                .action
                .map(|action| Box::new(self.clean_action(*action))),
            ..refusal
        }
    }

    fn clean_action(&self, action: ObservedAction) -> ObservedAction {
        if self.secrets.is_empty() {
            return action;
        }
        let clean = |text: String| self.secrets.redact(&text).into_owned();
        ObservedAction {
            host: clean(action.host),
            path: clean(action.path),
            reason: action.reason.map(clean),
            resource: action.resource.map(clean),
            ..action
        }
    }
}
