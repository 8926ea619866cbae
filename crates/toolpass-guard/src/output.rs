//! Step 8b: what becomes of a result or an exception once it is redacted. It is recorded, then fenced.
//!
//! Separate from [`crate::fence`], which knows no tools, and from [`crate::pipeline`], which ends where the body begins. The host
//! walks its own values; which of them are recorded and fenced, and how, is said here.

use crate::audit::Counts;
use crate::call::Call;
use crate::fence::structured::{Parts, Style};
use crate::fence::{About, FenceId, Fenced, fence, minted_in};
use crate::session::Session;
use crate::session::stored::{Operation, Place};
use crate::taint::provenance::Gave;
use crate::wording;

/// How the output of one call is fenced.
pub struct Fencing<'c> {
    call: &'c Call,
    id: FenceId,
    minted: Vec<FenceId>,
    nested: Vec<FenceId>,
}

/// What becomes of what a body returns or raises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// It is outside text: recorded, then fenced.
    Fenced,
    /// It is outside text: recorded, then kept behind a handle.
    Kept,
    /// It is handed out.
    Plain,
}

/// What becomes of the output of a call. What was made of a handle's value is outside text itself.
pub fn of(call: &Call) -> Output {
    let tool = &call.tool;
    if tool.outside.behind_handle {
        Output::Kept
    } else if tool.untrusted_output || call.repeatable.has_handles() {
        Output::Fenced
    } else {
        Output::Plain
    }
}

/// Whether what the body returns or raises is outside text.
pub fn is_untrusted(call: &Call) -> bool {
    of(call) != Output::Plain
}

/// Whether its texts from outside are fenced.
pub fn is_fenced(call: &Call) -> bool {
    of(call) == Output::Fenced && call.settings.fence_untrusted
}

/// What is said of a refusal of a nested tool, whose reason may be made of what the model does not see.
pub fn nested_reason() -> String {
    wording::reason_hidden()
}

/// What is said of an exception whose text the model does not see.
pub fn withheld(type_name: &str) -> String {
    format!("{type_name}: what it says is outside text and is not shown")
}

/// Note that secrets were replaced in so many texts of the output.
pub fn redacted(call: &Call, texts: usize) {
    call.count(Counts {
        redacted: many(texts),
        ..Counts::default()
    });
}

/// Whether what the body returns is private data.
pub fn is_private(call: &Call) -> bool {
    call.tool.reads_private
}

/// Remember private text in the call's session.
pub fn record_private(call: &Call, texts: &[String]) {
    if let Some(session) = &call.session {
        session.record_private(texts);
    }
}

/// Remember outside text in the call's session. Answers what its store must be told before anybody gets the text.
#[must_use]
pub fn record(call: &Call, texts: &[String]) -> Option<(Place, Operation)> {
    recorded(call, texts.len());
    let session = call.session.as_ref()?;
    let untold = session.record(texts);
    Some((session.place()?.clone(), untold?))
}

/// Whether the call's session asks who named a value, so that it must be told what tools give back.
pub fn asks_who_named(call: &Call) -> bool {
    call.settings.provenance.some() && call.session.as_ref().is_some_and(Session::was_told)
}

/// Tell the call's session what the call gave back: its texts by record, which are those of one mapping or object; `None` for
/// more than is looked at.
pub fn take(call: &Call, records: Option<&[Vec<String>]>) {
    let Some(session) = &call.session else { return };
    let given = call.repeatable.by_argument();
    session.take(&Gave {
        tool: &call.tool.name,
        is_outside: is_untrusted(call),
        is_looked_up: given.is_some_and(|given| session.is_looked_up(given)),
        records,
    });
}

/// Note that so many texts of the output were remembered.
pub fn recorded(call: &Call, texts: usize) {
    call.count(Counts {
        tainted: many(texts),
        ..Counts::default()
    });
}

impl<'c> Fencing<'c> {
    /// Of a call whose output is fenced, in a toolkit that fences; nothing for any other. The id is minted after the text exists.
    pub fn of(call: &'c Call, id: FenceId) -> Option<Fencing<'c>> {
        if !is_fenced(call) {
            return None;
        }
        let (minted, nested) = call.blocks();
        Some(Fencing {
            call,
            id,
            minted,
            nested,
        })
    }

    /// A text that the body returned, fenced; `None` when it holds a block that this very body fenced.
    pub fn text(&self, text: &str) -> Option<Fenced> {
        (!minted_in(text, &self.minted)).then(|| self.error(text))
    }

    /// What an exception says, fenced.
    pub fn error(&self, message: &str) -> Fenced {
        self.count(1);
        fence(message, &self.about())
    }

    /// How a value that is no text is fenced; `None` when it is left as it is.
    pub fn parts(&self) -> Option<Parts<'_>> {
        let tool = &self.call.tool;
        let style: Option<Style> = tool
            .outside
            .structured
            .unwrap_or(self.call.settings.fence_structured);
        Some(Parts {
            style: style?,
            fields: &tool.outside.fields,
        })
    }

    /// Note that so many parts of a value were fenced.
    pub fn count(&self, blocks: u64) {
        self.call.count(Counts {
            fenced: blocks,
            ..Counts::default()
        });
    }

    /// What is said about it.
    pub fn about(&self) -> About<'_> {
        About {
            nested: &self.nested,
            ..About::new(&self.call.tool.name, self.id)
        }
    }

    /// The id of its blocks.
    pub fn id(&self) -> FenceId {
        self.id
    }
}

fn many(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
