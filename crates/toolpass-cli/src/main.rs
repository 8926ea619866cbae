//! The command `toolpass`: reads the command line, runs one command, prints, ends.
//!
//! | file | answers |
//! |---|---|
//! | `flags` | which commands there are and which flags each takes: the one table |
//! | `arguments` | what a command line says, by that table |
//! | `usage` | the help, from that table |
//! | `man` | the manual page, from that table |
//! | `audit` `catalog` `check` `completion` `demo` `doctor` `entitlements` `gateway` `help` `init` `mcp` `probe` `replay` `routes` `serve` `validate` `version` | what one command does |
//! | `question` `decision` | what is asked, and how the answer is printed |
//! | `remote` | one question put to a server |
//! | `effective` | the configuration as it counts |
//! | `input` | what is read: the configuration, standard input, the environment |
//! | `local` | the engine of this process, its runtime, and signals |
//! | `log` | the operational log on standard error, as text or JSON lines |
//! | `output` | what is printed, and that nothing from afar drives the terminal |
//! | `exit` | with what the process ends |
//!
//! Nothing is decided here. A command is a function from its arguments to a page for standard output and an exit; what it
//! does not need it does not start: only `check`, `probe`, `replay`, `doctor`, `demo` and `serve` have a runtime, `version` reads nothing.
//!
//! INVARIANT: standard output is data, standard error is talk; a command that could not be done leaves standard output empty.

mod arguments;
mod audit;
mod catalog;
mod check;
mod completion;
mod decision;
mod demo;
mod doctor;
mod effective;
mod entitlements;
mod exit;
mod flags;
mod gateway;
mod help;
mod init;
mod input;
mod local;
mod log;
mod man;
mod mcp;
mod output;
mod probe;
mod question;
mod remote;
mod replay;
mod routes;
mod serve;
mod usage;
mod validate;
mod version;

use std::ffi::OsString;
use std::io::ErrorKind;
use std::process::ExitCode;

use arguments::Asked;
use exit::{Exit, Stop};
use flags::Command;
use output::{Page, note, print, say};

fn main() -> ExitCode {
    let words = std::env::args_os().skip(1).map(OsString::into_string);
    let exit = match words.collect::<Result<Vec<String>, OsString>>() {
        Ok(words) => run(&words),
        Err(_) => {
            note("toolpass: expected arguments in UTF-8");
            Exit::Usage
        }
    };
    exit.into()
}

fn run(words: &[String]) -> Exit {
    let Some(name) = words.first() else {
        say(&usage::overview());
        return Exit::Usage;
    };
    if matches!(name.as_str(), "-h" | "-help" | "--help") {
        return finish(&usage::overview(), Exit::Done, Exit::Failed);
    }
    if let [word] = words
        && matches!(word.as_str(), "-version" | "--version")
    {
        return run(&["version".to_owned()]);
    }
    let Some((command, rest)) = flags::split(words) else {
        note(&format!("toolpass: there is no command `{name}`"));
        say(&usage::overview());
        return Exit::Usage;
    };
    match arguments::read(command, rest) {
        Ok(Asked::Help) => finish(&usage::of(command), Exit::Done, command.failure),
        Ok(Asked::Run(arguments)) => match (command.run)(&arguments) {
            Ok(done) => finish(&done.page, done.exit, command.failure),
            Err(stop) => explain(command, &stop),
        },
        Err(problem) => explain(command, &Stop::Usage(problem)),
    }
}

/// Print the page and end with `exit`, or with `failure` when it cannot be printed.
fn finish(page: &Page, exit: Exit, failure: Exit) -> Exit {
    match print(page) {
        Ok(()) => exit,
        Err(error) => {
            // Whoever closes a pipe has read enough and needs no message.
            if error.kind() != ErrorKind::BrokenPipe {
                note("toolpass: standard output cannot be written");
            }
            failure
        }
    }
}

fn explain(command: &Command, stop: &Stop) -> Exit {
    let name = command.name;
    match stop {
        Stop::Failed(text) => {
            note(&format!("toolpass {name}: {text}"));
            command.failure
        }
        Stop::Problems(lines) => {
            for line in lines {
                note(line);
            }
            command.failure
        }
        Stop::Usage(text) => {
            note(&format!("toolpass {name}: {text}"));
            say(&usage::of(command));
            Exit::Usage
        }
    }
}
