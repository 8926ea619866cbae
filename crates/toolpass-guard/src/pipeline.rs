//! The order of checks around a call, and nothing but that order.
//!
//! [`begin`] runs the steps that need nobody: session, authority, arguments, entitlements, limits. From then on
//! [`Admission::next`] says what must be known next, until it hands out the [`Permit`] or a [`Refusal`]. An admission that is
//! dropped gives back what it took. Where a store keeps the session, the store is asked at the same places: for the limits, for
//! what the session has seen right before that is judged, and told right before the body what the body will see.

use std::sync::Arc;

use toolpass_core::clock::{Monotonic, Wall};
use toolpass_core::codes::RefusalCode;
use toolpass_core::decision::Decision;
use toolpass_core::effect::Effect;
use toolpass_core::question::{Freshness, Question};
use toolpass_wire::observe::Systems;

use crate::again::AnsweredBy;
use crate::arguments::{self, Argument};
use crate::audit::shortened;
use crate::authorization::{self, AuthorizerAnswer};
use crate::call::{Asked, Call, Permit};
use crate::entitlements::arguments::{Arguments, filled};
use crate::json::{Object, quote};
use crate::refusal::Refusal;
use crate::scope::{AskText, Host};
use crate::session::caps::{Cap, Key};
use crate::session::stored::{Answer, Errands, Operation, Place, Unanswered, new_ticket};
use crate::session::{Needs, Session, Slots};
use crate::settings::{KnownSystems, OnAuditError, Settings};
use crate::taint::Given;
use crate::tool::{Audience, Authorize, Permission, Readers, Tool};
use crate::value::Value;
use crate::{authority, entitlements, exfiltration, taint, wording};

/// What a call starts with.
pub struct Begin<'b, V> {
    /// The toolkit's settings.
    pub settings: Arc<Settings>,
    /// The tool.
    pub tool: Arc<Tool>,
    /// The current session.
    pub session: Option<Session>,
    /// The bound arguments, or why they could not be bound.
    pub arguments: Result<&'b [Argument<V>], String>,
    /// The call this one is made in.
    pub parent: Option<Arc<Call>>,
    /// When it begins.
    pub now: Monotonic,
    /// When it begins, for the audit event.
    pub wall: Wall,
    /// A network library in use that cannot be looked at.
    pub unhooked: Option<String>,
}

/// A call on its way to its body.
pub struct Admission {
    call: Arc<Call>,
    slots: Option<Slots>,
    step: Step,
    question: Option<Arc<Question>>,
    /// What the entitlements let be asked beforehand, while it is asked.
    planned: Arc<[Question]>,
    /// Why the question could not be put.
    unfilled: Option<Refusal>,
    /// What the session's store is asked and told.
    errands: Errands,
    /// The end, once the store has been told of it.
    ending: Option<Refusal>,
    awaited: Option<Awaited>,
    refusal: Option<Refusal>,
}

/// What must be known next.
pub enum Next {
    /// The answer of the engine that the tool names: [`Admission::answer_decision`].
    Ask(Arc<Question>),
    /// The answers of the toolkit's engine to all of these, asked at once: [`Admission::answer_entitled`].
    AskEntitled(Arc<[Question]>),
    /// Whether the event [`Call::started`] is written: [`Admission::answer_audit`].
    Audit,
    /// The answer of the tool's own authorizer: [`Admission::answer_authorizer`].
    CallAuthorizer,
    /// Where the connections of the toolkit's server are reached: [`Admission::answer_endpoints`].
    Endpoints,
    /// Who would read what the tool sends: [`Admission::answer_audience`].
    FindAudience,
    /// Who may read what the tool reads: [`Admission::answer_readers`].
    FindReaders,
    /// The tool's credential: [`Admission::answer_credential`].
    FetchCredential(String),
    /// Where the toolkit's store keeps this session: [`Admission::answer_place`].
    Place(Session),
    /// Nothing: the call is refused.
    Refuse(Refusal),
    /// Nothing: the body may run.
    Run(Permit),
    /// What the session's store answers: [`Admission::answer_session`].
    Session(Place, Arc<Operation>),
}

#[derive(Clone, Copy)]
enum Step {
    Limits,
    Authorize,
    Entitled,
    Learn,
    Inputs,
    Exfiltration,
    Readers,
    Credential,
    Mark,
    Audit,
    Done,
}

