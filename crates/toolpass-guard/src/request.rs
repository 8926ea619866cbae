//! The order of rules at one request of a body, and nothing but that order.
//!
//! The rules are numbered as the specification of the wire numbers them; each is a function of its own in [`rules`], those about
//! the resource in [`target`], those of the tool's entitlements in [`entitled`].
//! [`RequestCheck::next`] says what must be known next, until it hands out the [`RequestPermit`] or a [`Refusal`]. A check that
//! is dropped lets nothing through and gives back what it took.

mod entitled;
mod named;
mod published;
mod rules;
mod target;

use std::net::IpAddr;
use std::sync::Arc;

use toolpass_core::clock::Monotonic;
use toolpass_core::codes::RefusalCode;
use toolpass_core::decision::Decision;
use toolpass_core::effect::Effect;
use toolpass_core::question::{Freshness, Pointer, Question};
use toolpass_core::resource::{Resource, Visibility};
use toolpass_wire::extract::Need;
use toolpass_wire::observe::{RowInfo, Served, Systems};
use toolpass_wire::request::WireRequest;

use crate::again::AnsweredBy;
use crate::audit::Note;
use crate::call::{Asked, Call, Phase, microseconds};
use crate::refusal::Refusal;
use crate::scope::AskText;
use crate::session::stored::{Answer, Errands, Operation, Place};
use crate::session::{Session, Slots};
use crate::settings::{ActAs, EngineState, UnknownHosts};
use published::Publishing;

/// A request under way to its permit.
pub struct RequestCheck {
    call: Arc<Call>,
    session: Option<Session>,
    request: Arc<WireRequest>,
    /// On whose authority the body sends it.
    block: ActAs,
    /// On whose authority it runs, where no entry says otherwise of a pair.
    who: ActAs,
    /// When it came.
    came: Monotonic,
    /// Actions that the tool's entitlements cap, each with its cap.
    capped: Vec<(String, u32)>,
    /// What the tool's entitlements lack of it, and was waived.
    missing: Option<RefusalCode>,
    step: Step,
    subject: Subject,
    pairs: Vec<PairState>,
    slots: Option<Slots>,
    /// What the session's store is asked and told.
    errands: Errands,
    /// The end, once the store has been told of it.
    ending: Option<Refusal>,
    awaited: Option<Awaited>,
    /// What is found out about who reads what is sent.
    publishing: Option<Publishing>,
    /// Why a pointer could not be looked up in the connections that were tried.
    looked_up: Option<Refusal>,
    refusal: Option<Refusal>,
    late: bool,
}

/// What must be known next.
pub enum RequestNext {
    /// The answer of the engine: [`RequestCheck::answer_decision`].
    Ask(Box<Question>),
    /// What the request is, asked of the server that has the tables: [`RequestCheck::answer_served`].
    Observe {
        /// The systems it could belong to.
        candidates: Vec<usize>,
    },
    /// The addresses of a host of no connection: [`RequestCheck::answer_addresses`].
    Locate {
        /// The host.
        host: String,
        /// The port.
        port: u16,
    },
    /// Nothing: the request may leave.
    Pass(RequestPermit),
    /// Nothing: it is refused.
    Refuse(Refusal),
    /// Who can read a resource: [`RequestCheck::answer_visibility`].
    See {
        /// The connection it is of.
        connection: String,
        /// The resource.
        resource: Resource,
    },
    /// Where a pointer leads: [`RequestCheck::answer_resource`].
    Resolve {
        /// The connection to look it up in.
        connection: String,
        /// How new the look-up must be.
        freshness: Freshness,
        /// The pointer.
        pointer: Pointer,
    },
    /// What the session's store answers: [`RequestCheck::answer_session`].
    Session(Place, Arc<Operation>),
}

/// The one value that lets a request leave.
///
/// INVARIANT: made by this module alone, after every rule; not `Clone`. It is for one sending of one request. Whoever was given
/// it keeps it while it sends: dropped, no lower layer can use it up any more.
#[must_use]
pub struct RequestPermit {
    call: Arc<Call>,
    number: u64,
    request: Arc<WireRequest>,
    unasked_write: bool,
}

