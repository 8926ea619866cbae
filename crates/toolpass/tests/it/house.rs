//! A GitHub, a server that asks it, and a toolkit that asks the server; gone when dropped.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Method, Request};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use toolpass::AuditEvent;
use toolpass::remote::Remote;
use toolpass::tool::Tool;
use toolpass::toolkit::{CallError, Options, Toolkit};
use toolpass_config::load::load_text;
use toolpass_core::secret::Secret;
use toolpass_http::clock::SystemClock;
use toolpass_http::url::Url;
use toolpass_server::server::{Server, Signal};
use toolpass_standin::github::{ApiStyle, GithubStandin, Options as GithubOptions, demo};
use toolpass_standin::server::{Running, Transport};

/// All of it.
pub(crate) struct House {
    pub(crate) github: Running,
    pub(crate) toolkit: Toolkit,
    pub(crate) events: Arc<Mutex<Vec<AuditEvent>>>,
    pub(crate) signals: mpsc::Sender<Signal>,
    folder: PathBuf,
}

const KEY: &str = "k-0123456789abcdef";

/// Open one. On `acme/shop`, `admin@example.com` may write and `dana@example.com` read.
pub(crate) async fn open(options: Options) -> House {
    static OPENED: AtomicUsize = AtomicUsize::new(0);
    let count = OPENED.fetch_add(1, Ordering::Relaxed);
    let name = format!("toolpass-face-{}-{count}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("key"), KEY).unwrap();
    std::fs::write(folder.join("token"), demo::ENGINE_TOKEN).unwrap();
    let settings = GithubOptions {
        transport: Transport::Plain,
        style: ApiStyle::Enterprise,
    };
    let github = GithubStandin::start(demo::world(), &settings).unwrap();
    let text = format!(
        "listen: 127.0.0.1:0\napi_key: file:key\ndecision_log: none\nconnections:\n  - id: github\n    integration: github\n    url: {}\n    organization: acme\n    token: file:token\n    identity_mode: template\n    email_domains: example.com\n",
        github.url
    );
    let config = load_text("test", &text, &folder, toolpass_registry::all()).unwrap();
    let server = Server::start(config, Arc::new(SystemClock)).await.unwrap();
    let url = Url::parse(&format!("http://{}", server.address())).unwrap();
    let (signals, received) = mpsc::channel(4);
    drop(tokio::spawn(server.run(received)));
    let events = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&events);
    let options = Options {
        audit: Some(Arc::new(move |event: &AuditEvent| {
            heard.lock().unwrap().push(event.clone())
        })),
        ..options
    };
    let clock = Arc::new(SystemClock);
    let remote = Remote::new(url, Secret::new(KEY), clock.clone()).unwrap();
    let toolkit = Toolkit::new(remote, options, clock, |text| panic!("{text}")).unwrap();
    House {
        github,
        toolkit,
        events,
        signals,
        folder,
    }
}

impl House {
    /// Run a tool for somebody in a new session.
    pub(crate) async fn call(
        &self,
        who: &str,
        tool: &Tool,
        given: Value,
    ) -> Result<Value, CallError> {
        let session = toolpass::session(&format!("{who}@example.com")).unwrap();
        self.toolkit.call(tool, &session, arguments(given)).await
    }

    /// The code of a refusal.
    pub(crate) async fn code(&self, who: &str, tool: &Tool, given: Value) -> String {
        match self.call(who, tool, given).await {
            Ok(value) => format!("ran: {value}"),
            Err(CallError::Refused(refusal)) => refusal.code.as_str().to_owned(),
            Err(CallError::Raised { kind, text }) => format!("raised: {kind}: {text}"),
        }
    }

    /// A request of the agent's login.
    pub(crate) fn request(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Request<Bytes> {
        let request = Request::builder()
            .method(method)
            .uri(format!(
                "{}{}{path}",
                self.github.url, self.github.base_path
            ))
            .header("authorization", format!("Bearer {}", demo::AGENT_TOKEN))
            .header("user-agent", "test")
            .header("content-type", "application/json");
        let body = body.map(|body| body.to_string()).unwrap_or_default();
        request.body(body.into()).unwrap()
    }

    /// The last event.
    pub(crate) fn event(&self) -> AuditEvent {
        self.events.lock().unwrap().last().unwrap().clone()
    }
}

impl Drop for House {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The members of an object.
pub(crate) fn arguments(given: Value) -> Map<String, Value> {
    match given {
        Value::Object(members) => members,
        _ => panic!("no object"),
    }
}

/// A pull request.
pub(crate) fn pull() -> Value {
    json!({"title": "Fix a typo", "head": "fix-typo", "base": "main"})
}
