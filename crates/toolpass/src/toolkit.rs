//! What all calls of an application share: the server that is asked, the settings, and who reads the events.
//!
//! Separate from `call`, which drives one call and keeps nothing.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use toolpass_client::report::Reporter;
use toolpass_client::target::Target;
use toolpass_core::clock::Clock;
use toolpass_core::effect::Effect;
use toolpass_entitlements::recorder::Recorder;
use toolpass_guard::audit::AuditEvent;
use toolpass_guard::call::Call;
use toolpass_guard::entitlements::model::Entitlements;
use toolpass_guard::entitlements::record::{Partial, Run};
use toolpass_guard::refusal::Refusal;
use toolpass_guard::session::Session;
use toolpass_guard::session::caps::Limit;
use toolpass_guard::settings::{EngineState, KnownSystems, Settings};
use toolpass_guard::taint::gate::Gate;
use toolpass_http::proxy::ProxyEnvironment;
use toolpass_http::transport::{BuildError, Transport, TransportSettings};

use crate::call;
use crate::remote::Remote;
use crate::tool::Tool;

/// Runs tools. Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct Toolkit(Arc<Shared>);

/// How a toolkit is set up; what is not said is the default.
#[derive(Default)]
pub struct Options {
    /// How often each effect may be had in a session.
    pub limits: Vec<(Effect, Limit)>,
    /// Which effects are closed once outside text was read.
    pub after_untrusted: Gate,
    /// What the tools are held to.
    pub entitlements: Option<Entitlements>,
    /// The file that what calls do is recorded into.
    pub record: Option<std::path::PathBuf>,
    /// The server that calls are reported to, and what to be called there.
    pub report: Option<Target>,
    /// Who reads the events of calls.
    pub audit: Option<Audit>,
}

/// A reader of events. It is called where a call ends, so it must not take long.
pub type Audit = Arc<dyn Fn(&AuditEvent) + Send + Sync>;

/// Why a call gave nothing back.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// Its body failed.
    #[error("{kind}: {text}")]
    Raised {
        /// The kind of failure.
        kind: &'static str,
        /// What it says; fenced when the tool's output is outside text.
        text: String,
    },
    /// It was refused, before its body or at a request.
    #[error("{0}")]
    Refused(Refusal),
}

/// What calls and their requests share.
pub(crate) struct Shared {
    pub(crate) remote: Remote,
    pub(crate) settings: Arc<Settings>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) transport: Transport,
    pub(crate) patience: Duration,
    recorder: Option<Recorder>,
    reporter: Option<Arc<Reporter>>,
    audit: Option<Audit>,
    say: fn(&str),
}

impl Toolkit {
    /// A toolkit that asks `remote`. Calls are reported from a task of the runtime it is made in. `say` tells the operator
    /// something that went wrong beside a call.
    /// Errors: as of [`Transport::new`].
    pub fn new(
        remote: Remote,
        options: Options,
        clock: Arc<dyn Clock>,
        say: fn(&str),
    ) -> Result<Toolkit, BuildError> {
        let transport = Transport::new(TransportSettings {
            timeout: PATIENCE,
            environment: ProxyEnvironment::from_env(),
            ..TransportSettings::default()
        })?;
        let reporter = match options.report {
            None => None,
            Some(target) => {
                let environment = ProxyEnvironment::from_env();
                let clock = Arc::clone(&clock);
                let reporter = Arc::new(Reporter::new(target, clock, environment, None, say)?);
                let running = Arc::clone(&reporter);
                // It ends when the toolkit says so, or with the runtime.
                drop(tokio::spawn(async move { running.run().await }));
                Some(reporter)
            }
        };
        let mut limits = [None; 3];
        for (effect, limit) in options.limits {
            let place = match effect {
                Effect::Read => &mut limits[0],
                Effect::Write => &mut limits[1],
                Effect::Destructive => &mut limits[2],
            };
            *place = Some(limit);
        }
        let settings = Settings {
            limits,
            after_untrusted: options.after_untrusted,
            engine: EngineState::Present,
            systems: KnownSystems::Served,
            entitlements: options.entitlements.map(Arc::new),
            record: options.record.is_some(),
            ..Settings::default()
        };
        let recorder = |path: &std::path::PathBuf| Recorder::new(path, Partial::Skip);
        Ok(Toolkit(Arc::new(Shared {
            remote,
            settings: Arc::new(settings),
            clock,
            transport,
            patience: PATIENCE,
            recorder: options.record.as_ref().map(recorder),
            reporter,
            audit: options.audit,
            say,
        })))
    }

    /// Run a tool for the person of a session.
    /// Errors: [`CallError`].
    pub async fn call(
        &self,
        tool: &Tool,
        session: &Session,
        arguments: Map<String, Value>,
    ) -> Result<Value, CallError> {
        call::run(&self.0, tool, session, arguments).await
    }

    /// Report what is left to be reported.
    pub async fn finish(&self) {
        if let Some(reporter) = &self.0.reporter {
            reporter.finish(LAST_PATIENCE).await;
        }
    }
}

impl Shared {
    /// Hand an event to whoever reads it.
    pub(crate) fn emit(&self, event: &AuditEvent) {
        if let Some(reporter) = &self.reporter {
            reporter.push(crate::written(event));
        }
        if let Some(audit) = &self.audit {
            audit(event);
        }
    }

    /// Record what a call did. A failure is said, and changes no call.
    pub(crate) fn record(&self, call: &Call, event: &AuditEvent) {
        let Some(recorder) = &self.recorder else {
            return;
        };
        let run = Run {
            tool: &call.tool.name,
            arguments: call.given(),
            outcome: event.outcome,
            actions: &event.actions,
        };
        if let Err(error) = recorder.record(run) {
            let path: &Path = recorder.path();
            (self.say)(&format!(
                "toolpass: a call was not recorded in {}: {error}",
                path.display()
            ));
        }
    }
}

impl fmt::Debug for Toolkit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Toolkit").finish_non_exhaustive()
    }
}

/// How long an answer of a system is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long the end waits for the server to take the last reports.
const LAST_PATIENCE: Duration = Duration::from_secs(2);
