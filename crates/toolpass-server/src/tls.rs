//! TLS: the server's certificate and key, certificates of callers, and which names those show.
//!
//! Read again whenever the files changed, so that a renewed certificate counts for the next connection.
//! INVARIANT: a name counts only of a certificate that leads to `client_ca_file`; nothing is read of others.

use std::sync::{Arc, PoisonError, RwLock};

use rustls::crypto::ring::default_provider;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig as TlsConfig};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;
use toolpass_config::server::ServerConfig;
use toolpass_http::secrets;

/// What connections are encrypted with.
pub(crate) struct Tls(RwLock<Arc<TlsConfig>>);

/// Why there can be no TLS.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The certificates cannot be used.
    #[error("`tls_cert_file`: {0}")]
    Certificate(String),
    /// The key cannot be used.
    #[error("`tls_key`: {0}")]
    Key(String),
    /// The callers' authorities cannot be used.
    #[error("`client_ca_file`: {0}")]
    ClientAuthority(String),
}

impl Tls {
    /// TLS as configured; `None` without a certificate.
    /// Errors: [`TlsError`].
    pub(crate) fn new(config: &ServerConfig) -> Result<Option<Tls>, TlsError> {
        Ok(read(config)?.map(|config| Tls(RwLock::new(config))))
    }

    /// Take what the files hold now.
    /// Errors: [`TlsError`], and what was stays.
    pub(crate) fn renew(&self, config: &ServerConfig) -> Result<(), TlsError> {
        if let Some(renewed) = read(config)? {
            *self.0.write().unwrap_or_else(PoisonError::into_inner) = renewed;
        }
        Ok(())
    }

    /// What accepts the next connection.
    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner)).into()
    }
}

/// The names a verified certificate shows: DNS names and URIs.
pub(crate) fn names(certificates: Option<&[CertificateDer<'_>]>) -> Vec<String> {
    let leaf = certificates.and_then(<[CertificateDer<'_>]>::first);
    let Some(Ok(leaf)) = leaf.map(webpki::EndEntityCert::try_from) else {
        return Vec::new();
    };
    leaf.valid_dns_names()
        .chain(leaf.valid_uri_names())
        .map(str::to_owned)
        .collect()
}

fn read(config: &ServerConfig) -> Result<Option<Arc<TlsConfig>>, TlsError> {
    let (Some(file), Some(key)) = (&config.tls_cert_file, &config.tls_key) else {
        return Ok(None);
    };
    let chain = certificates(file).map_err(TlsError::Certificate)?;
    let secret = secrets::read(key).map_err(|error| TlsError::Key(error.to_string()))?;
    let key = PrivateKeyDer::from_pem_slice(secret.expose())
        .map_err(|_| TlsError::Key("expected a private key, PEM, not encrypted".into()))?;
    let provider = Arc::new(default_provider());
    let builder = TlsConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| TlsError::Certificate(error.to_string()))?;
    let builder = match &config.client_ca_file {
        None => builder.with_no_client_auth(),
        Some(file) => {
            let mut roots = RootCertStore::empty();
            for authority in certificates(file).map_err(TlsError::ClientAuthority)? {
                roots
                    .add(authority)
                    .map_err(|error| TlsError::ClientAuthority(error.to_string()))?;
            }
            // Whoever shows none may still have a key.
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
                .allow_unauthenticated()
                .build()
                .map_err(|error| TlsError::ClientAuthority(error.to_string()))?;
            builder.with_client_cert_verifier(verifier)
        }
    };
    let mut tls = builder
        .with_single_cert(chain, key)
        .map_err(|error| TlsError::Key(format!("it does not fit the certificate: {error}")))?;
    tls.alpn_protocols = vec![HTTP2.to_vec(), b"http/1.1".to_vec()];
    Ok(Some(Arc::new(tls)))
}

fn certificates(file: &std::path::Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let pem = std::fs::read(file).map_err(|_| "the file cannot be read".to_owned())?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    let found = found.map_err(|_| "expected certificates, PEM".to_owned())?;
    if found.is_empty() {
        return Err("expected at least one certificate, PEM".into());
    }
    Ok(found)
}

/// The name of HTTP/2 in the handshake.
pub(crate) const HTTP2: &[u8] = b"h2";
