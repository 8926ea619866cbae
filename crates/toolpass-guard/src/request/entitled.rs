//! Rules 2, 3 and 5 at a request, as far as the tool's entitlements speak of it.
//!
//! Separate from the other rules because none of them applies to a tool without an entry.
//! INVARIANT: what was waived by `on_missing` goes on to every later rule. An effect stronger than its entry's is never waived.

use std::sync::Arc;

use toolpass_core::codes::RefusalCode;
use toolpass_core::effect::Effect;
use toolpass_wire::observe::Systems;

use super::{RequestCheck, Subject};
use crate::entitlements::enforce::{
    Asked, Coverage, Gap, OnMissing, Standing, UNMAPPED_READ, covers, covers_host,
    covers_unmapped_read,
};
use crate::entitlements::host::Listed;
use crate::entitlements::model::stricter;
use crate::refusal::Refusal;
use crate::settings::ActAs;
use crate::wording;

impl RequestCheck {
    /// Whether the tool has an entry.
    pub(super) fn is_held(&self) -> bool {
        matches!(self.call.standing(), Standing::Held(_))
    }

    /// Whether all of it runs on the agent's own authority.
    pub(super) fn is_the_agents(&self) -> bool {
        if self.pairs.is_empty() {
            return self.who == ActAs::Agent;
        }
        self.pairs.iter().all(|pair| pair.who == ActAs::Agent)
    }

    /// Rule 2: how the entry lists a host of no connection; nothing for a tool without one.
    pub(super) fn listing(&self) -> Option<Listed> {
        let Standing::Held(entry) = self.call.standing() else {
            return None;
        };
        let request = &self.request;
        Some(covers_host(
            entry,
            request.scheme(),
            request.host(),
            request.port(),
        ))
    }

    /// Rule 3: whether the entry lists a read that no route knows. It must for every integration that may answer.
    /// Errors: `unmapped_action` when it does not.
    pub(super) fn entitle_read(
        &mut self,
        systems: &Systems,
        candidates: &[usize],
    ) -> Result<bool, Refusal> {
        let call = Arc::clone(&self.call);
        let Standing::Held(entry) = call.standing() else {
            return Ok(false);
        };
        let systems = candidates.iter().filter_map(|index| systems.get(*index));
        let mut integrations: Vec<&str> = systems.map(|system| system.integration).collect();
        integrations.sort_unstable();
        integrations.dedup();
        let mut who = None;
        let mut capped = Vec::new();
        for integration in integrations {
            let path = self.request.path();
            let coverage = path.map_or(Coverage::Missing, |path| {
                covers_unmapped_read(entry, call.given(), integration, path)
            });
            let Coverage::Covered(grant) = coverage else {
                return self.lacks_read(candidates).map(|()| false);
            };
            who = Some(who.map_or(grant.acts_as, |who| stricter(who, grant.acts_as)));
            capped.extend(
                grant
                    .limit
                    .map(|limit| (format!("{integration}:{UNMAPPED_READ}"), limit)),
            );
        }
        let Some(who) = who else {
            return self.lacks_read(candidates).map(|()| false);
        };
        self.who = who;
        self.capped = capped;
        Ok(true)
    }

    fn lacks_read(&mut self, candidates: &[usize]) -> Result<(), Refusal> {
        let code = Gap::UnmappedRead.code();
        if self.call.settings.on_missing == OnMissing::Warn {
            self.missing = Some(code);
            return Ok(());
        }
        let reason = wording::unlisted(&self.described(), "this read, which no route knows");
        Err(self.refuse_action(code, reason, self.on(candidates, Effect::Read)))
    }

    /// Rule 5: whether the entry covers every pair; what it says decides on whose authority the pair runs.
    /// Errors: `unentitled_action`, `effect_exceeded`.
    pub(super) fn entitle(&mut self) -> Result<(), Refusal> {
        if !self.is_held() {
            return Ok(());
        }
        for index in 0..self.pairs.len() {
            self.entitle_pair(index)?;
        }
        let call = Arc::clone(&self.call);
        match (&self.subject, call.systems()) {
            (
                Subject::Mapped {
                    systems: candidates,
                    row,
                    effect,
                },
                Some(systems),
            ) => self.only_as_agent(systems, candidates, row, *effect),
            (Subject::Mapped { .. } | Subject::Settled | Subject::Unchecked { .. }, _) => Ok(()),
        }
    }

    fn entitle_pair(&mut self, index: usize) -> Result<(), Refusal> {
        let call = Arc::clone(&self.call);
        let (Standing::Held(entry), Some(pair)) = (call.standing(), self.pairs.get(index)) else {
            return Ok(());
        };
        let Some(action) = &pair.need.action else {
            return Ok(());
        };
        let integration = self.system_of(pair).map_or("", |system| system.integration);
        let asked = Asked {
            integration,
            action,
            resource: pair.resource.as_ref().map(|resource| resource.as_str()),
            effect: pair.need.effect,
        };
        match covers(entry, call.given(), asked) {
            Coverage::Covered(grant) => {
                self.capped.extend(
                    grant
                        .limit
                        .map(|limit| (grant.entry.action.to_string(), limit)),
                );
                if let Some(pair) = self.pairs.get_mut(index) {
                    pair.who = grant.acts_as;
                    pair.fresh = grant.fresh;
                }
                Ok(())
            }
            Coverage::Exceeded(entry) => {
                let (described, entry) = (self.described(), entry.to_string());
                let reason = wording::exceeds_entry(&described, asked.effect, &entry);
                let action = self.action_of(pair);
                Err(self.refuse_action(RefusalCode::EffectExceeded, reason, action))
            }
            Coverage::Missing if call.settings.on_missing == OnMissing::Warn => {
                if let Some(pair) = self.pairs.get_mut(index) {
                    pair.missing = Some(Gap::Action.code());
                }
                Ok(())
            }
            Coverage::Missing => {
                let named = format!("{integration}:{action}");
                let reason = wording::unlisted_action(&self.described(), &named, asked.resource);
                Err(self.refuse_action(Gap::Action.code(), reason, self.action_of(pair)))
            }
        }
    }
}
