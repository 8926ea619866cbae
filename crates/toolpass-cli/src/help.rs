//! `toolpass help`: what there is, or how one command is used.

use crate::arguments::Arguments;
use crate::exit::{Done, Exit, Stop};
use crate::output::quoted;
use crate::{flags, man, usage};

/// Run the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Done, Stop> {
    let page = match arguments.operands.as_slice() {
        [] if arguments.is_on("man") => man::page(),
        [_, ..] if arguments.is_on("man") => {
            return Err(Stop::Usage("-man is the page of all commands".into()));
        }
        [] => usage::overview(),
        words => {
            let name = words.join(" ");
            usage::of(flags::command(&name).ok_or_else(|| unknown(&name))?)
        }
    };
    Ok(Done {
        page,
        exit: Exit::Done,
    })
}

fn unknown(name: &str) -> Stop {
    let known = quoted(flags::COMMANDS.iter().map(|command| command.name));
    Stop::Usage(format!("there is no command `{name}`; there are {known}"))
}
