//! A table held against its vendor's own list of operations, in both directions.
//!
//! The lists are not part of the repository: `NAME.tsv` is read where `TOOLPASS_SHARED` or `../shared` beside the workspace has it, and a
//! test says so and passes when it is not there. A vendor's `tests/inventory.rs` describes how its operations are sent; the rest is here:
//! every row stands for an operation or says why not, every write has a row or a reason, and reads are counted.

#![expect(
    clippy::print_stderr,
    reason = "a skipped test and a count must be seen"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use toolpass_core::effect::Effect;
use toolpass_integration::fields::Settings;
use toolpass_integration::integration::Integration;
use toolpass_wire::extract::Need;
use toolpass_wire::matcher::RouteTable;
use toolpass_wire::observe::{Observation, Systems};
use toolpass_wire::raw::RawBody;
use toolpass_wire::request::WireRequest;

use crate::observed;

/// One line of a list.
#[derive(Clone, Debug)]
pub struct Operation {
    /// An HTTP method, or `QUERY`, `MUTATION`, `RPC`, `LIST`, `*`.
    pub method: String,
    /// The path, with `{variables}`.
    pub path: String,
    /// The vendor's name of it; may be empty.
    pub name: String,
    /// What it does.
    pub effect: Effect,
    /// What else the list says, `; `-separated.
    pub note: String,
}

impl Operation {
    /// A field of a GraphQL schema.
    pub fn is_graphql(&self) -> bool {
        matches!(self.method.as_str(), "MUTATION" | "QUERY")
    }

    /// The newest description lacks it: a row may rest on it, and a missing one is only counted.
    pub fn is_weak(&self) -> bool {
        self.note.split("; ").any(|note| WEAK.contains(&note)) || self.method == "*"
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_graphql() {
            true => write!(f, "{} {}", self.method, self.name),
            false => write!(f, "{} {}", self.method, self.path),
        }
    }
}

/// The operations of `system`, for a test in the crate at `manifest_dir`; `None`, said aloud, where there is no list.
/// Errors: a line that is none.
pub fn operations(system: &str, manifest_dir: &str) -> Result<Option<Vec<Operation>>, String> {
    let shared = std::env::var_os("TOOLPASS_SHARED").map_or_else(
        || Path::new(manifest_dir).join("../../../shared"),
        PathBuf::from,
    );
    let file = shared.join(format!("data/apis/{system}.tsv"));
    let Ok(text) = std::fs::read_to_string(&file) else {
        eprintln!("SKIPPED: no list of operations at {}", file.display());
        return Ok(None);
    };
    let operation = |line: &str| {
        let mut fields = line.split('\t').map(str::to_owned);
        let mut next = || fields.next();
        Some(Operation {
            method: next()?,
            path: next()?,
            name: next()?,
            effect: Effect::parse(&next()?)?,
            note: next().unwrap_or_default(),
        })
    };
    let lines = text.lines().skip(1);
    let read: Option<Vec<Operation>> = lines.map(operation).collect();
    match read {
        Some(operations) if operations.len() > 100 => Ok(Some(operations)),
        Some(_) => Err(format!("{}: expected more operations", file.display())),
        None => Err(format!("{}: a line is no operation", file.display())),
    }
}

/// How one vendor's operations meet its table.
pub struct Inventory<'a> {
    /// The vendor.
    pub integration: &'static dyn Integration,
    /// A connection's.
    pub settings: Settings,
    /// Where it is reached, without a slash at the end: `https://api.example.com`.
    pub base: &'a str,
    /// Something in place of a segment of a listed path that holds a variable: `{owner}`, `{id}.json`.
    pub fill: &'a dyn Fn(&str) -> String,
    /// The path of a row as the list writes it: usually itself.
    pub listed: &'a dyn Fn(&str) -> String,
    /// The body of a request for an operation: usually `{}`, a document for a field of GraphQL.
    pub body: &'a dyn Fn(&Operation) -> String,
    /// Whether an operation is left out for a reason that stands elsewhere than in the table's `unrouted!`.
    pub left_out: &'a dyn Fn(&Operation) -> bool,
    /// What of a pair the rules would not understand.
    pub misfit: &'a dyn Fn(&Need) -> Option<&'static str>,
    /// Operations that are called weaker here than by the list, and why.
    pub weaker: &'a [(&'a str, &'a str)],
}

/// How many operations came to what.
pub type Counts = BTreeMap<&'static str, usize>;

