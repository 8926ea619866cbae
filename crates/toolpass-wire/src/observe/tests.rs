//! Requests against a few configured systems: whose they are, and what they are taken for.

use toolpass_core::question::{Facts, Pointer};

use super::*;
use crate::body::limits::Limits;
use crate::explain::Verdict;
use crate::extract::{Pair, Target};
use crate::raw::{RawBody, RawRequest};
use crate::table::{Route, Rows, Unrouted};

/// A request written as `METHOD scheme://host[:port]/target`.
fn request_with(line: &str, headers: &[(&str, &str)], body: RawBody<'_>) -> WireRequest {
    let (method, url) = line.split_once(' ').unwrap();
    let (scheme, rest) = url.split_once("://").unwrap();
    let (authority, target) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') || host.ends_with(']') => {
            (host, Some(port.parse().unwrap()))
        }
        _ => (authority, None),
    };
    let headers = headers
        .iter()
        .map(|(name, value)| (*name, value.as_bytes()))
        .collect();
    WireRequest::read(
        RawRequest {
            scheme,
            host,
            port,
            method,
            target,
            headers,
            body,
        },
        &Limits::default(),
    )
}

fn request(line: &str) -> WireRequest {
    request_with(line, &[], RawBody::None)
}

fn leaked(rows: Rows, labels: &[&str]) -> &'static RouteTable {
    Box::leak(Box::new(
        RouteTable::build_with_labels(rows, labels).unwrap(),
    ))
}

fn route(
    method: &'static str,
    path: &'static str,
    action: &'static str,
    resource: &'static str,
) -> Route {
    Route::new(method, path, Some(action.into()), Some(resource.into()))
}

fn github() -> &'static RouteTable {
    let fork = |reading: &Reading<'_>| {
        let source = format!("repo:{}/{}", reading.path("owner"), reading.path("repo"));
        Ok(Extracted::pairs(vec![
            Pair::on("repo.read", source),
            Pair::on("org.repo.create", "org:acme"),
            Pair::on("org.repo.create", "org:acme"),
        ]))
    };
    let by_id = |reading: &Reading<'_>| {
        let pointer = Pointer {
            kind: "repository_id".into(),
            value: reading.path("id").into(),
            parts: Facts::new(),
        };
        Ok(Extracted::pairs(vec![Pair::at("repo.read", pointer)]))
    };
    let refusing = |_: &Reading<'_>| Err(Unresolved::new("the request does not give `branch`"));
    let branch = |reading: &Reading<'_>| {
        Ok(Extracted::fields([(
            "at",
            format!("@{}", reading.path("branch")),
        )]))
    };
    let search = |_: &Reading<'_>| Ok(Extracted::default());
    let many = |_: &Reading<'_>| {
        Ok(Extracted::pairs(
            (0..51)
                .map(|n| Pair::on("repo.read", format!("repo:acme/{n}")))
                .collect(),
        ))
    };
    let nothing = |_: &Reading<'_>| Ok(Extracted::pairs(Vec::new()));
    let free_of_need = |_: &Reading<'_>| {
        Ok(Extracted::pairs(vec![Pair {
            action: None,
            target: None,
            effect: None,
            facts: Facts::new(),
        }]))
    };
    let no_target = |_: &Reading<'_>| {
        Ok(Extracted::pairs(vec![Pair {
            action: Some("repo.read".into()),
            target: None,
            effect: None,
            facts: Facts::new(),
        }]))
    };
    let routes = vec![
        route(
            "GET",
            "/repos/{owner}/{repo}",
            "repo.read",
            "repo:{owner}/{repo}",
        ),
        route(
            "GET",
            "/repos/{owner}/{repo}/{rest+}",
            "repo.read",
            "repo:{owner}/{repo}",
        ),
        route(
            "POST",
            "/repos/{owner}/{repo}/issues",
            "issue.create",
            "repo:{owner}/{repo}",
        )
        .sends_out(),
        route(
            "DELETE",
            "/repos/{owner}/{repo}",
            "repo.admin",
            "repo:{owner}/{repo}",
        ),
        route(
            "*",
            "/repos/{owner}/{repo}/hooks/{rest+}",
            "repo.admin",
            "repo:{owner}/{repo}",
        ),
        route(
            "PUT",
            "/repos/{owner}/{repo}/branches/{branch%}/protection",
            "repo.admin",
            "repo:{owner}/{repo}{at}",
        )
        .reads(branch),
        route(
            "PUT",
            "/repos/{owner}/{repo}/contents/{path+}",
            "repo.push",
            "repo:{owner}/{repo}",
        )
        .reads(refusing),
        Route::new("POST", "/repos/{owner}/{repo}/forks", None, None).reads(fork),
        Route::new("GET", "/repositories/{id}", None, None).reads(by_id),
        Route::new("GET", "/search/{rest+}", None, None)
            .agent_sight()
            .reads(search),
        Route::new("POST", "/batch", None, None).reads(many),
        Route::new("POST", "/nothing", None, None).reads(nothing),
        Route::new("GET", "/nothing", None, None).reads(nothing),
        Route::new("POST", "/free-of-need", None, None).reads(free_of_need),
        Route::new("GET", "/crash", None, None).reads(|_| panic!("a reader crashed")),
        Route::new("POST", "/no-target", None, None).reads(no_target),
        Route::new("POST", "/no-resource", Some("repo.read".into()), None).reads(search),
        Route::new("GET", "/rate_limit", None, None).trusted(),
        Route::new("POST", "/app/installations/{id}/access_tokens", None, None)
            .sensitive()
            .agent_only("a token of the agent's App"),
    ];
    let left_out = Unrouted {
        method: "*".into(),
        path: "/user/{rest+}".into(),
        reason: "the agent's own account".into(),
    };
    leaked(
        Rows {
            routes,
            unrouted: vec![left_out],
            ..Rows::default()
        },
        &[],
    )
}

