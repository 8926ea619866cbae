//! The house: the systems, the server that asks them, and the folder of what it logs in with. It ends when it is dropped.
//!
//! INVARIANT: the systems answer on loopback and nowhere else; the folder is readable by its owner alone.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use toolpass::remote::Remote;
use toolpass::toolkit::{Audit, Options, Toolkit};
use toolpass_client::target::Target;
use toolpass_config::config::Config;
use toolpass_config::load::load_file;
use toolpass_core::clock::Clock;
use toolpass_core::question::Freshness;
use toolpass_core::secret::Secret;
use toolpass_http::auth::Bearer;
use toolpass_http::budget::Context;
use toolpass_http::client::Client;
use toolpass_http::clock::SystemClock;
use toolpass_http::transport::{Transport, TransportSettings};
use toolpass_http::url::Url;
use toolpass_server::reload::Source;
use toolpass_server::server::{Server, Signal};
use toolpass_standin::server::Running;

use crate::error::Error;
use crate::systems::{self, Api, System};
use crate::tools::Shop;

/// All parts of the demo but its tools and its script.
pub(crate) struct House {
    /// The systems.
    pub(crate) systems: Vec<System>,
    /// Where the server is.
    pub(crate) address: SocketAddr,
    /// The key of the server.
    pub(crate) key: String,
    listen: String,
    clock: Arc<dyn Clock>,
    signals: mpsc::Sender<Signal>,
    server: Option<JoinHandle<()>>,
    folder: Folder,
}

/// A folder of this run, readable by its owner, removed at the end.
struct Folder(PathBuf);

impl House {
    /// Start everything. The server listens at `listen`.
    pub(crate) async fn open(listen: &str) -> Result<House, Error> {
        let folder = Folder::new()?;
        let key = random_hex()?;
        std::fs::write(folder.0.join("key"), &key)?;
        let systems = systems::start(&folder.0)?;
        let file = folder.0.join(CONFIGURATION);
        std::fs::write(&file, configuration(listen, &systems, &[]))?;
        let config = read(&file)?;
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let server = Server::start(config, Arc::clone(&clock)).await?;
        let again = file.clone();
        let server = server.reloading(Source {
            load: Arc::new(move || read(&again).map_err(|error| vec![error.to_string()])),
            file: Some(file),
        });
        let address = server.address();
        let (signals, received) = mpsc::channel(4);
        let server = tokio::spawn(server.run(received));
        Ok(House {
            systems,
            address,
            key,
            listen: listen.to_owned(),
            clock,
            signals,
            server: Some(server),
            folder,
        })
    }

    /// A toolkit that asks the server and reports to it, as a process named `shop` would have.
    pub(crate) fn toolkit(&self, options: Options, audit: Audit) -> Result<Toolkit, Error> {
        let target = Target {
            url: self.url()?,
            key: Secret::new(self.key.as_str()),
            name: SERVER_NAME.to_owned(),
            ca_pem: None,
        };
        let clock = Arc::clone(&self.clock);
        let key = Secret::new(self.key.as_str());
        let remote = Remote::new(self.url()?, key, clock).map_err(Error::broken)?;
        let options = Options {
            report: Some(target),
            audit: Some(audit),
            ..options
        };
        Toolkit::new(remote, options, Arc::clone(&self.clock), |_| {}).map_err(Error::broken)
    }

    /// The system of this id.
    pub(crate) fn system(&self, id: &str) -> Result<&System, Error> {
        let found = self.systems.iter().find(|system| system.id == id);
        found.ok_or_else(|| Error::Broken(format!("there is no system `{id}`")))
    }

    /// How tools reach the system of this id.
    pub(crate) fn api(&self, id: &str) -> Result<Api, Error> {
        self.system(id).map(|system| system.api.clone())
    }

    /// How tools reach all systems.
    pub(crate) fn shop(&self) -> Result<Shop, Error> {
        Ok(Shop {
            github: self.api("github")?,
            jira: self.api("jira")?,
            kubernetes: self.api("kubernetes")?,
            linear: self.api("linear")?,
            slack: self.api("slack")?,
        })
    }

