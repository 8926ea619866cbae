//! `cargo xtask`: every command a contributor or CI needs, in Rust, so that they are the same on each system.
//!
//! Here: the table of commands, and reading the command line. What a command does is in the module of its name; how
//! steps are shown and counted is in `steps`.

mod bench;
mod browser;
mod build;
mod counts;
mod demo;
mod frameworks;
mod licences;
mod package;
mod paths;
mod py;
mod python;
mod reference;
mod stage;
mod steps;
mod test;
mod tidy;

use std::process::ExitCode;

use crate::steps::{Step, say, say_error};

/// One command: its name, its options, and what it does in a line.
struct Command {
    name: &'static str,
    options: &'static [Flag],
    /// What may be named before `--`, or empty.
    words: &'static str,
    /// What may follow `--`, or empty.
    rest: &'static str,
    does: &'static str,
    steps: fn(&Options) -> anyhow::Result<Vec<Step>>,
}

/// One option of a command. None takes a value.
struct Flag {
    name: &'static str,
    does: &'static str,
}

/// What was asked for, read from the command line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    flags: Vec<&'static str>,
    /// What was named before `--`.
    pub(crate) words: Vec<String>,
    /// Everything after `--`.
    pub(crate) rest: Vec<String>,
}

impl Options {
    /// Whether an option was given. The name is without its dashes.
    pub(crate) fn has(&self, flag: &str) -> bool {
        self.flags.contains(&flag)
    }
}

