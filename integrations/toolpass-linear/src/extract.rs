//! What stands in a request: for Linear, one GraphQL document, which `graphql/` reads.
//!
//! INVARIANT: a body is only ever read as JSON, because Linear reads it so; a body that is not JSON is unresolved, never empty.

use toolpass_wire::extract::Extracted;
use toolpass_wire::field::Unresolved;
use toolpass_wire::reading::Reading;

use crate::graphql;

/// One operation.
pub fn operation(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    graphql::operation(reading.graphql().required("query")?)
}
