//! What a call did, added to what the file says: the recorder, without the file.
//!
//! From the requests that were allowed: the hosts of no connection, the actions with their resources, the reads that no route
//! knows. Of arguments only their names get into the file. An entry is one for its action, its resource and whose authority;
//! seen again, its effect is raised to the stronger.
//! INVARIANT: the same call with the same arguments is covered by what was recorded of it, but for what [`Recording::unwritable`]
//! lists. An entry written by hand is never widened but in its effect.

use toolpass_core::effect::Effect;
use toolpass_wire::path::PathSegments;

use super::arguments::Arguments;
use super::diff::{Change, diff};
use super::enforce::{UNMAPPED_READ, path_resource};
use super::host::HostPattern;
use super::merge::add_host;
use super::model::{ActionName, ENOUGH_SEEN, Entitlement, Entitlements, ToolEntitlements};
use super::pattern::{Openness, ResourcePattern};
use super::templating::{Templated, agree, templated};
use crate::audit::{CallOutcome, Note, ObservedAction};
use crate::settings::ActAs;

/// One call that is over.
#[derive(Clone, Copy, Debug)]
pub struct Run<'r> {
    /// The tool.
    pub tool: &'r str,
    /// Its arguments.
    pub arguments: &'r Arguments,
    /// How it ended.
    pub outcome: CallOutcome,
    /// The requests of its body.
    pub actions: &'r [ObservedAction],
}

/// Whether calls that were refused or raised are recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Partial {
    /// They are.
    Record,
    /// Only calls that ran to their end are.
    #[default]
    Skip,
}

/// What recording a call comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// The entitlements with the call in them.
    pub entitlements: Entitlements,
    /// What that changes, for the log. Empty: the file stays as it is, unless only counts changed.
    pub changes: Vec<Change>,
    /// What the entries added are to be marked with in the file: how the call ended, when it did not run to its end.
    pub from: Option<&'static str>,
    /// Hosts and resources that no entry can say.
    pub unwritable: Vec<String>,
}

/// Record a call.
pub fn record(file: &Entitlements, run: Run<'_>, partial: Partial) -> Recording {
    let from = match run.outcome {
        CallOutcome::Ran => None,
        CallOutcome::Cancelled
        | CallOutcome::Late
        | CallOutcome::Raised
        | CallOutcome::Refused
        | CallOutcome::Started
        | CallOutcome::Unattributed => Some(run.outcome.as_str()),
    };
    let mut recording = Recording {
        entitlements: file.clone(),
        changes: Vec::new(),
        from,
        unwritable: Vec::new(),
    };
    if from.is_some() && partial == Partial::Skip {
        return recording;
    }
    let mut recorder = Recorder {
        before: file
            .for_tool(run.tool)
            .map_or(0, |entry| entry.actions.len()),
        entry: file.for_tool(run.tool).cloned().unwrap_or_default(),
        counted: Vec::new(),
        arguments: run.arguments,
    };
    for action in run.actions.iter().filter(|action| action.allowed) {
        if let Err(unwritable) = recorder.request(action)
            && !recording.unwritable.contains(&unwritable)
        {
            recording.unwritable.push(unwritable);
        }
    }
    if recorder.entry != ToolEntitlements::default() {
        recording
            .entitlements
            .insert(run.tool.into(), recorder.entry);
        recording.changes = diff(file, &recording.entitlements);
    }
    recording
}

struct Recorder<'r> {
    entry: ToolEntitlements,
    /// How many actions the entry had before this run.
    before: usize,
    /// Actions this run was counted for.
    counted: Vec<usize>,
    arguments: &'r Arguments,
}

