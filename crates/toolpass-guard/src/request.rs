//! The order of rules at one request of a body, and nothing but that order.
//!
//! The rules are numbered as the specification of the wire numbers them; each is a function of its own in [`rules`].
//! [`RequestCheck::next`] says what must be known next, until it hands out the [`RequestPermit`] or a [`Refusal`]. A check that
//! is dropped lets nothing through and gives back what it took.

mod rules;

use std::net::IpAddr;
use std::sync::Arc;

use toolpass_core::clock::Monotonic;
use toolpass_core::codes::RefusalCode;
use toolpass_core::decision::Decision;
use toolpass_core::effect::Effect;
use toolpass_core::question::{Freshness, Pointer, Question};
use toolpass_core::resource::Resource;
use toolpass_wire::extract::Need;
use toolpass_wire::observe::RowInfo;
use toolpass_wire::request::WireRequest;

use crate::audit::{AuditEvent, Note, ObservedAction};
use crate::call::{Asked, Call, Phase};
use crate::refusal::Refusal;
use crate::scope::AskText;
use crate::session::{Session, Slots};
use crate::settings::ActAs;

/// A request under way to its permit.
pub struct RequestCheck {
    call: Arc<Call>,
    session: Option<Session>,
    request: Arc<WireRequest>,
    who: ActAs,
    step: Step,
    subject: Subject,
    pairs: Vec<PairState>,
    slots: Vec<Slots>,
    refusal: Option<Refusal>,
    late: bool,
}

/// What must be known next.
pub enum RequestNext {
    /// The answer of the engine: [`RequestCheck::answer_decision`].
    Ask(Box<Question>),
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
    /// Where a pointer leads: [`RequestCheck::answer_resource`].
    Resolve {
        /// The connection to look it up in.
        connection: String,
        /// How new the look-up must be.
        freshness: Freshness,
        /// The pointer.
        pointer: Pointer,
    },
}

/// The one value that lets a request leave.
///
/// INVARIANT: made by this module alone, after every rule; not `Clone`. It is for the request of its digest and no other.
#[must_use]
#[derive(Debug)]
pub struct RequestPermit {
    digest: [u8; 32],
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
        connection: Option<usize>,
    },
    /// Refused already, or let through without a look.
    Settled,
}

/// One (action, resource) pair.
struct PairState {
    need: Need,
    resource: Option<Resource>,
    system: Option<usize>,
}

#[derive(Clone, Copy)]
enum Step {
    /// Rules 0 to 4: what is this request?
    Identify,
    /// Rule 2: is its host another name of a connection's server?
    Locate,
    /// Rule 4 for the pair of this number: where does its pointer lead?
    Resolve(usize),
    /// Rule 4': which connection owns it?
    Select,
    /// Rules 5 to 8.
    Hold,
    /// Rule 9 for the pair of this number.
    Ask(usize),
    /// Rules 10 and 11.
    Guard,
    /// Rule 12.
    Pass,
}

impl RequestPermit {
    /// Whether `request` is the one this permit is for.
    pub fn covers(&self, request: &WireRequest) -> bool {
        self.digest == request.digest()
    }
}

/// Whether an upper layer was just given a permit for this very request; uses it up.
pub fn admitted(call: &Call, request: &WireRequest) -> bool {
    call.take_permit(&request.digest())
}

impl RequestCheck {
    /// Look at a request. `block` is the innermost `as_user()` or `as_agent()` block, if any.
    pub fn new(call: &Arc<Call>, block: Option<ActAs>, request: Arc<WireRequest>) -> RequestCheck {
        RequestCheck {
            session: call.session.clone(),
            who: block.unwrap_or(call.settings.act_as),
            late: call.phase() == Phase::Over,
            call: Arc::clone(call),
            request,
            step: Step::Identify,
            subject: Subject::Settled,
            pairs: Vec::new(),
            slots: Vec::new(),
            refusal: None,
        }
    }

