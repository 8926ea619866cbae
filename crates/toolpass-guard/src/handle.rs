//! Handles: references to outside text that the model does not see.
//!
//! A tool with `untrusted_output="handle"` gives the model `$read_email.3482913 (text, 1204 characters)` instead of what it
//! returned, and a tool that names a parameter in `handles=` is given the value. The values stay in the memory of the process,
//! in their session, within bounds. Separate from [`crate::taint`], which keeps fingerprints and never a value.
//! INVARIANT: a reference that names nothing kept refuses the call; it never stands for another value, so a number ends in
//! digits that no other session, and no other process with the same session, gives out.

use std::any::Any;
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use crate::arguments::Argument;
use crate::session::Session;
use crate::tool::Tool;
use crate::value::{Value, View};

/// How many values a session keeps.
pub const MAX_KEPT: usize = 256;

/// How many bytes a session keeps.
pub const MAX_BYTES: usize = 32 * 1024 * 1024;

/// A value of the host's.
pub type Kept = Arc<dyn Any + Send + Sync>;

/// The name of a kept value: `$`, the tool, a full stop, a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handle {
    tool: String,
    number: u64,
}

/// What is said of a kept value to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Bytes, so many.
    Bytes(usize),
    /// A list, a tuple or a set of so many items.
    List(usize),
    /// A mapping of so many keys.
    Mapping(usize),
    /// Anything else.
    Object,
    /// A text of so many characters.
    Text(usize),
}

/// A value that is larger than what a session keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the result is larger than the {} MiB that a session keeps behind handles",
    MAX_BYTES / 1024 / 1024
)]
pub struct TooLarge;

/// The values of one session.
pub(crate) struct Handles {
    /// The last digits of every number given out here.
    tag: u64,
    /// The process that gives them out.
    process: u64,
    given: u64,
    bytes: usize,
    kept: VecDeque<Entry>,
}

struct Entry {
    handle: Handle,
    kind: Kind,
    bytes: usize,
    value: Kept,
}

/// An argument that was given as a handle.
pub struct Resolved {
    /// Its place among the bound arguments.
    pub place: usize,
    /// The handle.
    pub handle: Handle,
    /// What it stands for.
    pub value: Kept,
}

/// What the arguments that were given as handles stand for. Only a whole argument is one; a handle inside a longer text, in a
/// list, or given to a parameter that the tool does not name, is the text it is.
/// Errors: why one stands for nothing, for the model.
pub fn resolve<V: Value>(
    tool: &Tool,
    session: &Session,
    arguments: &[Argument<V>],
) -> Result<Vec<Resolved>, String> {
    let takes = |argument: &Argument<V>| {
        !argument.is_default && tool.outside.handles.contains(&argument.parameter)
    };
    let mut resolved = Vec::new();
    if tool.outside.handles.is_empty() {
        return Ok(resolved);
    }
    for (place, argument) in (0..).zip(arguments).filter(|(_, argument)| takes(argument)) {
        let View::Text(text) = argument.value.view() else {
            continue;
        };
        let Some(reference) = Reference::parse(&text) else {
            continue;
        };
        let name = tool.parameters.get(argument.parameter);
        let name = name.map_or("", |parameter| parameter.name.as_str());
        let (handle, value) = session
            .kept(&reference)
            .ok_or_else(|| format!("`{name}`: {}", names_nothing()))?;
        resolved.push(Resolved {
            place,
            handle,
            value,
        });
    }
    Ok(resolved)
}

/// Why a handle stands for nothing; the handle itself may hold anything.
pub fn names_nothing() -> String {
    format!(
        "this handle names nothing that the session keeps here. A value is kept only by the session and in the process that \
         read it, and the oldest are dropped beyond {MAX_KEPT} values or {} MiB. Read it again",
        MAX_BYTES / 1024 / 1024
    )
}

/// A handle as a model writes it: alone, or with what was said about the value.
#[derive(Debug, PartialEq, Eq)]
pub struct Reference<'t> {
    handle: Handle,
    said: Option<&'t str>,
}

