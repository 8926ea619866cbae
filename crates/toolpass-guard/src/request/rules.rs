//! The rules at a request, each named after what it holds a request to.

use std::borrow::Cow;
use std::net::IpAddr;

use toolpass_core::clock::Monotonic;
use toolpass_core::codes::RefusalCode;
use toolpass_core::decision::Decision;
use toolpass_core::effect::Effect;
use toolpass_core::question::{Freshness, Question};
use toolpass_wire::field::Unresolved;
use toolpass_wire::observe::{Observation, RowInfo, System, Systems};

use super::{Awaited, PairState, RequestCheck, RequestNext, Step, Subject};
use crate::audit::{Note, ObservedAction};
use crate::call::Asked;
use crate::entitlements::enforce::{Gap, OnMissing};
use crate::entitlements::host::Listed;
use crate::refusal::Refusal;
use crate::scope::AskText;
use crate::session::Session;
use crate::session::caps::{Cap, Key, Limit};
use crate::session::stored::{Answer, Marks, Operation, Unanswered, new_ticket};
use crate::settings::{ActAs, EngineState, UnknownHosts};
use crate::{authority, authorization, exfiltration, taint, wording};

/// A query longer than this counts as sending out, in bytes.
const LONG_QUERY: usize = 256;

impl RequestCheck {
    /// Rules 0' to 4: whose host it is, and what the request does there.
    pub(super) fn identify(&mut self) -> Result<Option<RequestNext>, Refusal> {
        let call = std::sync::Arc::clone(&self.call);
        if let Err((code, reason)) = authority::of_request(self.known_session()?, &call.tool.name) {
            let reason = format!("{}: {reason}", self.described());
            let action = self.plain(self.request.effect());
            return Err(self.refuse_action(code, reason, action));
        }
        let Some(systems) = call.systems() else {
            return Err(self.refuse_action(
                RefusalCode::NotConfigured,
                wording::endpoints_unknown(),
                self.plain(self.request.effect()),
            ));
        };
        match systems.observe(&self.request) {
            Observation::HostMismatch { reason } => {
                let reason = wording::host_mismatch(&self.described(), &reason);
                Err(self.refuse_action(
                    RefusalCode::HostMismatch,
                    reason,
                    self.plain(self.request.effect()),
                ))
            }
            Observation::UnknownHost {
                vendor_of,
                other_name,
                counts_as_write,
            } => self
                .unknown_host(vendor_of, other_name, counts_as_write)
                .map(|()| None),
            Observation::Mapped { .. }
            | Observation::Served { .. }
            | Observation::Unmapped { .. }
            | Observation::Unresolved { .. }
                if self.late =>
            {
                Err(self.too_late())
            }
            Observation::Served {
                systems: candidates,
            } => {
                self.awaited = Some(Awaited::Served(candidates.clone()));
                Ok(Some(RequestNext::Observe { candidates }))
            }
            Observation::Unmapped {
                systems: candidates,
                effect,
            } => self.unmapped(systems, &candidates, effect).map(|()| None),
            Observation::Unresolved {
                systems: candidates,
                effect,
                reason,
                row: _,
            } => Err(self.unresolved(self.on(&candidates, effect), &reason)),
            Observation::Mapped {
                systems: candidates,
                row,
                needs,
                effect,
            } => {
                let needs = needs.into_iter().map(|need| (need, None)).collect();
                self.mapped(systems, candidates, row, needs, effect)?;
                Ok(None)
            }
        }
    }

