//! The three legs of a leak: private data was read, outside text was seen, and this would send data out.
//!
//! It does not look at words, so a summary in other words is held back as well. One leg, or two, is fine.

use crate::session::Session;
use crate::settings::Settings;

/// Whether sending out now would complete the third leg: step 6 of a call, rule 11 of a request.
pub(crate) fn would_leak(settings: &Settings, session: &Session, sends_out: bool) -> bool {
    sends_out && settings.exfiltration && session.read_private() && session.saw_untrusted()
}
