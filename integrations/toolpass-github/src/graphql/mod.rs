//! A GraphQL document: which pairs its root fields come to.
//!
//! The document is read by `toolpass_wire::graphql`; here is what GitHub's schema makes of it. A query names what it reads by
//! names (`query`), a mutation by node ids (`mutation`), which are pointers; what is selected below is held to what the pairs
//! cover (`selection`), because every object of the schema leads on to others that the agent's credential can see.
//! INVARIANT: all root fields are checked; a root, a mutation or a nested object that is not known is unresolved.
//! Source: docs.github.com/graphql, schema of octokit/graphql-schema 15.26.1; read 2026-11-30.

mod mutation;
mod query;
mod selection;

use toolpass_core::effect::Effect;
use toolpass_core::question::Pointer;
use toolpass_wire::extract::{Extracted, Pair};
use toolpass_wire::field::Unresolved;
use toolpass_wire::graphql::OperationKind;
use toolpass_wire::reading::Reading;
use toolpass_wire::table::Audience;

use crate::actions::Action;
use crate::facts;
use crate::resource::Kind;

pub use mutation::{left_out, names};

/// One operation.
pub fn operation(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    let operation = reading.graphql().required("query")?;
    let mut pairs = Vec::new();
    match operation.kind {
        OperationKind::Query => {
            for root in &operation.fields {
                pairs.extend(query::pairs(root)?);
            }
            Ok(Extracted::pairs(pairs))
        }
        OperationKind::Mutation => {
            let (mut effect, mut sends_out) = (Effect::Write, false);
            for root in &operation.fields {
                let known = mutation::asked(root)?;
                pairs.extend(known.pairs);
                effect = effect.max(known.effect);
                sends_out |= known.sends_out;
            }
            let publishes = pairs.iter().any(|pair| {
                let kind = pair.facts.get(facts::VISIBILITY);
                kind.is_some_and(|kind| kind == Kind::Public.as_str())
            });
            let extracted = Extracted::pairs(pairs).with_effect(effect);
            Ok(if publishes {
                extracted.sending_to(Audience::Public)
            } else if sends_out {
                extracted.sending_to(Audience::Resource)
            } else {
                extracted
            })
        }
        OperationKind::Subscription => Err(Unresolved::new("GitHub has no subscriptions")),
    }
}

/// A pair on the repository, organization or team that a node is or belongs to: which of them, the action says.
fn at_node(action: Action, id: &str) -> Result<Pair, Unresolved> {
    if facts::node_id(id).is_none() {
        return Err(Unresolved::new("expected a node id"));
    }
    let want = action.spec().on.first().copied().unwrap_or_default();
    let parts = [("want".to_owned(), want.to_owned())].into();
    Ok(Pair::at(
        action.name(),
        Pointer {
            kind: "node_id".to_owned(),
            value: id.to_owned(),
            parts,
        },
    ))
}
