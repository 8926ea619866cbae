//! A GraphQL document: which pairs its root fields come to.
//!
//! The document is read by `toolpass_wire::graphql`; here is what Linear's schema makes of it. A root names what it reads or
//! changes by ids (`query`, `mutation`), written as `ask`; what is selected below is held to what the pairs cover
//! (`selection`), because every object of the schema leads on to others that the agent's credential can see: a request that
//! does is the agent's own.
//! INVARIANT: all root fields are checked; a root, a mutation or an id that is not known is unresolved.
//! Source: linear/linear `packages/sdk/src/schema.graphql`, 2026-07-22.

mod ask;
mod input;
mod mutation;
mod query;
mod selection;
mod settings;

use toolpass_core::effect::Effect;
use toolpass_wire::extract::{Extracted, Pair};
use toolpass_wire::field::Unresolved;
use toolpass_wire::graphql::{Operation, OperationKind};
use toolpass_wire::table::{Audience, Text};

pub use mutation::{agents_own, left_out, names, paths};
pub use query::names as queries;

/// What one root field comes to.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    pub(crate) pairs: Vec<Pair>,
    pub(crate) effect: Option<Effect>,
    pub(crate) sends_out: Option<Audience>,
    pub(crate) agent_only: Option<Text>,
    pub(crate) hands_out: bool,
}

/// One operation.
pub fn operation(operation: &Operation) -> Result<Extracted, Unresolved> {
    let read: fn(&_) -> _ = match operation.kind {
        OperationKind::Mutation => mutation::asked,
        OperationKind::Query => query::asked,
        OperationKind::Subscription => {
            return Err(Unresolved::new(
                "subscriptions of Linear are not for tools; ask by a query",
            ));
        }
    };
    let mut effect = match operation.kind {
        OperationKind::Mutation => Effect::Write,
        OperationKind::Query | OperationKind::Subscription => Effect::Read,
    };
    let (mut pairs, mut sends_out, mut agent_only, mut hands_out) = (Vec::new(), None, None, false);
    for root in &operation.fields {
        let asked: Asked = read(root)?;
        pairs.extend(asked.pairs);
        effect = effect.max(asked.effect.unwrap_or(effect));
        sends_out = wider(sends_out, asked.sends_out);
        agent_only = agent_only.or(asked.agent_only);
        hands_out |= asked.hands_out;
    }
    let mut extracted = Extracted::pairs(pairs).with_effect(effect);
    if let Some(audience) = sends_out {
        extracted = extracted.sending_to(audience);
    }
    extracted.agent_only = agent_only;
    Ok(if hands_out {
        extracted.sensitive()
    } else {
        extracted
    })
}

/// Of two audiences the one that is told: anyone before those who read the resource.
fn wider(one: Option<Audience>, other: Option<Audience>) -> Option<Audience> {
    match (one, other) {
        (Some(Audience::Public), _) | (_, Some(Audience::Public)) => Some(Audience::Public),
        (one, other) => one.or(other),
    }
}

/// Why it shows what the agent sees, which is the agent's to look at.
fn only_the_agent(why: Unresolved) -> Text {
    why.to_string().into()
}

/// No permission is asked for.
fn nothing() -> Pair {
    Pair {
        action: None,
        target: None,
        effect: None,
        facts: Default::default(),
    }
}