    /// Rule 2: a host of no connection.
    fn unknown_host(
        &mut self,
        vendor_of: Option<&'static str>,
        other_name: Option<String>,
        counts_as_write: bool,
    ) -> Result<(), Refusal> {
        let settings = &self.call.settings;
        let described = self.described();
        let effect = if counts_as_write {
            self.request.effect().max(Effect::Write)
        } else {
            self.request.effect()
        };
        let writes = effect > Effect::Read;
        let listing = self.listing();
        let by_name = listing == Some(Listed::ByName);
        let not_listed = listing == Some(Listed::No);
        let refused = match (vendor_of, other_name) {
            (_, Some(why)) if !by_name => Some(wording::other_name(&described, &why)),
            (Some(integration), _) if writes && !by_name => {
                Some(wording::vendor_host(&described, integration))
            }
            _ if not_listed && settings.on_missing == OnMissing::Refuse => {
                Some(wording::unlisted(&described, "this host"))
            }
            _ if listing.is_none_or(|listing| listing == Listed::No)
                && (settings.strict || settings.unknown_hosts == UnknownHosts::Refuse) =>
            {
                Some(wording::unknown_host(&described))
            }
            _ => self
                .request
                .problem()
                .filter(|_| writes)
                .map(|why| wording::unresolved(&described, why.as_str())),
        };
        let sends_out = writes || self.request.has_body() || self.request.query_len() > LONG_QUERY;
        self.subject = Subject::Unchecked {
            effect,
            sends_out,
            private: false,
            note: Note::UnknownHost,
            systems: Vec::new(),
        };
        if let Some(reason) = refused {
            return Err(self.refuse_action(RefusalCode::UnknownHost, reason, self.plain(effect)));
        }
        self.missing = not_listed.then_some(Gap::Host.code());
        self.step = if self.call.settings.unknown_hosts == UnknownHosts::Allow {
            Step::Mark
        } else {
            Step::Locate
        };
        Ok(())
    }

    /// Rule 2: the host leads to a connection's server under another name, or to a metadata service.
    pub(super) fn another_name(&self, addresses: &[IpAddr]) -> Option<Refusal> {
        let systems = self.call.systems()?;
        if self.listing() == Some(Listed::ByName) {
            return None;
        }
        let (host, port) = (self.request.host(), self.request.port());
        let why = addresses
            .iter()
            .find_map(|address| systems.led_to(host, *address, port))?;
        let reason = wording::other_name(&self.described(), &why);
        Some(self.refuse_action(RefusalCode::UnknownHost, reason, self.plain(self.effect())))
    }

    /// Rule 3: a connection's host, but no route.
    pub(super) fn unmapped(
        &mut self,
        systems: &Systems,
        candidates: &[usize],
        effect: Effect,
    ) -> Result<(), Refusal> {
        let described = self.described();
        let strict_reads = candidates
            .iter()
            .filter_map(|index| systems.get(*index))
            .any(|system| system.strict_reads);
        let listed = if effect == Effect::Read {
            self.entitle_read(systems, candidates)?
        } else {
            false
        };
        let refused = if effect > Effect::Read || (self.call.settings.strict && !listed) {
            Some(wording::unmapped(&described))
        } else if strict_reads && self.who == ActAs::User {
            Some(wording::unmapped_read_as_user(&described))
        } else {
            None
        };
        if let Some(reason) = refused {
            let action = self.on(candidates, effect);
            return Err(self.refuse_action(RefusalCode::UnmappedAction, reason, action));
        }
        self.subject = Subject::Unchecked {
            effect,
            sends_out: false,
            private: self.any_private(candidates),
            note: Note::Unmapped,
            systems: candidates.to_vec(),
        };
        self.step = Step::Hold;
        Ok(())
    }

    /// Rule 4: the request does not say what it acts on.
    pub(super) fn unresolved(&self, action: ObservedAction, why: &Unresolved) -> Refusal {
        let reason = wording::unresolved(&self.described(), why.as_str());
        self.refuse_action(RefusalCode::UnresolvedResource, reason, action)
    }

    /// Rule 4, for rows that only mean something on the agent's own authority.
    pub(super) fn only_as_agent(
        &self,
        systems: &Systems,
        candidates: &[usize],
        row: &RowInfo,
        effect: Effect,
    ) -> Result<(), Refusal> {
        if self.is_the_agents() {
            return Ok(());
        }
        let strict = self.call.settings.strict
            || candidates
                .iter()
                .filter_map(|index| systems.get(*index))
                .any(|system| system.strict_reads);
        if let Some(why) = &row.agent_only {
            let why = format!("{why}; do it inside `as_agent()` if the agent itself may");
            return Err(self.unresolved(self.on(candidates, effect), &Unresolved::new(why)));
        }
        if row.agent_sight && strict {
            let reason = wording::follows_agent_sight(&self.described());
            let action = self.on(candidates, effect);
            return Err(self.refuse_action(RefusalCode::UnresolvedResource, reason, action));
        }
        Ok(())
    }

