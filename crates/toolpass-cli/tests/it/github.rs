//! The command against a GitHub that checks credentials: a stand-in over TLS, asked as an App.

use toolpass_standin::faults::{Fault, FaultRule};
use toolpass_standin::github::world::APP_KEY;
use toolpass_standin::github::{ApiStyle, GithubStandin, Options, demo};
use toolpass_standin::server::{Running, Transport};
use toolpass_standin::tls::Authority;

use crate::support::{Folder, same};

#[test]
fn who_may_and_who_may_not() {
    let github = Github::new();
    same(
        &github.check("admin@example.com", "repo.push", &[]),
        r#"
exit 0
--- stdout
allow
  allowed: `admin` has the role "admin" on `acme/shop`; no branch is named, so no branch rule was evaluated
"#,
    );
    same(
        &github.check("dana@example.com", "repo.push", &[]),
        r#"
exit 1
--- stdout
deny
  denied: `dana` has the role "read" on `acme/shop`; `repo.push` needs write
"#,
    );
    same(
        &github.check("eve@example.com", "repo.push", &[]),
        r#"
exit 1
--- stdout
deny
  user_not_found: nobody the organization knows has this e-mail
"#,
    );
}

#[test]
fn explain_lists_the_calls_without_a_query() {
    let github = Github::new();
    let shown = github.check("dana@example.com", "repo.push", &["-explain"]);
    assert!(shown.contains("\n  identity  dana\n"), "{shown}");
    assert!(
        shown.contains(
            "\n  call      GET /api/v3/repos/acme/shop/collaborators/dana/permission  200  [MS] ms\n"
        ),
        "{shown}"
    );
    let shown = github.check("dana@example.com", "repo.push", &["-explain", "-json"]);
    assert!(shown.contains(r#""path":"/api/v3/repos/acme/shop/collaborators/dana/permission","status":200,"cached":false"#), "{shown}");
}

#[test]
fn trouble_upstream_is_unknown() {
    let github = Github::new();
    let fault = Fault::Status {
        status: 500,
        headers: Default::default(),
        body: None,
    };
    github.standin.fault(FaultRule::on(
        "/repos/acme/shop/collaborators/dana/permission",
        fault,
    ));
    let shown = github.check("dana@example.com", "repo.push", &[]);
    let shown = shown.replace(&github.standin.port.to_string(), "PORT");
    same(
        &shown,
        r#"
exit 3
--- stdout
unknown
  upstream_error: GET https://localhost:PORT/api/v3/repos/acme/shop/collaborators/dana/permission: status 500
"#,
    );
}

#[test]
fn a_credential_that_works() {
    let github = Github::new();
    same(
        &github.folder.run(&["probe", "-config", "toolpass.yaml"]),
        r#"
exit 0
--- stdout
ok    main                      github            app toolpass-standin installed in acme
"#,
    );
}

#[test]
fn a_credential_that_was_revoked() {
    let github = Github::new();
    std::fs::write(
        github.folder.as_ref().join("app.pem"),
        toolpass_standin::github::world::STRANGER_KEY,
    )
    .unwrap();
    same(
        &github.folder.run(&["probe", "-config", "toolpass.yaml"]),
        r#"
exit 1
--- stdout
FAIL  main                      github            credential_rejected: GitHub does not accept the App's assertion: `app_id` and `credential` do not belong together, or the clock is off
"#,
    );
}

/// A stand-in and a folder with a configuration that asks it.
struct Github {
    standin: Running,
    folder: Folder,
}

impl Github {
    fn new() -> Github {
        let transport = Transport::Tls {
            authority: Authority::new().unwrap(),
            extra_names: Vec::new(),
        };
        let options = Options {
            transport,
            style: ApiStyle::Enterprise,
        };
        let standin = GithubStandin::start(demo::world(), &options).unwrap();
        let config = format!(
            "connections:
  - id: main
    integration: github
    organization: acme
    url: {}
    ca_file: ca.pem
    app_id: '777'
    credential: file:app.pem
",
            standin.url
        );
        let ca = standin.ca_pem.clone().unwrap();
        let folder = Folder::with(&[
            ("toolpass.yaml", &config),
            ("ca.pem", &ca),
            ("app.pem", APP_KEY),
        ]);
        Github { standin, folder }
    }

    fn check(&self, user: &str, action: &str, rest: &[&str]) -> String {
        let question = [
            "-connection",
            "main",
            "-user",
            user,
            "-action",
            action,
            "-resource",
            "repo:acme/shop",
        ];
        self.folder
            .run(&[&["check", "-config", "toolpass.yaml"], &question[..], rest].concat())
    }
}
