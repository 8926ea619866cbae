//! A Linear: one workspace behind `POST /graphql`.
//!
//! | file | is |
//! |---|---|
//! | `world` | what exists, as data · `demo`: the default |
//! | `auth` | whose credential it is |
//! | `objects` | the objects GraphQL can walk, as that account sees them |
//! | `mutations` | the few whose effect somebody looks at |
//! | `standin` | the way from a request to its answer |
//!
//! Every mutation that a credential which may write sends succeeds and is entered in the world's `ran`, so that whatever toolpass lets
//! through is seen to arrive. The stand-in checks credentials and which teams their account sees; what a *user* may do is toolpass's question.
//!
//! Source: linear/linear `packages/sdk/src/schema.graphql` and `error.ts`, 2026-07-22.

mod auth;
pub mod demo;
mod mutations;
mod objects;
mod standin;
pub mod world;

pub use standin::LinearStandin;
