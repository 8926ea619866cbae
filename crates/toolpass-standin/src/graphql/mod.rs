//! GraphQL as any system speaks it: a document read to plain data, and the walk over the objects it selects.
//!
//! A system gives its objects and mutations by [`walk::Schema`]. A field it does not have is an error without data, so a mistaken
//! query of ours is found here and not in production.

pub(crate) mod document;
pub(crate) mod walk;
