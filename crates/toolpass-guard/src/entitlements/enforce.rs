//! Holding a call and its requests to what the file says. Pure: facts in, an answer out; which refusal it becomes is at
//! [`Gap::code`] and in the pipeline.
//!
//! Several entries may match one request. The strictest decides: the user's authority over the agent's, a fresh answer over a
//! stored one, the smaller limit. Which entry is named in a message is the one that leaves least open.
//! INVARIANT: what no entry lists is a gap, and only a gap can be waived by `on_missing`; an effect stronger than its entry's
//! cannot.

use toolpass_core::codes::RefusalCode;
use toolpass_core::effect::Effect;
use toolpass_core::resource::Resource;
use toolpass_wire::observe::Systems;
use toolpass_wire::path::PathSegments;
use toolpass_wire::request::Scheme;

use super::arguments::Arguments;
use super::host::Listed;
use super::model::{Entitlement, Entitlements, ToolEntitlements, stricter};
use crate::settings::ActAs;

/// How a tool stands to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing<'e> {
    /// It has an entry.
    Held(&'e ToolEntitlements),
    /// No file was given.
    NoFile,
    /// A file was given and does not name it.
    Unlisted,
}

/// One request, as far as the file speaks of it.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'r> {
    /// The integration.
    pub integration: &'r str,
    /// The action, as the integration calls it.
    pub action: &'r str,
    /// The resource, if the action has one.
    pub resource: Option<&'r str>,
    /// How strong the request is.
    pub effect: Effect,
}

/// What the file says to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage<'e> {
    /// It is listed.
    Covered(Grant<'e>),
    /// It is listed, with a weaker effect.
    Exceeded(&'e Entitlement),
    /// It is not listed.
    Missing,
}

/// What a listed request is held to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant<'e> {
    /// The entry to name.
    pub entry: &'e Entitlement,
    /// Whose authority the request has, whatever the body says.
    pub acts_as: ActAs,
    /// Whether the answer must be fresh.
    pub fresh: bool,
    /// How often the action may be done.
    pub limit: Option<u32>,
}

/// An action on a resource that is known before the body runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned<'e> {
    /// Its entry.
    pub entry: &'e Entitlement,
    /// The resource, filled from the arguments.
    pub resource: Resource,
}

/// What the file lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// An action.
    Action,
    /// A host of no connection.
    Host,
    /// The tool, under `strict`.
    Tool,
    /// A read that no route knows.
    UnmappedRead,
}

/// What happens when the file lacks something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnMissing {
    /// The call or request is refused.
    #[default]
    Refuse,
    /// It is noted in the event and goes on to all later checks. For a trial period.
    Warn,
}

impl Gap {
    /// The refusal's code.
    pub fn code(self) -> RefusalCode {
        match self {
            Gap::Action => RefusalCode::UnentitledAction,
            Gap::Host => RefusalCode::UnknownHost,
            Gap::Tool => RefusalCode::NoEntitlements,
            Gap::UnmappedRead => RefusalCode::UnmappedAction,
        }
    }
}

/// How a tool stands to the file, if one was given.
pub fn standing<'e>(file: Option<&'e Entitlements>, tool: &str) -> Standing<'e> {
    match file.map(|file| file.for_tool(tool)) {
        None => Standing::NoFile,
        Some(None) => Standing::Unlisted,
        Some(Some(entry)) => Standing::Held(entry),
    }
}

/// Step 2b, first: what the file lacks of the tool. Outside `strict` a tool without an entry is not held.
pub fn tool_gap(standing: Standing<'_>, strict: bool) -> Option<Gap> {
    match standing {
        Standing::Unlisted if strict => Some(Gap::Tool),
        Standing::Held(_) | Standing::NoFile | Standing::Unlisted => None,
    }
}

/// Step 2b, second: the first entry that is stronger than the tool declares.
pub fn effect_mismatch(entry: &ToolEntitlements, declared: Option<Effect>) -> Option<&Entitlement> {
    let declared = declared?;
    entry.actions.iter().find(|entry| entry.effect > declared)
}

/// The effect of a tool: the declared one, else the strongest recorded.
pub fn effect_of(declared: Option<Effect>, standing: Standing<'_>) -> Option<Effect> {
    match standing {
        Standing::Held(entry) => declared.or_else(|| entry.effect()),
        Standing::NoFile | Standing::Unlisted => declared,
    }
}