/// What was asked for and is not answered yet.
///
/// INVARIANT: nothing goes on while there is one, and nothing else is taken for its answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Awaited {
    Audience,
    Audit,
    Authorizer,
    Credential,
    Decision,
    Endpoints,
    Entitled,
    Readers,
    Place,
    Session,
}

/// Begin a call: steps 1 to 3.
pub fn begin<V: Value, H: Host<V> + AskText>(input: Begin<'_, V>, host: &mut H) -> Admission {
    let shown = input
        .arguments
        .as_ref()
        .ok()
        .filter(|_| input.settings.audit_arguments)
        .map(|bound| shown_arguments(&input.tool, bound));
    let given = input
        .arguments
        .as_ref()
        .ok()
        .filter(|_| input.settings.uses_entitlements())
        .map(|bound| Arguments::of(&input.tool, bound))
        .unwrap_or_default();
    let repeatable = input
        .arguments
        .as_ref()
        .ok()
        .map(|bound| Given::of(&input.tool, input.session.as_ref(), bound))
        .unwrap_or_default();
    let when = (input.now, input.wall);
    let call = Arc::new(Call::new(
        (input.settings, input.tool),
        input.session,
        input.parent.as_deref(),
        when,
        (shown, given, repeatable),
    ));
    let mut admission = Admission {
        call,
        slots: None,
        step: Step::Authorize,
        question: None,
        planned: Arc::default(),
        unfilled: None,
        errands: Errands::default(),
        ending: None,
        awaited: None,
        refusal: None,
    };
    if let Err(refusal) = admission.first_steps(input.arguments, input.unhooked, input.now, host) {
        admission.refusal = Some(refusal);
    }
    admission
}

impl Admission {
    /// The call.
    pub fn call(&self) -> &Arc<Call> {
        &self.call
    }

    /// What must be known next. `now` dates what is learnt.
    pub fn next(mut self) -> (Option<Admission>, Next) {
        if let Some(refusal) = self.ending.take() {
            return (None, Next::Refuse(refusal));
        }
        if let Some(refusal) = self.refusal.take() {
            return self.end(refusal);
        }
        if self.awaited.is_some() {
            let refusal = self.unanswered();
            return self.end(refusal);
        }
        loop {
            if let Some(next) = self.errand() {
                return (Some(self), next);
            }
            let checked = match self.step {
                Step::Limits => {
                    self.step = Step::Authorize;
                    self.plan_limits();
                    Ok(())
                }
                Step::Authorize => {
                    self.step = Step::Entitled;
                    match self.authorize() {
                        Ok(Some(next)) => return (Some(self), next),
                        Ok(None) => Ok(()),
                        Err(refusal) => Err(refusal),
                    }
                }
                Step::Entitled => {
                    self.step = Step::Learn;
                    match self.ask_entitled() {
                        Ok(Some(next)) => return (Some(self), next),
                        Ok(None) => Ok(()),
                        Err(refusal) => Err(refusal),
                    }
                }
                Step::Learn => {
                    self.step = Step::Inputs;
                    if let Some(session) = self.stored() {
                        let asked = taint::asked_of_call(&self.call, session);
                        self.errands.plan(asked);
                    }
                    Ok(())
                }
                Step::Inputs => {
                    self.step = Step::Exfiltration;
                    self.inputs()
                }
                Step::Exfiltration => {
                    self.step = Step::Readers;
                    if self.needs_audience() {
                        self.awaited = Some(Awaited::Audience);
                        return (Some(self), Next::FindAudience);
                    }
                    self.exfiltration(None)
                }
                Step::Readers => {
                    self.step = Step::Credential;
                    let tool = &self.call.tool;
                    if tool.reads_private && matches!(tool.disclosure.readers, Readers::Asked) {
                        self.awaited = Some(Awaited::Readers);
                        return (Some(self), Next::FindReaders);
                    }
                    Ok(())
                }
                Step::Credential => {
                    self.step = Step::Mark;
                    if let Some(name) = self.call.tool.credential.clone() {
                        self.awaited = Some(Awaited::Credential);
                        return (Some(self), Next::FetchCredential(name));
                    }
                    Ok(())
                }
                Step::Mark => {
                    self.step = Step::Audit;
                    if let Some(session) = self.stored()
                        && !session.marks().include(self.call.marks())
                    {
                        self.errands.plan(Operation::Mark(self.call.marks()));
                    }
                    Ok(())
                }
                Step::Audit => {
                    self.step = Step::Done;
                    if self.call.settings.on_audit_error == OnAuditError::Refuse {
                        self.awaited = Some(Awaited::Audit);
                        return (Some(self), Next::Audit);
                    }
                    Ok(())
                }
                Step::Done => return self.permit(),
            };
            if let Err(refusal) = checked {
                return self.end(refusal);
            }
        }
    }

