//! Vendor systems on loopback that check credentials: for tests, examples and the demo.
//!
//! A stand-in answers with the vendor's own shapes, refuses a missing or wrong credential as the vendor does, records every
//! request that reached it, and misbehaves on demand. So "the refused request never arrived" is a fact to count, not a belief.
//!
//! | module | is |
//! |---|---|
//! | [`server`] | a [`server::System`] on 127.0.0.1, in a thread of its own, until its [`server::Running`] is dropped |
//! | [`tls`] | the certificate authority two stand-ins may share |
//! | [`journal`] | what reached a stand-in |
//! | [`faults`] | how it misbehaves |
//! | [`message`] | one request read, one answer to give |
//! | [`github`] | github.com and GitHub Enterprise Server |
//! | [`jira`] | a site of Jira Cloud |
//! | [`kubernetes`] | a cluster: reviews, objects, streams |
//! | [`linear`] | a workspace of Linear |
//! | [`slack`] | a workspace of Slack |
//! | [`echo`] | any other host: takes everything, redirects on request |
//! | [`identity`] | the service asked by `identity_mode: http` |
//! | [`oidc`] | a provider of ID tokens, which also makes tokens to be refused |
//!
//! A further vendor is a folder beside `github` that implements [`server::System`].
//!
//! INVARIANT: nothing here binds any address but 127.0.0.1.

mod control;
pub mod echo;
mod error;
pub mod faults;
pub mod github;
mod graphql;
pub mod identity;
pub mod jira;
pub mod journal;
pub mod kubernetes;
pub mod linear;
pub mod message;
pub mod oidc;
pub mod server;
pub mod slack;
pub mod tls;

pub use error::Error;