    /// Rule 2: ask where a host of no connection leads.
    pub(super) fn locate(&mut self) -> RequestNext {
        self.step = Step::Hold;
        self.awaited = Some(Awaited::Addresses);
        RequestNext::Locate {
            host: self.request.host().to_owned(),
            port: self.request.port(),
        }
    }

    /// Rules 5 to 8: what the tool was given leave to do.
    pub(super) fn hold(&mut self, host: &dyn AskText, now: Monotonic) -> Result<(), Refusal> {
        self.entitle()?;
        self.within_declared_effect()?;
        for pair in &self.pairs {
            self.within_resources(pair, host)?;
        }
        self.within_limits(now)
    }

    /// Rule 6: no stronger than the tool declares.
    fn within_declared_effect(&self) -> Result<(), Refusal> {
        let Some(declared) = self.call.tool.effect else {
            return Ok(());
        };
        let effect = self.effect();
        if effect <= declared {
            return Ok(());
        }
        let strongest = self.pairs.iter().max_by_key(|pair| pair.need.effect);
        let action = strongest.map_or_else(|| self.unchecked_action(), |pair| self.action_of(pair));
        Err(self.refuse_action(
            RefusalCode::EffectExceeded,
            wording::effect_exceeded(&self.described(), effect, declared),
            action,
        ))
    }

    /// Rule 7: within the tool's rules for resources.
    fn within_resources(&self, pair: &PairState, host: &dyn AskText) -> Result<(), Refusal> {
        let rules = &self.call.tool.resources;
        let Some(resource) = pair.resource.as_ref().filter(|_| !rules.is_empty()) else {
            return Ok(());
        };
        let rule = rules.iter().find(|(kind, _)| kind == resource.kind());
        if rule.is_some_and(|(_, rule)| rule.admits_text(resource.id(), host)) {
            return Ok(());
        }
        let reason = wording::resource_out_of_scope(&self.described(), resource.as_str());
        Err(self.refuse_action(RefusalCode::OutOfScope, reason, self.action_of(pair)))
    }

    /// Rule 8: within the session's limits, for a call of no known effect or a request that is stronger, and within the caps of
    /// the tool's entitlements. What is taken is given back unless the request passes.
    fn within_limits(&mut self, now: Monotonic) -> Result<(), Refusal> {
        let caps = self.caps();
        let Some(session) = self.session.as_ref().filter(|_| !caps.is_empty()) else {
            return Ok(());
        };
        if session.place().is_some() {
            self.errands.plan(Operation::Reserve {
                ticket: new_ticket(),
                caps,
            });
            return Ok(());
        }
        match session.reserve(&caps, &self.call.settings.windows, now) {
            Ok(slots) => self.slots = Some(slots),
            Err(cap) => return Err(self.exhausted(&cap)),
        }
        Ok(())
    }

    fn caps(&mut self) -> Vec<Cap> {
        let effect = self.effect();
        let limit = self
            .call
            .settings
            .limit_of(effect)
            .filter(|_| self.call.effect.is_none_or(|taken| effect > taken));
        let of_effect = limit.map(|limit| Cap {
            key: Key::Effect(effect),
            limit,
        });
        let of_entries = std::mem::take(&mut self.capped).into_iter();
        let of_entries = of_entries.map(|(action, at_most)| {
            let tool = self.call.tool.name.clone();
            Cap {
                key: Key::Action { tool, action },
                limit: Limit::of_session(at_most),
            }
        });
        of_effect.into_iter().chain(of_entries).collect()
    }

    fn exhausted(&self, cap: &Cap) -> Refusal {
        let reason = wording::limit(cap);
        self.refuse_action(RefusalCode::LimitReached, reason, self.first_action())
    }

    /// What the session's store answered; the refusal that it leads to.
    pub(super) fn answered(
        &mut self,
        operation: &Operation,
        answered: Result<Answer, String>,
    ) -> Option<Refusal> {
        match self.session.as_ref()?.answered(operation, answered) {
            Ok(slots) => {
                self.slots = slots.or(self.slots.take());
                None
            }
            Err(Unanswered::Exhausted(cap)) => Some(self.exhausted(&cap)),
            // What cannot be given back stays owed; the request is refused anyway.
            Err(Unanswered::Failed(_)) if self.ending.is_some() => None,
            Err(Unanswered::Failed(type_name)) => {
                let reason = format!(
                    "{}: {}",
                    self.described(),
                    wording::store_failed(&type_name)
                );
                Some(self.refuse_action(RefusalCode::CheckError, reason, self.first_action()))
            }
        }
    }