    /// Answer [`Next::Endpoints`]: why the server did not tell, in words.
    pub fn answer_endpoints(&mut self, told: Result<Arc<Systems>, String>) {
        if !self.is_answer(Awaited::Endpoints) {
            return;
        }
        match told {
            Ok(systems) => {
                self.call.told.get_or_init(|| systems);
            }
            Err(why) => self.refuse(RefusalCode::NotConfigured, wording::endpoints_untold(&why)),
        }
    }

    /// Answer [`Next::Place`]: the failure's type when the store cannot be asked.
    pub fn answer_place(&mut self, place: Result<Place, String>) {
        if !self.is_answer(Awaited::Place) {
            return;
        }
        let settled = match (place, &self.call.session) {
            (Ok(place), Some(session)) => session.settle(place).map_err(|error| error.to_string()),
            (Ok(_), None) => Err(wording::no_session()),
            (Err(type_name), _) => Err(wording::store_failed(&type_name)),
        };
        if let Err(reason) = settled {
            self.refuse(RefusalCode::CheckError, reason);
        }
    }

    /// Answer [`Next::Session`]: the failure's type when the store did not answer.
    pub fn answer_session(&mut self, answered: Result<Answer, String>) {
        if !self.is_answer(Awaited::Session) {
            return;
        }
        let (Some(operation), Some(session)) = (self.errands.done(), self.call.session.clone())
        else {
            return;
        };
        match session.answered(&operation, answered) {
            Ok(Some(slots)) => self.slots = Some(slots),
            Ok(None) => {}
            Err(Unanswered::Exhausted(cap)) => {
                self.refuse(RefusalCode::LimitReached, wording::limit(&cap))
            }
            // What cannot be given back stays owed; the call ends as it ends anyway.
            Err(Unanswered::Failed(_)) if self.ending.is_some() => {}
            Err(Unanswered::Failed(type_name)) => {
                self.refuse(RefusalCode::CheckError, wording::store_failed(&type_name))
            }
        }
    }

    /// Answer [`Next::Ask`].
    pub fn answer_decision(&mut self, decision: &Decision, now: Monotonic) {
        if !self.is_answer(Awaited::Decision) {
            return;
        }
        if let Some(question) = self.question.take() {
            self.take_decision(&question, decision, now);
            // The questions of entitlements are about requests, which are asked again themselves.
            if self.refusal.is_none() && self.call.effect == Some(Effect::Destructive) {
                let question = Arc::unwrap_or_clone(question);
                self.call.destroyed(AnsweredBy::Tool, question);
            }
        }
    }

    /// Answer [`Next::AskEntitled`], in the order of its questions. The first that is no allow refuses, and whoever asks may
    /// stop there; otherwise a missing answer refuses too.
    pub fn answer_entitled(&mut self, decisions: &[Decision], now: Monotonic) {
        if !self.is_answer(Awaited::Entitled) {
            return;
        }
        let planned = std::mem::take(&mut self.planned);
        for (question, decision) in planned.iter().zip(decisions) {
            self.take_decision(question, decision, now);
            if self.refusal.is_some() {
                return;
            }
        }
        if planned.len() != decisions.len() {
            self.refusal = Some(self.unanswered());
        }
    }

    /// Answer [`Next::CallAuthorizer`].
    pub fn answer_authorizer(&mut self, answer: &AuthorizerAnswer) {
        if !self.is_answer(Awaited::Authorizer) {
            return;
        }
        let (noted, refused) = authorization::of_answer(answer);
        self.call.note_authorization(noted);
        if let Some((code, reason)) = refused {
            let reason = self.without_outside(reason);
            self.refuse(code, reason);
        }
    }

