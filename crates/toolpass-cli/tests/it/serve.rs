//! `toolpass serve`: what it refuses to start with, what it prints instead of starting, and how a signal ends it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::{Folder, same};

const FILE: &str = "api_key: file:key
listen: 127.0.0.1:0
decision_log: none
connections:
  - {id: main, integration: fake, users: dana@example.com}
";

fn folder(config: &str) -> Folder {
    Folder::with(&[("toolpass.yaml", config), ("key", "k-0123456789")])
}

#[test]
fn what_cannot_start_says_why() {
    for (config, arguments, expected) in [
        (
            "connections: []\n",
            &[][..],
            "\nexit 1\n--- stderr\ntoolpass.yaml: `api_key` is missing; `serve` needs one, or `api_keys`\n",
        ),
        (
            "api_key: file:none\nconnections: []\n",
            &[],
            "\nexit 1\n--- stderr\ntoolpass.yaml: an API key cannot be read: secret `file:none`: there is no such file\n",
        ),
        (
            &FILE.replace("decision_log: none", "decision_log: nowhere/decisions.log"),
            &[],
            "\nexit 1\n--- stderr\ntoolpass.yaml: `decision_log` cannot be opened for appending: No such file or directory (os error 2)\n",
        ),
        (
            FILE,
            &["-listen", "8080"],
            "\nexit 1\n--- stderr\ntoolpass.yaml: `listen`: 8080 cannot be listened on: expected `host:port`, `:port` or `[v6]:port`\n",
        ),
        (
            FILE,
            &["-check-config", "-admin-listen", "x"],
            "\nexit 1\n--- stderr\ntoolpass.yaml: `admin_listen`: x cannot be listened on: expected `host:port`, `:port` or `[v6]:port`\n",
        ),
        (
            &format!("server: {{require_tls: 'true'}}\n{FILE}"),
            &["-listen", "0.0.0.0:0"],
            "\nexit 1\n--- stderr\ntoolpass.yaml: `server`: `require_tls` is set, others reach `listen`, and there is no `tls_cert_file`\n",
        ),
    ] {
        let arguments = [&["serve", "-config", "toolpass.yaml"], arguments].concat();
        same(&folder(config).run(&arguments), expected);
    }
    let shown = folder(FILE).run(&["serve", "-config", "toolpass.yaml", "-log-level", "loud"]);
    assert!(
        shown.starts_with("exit 2\n--- stderr\ntoolpass serve: -log-level: expected `debug`"),
        "{shown}"
    );
}

#[test]
fn a_configuration_is_tried_without_listening() {
    same(
        &folder(FILE).run(&["serve", "-config", "toolpass.yaml", "-check-config"]),
        "\nexit 0\n--- stdout\ntoolpass.yaml: ok, 1 connection\n",
    );
}

#[test]
fn a_printed_configuration_shows_no_secret_and_reads_back() {
    let folder = folder(&format!(
        "api_keys:\n  - {{name: agents, key: env:AGENTS, scopes: [check, report], users: '*@acme.com', rate_limit: 10/m}}\nserver: {{drain: 0s, trusted_proxies: [10.0.0.0/8]}}\n{FILE}"
    ));
    let print = [
        "serve",
        "-config",
        "toolpass.yaml",
        "-print-config",
        "-data",
        "runs",
    ];
    let shown = folder.run(&print);
    for line in [
        "api_key: \"file:key\"",
        "decision_cache_seconds: 30s",
        "  - name: agents",
        "    key: \"env:AGENTS\"",
        "    scopes: \"check, report\"",
        "    rate_limit: 600/h",
        "  data: runs",
        "  drain: 0s",
        "  trusted_proxies: 10.0.0.0/8",
        "  - id: main",
        "    users: dana@example.com",
        "    timeout: 8s",
    ] {
        assert!(shown.lines().any(|found| found == line), "{line}\n{shown}");
    }
    assert!(!shown.contains("k-0123456789"), "{shown}");
    let printed = shown.strip_prefix("exit 0\n--- stdout\n").unwrap();
    std::fs::write(folder.as_ref().join("printed.yaml"), printed).unwrap();
    let again = folder.run(&["serve", "-config", "printed.yaml", "-print-config"]);
    assert_eq!(again, shown);
}

/// A server of the command, and what it logs.
struct Served {
    child: Child,
    log: BufReader<std::process::ChildStderr>,
}

impl Served {
    fn start(folder: &Folder) -> (Served, String) {
        let mut child = folder
            .command(&["serve", "-config", "toolpass.yaml"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let log = BufReader::new(child.stderr.take().unwrap());
        let mut served = Served { child, log };
        let listening = served.until("listening");
        let address = listening.get("addr").and_then(Value::as_str);
        let address = address.unwrap().to_owned();
        (served, address)
    }

    /// The next line of the log with this message.
    fn until(&mut self, message: &str) -> Value {
        loop {
            let mut line = String::new();
            assert_ne!(
                self.log.read_line(&mut line).unwrap(),
                0,
                "no line says {message}"
            );
            let value: Value = serde_json::from_str(&line).unwrap();
            if value.get("msg").and_then(Value::as_str) == Some(message) {
                return value;
            }
        }
    }

    fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.child.id());
        assert!(
            Command::new("sh")
                .args(["-c", &kill])
                .status()
                .unwrap()
                .success()
        );
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_signal_ends_it_and_its_log_is_json() {
    for name in ["TERM", "INT"] {
        let folder = folder(&format!("server: {{drain: 0s}}\n{FILE}"));
        let (mut served, address) = Served::start(&folder);
        let mut stream = TcpStream::connect(&address).unwrap();
        let body = r#"{"user":"dana@example.com","connection":"main","action":"thing.read","resource":"thing:1"}"#;
        let request = format!(
            "POST /check?k=v HTTP/1.1\r\nAuthorization: Bearer k-0123456789\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.contains("\"decision\":\"allow\""), "{answer}");
        let line = served.until("request");
        assert_eq!(
            (&line["method"], &line["path"], &line["status"]),
            (&"POST".into(), &"/check".into(), &200.into())
        );
        assert_eq!(
            (&line["remote"], &line["level"]),
            (&"127.0.0.1".into(), &"info".into())
        );
        let text = line.to_string();
        assert!(
            !text.contains("dana") && !text.contains("k-0123") && !text.contains("k=v"),
            "{text}"
        );
        served.signal(name);
        served.until("stopped");
        assert_eq!(served.child.wait().unwrap().code(), Some(0), "{name}");
        let mut out = String::new();
        served
            .child
            .stdout
            .take()
            .unwrap()
            .read_to_string(&mut out)
            .unwrap();
        assert_eq!(out, "");
    }
}

#[test]
fn a_hangup_takes_the_changed_file() {
    let folder = folder(FILE);
    let (mut served, _) = Served::start(&folder);
    let more = format!("{FILE}  - {{id: more, integration: fake}}\n");
    std::fs::write(folder.as_ref().join("toolpass.yaml"), more).unwrap();
    served.signal("HUP");
    let taken = served.until("the changed configuration is taken");
    assert_eq!(
        (&taken["connections"], &taken["kept"]),
        (&2.into(), &1.into())
    );
}
