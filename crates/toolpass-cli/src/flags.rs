//! The commands, and every flag of each: the one table. The parser, the help and the man page are made from it.

use crate::arguments::Arguments;
use crate::exit::{Done, Exit, Stop};
use crate::{
    audit, catalog, check, completion, demo, doctor, entitlements, gateway, help, init, mcp, probe,
    replay, routes, serve, validate, version,
};

/// One command.
pub(crate) struct Command {
    /// What it is called: one word, or two.
    pub(crate) name: &'static str,
    /// What it does, as an order.
    pub(crate) summary: &'static str,
    /// What it takes besides flags.
    pub(crate) operand: Operand,
    /// Its flags, by name.
    pub(crate) flags: &'static [Flag],
    /// What each of its exits means.
    pub(crate) exits: &'static [(Exit, &'static str)],
    /// The exit when it cannot be done.
    pub(crate) failure: Exit,
    /// What runs it.
    pub(crate) run: fn(&Arguments) -> Result<Done, Stop>,
}

/// What a command takes besides flags, named so in the help.
#[derive(Clone, Copy)]
pub(crate) enum Operand {
    /// As many as there are, also none.
    Any(&'static str),
    /// At most one.
    AtMostOne(&'static str),
    /// At least one.
    AtLeastOne(&'static str),
    /// At most one name of a command, of one word or two.
    Name(&'static str),
    /// None.
    None,
    /// Exactly one.
    One(&'static str),
    /// Another program and its arguments, after `--`.
    Program(&'static str),
    /// Exactly these two.
    Two(&'static str, &'static str),
}

/// One flag.
pub(crate) struct Flag {
    /// What it is called, without the dash.
    pub(crate) name: &'static str,
    /// What it takes.
    pub(crate) kind: Kind,
    /// What it is for, in one line.
    pub(crate) help: &'static str,
}

/// What a flag takes.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// A value, named so in the help; every one given counts.
    Many(&'static str),
    /// A value, named so in the help; the last one given counts.
    One(&'static str),
    /// Nothing, or after `=` a truth value or one of these words.
    Switch(&'static [&'static str]),
}

/// The command of that name.
pub(crate) fn command(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

/// The command that these words begin with, and the words after its name.
pub(crate) fn split(words: &[String]) -> Option<(&'static Command, &[String])> {
    (1..=MAX_WORDS).find_map(|count| {
        let (name, rest) = words.split_at_checked(count)?;
        Some((command(&name.join(" "))?, rest))
    })
}

/// How many words a command's name has at most.
const MAX_WORDS: usize = 2;

/// Every command, by name.
pub(crate) const COMMANDS: &[Command] = &[
    Command {
        name: "audit verify",
        summary: "say whether audit files are as they were written",
        operand: Operand::AtLeastOne("FILE"),
        flags: &[one(
            "holds",
            "HASH",
            "a hash of a line noted elsewhere, which one of the files must hold",
        )],
        exits: &[
            (Exit::Done, "they are"),
            (Exit::Failed, "one is not, or could not be read"),
        ],
        failure: Exit::Failed,
        run: audit::run,
    },
    Command {
        name: "catalog",
        summary: "list the integrations, or the keys and actions of one",
        operand: Operand::AtMostOne("INTEGRATION"),
        flags: &[JSON, SEARCH],
        exits: &[
            (Exit::Done, "listed"),
            (
                Exit::Failed,
                "there is no such integration, or nothing that matches",
            ),
        ],
        failure: Exit::Failed,
        run: catalog::run,
    },
    Command {
        name: "check",
        summary: "ask whether a user may do something, or many such questions",
        operand: Operand::None,
        flags: &[
            one(
                "action",
                "ACTION",
                "what is to be done, such as `pr.create`; required",
            ),
            one(
                "api-key",
                "REF",
                "with `-server`: the key to show, `env:NAME` or `file:PATH`; `env:TOOLPASS_API_KEY` when not given",
            ),
            one(
                "batch",
                "FILE",
                "questions, one JSON object a line, `-` for standard input; what a line lacks is as the flags say",
            ),
            one(
                "ca-file",
                "FILE",
                "with `-server`: PEM certificates to trust instead of the system's",
            ),
            CONFIG,
            one("connection", "ID", "the connection to ask; required"),
            switch(
                "explain",
                "show the account, the calls, the rule that decided and the time of each step",
            ),
            switch(
                "fresh",
                "take no stored answer; there is none in this process",
            ),
            Flag {
                name: "group",
                kind: Kind::Many("GROUP"),
                help: "a group of the user; may be repeated",
            },
            Flag {
                name: "json",
                kind: Kind::Switch(&["v1"]),
                help: "print the decision as one JSON object; `v1` for `decision` and `reason` alone",
            },
            one(
                "max-age",
                "DURATION",
                "take only what was read at most so long ago, such as `30s`",
            ),
            one(
                "resource",
                "RESOURCE",
                "what it is to be done to, such as `repo:acme/app`; required",
            ),
            one(
                "server",
                "URL",
                "ask this server instead of the systems themselves",
            ),
            one(
                "timeout",
                "DURATION",
                "with `-server`: how long it is waited for; `60s` when not given",
            ),
            one(
                "token",
                "REF",
                "the user's own ID token: `env:NAME` or `file:PATH`, never the token itself",
            ),
            one("user", "EMAIL", "whom to ask about; required"),
        ],
        exits: &[
            (Exit::Done, "allow; with `-batch`: every decision is"),
            (
                Exit::Denied,
                "deny; with `-batch`: one is, and none is unknown",
            ),
            (Exit::NoDecision, "no decision was reached"),
            (Exit::Unknown, "unknown; with `-batch`: one is"),
        ],
        failure: Exit::NoDecision,
        run: check::run,
    },
    Command {
        name: "completion",
        summary: "print what a shell needs to complete this command",
        operand: Operand::One("SHELL"),
        flags: &[],
        exits: &[(Exit::Done, "printed")],
        failure: Exit::Failed,
        run: completion::run,
    },
    Command {
        name: "demo",
        summary: "show an agent at work for two people of a small company, all of it on this machine",
        operand: Operand::None,
        flags: &[
            one(
                "act",
                "N",
                "what is shown: 1, the tour, when not given; 2 entitlements, 3 injection and limits, 5 failure, 6 revocation",
            ),
            one(
                "listen",
                "ADDR",
                "where the server listens, as `host:port`; a free port of 127.0.0.1 when not given",
            ),
            switch("no-dashboard", "end when it is over"),
            switch("open", "open the dashboard in the browser"),
            one(
                "record",
                "FILE",
                "write the events to this file as JSON lines, and a transcript beside it in Markdown",
            ),
        ],
        exits: &[
            (Exit::Done, "every call ended as it must"),
            (Exit::Failed, "one did not, or it could not be shown"),
        ],
        failure: Exit::Failed,
        run: demo::run,
    },
    Command {
        name: "doctor",
        summary: "say what keeps this machine from reaching the systems, before any credential is shown",
        operand: Operand::None,
        flags: &[CONFIG, one("connection", "ID", "look at only this one")],
        exits: &[
            (Exit::Done, "nothing does"),
            (Exit::Failed, "something does, or deserves a look"),
        ],
        failure: Exit::Failed,
        run: doctor::run,
    },
    Command {
        name: "entitlements check",
        summary: "say what in files of entitlements deserves a look before it is committed",
        operand: Operand::AtLeastOne("FILE"),
        flags: &[],
        exits: &[
            (
                Exit::Done,
                "the files can be used; what deserves a look is listed",
            ),
            (Exit::Failed, "one cannot be used"),
        ],
        failure: Exit::Failed,
        run: entitlements::check,
    },
    Command {
        name: "entitlements diff",
        summary: "say what tools may do more or less by a newer file of entitlements",
        operand: Operand::Two("OLD", "NEW"),
        flags: &[],
        exits: &[
            (Exit::Done, "none may do more"),
            (Exit::Failed, "one may do more, or a file cannot be used"),
        ],
        failure: Exit::Failed,
        run: entitlements::diff,
    },
    Command {
        name: "gateway off",
        summary: "put back what old versions changed in the files of MCP clients",
        operand: Operand::None,
        flags: &[],
        exits: &[(
            Exit::Done,
            "put back, or there is nothing to; what could not be written is said",
        )],
        failure: Exit::Failed,
        run: gateway::run,
    },
    Command {
        name: "help",
        summary: "show this, or the flags of one command",
        operand: Operand::Name("COMMAND"),
        flags: &[switch("man", "print the manual page, for man(1)")],
        exits: &[
            (Exit::Done, "shown"),
            (Exit::Usage, "there is no such command"),
        ],
        failure: Exit::Failed,
        run: help::run,
    },
    Command {
        name: "init",
        summary: "print a first configuration for these integrations, every key explained",
        operand: Operand::AtLeastOne("INTEGRATION"),
        flags: &[one(
            "out",
            "FILE",
            "write it to this file, which must not exist",
        )],
        exits: &[
            (Exit::Done, "printed or written"),
            (
                Exit::Failed,
                "there is no such integration, or the file exists",
            ),
        ],
        failure: Exit::Failed,
        run: init::run,
    },
    Command {
        name: "mcp",
        summary: "run the original command of an entry that an old version rewrote",
        operand: Operand::Program("COMMAND"),
        flags: &[],
        exits: &[(
            Exit::NotStarted,
            "COMMAND cannot be started; else its own exit",
        )],
        failure: Exit::Failed,
        run: mcp::run,
    },
    Command {
        name: "probe",
        summary: "ask every connection whether its credential works",
        operand: Operand::None,
        flags: &[
            CONFIG,
            one("connection", "ID", "ask only this one"),
            JSON,
            switch(
                "require-no-warnings",
                "exit with 3 when all work and something should be changed",
            ),
            one(
                "timeout",
                "DURATION",
                "how long each is waited for; twice its own `timeout` when not given",
            ),
        ],
        exits: &[
            (Exit::Done, "all work"),
            (Exit::Failed, "one does not, or could not be asked"),
            (
                Exit::Warned,
                "with `-require-no-warnings`: all work, with warnings",
            ),
        ],
        failure: Exit::Failed,
        run: probe::run,
    },
    Command {
        name: "replay",
        summary: "ask the questions of decision logs again and list what is answered otherwise",
        operand: Operand::AtLeastOne("DECISIONS.log"),
        flags: &[CONFIG, JSON],
        exits: &[
            (Exit::Done, "every question is answered as it was"),
            (
                Exit::Failed,
                "one is answered otherwise, or none could be asked",
            ),
        ],
        failure: Exit::Failed,
        run: replay::run,
    },
    Command {
        name: "routes",
        summary: "list the requests an integration understands, or say what one request is",
        operand: Operand::AtMostOne("INTEGRATION"),
        flags: &[
            one(
                "body",
                "FILE",
                "with `-match`: the request's body, JSON; `-` for standard input",
            ),
            one(
                "config",
                "FILE",
                "with `-match`: whose connections to look at, also by TOOLPASS_CONFIG; the vendors' own hosts when not given",
            ),
            one(
                "diff",
                "OPENAPI",
                "a vendor's own description, JSON: say which routes name no operation of it, and which of its writes no route names",
            ),
            JSON,
            one(
                "match",
                "'METHOD URL'",
                "say which route, action and resource this request is, and why",
            ),
            SEARCH,
        ],
        exits: &[
            (
                Exit::Done,
                "listed; with `-diff`: nothing differs; with `-match`: the request is understood",
            ),
            (
                Exit::Failed,
                "there is no such integration or nothing that matches; with `-diff`: something differs; with `-match`: it is not understood",
            ),
        ],
        failure: Exit::Failed,
        run: routes::run,
    },
    Command {
        name: "serve",
        summary: "answer checks over HTTP",
        operand: Operand::None,
        flags: &[
            one(
                "admin-listen",
                "ADDR",
                "a second address, for probes and metrics alone; over the key `admin_listen`",
            ),
            switch(
                "check-config",
                "build everything and end, without listening",
            ),
            CONFIG,
            one(
                "data",
                "DIR",
                "the folder of what is kept; over the key `data`",
            ),
            one(
                "listen",
                "ADDR",
                "the address, as `host:port` or `:port`; over the key `listen`",
            ),
            one(
                "log-level",
                "LEVEL",
                "how much is logged: `debug`, `info`, `warn` or `error`; `info` when not given",
            ),
            switch(
                "print-config",
                "print the configuration as it counts, secrets as references, and end",
            ),
        ],
        exits: &[
            (Exit::Done, "stopped by a signal"),
            (Exit::Failed, "it could not start"),
        ],
        failure: Exit::Failed,
        run: serve::run,
    },
    Command {
        name: "validate",
        summary: "say what is wrong with configurations, without asking any system",
        operand: Operand::Any("FILE"),
        flags: &[CONFIG, JSON, switch("strict", "count warnings as mistakes")],
        exits: &[(Exit::Done, "nothing is"), (Exit::Failed, "something is")],
        failure: Exit::Failed,
        run: validate::run,
    },
    Command {
        name: "version",
        summary: "print the version",
        operand: Operand::None,
        flags: &[],
        exits: &[(Exit::Done, "printed")],
        failure: Exit::Failed,
        run: version::run,
    },
];

const CONFIG: Flag = one(
    "config",
    "FILE",
    "the configuration, `-` for standard input; TOOLPASS_CONFIG or /etc/toolpass/toolpass.yaml when not given",
);
const JSON: Flag = switch("json", "print JSON");
const SEARCH: Flag = one(
    "search",
    "WORD",
    "show only what contains this, in any case",
);

const fn one(name: &'static str, value: &'static str, help: &'static str) -> Flag {
    Flag {
        name,
        kind: Kind::One(value),
        help,
    }
}

const fn switch(name: &'static str, help: &'static str) -> Flag {
    Flag {
        name,
        kind: Kind::Switch(&[]),
        help,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_named_once() {
        assert!(COMMANDS.windows(2).all(|pair| pair[0].name < pair[1].name));
        for command in COMMANDS {
            assert!(
                command
                    .flags
                    .windows(2)
                    .all(|pair| pair[0].name < pair[1].name),
                "{}",
                command.name
            );
            assert!(
                command
                    .flags
                    .iter()
                    .all(|flag| flag.name != "h" && flag.name != "help"),
                "{}",
                command.name
            );
        }
    }

    #[test]
    fn every_command_says_what_its_failure_means() {
        for command in COMMANDS.iter().filter(|command| {
            !matches!(
                command.name,
                "completion" | "gateway off" | "help" | "mcp" | "version"
            )
        }) {
            assert!(
                command
                    .exits
                    .iter()
                    .any(|(exit, _)| *exit == command.failure),
                "{}",
                command.name
            );
        }
    }
}