    /// Answer [`Next::FindAudience`]: the names, or what is wrong with the answer, in words.
    pub fn answer_audience(&mut self, answer: Result<Vec<String>, String>) {
        if !self.is_answer(Awaited::Audience) {
            return;
        }
        match exfiltration::named(answer) {
            Ok(audience) => {
                if let Err(refusal) = self.exfiltration(Some(&audience)) {
                    self.refusal.get_or_insert(refusal);
                }
                self.call.audience.get_or_init(|| audience);
            }
            Err(why) => {
                let reason = wording::nobody_named(&self.call.tool.name, "sends_out", &why);
                self.refuse(RefusalCode::CheckError, reason);
            }
        }
    }

    /// Answer [`Next::FindReaders`]: the names, or what is wrong with the answer, in words.
    pub fn answer_readers(&mut self, answer: Result<Vec<String>, String>) {
        if !self.is_answer(Awaited::Readers) {
            return;
        }
        match exfiltration::named(answer) {
            Ok(readers) => {
                self.call.readers.get_or_init(|| readers);
            }
            Err(why) => {
                let reason = wording::nobody_named(&self.call.tool.name, "reads_private", &why);
                self.refuse(RefusalCode::CheckError, reason);
            }
        }
    }

    /// Answer [`Next::FetchCredential`]: the failure's type when there is no credential.
    pub fn answer_credential(&mut self, fetched: Result<(), String>) {
        if !self.is_answer(Awaited::Credential) {
            return;
        }
        if let Err(type_name) = fetched {
            let name = self.call.tool.credential.as_deref().unwrap_or_default();
            let reason = wording::credential_missing(name, &type_name);
            self.refuse(RefusalCode::CredentialError, reason);
        }
    }

    /// Answer [`Next::Audit`]: the failure's type when the event is not written.
    pub fn answer_audit(&mut self, written: Result<(), String>) {
        if !self.is_answer(Awaited::Audit) {
            return;
        }
        if let Err(type_name) = written {
            self.refuse(RefusalCode::CheckError, wording::audit_failed(&type_name));
        }
    }

    /// A check failed in a way nobody expected: the call is refused, never let through. That is the reason also where another
    /// check refused because of it, such as for the session that could not be had.
    pub fn crashed(&mut self, type_name: &str) {
        let reason = wording::check_crashed(type_name);
        let refusal = Refusal::of_call(RefusalCode::CheckError, &self.call.tool.name, reason);
        self.refusal = Some(refusal);
    }

    fn first_steps<V: Value, H: Host<V> + AskText>(
        &mut self,
        arguments: Result<&[Argument<V>], String>,
        unhooked: Option<String>,
        now: Monotonic,
        host: &mut H,
    ) -> Result<(), Refusal> {
        let call = Arc::clone(&self.call);
        let tool = &call.tool;
        let refusal = |code, reason| Refusal::of_call(code, &tool.name, reason);
        let session = call
            .session
            .as_ref()
            .ok_or_else(|| refusal(RefusalCode::NoSession, wording::no_session()))?;
        authority::of_call(session, &tool.name).map_err(|(code, reason)| refusal(code, reason))?;
        let bound = arguments.map_err(|problem| {
            refusal(RefusalCode::InvalidArguments, wording::unbindable(&problem))
        })?;
        arguments::check(tool, bound, host)?;
        entitlements::of_call(&call, host).map_err(|(code, reason)| refusal(code, reason))?;
        if let Some(library) = unhooked.filter(|_| call.hooked) {
            return Err(refusal(
                RefusalCode::CheckError,
                wording::unhooked(&library),
            ));
        }
        let needs = session
            .needs(call.settings.session_store)
            .map_err(|error| refusal(RefusalCode::CheckError, error.to_string()))?;
        match needs {
            Needs::Nothing => self.slots = Some(take_limits(&call, session, now)?),
            Needs::Store | Needs::Place => self.step = Step::Limits,
        }
        if let Some(Authorize::Permission(permission)) = &tool.authorize {
            match question(permission, session, tool, bound) {
                Ok(question) => self.question = Some(Arc::new(question)),
                Err(refusal) => self.unfilled = Some(refusal),
            }
        }
        Ok(())
    }

    /// The session, if a store keeps it.
    fn stored(&self) -> Option<&Session> {
        let session = self.call.session.as_ref()?;
        session.place().map(|_| session)
    }

    /// What the session's store is asked or told next.
    fn errand(&mut self) -> Option<Next> {
        if matches!(self.step, Step::Limits)
            && let Some(session) = self.call.session.clone()
            && session.place().is_none()
        {
            self.awaited = Some(Awaited::Place);
            return Some(Next::Place(session));
        }
        let place = self.stored()?.place()?.clone();
        let operation = self.errands.next()?;
        self.awaited = Some(Awaited::Session);
        Some(Next::Session(place, operation))
    }