    /// What rules 10 and 11 have to know of a session that a store keeps.
    pub(super) fn learn(&mut self) {
        if let Some(session) = self.stored() {
            let asked = taint::asked_of_request(&self.call, session, &self.request, self.effect());
            self.errands.plan(asked);
        }
    }

    /// What rule 12 has to tell the store of a session.
    pub(super) fn tell_marks(&mut self) {
        let marks = self.marks();
        if let Some(session) = self.stored()
            && !session.marks().include(marks)
        {
            self.errands.plan(Operation::Mark(marks));
        }
    }

    /// Rule 9: whether the person may, unless that was answered a moment ago.
    pub(super) fn ask(
        &mut self,
        index: usize,
        now: toolpass_core::clock::Monotonic,
    ) -> Result<Option<RequestNext>, Refusal> {
        let Some(pair) = self.pairs.get(index) else {
            self.step = Step::Learn;
            return Ok(None);
        };
        let Some(action) = &pair.need.action else {
            return Ok(None);
        };
        let Some(resource) = &pair.resource else {
            let why = Unresolved::new("it names nothing to act on");
            return Err(self.unresolved(self.action_of(pair), &why));
        };
        if pair.who == ActAs::Agent {
            return Ok(None);
        }
        if self.call.settings.engine == EngineState::Absent {
            return Err(self.refuse_action(
                RefusalCode::NotConfigured,
                wording::not_asked(),
                self.action_of(pair),
            ));
        }
        let session = self.known_session()?;
        let question = Question {
            user: session.user().into(),
            groups: session.groups().unwrap_or_default().to_vec(),
            token: session.token(),
            connection: self
                .system_of(pair)
                .map(|system| system.connection.clone())
                .unwrap_or_default(),
            action: action.to_string(),
            resource: resource.as_str().into(),
            facts: pair.need.facts.clone(),
            freshness: self.freshness_of(pair),
        };
        let asked = Asked::of(&question);
        if pair.need.effect == Effect::Destructive
            && let Some(pair) = self.pairs.get_mut(index)
        {
            pair.allowed_by = Some(question.clone());
        }
        if !question.freshness.fresh && self.call.allowed_lately(&asked, now) {
            return Ok(None);
        }
        self.awaited = Some(Awaited::Decision { pair: index, asked });
        Ok(Some(RequestNext::Ask(Box::new(question))))
    }

    /// Rule 9: the refusal a decision leads to.
    pub(super) fn refused_by(
        &self,
        index: usize,
        question: &Question,
        decision: &Decision,
    ) -> Option<Refusal> {
        let pair = self.pairs.get(index);
        let integration = pair
            .and_then(|pair| self.system_of(pair))
            .map_or("", |system| system.integration);
        let what = format!(
            "do {integration}:{} on {}",
            question.action, question.resource
        );
        let (code, reason) = authorization::of_decision(&question.user, &what, decision)?;
        let action = pair.map_or_else(|| self.unchecked_action(), |pair| self.action_of(pair));
        let reason = format!("{}: {reason}", self.described());
        Some(self.refuse_action(code, reason, action))
    }

    /// Rules 10 and 11: outside text, and the three legs of a leak.
    pub(super) fn guard(&mut self) -> Result<(), Refusal> {
        let session = self.known_session()?;
        if let Err((code, reason)) =
            taint::of_request(&self.call, session, &self.request, self.effect())
        {
            let reason = format!("{}: {reason}", self.described());
            return Err(self.refuse_action(code, reason, self.first_action()));
        }
        let is_elsewhere = self.is_to_unknown_host();
        if exfiltration::request_would_leak(&self.call, session, self.sends_out(), is_elsewhere) {
            return Err(self.refuse_action(
                RefusalCode::ExfiltrationRisk,
                wording::exfiltration(&self.described(), &session.privacy(|p| p.sources()), None),
                self.first_action(),
            ));
        }
        Ok(())
    }

