//! `toolpass mcp ... -- COMMAND`: what keeps a client's entry working that an old version had rewritten: the original command
//! runs in place of this one.
//!
//! Whatever stands before `--` was for that version and is ignored. On Unix this process becomes the command, so that signals,
//! standard streams and the exit are its own.

use std::process::Command;

use crate::arguments::Arguments;
use crate::exit::{Done, Exit, Stop};
use crate::output::{Page, note};

/// Run the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Done, Stop> {
    let Some((program, rest)) = arguments.operands.split_first() else {
        return Err(Stop::Usage("expected `-- COMMAND`".into()));
    };
    note(
        "toolpass mcp: this entry was rewritten by an old version; `toolpass gateway off` restores it",
    );
    let exit = become_it(Command::new(program).args(rest)).unwrap_or_else(|error| {
        note(&format!(
            "toolpass mcp: `{program}` cannot be started: {error}"
        ));
        Exit::NotStarted
    });
    Ok(Done {
        page: Page::new(),
        exit,
    })
}

/// Errors: it cannot be started.
#[cfg(unix)]
fn become_it(command: &mut Command) -> std::io::Result<Exit> {
    use std::os::unix::process::CommandExt as _;
    Err(command.exec())
}

/// Errors: it cannot be started.
#[cfg(not(unix))]
fn become_it(command: &mut Command) -> std::io::Result<Exit> {
    let code = command.status()?.code();
    Ok(Exit::Of(
        code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1),
    ))
}