    /// What must be known next. `host` answers the application's own scope predicates.
    pub fn next(
        mut self,
        host: &dyn AskText,
        now: Monotonic,
    ) -> (Option<RequestCheck>, RequestNext) {
        if let Some(refusal) = self.call.refused_before(&self.request.digest()) {
            return (None, RequestNext::Refuse(refusal));
        }
        loop {
            if let Some(refusal) = self.refusal.take() {
                return self.end_refused(refusal);
            }
            let checked = match self.step {
                Step::Identify => self.identify(),
                Step::Locate => {
                    self.step = Step::Hold;
                    let (host, port) = (self.request.host().to_owned(), self.request.port());
                    return (Some(self), RequestNext::Locate { host, port });
                }
                Step::Resolve(pair) => {
                    self.step = Step::Resolve(pair + 1);
                    match self.resolve(pair) {
                        Ok(Some(next)) => return (Some(self), next),
                        Ok(None) => Ok(()),
                        Err(refusal) => Err(refusal),
                    }
                }
                Step::Select => {
                    self.step = Step::Hold;
                    self.select()
                }
                Step::Hold => {
                    self.step = Step::Ask(0);
                    self.hold(host)
                }
                Step::Ask(pair) => {
                    self.step = Step::Ask(pair + 1);
                    match self.ask(pair, now) {
                        Ok(Some(question)) => return (Some(self), RequestNext::Ask(question)),
                        Ok(None) => Ok(()),
                        Err(refusal) => Err(refusal),
                    }
                }
                Step::Guard => {
                    self.step = Step::Pass;
                    self.guard()
                }
                Step::Pass => return self.end_passed(),
            };
            if let Err(refusal) = checked {
                return self.end_refused(refusal);
            }
        }
    }

    /// Answer [`RequestNext::Ask`].
    pub fn answer_decision(&mut self, question: &Question, decision: &Decision, now: Monotonic) {
        let Step::Ask(next) = self.step else { return };
        match self.refused_by(next.saturating_sub(1), question, decision) {
            Some(refusal) => self.refusal = Some(refusal),
            None => self.call.remember_allowed(Asked::of(question), now),
        }
    }

    /// Answer [`RequestNext::Locate`]: where the host leads; nothing when it cannot be found out.
    pub fn answer_addresses(&mut self, addresses: &[IpAddr]) {
        self.refusal = self.another_name(addresses);
    }

    /// Answer [`RequestNext::Resolve`]: the resource, nothing, or why it could not be looked up.
    pub fn answer_resource(&mut self, answer: Result<Option<Resource>, Decision>) {
        let Step::Resolve(next) = self.step else {
            return;
        };
        let index = next.saturating_sub(1);
        match self.resolved(answer) {
            Ok(resource) => {
                if let Some(pair) = self.pairs.get_mut(index) {
                    pair.resource = Some(resource);
                }
            }
            Err(refusal) => self.refusal = Some(refusal),
        }
    }

    /// A rule failed in a way nobody expected: the request is refused, never let through.
    pub fn crashed(self, type_name: &str) -> Refusal {
        let refusal = Refusal::of_call(
            RefusalCode::CheckError,
            &self.call.tool.name,
            crate::wording::check_crashed(type_name),
        );
        self.call.record_refused(self.request.digest(), &refusal);
        refusal
    }

    /// Whether the call was over when the request came; then it is an audit event of its own.
    pub fn is_late(&self) -> bool {
        self.late
    }

    fn end_refused(mut self, refusal: Refusal) -> (Option<RequestCheck>, RequestNext) {
        self.slots.clear();
        self.call.record_refused(self.request.digest(), &refusal);
        (None, RequestNext::Refuse(refusal))
    }

    fn end_passed(mut self) -> (Option<RequestCheck>, RequestNext) {
        self.mark();
        let actions = self.actions();
        for slots in self.slots.drain(..) {
            slots.keep();
        }
        let digest = self.request.digest();
        self.call.record_allowed(digest, actions);
        (None, RequestNext::Pass(RequestPermit { digest }))
    }
}

/// The audit event of a late request: what became of it.
pub fn late_event(call: &Call, action: ObservedAction, now: Monotonic) -> AuditEvent {
    call.late_event(
        ObservedAction {
            note: Some(Note::Late),
            ..action
        },
        now,
    )
}

#[cfg(test)]
mod tests;
