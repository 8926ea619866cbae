//! A Slack workspace: the Web API answers toolpass asks for, and those its tools' libraries need.
//!
//! | file | is |
//! |---|---|
//! | `world` | what exists, as data · `demo`: the default |
//! | `call` | one call on its way to a method: its token, scopes and arguments, look-ups that refuse as Slack does, pages |
//! | `users` `conversations` `chat` `files` | methods by family, each one a match |
//! | `render` | objects as Slack writes them |
//!
//! Every method answers with status 200 and says in `ok` whether it did it, whatever the HTTP method. Methods that are not played succeed
//! with an empty answer when the token is valid (`fallback` in the journal), so that any write toolpass lets through is seen to arrive.
//! The stand-in checks tokens, scopes and what a bot sees; what a *user* may do is toolpass's question, so posting rules are served and
//! not enforced.
//!
//! Source: docs.slack.dev/reference/methods, the official Python SDK (what it sends); read 2026-11-30.

mod call;
mod chat;
mod conversations;
pub mod demo;
mod files;
mod render;
mod standin;
mod users;
pub mod world;

pub use standin::SlackStandin;