impl Recorder<'_> {
    /// One allowed request.
    /// Errors: the host or resource that no entry can say.
    fn request(&mut self, action: &ObservedAction) -> Result<(), String> {
        match (action.note, &action.action) {
            (Some(Note::UnknownHost), _) => self.host(&action.host),
            (Some(Note::Unmapped), _) if action.effect == Some(Effect::Read) => {
                self.unmapped_read(action)
            }
            (Some(Note::Late | Note::Subprocess | Note::Unmapped), _) | (None, None) => Ok(()),
            (None, Some(name)) => {
                let name = ActionName::parse(name).map_err(|_| name.clone())?;
                self.action(name, action.resource.as_deref().unwrap_or_default(), action)
            }
        }
    }

    fn host(&mut self, host: &str) -> Result<(), String> {
        let exact = HostPattern::parse(host).ok().filter(|own| !own.is_wild());
        add_host(&mut self.entry.hosts, exact.ok_or(host)?);
        Ok(())
    }

    fn unmapped_read(&mut self, action: &ObservedAction) -> Result<(), String> {
        let shown = || format!("path:{}", action.path);
        let integration = action.integration.as_deref().unwrap_or_default();
        let name = ActionName::parse(&format!("{integration}:{UNMAPPED_READ}"));
        let path = PathSegments::read(&action.path).map_err(|_| shown())?;
        self.action(name.map_err(|_| shown())?, &path_resource(&path), action)
    }

    fn action(
        &mut self,
        action: ActionName,
        resource: &str,
        observed: &ObservedAction,
    ) -> Result<(), String> {
        let pattern = if resource.is_empty() {
            Templated {
                resource: ResourcePattern::default(),
                candidate: None,
            }
        } else {
            templated(resource, self.arguments).map_err(|_| resource.to_owned())?
        };
        let acts_as = if observed.as_agent {
            ActAs::Agent
        } else {
            ActAs::User
        };
        let new = Entitlement {
            acts_as,
            effect: observed.effect.unwrap_or(Effect::Write),
            seen: Some(1),
            candidate: pattern.candidate.clone(),
            ..Entitlement::new(action, pattern.resource.clone())
        };
        self.add(new, resource, &pattern);
        Ok(())
    }

    /// Put an entry among the others: into the one that is the same, under the one that covers it, into the one it agrees with,
    /// or after the last.
    fn add(&mut self, new: Entitlement, resource: &str, pattern: &Templated) {
        let arguments = self.arguments;
        let position = |fits: &dyn Fn(&Entitlement) -> bool| {
            let same = |entry: &Entitlement| {
                entry.action == new.action && entry.acts_as == new.acts_as && fits(entry)
            };
            self.entry.actions.iter().position(same)
        };
        if let Some(index) = position(&|entry| entry.key() == new.key()) {
            self.again(index, &new);
        } else if let Some(index) = position(&|entry| {
            entry.effect >= new.effect
                && entry.resource.openness() != Openness::Glob
                && entry.resource.matches(resource, arguments)
        }) {
            self.count(index);
        } else if !self.agreed(&new, pattern) {
            self.counted.push(self.entry.actions.len());
            self.entry.actions.push(new);
        }
    }

    /// The same entry, seen once more.
    fn again(&mut self, index: usize, new: &Entitlement) {
        self.count(index);
        if let Some(entry) = self.entry.actions.get_mut(index) {
            entry.effect = entry.effect.max(new.effect);
            if entry.seen.is_some() && entry.candidate.is_none() {
                entry.candidate.clone_from(&new.candidate);
            }
        }
    }

    /// Widen a literal entry of an earlier run with which this one agrees.
    fn agreed(&mut self, new: &Entitlement, pattern: &Templated) -> bool {
        let earlier = self.entry.actions.iter().take(self.before).enumerate();
        let found = earlier
            .filter(|(index, entry)| {
                entry.action == new.action
                    && entry.acts_as == new.acts_as
                    && entry.seen.is_some()
                    && !self.counted.contains(index)
            })
            .find_map(|(index, entry)| Some((index, agree(entry, pattern)?)));
        let Some((index, agreed)) = found else {
            return false;
        };
        self.count(index);
        if let Some(entry) = self.entry.actions.get_mut(index) {
            entry.effect = entry.effect.max(new.effect);
            entry.resource = agreed.resource;
            entry.candidate = agreed.candidate;
        }
        true
    }

    /// This run saw an entry: once, however often.
    fn count(&mut self, index: usize) {
        if self.counted.contains(&index) {
            return;
        }
        self.counted.push(index);
        if let Some(seen) = self
            .entry
            .actions
            .get_mut(index)
            .and_then(|entry| entry.seen.as_mut())
        {
            *seen = (*seen + 1).min(ENOUGH_SEEN);
        }
    }
}

#[cfg(test)]
mod tests;
