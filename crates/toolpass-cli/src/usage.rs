//! The help, made of the table of flags.

use crate::exit::Exit;
use crate::flags::{COMMANDS, Command, Flag, Kind, Operand};
use crate::output::Page;

/// What there is.
pub(crate) fn overview() -> Page {
    let commands: Vec<_> = COMMANDS
        .iter()
        .map(|command| [command.name.into(), command.summary.into()])
        .collect();
    let mut page = Page::new();
    page.line("usage: toolpass COMMAND [flags]");
    page.line("");
    page.columns("  ", &commands);
    page.line("");
    page.line("`toolpass help COMMAND` shows the flags of a command.");
    page
}

/// How one command is used.
pub(crate) fn of(command: &Command) -> Page {
    let mut page = Page::new();
    page.line(&format!("usage: {}", synopsis(command)));
    page.line("");
    page.line(command.summary);
    if !command.flags.is_empty() {
        let flags: Vec<_> = command
            .flags
            .iter()
            .map(|flag| [named(flag), flag.help.into()])
            .collect();
        page.line("");
        page.line("flags");
        page.columns("  ", &flags);
    }
    page.line("");
    page.line("exit");
    page.columns("  ", &exits(command));
    page
}

/// The command with what it takes: `toolpass NAME [flags] OPERAND`.
pub(crate) fn synopsis(command: &Command) -> String {
    let flags = if command.flags.is_empty() {
        ""
    } else {
        " [flags]"
    };
    let operand = match command.operand {
        Operand::Any(name) => format!(" [{name}...]"),
        Operand::AtLeastOne(name) => format!(" {name}..."),
        Operand::AtMostOne(name) | Operand::Name(name) => format!(" [{name}]"),
        Operand::None => String::new(),
        Operand::One(name) => format!(" {name}"),
        Operand::Program(name) => format!(" ... -- {name} [ARGUMENTS...]"),
        Operand::Two(one, other) => format!(" {one} {other}"),
    };
    format!("toolpass {}{flags}{operand}", command.name)
}

fn named(flag: &Flag) -> String {
    match flag.kind {
        Kind::Many(value) | Kind::One(value) => format!("-{} {value}", flag.name),
        Kind::Switch(_) => format!("-{}", flag.name),
    }
}

/// The exits by number; every command has the one for a wrong command line.
pub(crate) fn exits(command: &Command) -> Vec<[String; 2]> {
    let own = command
        .exits
        .iter()
        .map(|(exit, meaning)| (exit.code(), *meaning));
    let mut exits: Vec<_> = own
        .chain([(Exit::Usage.code(), "the command line is wrong")])
        .collect();
    exits.sort_by_key(|(code, _)| *code);
    exits
        .into_iter()
        .map(|(code, meaning)| [code.to_string(), meaning.into()])
        .collect()
}