fn s3() -> &'static RouteTable {
    let routes = vec![
        route("GET", "/{key+}", "s3.get", "object:{bucket}/{key}"),
        route("GET", "/", "s3.list", "bucket:{bucket}"),
    ];
    leaked(
        Rows {
            routes,
            ..Rows::default()
        },
        &["bucket", "region"],
    )
}

fn bitbucket() -> &'static RouteTable {
    let routes = vec![route(
        "GET",
        "/repositories/{slug}",
        "repo.read",
        "repo:{slug}",
    )];
    leaked(
        Rows {
            routes,
            prefixes: vec!["/2.0".into()],
            ..Rows::default()
        },
        &[],
    )
}

fn azure() -> &'static RouteTable {
    let routes = vec![route(
        "GET",
        "/subscriptions/{id}",
        "read",
        "subscription:{id}",
    )];
    let quirks = Quirks {
        literals_fold_case: true,
        ..Quirks::default()
    };
    leaked(
        Rows {
            routes,
            quirks,
            ..Rows::default()
        },
        &[],
    )
}

fn system(
    connection: &str,
    integration: &'static str,
    table: Option<&'static RouteTable>,
    endpoints: &[&str],
) -> System {
    let organization = format!("{connection}/");
    System {
        connection: connection.into(),
        integration,
        table,
        endpoints: endpoints
            .iter()
            .map(|url| Endpoint::parse(url).unwrap())
            .collect(),
        owns: Arc::new(move |resource| resource.id().starts_with(&organization)),
        private: false,
        strict_reads: false,
        is_served: false,
        vendor_hosts: if integration == "github" {
            &["github.com"]
        } else {
            &[]
        },
    }
}

fn systems() -> Systems {
    let (github, cloud) = (
        Some(github()),
        &["https://api.github.com", "https://uploads.github.com"][..],
    );
    Systems::new(vec![
        system("acme", "github", github, cloud),
        system("beta", "github", github, cloud),
        system(
            "ghe",
            "github",
            github,
            &["https://ghe.corp/api/v3", "https://ghe.corp/api"],
        ),
        system("local", "github", github, &["https://localhost:8443"]),
        system(
            "s3",
            "aws",
            Some(s3()),
            &["https://{bucket}.s3.{region}.amazonaws.com"],
        ),
        system(
            "logs",
            "aws",
            Some(s3()),
            &["https://logs.s3.eu-west-1.amazonaws.com"],
        ),
        system(
            "bitbucket",
            "bitbucket",
            Some(bitbucket()),
            &["https://api.bitbucket.org"],
        ),
        system(
            "azure",
            "azure",
            Some(azure()),
            &["https://management.azure.com/arm"],
        ),
        system("vault", "vault", None, &["https://10.1.2.3:8200"]),
        system("clear", "zendesk", None, &["http://desk.corp"]),
    ])
}

