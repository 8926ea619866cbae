//! A site of Jira Cloud: the permission look-ups toolpass makes, and the work of its tools' libraries, in API versions 2 and 3.
//!
//! | file | is |
//! |---|---|
//! | `world` | what exists, as data · `demo`: the default |
//! | `call` | one request on its way to an endpoint: who asks, lookups that refuse as Jira does |
//! | `people` | accounts, and what they hold |
//! | `issues` `boards` | endpoints by chapter of the reference, each one a match |
//! | `render` | objects as Jira writes them |
//!
//! Requests no endpoint knows succeed with an empty answer when the credential is valid (`fallback` in the journal), so that any write
//! toolpass lets through is seen to arrive. The stand-in checks the credential and what its account sees; what a *user* may do is
//! toolpass's question. An unknown credential is told 401, but on the user search, where Jira takes it for nobody's: 200 and nothing.
//!
//! Source: Jira's API descriptions (npm `jira.js` 6.2.0) and developer.atlassian.com.

mod boards;
mod call;
pub mod demo;
mod issues;
mod people;
mod render;
mod standin;
pub mod world;

pub use standin::JiraStandin;
