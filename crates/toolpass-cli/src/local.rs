//! The engine of this process, the runtime it waits in, and the signals that end the waiting.
//!
//! Separate so that only the commands that ask a system start a runtime.

use std::future::Future;
use std::io;
use std::sync::Arc;

use tokio::runtime::Builder;
use toolpass_config::config::Config;
use toolpass_engine::engine::Engine;
use toolpass_http::clock::SystemClock;
use toolpass_local::Which;

use crate::exit::Stop;

/// Build the connections of a configuration, without the network.
/// Errors: the first that cannot be built, under the name of its file.
pub(crate) fn engine(config: &Config, which: Which<'_>) -> Result<Engine, Stop> {
    let built = toolpass_local::engine(config, which, "cli", Arc::new(SystemClock));
    built.map_err(|error| Stop::Problems(vec![format!("{}: {error}", config.file)]))
}

/// Wait for an answer. The operational log goes to standard error from here on.
/// Errors: a signal came first, or there can be no runtime.
pub(crate) fn wait<T>(asking: impl Future<Output = T>) -> Result<T, Stop> {
    crate::log::start();
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Stop::Failed(format!("no runtime: {error}")))?;
    let answer = runtime.block_on(async {
        let stopped =
            stopped().map_err(|error| Stop::Failed(format!("no signal handler: {error}")))?;
        tokio::select! {
            biased;
            () = stopped => Err(Stop::Failed("interrupted, so there is no answer".into())),
            answer = asking => Ok(answer),
        }
    });
    // Dropping a runtime waits for a look-up of a name to end, which nobody needs any more.
    runtime.shutdown_background();
    answer
}

/// Ends when the process is asked to.
/// Errors: the handlers cannot be installed.
#[cfg(unix)]
pub(crate) fn stopped() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Ends when the process is asked to.
/// Errors: the handler cannot be installed.
#[cfg(not(unix))]
pub(crate) fn stopped() -> io::Result<impl Future<Output = ()>> {
    let mut interrupt = tokio::signal::windows::ctrl_c()?;
    Ok(async move {
        interrupt.recv().await;
    })
}