    /// Step 3, where a store counts.
    fn plan_limits(&mut self) {
        let Some(session) = self.stored().cloned() else {
            return;
        };
        let caps = caps(&self.call);
        for untold in session.untold() {
            self.errands.plan(untold);
        }
        if caps.is_empty() {
            self.slots = Some(Slots::none());
        } else {
            self.errands.plan(Operation::Reserve {
                ticket: new_ticket(),
                caps,
            });
        }
    }

    /// The call is refused; first what a store took for it is given back.
    fn end(mut self, refusal: Refusal) -> (Option<Admission>, Next) {
        self.errands.clear();
        drop(self.slots.take());
        let owed = self.stored().and_then(Session::owed);
        if let Some(owed) = owed {
            self.errands.plan(owed);
            self.awaited = None;
            if let Some(next) = self.errand() {
                self.ending = Some(refusal);
                return (Some(self), next);
            }
        }
        (None, Next::Refuse(refusal))
    }

    fn authorize(&mut self) -> Result<Option<Next>, Refusal> {
        let tool = &self.call.tool;
        if self.call.hooked && self.call.systems().is_none() {
            if matches!(self.call.settings.systems, KnownSystems::Served) {
                self.step = Step::Authorize;
                self.awaited = Some(Awaited::Endpoints);
                return Ok(Some(Next::Endpoints));
            }
            let reason = wording::endpoints_unknown();
            return Err(Refusal::of_call(
                RefusalCode::NotConfigured,
                &tool.name,
                reason,
            ));
        }
        match (&tool.authorize, &self.question) {
            (None, _) => Ok(None),
            (Some(Authorize::Host), _) => {
                self.awaited = Some(Awaited::Authorizer);
                Ok(Some(Next::CallAuthorizer))
            }
            (Some(Authorize::Permission(_)), Some(question)) => {
                let next = Next::Ask(Arc::clone(question));
                self.awaited = Some(Awaited::Decision);
                Ok(Some(next))
            }
            (Some(Authorize::Permission(_)), None) => {
                let unfilled = self.unfilled.take();
                Err(unfilled.unwrap_or_else(|| self.unanswered()))
            }
        }
    }

    /// Step 4, after the tool's own authorizer: the questions of the tool's entitlements, in the order of the file.
    fn ask_entitled(&mut self) -> Result<Option<Next>, Refusal> {
        let questions = entitlements::questions(&self.call)
            .map_err(|(code, reason)| Refusal::of_call(code, &self.call.tool.name, reason))?;
        if questions.is_empty() {
            return Ok(None);
        }
        self.planned = questions.into();
        self.awaited = Some(Awaited::Entitled);
        Ok(Some(Next::AskEntitled(Arc::clone(&self.planned))))
    }

    fn inputs(&self) -> Result<(), Refusal> {
        match &self.call.session {
            Some(session) => taint::of_call(&self.call, session)
                .map_err(|(code, reason)| Refusal::of_call(code, &self.call.tool.name, reason)),
            None => Err(Refusal::of_call(
                RefusalCode::NoSession,
                &self.call.tool.name,
                wording::no_session(),
            )),
        }
    }

    fn needs_audience(&self) -> bool {
        let tool = &self.call.tool;
        tool.sends_out
            && tool.disclosure.audience == Audience::Asked
            && self.call.settings.exfiltration
    }

    /// Step 6, for the audience a tool names, or for one that names none.
    fn exfiltration(&self, audience: Option<&[String]>) -> Result<(), Refusal> {
        let call = &self.call;
        let refusal = |code, reason| Refusal::of_call(code, &call.tool.name, reason);
        let session = call
            .session
            .as_ref()
            .ok_or_else(|| refusal(RefusalCode::NoSession, wording::no_session()))?;
        match audience {
            Some(audience) => exfiltration::to_audience(call, session, audience),
            None => exfiltration::to_anyone(call, session),
        }
        .map_err(|reason| {
            let reason = match audience {
                Some(_) => self.without_outside(reason),
                None => reason,
            };
            refusal(RefusalCode::ExfiltrationRisk, reason)
        })
    }

