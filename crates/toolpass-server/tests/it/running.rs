//! A server for one test: its own folder, its own port on loopback, its own runtime; gone when dropped.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;

use tokio::sync::mpsc;
use toolpass_config::config::Config;
use toolpass_config::error::Errors;
use toolpass_config::load::load_file;
use toolpass_http::clock::SystemClock;
use toolpass_server::reload::Source;
use toolpass_server::server::{Server, Signal};

use crate::record::Record;

/// A running server.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) admin: Option<SocketAddr>,
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
    let file = folder.join("toolpass.yaml");
    std::fs::write(&file, complete(config)).unwrap();
    let source = Source {
        load: Arc::new({
            let file = file.clone();
            move || load(&file).map_err(|errors| vec![errors.to_string()])
        }),
        file: Some(file.clone()),
    };
    let config = load(&file).unwrap();
    let (signals, received) = mpsc::channel(4);
    let (told, bound) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let server = Server::start(config, Arc::new(SystemClock)).await.unwrap();
            let server = server.reloading(source);
            told.send((server.address(), server.admin_address()))
                .unwrap();
            server.run(received).await;
        });
    });
    let (address, admin) = bound.recv().unwrap();
    Running {
        address,
        admin,
        folder,
        signals,
        thread: Some(thread),
    }
}

fn load(file: &Path) -> Result<Config, Errors> {
    let registered = toolpass_registry::all().iter().copied();
    let products: Vec<_> = registered.chain([&Record as _]).collect();
    load_file(file, &products)
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
    /// Put another configuration in the place of the present one, at once.
    pub(crate) fn reconfigure(&self, config: &str) {
        let next = self.folder.join("next.yaml");
        std::fs::write(&next, complete(config)).unwrap();
        std::fs::rename(next, self.folder.join("toolpass.yaml")).unwrap();
    }

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
