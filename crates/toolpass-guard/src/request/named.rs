//! Rules 3 to 4' at a request that a row knows, here or at the server that has the tables.
//!
//! INVARIANT: what is named elsewhere meets every later rule, on a connection the request was attributed to here.

use toolpass_core::codes::RefusalCode;
use toolpass_core::effect::Effect;
use toolpass_wire::extract::Need;
use toolpass_wire::observe::{RowInfo, Served, Systems};

use super::{PairState, RequestCheck, Step, Subject};
use crate::refusal::Refusal;
use crate::wording;

impl RequestCheck {
    /// Rules 3 to 4' for a request that was named elsewhere.
    pub(super) fn named(&mut self, candidates: Vec<usize>, served: Served) -> Result<(), Refusal> {
        let call = std::sync::Arc::clone(&self.call);
        let Some(systems) = call.systems() else {
            return Err(self.unanswered());
        };
        match served {
            Served::Ambiguous => Err(self.refuse_action(
                RefusalCode::AmbiguousConnection,
                wording::ambiguous(&self.described()),
                self.on(&candidates, self.request.effect()),
            )),
            Served::HostMismatch { reason } => Err(self.refuse_action(
                RefusalCode::HostMismatch,
                wording::host_mismatch(&self.described(), &reason),
                self.plain(self.request.effect()),
            )),
            Served::Mapped { needs, .. } if needs.is_empty() => Err(self.unanswered()),
            Served::Mapped { row, needs, effect } => {
                let known = |(_, owner): &(Need, usize)| candidates.contains(owner);
                if !needs.iter().all(known) {
                    return Err(self.unanswered());
                }
                let needs = needs
                    .into_iter()
                    .map(|(need, owner)| (need, Some(owner)))
                    .collect();
                self.mapped(systems, candidates, row, needs, effect)
            }
            Served::Unmapped { effect } => self.unmapped(systems, &candidates, effect),
            Served::Unresolved { effect, reason } => {
                Err(self.unresolved(self.on(&candidates, effect), &reason))
            }
        }
    }

    /// Rule 4: a request that a row knows.
    pub(super) fn mapped(
        &mut self,
        systems: &Systems,
        candidates: Vec<usize>,
        row: RowInfo,
        needs: Vec<(Need, Option<usize>)>,
        effect: Effect,
    ) -> Result<(), Refusal> {
        if !self.is_held() {
            self.only_as_agent(systems, &candidates, &row, effect)?;
        }
        self.pairs = needs
            .into_iter()
            .map(|(need, system)| PairState {
                need,
                resource: None,
                system,
                who: self.who,
                fresh: false,
                missing: None,
                allowed_by: None,
            })
            .collect();
        self.subject = Subject::Mapped {
            systems: candidates,
            row,
            effect,
        };
        self.step = Step::Resolve(0, 0);
        Ok(())
    }
}