    /// The entry that stands for a request refused as a whole.
    pub(super) fn first_action(&self) -> ObservedAction {
        self.pairs
            .first()
            .map_or_else(|| self.unchecked_action(), |pair| self.action_of(pair))
    }

    /// Rule 12: the session has seen what this request brings.
    pub(super) fn mark(&self) {
        let Some(session) = &self.session else { return };
        let marks = self.marks();
        let reads = self.reads();
        session.privacy(|privacy| reads.into_iter().for_each(|read| privacy.note_read(read)));
        if marks.untrusted {
            session.mark_untrusted();
        }
        if marks.private {
            session.mark_private::<&str>(&self.described_source(), &[]);
        }
    }

    /// What the session has seen once this request has left.
    fn marks(&self) -> Marks {
        let stays = self.call.stays && !self.late;
        let marks = self.marks_of_subject();
        Marks {
            untrusted: marks.untrusted && !stays,
            ..marks
        }
    }

    fn marks_of_subject(&self) -> Marks {
        match &self.subject {
            Subject::Mapped { row, .. } => {
                let private = self.pairs.iter().any(|pair| match &pair.system {
                    Some(system) => self.any_private(&[*system]),
                    None => self.any_private(self.candidates()),
                });
                Marks {
                    untrusted: row.untrusted_output,
                    private: private || row.sensitive,
                }
            }
            Subject::Unchecked { private, .. } => Marks {
                untrusted: true,
                private: *private,
            },
            Subject::Settled => Marks {
                untrusted: true,
                private: false,
            },
        }
    }

    /// What private data comes from, for the reason of a later refusal.
    fn described_source(&self) -> String {
        let action = self.first_action();
        let resource = action.resource.or(action.connection);
        resource.unwrap_or(action.host)
    }

    /// The entries of the audit event, when the request is let through.
    pub(super) fn actions(&self) -> Vec<ObservedAction> {
        let mut actions: Vec<ObservedAction> =
            self.pairs.iter().map(|pair| self.action_of(pair)).collect();
        if actions.is_empty() {
            actions.push(self.unchecked_action());
        }
        for action in &mut actions {
            action.allowed = true;
        }
        actions
    }

    /// How new the answers about a pair must be.
    pub(super) fn freshness_of(&self, pair: &PairState) -> Freshness {
        let sensitive = matches!(&self.subject, Subject::Mapped { row, .. } if row.sensitive);
        Freshness {
            fresh: sensitive
                || pair.fresh
                || self.call.settings.fresh_effects.contains(&pair.need.effect),
            max_age: None,
        }
    }

    /// The strongest effect of the request.
    pub(super) fn effect(&self) -> Effect {
        match &self.subject {
            Subject::Mapped { effect, .. } => self
                .pairs
                .iter()
                .map(|pair| pair.need.effect)
                .max()
                .map_or(*effect, |of_pairs| of_pairs.max(*effect)),
            Subject::Unchecked { effect, .. } => *effect,
            Subject::Settled => self.request.effect(),
        }
    }

    fn sends_out(&self) -> bool {
        match &self.subject {
            Subject::Mapped { row, .. } => row.sends_out.is_some(),
            Subject::Unchecked { sends_out, .. } => *sends_out,
            Subject::Settled => true,
        }
    }

    fn any_private(&self, systems: &[usize]) -> bool {
        let Some(known) = self.call.systems() else {
            return true;
        };
        systems
            .iter()
            .filter_map(|index| known.get(*index))
            .any(|system| system.private || self.call.settings.private.contains(&system.connection))
    }

    /// The systems the request could belong to.
    pub(super) fn candidates(&self) -> &[usize] {
        match &self.subject {
            Subject::Mapped { systems, .. } | Subject::Unchecked { systems, .. } => systems,
            Subject::Settled => &[],
        }
    }

    pub(super) fn candidate(&self, place: usize) -> Option<&System> {
        let systems = self.call.systems()?;
        systems.get(*self.candidates().get(place)?)
    }

    /// Whether no connection answers there, and that is all there is to say of it.
    pub(super) fn is_to_unknown_host(&self) -> bool {
        matches!(
            &self.subject,
            Subject::Unchecked {
                note: Note::UnknownHost,
                ..
            }
        )
    }

