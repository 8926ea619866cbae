//! The certificates of a run: one authority, one leaf per stand-in.
//!
//! Apart from the server because two stand-ins often share one authority, so that a client trusts both with one file.
//!
//! INVARIANT: keys live in memory only and die with the process.

use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa,
    KeyPair, KeyUsagePurpose,
};
use rustls::ServerConfig;
use rustls_pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

use crate::error::Error;

/// A certificate authority made for one run. Clones are the same authority.
#[derive(Clone)]
pub struct Authority {
    issuer: Arc<CertifiedIssuer<'static, KeyPair>>,
}

impl Authority {
    /// Make an authority with a new key.
    pub fn new() -> Result<Authority, Error> {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params
            .distinguished_name
            .push(DnType::CommonName, "toolpass stand-in authority");
        params.key_usages = vec![
            KeyUsagePurpose::KeyCertSign,
            KeyUsagePurpose::CrlSign,
            KeyUsagePurpose::DigitalSignature,
        ];
        let key = KeyPair::generate().map_err(certificate_error)?;
        let issuer = CertifiedIssuer::self_signed(params, key).map_err(certificate_error)?;
        Ok(Authority {
            issuer: Arc::new(issuer),
        })
    }

    /// The authority's certificate, to be given to clients as `ca_file`.
    pub fn pem(&self) -> String {
        self.issuer.pem()
    }

    /// A server side for `localhost`, both loopback addresses and `extra_names`.
    pub(crate) fn server_config(&self, extra_names: &[String]) -> Result<Arc<ServerConfig>, Error> {
        let mut names: Vec<String> = LOOPBACK_NAMES
            .iter()
            .map(|name| (*name).to_owned())
            .collect();
        names.extend(extra_names.iter().cloned());
        let mut params = CertificateParams::new(names).map_err(certificate_error)?;
        params
            .distinguished_name
            .push(DnType::CommonName, "toolpass stand-in");
        params.use_authority_key_identifier_extension = true;
        params.is_ca = IsCa::ExplicitNoCa;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let key = KeyPair::generate().map_err(certificate_error)?;
        let leaf = params
            .signed_by(&key, &self.issuer)
            .map_err(certificate_error)?;
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|builder| {
                builder
                    .with_no_client_auth()
                    .with_single_cert(vec![leaf.der().clone()], key)
            })
            .map_err(|error| Error::Certificate(error.to_string()))?;
        Ok(Arc::new(config))
    }
}

fn certificate_error(error: rcgen::Error) -> Error {
    Error::Certificate(error.to_string())
}

const LOOPBACK_NAMES: [&str; 3] = ["localhost", "127.0.0.1", "::1"];
