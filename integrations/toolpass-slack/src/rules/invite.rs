//! Rule G for invitations, and what each of the invited asks for.
//!
//! Source: slack.com/help "Permissions by role in Slack" (invite guests), docs.slack.dev `conversations.invite`; read 2026-11-30.

use toolpass_core::decision::Decision;

use super::channel::{Case, inside, open};
use super::known::Stop;
use super::standing::{self, Account, Held, Place, Role, Standing};
use super::workspace::{denied, elsewhere, gate, guest, outside};
use crate::upstream::read::Read;

/// Rules G and 11.19.
pub fn decide(case: &Case<'_>) -> Result<Decision, Stop> {
    let question = case.question;
    open(case)?;
    match case.standing.place {
        Place::Outside => return Err(outside(question)),
        Place::Elsewhere(Role::SingleChannelGuest) | Place::Here(Role::SingleChannelGuest) => {
            return Err(guest(question));
        }
        Place::Elsewhere(_) | Place::Here(_) => {}
    }
    inside(case)?;
    if case.standing.is_guest() {
        return Err(Stop::unsupported(
            "whether guests of several channels may invite people cannot be read",
        ));
    }
    let reads = question.said.invitees.iter().cloned().map(Read::User);
    case.known.all(reads)?;
    for invited in &question.said.invitees {
        let Some(account) = standing::account(question, case.known, invited)? else {
            return Err(Stop::unsupported(format!(
                "Slack does not show the account `{invited}`"
            )));
        };
        match account {
            Account::Active(invited) => one(case, &invited)?,
            // Nobody gets to read more by it, and Slack refuses it.
            Account::Inactive(_) => {}
        }
    }
    gate(question, case.standing, "invite people to channels")
}

fn one(case: &Case<'_>, invited: &Standing) -> Result<(), Stop> {
    let who = match invited.place {
        Place::Outside => "somebody from another organization",
        _ if !invited.is_guest() => return Ok(()),
        Place::Here(Role::MultiChannelGuest) | Place::Elsewhere(Role::MultiChannelGuest)
            if case.is_private =>
        {
            return Ok(());
        }
        Place::Here(_) | Place::Elsewhere(_) => "a guest",
    };
    match case.standing.administers() {
        Held::Yes => Ok(()),
        Held::Untold => Err(elsewhere(case.question)),
        // Owners may let members share channels with other organizations.
        Held::No if invited.is_outside() && !case.question.policy.default_preferences => {
            Err(Stop::unsupported(
                "whether members may invite people from other organizations is a preference that our token cannot read",
            ))
        }
        Held::No => denied(
            case.question,
            &format!("does not administer the workspace, and {who} is invited"),
        )
        .map(drop),
    }
}