    fn permit(mut self) -> (Option<Admission>, Next) {
        match self.slots.take() {
            Some(slots) => (None, Next::Run(Permit::new(self.call, slots))),
            None => {
                let reason = wording::check_crashed("limits were never taken");
                (
                    None,
                    Next::Refuse(Refusal::of_call(
                        RefusalCode::CheckError,
                        &self.call.tool.name,
                        reason,
                    )),
                )
            }
        }
    }

    /// What the engine says to a question: an allow is remembered, anything else refuses.
    fn take_decision(&mut self, question: &Question, decision: &Decision, now: Monotonic) {
        let what = format!("do {} on {}", question.action, question.resource);
        self.call.note_authorization(format!(
            "{}: {what} in {}: {}",
            decision.outcome().as_str(),
            question.connection,
            decision.reason()
        ));
        match authorization::of_decision(&question.user, &what, decision) {
            Some((code, reason)) => self.refuse(code, reason),
            // Only the call's own requests ask it again.
            None if self.call.hooked => self.call.remember_allowed(Asked::of(question), now),
            None => {}
        }
    }

    /// Whether this is the answer that is awaited; any other one ends the call.
    fn is_answer(&mut self, to: Awaited) -> bool {
        if self.awaited == Some(to) {
            self.awaited = None;
            return true;
        }
        if self.refusal.is_none() {
            self.refusal = Some(self.unanswered());
        }
        false
    }

    fn unanswered(&self) -> Refusal {
        let reason = wording::unanswered();
        Refusal::of_call(RefusalCode::CheckError, &self.call.tool.name, reason)
    }

    /// What an application says of a call that was given a handle may repeat what that stands for.
    fn without_outside(&self, reason: String) -> String {
        if self.call.has_handles() {
            wording::reason_hidden()
        } else {
            reason
        }
    }

    /// The first refusal stays.
    fn refuse(&mut self, code: RefusalCode, reason: String) {
        let refusal = || Refusal::of_call(code, &self.call.tool.name, reason);
        self.refusal.get_or_insert_with(refusal);
    }
}

/// The caps of one call.
fn caps(call: &Call) -> Vec<Cap> {
    let tool = &call.tool;
    let of_tool = tool.limit.map(|limit| Cap {
        key: Key::Tool(tool.name.clone()),
        limit,
    });
    let of_effect = call.effect.and_then(|effect| {
        Some(Cap {
            key: Key::Effect(effect),
            limit: call.settings.limit_of(effect)?,
        })
    });
    of_tool.into_iter().chain(of_effect).collect()
}

/// Step 3: the caps of one call, all or none.
fn take_limits(call: &Call, session: &Session, now: Monotonic) -> Result<Slots, Refusal> {
    let taken = session.reserve(&caps(call), &call.settings.windows, now);
    taken.map_err(|cap| {
        let reason = wording::limit(&cap);
        Refusal::of_call(RefusalCode::LimitReached, &call.tool.name, reason)
    })
}

/// The question of a `permission_check`, its resource filled from the arguments.
fn question<V: Value>(
    permission: &Permission,
    session: &Session,
    tool: &Tool,
    arguments: &[Argument<V>],
) -> Result<Question, Refusal> {
    let value_of = |name: &str| {
        let index = tool
            .parameters
            .iter()
            .position(|parameter| parameter.name == name)?;
        filled(
            &arguments
                .iter()
                .find(|argument| argument.parameter == index)?
                .value,
        )
    };
    let resource = permission.resource.fill(value_of).map_err(|unfilled| {
        Refusal::of_call(
            RefusalCode::InvalidArguments,
            &tool.name,
            unfilled.to_string(),
        )
    })?;
    Ok(Question {
        user: session.user().into(),
        groups: session.groups().unwrap_or_default().to_vec(),
        token: session.token(),
        connection: permission.connection.clone(),
        action: permission.action.clone(),
        resource: resource.as_str().into(),
        freshness: Freshness {
            fresh: permission.fresh,
            max_age: None,
        },
        ..Question::default()
    })
}

fn shown_arguments<V: Value>(tool: &Tool, arguments: &[Argument<V>]) -> String {
    let mut object = Object::new();
    for argument in arguments {
        if let Some(parameter) = tool.parameters.get(argument.parameter) {
            let shown = match &argument.handle {
                Some(handle) => quote(&handle.to_string()),
                None => shortened(&argument.value),
            };
            object.raw(&parameter.name, &shown);
        }
    }
    object.finish()
}

#[cfg(test)]
mod tests;
