//! Step 8b: what becomes of a result or an exception once it is redacted. It is recorded, then fenced.
//!
//! Separate from [`crate::fence`], which knows no tools, and from [`crate::pipeline`], which ends where the body begins. The host
//! walks its own values; which of them are recorded and fenced, and how, is said here.

use crate::audit::Counts;
use crate::call::Call;
use crate::fence::structured::{Parts, Style};
use crate::fence::{About, FenceId, Fenced, fence, minted_in};
use crate::session::stored::{Operation, Place};

/// How the output of one call is fenced.
pub struct Fencing<'c> {
    call: &'c Call,
    id: FenceId,
    minted: Vec<FenceId>,
    nested: Vec<FenceId>,
}

/// Whether what the body returns or raises is outside text.
pub fn is_untrusted(call: &Call) -> bool {
    call.tool.untrusted_output
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
    call.count(Counts {
        tainted: many(texts.len()),
        ..Counts::default()
    });
    let session = call.session.as_ref()?;
    let untold = session.record(texts);
    Some((session.place()?.clone(), untold?))
}

impl<'c> Fencing<'c> {
    /// Of an untrusted tool whose toolkit fences; nothing for any other. The id is minted after the text exists.
    pub fn of(call: &'c Call, id: FenceId) -> Option<Fencing<'c>> {
        if !is_untrusted(call) || !call.settings.fence_untrusted {
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