/// One line for an observation.
fn seen(systems: &Systems, request: &WireRequest) -> String {
    let names = |indices: &[usize]| {
        indices
            .iter()
            .map(|index| systems.get(*index).unwrap().connection.clone())
            .collect::<Vec<_>>()
            .join("+")
    };
    match systems.observe(request) {
        Observation::HostMismatch { .. } => "mismatch".into(),
        Observation::UnknownHost {
            vendor_of,
            other_name,
            counts_as_write,
        } => {
            let vendor = vendor_of.map_or(String::new(), |vendor| format!(" of {vendor}"));
            let other = if other_name.is_some() {
                " other name"
            } else {
                ""
            };
            format!(
                "unknown{vendor}{other}{}",
                if counts_as_write { " write" } else { "" }
            )
        }
        Observation::Served { systems } => format!("{} served", names(&systems)),
        Observation::Unmapped { systems, effect } => {
            format!("{} unmapped {effect}", names(&systems))
        }
        Observation::Unresolved { systems, .. } => format!("{} unresolved", names(&systems)),
        Observation::Mapped { systems, needs, .. } => {
            let shown = needs.iter().map(|need| {
                let target = match &need.target {
                    None => "-".to_string(),
                    Some(Target::Resource(resource)) => resource.clone(),
                    Some(Target::Pointer(pointer)) => {
                        format!("->{}={}", pointer.kind, pointer.value)
                    }
                };
                format!("{} {target}", need.action.as_deref().unwrap_or("-"))
            });
            format!(
                "{}: {}",
                names(&systems),
                shown.collect::<Vec<_>>().join(", ")
            )
        }
    }
}

#[track_caller]
fn check(rows: &[(&str, &str)]) {
    let systems = systems();
    for (line, expected) in rows {
        assert_eq!(seen(&systems, &request(line)), *expected, "{line}");
    }
}

#[test]
fn hosts_ports_and_schemes() {
    check(&[
        (
            "GET https://api.github.com/repos/acme/shop",
            "acme+beta: repo.read repo:acme/shop",
        ),
        (
            "GET https://API.GitHub.com./repos/acme/shop",
            "acme+beta: repo.read repo:acme/shop",
        ),
        (
            "GET https://api.github.com:443/repos/acme/shop",
            "acme+beta: repo.read repo:acme/shop",
        ),
        (
            "GET https://uploads.github.com/repos/acme/shop",
            "acme+beta: repo.read repo:acme/shop",
        ),
        (
            "GET https://localhost:8443/repos/acme/shop",
            "local: repo.read repo:acme/shop",
        ),
        // Clear text, or TLS where there is none.
        ("GET http://api.github.com/repos/acme/shop", "mismatch"),
        ("GET http://api.github.com:443/repos/acme/shop", "mismatch"),
        ("GET http://localhost:8443/", "mismatch"),
        ("GET https://desk.corp/", "mismatch"),
        ("GET smtp://api.github.com:443/", "mismatch"),
        // Another port is another service; on this machine an ordinary one.
        (
            "GET https://api.github.com:8443/repos/acme/shop",
            "unknown of github write",
        ),
        ("GET http://api.github.com:8080/", "unknown of github write"),
        ("GET https://localhost:9000/", "unknown"),
        ("POST https://localhost:9000/", "unknown write"),
        ("GET http://localhost/", "unknown"),
        // Nobody's.
        ("GET https://example.com/", "unknown"),
        ("POST https://example.com/", "unknown write"),
        ("QUERY https://example.com/", "unknown write"),
        ("GET tcp://example.com:25/", "unknown write"),
        ("GET https://api.github.com.evil.example/", "unknown"),
        ("GET https://evil-api.github.com.example/", "unknown"),
        ("GET https://raw.github.com/x", "unknown of github"),
        ("POST https://gist.github.com/x", "unknown of github write"),
    ]);
}

#[test]
fn a_host_header_for_another_host_is_a_mismatch_anywhere() {
    for line in [
        "GET https://api.github.com/rate_limit",
        "GET https://example.com/",
    ] {
        let request = request_with(line, &[("host", "evil.example")], RawBody::None);
        assert_eq!(seen(&systems(), &request), "mismatch", "{line}");
    }
}

