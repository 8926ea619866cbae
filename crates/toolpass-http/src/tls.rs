//! Whom we believe: trusted roots and the TLS settings of one connection.
//!
//! Separate because it is the security of every answer. TLS 1.2 at least, certificate and name always verified, names
//! taken from subjectAltName only, ALPN `http/1.1` only; there is no switch that lowers any of it. System roots are read
//! on first use, once per process.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use rustls::client::Resumption;
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};

use crate::error::{Error, Kind};
use crate::{pem, secrets};

/// The trust of one connection.
pub struct Trust {
    own: Option<Arc<RootCertStore>>,
    mode: CaMode,
    config: OnceLock<Arc<ClientConfig>>,
}

/// What a connection's own certificates do to the system's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CaMode {
    /// They are trusted besides them.
    Add,
    /// They are trusted instead of them.
    #[default]
    Replace,
}

/// The file of trusted certificates holds none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected at least one PEM certificate")]
pub struct NoCertificate;

impl Trust {
    /// Trust the certificates of `ca_pem`, and the system's as `mode` says; without it, the system's and those of
    /// `SSL_CERT_FILE`. Blocks that are no readable certificate are skipped.
    /// Errors: [`NoCertificate`].
    pub fn new(ca_pem: Option<&[u8]>, mode: CaMode) -> Result<Trust, NoCertificate> {
        let own = ca_pem.map(roots_of).transpose()?.map(Arc::new);
        Ok(Trust {
            own,
            mode,
            config: OnceLock::new(),
        })
    }

    /// The settings for a handshake. Reads the system's roots the first time, off the runtime's threads.
    /// Errors: the system has no roots.
    pub async fn config(&self) -> Result<Arc<ClientConfig>, Error> {
        if let Some(config) = self.config.get() {
            return Ok(config.clone());
        }
        let roots = match (&self.own, self.mode) {
            (Some(own), CaMode::Replace) => own.clone(),
            (Some(own), CaMode::Add) => Arc::new(joined(&*system_roots().await?, own)),
            (None, CaMode::Add | CaMode::Replace) => system_roots().await?,
        };
        let config = build(roots)?;
        Ok(self.config.get_or_init(|| config).clone())
    }
}

/// The name a certificate must be for.
/// Errors: the text is neither a DNS name nor an IP address.
pub fn server_name(text: &str) -> Result<ServerName<'static>, Error> {
    let name = text.strip_suffix('.').unwrap_or(text);
    ServerName::try_from(name.to_owned()).map_err(|_| {
        Error::new(
            Kind::Request,
            "expected a DNS name or an IP address for TLS",
        )
    })
}

fn roots_of(ca_pem: &[u8]) -> Result<RootCertStore, NoCertificate> {
    let text = String::from_utf8_lossy(ca_pem);
    let certificates = pem::blocks(&text)
        .into_iter()
        .filter(|block| block.label == "CERTIFICATE")
        .filter_map(|block| block.der);
    let mut roots = RootCertStore::empty();
    let (added, _) = roots.add_parsable_certificates(certificates.map(CertificateDer::from));
    if added == 0 {
        Err(NoCertificate)
    } else {
        Ok(roots)
    }
}

fn joined(system: &RootCertStore, own: &RootCertStore) -> RootCertStore {
    let mut roots = system.clone();
    roots.extend(own.roots.iter().cloned());
    roots
}

async fn system_roots() -> Result<Arc<RootCertStore>, Error> {
    static ROOTS: OnceLock<Arc<RootCertStore>> = OnceLock::new();
    if let Some(roots) = ROOTS.get() {
        return Ok(roots.clone());
    }
    let loaded = tokio::task::spawn_blocking(load_system_roots).await;
    let loaded = loaded.map_err(|error| {
        Error::new(
            Kind::Certificate,
            "the system's trusted roots could not be read",
        )
        .with_source(error)
    })?;
    if loaded.is_empty() {
        // Not kept: the next request looks again.
        return Err(Error::new(
            Kind::Certificate,
            "the system has no trusted roots; set `ca_file`, or `SSL_CERT_FILE`",
        ));
    }
    Ok(ROOTS.get_or_init(|| Arc::new(loaded)).clone())
}

fn load_system_roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if secrets::environment("SSL_CERT_FILE").is_some() {
        // With the variable set, the crate above reads only what it names; ours adds to the system's roots.
        if let Some(bundle) = SYSTEM_BUNDLES
            .iter()
            .map(Path::new)
            .find(|path| path.is_file())
        {
            roots.add_parsable_certificates(
                rustls_native_certs::load_certs_from_paths(Some(bundle), None).certs,
            );
        }
    }
    roots
}

fn build(roots: Arc<RootCertStore>) -> Result<Arc<ClientConfig>, Error> {
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions();
    let builder = builder
        .map_err(|error| Error::new(Kind::Certificate, "TLS is unavailable").with_source(error))?;
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config.resumption = Resumption::in_memory_sessions(32);
    Ok(Arc::new(config))
}

/// Where Linux and the BSDs keep the bundle. Source: the candidate lists of OpenSSL builds and of Go's crypto/x509.
const SYSTEM_BUNDLES: [&str; 6] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/cert.pem",
    "/usr/local/etc/ssl/cert.pem",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ca_file_needs_one_certificate() {
        let good = rcgen::generate_simple_self_signed(["localhost".to_owned()])
            .unwrap()
            .cert
            .pem();
        let check = |pem: &str, expected: bool| {
            assert_eq!(
                Trust::new(Some(pem.as_bytes()), CaMode::Replace).is_ok(),
                expected,
                "{pem}"
            )
        };
        check(&good, true);
        check(
            &format!("# notes\n-----BEGIN X-----\nYWI=\n-----END X-----\n{good}"),
            true,
        );
        check(
            &format!("-----BEGIN CERTIFICATE-----\nYWI=\n-----END CERTIFICATE-----\n{good}"),
            true,
        );
        check(&format!("-----BEGIN CERTIFICATE-----\nYWI=\n{good}"), true);
        check(
            &good.replace("BEGIN CERTIFICATE-----", "BEGIN CERTIFICATE-----  "),
            true,
        );
        check("", false);
        check(
            "-----BEGIN CERTIFICATE-----\nYWI=\n-----END CERTIFICATE-----\n",
            false,
        );
        check(&good.replace("CERTIFICATE", "PUBLIC KEY"), false);
    }

    #[test]
    fn own_certificates_are_added_to_the_systems() {
        let one = |name: &str| {
            let pem = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
            roots_of(pem.cert.pem().as_bytes()).unwrap()
        };
        let (system, own) = (one("system"), one("own"));
        let both = joined(&system, &own).roots;
        assert!(both.len() == 2 && both.contains(&system.roots[0]) && both.contains(&own.roots[0]));
    }

    #[test]
    fn names() {
        assert!(server_name("h.example.").is_ok());
        assert!(server_name("::1").is_ok());
        assert!(server_name("a b").is_err());
        assert!(server_name("").is_err());
    }
}