impl<'t> Reference<'t> {
    /// Read a whole text; nothing when it is no handle.
    pub fn parse(text: &'t str) -> Option<Reference<'t>> {
        let (handle, said) = match text.split_once(" (") {
            Some((handle, said)) => (handle, Some(said.strip_suffix(')')?)),
            None => (text, None),
        };
        let (tool, number) = handle.strip_prefix('$')?.rsplit_once('.')?;
        let is_name = !tool.is_empty() && tool == named(tool);
        let is_number =
            number.bytes().all(|byte| byte.is_ascii_digit()) && !number.starts_with('0');
        if !is_name || !is_number {
            return None;
        }
        let tool = tool.to_owned();
        let number = number.parse().ok()?;
        Some(Reference {
            handle: Handle { tool, number },
            said,
        })
    }
}

impl Handles {
    /// None yet. `tag` is what numbers end in; it need not be secret, only another one everywhere else.
    pub(crate) fn new(process: u64, tag: u64) -> Handles {
        Handles {
            tag: tag % TAGS,
            process,
            given: 0,
            bytes: 0,
            kept: VecDeque::new(),
        }
    }

    /// Give out numbers that end in another `tag` if this is another process than before, as after a fork: the one it was forked
    /// from goes on counting. What was kept before stands for the same in both.
    pub(crate) fn continue_in(&mut self, process: u64, tag: impl FnOnce() -> u64) {
        if self.process != process {
            self.process = process;
            self.tag = tag() % TAGS;
        }
    }

    /// Keep a value of about so many bytes, in place of the oldest ones where there is no room. Answers what the model is given.
    /// Errors: [`TooLarge`].
    pub(crate) fn keep(
        &mut self,
        tool: &str,
        kind: Kind,
        bytes: usize,
        value: Kept,
    ) -> Result<(String, Vec<Kept>), TooLarge> {
        if bytes > MAX_BYTES {
            return Err(TooLarge);
        }
        let mut dropped = Vec::new();
        while self.kept.len() >= MAX_KEPT || self.bytes.saturating_add(bytes) > MAX_BYTES {
            let Some(oldest) = self.kept.pop_front() else {
                break;
            };
            self.bytes = self.bytes.saturating_sub(oldest.bytes);
            dropped.push(oldest.value);
        }
        self.given += 1;
        self.bytes += bytes;
        let handle = Handle {
            tool: named(tool),
            number: self.given * TAGS + self.tag,
        };
        let entry = Entry {
            handle,
            kind,
            bytes,
            value,
        };
        let said = entry.said();
        self.kept.push_back(entry);
        Ok((said, dropped))
    }

    /// What a reference stands for.
    pub(crate) fn find(&self, reference: &Reference<'_>) -> Option<(Handle, Kept)> {
        let entry = self
            .kept
            .iter()
            .find(|entry| entry.handle == reference.handle)?;
        let is_as_said = reference
            .said
            .is_none_or(|said| said == entry.kind.to_string());
        is_as_said.then(|| (entry.handle.clone(), Arc::clone(&entry.value)))
    }
}

impl Entry {
    fn said(&self) -> String {
        format!("{} ({})", self.handle, self.kind)
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${}.{}", self.tool, self.number)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Bytes(count) => write!(f, "bytes, {count}"),
            Kind::List(count) => write!(f, "list, {count} items"),
            Kind::Mapping(count) => write!(f, "mapping, {count} keys"),
            Kind::Object => f.write_str("object"),
            Kind::Text(count) => write!(f, "text, {count} characters"),
        }
    }
}

/// A tool's name as a handle has it.
fn named(tool: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') {
            c
        } else {
            '_'
        }
    };
    let name: String = tool.chars().take(MAX_NAME).map(plain).collect();
    match name.chars().next() {
        Some(first) if first.is_ascii_alphabetic() || first == '_' => name,
        Some(_) | None => format!("_{name}").chars().take(MAX_NAME).collect(),
    }
}

/// How many last digits tell sessions apart: six.
const TAGS: u64 = 1_000_000;

/// The longest name of a tool in a handle.
const MAX_NAME: usize = 64;

#[cfg(test)]
mod tests;
