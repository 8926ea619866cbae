//! Fake: a system that exists in the configuration only. Read it first; a real one has the same files and more of them.
//!
//! | file | holds |
//! |---|---|
//! | `config` `resource` `actions` | keys, the one resource type, the action table |
//! | `identity` | e-mail → account |
//! | `rules` | account, action, thing → decision, pure |
//! | `connection` | what the engine sees: the product, and one configured system of it |
//!
//! Left out: `upstream`, because there is nothing to ask, and `routes` and `extract`, because no request ever goes there.
//! Source: `docs/integrations/fake.md`.

pub mod actions;
pub mod config;
pub mod connection;
pub mod identity;
pub mod resource;
pub mod rules;

/// The integration, for the registry.
pub static INTEGRATION: connection::Fake = connection::Fake;
