//! Calls reported to a server: which server, decided at a toolkit's first call, and one sender a process for each.
//!
//! INVARIANT: a call waits for no server; nothing a call was given leaves unless `dashboard_arguments` says so. A forked child
//! reports its own calls with senders of its own and none of its parent's.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use toolpass_client::report::Reporter;
use toolpass_client::target::{Asked, Target, target};
use toolpass_guard::audit::{AuditEvent, CallOutcome};
use toolpass_http::clock::SystemClock;
use toolpass_http::proxy::ProxyEnvironment;

use crate::audit::time_text;
use crate::engine::Toolpass;
use crate::runtime::{generation, runtime};

/// Where the calls of one toolkit are reported.
#[derive(Default)]
pub(crate) struct Reports {
    /// Whether arguments are reported too.
    pub(crate) arguments: bool,
    /// The toolkit's engine, when it is one behind a server.
    asked: Option<Py<Toolpass>>,
    chosen: OnceLock<Option<Sender>>,
}

/// A reporter, its server, and the process it works in.
#[derive(Clone)]
struct Sender {
    target: Target,
    process: u64,
    reporter: Arc<Reporter>,
}

/// Those of this process, one a server and key.
static SENDERS: Mutex<Vec<Sender>> = Mutex::new(Vec::new());

impl Reports {
    /// Reports with or without arguments. `asked` is the toolkit's engine, when it is one behind a server.
    pub(crate) fn new(arguments: bool, asked: Option<Py<Toolpass>>) -> Reports {
        Reports {
            arguments,
            asked,
            chosen: OnceLock::new(),
        }
    }

    /// Whether calls are reported.
    pub(crate) fn are_on(&self, py: Python<'_>) -> bool {
        self.chosen(py).is_some()
    }

    /// Report a call, or that one begins.
    pub(crate) fn push(&self, py: Python<'_>, event: &AuditEvent) {
        let Some(sender) = self.chosen(py) else {
            return;
        };
        if sender.process == generation() {
            return put(&sender.reporter, event, self.text(event));
        }
        // A forked child: the parent's sender has no task here.
        if let Some(own) = started(py, &sender.target) {
            put(&own.reporter, event, self.text(event));
        }
    }

    fn text(&self, event: &AuditEvent) -> String {
        if self.arguments || event.arguments.is_none() {
            event.to_json(time_text)
        } else {
            let without = AuditEvent {
                arguments: None,
                ..event.clone()
            };
            without.to_json(time_text)
        }
    }

    fn chosen(&self, py: Python<'_>) -> Option<&Sender> {
        let choose = || match found(py, self.asked.as_ref()) {
            Ok(target) => started(py, &target?),
            Err(text) => {
                say(&text);
                None
            }
        };
        self.chosen.get_or_init(choose).as_ref()
    }
}

fn put(reporter: &Reporter, event: &AuditEvent, text: String) {
    match event.outcome {
        CallOutcome::Started => reporter.begin(&event.id, text),
        CallOutcome::Cancelled
        | CallOutcome::Late
        | CallOutcome::Raised
        | CallOutcome::Ran
        | CallOutcome::Refused
        | CallOutcome::Unattributed => reporter.complete(&event.id, text),
    }
}

/// The server that the environment names, or that is asked anyway.
fn found(py: Python<'_>, asked: Option<&Py<Toolpass>>) -> Result<Option<Target>, String> {
    let script = py
        .import("sys")
        .and_then(|sys| sys.getattr("argv")?.get_item(0)?.extract::<String>());
    let way = asked.and_then(|asked| asked.get().way());
    let asked = way.map(|way| Asked {
        url: way.url(),
        key: way.key(),
        ca_pem: way.ca_pem(),
    });
    target(|name| variable(py, name), asked, script.ok().as_deref())
        .map_err(|error| format!("toolpass: calls are not reported: {error}"))
}

fn variable(py: Python<'_>, name: &str) -> Option<String> {
    let environment = py.import("os").ok()?.getattr("environ").ok()?;
    environment
        .call_method1("get", (name,))
        .ok()?
        .extract()
        .ok()
}

/// The sender of this process for a server; it begins when there is none.
fn started(py: Python<'_>, target: &Target) -> Option<Sender> {
    let is_it = |sender: &Sender| {
        sender.process == generation()
            && sender.target.url == target.url
            && sender.target.key.matches(target.key.expose())
            && sender.target.ca_pem == target.ca_pem
    };
    if let Some(sender) = senders().iter().find(|sender| is_it(sender)) {
        return Some(sender.clone());
    }
    let spool = variable(py, SPOOL).filter(|folder| !folder.is_empty());
    let made = Reporter::new(
        target.clone(),
        Arc::new(SystemClock),
        ProxyEnvironment::from_env(),
        spool.map(PathBuf::from).as_deref(),
        say,
    );
    let reporter = match made {
        Ok(reporter) => Arc::new(reporter),
        Err(error) => {
            say(&format!("toolpass: calls are not reported: {error}"));
            return None;
        }
    };
    let sender = Sender {
        target: target.clone(),
        process: generation(),
        reporter,
    };
    let is_first = {
        let mut all = senders();
        if let Some(sender) = all.iter().find(|sender| is_it(sender)) {
            return Some(sender.clone());
        }
        all.retain(|sender| sender.process == generation());
        all.push(sender.clone());
        all.len() == 1
    };
    let running = Arc::clone(&sender.reporter);
    match runtime() {
        Ok(runtime) => drop(runtime.spawn(async move { running.run().await })),
        Err(error) => say(&format!("toolpass: calls are not reported: {error}")),
    }
    if is_first {
        // Without it the last calls before the end may be missing; they are lost no other way.
        let _ = py
            .import("toolpass._report")
            .and_then(|module| module.call_method0("at_exit"));
    }
    Some(sender)
}

/// Send what is left, within two seconds. Called at the end of the process.
#[pyfunction]
pub(crate) fn finish_reports(py: Python<'_>) {
    let own: Vec<Arc<Reporter>> = senders()
        .iter()
        .filter(|sender| sender.process == generation())
        .map(|sender| Arc::clone(&sender.reporter))
        .collect();
    let Ok(runtime) = runtime() else { return };
    py.detach(|| {
        let ends: Vec<_> = own
            .into_iter()
            .map(|reporter| runtime.spawn(async move { reporter.finish(PATIENCE).await }))
            .collect();
        for end in ends {
            // One that was torn down has nothing left to send.
            let _ = runtime.block_on(end);
        }
    });
}

/// Called in a child right after a fork: the parent's senders are the parent's.
pub(crate) fn after_fork() {
    if let Ok(mut senders) = SENDERS.try_lock() {
        // Not dropped: their connections belong to the parent's runtime.
        std::mem::forget(std::mem::take(&mut *senders));
    }
}

fn senders() -> MutexGuard<'static, Vec<Sender>> {
    SENDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tell the operator, on standard error, from whichever thread.
fn say(text: &str) {
    use std::io::Write as _;
    // Nobody is left to tell that it could not be said.
    let _ = writeln!(std::io::stderr(), "{text}");
}

const PATIENCE: Duration = Duration::from_secs(2);
const SPOOL: &str = "TOOLPASS_RUNS_SPOOL";
