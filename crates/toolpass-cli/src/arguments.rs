//! What a command line says, by the table of flags.
//!
//! The syntax is that of Go's `flag` package, which no common parser of Rust reads: `-name value`, `-name=value`, two dashes
//! as well as one, `--` ends the flags, and so does the first word that is none. Eighty lines over our own table are less than
//! rewriting a line into another parser's syntax and its errors back, and they start faster.
//! SOURCE: pkg.go.dev/flag, "Command line flag syntax".

use std::slice::Iter;

use crate::flags::{Command, Flag, Kind, Operand};

/// What is asked of a command.
#[derive(Debug)]
pub(crate) enum Asked {
    /// How it is used.
    Help,
    /// To run.
    Run(Arguments),
}

/// The arguments of a command, in the order given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arguments {
    flags: Vec<(&'static str, String)>,
    /// The arguments besides flags.
    pub(crate) operands: Vec<String>,
}

impl Arguments {
    /// The value of a flag; of several the last. A switch is `true`, `false` or a word of its own.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.all(name).last()
    }

    /// Every value of a flag.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.flags
            .iter()
            .filter(move |(flag, _)| *flag == name)
            .map(|(_, value)| value.as_str())
    }

    /// The one argument besides flags, when it is given.
    pub(crate) fn operand(&self) -> Option<&str> {
        self.operands.first().map(String::as_str)
    }

    /// Whether a switch is on.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        self.value(name).is_some_and(|value| value != OFF)
    }
}

/// Read the words after a command's name.
/// Errors: what is wrong, naming the flag. A value is never repeated: it may be a secret in the wrong place.
pub(crate) fn read(command: &'static Command, words: &[String]) -> Result<Asked, String> {
    if let Operand::Program(_) = command.operand {
        return program(words);
    }
    let mut arguments = Arguments::default();
    let mut words = words.iter();
    let mut rest = Vec::new();
    while let Some(word) = words.next() {
        if word == "--" {
            break;
        }
        let Some(text) = word.strip_prefix('-').filter(|text| !text.is_empty()) else {
            rest.push(word);
            break;
        };
        let text = text.strip_prefix('-').unwrap_or(text);
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        if name.is_empty() || name.starts_with('-') {
            return Err("bad flag syntax; expected `-name`, `-name=value` or `-name value`".into());
        }
        let Some(flag) = command.flags.iter().find(|flag| flag.name == name) else {
            return match name {
                "h" | "help" => Ok(Asked::Help),
                _ => Err(format!("there is no flag -{name}")),
            };
        };
        arguments
            .flags
            .push((flag.name, value_of(flag, value, &mut words)?));
    }
    rest.extend(words);
    match (command.operand, rest.as_slice()) {
        (Operand::One(name), [] | [_, _, ..]) => {
            return Err(format!("expected one {name}, after all flags"));
        }
        (Operand::AtMostOne(name), [_, _, ..]) | (Operand::Name(name), [_, _, _, ..]) => {
            return Err(format!("expected at most one {name}, after all flags"));
        }
        (Operand::AtLeastOne(name), []) => {
            return Err(format!("expected at least one {name}, after all flags"));
        }
        (Operand::Two(one, other), [] | [_] | [_, _, _, ..]) => {
            return Err(format!("expected {one} and {other}, after all flags"));
        }
        (Operand::None, [word, ..])
            if is_file(word) && command.flags.iter().any(|flag| flag.name == "config") =>
        {
            return Err("expected flags only; the file goes with its flag, `-config FILE`".into());
        }
        (Operand::None, [_, ..]) => {
            return Err(
                "expected flags only; a value follows its flag, as in `-name value`".into(),
            );
        }
        (
            Operand::Any(_)
            | Operand::AtLeastOne(_)
            | Operand::AtMostOne(_)
            | Operand::Name(_)
            | Operand::None
            | Operand::One(_)
            | Operand::Program(_)
            | Operand::Two(..),
            _,
        ) => {}
    }
    arguments.operands = rest.into_iter().cloned().collect();
    Ok(Asked::Run(arguments))
}

/// Another program and its arguments: all after the first `--`. What stands before is none of ours.
fn program(words: &[String]) -> Result<Asked, String> {
    if let [word] = words
        && matches!(word.as_str(), "-h" | "-help" | "--help")
    {
        return Ok(Asked::Help);
    }
    let rest = words.iter().skip_while(|word| *word != "--").skip(1);
    let operands: Vec<String> = rest.cloned().collect();
    if operands.is_empty() {
        return Err("expected `-- COMMAND`, the program to run and its arguments".into());
    }
    Ok(Asked::Run(Arguments {
        operands,
        ..Arguments::default()
    }))
}

/// Whether a word looks like the file of a configuration.
fn is_file(word: &str) -> bool {
    [".yaml", ".yml"].iter().any(|end| word.ends_with(end))
}

