//! TLS: versions, certificates of callers, HTTP/2, a renewed certificate.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, ExtendedKeyUsagePurpose, IsCa, KeyPair,
};
use rustls::crypto::ring::default_provider;
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned, SupportedProtocolVersion,
};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

use crate::running::{KEY, Running, start_in};

const CONFIG: &str = "api_keys:
  - {name: all, key: file:key, scopes: [check]}
  - {name: ops, certificate: ops.example.com, scopes: [check, admin]}
server: {tls_cert_file: tls.crt, tls_key: file:tls.key, client_ca_file: ca.crt, require_tls: 'true'}
connections: []
";

/// An authority, and what it signs.
struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Authority {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Authority(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    fn sign(&self, name: &str, usage: ExtendedKeyUsagePurpose) -> (rcgen::Certificate, KeyPair) {
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.extended_key_usages = vec![usage];
        let key = KeyPair::generate().unwrap();
        (params.signed_by(&key, &self.0).unwrap(), key)
    }

    fn client(
        &self,
        version: &'static SupportedProtocolVersion,
        shown: Option<&str>,
    ) -> ClientConfig {
        let mut roots = RootCertStore::empty();
        roots.add(self.0.der().clone()).unwrap();
        let builder = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_protocol_versions(&[version])
            .unwrap()
            .with_root_certificates(roots);
        match shown {
            None => builder.with_no_client_auth(),
            Some(name) => {
                let (certificate, key) = self.sign(name, ExtendedKeyUsagePurpose::ClientAuth);
                let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
                builder
                    .with_client_auth_cert(vec![certificate.der().clone()], key)
                    .unwrap()
            }
        }
    }

    /// Give a server in this folder a new certificate.
    fn equip(&self, folder: &std::path::Path) {
        let (certificate, key) = self.sign("localhost", ExtendedKeyUsagePurpose::ServerAuth);
        for (name, pem) in [
            ("tls.crt", certificate.pem()),
            ("tls.key", key.serialize_pem()),
        ] {
            std::fs::write(folder.join("next"), pem).unwrap();
            std::fs::rename(folder.join("next"), folder.join(name)).unwrap();
        }
    }
}

fn serve(authority: &Authority, name: &str) -> Running {
    let folder =
        std::env::temp_dir().join(format!("toolpass-server-tls-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("key"), KEY).unwrap();
    std::fs::write(folder.join("ca.crt"), authority.0.pem()).unwrap();
    authority.equip(&folder);
    start_in(PathBuf::from(&folder), CONFIG)
}

/// The answer to a request over TLS, and the server's certificate; `None` when there is no agreement.
fn send(
    address: SocketAddr,
    config: ClientConfig,
    request: &str,
) -> Option<(String, CertificateDer<'static>)> {
    let connection =
        ClientConnection::new(Arc::new(config), "localhost".try_into().unwrap()).unwrap();
    let mut stream = StreamOwned::new(connection, TcpStream::connect(address).unwrap());
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = Vec::new();
    // A server that closes without saying so has answered all the same.
    let _ = stream.read_to_end(&mut answer);
    let certificate = stream
        .conn
        .peer_certificates()?
        .first()?
        .clone()
        .into_owned();
    let answer = String::from_utf8(answer).unwrap();
    (!answer.is_empty()).then_some((answer, certificate))
}

const INVALIDATE: &str = "POST /v1/invalidate HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}";

#[test]
fn a_certificate_stands_for_a_key() {
    let (authority, stranger) = (Authority::new(), Authority::new());
    let server = serve(&authority, "identity");
    for version in [&rustls::version::TLS12, &rustls::version::TLS13] {
        let status = |shown| {
            let (answer, _) =
                send(server.address, authority.client(version, shown), INVALIDATE).unwrap();
            answer.split(' ').nth(1).unwrap().to_owned()
        };
        assert_eq!(status(Some("ops.example.com")), "200");
        assert_eq!(status(Some("other.example.com")), "401");
        assert_eq!(status(None), "401");
    }
    let mut forged = authority.client(&rustls::version::TLS13, None);
    let with_foreign = stranger.client(&rustls::version::TLS13, Some("ops.example.com"));
    forged.client_auth_cert_resolver = with_foreign.client_auth_cert_resolver;
    assert!(send(server.address, forged, INVALIDATE).is_none());
    let mut plain = TcpStream::connect(server.address).unwrap();
    plain.write_all(INVALIDATE.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP"));
}

#[test]
fn a_renewed_certificate_is_shown_to_the_next_client() {
    let authority = Authority::new();
    let server = serve(&authority, "renewed");
    let health = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let shown = || {
        send(
            server.address,
            authority.client(&rustls::version::TLS13, None),
            health,
        )
        .unwrap()
        .1
    };
    let first = shown();
    assert_eq!(shown(), first);
    authority.equip(&server.folder);
    while shown() == first {
        std::thread::yield_now();
    }
}

#[test]
fn http2_answers_as_http1_does() {
    let authority = Authority::new();
    let server = serve(&authority, "http2");
    let mut config = authority.client(&rustls::version::TLS13, None);
    config.alpn_protocols = vec![b"h2".to_vec()];
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let stream = tokio::net::TcpStream::connect(server.address)
            .await
            .unwrap();
        let connector = tokio_rustls::TlsConnector::from(Arc::new(config));
        let stream = connector
            .connect("localhost".try_into().unwrap(), stream)
            .await
            .unwrap();
        let (mut sender, connection) =
            hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
                .await
                .unwrap();
        tokio::spawn(connection);
        for (path, key, body, expected) in [
            ("/check", KEY, "null", 400),
            ("/check", "wrong", "null", 401),
            ("/nothing", KEY, "", 404),
            ("/healthz", KEY, "", 405),
        ] {
            let request = http::Request::post(format!("https://localhost{path}"))
                .header("authorization", format!("Bearer {key}"))
                .body(Full::new(Bytes::from(body)))
                .unwrap();
            let answer = sender.send_request(request).await.unwrap();
            assert_eq!(answer.status(), expected, "{path}");
            assert_eq!(answer.headers().get("server").unwrap(), "toolpass");
            answer.into_body().collect().await.unwrap();
        }
        let large = http::Request::post("https://localhost/check")
            .header("authorization", format!("Bearer {KEY}"))
            .body(Full::new(Bytes::from(vec![b' '; 64 * 1024 + 1])))
            .unwrap();
        assert_eq!(sender.send_request(large).await.unwrap().status(), 413);
    });
}