/// What the observation came to.
enum Subject {
    /// A request with (action, resource) pairs to be checked.
    Mapped {
        systems: Vec<usize>,
        row: RowInfo,
        effect: Effect,
    },
    /// A request that no pair is known of: only the rules that need none apply.
    Unchecked {
        effect: Effect,
        sends_out: bool,
        private: bool,
        note: Note,
        systems: Vec<usize>,
    },
    /// Refused already, or let through without a look.
    Settled,
}

/// One (action, resource) pair.
struct PairState {
    need: Need,
    resource: Option<Resource>,
    system: Option<usize>,
    /// On whose authority it runs.
    who: ActAs,
    /// Whether its entry wants a fresh answer.
    fresh: bool,
    /// What the tool's entitlements lack of it, and was waived.
    missing: Option<RefusalCode>,
    /// The question whose answer let it pass.
    allowed_by: Option<Question>,
}

#[derive(Clone, Copy)]
enum Step {
    /// Rules 0 to 4: what is this request?
    Identify,
    /// Rule 2: is its host another name of a connection's server?
    Locate,
    /// Rule 4 for the pair of this number: where does its pointer lead? Asked of the connection of the second number.
    Resolve(usize, usize),
    /// Rule 4': which connection owns it?
    Select,
    /// Rules 5 to 8.
    Hold,
    /// Rule 9 for the pair of this number.
    Ask(usize),
    /// What a store knows that rules 10 and 11 judge by.
    Learn,
    /// Rules 10 and 11.
    Guard,
    /// Rule 11 for what is published.
    Publish,
    /// What a store is told of rule 12.
    Mark,
    /// Rule 12.
    Pass,
}

/// What was asked for and is not answered yet.
///
/// INVARIANT: nothing goes on while there is one, and nothing else is taken for its answer.
enum Awaited {
    Addresses,
    Decision { pair: usize, asked: Asked },
    Visibility,
    Resource { pair: usize, tried: usize },
    Served(Vec<usize>),
    Session,
}

impl RequestPermit {
    /// Whether `request` is the one this permit is for.
    pub fn covers(&self, request: &WireRequest) -> bool {
        self.request.sending() == request.sending()
            && request.host_problem().is_none()
            && request.problem().is_none()
    }

    /// It has been sent, and its answer has begun. What was sent under a permit that is dropped without a word took no time.
    pub fn sent(&self, now: Monotonic) {
        self.call.sent(self.number, now);
    }

    /// No lower layer may use it up any more; it is only kept to tell when the request was sent.
    pub fn release(&self) {
        self.call.revoke(self.number);
    }

    /// Whether it is for a write in a toolkit that has neither an engine nor connections, so that nobody was asked. Not where
    /// every unknown host is let through on purpose.
    pub fn is_unasked_write(&self) -> bool {
        self.unasked_write
    }
}

impl Drop for RequestPermit {
    fn drop(&mut self) {
        self.call.revoke(self.number);
    }
}

/// Whether an upper layer was just given a permit for this very request, on the same authority; uses it up. `block` is the
/// innermost `as_user()` or `as_agent()` block, if any.
pub fn admitted(call: &Call, block: Option<ActAs>, request: &WireRequest) -> bool {
    let who = block.unwrap_or(call.settings.act_as);
    request.is_plain() && call.take_permit(who, request)
}

impl RequestCheck {
    /// Look at a request. `block` is the innermost `as_user()` or `as_agent()` block, if any.
    pub fn new(
        call: &Arc<Call>,
        block: Option<ActAs>,
        request: Arc<WireRequest>,
        now: Monotonic,
    ) -> RequestCheck {
        RequestCheck {
            came: now,
            session: call.session.clone(),
            block: block.unwrap_or(call.settings.act_as),
            who: block.unwrap_or(call.settings.act_as),
            capped: Vec::new(),
            missing: None,
            late: call.phase() == Phase::Over,
            call: Arc::clone(call),
            request,
            step: Step::Identify,
            subject: Subject::Settled,
            pairs: Vec::new(),
            slots: None,
            errands: Errands::default(),
            ending: None,
            awaited: None,
            publishing: None,
            looked_up: None,
            refusal: None,
        }
    }

