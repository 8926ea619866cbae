//! A client of a few lines over plain sockets and rustls, and an App's token: nothing of the stand-in's own code is trusted here.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{PrivatePkcs1KeyDer, PrivatePkcs8KeyDer};
use serde_json::{Value, json};
use toolpass_standin::github::{ApiStyle, GithubStandin, Options, demo};
use toolpass_standin::server::{Running, Transport};
use toolpass_standin::tls::Authority;

/// What came back.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let line = self
            .head
            .lines()
            .find(|line| line.to_lowercase().starts_with(&format!("{name}:")))?;
        Some(line.split_once(':')?.1.trim())
    }
}

/// A request without its transport.
#[derive(Default)]
pub(crate) struct Ask<'a> {
    pub(crate) token: Option<&'a str>,
    pub(crate) body: Option<Value>,
    pub(crate) headers: &'a [(&'a str, &'a str)],
}

/// The default world over plain HTTP, GitHub.com style.
pub(crate) fn github() -> Running {
    GithubStandin::start(
        demo::world(),
        &Options {
            transport: Transport::Plain,
            style: ApiStyle::DotCom,
        },
    )
    .unwrap()
}

/// The default world over TLS, GitHub.com style, also as `api.github.com`.
pub(crate) fn github_tls() -> Running {
    let authority = Authority::new().unwrap();
    let transport = Transport::Tls {
        authority,
        extra_names: vec!["api.github.com".to_owned()],
    };
    GithubStandin::start(
        demo::world(),
        &Options {
            transport,
            style: ApiStyle::DotCom,
        },
    )
    .unwrap()
}

/// Send one request and read the answer to its end.
pub(crate) fn send(running: &Running, method: &str, path: &str, ask: &Ask<'_>) -> Answer {
    let bytes = exchange(running, "localhost", &request(method, path, ask)).unwrap();
    parse(&bytes)
}

/// GET with a token.
pub(crate) fn get(running: &Running, path: &str, token: &str) -> Answer {
    send(
        running,
        "GET",
        path,
        &Ask {
            token: Some(token),
            ..Ask::default()
        },
    )
}

/// POST JSON with a token.
pub(crate) fn post(running: &Running, path: &str, token: &str, body: Value) -> Answer {
    send(
        running,
        "POST",
        path,
        &Ask {
            token: Some(token),
            body: Some(body),
            ..Ask::default()
        },
    )
}

/// The raw bytes of a request that asks to close.
pub(crate) fn request(method: &str, path: &str, ask: &Ask<'_>) -> Vec<u8> {
    let body = ask.body.as_ref().map(Value::to_string).unwrap_or_default();
    let mut text = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: test\r\nConnection: close\r\n"
    );
    if let Some(token) = ask.token {
        text += &format!("Authorization: Bearer {token}\r\n");
    }
    for (name, value) in ask.headers {
        text += &format!("{name}: {value}\r\n");
    }
    if ask.body.is_some() {
        text += &format!(
            "Content-Type: application/json\r\nContent-Length: {}\r\n",
            body.len()
        );
    }
    format!("{text}\r\n{body}").into_bytes()
}

/// Everything that comes back for these bytes until the connection ends.
pub(crate) fn exchange(running: &Running, name: &str, bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut stream = connect(running, name)?;
    stream.write_all(bytes)?;
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        Err(error) if answer.is_empty() => Err(error),
        _ => Ok(answer),
    }
}

/// A connection that trusts nothing but the stand-in's own authority.
pub(crate) fn connect(running: &Running, name: &str) -> std::io::Result<Box<dyn Stream>> {
    let socket = TcpStream::connect(("127.0.0.1", running.port))?;
    let Some(pem) = &running.ca_pem else {
        return Ok(Box::new(socket));
    };
    let mut roots = RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_slice(pem.as_bytes()).unwrap())
        .unwrap();
    let config =
        ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
    let connection = ClientConnection::new(
        Arc::new(config),
        ServerName::try_from(name.to_owned()).unwrap(),
    )
    .unwrap();
    Ok(Box::new(StreamOwned::new(connection, socket)))
}

/// Something to read from and write to.
pub(crate) trait Stream: Read + Write {}
impl<T: Read + Write> Stream for T {}

fn parse(bytes: &[u8]) -> Answer {
    let end = bytes
        .windows(4)
        .position(|part| part == b"\r\n\r\n")
        .unwrap_or_else(|| panic!("no header: {bytes:?}"));
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer {
        status,
        head,
        body: bytes[end + 4..].to_vec(),
    }
}

/// A JSON web token of the default App, signed with this key, valid now.
pub(crate) fn app_token(pem: &str) -> String {
    let now = jiff::Timestamp::now().as_second();
    sign(
        pem,
        &json!({"iss": "777", "iat": now - 60, "exp": now + 540}),
    )
}

/// Claims signed with this key.
pub(crate) fn sign(pem: &str, claims: &Value) -> String {
    let key = match PrivatePkcs1KeyDer::from_pem_slice(pem.as_bytes()) {
        Ok(der) => RsaKeyPair::from_der(der.secret_pkcs1_der()).unwrap(),
        Err(_) => RsaKeyPair::from_pkcs8(
            PrivatePkcs8KeyDer::from_pem_slice(pem.as_bytes())
                .unwrap()
                .secret_pkcs8_der(),
        )
        .unwrap(),
    };
    let header = json!({"alg": "RS256", "typ": "JWT"});
    let text = format!(
        "{}.{}",
        URL_SAFE_NO_PAD.encode(header.to_string()),
        URL_SAFE_NO_PAD.encode(claims.to_string())
    );
    let mut signature = vec![0; key.public().modulus_len()];
    key.sign(
        &RSA_PKCS1_SHA256,
        &SystemRandom::new(),
        text.as_bytes(),
        &mut signature,
    )
    .unwrap();
    format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
}

/// A minted installation token of the default App.
pub(crate) fn minted(running: &Running) -> String {
    let path = format!("{}/app/installations/4242/access_tokens", running.base_path);
    let answer = post(
        running,
        &path,
        &app_token(toolpass_standin::github::world::APP_KEY),
        json!({}),
    );
    assert_eq!(answer.status, 201, "{}", answer.json());
    answer.json()["token"].as_str().unwrap().to_owned()
}