/// The row's path, or the segment, or the body, as nearly every vendor has it.
pub fn itself(path: &str) -> String {
    path.to_owned()
}

/// An object without members.
pub fn empty(_: &Operation) -> String {
    "{}".to_owned()
}

/// Nothing.
pub fn nowhere(_: &Operation) -> bool {
    false
}

impl Inventory<'_> {
    /// Every row stands for an operation, or says why not.
    /// Errors: every row that does neither, or both.
    pub fn rows(&self, operations: &[Operation]) -> Result<(), String> {
        let shapes: BTreeSet<(&str, String)> = operations
            .iter()
            .map(|operation| (sent_as(&operation.method), shape(&operation.path)))
            .collect();
        let paths: BTreeSet<&String> = shapes.iter().map(|(_, shape)| shape).collect();
        let any = |shape: &String| shapes.contains(&("*", shape.clone()));
        let mut problems = Vec::new();
        for row in self.table()?.rows() {
            let shape = shape(&(self.listed)(&row.path));
            let stands = match row.method.as_ref() {
                "*" => paths.contains(&shape),
                method => any(&shape) || shapes.contains(&(method, shape)),
            };
            // A row with a tail stands for many operations, and may for one of the list as well.
            let has_tail = row.path.ends_with("+}") || row.path.ends_with("+%}");
            match (stands, row.no_operation.is_some()) {
                (false, false) => {
                    problems.push(format!("{} {}: not in the list", row.method, row.path))
                }
                (true, true) if !has_tail => problems.push(format!(
                    "{} {}: explained, but it is in the list",
                    row.method, row.path
                )),
                (_, _) => {}
            }
        }
        end(problems)
    }

    /// Every write has a row that the rules understand, or a reason; how many came to what, also printed.
    /// Errors: every write that has neither, or is called weaker than it is.
    pub fn writes<'o>(
        &self,
        operations: impl IntoIterator<Item = &'o Operation>,
    ) -> Result<Counts, String> {
        let systems = observed::systems(self.integration, &self.settings)?;
        let (mut counts, mut problems) = (Counts::new(), Vec::new());
        let writes = operations
            .into_iter()
            .filter(|operation| operation.effect != Effect::Read);
        for operation in writes {
            let outcome = self.write(&systems, operation, &mut problems)?;
            if !self.is_claimed(operation)? {
                problems.push(format!("{operation}: under no claim"));
            }
            *counts.entry(outcome).or_default() += 1;
        }
        eprintln!("{}: writes: {counts:?}", self.integration.name());
        end(problems).map(|()| counts)
    }

    fn write(
        &self,
        systems: &Systems,
        operation: &Operation,
        problems: &mut Vec<String>,
    ) -> Result<&'static str, String> {
        Ok(match systems.observe(&self.request(operation)?) {
            Observation::Mapped {
                effect, row, needs, ..
            } => {
                let misfits = needs
                    .iter()
                    .filter_map(|need| Some(((self.misfit)(need)?, need)));
                problems.extend(misfits.map(|(why, need)| format!("{operation}: {why}: {need:?}")));
                let name = operation.to_string();
                if effect < operation.effect && !self.weaker.iter().any(|(known, _)| *known == name)
                {
                    let listed = operation.effect;
                    problems.push(format!("{operation}: {effect}, the list says {listed}"));
                }
                match row.agent_only {
                    Some(_) => "the agent's own",
                    None => "routed",
                }
            }
            _ if self.is_left_out(operation)? => "left out for a reason",
            Observation::Unresolved { row: Some(_), .. } => "routed, needs its body",
            _ if operation.is_weak() => "not routed, weak evidence",
            other => {
                problems.push(format!("{operation}: {other:?}"));
                "no answer"
            }
        })
    }

    /// Reads are counted and not required one by one; but a read without a check is a decision, so the list of them is committed at
    /// `committed`, and nine in ten are known. How many came to what, also printed.
    /// Errors: another list than the committed one; too few known.
    pub fn reads<'o>(
        &self,
        operations: impl IntoIterator<Item = &'o Operation>,
        committed: &Path,
    ) -> Result<Counts, String> {
        let systems = observed::systems(self.integration, &self.settings)?;
        let (mut counts, mut unchecked) = (Counts::new(), Vec::new());
        let reads = operations
            .into_iter()
            .filter(|operation| operation.effect == Effect::Read);
        for operation in reads {
            let outcome = match systems.observe(&self.request(operation)?) {
                Observation::Mapped { row, .. } if row.agent_only.is_some() => "the agent's own",
                Observation::Mapped { needs, .. }
                    if needs.iter().all(|need| need.action.is_some()) =>
                {
                    "checked"
                }
                Observation::Mapped { row, .. } if row.agent_sight => FOLLOWS,
                Observation::Mapped { .. } => UNCHECKED,
                Observation::Unresolved { .. } => "refused",
                Observation::Unmapped { .. } if self.is_left_out(operation)? => {
                    "left out for a reason"
                }
                Observation::HostMismatch { .. }
                | Observation::Served { .. }
                | Observation::UnknownHost { .. }
                | Observation::Unmapped { .. } => UNMATCHED,
            };
            if [FOLLOWS, UNCHECKED, UNMATCHED].contains(&outcome) {
                unchecked.push(format!("{operation} ({outcome})"));
            }
            *counts.entry(outcome).or_default() += 1;
        }
        let all: usize = counts.values().sum();
        let unmatched = counts.get(UNMATCHED).copied().unwrap_or_default();
        eprintln!(
            "{}: reads: {counts:?} of {all}, {} in 100 known",
            self.integration.name(),
            (all - unmatched) * 100 / all.max(1),
        );
        let text = std::fs::read_to_string(committed)
            .map_err(|error| format!("{}: {error}", committed.display()))?;
        let listed: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        unchecked.sort();
        if unchecked != listed {
            return Err(format!(
                "{} should list:\n{}",
                committed.display(),
                unchecked.join("\n")
            ));
        }
        if unmatched * 10 > all {
            return Err(format!(
                "{unmatched} of {all} reads are unknown to the table"
            ));
        }
        Ok(counts)
    }

    /// The request for an operation, every variable of its path filled.
    /// Errors: a path that is none.
    pub fn request(&self, operation: &Operation) -> Result<WireRequest, String> {
        let method = sent_as(&operation.method);
        let url = format!("{}{}", self.base, self.sample(&operation.path));
        let body = (self.body)(operation);
        if ["GET", "HEAD", "DELETE"].contains(&method) {
            return observed::request(method, &url, [], RawBody::None);
        }
        let headers = [("content-type", "application/json")];
        observed::request(method, &url, headers, RawBody::Bytes(body.as_bytes()))
    }

    /// A path with something in place of each variable.
    pub fn sample(&self, path: &str) -> String {
        let fill = |segment: &str| match segment.contains('{') {
            true => (self.fill)(segment),
            false => segment.to_owned(),
        };
        path.split('/').map(fill).collect::<Vec<_>>().join("/")
    }

    fn table(&self) -> Result<&'static RouteTable, String> {
        self.integration.routes().ok_or_else(|| "no table".into())
    }

    fn is_left_out(&self, operation: &Operation) -> Result<bool, String> {
        let request = self.request(operation)?;
        let path = request.path().map_err(ToString::to_string)?;
        let in_table = self.table()?.left_out(request.method(), path);
        Ok(in_table.is_some() || (self.left_out)(operation))
    }

    fn is_claimed(&self, operation: &Operation) -> Result<bool, String> {
        let claims = self.table()?.claims();
        Ok(claims
            .iter()
            .any(|claim| operation.path.starts_with(claim.as_ref())))
    }
}

/// The method a listed one is sent with.
fn sent_as(method: &str) -> &str {
    match method {
        "MUTATION" | "QUERY" | "RPC" => "POST",
        "LIST" => "GET",
        other => other,
    }
}

/// A path without the names of its variables.
fn shape(path: &str) -> String {
    let anonymous = |segment| match str::contains(segment, '{') {
        true => "{}",
        false => segment,
    };
    path.split('/').map(anonymous).collect::<Vec<_>>().join("/")
}

fn end(problems: Vec<String>) -> Result<(), String> {
    match problems.is_empty() {
        true => Ok(()),
        false => Err(problems.join("\n")),
    }
}

const FOLLOWS: &str = "unchecked, follows the agent's sight";
const UNCHECKED: &str = "unchecked";
const UNMATCHED: &str = "unmatched";
/// Notes of an operation that only older or lesser sources have.
const WEAK: &[&str] = &[
    "2021 description only",
    "2022 description",
    "client library only",
    "methods not stated by the source",
    "not in the PyPI list",
    "older client library only",
    "python client only",
];
