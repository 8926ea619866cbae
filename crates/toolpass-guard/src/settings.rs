//! The settings of a toolkit, as the checks read them. Validated where they are given.

use std::sync::Arc;

use toolpass_core::effect::Effect;
use toolpass_wire::observe::Systems;

use crate::entitlements::enforce::OnMissing;
use crate::entitlements::model::Entitlements;
use crate::fence::structured::Style;
use crate::session::caps::Limit;
use crate::session::stored::StoreId;
use crate::session::windows::Windows;
use crate::taint::gate::Gate;
use crate::taint::provenance::Rules;
use crate::taint::record::Tokens;

/// One toolkit's settings. Replaced as a whole by `configure`.
#[derive(Clone)]
pub struct Settings {
    /// How often each effect may be had: weakest first.
    pub limits: [Option<Limit>; 3],
    /// The store that keeps sessions; none: this process does.
    pub session_store: Option<StoreId>,
    /// When people did what limits over time count, as far as this process keeps their sessions.
    pub windows: Arc<Windows>,
    /// Whose authority a request outside `as_user()` and `as_agent()` has.
    pub act_as: ActAs,
    /// Nothing passes that no connection or table knows.
    pub strict: bool,
    /// What happens to requests to hosts of no connection.
    pub unknown_hosts: UnknownHosts,
    /// What happens to programs that bodies start; unsaid: [`Settings::subprocess`].
    pub subprocess: Option<Subprocess>,
    /// What happens to requests that no call is known for, in a process that says it runs tools and nothing else.
    pub unattributed: Option<Unattributed>,
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
    /// What happens when an event cannot be written.
    pub on_audit_error: OnAuditError,
    /// Whether texts from outside are fenced.
    pub fence_untrusted: bool,
    /// How values from outside that are no texts are fenced; `None`: not at all.
    pub fence_structured: Option<Style>,
    /// Which arguments may not hold a single token of outside text.
    pub untrusted_tokens: Tokens,
    /// Which rules hold about who named a value, in a session that was told what the person asked.
    pub provenance: Rules,
    /// Which effects are closed once outside text was read.
    pub after_untrusted: Gate,
    /// What tools are held to, when a file says so.
    pub entitlements: Option<Arc<Entitlements>>,
    /// What happens when that file lacks something.
    pub on_missing: OnMissing,
    /// Whether what calls do is recorded.
    pub record: bool,
}

/// As whom a request runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActAs {
    /// The agent itself: the user is not asked about.
    Agent,
    /// The session's user.
    User,
}

/// What happens to a request to a host of no connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownHosts {
    /// It passes, noted.
    Allow,
    /// It passes the checks that need no connection, and counts as sending out when it writes.
    Guarded,
    /// It is refused.
    Refuse,
}

/// What happens to a program that a body starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subprocess {
    /// It starts, noted. It counts as sending out.
    Allow,
    /// It is refused.
    Refuse,
}

/// What happens to a request to a connection's host that no call is known for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unattributed {
    /// It leaves, and is an audit event.
    Audit,
    /// It is refused.
    Refuse,
}

/// What happens when an event cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnAuditError {
    /// Nothing: calls run, and the event is lost.
    Ignore,
    /// No body runs before an event that says so is written.
    Refuse,
}

/// Whether an engine was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineState {
    /// None.
    Absent,
    /// One.
    Present,
}

/// What is known of hosts and connections.
#[derive(Clone)]
pub enum KnownSystems {
    /// These, possibly none.
    Known(Arc<Systems>),
    /// An engine elsewhere that tells none.
    NeverTold,
    /// Those that a server tells, which each call is given.
    Served,
}

impl Settings {
    /// Whether requests are held to a file of entitlements, or recorded into one.
    pub fn uses_entitlements(&self) -> bool {
        self.entitlements.is_some() || self.record
    }

    /// What happens to a program that a body starts: where nothing passes that is not known, none does.
    pub fn subprocess(&self) -> Subprocess {
        self.subprocess.unwrap_or(if self.strict {
            Subprocess::Refuse
        } else {
            Subprocess::Allow
        })
    }

    /// The cap of an effect.
    pub fn limit_of(&self, effect: Effect) -> Option<Limit> {
        let [read, write, destructive] = self.limits;
        match effect {
            Effect::Read => read,
            Effect::Write => write,
            Effect::Destructive => destructive,
        }
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            limits: [None; 3],
            session_store: None,
            windows: Arc::default(),
            act_as: ActAs::User,
            strict: false,
            unknown_hosts: UnknownHosts::Guarded,
            subprocess: None,
            unattributed: None,
            fresh_effects: vec![Effect::Destructive],
            intercept: true,
            private: Vec::new(),
            engine: EngineState::Absent,
            has_connections: false,
            systems: KnownSystems::Known(Arc::new(Systems::new(Vec::new()))),
            exfiltration: true,
            audit_arguments: true,
            on_audit_error: OnAuditError::Ignore,
            fence_untrusted: true,
            fence_structured: None,
            untrusted_tokens: Tokens::Destinations,
            provenance: Rules::default(),
            after_untrusted: Gate::default(),
            entitlements: None,
            on_missing: OnMissing::Refuse,
            record: false,
        }
    }
}