    /// The request.
    pub fn request(&self) -> &Arc<WireRequest> {
        &self.request
    }

    /// The systems it is attributed to.
    pub fn systems(&self) -> Option<&Arc<Systems>> {
        self.call.systems()
    }

    /// What must be known next. `host` answers the application's own scope predicates.
    pub fn next(
        mut self,
        host: &dyn AskText,
        now: Monotonic,
    ) -> (Option<RequestCheck>, RequestNext) {
        if let Some(refusal) = self.ending.take() {
            return (None, RequestNext::Refuse(refusal));
        }
        if let Some(refusal) = self.call.refused_before(&self.request) {
            return self.end_told(refusal);
        }
        if let Some(refusal) = self.refusal.take() {
            return self.end_refused(refusal, now);
        }
        if self.awaited.is_some() {
            let refusal = self.unanswered();
            return self.end_refused(refusal, now);
        }
        loop {
            if let Some(next) = self.errand() {
                return (Some(self), next);
            }
            let checked = match self.step {
                Step::Identify => self.identify(),
                Step::Locate => Ok(Some(self.locate())),
                Step::Resolve(pair, tried) => self.resolve(pair, tried),
                Step::Select => {
                    self.step = Step::Hold;
                    self.select().map(|()| None)
                }
                Step::Hold => {
                    self.step = Step::Ask(0);
                    self.hold(host, now).map(|()| None)
                }
                Step::Ask(pair) => {
                    self.step = Step::Ask(pair + 1);
                    self.ask(pair, now)
                }
                Step::Learn => {
                    self.step = Step::Guard;
                    self.learn();
                    Ok(None)
                }
                Step::Guard => {
                    self.step = Step::Publish;
                    self.guard().map(|()| None)
                }
                Step::Publish => self.publish(),
                Step::Mark => {
                    self.step = Step::Pass;
                    self.tell_marks();
                    Ok(None)
                }
                Step::Pass => return self.end_passed(now),
            };
            match checked {
                Ok(None) => {}
                Ok(Some(next)) => return (Some(self), next),
                Err(refusal) => return self.end_refused(refusal, now),
            }
        }
    }

    /// Answer [`RequestNext::Ask`].
    pub fn answer_decision(&mut self, question: &Question, decision: &Decision, now: Monotonic) {
        let Some(Awaited::Decision { pair, asked }) = self.awaited.take() else {
            return self.refuse_unasked();
        };
        if !asked.is_of(question) {
            return self.refuse_unasked();
        }
        match self.refused_by(pair, question, decision) {
            Some(refusal) => self.refuse(refusal),
            None => self.call.remember_allowed(asked, now),
        }
    }

    /// Answer [`RequestNext::Locate`]: where the host leads; nothing when it cannot be found out.
    pub fn answer_addresses(&mut self, addresses: &[IpAddr]) {
        let Some(Awaited::Addresses) = self.awaited.take() else {
            return self.refuse_unasked();
        };
        if let Some(refusal) = self.another_name(addresses) {
            self.refuse(refusal);
        }
    }

    /// Answer [`RequestNext::Observe`]: what the request is, or why the server did not say.
    pub fn answer_served(&mut self, answer: Result<Served, Decision>) {
        let Some(Awaited::Served(candidates)) = self.awaited.take() else {
            return self.refuse_unasked();
        };
        let named = match answer {
            Ok(served) => self.named(candidates, served),
            Err(decision) => Err(self.not_named(&candidates, &decision)),
        };
        if let Err(refusal) = named {
            self.refuse(refusal);
        }
    }

    /// Answer [`RequestNext::Resolve`]: the resource, nothing, or why it could not be looked up.
    pub fn answer_resource(&mut self, answer: Result<Option<Resource>, Decision>) {
        let Some(Awaited::Resource { pair, tried }) = self.awaited.take() else {
            return self.refuse_unasked();
        };
        self.resolved(pair, tried, answer);
    }

