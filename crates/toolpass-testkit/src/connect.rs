//! A connection from keys as an operator writes them, on this machine only.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use toolpass_core::clock::Clock;
use toolpass_core::secret::{Secret, SecretRef};
use toolpass_http::clock::SystemClock;
use toolpass_http::transport::{Transport, TransportSettings};
use toolpass_integration::connection::Connection;
use toolpass_integration::fields::{CodeValue, KeyKind, Settings, Value};
use toolpass_integration::integration::Integration;
use toolpass_integration::parts::Parts;

/// Settings of `keys`, defaults applied. A secret is given as its value.
/// Errors: a key the integration does not have or cannot be given as text, or what its own check says.
pub fn settings(integration: &dyn Integration, keys: &[(&str, &str)]) -> Result<Settings, String> {
    settings_in_code(integration, keys, [])
}

/// The same, with values only code can give.
/// Errors: as [`settings`].
pub fn settings_in_code<const N: usize>(
    integration: &dyn Integration,
    keys: &[(&str, &str)],
    code: [(&str, CodeValue); N],
) -> Result<Settings, String> {
    let mut values: BTreeMap<String, Value> = code
        .into_iter()
        .map(|(name, value)| (name.to_owned(), Value::Code(value)))
        .collect();
    for key in integration.keys() {
        if let Some(default) = key.default {
            values.insert(key.name.to_owned(), Value::Text(default.to_owned()));
        }
    }
    for (name, text) in keys {
        let key = integration
            .keys()
            .iter()
            .find(|key| key.name == *name)
            .ok_or_else(|| format!("there is no key `{name}`"))?;
        let value = match key.kind {
            KeyKind::Secret => Value::Secret(SecretRef::Literal(Secret::new(*text))),
            KeyKind::Code => return Err(format!("`{name}` is given in code")),
            KeyKind::Connection(_) | KeyKind::File | KeyKind::Text | KeyKind::Url => {
                Value::Text((*text).to_owned())
            }
        };
        values.insert((*name).to_owned(), value);
    }
    let settings = Settings::new(values);
    match integration.check(&settings).first() {
        Some((key, problem)) => Err(format!("`{key}`: {problem}")),
        None => Ok(settings),
    }
}

/// Connect with these settings.
/// Errors: the certificate, or the integration's own.
pub fn connection(
    integration: &dyn Integration,
    settings: Settings,
    ca_pem: Option<&str>,
) -> Result<Arc<dyn Connection>, String> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let transport = Transport::new(TransportSettings {
        ca_pem: ca_pem.map(|pem| pem.as_bytes().to_vec()),
        timeout: Duration::from_secs(8),
        ..TransportSettings::default()
    });
    let parts = Parts {
        id: integration.name().to_owned(),
        transport: transport.map_err(|error| error.to_string())?,
        clock,
        referenced: BTreeMap::new(),
    };
    integration
        .connect(settings, parts)
        .map_err(|error| error.to_string())
}
