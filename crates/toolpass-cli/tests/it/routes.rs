//! `toolpass routes`: the tables, and what one request is.

use crate::support::{Folder, known, run, same};

#[test]
fn the_integrations_and_whether_their_requests_are_described() {
    let shown = run(&["routes"]);
    let row = |name: &str| {
        let words = |line: &str| {
            line.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        shown.lines().map(words).find(|row| row[0] == name).unwrap()
    };
    assert_eq!(row("fake"), ["fake", "no", "routes"]);
    assert!(row("github")[1].parse::<usize>().unwrap() > 100, "{shown}");
    assert_eq!(row("github")[2], "routes");
    same(
        &run(&["routes", "fake"]),
        r#"
exit 1
--- stderr
toolpass routes: the requests of `fake` are not described: it has no route table
"#,
    );
    same(
        &run(&["routes", "githup"]),
        &format!(
            "exit 1\n--- stderr\ntoolpass routes: there is no integration `githup`; there are {}\n",
            known(", ")
        ),
    );
}

#[test]
fn the_table_of_github_has_a_head_rows_and_what_is_left_out() {
    let shown = run(&["routes", "github"]);
    assert!(shown.starts_with("exit 0\n--- stdout\ngithub: "), "{shown}");
    let count: usize = shown
        .split(' ')
        .find_map(|word| word.parse().ok().filter(|count| *count > 10))
        .unwrap();
    let (rows, left_out) = shown.split_once("\n\nleft out on purpose\n").unwrap();
    assert_eq!(rows.lines().count(), count + 3);
    assert!(
        left_out.lines().all(|row| row.starts_with("  ")),
        "{left_out}"
    );
}

#[test]
fn a_search_narrows_the_table() {
    same(
        &run(&["routes", "-search", "registration-token", "github"]),
        r#"
exit 0
--- stdout
github: 2 routes
  POST  /orgs/{org}/actions/runners/registration-token            org.admin   org:{org}            write  (answer holds a secret)
  POST  /repos/{owner}/{repo}/actions/runners/registration-token  repo.admin  repo:{owner}/{repo}  write  (answer holds a secret)
"#,
    );
    same(
        &run(&["routes", "-search", "registration-token"]),
        r#"
exit 0
--- stdout
github  POST  /orgs/{org}/actions/runners/registration-token            org.admin   org:{org}            write  (answer holds a secret)
github  POST  /repos/{owner}/{repo}/actions/runners/registration-token  repo.admin  repo:{owner}/{repo}  write  (answer holds a secret)
"#,
    );
    same(
        &run(&["routes", "-json", "-search", "generate-jitconfig"]),
        r#"
exit 0
--- stdout
[{"integration":"github","version":"[VERSION]","routes":[{"method":"POST","path":"/orgs/{org}/actions/runners/generate-jitconfig","action":"org.admin","resource":"org:{org}","effect":"write","notes":["answer holds a secret"]},{"method":"POST","path":"/repos/{owner}/{repo}/actions/runners/generate-jitconfig","action":"repo.admin","resource":"repo:{owner}/{repo}","effect":"write","notes":["answer holds a secret"]}],"left_out":[]}]
"#,
    );
    same(
        &run(&["routes", "-search", "no such word"]),
        r#"
exit 1
--- stderr
toolpass routes: -search: nothing contains `no such word`
"#,
    );
}

#[test]
fn a_request_that_is_understood() {
    same(
        &run(&[
            "routes",
            "-match",
            "GET https://api.github.com/repos/acme/app",
        ]),
        r#"
exit 0
--- stdout
mapped  GET https://api.github.com/repos/acme/app
  place   `api.github.com` belongs to `github`
  route   GET /repos/{owner}/{repo}
  needs   repo.read on repo:acme/app, asked of `github`
  effect  read
  note    answer untrusted
considered
  answers       GET     /repos/{owner}/{repo}  repo.read   repo:{owner}/{repo}
  other method  PATCH   /repos/{owner}/{repo}  repo.admin  repo:{owner}/{repo}
  other method  DELETE  /repos/{owner}/{repo}  repo.admin  repo:{owner}/{repo}
"#,
    );
    same(
        &run(&[
            "routes",
            "-match",
            "GET https://api.github.com/user",
            "github",
        ]),
        r#"
exit 0
--- stdout
mapped  GET https://api.github.com/user
  place   `api.github.com` belongs to `github`
  route   GET /user
  needs   no permission
  effect  read
considered
  answers  GET  /user  -  -
"#,
    );
}

#[test]
fn a_body_names_what_is_acted_on() {
    let folder = Folder::with(&[("body.json", r#"{"title":"t","head":"fix","base":"main"}"#)]);
    let asked = "POST https://api.github.com/repos/acme/app/pulls";
    same(
        &folder.run(&["routes", "-body", "body.json", "-match", asked]),
        r#"
exit 0
--- stdout
mapped  POST https://api.github.com/repos/acme/app/pulls
  place   `api.github.com` belongs to `github`
  route   POST /repos/{owner}/{repo}/pulls
  needs   pr.create on repo:acme/app, asked of `github`  head_same_repo=1
  effect  write
  note    sends out
considered
  answers       POST  /repos/{owner}/{repo}/pulls    pr.create  repo:{owner}/{repo}
  other method  GET   /repos/{owner}/{repo}/{rest+}  repo.read  repo:{owner}/{repo}
"#,
    );
    same(
        &folder.run(&["routes", "-match", asked]),
        r#"
exit 1
--- stdout
unresolved  POST https://api.github.com/repos/acme/app/pulls
  reason  the request does not give `head`
  place   `api.github.com` belongs to `github`
  route   POST /repos/{owner}/{repo}/pulls
  effect  write
  note    sends out
considered
  answers       POST  /repos/{owner}/{repo}/pulls    pr.create  repo:{owner}/{repo}
  other method  GET   /repos/{owner}/{repo}/{rest+}  repo.read  repo:{owner}/{repo}
"#,
    );
    same(
        &folder.run(&["routes", "-body", "none.json", "-match", asked]),
        r#"
exit 1
--- stderr
toolpass routes: -body `none.json`: No such file or directory (os error 2)
"#,
    );
}

#[test]
fn a_request_that_is_not_understood() {
    same(
        &run(&[
            "routes",
            "-match",
            "POST https://api.github.com/nothing/here",
        ]),
        r#"
exit 1
--- stdout
unmapped  POST https://api.github.com/nothing/here
  reason  no route describes it
  place   `api.github.com` belongs to `github`
  effect  write
"#,
    );
    same(
        &run(&[
            "routes",
            "-match",
            "DELETE https://api.github.com/user/keys/1",
        ]),
        r#"
exit 1
--- stdout
unmapped  DELETE https://api.github.com/user/keys/1
  reason  the agent's own account: keys, addresses, stars, blocks, invitations, packages
  place   `api.github.com` belongs to `github`
  effect  destructive
considered
  other method                GET   /user/{rest+}  -  -
  the segment is not `repos`  POST  /user/repos    -  -
  the path has more segments  GET   /user          -  -
"#,
    );
    same(
        &run(&[
            "routes",
            "-match",
            "POST https://api.github.com/repos/acme/app/label",
        ]),
        r#"
exit 1
--- stdout
unmapped  POST https://api.github.com/repos/acme/app/label
  reason  no route describes it
  place   `api.github.com` belongs to `github`
  effect  write
considered
  other method                       GET   /repos/{owner}/{repo}/{rest+}       repo.read   repo:{owner}/{repo}
  the segment is not `labels`        POST  /repos/{owner}/{repo}/labels        repo.push   repo:{owner}/{repo}
  the segment is not `attestations`  POST  /repos/{owner}/{repo}/attestations  repo.push   repo:{owner}/{repo}
  the segment is not `autolinks`     POST  /repos/{owner}/{repo}/autolinks     repo.admin  repo:{owner}/{repo}
  the segment is not `check-runs`    POST  /repos/{owner}/{repo}/check-runs    repo.push   repo:{owner}/{repo}
  the segment is not `check-suites`  POST  /repos/{owner}/{repo}/check-suites  repo.push   repo:{owner}/{repo}
"#,
    );
    same(
        &run(&[
            "routes",
            "-match",
            "GET https://api.github.com/repos/acme/app/../other",
        ]),
        r#"
exit 1
--- stdout
unresolved  GET https://api.github.com/repos/acme/app/../other
  reason  the path holds a dot segment
  effect  read
"#,
    );
    same(
        &run(&[
            "routes",
            "-match",
            "GET https://api.example.com/repos/acme/app?token=x",
        ]),
        r#"
exit 1
--- stdout
unknown host  GET https://api.example.com/repos/acme/app
  reason  no connection answers `GET https://api.example.com/repos/acme/app`
--- stderr
hint: only the vendors' own hosts are known; name your systems with -config FILE
"#,
    );
}

#[test]
fn json_says_the_same() {
    same(
        &run(&[
            "routes",
            "-json",
            "-match",
            "GET https://api.github.com/repos/acme/app",
        ]),
        r#"
exit 0
--- stdout
{"outcome":"mapped","request":"GET https://api.github.com/repos/acme/app","place":"`api.github.com` belongs to `github`","connections":["github"],"route":"GET /repos/{owner}/{repo}","effect":"read","needs":[{"connection":"github","action":"repo.read","target":"repo:acme/app","is_pointer":false,"effect":"read"}],"notes":["answer untrusted"],"considered":[{"verdict":"answers","method":"GET","path":"/repos/{owner}/{repo}","action":"repo.read","resource":"repo:{owner}/{repo}"},{"verdict":"other method","method":"PATCH","path":"/repos/{owner}/{repo}","action":"repo.admin","resource":"repo:{owner}/{repo}"},{"verdict":"other method","method":"DELETE","path":"/repos/{owner}/{repo}","action":"repo.admin","resource":"repo:{owner}/{repo}"}]}
"#,
    );
    same(
        &run(&[
            "routes",
            "-json",
            "-match",
            "GET http://api.github.com/repos/acme/app",
        ]),
        r#"
exit 1
--- stdout
{"outcome":"host mismatch","request":"GET http://api.github.com/repos/acme/app","reason":"connection `github` is reached by https","place":"connection `github` is reached by https","connections":[],"needs":[],"notes":[],"considered":[]}
"#,
    );
}

#[test]
fn the_connections_of_a_file_are_looked_at_instead() {
    let folder = Folder::with(&[("toolpass.yaml", TWO)]);
    let asked = |url: &str| {
        folder.run(&[
            "routes",
            "-config",
            "toolpass.yaml",
            "-match",
            &format!("GET {url}"),
        ])
    };
    same(
        &asked("https://api.github.com/repos/acme/app"),
        r#"
exit 0
--- stdout
mapped  GET https://api.github.com/repos/acme/app
  place   `api.github.com` belongs to `acme`, `beta`
  route   GET /repos/{owner}/{repo}
  needs   repo.read on repo:acme/app, asked of `acme`
  effect  read
  note    answer untrusted
considered
  answers       GET     /repos/{owner}/{repo}  repo.read   repo:{owner}/{repo}
  other method  PATCH   /repos/{owner}/{repo}  repo.admin  repo:{owner}/{repo}
  other method  DELETE  /repos/{owner}/{repo}  repo.admin  repo:{owner}/{repo}
"#,
    );
    same(
        &asked("https://api.github.com/repos/elsewhere/app"),
        r#"
exit 1
--- stdout
ambiguous connection  GET https://api.github.com/repos/elsewhere/app
  reason  connections `acme`, `beta` answer for this host, and 0 of them can own the resource
  place   `api.github.com` belongs to `acme`, `beta`
  route   GET /repos/{owner}/{repo}
  needs   repo.read on repo:elsewhere/app
  effect  read
  note    answer untrusted
considered
  answers       GET     /repos/{owner}/{repo}  repo.read   repo:{owner}/{repo}
  other method  PATCH   /repos/{owner}/{repo}  repo.admin  repo:{owner}/{repo}
  other method  DELETE  /repos/{owner}/{repo}  repo.admin  repo:{owner}/{repo}
"#,
    );
    same(
        &asked("https://git.acme.example/api/v3/repos/acme/app"),
        r#"
exit 0
--- stdout
mapped  GET https://git.acme.example/api/v3/repos/acme/app
  place   `git.acme.example` belongs to `server`
  route   GET /repos/{owner}/{repo}
  needs   repo.read on repo:acme/app, asked of `server`
  effect  read
  note    answer untrusted
considered
  answers       GET     /repos/{owner}/{repo}  repo.read   repo:{owner}/{repo}
  other method  PATCH   /repos/{owner}/{repo}  repo.admin  repo:{owner}/{repo}
  other method  DELETE  /repos/{owner}/{repo}  repo.admin  repo:{owner}/{repo}
"#,
    );
    let arguments = [
        "routes",
        "-config",
        "toolpass.yaml",
        "-match",
        "GET https://api.github.com/user",
        "fake",
    ];
    same(
        &folder.run(&arguments),
        r#"
exit 1
--- stderr
toolpass routes: toolpass.yaml: no connection is of `fake`
"#,
    );
}

const TWO: &str = "connections:
  - {id: acme, integration: github, organization: acme, token: 'env:A'}
  - {id: beta, integration: github, organization: beta, token: 'env:B'}
  - {id: server, integration: github, organization: acme, token: 'env:C', url: https://git.acme.example}
";

/// A vendor's description of a few operations, as OpenAPI has them.
const DESCRIBED: &str = r#"{"openapi": "3.0.3", "servers": [{"url": "https://api.github.com"}], "paths": {
  "/repos/{o}/{r}/pulls": {"get": {}, "post": {}},
  "/repos/{o}/{r}/pulls/{n}/brand-new": {"put": {}, "get": {}},
  "/repos/{o}/{r}/pulls/{n}/another": {"delete": {}}
}}"#;

#[test]
fn a_vendors_description_is_compared_both_ways() {
    let folder = Folder::with(&[
        ("api.json", DESCRIBED),
        ("x.yaml", "openapi: 3.0.3\n"),
        ("none.json", "{}"),
    ]);
    let text = folder.run(&["routes", "-diff", "api.json", "github"]);
    assert!(text.starts_with("exit 1\n--- stdout\ngithub: "), "{text}");
    let (rows, writes) = text.split_once("\n\nwrites that no route names\n").unwrap();
    assert_eq!(
        writes
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect::<Vec<_>>(),
        [
            "DELETE /repos/{o}/{r}/pulls/{n}/another",
            "PUT /repos/{o}/{r}/pulls/{n}/brand-new"
        ]
    );
    // What the description has is not reported, whatever its variables are called.
    let lines: Vec<String> = rows
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    assert!(
        !lines.contains(&"POST /repos/{owner}/{repo}/pulls".to_owned()),
        "{text}"
    );
    assert!(
        lines.contains(&"PUT /organizations/{org}/actions/cache/retention-limit".to_owned()),
        "{text}"
    );
    let json: serde_json::Value = serde_json::from_str(
        folder
            .run(&["routes", "-json", "-diff", "api.json", "github"])
            .strip_prefix("exit 1\n--- stdout\n")
            .unwrap(),
    )
    .unwrap();
    assert_eq!(json["operations"], 5);
    assert_eq!(json["unrouted_writes"][0]["method"], "DELETE");
    for (file, expected) in [
        ("x.yaml", "-diff `x.yaml`: expected a description in JSON"),
        ("none.json", "-diff `none.json`: describes no operation"),
        ("nowhere", "-diff `nowhere`: "),
    ] {
        let text = folder.run(&["routes", "-diff", file, "github"]);
        assert!(
            text.starts_with(&format!("exit 1\n--- stderr\ntoolpass routes: {expected}")),
            "{text}"
        );
    }
    assert!(
        folder
            .run(&["routes", "-diff", "api.json", "fake"])
            .contains("has no route table")
    );
}

#[test]
fn a_system_without_an_address_of_its_own_stops_no_other() {
    let shown = run(&[
        "routes",
        "-match",
        "GET https://api.github.com/repos/acme/app",
    ]);
    assert!(shown.starts_with("exit 0\n--- stdout\nmapped"), "{shown}");
    let shown = run(&["routes", "-match", "GET https://acme.example/x", "jira"]);
    assert!(
        shown.starts_with("exit 1\n") && shown.contains("name yours with -config FILE"),
        "{shown}"
    );
}
