//! Rules 4 and 4' at a request: which resource each pair is about, and which connection's it is.
//!
//! Separate from the other rules because it takes several steps: a pointer is looked up in one connection after the other.
//! INVARIANT: after [`RequestCheck::select`] every pair that has an action has a resource.

use toolpass_core::codes::RefusalCode;
use toolpass_core::decision::Decision;
use toolpass_core::resource::Resource;
use toolpass_wire::extract::Target;
use toolpass_wire::field::Unresolved;

use super::{Awaited, RequestCheck, RequestNext, Step};
use crate::audit::ObservedAction;
use crate::refusal::Refusal;
use crate::{authorization, wording};

impl RequestCheck {
    /// Rule 4: the resource of one pair, asked for when it is only pointed at: of each connection that answers for the host, in
    /// turn, because only one of them may be able to see it.
    pub(super) fn resolve(
        &mut self,
        index: usize,
        tried: usize,
    ) -> Result<Option<RequestNext>, Refusal> {
        let Some(pair) = self.pairs.get(index) else {
            self.step = Step::Select;
            return Ok(None);
        };
        let pointer = match &pair.need.target {
            None => {
                self.step = Step::Resolve(index + 1, 0);
                return Ok(None);
            }
            Some(Target::Resource(text)) => {
                let resource = Resource::parse(text).map_err(|invalid| {
                    self.unresolved(self.action_of(pair), &Unresolved::new(invalid.to_string()))
                })?;
                self.take_resource(index, resource);
                return Ok(None);
            }
            Some(Target::Pointer(pointer)) => pointer.clone(),
        };
        let freshness = self.freshness_of(pair);
        let Some(system) = self.candidate(tried) else {
            let nowhere = wording::leads_nowhere(&self.described());
            let action = self.action_of(pair);
            return Err(self.looked_up.take().unwrap_or_else(|| {
                self.refuse_action(RefusalCode::UnresolvedResource, nowhere, action)
            }));
        };
        let connection = system.connection.clone();
        self.awaited = Some(Awaited::Resource { pair: index, tried });
        Ok(Some(RequestNext::Resolve {
            connection,
            freshness,
            pointer,
        }))
    }

    /// Rule 4: what the look-up of a pointer in one connection came to. That it failed in one matters when no other finds it.
    pub(super) fn resolved(
        &mut self,
        index: usize,
        tried: usize,
        answer: Result<Option<Resource>, Decision>,
    ) {
        match answer {
            Ok(Some(resource)) => return self.take_resource(index, resource),
            Ok(None) => {}
            Err(decision) => {
                let refusal = self.not_looked_up(&decision);
                self.looked_up.get_or_insert(refusal);
            }
        }
        self.step = Step::Resolve(index, tried + 1);
    }

    fn take_resource(&mut self, index: usize, resource: Resource) {
        if let Some(pair) = self.pairs.get_mut(index) {
            pair.resource = Some(resource);
        }
        self.looked_up = None;
        self.step = Step::Resolve(index + 1, 0);
    }

    pub(super) fn not_looked_up(&self, decision: &Decision) -> Refusal {
        let what = format!("look up what {} acts on", self.described());
        let action = self.on(self.candidates(), self.effect());
        self.not_found_out(&what, decision, action)
    }

    /// Rules 3 and 4: the server that has the tables did not say what the request is.
    pub(super) fn not_named(&self, candidates: &[usize], decision: &Decision) -> Refusal {
        let what = format!("find out what {} does", self.described());
        let action = self.on(candidates, self.request.effect());
        self.not_found_out(&what, decision, action)
    }

    fn not_found_out(&self, what: &str, decision: &Decision, action: ObservedAction) -> Refusal {
        let user = self.session.as_ref().map_or("", |session| session.user());
        let (code, reason) = authorization::of_decision(user, what, decision)
            .filter(|(code, _)| *code != RefusalCode::NotAuthorized)
            .unwrap_or_else(|| {
                (
                    RefusalCode::AuthorizationError,
                    wording::authorization_error(user, what, decision),
                )
            });
        self.refuse_action(code, reason, action)
    }

    /// Rule 4': the connection that owns each pair's resource.
    pub(super) fn select(&mut self) -> Result<(), Refusal> {
        let Some(systems) = self.call.systems() else {
            return Ok(());
        };
        let mut chosen = Vec::with_capacity(self.pairs.len());
        for pair in &self.pairs {
            let system = match (&pair.resource, &pair.need.action, self.candidates()) {
                (None, Some(_), _) => {
                    let why = Unresolved::new("it names nothing to act on");
                    return Err(self.unresolved(self.action_of(pair), &why));
                }
                (_, _, [only]) => Some(*only),
                // Whoever named it knows whose it is.
                _ if pair.system.is_some() => pair.system,
                (Some(resource), _, several) => {
                    let owner = systems.select(several, resource).map_err(|_| {
                        let reason = wording::ambiguous(&self.described());
                        let action = self.action_of(pair);
                        self.refuse_action(RefusalCode::AmbiguousConnection, reason, action)
                    })?;
                    Some(owner)
                }
                // It needs no permission and names nothing: it belongs to all of them.
                (None, None, _) => None,
            };
            chosen.push(system);
        }
        for (pair, system) in self.pairs.iter_mut().zip(chosen) {
            pair.system = system;
        }
        Ok(())
    }
}
