//! `toolpass serve`: the engine behind an HTTP interface, until a signal ends it.
//!
//! Nothing goes to standard output; the operational log goes to standard error as JSON lines.

use std::path::PathBuf;
use std::sync::Arc;

use tokio::runtime::Builder;
use tokio::sync::mpsc;
use toolpass_config::config::Config;
use toolpass_http::clock::SystemClock;
use toolpass_server::reload::Source;
use toolpass_server::server::{Server, Signal, StartError, check};
use tracing::Level;

use crate::arguments::Arguments;
use crate::exit::{Done, Exit, Stop};
use crate::output::{Page, counted};
use crate::{effective, input, log};

/// Run the command.
pub(crate) fn run(arguments: &Arguments) -> Result<Done, Stop> {
    let level = level(arguments)?;
    let config = config(arguments)?;
    if arguments.is_on("print-config") {
        return done(effective::page(&config));
    }
    let file = config.file.clone();
    let stopped = |error: StartError| Stop::Problems(vec![format!("{file}: {error}")]);
    if arguments.is_on("check-config") {
        let count = counted(config.connections.len(), "connection");
        check(config, Arc::new(SystemClock)).map_err(stopped)?;
        let mut page = Page::new();
        page.line(&format!("{file}: ok, {count}"));
        return done(page);
    }
    let mut config = config;
    if config.server.data.is_none() {
        config.server.data = default_folder();
        config.server.data_is_default = true;
    }
    log::start_json(level);
    let runtime = Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Stop::Failed(format!("no runtime: {error}")))?;
    let served = runtime.block_on(async {
        let signals =
            signals().map_err(|error| Stop::Failed(format!("no signal handler: {error}")))?;
        let server = Server::start(config, Arc::new(SystemClock))
            .await
            .map_err(stopped)?;
        let server = match source(arguments)? {
            Some(source) => server.reloading(source),
            None => server,
        };
        server.run(signals).await;
        Ok(())
    });
    // What still resolves a name is not waited for.
    runtime.shutdown_background();
    served?;
    done(Page::new())
}

fn done(page: Page) -> Result<Done, Stop> {
    Ok(Done {
        page,
        exit: Exit::Done,
    })
}

/// The configuration, with what flags say in place of its keys.
fn config(arguments: &Arguments) -> Result<Config, Stop> {
    let mut config = input::config(arguments)?;
    if let Some(listen) = arguments.value("listen") {
        config.listen = listen.to_owned();
    }
    if let Some(listen) = arguments.value("admin-listen") {
        config.server.admin_listen = Some(listen.to_owned());
    }
    if let Some(folder) = arguments.value("data") {
        config.server.data = Some(folder.into());
    }
    Ok(config)
}

/// How to read the configuration again; standard input can be read once.
fn source(arguments: &Arguments) -> Result<Option<Source>, Stop> {
    let Some(file) = input::config_file(arguments)? else {
        return Ok(None);
    };
    let arguments = arguments.clone();
    let load = move || {
        config(&arguments).map_err(|stop| match stop {
            Stop::Problems(lines) => lines,
            Stop::Failed(text) | Stop::Usage(text) => vec![text],
        })
    };
    Ok(Some(Source {
        load: Arc::new(load),
        file: Some(file),
    }))
}

/// Where a service, else a person, keeps state.
fn default_folder() -> Option<PathBuf> {
    let absolute = |path: PathBuf| Some(path).filter(|path| path.is_absolute());
    if let Some(given) = input::variable("STATE_DIRECTORY") {
        // Several are separated by colons; the first is as good as any.
        return std::env::split_paths(&given).next().and_then(absolute);
    }
    let state = input::variable("XDG_STATE_HOME").and_then(|given| absolute(given.into()));
    let home = || Some(absolute(input::variable("HOME")?.into())?.join(".local/state"));
    Some(state.or_else(home)?.join("toolpass"))
}

fn level(arguments: &Arguments) -> Result<Level, Stop> {
    match arguments
        .value("log-level")
        .unwrap_or("info")
        .to_ascii_lowercase()
        .as_str()
    {
        "debug" => Ok(Level::DEBUG),
        "info" => Ok(Level::INFO),
        "warn" | "warning" => Ok(Level::WARN),
        "error" => Ok(Level::ERROR),
        _ => Err(Stop::Usage(
            "-log-level: expected `debug`, `info`, `warn` or `error`".into(),
        )),
    }
}

/// The signals of this process, as the server takes them.
/// Errors: the handlers cannot be installed.
#[cfg(unix)]
fn signals() -> std::io::Result<mpsc::Receiver<Signal>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let (sender, receiver) = mpsc::channel(8);
    tokio::spawn(async move {
        loop {
            let signal = tokio::select! {
                Some(()) = interrupt.recv() => Signal::Interrupt,
                Some(()) = terminate.recv() => Signal::Terminate,
                Some(()) = hangup.recv() => Signal::Reload,
                else => return,
            };
            if sender.send(signal).await.is_err() {
                return;
            }
        }
    });
    Ok(receiver)
}

/// The signals of this process, as the server takes them.
/// Errors: the handler cannot be installed.
#[cfg(not(unix))]
fn signals() -> std::io::Result<mpsc::Receiver<Signal>> {
    let mut interrupt = tokio::signal::windows::ctrl_c()?;
    let (sender, receiver) = mpsc::channel(8);
    tokio::spawn(async move {
        while interrupt.recv().await.is_some() && sender.send(Signal::Interrupt).await.is_ok() {}
    });
    Ok(receiver)
}