/// Why the command line was not understood, or that only its usage was wanted.
#[derive(Debug, PartialEq, Eq)]
enum Stop {
    Usage,
    Misread(String),
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (command, options) = match read(&words) {
        Ok(asked) => asked,
        Err(Stop::Usage) => {
            say(&usage());
            return ExitCode::SUCCESS;
        }
        Err(Stop::Misread(why)) => {
            say_error(&format!("error: {why}\n\n{}", usage()));
            return ExitCode::from(2);
        }
    };
    match (command.steps)(&options) {
        Ok(steps) => steps::run_all(command.name, steps, options.has("verbose")),
        Err(error) => {
            say_error(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Read the words after `cargo xtask`.
fn read(words: &[String]) -> Result<(&'static Command, Options), Stop> {
    let Some((name, words)) = words.split_first() else {
        return Err(Stop::Misread("no command given".to_owned()));
    };
    if matches!(name.as_str(), "help" | "-h" | "--help") {
        return Err(Stop::Usage);
    }
    let command = COMMANDS
        .iter()
        .find(|command| command.name == name)
        .ok_or_else(|| Stop::Misread(format!("there is no command `{name}`")))?;
    let mut options = Options::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == "--" && !command.rest.is_empty() {
            options.rest = words.cloned().collect();
            break;
        }
        if matches!(word.as_str(), "-h" | "--help") {
            return Err(Stop::Usage);
        }
        if !command.words.is_empty() && !word.starts_with('-') {
            options.words.push(word.clone());
            continue;
        }
        let flag = word
            .strip_prefix("--")
            .and_then(|name| command.options.iter().find(|flag| flag.name == name))
            .ok_or_else(|| Stop::Misread(format!("`{}` does not take `{word}`", command.name)))?;
        options.flags.push(flag.name);
    }
    Ok((command, options))
}

/// The usage text, made from the table.
fn usage() -> String {
    let mut text = "usage: cargo xtask COMMAND [OPTIONS]\n".to_owned();
    for command in COMMANDS {
        let words = match command.words {
            "" => String::new(),
            words => format!(" [{words}..]"),
        };
        let rest = match command.rest {
            "" => String::new(),
            rest => format!(" [-- {rest}]"),
        };
        text.push_str(&format!(
            "\n  {:<24}{}\n",
            format!("{}{words}{rest}", command.name),
            command.does
        ));
        for flag in command.options {
            text.push_str(&format!("    --{:<28}{}\n", flag.name, flag.does));
        }
    }
    text
}

const VERBOSE: Flag = Flag {
    name: "verbose",
    does: "show all output, not only that of a failed step",
};

const COMMANDS: &[Command] = &[
    Command {
        name: "demo",
        options: &[VERBOSE],
        words: "",
        rest: "",
        does: "build everything and run the examples on embedded stand-ins",
        steps: demo::steps,
    },
    Command {
        name: "watch",
        options: &[VERBOSE],
        words: "",
        rest: "",
        does: "build everything and open the live page of an agent at work, until Ctrl-C",
        steps: demo::watch,
    },
    Command {
        name: "test",
        options: &[VERBOSE],
        words: "",
        rest: "",
        does: "everything CI runs: form, lints, layers, licences, Rust, docs, Python, package",
        steps: test::steps,
    },
    Command {
        name: "py",
        options: &[VERBOSE],
        words: "",
        rest: "PYTEST ARGUMENTS",
        does: "build the Python face in the dev profile and test it",
        steps: py::steps,
    },
    Command {
        name: "frameworks",
        options: &[
            Flag {
                name: "oldest",
                does: "install the oldest versions that the requirements allow",
            },
            VERBOSE,
        ],
        words: "NAME",
        rest: "PYTEST ARGUMENTS",
        does: "test under each agent framework, in an environment of its own",
        steps: frameworks::steps,
    },
    Command {
        name: "tidy",
        options: &[
            Flag {
                name: "fix",
                does: "align the columns of the tables first",
            },
            VERBOSE,
        ],
        words: "",
        rest: "",
        does: "check layers, module docs, sizes, words and tables",
        steps: tidy::steps,
    },
    Command {
        name: "gen",
        options: &[
            Flag {
                name: "check",
                does: "write nothing; say which pages differ from the tables",
            },
            VERBOSE,
        ],
        words: "",
        rest: "",
        does: "make the reference pages of docs/ from the tables",
        steps: reference::steps,
    },
    Command {
        name: "package",
        options: &[
            Flag {
                name: "release",
                does: "build as a user's `pip install .` does, not in the dev profile",
            },
            VERBOSE,
        ],
        words: "",
        rest: "",
        does: "install the clone with pip into a new environment and look at what it brought",
        steps: package::steps,
    },
    Command {
        name: "bench",
        options: &[
            Flag {
                name: "peer",
                does: "measure the published package beside ours, in an environment of its own",
            },
            VERBOSE,
        ],
        words: "",
        rest: "BENCH NAMES",
        does: "measure the numbers of the design, each beside its floor",
        steps: bench::steps,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str) -> Result<(&'static str, Options), Stop> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        read(&words).map(|(command, options)| (command.name, options))
    }

    #[test]
    fn options_are_read_by_command() {
        let (name, options) = asked("bench --peer -- routes").unwrap();
        assert_eq!(name, "bench");
        assert!(options.has("peer"));
        assert!(!options.has("verbose"));
        assert_eq!(options.rest, ["routes"]);
        let (_, options) = asked("frameworks mcp --oldest strands -- -k x").unwrap();
        assert_eq!(options.words, ["mcp", "strands"]);
        assert!(options.has("oldest"));
        assert_eq!(options.rest, ["-k", "x"]);
    }

    #[test]
    fn what_is_not_known_is_an_error_that_names_it() {
        for (line, named) in [
            ("tset", "`tset`"),
            ("test --peer", "`--peer`"),
            ("test now", "`now`"),
            ("test -- -k x", "`--`"),
            ("", "no command"),
        ] {
            match asked(line) {
                Err(Stop::Misread(why)) => assert!(why.contains(named), "{line}: {why}"),
                other => panic!("{line}: {other:?}"),
            }
        }
    }

    #[test]
    fn usage_names_every_command_and_option() {
        let text = usage();
        for command in COMMANDS {
            assert!(text.contains(command.name));
            for flag in command.options {
                assert!(text.contains(&format!("--{}", flag.name)));
            }
        }
        assert_eq!(asked("test --help"), Err(Stop::Usage));
    }
}
