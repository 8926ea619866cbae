//! Trust: whose certificates are believed, for which names.

mod loopback;

use std::path::Path;
use std::process::Command;

use loopback::{Act, Authority, check, json, serve, serve_with, transport};
use toolpass_core::codes::Code;
use toolpass_http::client::Client;
use toolpass_http::transport::TransportSettings;
use toolpass_http::url::Url;

fn ok(_: usize, _: &str) -> Act {
    Act::Answer(json(200, &[], "{}"))
}

fn trusting(authority: &Authority) -> TransportSettings {
    TransportSettings {
        ca_pem: Some(authority.pem()),
        ..TransportSettings::default()
    }
}

#[tokio::test]
async fn only_the_right_authority_and_name_are_believed() {
    let authority = Authority::new();
    let other = Authority::new();
    // Names in the certificate, its Common Name, whether its authority is trusted, expected end of the error.
    let rows: [(&[&str], &str, bool, Option<&str>); 5] = [
        (&["localhost"], "x", true, None),
        (
            &["localhost"],
            "x",
            false,
            Some(
                "its issuer is not trusted; set `ca_file` when the system uses a private authority",
            ),
        ),
        (
            &["elsewhere.example"],
            "x",
            true,
            Some("it is for another name"),
        ),
        (
            &["elsewhere.example"],
            "localhost",
            true,
            Some("it is for another name"),
        ),
        (&[], "localhost", true, Some("it is for another name")),
    ];
    for (names, common_name, trusted, expected) in rows {
        let server = serve_with(Some(authority.acceptor(names, common_name)), ok).await;
        let settings = trusting(if trusted { &authority } else { &other });
        let client = Client::new(transport(settings), server.url("https", "localhost"));
        let result = client.get(["x"]).send(&check(8)).await;
        match (result, expected) {
            (Ok(_), None) => assert_eq!(server.requests().len(), 1),
            (Err(error), Some(expected)) => {
                assert!(
                    error.to_string().ends_with(expected),
                    "{names:?} {common_name}: {error}"
                );
                assert_eq!(error.code(), Code::UpstreamError);
                // Never tried again, and nothing was sent.
                assert_eq!(
                    (server.connections(), server.requests().len()),
                    (1, 0),
                    "{names:?} {common_name}"
                );
            }
            (result, _) => panic!("{names:?} {common_name}: {result:?}"),
        }
    }
}

#[tokio::test]
async fn an_ip_address_needs_its_own_name_in_the_certificate() {
    let authority = Authority::new();
    for (names, believed) in [(&["127.0.0.1"], true), (&["localhost"], false)] {
        let server = serve_with(Some(authority.acceptor(names, "x")), ok).await;
        let client = Client::new(
            transport(trusting(&authority)),
            server.url("https", "127.0.0.1"),
        );
        assert_eq!(
            client.get(["x"]).send(&check(8)).await.is_ok(),
            believed,
            "{names:?}"
        );
    }
}

#[tokio::test]
async fn tls_server_name_is_for_the_connections_own_host_only() {
    let authority = Authority::new();
    let server = serve_with(Some(authority.acceptor(&["inner.example"], "x")), ok).await;
    for (own_host, host, believed) in [
        ("localhost", "localhost", true),
        ("LOCALHOST", "localhost", true),
        ("localhost", "127.0.0.1", false),
    ] {
        let settings = TransportSettings {
            tls_server_name: Some("inner.example".into()),
            own_host: Some(own_host.into()),
            ..trusting(&authority)
        };
        let client = Client::new(transport(settings), server.url("https", host));
        assert_eq!(
            client.get(["x"]).send(&check(8)).await.is_ok(),
            believed,
            "{own_host} {host}"
        );
    }
}

#[tokio::test]
async fn kept_tls_connections_are_used_again() {
    let authority = Authority::new();
    let server = serve_with(Some(authority.acceptor(&["localhost"], "x")), ok).await;
    let client = Client::new(
        transport(trusting(&authority)),
        server.url("https", "localhost"),
    );
    let ctx = check(8);
    for _ in 0..3 {
        client.get(["x"]).send(&ctx).await.unwrap();
    }
    assert_eq!((server.requests().len(), server.connections()), (3, 1));
}

/// The environment belongs to the process, so a process of its own makes the request.
#[tokio::test(flavor = "multi_thread")]
async fn ssl_cert_file_is_believed_besides_the_systems_roots() {
    let authority = Authority::new();
    let server = serve_with(Some(authority.acceptor(&["localhost"], "x")), ok).await;
    let path = std::env::temp_dir().join(format!("toolpass-ca-{}.pem", std::process::id()));
    std::fs::write(&path, authority.pem()).unwrap();
    for (file, believed) in [(path.as_path(), true), (Path::new("/nonexistent"), false)] {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "asks_with_the_systems_roots", "--ignored"])
            .env("SSL_CERT_FILE", file);
        command.env(
            "TOOLPASS_TEST_URL",
            format!("https://localhost:{}/", server.address.port()),
        );
        let ran = tokio::task::spawn_blocking(move || command.output().unwrap())
            .await
            .unwrap();
        assert_eq!(
            ran.status.success(),
            believed,
            "{}",
            String::from_utf8_lossy(&ran.stdout)
        );
    }
    std::fs::remove_file(path).unwrap();
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
#[ignore = "run by `ssl_cert_file_is_believed_besides_the_systems_roots`"]
async fn asks_with_the_systems_roots() {
    let url = std::env::var_os("TOOLPASS_TEST_URL").expect("set by the test that runs this one");
    let url = Url::parse(url.to_str().unwrap()).unwrap();
    Client::new(transport(TransportSettings::default()), url)
        .get(["x"])
        .send(&check(8))
        .await
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_server_without_tls_fails_the_handshake() {
    let server = serve(|_, _| Act::Hang).await;
    let client = Client::new(
        transport(trusting(&Authority::new())),
        server.url("https", "127.0.0.1"),
    );
    let error = client.get(["x"]).send(&check(20)).await.unwrap_err();
    assert_eq!(error.code(), Code::UpstreamTimeout);
    assert!(
        error
            .to_string()
            .ends_with("the time limit passed while waiting for the TLS handshake"),
        "{error}"
    );
    assert_eq!(server.connections(), 1);
}
