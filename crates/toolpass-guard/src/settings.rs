//! The settings of a toolkit, as the checks read them. Validated where they are given.

use std::sync::Arc;

use toolpass_core::effect::Effect;
use toolpass_wire::observe::Systems;

use crate::entitlements::enforce::OnMissing;
use crate::entitlements::model::Entitlements;
use crate::fence::structured::Style;
use crate::taint::gate::Gate;
use crate::taint::record::Tokens;

/// One toolkit's settings. Replaced as a whole by `configure`.
#[derive(Clone)]
pub struct Settings {
    /// Calls per session, by effect: weakest first.
    pub limits: [Option<u32>; 3],
    /// Whose authority a request outside `as_user()` and `as_agent()` has.
    pub act_as: ActAs,
    /// Nothing passes that no connection or table knows.
    pub strict: bool,
    /// What happens to requests to hosts of no connection.
    pub unknown_hosts: UnknownHosts,
    /// Effects that are always asked fresh.
    pub fresh_effects: Vec<Effect>,
    /// Whether bodies' requests are looked at at all.
    pub intercept: bool,
    /// Connections of which every read is private data.
    pub private: Vec<String>,
    /// Whether there is an engine to ask.
    pub engine: EngineState,
    /// Whether connections were named, by an engine or by hand.
    pub has_connections: bool,
    /// Which host is which connection.
    pub systems: KnownSystems,
    /// Whether the guard against exfiltration is on.
    pub exfiltration: bool,
    /// Whether the audit event holds arguments.
    pub audit_arguments: bool,
            fence_untrusted: true,
            fence_structured: None,
            untrusted_tokens: Tokens::Destinations,
            after_untrusted: Gate::default(),
