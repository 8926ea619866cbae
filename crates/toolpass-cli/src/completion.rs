//! `toolpass completion`: what a shell offers after `toolpass`, made of the table of flags and the names of the integrations.

use std::fmt::Write as _;

use crate::arguments::Arguments;
use crate::exit::{Done, Exit, Stop};
use crate::flags::{COMMANDS, Command, Kind, Operand};
use crate::output::Page;

/// Run the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Done, Stop> {
    let script = match arguments.operands.first().map(String::as_str) {
        Some("bash") => bash(),
        Some("fish") => fish(),
        Some("zsh") => zsh(),
        _ => return Err(Stop::Usage("expected `bash`, `zsh` or `fish`".into())),
    };
    let mut page = Page::new();
    for line in script.lines() {
        page.line(line);
    }
    Ok(Done {
        page,
        exit: Exit::Done,
    })
}

/// The first words of commands, each once.
fn first_words() -> Vec<&'static str> {
    let mut words: Vec<&str> = COMMANDS
        .iter()
        .filter_map(|command| command.name.split(' ').next())
        .collect();
    words.dedup();
    words
}

/// What may follow a command's name: its flags, and the names its operand takes.
fn offered(command: &Command) -> Vec<String> {
    let flags = command.flags.iter().map(|flag| format!("-{}", flag.name));
    let names: Vec<&str> = match command.operand {
        Operand::AtMostOne("INTEGRATION") | Operand::AtLeastOne("INTEGRATION") => {
            toolpass_registry::all()
                .iter()
                .map(|one| one.name())
                .collect()
        }
        Operand::Name(_) => first_words(),
        Operand::One("SHELL") => vec!["bash", "fish", "zsh"],
        Operand::Any(_)
        | Operand::AtLeastOne(_)
        | Operand::AtMostOne(_)
        | Operand::None
        | Operand::One(_)
        | Operand::Program(_)
        | Operand::Two(..) => Vec::new(),
    };
    flags.chain(names.into_iter().map(str::to_owned)).collect()
}

fn takes_files(command: &Command) -> bool {
    matches!(
        command.operand,
        Operand::Any("FILE" | "DECISIONS.log")
            | Operand::AtLeastOne("FILE" | "DECISIONS.log")
            | Operand::Two(..)
    )
}

/// The second words of a command of two words.
fn second_words(first: &str) -> Vec<&'static str> {
    COMMANDS
        .iter()
        .filter_map(|command| command.name.strip_prefix(first)?.strip_prefix(' '))
        .collect()
}

/// Every flag that takes a value, so that a file may follow it.
fn with_value(command: &Command) -> Vec<String> {
    let flags = command.flags.iter();
    let valued = flags.filter(|flag| !matches!(flag.kind, Kind::Switch(_)));
    valued.map(|flag| format!("-{}", flag.name)).collect()
}

fn bash() -> String {
    let mut cases = String::new();
    for first in first_words() {
        let seconds = second_words(first);
        if !seconds.is_empty() {
            // Writing to a String cannot fail.
            let _ = writeln!(cases, "    {first}) words='{}' ;;", seconds.join(" "));
        }
    }
    for command in COMMANDS {
        let name = command.name.replace(' ', "\\ ");
        let _ = writeln!(
            cases,
            "    {name}) words='{}'; valued='{}'; files={} ;;",
            offered(command).join(" "),
            with_value(command).join(" "),
            u8::from(takes_files(command)),
        );
    }
    format!(
        "# bash completion of toolpass: source <(toolpass completion bash)
_toolpass() {{
  local current=\"${{COMP_WORDS[COMP_CWORD]}}\" previous=\"${{COMP_WORDS[COMP_CWORD-1]}}\"
  local command=\"${{COMP_WORDS[1]}}\" words='' valued='' files=0 at=2
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=( $(compgen -W '{commands}' -- \"$current\") )
    return
  fi
  case \"$command\" in
    {doubles}) if (( COMP_CWORD > 2 )); then command=\"$command ${{COMP_WORDS[2]}}\"; fi ;;
  esac
  case \"$command\" in
{cases}  esac
  if [[ \" $valued \" == *\" $previous \"* ]]; then
    COMPREPLY=( $(compgen -f -- \"$current\") )
    return
  fi
  COMPREPLY=( $(compgen -W \"$words\" -- \"$current\") )
  if (( files )) && [[ \"$current\" != -* ]]; then
    COMPREPLY+=( $(compgen -f -- \"$current\") )
  fi
}}
complete -o filenames -F _toolpass toolpass
",
        commands = first_words().join(" "),
        doubles = doubles().join("|"),
    )
}

fn zsh() -> String {
    format!(
        "#compdef toolpass
# zsh completion of toolpass: source <(toolpass completion zsh)
autoload -U +X bashcompinit && bashcompinit
{}",
        bash()
    )
}

fn fish() -> String {
    let mut script = String::from(
        "# fish completion of toolpass: toolpass completion fish | source
complete -c toolpass -f
",
    );
    for first in first_words() {
        let summary = COMMANDS
            .iter()
            .find(|command| command.name.split(' ').next() == Some(first))
            .map_or("", |command| command.summary);
        let _ = writeln!(
            script,
            "complete -c toolpass -n __fish_use_subcommand -a {first} -d {}",
            quoted(summary)
        );
        for second in second_words(first) {
            let _ = writeln!(
                script,
                "complete -c toolpass -n '__fish_seen_subcommand_from {first}' -a {second}"
            );
        }
    }
    for command in COMMANDS {
        let seen: Vec<String> = command
            .name
            .split(' ')
            .map(|word| format!("__fish_seen_subcommand_from {word}"))
            .collect();
        let seen = seen.join("; and ");
        for flag in command.flags {
            let value = if matches!(flag.kind, Kind::Switch(_)) {
                ""
            } else {
                " -r -F"
            };
            let _ = writeln!(
                script,
                "complete -c toolpass -n '{seen}' -o {}{value} -d {}",
                flag.name,
                quoted(flag.help)
            );
        }
        let names: Vec<String> = offered(command)
            .into_iter()
            .filter(|word| !word.starts_with('-'))
            .collect();
        if !names.is_empty() {
            let _ = writeln!(
                script,
                "complete -c toolpass -n '{seen}' -a '{}'",
                names.join(" ")
            );
        }
        if takes_files(command) {
            let _ = writeln!(script, "complete -c toolpass -n '{seen}' -F");
        }
    }
    script
}

fn doubles() -> Vec<&'static str> {
    let words = first_words();
    words
        .into_iter()
        .filter(|word| !second_words(word).is_empty())
        .collect()
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}