    /// Answer [`RequestNext::Session`]: the failure's type when the store did not answer.
    pub fn answer_session(&mut self, answered: Result<Answer, String>) {
        let Some(Awaited::Session) = self.awaited.take() else {
            return self.refuse_unasked();
        };
        if let Some(operation) = self.errands.done()
            && let Some(refusal) = self.answered(&operation, answered)
        {
            self.refuse(refusal);
        }
    }

    /// Answer [`RequestNext::See`]: who can read it, nothing when that is not known, or why it could not be found out.
    pub fn answer_visibility(&mut self, answer: Result<Option<Visibility>, Decision>) {
        let Some(Awaited::Visibility) = self.awaited.take() else {
            return self.refuse_unasked();
        };
        if let Err(refusal) = self.seen(answer) {
            self.refuse(refusal);
        }
    }

    /// A rule failed in a way nobody expected: the request is refused, never let through.
    pub fn crashed(self, type_name: &str) -> Refusal {
        let refusal = Refusal::of_call(
            RefusalCode::CheckError,
            &self.call.tool.name,
            crate::wording::check_crashed(type_name),
        );
        self.call.record_refused(self.request.digest(), refusal)
    }

    fn end_refused(
        self,
        mut refusal: Refusal,
        now: Monotonic,
    ) -> (Option<RequestCheck>, RequestNext) {
        if let Some(action) = &mut refusal.action {
            action.duration_us = microseconds(now.since(self.came));
        }
        let refusal = self.call.record_refused(self.request.digest(), refusal);
        self.end_told(refusal)
    }

    /// The request is refused; first what a store took for it is given back.
    fn end_told(mut self, refusal: Refusal) -> (Option<RequestCheck>, RequestNext) {
        drop(self.slots.take());
        self.errands.clear();
        if let Some(owed) = self.stored().and_then(Session::owed) {
            self.errands.plan(owed);
            if let Some(next) = self.errand() {
                self.ending = Some(refusal);
                return (Some(self), next);
            }
        }
        (None, RequestNext::Refuse(refusal))
    }

    /// The session, if a store keeps it.
    fn stored(&self) -> Option<&Session> {
        self.session
            .as_ref()
            .filter(|session| session.place().is_some())
    }

    /// What the session's store is asked or told next.
    fn errand(&mut self) -> Option<RequestNext> {
        let place = self.stored()?.place()?.clone();
        let operation = self.errands.next()?;
        self.awaited = Some(Awaited::Session);
        Some(RequestNext::Session(place, operation))
    }

    fn end_passed(mut self, now: Monotonic) -> (Option<RequestCheck>, RequestNext) {
        let even_when_over = self.late || self.is_to_unknown_host();
        let mut actions = self.actions();
        for action in &mut actions {
            action.duration_us = microseconds(now.since(self.came));
        }
        let passing = (self.block, &self.request);
        let recorded = self
            .call
            .record_allowed(passing, self.came, actions, even_when_over);
        let Some(number) = recorded else {
            let refusal = self.too_late();
            return self.end_refused(refusal, now);
        };
        for pair in &mut self.pairs {
            if let Some(question) = pair.allowed_by.take() {
                self.call.destroyed(AnsweredBy::Toolkit, question);
            }
        }
        self.mark();
        if let Some(slots) = self.slots.take() {
            slots.keep();
        }
        let call = Arc::clone(&self.call);
        let permit = RequestPermit {
            call,
            number,
            request: Arc::clone(&self.request),
            unasked_write: self.is_unasked_write(),
        };
        (None, RequestNext::Pass(permit))
    }

    fn is_unasked_write(&self) -> bool {
        let settings = &self.call.settings;
        let nobody = settings.engine == EngineState::Absent
            && !settings.has_connections
            && settings.unknown_hosts == UnknownHosts::Guarded;
        let writes =
            matches!(&self.subject, Subject::Unchecked { effect, .. } if *effect != Effect::Read);
        nobody && settings.entitlements.is_none() && writes
    }

    /// An answer to nothing that was asked: whatever it says, the request is refused.
    fn refuse_unasked(&mut self) {
        let refusal = self.unanswered();
        self.refuse(refusal);
    }

    /// The first refusal stays.
    fn refuse(&mut self, refusal: Refusal) {
        self.refusal.get_or_insert(refusal);
    }
}

#[cfg(test)]
mod tests;
