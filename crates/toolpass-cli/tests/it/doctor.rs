//! `toolpass doctor`: what stands between this machine and a system, and that no credential is shown to find out.

use std::net::TcpListener;

use toolpass_standin::github::{ApiStyle, GithubStandin, Options, demo};
use toolpass_standin::server::{Running, Transport};
use toolpass_standin::tls::Authority;

use crate::support::Folder;

fn standin() -> Running {
    let options = Options {
        transport: Transport::Tls {
            authority: Authority::new().unwrap(),
            extra_names: Vec::new(),
        },
        style: ApiStyle::Enterprise,
    };
    GithubStandin::start(demo::world(), &options).unwrap()
}

fn config(url: &str, more: &str) -> String {
    format!(
        "connections:
  - id: gh
    integration: github
    organization: acme
    url: {url}
    token: file:token
    identity_mode: template
    email_domains: example.com
{more}"
    )
}

fn doctor(config: &str, ca: &str) -> String {
    let folder = Folder::with(&[
        ("toolpass.yaml", config),
        ("token", "hunter2"),
        ("ca.pem", ca),
    ]);
    let mut command = folder.command(&["doctor", "-config", "toolpass.yaml"]);
    for name in ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"] {
        command.env_remove(name);
    }
    let shown = crate::support::shown(&command.output().unwrap());
    assert!(!shown.contains("hunter2"), "{shown}");
    shown
}

#[test]
fn a_system_that_can_be_reached() {
    let github = standin();
    let shown = doctor(
        &config(&github.url, "    ca_file: ca.pem\n"),
        &github.ca_pem.clone().unwrap(),
    );
    for part in [
        "name        localhost has ",
        "reach       https://localhost:",
        "clock       within 30s of localhost's",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains("FAIL"), "{shown}");
    let requests = github.requests();
    assert!(!requests.is_empty());
    for request in requests {
        assert!(
            !format!("{request:?}").contains("hunter2"),
            "no credential is shown"
        );
        assert_eq!(request.method, "HEAD");
    }
}

#[test]
fn what_is_wrong_is_named() {
    let github = standin();
    let stranger = Authority::new().unwrap().pem();
    let shown = doctor(&config(&github.url, "    ca_file: ca.pem\n"), &stranger);
    assert!(shown.starts_with("exit 1\n"), "{shown}");
    assert!(
        shown.contains("FAIL  gh                        reach       HEAD https://localhost:"),
        "{shown}"
    );
    assert!(shown.contains("its issuer is not trusted"), "{shown}");

    let closed = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let shown = doctor(&config(&format!("http://{closed}"), ""), "");
    assert!(shown.contains("connection refused"), "{shown}");

    let shown = doctor(&config("https://no-such-host.invalid", ""), "");
    assert!(
        shown.contains("no-such-host.invalid has no address"),
        "{shown}"
    );

    let shown = doctor(
        &config(
            &format!("http://{closed}"),
            "    proxy_url: http://127.0.0.1:1\n",
        ),
        "",
    );
    assert!(
        shown.contains("proxy       127.0.0.1:1 (`proxy_url`)"),
        "{shown}"
    );
}

#[test]
fn a_secret_that_ends_soon_or_cannot_be_read() {
    let text = config("http://127.0.0.1:1", "").replace("file:token", "env:NOT_SET_AT_ALL");
    let shown = doctor(&text, "");
    assert!(
        shown.contains("warn  -                         secret"),
        "{shown}"
    );
    // {"exp":1}
    let folder = Folder::with(&[
        ("toolpass.yaml", &config("http://127.0.0.1:1", "")),
        ("token", "e30.eyJleHAiOjF9.x"),
    ]);
    let shown = folder.run(&["doctor", "-config", "toolpass.yaml", "-connection", "gh"]);
    assert!(
        shown.contains("FAIL  gh                        expiry      `token` has expired"),
        "{shown}"
    );
    let shown = folder.run(&["doctor", "-config", "toolpass.yaml", "-connection", "hg"]);
    assert!(
        shown.starts_with(
            "exit 1\n--- stderr\ntoolpass doctor: -connection: no connection has the id `hg`"
        ),
        "{shown}"
    );
}
