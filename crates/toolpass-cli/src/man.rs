//! The manual page, made of the table of flags: `toolpass help -man`, in the macros of man(7).
//!
//! SOURCE: man7.org/linux/man-pages/man7/man.7.html, groff_man(7).

use crate::flags::{COMMANDS, Command, Kind};
use crate::output::Page;
use crate::usage;

/// The whole page.
pub(crate) fn page() -> Page {
    let mut page = Page::new();
    let version = env!("CARGO_PKG_VERSION");
    page.line(&format!(
        ".TH TOOLPASS 1 \"\" \"toolpass {version}\" \"User Commands\""
    ));
    page.line(".SH NAME");
    page.line("toolpass \\- checks for the tool calls of agents");
    page.line(".SH SYNOPSIS");
    page.line("\\fBtoolpass\\fR \\fICOMMAND\\fR [flags]");
    page.line(".SH DESCRIPTION");
    page.line(&escaped(
        "A flag is written -name value, -name=value or --name; one without a value is a switch. -- ends the flags. \
         Standard output is data, standard error is talk.",
    ));
    page.line(".SH COMMANDS");
    for command in COMMANDS {
        described(&mut page, command);
    }
    for (heading, entries) in [("ENVIRONMENT", ENVIRONMENT), ("FILES", FILES)] {
        page.line(&format!(".SH {heading}"));
        for (name, meaning) in entries {
            entry(&mut page, &format!("\\fB{}\\fR", escaped(name)), meaning);
        }
    }
    page
}

fn described(page: &mut Page, command: &Command) {
    let synopsis = usage::synopsis(command);
    page.line(&format!(".SS \"{}\"", escaped(&synopsis)));
    page.line(&escaped(command.summary));
    for flag in command.flags {
        let name = format!("\\fB\\-{}\\fR", escaped(flag.name));
        let tag = match flag.kind {
            Kind::Many(value) | Kind::One(value) => format!("{name} \\fI{}\\fR", escaped(value)),
            Kind::Switch(_) => name,
        };
        entry(page, &tag, flag.help);
    }
    let exits = usage::exits(command);
    let own: Vec<String> = exits
        .iter()
        .map(|[code, meaning]| format!("{code}: {meaning}"))
        .collect();
    entry(page, "Exit", &own.join("; "));
}

fn entry(page: &mut Page, tag: &str, text: &str) {
    page.line(".TP");
    page.line(tag);
    page.line(&escaped(text));
}

/// A text that is no request and no escape.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    let text = text.replace('"', "\\(dq").replace('`', "\\(ga");
    if text.starts_with(['.', '\'']) {
        format!("\\&{text}")
    } else {
        text
    }
}

/// The variables the command reads.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("NO_COLOR", "changes nothing: no colours are ever printed"),
    (
        "STATE_DIRECTORY, XDG_STATE_HOME",
        "where `serve` keeps runs, in a folder `toolpass` of the second, when neither `-data` nor the configuration says",
    ),
    (
        "TOOLPASS_API_KEY",
        "the key that `check -server` shows when `-api-key` is not given",
    ),
    (
        "TOOLPASS_CONFIG",
        "the configuration when `-config` is not given",
    ),
];

/// The files it reads unasked.
const FILES: &[(&str, &str)] = &[("/etc/toolpass/toolpass.yaml", "the configuration")];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_is_a_request() {
        for (text, expected) in [
            ("-a", "\\-a"),
            (".SH x", "\\&.SH x"),
            ("'x", "\\&'x"),
            ("a\\fB", "a\\efB"),
            ("say \"`x`\"", "say \\(dq\\(gax\\(ga\\(dq"),
        ] {
            assert_eq!(escaped(text), expected);
        }
    }

    #[test]
    fn every_command_and_flag_is_on_it() {
        let page = page();
        for command in COMMANDS {
            assert!(
                page.text()
                    .contains(&format!(".SS \"toolpass {}", command.name)),
                "{}",
                command.name
            );
            for flag in command.flags {
                let tag = format!("\\fB\\-{}\\fR", escaped(flag.name));
                assert!(page.text().contains(&tag), "{}", flag.name);
            }
        }
        let is_plain = |line: &str| {
            !line.starts_with('.')
                || [".TH ", ".SH ", ".SS ", ".TP"]
                    .iter()
                    .any(|known| line.starts_with(known))
        };
        assert!(page.text().lines().all(is_plain));
    }
}