#[test]
fn prefixes() {
    check(&[
        (
            "GET https://ghe.corp/api/v3/repos/acme/shop",
            "ghe: repo.read repo:acme/shop",
        ),
        (
            "GET https://ghe.corp/api/repos/acme/shop",
            "ghe: repo.read repo:acme/shop",
        ),
        ("GET https://ghe.corp/api/v3", "ghe unmapped read"),
        // Beside the prefixes is the vendor's own server, but no connection: writes are refused.
        ("GET https://ghe.corp/acme/shop", "unknown of github"),
        (
            "POST https://ghe.corp/acme/shop.git/git-receive-pack",
            "unknown of github write",
        ),
        (
            "GET https://ghe.corp/apiv3/repos/acme/shop",
            "unknown of github",
        ),
        // Spelled so that another server could read the prefix.
        (
            "GET https://ghe.corp/%61pi/v3/repos/acme/shop",
            "ghe unresolved",
        ),
        (
            "GET https://ghe.corp/api/%763/repos/acme/shop",
            "ghe unresolved",
        ),
        (
            "GET https://ghe.corp/api%2Fv3/repos/acme/shop",
            "ghe unresolved",
        ),
        (
            "GET https://ghe.corp/x/../api/v3/repos/acme/shop",
            "ghe unresolved",
        ),
        (
            "GET https://ghe.corp/%2561pi/v3/repos/acme/shop",
            "unknown of github",
        ),
        (
            "DELETE https://ghe.corp//api/v3/repos/acme/shop",
            "ghe unresolved",
        ),
        (
            "GET https://ghe.corp//api/v3/repos/acme/shop",
            "ghe unmapped read",
        ),
        // A table's own prefix is optional.
        (
            "GET https://api.bitbucket.org/2.0/repositories/shop",
            "bitbucket: repo.read repo:shop",
        ),
        (
            "GET https://api.bitbucket.org/repositories/shop",
            "bitbucket: repo.read repo:shop",
        ),
        (
            "GET https://api.bitbucket.org/%32.0/repositories/shop",
            "bitbucket unresolved",
        ),
        // Where the vendor folds case, so does the prefix.
        (
            "GET https://management.azure.com/ARM/Subscriptions/1",
            "azure: read subscription:1",
        ),
        (
            "GET https://ghe.corp/API/v3/repos/acme/shop",
            "unknown of github",
        ),
    ]);
}

#[test]
fn labels_of_the_host_are_path_variables_and_the_closest_host_wins() {
    check(&[
        (
            "GET https://data.s3.us-east-1.amazonaws.com/a/b.txt",
            "s3: s3.get object:data/a/b.txt",
        ),
        (
            "GET https://data.s3.us-east-1.amazonaws.com/",
            "s3: s3.list bucket:data",
        ),
        (
            "GET https://logs.s3.eu-west-1.amazonaws.com/a",
            "logs unresolved",
        ),
        (
            "PUT https://data.s3.us-east-1.amazonaws.com/a",
            "s3 unmapped write",
        ),
        ("GET https://a.b.s3.us-east-1.amazonaws.com/a", "unknown"),
    ]);
}

#[test]
fn rows_and_what_they_need() {
    check(&[
        (
            "HEAD https://localhost:8443/repos/acme/shop",
            "local: repo.read repo:acme/shop",
        ),
        (
            "GET https://localhost:8443/repos/acme/shop/hooks/1",
            "local: repo.admin repo:acme/shop",
        ),
        (
            "GET https://localhost:8443/repos/acme/shop/%68ooks/1",
            "local: repo.admin repo:acme/shop",
        ),
        (
            "GET https://localhost:8443/repositories/42",
            "local: repo.read ->repository_id=42",
        ),
        ("GET https://localhost:8443/rate_limit", "local: - -"),
        (
            "POST https://localhost:8443/repos/acme/shop/forks",
            "local: repo.read repo:acme/shop, org.repo.create org:acme",
        ),
        ("GET https://localhost:8443/nothing", "local: - -"),
        ("POST https://localhost:8443/free-of-need", "local: - -"),
        (
            "PUT https://localhost:8443/repos/acme/shop/branches/main/protection",
            "local: repo.admin repo:acme/shop@main",
        ),
        (
            "PUT https://localhost:8443/repos/acme/shop/branches/feature%2Fx/protection",
            "local: repo.admin repo:acme/shop@feature/x",
        ),
        // No row.
        (
            "GET https://localhost:8443/user/keys",
            "local unmapped read",
        ),
        (
            "POST https://localhost:8443/user/keys",
            "local unmapped write",
        ),
        (
            "DELETE https://localhost:8443/user/keys",
            "local unmapped destructive",
        ),
        ("GET https://10.1.2.3:8200/v1/secret", "vault unmapped read"),
        // A preflight asks nothing, even where a `*` row stands.
        (
            "OPTIONS https://localhost:8443/repos/acme/shop/hooks/1",
            "local: - -",
        ),
        (
            "OPTIONS https://10.1.2.3:8200/v1/secret",
            "vault unmapped read",
        ),
        // What cannot be told.
        (
            "PUT https://localhost:8443/repos/acme/shop/contents/a",
            "local unresolved",
        ),
        ("POST https://localhost:8443/batch", "local unresolved"),
        ("POST https://localhost:8443/no-target", "local unresolved"),
        ("POST https://localhost:8443/nothing", "local unresolved"),
        ("GET https://localhost:8443/crash", "local unresolved"),
        (
            "POST https://localhost:8443/no-resource",
            "local unresolved",
        ),
        (
            "DELETE https://localhost:8443/repos/acme/x%2Fy",
            "local unresolved",
        ),
        (
            "GET https://localhost:8443/repos/acme%3Fx/shop",
            "local unresolved",
        ),
        (
            "GET https://localhost:8443/repos/acme/..;/shop",
            "local unresolved",
        ),
        (
            "GET https://localhost:8443/repos/acme/x%2F..%2Fsecret",
            "local unresolved",
        ),
        (
            "GET https://localhost:8443/repos/acme/%252e%252e",
            "local unresolved",
        ),
        (
            "POST https://localhost:8443/repos/acme//issues",
            "local unresolved",
        ),
        (
            "GET https://localhost:8443/repos/acme//issues",
            "local unmapped read",
        ),
        (
            "TRACE https://localhost:8443/repos/acme/shop",
            "local unresolved",
        ),
    ]);
}