    fn known_session(&self) -> Result<&Session, Refusal> {
        self.session.as_ref().ok_or_else(|| {
            let action = self.plain(Effect::Write);
            self.refuse_action(RefusalCode::NoSession, wording::no_session(), action)
        })
    }

    pub(super) fn system_of(&self, pair: &PairState) -> Option<&System> {
        self.call.systems()?.get(pair.system?)
    }

    /// The entry of one pair.
    pub(super) fn action_of(&self, pair: &PairState) -> ObservedAction {
        let mut entry = match &pair.system {
            Some(system) => self.on(&[*system], pair.need.effect),
            None => self.on(self.candidates(), pair.need.effect),
        };
        if let (Some(action), Some(integration)) = (&pair.need.action, &entry.integration) {
            entry.action = Some(format!("{integration}:{action}"));
        }
        entry.resource = pair
            .resource
            .as_ref()
            .map(|resource| self.call.secrets().redact(resource.as_str()).into_owned());
        entry.as_agent = pair.who == ActAs::Agent;
        entry.code = pair.missing;
        if let Subject::Mapped { row, .. } = &self.subject {
            entry.sends_out = row.sends_out.is_some();
            entry.untrusted_output = row.untrusted_output;
            entry.sensitive = row.sensitive;
        }
        entry
    }

    /// The entry of a request without pairs.
    fn unchecked_action(&self) -> ObservedAction {
        let mut entry = self.on(self.candidates(), self.effect());
        match &self.subject {
            Subject::Unchecked {
                sends_out, note, ..
            } => {
                entry.sends_out = *sends_out;
                entry.untrusted_output = true;
                entry.note = Some(*note);
                entry.code = self.missing;
            }
            Subject::Mapped { row, .. } => entry.untrusted_output = row.untrusted_output,
            Subject::Settled => {}
        }
        entry
    }

    /// An entry on these systems, which share an integration; the connection is named when there is only one.
    pub(super) fn on(&self, systems: &[usize], effect: Effect) -> ObservedAction {
        let Some(known) = self.call.systems() else {
            return self.plain(effect);
        };
        let named: Vec<&System> = systems
            .iter()
            .filter_map(|index| known.get(*index))
            .collect();
        let first = named.first();
        let shared = first.filter(|first| named.iter().all(|s| s.integration == first.integration));
        ObservedAction {
            connection: first
                .filter(|_| named.len() == 1)
                .map(|system| system.connection.clone()),
            integration: shared.map(|system| system.integration.to_owned()),
            ..self.plain(effect)
        }
    }

    pub(super) fn plain(&self, effect: Effect) -> ObservedAction {
        ObservedAction {
            method: self.request.method().into(),
            host: self.request.host_key(),
            path: self
                .call
                .secrets()
                .redact(self.request.raw_path())
                .into_owned(),
            time: Some(self.call.wall_at(self.came)),
            effect: Some(effect),
            as_agent: self.who == ActAs::Agent,
            note: self.late.then_some(Note::Late),
            ..ObservedAction::default()
        }
    }

    /// The request in words, without the call's secrets.
    pub(super) fn described(&self) -> String {
        let secrets = self.call.secrets();
        self.request
            .describe_with(|path| Cow::Owned(secrets.redact(path).into_owned()))
    }

    /// The call was over when the request came, or ended while it waited.
    pub(super) fn too_late(&self) -> Refusal {
        let reason = wording::late(&self.described());
        let action = self.plain(self.request.effect());
        self.refuse_action(RefusalCode::CheckError, reason, action)
    }

    /// Whoever drives the check did not answer what it asked.
    pub(super) fn unanswered(&self) -> Refusal {
        let action = self.plain(self.effect());
        self.refuse_action(RefusalCode::CheckError, wording::unanswered(), action)
    }

    pub(super) fn refuse_action(
        &self,
        code: RefusalCode,
        reason: String,
        action: ObservedAction,
    ) -> Refusal {
        let reason = self.call.secrets().redact(&reason).into_owned();
        let action = ObservedAction {
            allowed: false,
            code: Some(code),
            reason: Some(reason.clone()),
            ..action
        };
        Refusal {
            code,
            tool: self.call.tool.name.clone(),
            reason,
            action: Some(Box::new(action)),
        }
    }
}
