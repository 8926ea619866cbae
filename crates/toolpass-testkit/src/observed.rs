//! One connection's requests as the hooks would see them: its system, and a request from an address.
//!
//! Separate because the corpus and the inventory send the same way.

use std::sync::Arc;

use toolpass_integration::fields::Settings;
use toolpass_integration::integration::Integration;
use toolpass_wire::body::limits::Limits;
use toolpass_wire::observe::{System, Systems};
use toolpass_wire::raw::{RawBody, RawRequest};
use toolpass_wire::request::WireRequest;

/// The one system there is: `integration` with `settings`, its id the integration's name.
/// Errors: an address of its settings that is none.
pub fn systems(
    integration: &'static dyn Integration,
    settings: &Settings,
) -> Result<Systems, String> {
    let owned = settings.clone();
    Ok(Systems::new(vec![System {
        connection: integration.name().to_owned(),
        integration: integration.name(),
        table: integration.routes(),
        endpoints: integration
            .endpoints(settings)
            .map_err(|error| error.to_string())?,
        owns: Arc::new(move |resource| integration.owns(&owned, resource)),
        private: false,
        strict_reads: false,
        is_served: false,
        vendor_hosts: integration.vendor_hosts(),
    }]))
}

/// A request to an absolute address, with these headers besides `Host`.
/// Errors: what of the address cannot be read.
pub fn request<'a>(
    method: &str,
    url: &str,
    headers: impl IntoIterator<Item = (&'a str, &'a str)>,
    body: RawBody<'_>,
) -> Result<WireRequest, String> {
    let (scheme, rest) = url
        .split_once("://")
        .ok_or("expected an absolute address")?;
    let (authority, target) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let (host, port) = match authority.split_once(':') {
        Some((host, port)) => (host, Some(port.parse().map_err(|_| "expected a port")?)),
        None => (authority, None),
    };
    let mut sent: Vec<(&str, &[u8])> = vec![("host", authority.as_bytes())];
    sent.extend(
        headers
            .into_iter()
            .map(|(name, value)| (name, value.as_bytes())),
    );
    Ok(WireRequest::read(
        RawRequest {
            scheme,
            host,
            port,
            method,
            target,
            headers: sent,
            body,
        },
        &Limits::default(),
    ))
}
