//! What a request under a row needs: the row's own pair, or the pairs its reader names.
//!
//! Separate because it is the step at which text from a request becomes a resource.

use toolpass_core::effect::Effect;
use toolpass_core::question::Facts;
use toolpass_core::resource::Resource;

use crate::extract::{Extracted, Need, Pair, Target};
use crate::field::Unresolved;
use crate::matcher::Match;
use crate::table::{Route, Text};

use super::{Observation, RowInfo};

/// A row that answered, and what it takes.
pub(super) struct Mapped {
    pub(super) row: RowInfo,
    pub(super) needs: Vec<Need>,
    pub(super) effect: Effect,
}

impl Mapped {
    /// The observation, for these systems.
    pub(super) fn on(self, systems: Vec<usize>) -> Observation {
        Observation::Mapped {
            systems,
            row: self.row,
            needs: self.needs,
            effect: self.effect,
        }
    }
}

pub(super) fn row_info(route: &Route, effect: Effect, fields: Vec<(Text, String)>) -> RowInfo {
    RowInfo {
        method: route.method.clone(),
        template: route.path.clone(),
        sends_out: route.sends_out,
        untrusted_output: route.untrusted_output.unwrap_or(effect == Effect::Read),
        sensitive: route.sensitive,
        agent_sight: route.agent_sight,
        agent_only: route.agent_only.clone(),
        fields,
    }
}

/// What a browser asks before a request from another site: nothing is read, nothing is done.
pub(super) fn preflight() -> Mapped {
    let route = Route::new("OPTIONS", "/**", None, None);
    Mapped {
        row: row_info(&route, Effect::Read, Vec::new()),
        needs: vec![nothing(Effect::Read)],
        effect: Effect::Read,
    }
}

/// The pairs, and the row as the reader changed it.
/// Errors: [`Unresolved`] for a template that cannot be filled, a pair that names no resource, or more pairs than are asked.
pub(super) fn needs_of(
    found: &Match<'_>,
    effect: Effect,
    captured: &[(Text, String)],
    extracted: Extracted,
) -> Result<Mapped, Unresolved> {
    let route = found.route;
    let effect = extracted.effect.unwrap_or(effect);
    let mut fields = captured.to_vec();
    for (name, value) in extracted.fields {
        match fields.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = value,
            None => fields.push((name, value)),
        }
    }
    let needs = match extracted.pairs {
        None => vec![own_need(found, effect, &fields, extracted.facts)?],
        Some(pairs) => needs_of_pairs(pairs, effect)?,
    };
    let effect = needs.iter().map(|need| need.effect).max().unwrap_or(effect);
    let mut row = row_info(route, effect, fields);
    row.sends_out = extracted.sends_out.or(route.sends_out);
    row.sensitive |= extracted.sensitive;
    row.agent_sight = route.agent_sight && !extracted.is_bounded;
    row.agent_only = extracted.agent_only.or_else(|| route.agent_only.clone());
    Ok(Mapped { row, needs, effect })
}

fn own_need(
    found: &Match<'_>,
    effect: Effect,
    fields: &[(Text, String)],
    facts: Facts,
) -> Result<Need, Unresolved> {
    let value_of = |name: &str| {
        fields
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    };
    let target = match found.resource() {
        Some(template) => Some(Target::Resource(template.fill(value_of)?)),
        None if found.route.action.is_some() => return Err(names_nothing()),
        None => None,
    };
    Ok(Need {
        action: found.route.action.clone(),
        target,
        effect,
        facts,
    })
}

fn needs_of_pairs(pairs: Vec<Pair>, effect: Effect) -> Result<Vec<Need>, Unresolved> {
    let mut needs: Vec<Need> = Vec::new();
    for pair in pairs {
        match &pair.target {
            None if pair.action.is_some() => return Err(names_nothing()),
            Some(Target::Resource(resource)) => {
                Resource::parse(resource).map_err(|why| {
                    Unresolved::new(format!("the request names no usable resource: {why}"))
                })?;
            }
            None | Some(Target::Pointer(_)) => {}
        }
        let need = Need {
            action: pair.action,
            target: pair.target,
            effect: pair.effect.unwrap_or(effect),
            facts: pair.facts,
        };
        if !needs.contains(&need) {
            needs.push(need);
        }
        if needs.len() > MAX_NEEDS {
            return Err(Unresolved::new(format!(
                "the request does more than {MAX_NEEDS} things; send it in parts"
            )));
        }
    }
    match (needs.is_empty(), effect) {
        (false, _) => Ok(needs),
        (true, Effect::Read) => Ok(vec![nothing(effect)]),
        // An empty list of ids, a document of no fields: nobody said that this write needs no permission.
        (true, Effect::Write | Effect::Destructive) => Err(names_nothing()),
    }
}

fn nothing(effect: Effect) -> Need {
    Need {
        action: None,
        target: None,
        effect,
        facts: Facts::new(),
    }
}

fn names_nothing() -> Unresolved {
    Unresolved::new("the request names nothing to act on")
}

/// How many pairs one request may need: each is a question to the engine.
const MAX_NEEDS: usize = 50;