fn value_of(
    flag: &Flag,
    value: Option<&str>,
    words: &mut Iter<'_, String>,
) -> Result<String, String> {
    let name = flag.name;
    match flag.kind {
        Kind::Many(wanted) | Kind::One(wanted) => match value {
            Some(value) => Ok(value.to_owned()),
            None => words
                .next()
                .cloned()
                .ok_or_else(|| format!("-{name} lacks its value, {wanted}")),
        },
        Kind::Switch(own) => {
            let value = value.unwrap_or(ON);
            match value.to_ascii_lowercase().as_str() {
                "1" | "t" | "true" => Ok(ON.into()),
                "0" | "f" | "false" => Ok(OFF.into()),
                word if own.contains(&word) => Ok(word.to_owned()),
                _ => {
                    let own: String = own.iter().map(|word| format!(", `{word}`")).collect();
                    Err(format!("-{name} takes `true` or `false`{own}, after `=`"))
                }
            }
        }
    }
}

const ON: &str = "true";
const OFF: &str = "false";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags;

    fn shown(command: &str, line: &str) -> String {
        let words: Vec<String> = line
            .split(' ')
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect();
        match read(flags::command(command).unwrap(), &words) {
            Ok(Asked::Help) => "help".into(),
            Ok(Asked::Run(Arguments { flags, operands })) => {
                let flags = flags.iter().map(|(name, value)| format!("{name}={value}"));
                flags
                    .chain(operands.iter().map(|operand| format!("[{operand}]")))
                    .collect::<Vec<_>>()
                    .join(" ")
            }
            Err(problem) => problem,
        }
    }

    #[test]
    fn flags_of_check() {
        for (line, expected) in [
            ("-user a@b", "user=a@b"),
            ("-user=a@b", "user=a@b"),
            ("--user a@b", "user=a@b"),
            ("--user=a=b", "user=a=b"),
            ("-user=", "user="),
            ("-user -json", "user=-json"),
            ("-user --", "user=--"),
            ("-user a -user b", "user=a user=b"),
            ("-group a -group=b", "group=a group=b"),
            ("-json -fresh", "json=true fresh=true"),
            ("-json=T -fresh=0", "json=true fresh=false"),
            ("-json=TRUE -fresh=False", "json=true fresh=false"),
            ("-json=v1", "json=v1"),
            ("-json=2", "-json takes `true` or `false`, `v1`, after `=`"),
            ("-fresh=v1", "-fresh takes `true` or `false`, after `=`"),
            (
                "-json false",
                "expected flags only; a value follows its flag, as in `-name value`",
            ),
            (
                "toolpass.yaml",
                "expected flags only; the file goes with its flag, `-config FILE`",
            ),
            ("--", ""),
            (
                "-- -json",
                "expected flags only; a value follows its flag, as in `-name value`",
            ),
            (
                "-",
                "expected flags only; a value follows its flag, as in `-name value`",
            ),
            ("-user", "-user lacks its value, EMAIL"),
            ("-usr a", "there is no flag -usr"),
            ("-password=hunter2", "there is no flag -password"),
            (
                "---user a",
                "bad flag syntax; expected `-name`, `-name=value` or `-name value`",
            ),
            (
                "-=a",
                "bad flag syntax; expected `-name`, `-name=value` or `-name value`",
            ),
            (
                "--=a",
                "bad flag syntax; expected `-name`, `-name=value` or `-name value`",
            ),
            ("-h", "help"),
            ("-user a --help", "help"),
            ("-user -h", "user=-h"),
        ] {
            assert_eq!(shown("check", line), expected, "{line}");
        }
    }

    #[test]
    fn operands_of_routes() {
        for (line, expected) in [
            ("", ""),
            ("github", "[github]"),
            ("-json github", "json=true [github]"),
            ("-json -- github", "json=true [github]"),
            ("-- -json", "[-json]"),
            (
                "github -json",
                "expected at most one INTEGRATION, after all flags",
            ),
            ("a b", "expected at most one INTEGRATION, after all flags"),
        ] {
            assert_eq!(shown("routes", line), expected, "{line}");
        }
    }

    #[test]
    fn operands_of_audit_verify() {
        for (line, expected) in [
            ("", "expected at least one FILE, after all flags"),
            ("-holds=ab", "expected at least one FILE, after all flags"),
            ("a", "[a]"),
            ("-holds=ab a b", "holds=ab [a] [b]"),
            ("-- -a b", "[-a] [b]"),
        ] {
            assert_eq!(shown("audit verify", line), expected, "{line}");
        }
    }

    #[test]
    fn operands_of_entitlements_diff() {
        for (line, expected) in [
            ("", "expected OLD and NEW, after all flags"),
            ("a", "expected OLD and NEW, after all flags"),
            ("a b", "[a] [b]"),
            ("a b c", "expected OLD and NEW, after all flags"),
        ] {
            assert_eq!(shown("entitlements diff", line), expected, "{line}");
        }
    }

    #[test]
    fn the_last_one_counts() {
        let words = ["-user=a", "-user=b", "-json", "-json=false"].map(str::to_owned);
        let Ok(Asked::Run(arguments)) = read(flags::command("check").unwrap(), &words) else {
            panic!("no arguments")
        };
        assert_eq!(arguments.value("user"), Some("b"));
        assert!(!arguments.is_on("json"));
        assert!(!arguments.is_on("fresh"));
    }
}