#[test]
fn a_method_that_is_overridden_is_unresolved() {
    for header in [
        "x-http-method-override",
        "X-HTTP-Method",
        "x_method_override",
    ] {
        let request = request_with(
            "GET https://localhost:8443/repos/acme/shop",
            &[(header, "DELETE")],
            RawBody::None,
        );
        assert_eq!(seen(&systems(), &request), "local unresolved", "{header}");
    }
}

#[test]
fn an_upgrade_of_the_connection_is_a_write() {
    let upgrade = |line| {
        request_with(
            line,
            &[("connection", "upgrade"), ("upgrade", "websocket")],
            RawBody::None,
        )
    };
    let systems = systems();
    assert_eq!(
        seen(&systems, &upgrade("GET wss://localhost:8443/streams")),
        "local unmapped write"
    );
    match systems.observe(&upgrade("GET https://localhost:8443/repos/acme/shop")) {
        Observation::Mapped { effect, row, .. } => {
            assert_eq!((effect, row.untrusted_output), (Effect::Write, false))
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn columns_of_the_row_are_told() {
    let systems = systems();
    let observe = |line: &str| match systems.observe(&request(line)) {
        Observation::Mapped { row, effect, .. } => (row, effect),
        other => panic!("{other:?}"),
    };
    let (issue, effect) = observe("POST https://localhost:8443/repos/acme/shop/issues");
    assert_eq!(
        (issue.sends_out, issue.untrusted_output, effect),
        (Some(Audience::Resource), false, Effect::Write)
    );
    assert_eq!(
        (issue.method.as_ref(), issue.template.as_ref()),
        ("POST", "/repos/{owner}/{repo}/issues")
    );
    assert_eq!(
        issue.fields,
        vec![
            ("owner".into(), "acme".to_string()),
            ("repo".into(), "shop".to_string())
        ]
    );
    let (search, effect) = observe("GET https://localhost:8443/search/code?q=x");
    assert_eq!(
        (search.agent_sight, search.untrusted_output, effect),
        (true, true, Effect::Read)
    );
    assert!(
        !observe("GET https://localhost:8443/rate_limit")
            .0
            .untrusted_output
    );
    let (token, _) = observe("POST https://localhost:8443/app/installations/1/access_tokens");
    assert!(token.sensitive && token.agent_only.is_some());
    match systems.observe(&request(
        "PUT https://localhost:8443/repos/acme/shop/contents/a/b",
    )) {
        Observation::Unresolved {
            row: Some(row),
            effect,
            reason,
            ..
        } => {
            assert_eq!(row.fields.last(), Some(&("path".into(), "a/b".to_string())));
            assert_eq!(
                (effect, reason.as_str()),
                (Effect::Write, "the request does not give `branch`")
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn of_two_connections_on_one_host_the_owner_is_selected() {
    let systems = systems();
    let select = |candidates: &[usize], resource: &str| {
        systems.select(candidates, &Resource::parse(resource).unwrap())
    };
    assert_eq!(select(&[0, 1], "repo:acme/shop"), Ok(0));
    assert_eq!(select(&[0, 1], "repo:beta/shop"), Ok(1));
    assert_eq!(select(&[1, 0], "repo:beta/shop"), Ok(1));
    assert_eq!(select(&[3], "repo:whoever/shop"), Ok(3));
    let nobody = select(&[0, 1], "repo:gamma/shop").unwrap_err();
    assert_eq!(
        nobody,
        Ambiguous {
            connections: vec!["acme".into(), "beta".into()],
            owners: 0
        }
    );
    assert!(nobody.to_string().contains("`acme`, `beta`"));
    assert_eq!(select(&[0, 0], "repo:acme/shop").unwrap_err().owners, 2);
    assert_eq!(select(&[], "repo:acme/shop").unwrap_err().owners, 0);
}

#[test]
fn systems_of_different_tables_on_one_place_are_unresolved() {
    let two = Systems::new(vec![
        system("one", "github", Some(github()), &["https://shared.corp"]),
        system(
            "two",
            "bitbucket",
            Some(bitbucket()),
            &["https://shared.corp"],
        ),
    ]);
    assert_eq!(
        seen(&two, &request("GET https://shared.corp/rate_limit")),
        "one+two unresolved"
    );
}

#[test]
fn another_name_of_a_systems_server_is_told() {
    let systems = systems();
    let line = |host: &str| seen(&systems, &request(&format!("GET https://{host}/")));
    assert_eq!(line("140.82.121.6"), "unknown");
    systems.learn_address(0, "140.82.121.6".parse().unwrap());
    assert_eq!(line("140.82.121.6"), "unknown other name");
    assert_eq!(line("[::ffff:140.82.121.6]"), "unknown other name");
    assert_eq!(line("140.82.121.6:8443"), "unknown");
    assert_eq!(line("140.82.121.7"), "unknown");
    let named = systems
        .other_name_of("140.82.121.6".parse().unwrap(), 443)
        .unwrap();
    assert!(named.contains("`acme`"), "{named}");
    // Known without a look-up: an address that was configured, and this machine's names for one port.
    assert_eq!(line("10.1.2.4:8200"), "unknown");
    assert!(
        systems
            .other_name_of("10.1.2.3".parse().unwrap(), 8200)
            .is_some()
    );
    for host in [
        "127.0.0.1:8443",
        "[::1]:8443",
        "x.localhost:8443",
        "0.0.0.0:8443",
        "127.1:8443",
    ] {
        assert_eq!(line(host), "unknown other name", "{host}");
    }
    assert_eq!(line("127.0.0.1:9000"), "unknown");
    systems.learn_address(99, "1.1.1.1".parse().unwrap());
    assert_eq!(line("1.1.1.1"), "unknown");
}

#[test]
fn metadata_and_link_local_addresses_are_told() {
    check(&[
        (
            "GET http://169.254.169.254/latest/meta-data",
            "unknown other name",
        ),
        (
            "GET http://2852039166/latest/meta-data",
            "unknown other name",
        ),
        ("GET http://0xa9.0xfe.0xa9.0xfe/", "unknown other name"),
        ("GET http://[::ffff:a9fe:a9fe]/", "unknown other name"),
        ("GET http://[fe80::1]/", "unknown other name"),
        ("GET http://[fd00:ec2::254]/", "unknown other name"),
        ("GET http://metadata.google.internal/", "unknown other name"),
        ("GET http://10.0.0.1/", "unknown"),
        ("GET http://127.0.0.1/", "unknown"),
    ]);
}

#[test]
fn no_observation_depends_on_the_order_of_systems() {
    let forward = systems();
    let backward = Systems::new(forward.systems.iter().rev().cloned().collect());
    let sorted = |line: &str, systems: &Systems| {
        let text = seen(systems, &request(line));
        let (names, rest) = text.split_once([':', ' ']).unwrap_or((&text, ""));
        let mut names: Vec<&str> = names.split('+').collect();
        names.sort_unstable();
        format!("{names:?} {rest}")
    };
    for line in [
        "GET https://api.github.com/repos/acme/shop",
        "GET https://ghe.corp/api/v3/repos/acme/shop",
        "GET https://ghe.corp/api%2Fv3/x",
        "GET https://logs.s3.eu-west-1.amazonaws.com/a",
        "GET https://data.s3.eu-west-1.amazonaws.com/a",
        "GET https://gist.github.com/a",
    ] {
        assert_eq!(sorted(line, &forward), sorted(line, &backward), "{line}");
    }
}

#[test]
fn explaining() {
    let systems = systems();
    let explain = |line: &str| systems.explain(&request(line));
    let verdicts = |line: &str| {
        let rows = explain(line).rows.into_iter();
        rows.map(|row| (format!("{} {}", row.method, row.template), row.verdict))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        verdicts("GET https://localhost:8443/repos/acme/shop/contents/a"),
        vec![
            (
                "PUT /repos/{owner}/{repo}/contents/{path+}".into(),
                Verdict::OtherMethod
            ),
            ("GET /repos/{owner}/{repo}/{rest+}".into(), Verdict::Answers),
        ]
    );
    assert_eq!(
        verdicts("GET https://localhost:8443/repos/acme/shop/hooks/1")[1].1,
        Verdict::LessSpecific
    );
    let near = verdicts("POST https://localhost:8443/app/installations/1/tokens");
    assert_eq!(near.len(), 1);
    assert!(matches!(near[0].1, Verdict::OtherPath(_)));

    let left_out = explain("POST https://localhost:8443/user/keys");
    assert_eq!(
        left_out.left_out.as_deref(),
        Some("the agent's own account")
    );
    assert_eq!(left_out.connections, ["local"]);
    assert!(
        explain("POST https://gist.github.com/a?q")
            .place
            .contains("`POST https://gist.github.com/a`; it is a host of github")
    );
    assert!(
        explain("GET http://api.github.com/")
            .place
            .contains("https")
    );
    assert_eq!(
        explain("GET https://ghe.corp/%61pi/v3/x").connections,
        ["ghe"]
    );
}

/// What a request must not be taken for, whatever is done to it: ways past a check that were measured elsewhere.
#[test]
fn escapes() {
    check(&[
        // Another name of a connection's server.
        (
            "DELETE https://127.0.0.1:8443/repos/acme/shop",
            "unknown other name write",
        ),
        // Matrix parameters, which some servers cut off.
        (
            "GET https://localhost:8443/repos/acme/shop/..;/other",
            "local unresolved",
        ),
        (
            "DELETE https://localhost:8443/repos/acme/shop;x=1",
            "local unresolved",
        ),
        // A bucket in the host name.
        (
            "GET https://data.s3.us-east-1.amazonaws.com/a",
            "s3: s3.get object:data/a",
        ),
        // An alias by id, looked up before it is decided.
        (
            "GET https://localhost:8443/repositories/42",
            "local: repo.read ->repository_id=42",
        ),
        // A read no row maps says whose it is, so that `strict` can refuse it.
        (
            "GET https://localhost:8443/unheard-of",
            "local unmapped read",
        ),
        // HEAD is a GET.
        (
            "HEAD https://localhost:8443/repos/acme/shop/hooks/1",
            "local: repo.admin repo:acme/shop",
        ),
        // Clear text, another port.
        ("DELETE http://api.github.com/repos/acme/shop", "mismatch"),
        (
            "DELETE https://ghe.corp:8443/api/v3/repos/acme/shop",
            "unknown write",
        ),
        // Two connections on one host: both, never the first.
        (
            "DELETE https://api.github.com/repos/beta/shop",
            "acme+beta: repo.admin repo:beta/shop",
        ),
    ]);
}

#[test]
fn whoever_crashes_may_own_a_resource() {
    let mut systems = vec![
        system(
            "acme",
            "github",
            Some(github()),
            &["https://localhost:8443"],
        ),
        system(
            "beta",
            "github",
            Some(github()),
            &["https://localhost:8443"],
        ),
    ];
    let resource = Resource::parse("repo:acme/shop").unwrap();
    assert_eq!(
        Systems::new(systems.clone()).select(&[0, 1], &resource),
        Ok(0)
    );
    systems[1].owns = Arc::new(|_| panic!("`owns` crashed"));
    assert_eq!(
        Systems::new(systems)
            .select(&[0, 1], &resource)
            .unwrap_err()
            .owners,
        2
    );
}

#[test]
fn equal_rows_of_two_integrations_are_two_tables() {
    let on_one_host = |second: &'static str| {
        let endpoint = &["https://localhost:8443"];
        Systems::new(vec![
            system("acme", "github", Some(github()), endpoint),
            system("beta", second, Some(github()), endpoint),
        ])
        .observe(&request("GET https://localhost:8443/repos/acme/shop"))
    };
    assert!(matches!(on_one_host("github"), Observation::Mapped { .. }));
    assert!(matches!(
        on_one_host("gitlab"),
        Observation::Unresolved { .. }
    ));
}

#[test]
fn no_row_of_one_face_answers_on_another() {
    let table = leaked(
        Rows {
            routes: vec![
                route("GET", "/{owner}/{rest+}", "repo.read", "repo:{owner}/a"),
                route("GET", "/\\git/{owner}/refs", "repo.push", "repo:{owner}/b"),
            ],
            ..Rows::default()
        },
        &[],
    );
    let mut git = system(
        "acme",
        "github",
        Some(table),
        &["https://api.localhost/v3", "https://localhost"],
    );
    git.endpoints[1] = git.endpoints[1].clone().mounted("\\git");
    let systems = Systems::new(vec![git]);
    let seen = |line: &str| seen(&systems, &request(line));
    assert_eq!(
        seen("GET https://api.localhost/v3/x/refs"),
        "acme: repo.read repo:x/a"
    );
    assert_eq!(
        seen("GET https://localhost/x/refs"),
        "acme: repo.push repo:x/b"
    );
    assert_eq!(seen("GET https://localhost/x/y/z"), "acme unmapped read");
    for disguise in ["\\git", "%5Cgit", "%5cgit"] {
        let line = format!("GET https://api.localhost/v3/{disguise}/x/refs");
        assert!(
            seen(&line).contains("unresolved"),
            "{line}: {}",
            seen(&line)
        );
    }
}

#[test]
fn two_readings_of_a_host_are_none() {
    let on = |second: &str| {
        let table = Some(s3());
        let first = "https://{bucket}.s3.{region}.amazonaws.com";
        Systems::new(vec![
            system("acme", "aws", table, &[first]),
            system("beta", "aws", table, &[second]),
        ])
        .observe(&request("GET https://data.s3.us-east-1.amazonaws.com/a"))
    };
    let same = on("https://{bucket}.s3.{region}.amazonaws.com");
    assert!(matches!(same, Observation::Mapped { .. }));
    let other = on("https://{region}.s3.{bucket}.amazonaws.com");
    assert!(matches!(other, Observation::Unresolved { .. }), "{other:?}");
}

#[test]
fn a_reader_may_leave_a_request_to_the_agent() {
    let own = |_: &crate::reading::Reading<'_>| {
        let extracted = crate::extract::Extracted::default();
        Ok(extracted.agent_only("the agent's own inbox").sensitive())
    };
    let rows = Rows {
        routes: vec![
            Route::new("POST", "/rpc", None, None).reads(own),
            Route::new("POST", "/other", None, None),
        ],
        ..Rows::default()
    };
    let systems = Systems::new(vec![system(
        "own",
        "own",
        Some(leaked(rows, &[])),
        &["https://api.example.com"],
    )]);
    let agent_only = |line: &str| match systems.observe(&request(line)) {
        Observation::Mapped { row, .. } => {
            assert_eq!(row.sensitive, row.agent_only.is_some());
            row.agent_only
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(
        agent_only("POST https://api.example.com/rpc").as_deref(),
        Some("the agent's own inbox")
    );
    assert_eq!(agent_only("POST https://api.example.com/other"), None);
}

/// Whoever runs an operation by GET too does so for what no row knows.
#[test]
fn where_the_method_says_nothing_only_a_written_row_reads() {
    let routes = vec![
        route("*", "/chat.post", "post", "workspace"),
        route("*", "/users.list", "read", "workspace").effect(Effect::Read),
    ];
    let quirks = Quirks {
        ignores_method: true,
        ..Quirks::default()
    };
    let rows = Rows {
        routes,
        quirks,
        ..Rows::default()
    };
    let table = leaked(rows, &[]);
    let systems = Systems::new(vec![system(
        "slack",
        "slack",
        Some(table),
        &["https://chat.example/api"],
    )]);
    let effect = |line: &str| match systems.observe(&request(line)) {
        Observation::Mapped { effect, .. } => ("mapped", effect),
        Observation::Unmapped { effect, .. } => ("unmapped", effect),
        Observation::Unresolved { effect, .. } => ("unresolved", effect),
        other => panic!("{line}: {other:?}"),
    };
    for method in ["GET", "HEAD", "OPTIONS", "POST", "QUERY"] {
        for (path, expected) in [
            ("chat.post", ("mapped", Effect::Write)),
            ("users.list", ("mapped", Effect::Read)),
            ("chat.erase", ("unmapped", Effect::Write)),
            ("/chat.post", ("unmapped", Effect::Write)),
            ("chat.post%2Fx", ("unresolved", Effect::Write)),
        ] {
            let line = format!("{method} https://chat.example/api/{path}");
            let found = effect(&line);
            // The path of a write with an empty segment is refused before a row is looked for.
            let refused = path.starts_with('/') && found == ("unresolved", Effect::Write);
            assert!(refused || found == expected, "{line}: {found:?}");
        }
    }
    assert_eq!(
        effect("GET https://chat.example/%61pi/users.list"),
        ("unresolved", Effect::Write)
    );
}

/// A body that no reader looks at may be any bytes, there: nothing in it is another method.
#[test]
fn where_the_method_says_nothing_no_body_overrides_it() {
    let routes = vec![Route::new("*", "/upload/{ticket}", None, None)];
    let quirks = Quirks {
        ignores_method: true,
        ..Quirks::default()
    };
    let table = |quirks| {
        let rows = Rows {
            routes: routes.clone(),
            quirks,
            ..Rows::default()
        };
        leaked(rows, &[])
    };
    let mapped = |quirks, body: &[u8]| {
        let table = table(quirks);
        let systems = Systems::new(vec![system(
            "slack",
            "slack",
            Some(table),
            &["https://chat.example"],
        )]);
        let form = [("content-type", "application/x-www-form-urlencoded")];
        let line = "POST https://chat.example/upload/x";
        let observed = systems.observe(&request_with(line, &form, RawBody::Bytes(body)));
        matches!(observed, Observation::Mapped { .. })
    };
    for body in [&b"\x89PNG\xff"[..], b"100%", b"_method=DELETE"] {
        assert!(mapped(quirks, body), "{body:?}");
        assert!(!mapped(Quirks::default(), body), "{body:?}");
    }
}
