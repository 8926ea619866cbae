//! A server for one test: its own folder, its own port on loopback, its own runtime; gone when dropped.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;

use tokio::sync::mpsc;
use toolpass_config::load::load_text;
use toolpass_http::clock::SystemClock;
use toolpass_server::server::{Server, Signal};

use crate::record::Record;

/// A running server.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) folder: PathBuf,
    pub(crate) signals: mpsc::Sender<Signal>,
    thread: Option<JoinHandle<()>>,
}

/// The key of the tests.
pub(crate) const KEY: &str = "k-0123456789abcdef";

/// One connection `fake` that knows Dana and the administrator Ada.
pub(crate) const FAKE: &str = "connections:\n  - {id: fake, integration: fake, users: dana@example.com, admins: ada@example.com}\n";

/// Start a server on this configuration, with the key [`KEY`] as `api_key` unless keys are given. Its folder has the files
/// `agents`, `page` and `slow` with keys of those names.
pub(crate) fn start(config: &str) -> Running {
    static STARTED: AtomicUsize = AtomicUsize::new(0);
    let count = STARTED.fetch_add(1, Ordering::Relaxed);
    let folder =
        std::env::temp_dir().join(format!("toolpass-server-{}-{count}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("key"), KEY).unwrap();
    for name in ["agents", "page", "slow"] {
        std::fs::write(folder.join(name), format!("{name}-key")).unwrap();
    }
    start_in(folder, config)
}

/// The same, in a folder that has a file `key`.
pub(crate) fn start_in(folder: PathBuf, config: &str) -> Running {
    let config = complete(config);
    let products: Vec<_> = toolpass_registry::all()
        .iter()
        .copied()
        .chain([&Record as _])
        .collect();
    let config = load_text("toolpass.yaml", &config, &folder, &products).unwrap();
    let (signals, received) = mpsc::channel(4);
    let (told, bound) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let server = Server::start(config, Arc::new(SystemClock)).await.unwrap();
            told.send(server.address()).unwrap();
            server.run(received).await;
        });
    });
    Running {
        address: bound.recv().unwrap(),
        folder,
        signals,
        thread: Some(thread),
    }
}

fn complete(config: &str) -> String {
    let mut whole = String::from("listen: 127.0.0.1:0\n");
    if !config.contains("api_keys:") {
        whole.push_str("api_key: file:key\n");
    }
    if !config.contains("decision_log:") {
        whole.push_str("decision_log: none\n");
    }
    whole.push_str(config);
    whole
}

impl Running {
    /// Send a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        self.signals.blocking_send(signal).unwrap();
    }

    /// Wait for the end.
    pub(crate) fn ended(&mut self) {
        self.thread.take().unwrap().join().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            // Twice: the second drops what a test left in flight.
            let _ = self.signals.blocking_send(Signal::Interrupt);
            let _ = self.signals.blocking_send(Signal::Interrupt);
            let ended = thread.join();
            if !std::thread::panicking() {
                ended.unwrap();
            }
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
