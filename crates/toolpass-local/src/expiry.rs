//! When the secrets of a configuration end, of those that say so themselves.
//!
//! A token that is a JWT has the moment in it; it is read without being verified, as nobody is let in by it.

use toolpass_config::config::ConnectionConfig;
use toolpass_core::clock::Wall;
use toolpass_http::jwt::unverified_expiry;
use toolpass_integration::fields::KeyKind;

/// A secret that ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The key that refers to it.
    pub key: &'static str,
    /// When it ends.
    pub at: Wall,
}

/// The secrets of a connection that say when they end, in the order of their keys. What cannot be read says nothing.
pub fn of_secrets(connection: &ConnectionConfig) -> Vec<Ending> {
    let keys = connection.integration.keys().iter();
    let secrets = keys.filter(|key| key.kind == KeyKind::Secret);
    let ending = secrets.filter_map(|key| {
        let reference = connection.settings.secret(key.name)?;
        let secret = toolpass_http::secrets::read(reference).ok()?;
        Some(Ending {
            key: key.name,
            at: unverified_expiry(secret.expose())?,
        })
    });
    ending.collect()
}
