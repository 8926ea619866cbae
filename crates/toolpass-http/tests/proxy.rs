//! Proxies: what they see, what the target sees, and that a bad one is never gone around.

mod loopback;

use loopback::{Act, Authority, Server, check, json, serve, serve_with, transport};
use toolpass_core::codes::Code;
use toolpass_core::secret::{Secret, SecretRef};
use toolpass_http::client::Client;
use toolpass_http::proxy::{ProxyAuth, ProxyEnvironment};
use toolpass_http::transport::TransportSettings;

fn ok(_: usize, _: &str) -> Act {
    Act::Answer(json(200, &[], "{}"))
}

/// Basic login of user `us@er` with password `pass:word`.
const LOGIN: &str = "Basic dXNAZXI6cGFzczp3b3Jk";

async fn tunnel_to(server: &Server, tls: Option<tokio_rustls::TlsAcceptor>) -> Server {
    let target = server.address;
    serve_with(tls, move |_, _| Act::Tunnel(target)).await
}

#[tokio::test]
async fn an_https_target_is_reached_through_a_tunnel() {
    let authority = Authority::new();
    let target = serve_with(Some(authority.acceptor(&["localhost"], "x")), ok).await;
    for secure in [false, true] {
        let proxy = tunnel_to(
            &target,
            secure.then(|| authority.acceptor(&["127.0.0.1"], "x")),
        )
        .await;
        let scheme = if secure { "https" } else { "http" };
        let settings = TransportSettings {
            ca_pem: Some(authority.pem()),
            proxy_url: Some(format!("{scheme}://us%40er:pass%3Aword@{}", proxy.address)),
            ..TransportSettings::default()
        };
        let client = Client::new(transport(settings), target.url("https", "localhost"));
        client.get(["x"]).send(&check(8)).await.unwrap();
        client.get(["y"]).send(&check(8)).await.unwrap();
        let seen = proxy.requests();
        assert_eq!(seen.len(), 1);
        let host = format!("localhost:{}", target.address.port());
        assert_eq!(
            seen[0],
            format!(
                "CONNECT {host} HTTP/1.1\r\nhost: {host}\r\nproxy-authorization: {LOGIN}\r\n\r\n"
            )
        );
    }
    assert_eq!(target.requests().len(), 4);
    assert!(
        target
            .requests()
            .iter()
            .all(|request| !request.contains("proxy-authorization"))
    );
}

#[tokio::test]
async fn a_proxy_whose_certificate_does_not_verify_is_not_used() {
    let authority = Authority::new();
    let target = serve_with(Some(authority.acceptor(&["localhost"], "x")), ok).await;
    let proxy = tunnel_to(
        &target,
        Some(Authority::new().acceptor(&["127.0.0.1"], "x")),
    )
    .await;
    let settings = TransportSettings {
        ca_pem: Some(authority.pem()),
        proxy_url: Some(format!("https://{}", proxy.address)),
        ..TransportSettings::default()
    };
    let client = Client::new(transport(settings), target.url("https", "localhost"));
    let error = client.get(["x"]).send(&check(8)).await.unwrap_err();
    assert!(
        error
            .to_string()
            .contains("the certificate for 127.0.0.1 does not verify"),
        "{error}"
    );
    assert_eq!((proxy.connections(), target.connections()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn an_http_target_is_asked_of_the_proxy_itself() {
    let proxy = serve(ok).await;
    let settings = TransportSettings {
        proxy_url: Some(format!("http://{}", proxy.address)),
        proxy_auth: Some(ProxyAuth {
            username: "us@er".into(),
            credential: SecretRef::Literal(Secret::new("pass:word")),
        }),
        ..TransportSettings::default()
    };
    let base = toolpass_http::url::Url::parse("http://api.example.com/v1").unwrap();
    let client = Client::new(transport(settings), base);
    client
        .get(["x"])
        .query("a", "b")
        .send(&check(8))
        .await
        .unwrap();
    let seen = proxy.requests();
    assert!(
        seen[0].starts_with("GET http://api.example.com/v1/x?a=b HTTP/1.1\r\n"),
        "{seen:?}"
    );
    assert!(
        seen[0].contains("\r\nhost: api.example.com\r\n"),
        "{seen:?}"
    );
    assert!(
        seen[0].contains(&format!("\r\nproxy-authorization: {LOGIN}\r\n")),
        "{seen:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn only_200_opens_a_tunnel() {
    for (status, asked) in [(201, 1), (302, 1), (403, 1), (407, 1), (502, 3)] {
        let proxy = serve(move |_, _| Act::Answer(json(status, &[], ""))).await;
        let settings = TransportSettings {
            proxy_url: Some(format!("http://{}", proxy.address)),
            ..TransportSettings::default()
        };
        let base = toolpass_http::url::Url::parse("https://api.example.com").unwrap();
        let error = Client::new(transport(settings), base)
            .get(["x"])
            .send(&check(8))
            .await
            .unwrap_err();
        assert_eq!(error.code(), Code::UpstreamError);
        let expected =
            format!("the proxy answered CONNECT api.example.com:443 with status {status}");
        assert!(error.to_string().ends_with(&expected), "{error}");
        assert_eq!(proxy.requests().len(), asked, "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_unusable_proxy_of_the_environment_is_never_gone_around() {
    let environment = ProxyEnvironment {
        http: Some("socks5://u:s3cret@127.0.0.1:1080".into()),
        ..ProxyEnvironment::default()
    };
    let settings = TransportSettings {
        environment,
        ..TransportSettings::default()
    };
    let base = toolpass_http::url::Url::parse("http://api.example.com").unwrap();
    let ctx = check(8);
    let error = Client::new(transport(settings.clone()), base)
        .get(["x"])
        .send(&ctx)
        .await
        .unwrap_err();
    assert_eq!(error.code(), Code::UpstreamError);
    assert!(
        error
            .to_string()
            .contains("the environment's `HTTP_PROXY` cannot be used"),
        "{error}"
    );
    assert!(!error.to_string().contains("s3cret"));
    // Loopback is always asked directly.
    let server = serve(ok).await;
    Client::new(transport(settings), server.url("http", "127.0.0.1"))
        .get(["x"])
        .send(&ctx)
        .await
        .unwrap();
}
