//! Rule 11 at a request that may publish: whether everybody may read what the session has read.
//!
//! Separate from the other rules because it takes several questions: who can read the resource that is sent to, then who can read
//! each that was read. Nothing is asked of a session that has seen no outside text or read nothing else.
//! INVARIANT: a look-up that fails refuses. Only where nobody can be asked, or the system has no word for it, the connection's
//! `private` decides, as it has by then.

use std::collections::VecDeque;

use toolpass_core::codes::{Code, RefusalCode};
use toolpass_core::decision::Decision;
use toolpass_core::resource::Visibility;
use toolpass_wire::table::Audience;

use super::{Awaited, RequestCheck, RequestNext, Step, Subject};
use crate::privacy::{MAX_READ, ResourceRead};
use crate::refusal::Refusal;
use crate::wording;

/// What is found out about who reads what is sent.
pub(super) struct Publishing {
    /// What it is sent to; whether that is public is asked first. Empty once it is known to be.
    targets: VecDeque<ResourceRead>,
    /// What was read and is not looked up yet.
    read: VecDeque<ResourceRead>,
    /// What is looked up now.
    asked: Option<ResourceRead>,
    /// Whether everybody reads what is sent.
    to_public: bool,
}

/// What a look-up came to.
enum Seen {
    /// Everybody can read it.
    Public,
    /// Not everybody can.
    Narrower(&'static str),
    /// There is nothing to be known.
    Nothing,
    /// It could not be found out.
    Failed(Decision),
}

impl RequestCheck {
    /// Rule 11: what must be looked up next before this may leave.
    pub(super) fn publish(&mut self) -> Result<Option<RequestNext>, Refusal> {
        let publishing = match &mut self.publishing {
            Some(publishing) => publishing,
            None => match self.may_publish()? {
                Some(publishing) => self.publishing.insert(publishing),
                None => {
                    self.step = Step::Mark;
                    return Ok(None);
                }
            },
        };
        let next = if publishing.to_public {
            publishing.read.pop_front()
        } else {
            publishing.targets.pop_front()
        };
        let Some(next) = next else {
            self.step = Step::Mark;
            return Ok(None);
        };
        publishing.asked = Some(next.clone());
        self.awaited = Some(Awaited::Visibility);
        Ok(Some(RequestNext::See {
            connection: next.connection,
            resource: next.resource,
        }))
    }

    /// Rule 11: what a look-up came to.
    pub(super) fn seen(
        &mut self,
        answer: Result<Option<Visibility>, Decision>,
    ) -> Result<(), Refusal> {
        let Some(publishing) = &mut self.publishing else {
            return Err(self.unanswered());
        };
        let Some(asked) = publishing.asked.take() else {
            return Err(self.unanswered());
        };
        let seen = read(answer);
        if let Seen::Failed(decision) = seen {
            return Err(self.not_looked_up(&decision));
        }
        if publishing.to_public {
            return match seen {
                Seen::Narrower(word) => Err(self.not_public(&asked, word)),
                Seen::Public | Seen::Nothing | Seen::Failed(_) => Ok(()),
            };
        }
        publishing.to_public = matches!(seen, Seen::Public);
        Ok(())
    }

    /// Rule 12: the resources that this request reads.
    pub(super) fn reads(&self) -> Vec<ResourceRead> {
        let of_pair = |pair| {
            Some(ResourceRead {
                connection: self.system_of(pair)?.connection.clone(),
                resource: pair.resource.clone()?,
            })
        };
        self.pairs.iter().filter_map(of_pair).collect()
    }

    /// Whether what is sent may become public although something that was read is not.
    fn may_publish(&self) -> Result<Option<Publishing>, Refusal> {
        let (Subject::Mapped { row, .. }, Some(session)) = (&self.subject, &self.session) else {
            return Ok(None);
        };
        if !self.call.settings.exfiltration || !session.saw_untrusted() {
            return Ok(None);
        }
        let to_public = match row.sends_out {
            None | Some(Audience::Internal | Audience::Org) => return Ok(None),
            Some(Audience::Public) => true,
            Some(Audience::Resource) => false,
        };
        let targets = self.reads();
        let read = session.privacy(|privacy| privacy.read().map(<[ResourceRead]>::to_vec));
        let Some(mut read) = read else {
            let reason = wording::too_much_read(&self.described(), MAX_READ);
            let action = self.first_action();
            return Err(self.refuse_action(RefusalCode::ExfiltrationRisk, reason, action));
        };
        if to_public {
            // It is published whoever can read the resource now, which is read by that itself.
            read.extend(
                targets
                    .iter()
                    .filter(|own| !read.contains(own))
                    .cloned()
                    .collect::<Vec<_>>(),
            );
        } else {
            read.retain(|read| !targets.contains(read));
        }
        Ok((!read.is_empty()).then(|| Publishing {
            targets: targets.into(),
            read: read.into(),
            asked: None,
            to_public,
        }))
    }

    fn not_public(&self, read: &ResourceRead, visibility: &str) -> Refusal {
        let reason = wording::not_public(&self.described(), read.resource.as_str(), visibility);
        self.refuse_action(RefusalCode::ExfiltrationRisk, reason, self.first_action())
    }
}

fn read(answer: Result<Option<Visibility>, Decision>) -> Seen {
    match answer {
        Ok(Some(Visibility::Public)) => Seen::Public,
        Ok(Some(narrower)) => Seen::Narrower(narrower.as_str()),
        Ok(None) => Seen::Nothing,
        Err(decision) => match decision.code() {
            // Nobody can be asked, or not about this.
            Code::InvalidRequest
            | Code::NotConfigured
            | Code::UnknownConnection
            | Code::Unsupported => Seen::Nothing,
            // What everybody can read, toolpass can.
            Code::ResourceNotVisible => Seen::Narrower("not visible to toolpass"),
            Code::Allowed
            | Code::ClientError
            | Code::CredentialRejected
            | Code::Denied
            | Code::Overloaded
            | Code::Unauthorized
            | Code::UnknownAction
            | Code::UpstreamError
            | Code::UpstreamRateLimited
            | Code::UpstreamTimeout
            | Code::UserAmbiguous
            | Code::UserNotFound => Seen::Failed(decision),
        },
    }
}