/// Step 2b, third: what is known beforehand, in the order of the file, each pair of entry and resource once. All of it must
/// satisfy the tool's rules for resources; what is the user's is asked of the engine at step 4. A read that no route knows is no
/// action of a system: neither a rule nor the engine knows it.
pub fn known_beforehand<'e>(
    entry: &'e ToolEntitlements,
    arguments: &Arguments,
) -> Vec<Planned<'e>> {
    let mut planned: Vec<Planned<'e>> = Vec::new();
    let actions = entry.actions.iter();
    for entry in actions.filter(|entry| entry.action.name() != UNMAPPED_READ) {
        for resource in entry.resource.known(arguments) {
            let one = Planned { entry, resource };
            if planned.len() < MAX_PLANNED && !planned.contains(&one) {
                planned.push(one);
            }
        }
    }
    planned
}

/// Step 4: what of it is asked before the body, with the connection to ask: the entries on the user's authority whose
/// integration has exactly one connection. The others are asked at their requests.
pub fn asked_beforehand<'p, 'e>(
    planned: &'p [Planned<'e>],
    systems: &'p Systems,
) -> impl Iterator<Item = (&'p Planned<'e>, &'p str)> {
    planned.iter().filter_map(|planned| {
        let is_asked = planned.entry.acts_as == ActAs::User;
        let connection = only_connection(systems, planned.entry.action.integration())?;
        is_asked.then_some((planned, connection))
    })
}

/// Rule 5: what the file says to a request.
pub fn covers<'e>(
    entry: &'e ToolEntitlements,
    arguments: &Arguments,
    asked: Asked<'_>,
) -> Coverage<'e> {
    let matching = entry.actions.iter().filter(|entry| {
        entry.action.integration() == asked.integration
            && entry.action.name() == asked.action
            && asked
                .resource
                .is_none_or(|resource| entry.resource.matches(resource, arguments))
    });
    let (strong, weak): (Vec<_>, Vec<_>) = matching.partition(|entry| entry.effect >= asked.effect);
    let named = |entries: &[&'e Entitlement]| {
        let least_open = entries.iter().min_by_key(|entry| entry.resource.openness());
        least_open.copied()
    };
    let Some(entry) = named(&strong) else {
        return named(&weak).map_or(Coverage::Missing, Coverage::Exceeded);
    };
    let all = || strong.iter().chain(&weak);
    Coverage::Covered(Grant {
        entry,
        acts_as: all().fold(entry.acts_as, |acts_as, one| stricter(acts_as, one.acts_as)),
        fresh: all().any(|entry| entry.fresh),
        limit: all().filter_map(|entry| entry.limit).min(),
    })
}

/// Rule 3: what the file says to a read that no route knows.
pub fn covers_unmapped_read<'e>(
    entry: &'e ToolEntitlements,
    arguments: &Arguments,
    integration: &str,
    path: &PathSegments,
) -> Coverage<'e> {
    let resource = path_resource(path);
    covers(
        entry,
        arguments,
        Asked {
            integration,
            action: UNMAPPED_READ,
            resource: Some(&resource),
            effect: Effect::Read,
        },
    )
}

/// Rule 2: whether the file lists a host of no connection, and how.
pub fn covers_host(entry: &ToolEntitlements, scheme: &Scheme, host: &str, port: u16) -> Listed {
    let listed = entry.hosts.iter().map(|own| own.lists(scheme, host, port));
    listed.max().unwrap_or(Listed::No)
}

/// The resource of a path that no route knows: its decoded segments, with what would blur them encoded again.
pub fn path_resource(path: &PathSegments) -> String {
    let mut out = String::from("path:");
    if path.is_empty() {
        out.push('/');
    }
    for segment in path.iter() {
        out.push('/');
        for c in segment.text.chars() {
            match c {
                '%' => out.push_str("%25"),
                '/' => out.push_str("%2F"),
                '?' => out.push_str("%3F"),
                other => out.push(other),
            }
        }
    }
    out
}

fn only_connection<'s>(systems: &'s Systems, integration: &str) -> Option<&'s str> {
    let mut own = systems
        .iter()
        .filter(|system| system.integration == integration);
    let only = own.next()?;
    own.next().is_none().then_some(only.connection.as_str())
}

/// The action under which reads that no route knows are listed.
pub const UNMAPPED_READ: &str = "unmapped.read";

/// How many questions are known beforehand at most; what comes after is asked at its request.
const MAX_PLANNED: usize = 100;

#[cfg(test)]
mod tests;
