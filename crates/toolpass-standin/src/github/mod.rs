//! A GitHub: the REST and GraphQL answers toolpass asks for, and those its tools' libraries need.
//!
//! | file | is |
//! |---|---|
//! | `world` | what exists, as data · `demo`: the default |
//! | `auth` `jwt` `access` | who asks · the App's token · what a user may on a repository |
//! | `call` | one request on its way to an endpoint: lookups that refuse as GitHub does, paging |
//! | `apps` `orgs` `repos` `branches` `contents` `issues` `pulls` | endpoints by chapter of the REST reference, each one a match |
//! | `graphql` | the GraphQL reader and the objects it can walk |
//! | `render` | objects as GitHub writes them |
//!
//! Requests no endpoint knows succeed with an empty answer when the credential is valid (`fallback` in the journal), so that any
//! write toolpass lets through is seen to arrive. The stand-in checks credentials and visibility; what a *user* may do is toolpass's
//! question, so rules and protection are served and not enforced.
//!
//! Source: GitHub's REST description (npm `@octokit/openapi` 23.0.2) and docs.github.com.

mod access;
mod apps;
mod auth;
mod branches;
mod call;
mod contents;
pub mod demo;
mod graphql;
mod issues;
mod jwt;
mod orgs;
mod pulls;
mod render;
mod repos;
mod standin;
pub mod world;

pub use standin::{ApiStyle, GithubStandin, Options};