    /// A file of the folder.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.0.join(name)
    }

    /// Stop a system: nothing answers at its port.
    pub(crate) fn stop(&mut self, id: &str) -> Result<(), Error> {
        self.running(id)?.stop();
        Ok(())
    }

    /// Start a system again, as it was.
    pub(crate) fn restart(&mut self, id: &str) -> Result<(), Error> {
        Ok(self.running(id)?.restart()?)
    }

    fn running(&mut self, id: &str) -> Result<&mut Running, Error> {
        let found = self.systems.iter_mut().find(|system| system.id == id);
        let missing = || Error::Broken(format!("there is no system `{id}`"));
        found.map(|system| &mut system.running).ok_or_else(missing)
    }

    /// Give the server a configuration without these connections, and wait until it has taken it.
    pub(crate) async fn without(&self, left_out: &[&str]) -> Result<(), Error> {
        let text = configuration(&self.listen, &self.systems, left_out);
        std::fs::write(self.file(CONFIGURATION), text)?;
        let gone = || Error::Broken("the server has ended".to_owned());
        self.signals
            .send(Signal::Reload)
            .await
            .map_err(|_| gone())?;
        let wanted = self.systems.len() - left_out.len();
        let taken = async {
            while self.connections().await? != wanted {
                tokio::time::sleep(LOOK_AGAIN).await;
            }
            Ok(())
        };
        let taken = tokio::time::timeout(PATIENCE, taken).await;
        taken.unwrap_or_else(|_| Err(Error::Broken("the server took no change".to_owned())))
    }

    /// How many connections the server has.
    async fn connections(&self) -> Result<usize, Error> {
        let answer = self.ask(&["v1", "connections"]).await?;
        let listed = answer.get("connections").and_then(Value::as_array);
        Ok(listed.map_or(0, Vec::len))
    }

    /// What the server answers at a path, to whoever has its key.
    pub(crate) async fn ask(&self, path: &[&str]) -> Result<Value, Error> {
        let transport = Transport::new(TransportSettings::default()).map_err(Error::broken)?;
        let key = Secret::new(self.key.as_str());
        let bearer = Bearer::new(Arc::new(move || Ok(key.clone())));
        let client = Client::new(transport, self.url()?).with_auth(Arc::new(bearer));
        let context = Context::new(Arc::clone(&self.clock), PATIENCE, Freshness::default());
        let answer = client.get(path).send(&context).await;
        answer
            .and_then(|answer| answer.json())
            .map_err(Error::broken)
    }

    /// The address of the dashboard. The key stands in the fragment, which no browser sends.
    pub(crate) fn dashboard(&self) -> String {
        format!("http://{}/dashboard/#key={}", self.host(), self.key)
    }

    /// Open the dashboard in the browser. The program that does it is given a file of the folder, so that the key stands in
    /// nobody's list of processes.
    pub(crate) fn open_dashboard(&self) -> Result<(), Error> {
        let page = self.file("dashboard.html");
        let address = self.dashboard();
        let text =
            format!("<!doctype html><meta http-equiv=\"refresh\" content=\"0;url={address}\">");
        std::fs::write(&page, text)?;
        let mut command = std::process::Command::new(OPENER);
        command.args(OPENER_ARGUMENTS).arg(page);
        // It runs on beside the demo; one that cannot begin leaves the address that was shown.
        drop(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn());
        Ok(())
    }

    /// Stop the server, and wait for its end.
    pub(crate) async fn close(mut self) {
        if let Some(server) = self.server.take() {
            // One that has ended already needs no signal.
            let _ = self.signals.send(Signal::Interrupt).await;
            let _ = server.await;
        }
    }

    fn url(&self) -> Result<Url, Error> {
        Url::parse(&format!("http://{}", self.host())).map_err(Error::broken)
    }

    /// Host and port as this machine reaches them: every address is also this one.
    fn host(&self) -> String {
        let port = self.address.port();
        match self.address.ip() {
            ip if ip.is_unspecified() => format!("127.0.0.1:{port}"),
            _ => self.address.to_string(),
        }
    }
}

impl Folder {
    fn new() -> Result<Folder, Error> {
        let name = format!("toolpass-demo-{}", random_hex()?);
        let path = std::env::temp_dir().join(name);
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        {
            use std::os::unix::fs::DirBuilderExt as _;
            builder.mode(0o700);
        }
        builder.create(&path)?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed stays in the temporary folder; it opens nothing any more.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The configuration of the server, without some connections.
fn configuration(listen: &str, systems: &[System], left_out: &[&str]) -> String {
    let listen = serde_json::Value::from(listen);
    let kept = systems
        .iter()
        .filter(|system| !left_out.contains(&system.id));
    let connections = systems::connections(kept);
    format!(
        "listen: {listen}\napi_key: file:key\ndecision_log: none\ndecision_cache_seconds: {DECISIONS_KEPT_SECONDS}\n{connections}"
    )
}

fn read(file: &Path) -> Result<Config, Error> {
    load_file(file, toolpass_registry::all()).map_err(Error::broken)
}

/// 32 digits that nobody can guess.
fn random_hex() -> Result<String, Error> {
    use ring::rand::{SecureRandom as _, SystemRandom};
    let mut bytes = [0_u8; 16];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| Error::Broken("the system has no random bytes to give".to_owned()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// What opens a file as a person would, and what it takes before the file.
#[cfg(target_os = "macos")]
const OPENER: &str = "open";
#[cfg(windows)]
const OPENER: &str = "cmd";
#[cfg(not(any(target_os = "macos", windows)))]
const OPENER: &str = "xdg-open";
#[cfg(windows)]
const OPENER_ARGUMENTS: &[&str] = &["/C", "start", ""];
#[cfg(not(windows))]
const OPENER_ARGUMENTS: &[&str] = &[];

/// What the process with the tools is called on the dashboard.
pub(crate) const SERVER_NAME: &str = "shop";

/// How long the server may reuse an answer. Its own default is 30 seconds; here an act waits for it.
pub(crate) const DECISIONS_KEPT_SECONDS: u64 = 2;

/// The file of the configuration.
const CONFIGURATION: &str = "toolpass.yaml";
const LOOK_AGAIN: Duration = Duration::from_millis(20);
const PATIENCE: Duration = Duration::from_secs(10);
