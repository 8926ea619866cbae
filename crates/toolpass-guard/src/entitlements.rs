//! What a tool's recorded entitlements list: step 2b of a call and rules 2, 3 and 5 of a request.
//!
//! | module | is |
//! |---|---|
//! | [`model`], [`pattern`], [`host`] | what the file says |
//! | [`read`], [`write`], [`edit`] | the file as a tree, and as text |
//! | [`arguments`], [`record`], `templating` | from a call to entries |
//! | [`enforce`] | holding calls and requests to them |
//! | [`merge`], [`diff`], [`review`] | for those who keep the file |
//!
//! All of it is pure; reading YAML, locking and replacing the file are for whoever may touch files. Here are the questions of
//! steps 2b and 4 of a call; those of a request are in `request`.

pub mod arguments;
pub mod diff;
pub mod edit;
pub mod enforce;
pub mod host;
pub mod merge;
pub mod model;
pub mod pattern;
pub mod read;
pub mod record;
pub mod review;
mod templating;
#[cfg(test)]
pub(crate) mod testing;
pub mod write;

use toolpass_core::codes::RefusalCode;
use toolpass_core::question::{Freshness, Question};

use crate::call::Call;
use crate::scope::AskText;
use crate::settings::{ActAs, EngineState};
use crate::wording;
use enforce::{
    OnMissing, Planned, Standing, asked_beforehand, effect_mismatch, known_beforehand, tool_gap,
};

/// Step 2b: whether the tool's entitlements fit what it declares.
/// Errors: `no_entitlements`, `effect_mismatch`, `out_of_scope`.
pub(crate) fn of_call(call: &Call, host: &dyn AskText) -> Result<(), (RefusalCode, String)> {
    let standing = call.standing();
    if let Some(gap) = tool_gap(standing, call.settings.strict) {
        match call.settings.on_missing {
            OnMissing::Refuse => return Err((gap.code(), wording::tool_unlisted())),
            OnMissing::Warn => call.note_missing(gap.code()),
        }
    }
    let Standing::Held(entry) = standing else {
        return Ok(());
    };
    if let (Some(stronger), Some(declared)) =
        (effect_mismatch(entry, call.tool.effect), call.tool.effect)
    {
        let reason = wording::effect_mismatch(&stronger.to_string(), declared);
        return Err((RefusalCode::EffectMismatch, reason));
    }
    let rules = &call.tool.resources;
    if rules.is_empty() {
        return Ok(());
    }
    for planned in known_beforehand(entry, call.given()) {
        let resource = &planned.resource;
        let rule = rules.iter().find(|(kind, _)| kind == resource.kind());
        if !rule.is_some_and(|(_, rule)| rule.admits_text(resource.id(), host)) {
            let action = planned.entry.action.as_str();
            let reason = wording::resource_out_of_scope(action, resource.as_str());
            return Err((RefusalCode::OutOfScope, reason));
        }
    }
    Ok(())
}

/// Step 4: what the tool's entitlements let be asked before the body, in the order of the file.
/// Errors: `not_configured` when there is something to ask and no engine.
pub(crate) fn questions(call: &Call) -> Result<Vec<Question>, (RefusalCode, String)> {
    let (Standing::Held(entry), Some(session)) = (call.standing(), &call.session) else {
        return Ok(Vec::new());
    };
    let planned = known_beforehand(entry, call.given());
    let of_user = |planned: &Planned<'_>| planned.entry.acts_as == ActAs::User;
    if call.settings.engine == EngineState::Absent && planned.iter().any(of_user) {
        return Err((RefusalCode::NotConfigured, wording::not_asked()));
    }
    let Some(systems) = call.systems() else {
        return Ok(Vec::new());
    };
    let question = |(planned, connection): (&Planned<'_>, &str)| {
        let entry = planned.entry;
        let always = call.settings.fresh_effects.contains(&entry.effect);
        Question {
            user: session.user().into(),
            groups: session.groups().unwrap_or_default().to_vec(),
            token: session.token(),
            connection: connection.into(),
            action: entry.action.name().into(),
            resource: planned.resource.as_str().into(),
            freshness: Freshness {
                fresh: entry.fresh || always,
                max_age: None,
            },
            ..Question::default()
        }
    };
    let asked = asked_beforehand(&planned, systems);
    Ok(asked.map(question).collect())
}
