//! With what the process ends: every exit there is, and why a command stops early.

use std::process::ExitCode;

use crate::output::Page;

/// An exit. Several meanings share a number; which of them a command has is in its row of [`crate::flags`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The decision is deny.
    Denied,
    /// It was done, or the decision is allow.
    Done,
    /// It could not be done, or something was found wrong.
    Failed,
    /// No decision was reached.
    NoDecision,
    /// Another program could not be started.
    NotStarted,
    /// What another program ended with.
    #[cfg(not(unix))]
    Of(u8),
    /// The decision is unknown.
    Unknown,
    /// The command line is wrong.
    Usage,
    /// It was done, and something should be looked at.
    Warned,
}

/// What a command came to.
pub(crate) struct Done {
    /// All of standard output.
    pub(crate) page: Page,
    /// The exit.
    pub(crate) exit: Exit,
}

/// Why a command stops without a result. The exit is the command's own for failure, or 2 for a wrong command line.
pub(crate) enum Stop {
    /// It could not be done, for this reason.
    Failed(String),
    /// Something is wrong in what was read; each line says where.
    Problems(Vec<String>),
    /// The command line is wrong, in this way.
    Usage(String),
}

impl Exit {
    /// The number.
    pub(crate) fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Denied | Exit::Failed => 1,
            Exit::NoDecision | Exit::Usage => 2,
            Exit::Unknown | Exit::Warned => 3,
            // As shells have it.
            Exit::NotStarted => 127,
            #[cfg(not(unix))]
            Exit::Of(code) => code,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}
