//! The three legs of a leak: private data was read, outside text was seen, and this would send data out.
//!
//! It does not look at words, so a summary in other words is held back as well. One leg, or two, is fine while nobody says who
//! reads what is sent. A tool that says so needs no outside text to be refused: whoever gets it must be a reader of everything
//! private the session has read, and then outside text is no matter either.

use toolpass_core::quoted::Quoted;

use crate::call::Call;
use crate::privacy;
use crate::session::Session;
use crate::settings::Settings;
use crate::taint;
use crate::tool::Readers;
use crate::wording;

/// Whether sending out now, to anyone, would complete the third leg: step 6 of a call, rule 11 of a request.
pub(crate) fn would_leak(settings: &Settings, session: &Session, sends_out: bool) -> bool {
    sends_out && settings.exfiltration && session.read_private() && session.saw_untrusted()
}

/// Rule 11: the same for a request, whose system knows who reads what it sends. What goes to a host of no connection goes to
/// those the call was let through for, as long as they may read what was read by now.
pub(crate) fn request_would_leak(
    call: &Call,
    session: &Session,
    sends_out: bool,
    is_elsewhere: bool,
) -> bool {
    let is_addressed = || match call.audience.get() {
        Some(audience) => {
            let named = taint::named_destinations(call, session);
            let is_named = |member: &str| named.contains(member);
            session.privacy(|privacy| privacy.kept_from(audience, is_named).is_empty())
        }
        None => stays_with_named(call, session),
    };
    would_leak(&call.settings, session, sends_out)
        && !(is_elsewhere && call.tool.sends_out && is_addressed())
}

/// Whether what a call sends reaches nobody but whom the person named, and they may read everything that was read: what is the
/// person's alone, and what they are readers of.
fn stays_with_named(call: &Call, session: &Session) -> bool {
    if !taint::reaches_only_named(call, session) {
        return false;
    }
    let mut audience: Vec<&str> = taint::named_destinations(call, session)
        .into_iter()
        .collect();
    if audience.is_empty() {
        // Its destination was left out: whom the developer chose, nobody here knows.
        audience.push("");
    }
    session.privacy(|privacy| privacy.kept_from(&audience, |_| true).is_empty())
}

/// Step 6 for a tool that does not say who reads what it sends.
/// Errors: why it may not.
pub(crate) fn to_anyone(call: &Call, session: &Session) -> Result<(), String> {
    if !would_leak(&call.settings, session, call.tool.sends_out) || stays_with_named(call, session)
    {
        return Ok(());
    }
    let read = Read::by(session, call);
    Err(wording::exfiltration(
        &format!("`{}`", call.tool.name),
        &read.sources,
        read.repeated.as_deref(),
    ))
}

/// Step 6 for a tool that says who reads what it sends.
/// Errors: why they may not.
pub(crate) fn to_audience(
    call: &Call,
    session: &Session,
    audience: &[String],
) -> Result<(), String> {
    if !call.settings.exfiltration || !session.read_private() {
        return Ok(());
    }
    let named = taint::named_destinations(call, session);
    let kept_from =
        session.privacy(|privacy| privacy.kept_from(audience, |member| named.contains(member)));
    let Some((what, strangers)) = kept_from.first() else {
        return Ok(());
    };
    let shown: Vec<String> = strangers
        .iter()
        .filter_map(|place| audience.get(*place))
        .take(MAX_SHOWN)
        .map(|member| Quoted::new(member).to_string())
        .collect();
    let more = strangers.len().saturating_sub(shown.len());
    let read = Read::by(session, call);
    Err(wording::not_readers(
        &call.tool.name,
        &shown,
        more,
        what,
        read.repeated.as_deref(),
    ))
}

/// The body is about to read private data: whose it is, and who may read it.
pub(crate) fn mark(call: &Call, session: &Session) {
    let name = &call.tool.name;
    match &call.tool.disclosure.readers {
        Readers::Nobody => session.mark_private::<&str>(name, &[]),
        Readers::These(readers) => session.mark_private(name, readers),
        Readers::Asked => {
            session.mark_private(name, call.readers.get().map_or(&[][..], Vec::as_slice));
        }
    }
}

/// Whether texts an application answered name readers or an audience.
/// Errors: why not, in words.
pub(crate) fn named(answer: Result<Vec<String>, String>) -> Result<Vec<String>, String> {
    let names = answer?;
    privacy::check(&names).map_err(|invalid| format!("answered wrongly: {invalid}"))?;
    Ok(names)
}

/// What a session read that is private, for a reason.
struct Read {
    sources: Vec<String>,
    repeated: Option<String>,
}

impl Read {
    fn by(session: &Session, call: &Call) -> Read {
        let arguments = call.repeatable.by_name(&call.tool);
        session.privacy(|privacy| Read {
            sources: privacy.sources(),
            repeated: privacy.repeated(&arguments).map(str::to_owned),
        })
    }
}

/// How many members of an audience a reason names.
const MAX_SHOWN: usize = 3;
