//! `toolpass routes -match`: one request as it would be written down, held against the systems it could go to.
//!
//! Nothing is sent. The systems are those of a configuration, or the vendors' own addresses when none is named.

use std::collections::BTreeMap;

use toolpass_integration::fields::{Settings, Value};
use toolpass_integration::integration::Integration;
use toolpass_wire::body::limits::Limits;
use toolpass_wire::observe::{Observation, System, Systems};
use toolpass_wire::raw::{RawBody, RawRequest};
use toolpass_wire::request::WireRequest;

use super::explained;
use crate::arguments::Arguments;
use crate::catalog::{integration, sorted};
use crate::exit::{Done, Stop};
use crate::input;
use crate::output::note;

/// Say what the request `text` is.
pub(super) fn explain(arguments: &Arguments, text: &str) -> Result<Done, Stop> {
    let line =
        RequestLine::parse(text).map_err(|problem| Stop::Usage(format!("-match: {problem}")))?;
    let config = input::named_config(arguments)?;
    let body = arguments.value("body");
    if body == Some(input::STDIN) && config.as_deref() == Some(input::STDIN) {
        return Err(Stop::Usage(
            "-body and -config cannot both be standard input".into(),
        ));
    }
    let systems = systems(config.as_deref(), arguments.operand())?;
    let body = body.map(|path| input::bytes("body", path)).transpose()?;
    let raw = RawRequest {
        scheme: line.scheme,
        host: line.host,
        port: line.port,
        method: line.method,
        target: line.target,
        headers: body
            .iter()
            .map(|_| ("content-type", b"application/json".as_slice()))
            .collect(),
        body: body.as_deref().map_or(RawBody::None, RawBody::Bytes),
    };
    let request = WireRequest::read(raw, &Limits::default());
    let explanation = systems.explain(&request);
    if config.is_none() && matches!(explanation.observation, Observation::UnknownHost { .. }) {
        note("hint: only the vendors' own hosts are known; name your systems with -config FILE");
    }
    explained::done(&systems, explanation, arguments.is_on("json"))
}

fn systems(config: Option<&str>, name: Option<&str>) -> Result<Systems, Stop> {
    let named = name.map(integration).transpose()?;
    let Some(path) = config else {
        // A system that everybody runs at an address of their own is at none without a configuration.
        let systems = match named {
            Some(one) => vec![at_vendor(one)?],
            None => sorted()
                .into_iter()
                .filter_map(|one| at_vendor(one).ok())
                .collect(),
        };
        return Ok(Systems::new(systems));
    };
    let mut config = input::load(path)?;
    if let Some(name) = name {
        config
            .connections
            .retain(|connection| connection.integration.name() == name);
        if config.connections.is_empty() {
            return Err(Stop::Failed(format!(
                "{}: no connection is of `{name}`",
                config.file
            )));
        }
    }
    toolpass_local::systems(&config).map_err(|error| Stop::Failed(error.to_string()))
}

/// A connection that has every key at its default, under the integration's name.
fn at_vendor(integration: &'static dyn Integration) -> Result<System, Stop> {
    let keys = integration.keys().iter();
    let defaults =
        keys.filter_map(|key| Some((key.name.to_owned(), Value::Text(key.default?.to_owned()))));
    let settings = Settings::new(defaults.collect::<BTreeMap<_, _>>());
    let system = toolpass_local::system(integration.name(), integration, &settings);
    system.map_err(|error| {
        Stop::Failed(format!(
            "{}: {error}; this system has no address of its own, so name yours with -config FILE",
            integration.name()
        ))
    })
}

/// A request without headers and body.
#[derive(Debug, PartialEq, Eq)]
struct RequestLine<'a> {
    method: &'a str,
    scheme: &'a str,
    host: &'a str,
    port: Option<u16>,
    target: &'a str,
}

impl<'a> RequestLine<'a> {
    /// Read `METHOD scheme://host[:port][/path][?query]`; a fragment is dropped, as no client sends one.
    /// Errors: what is expected. The URL is not repeated: it may hold a secret.
    fn parse(text: &'a str) -> Result<RequestLine<'a>, &'static str> {
        let mut words = text.split_ascii_whitespace();
        let (Some(method), Some(url), None) = (words.next(), words.next(), words.next()) else {
            return Err("expected a method and a URL, such as 'GET https://api.example.com/items'");
        };
        let (scheme, rest) = url
            .split_once("://")
            .ok_or("expected a URL that begins with `https://` or `http://`")?;
        let rest = rest.split('#').next().unwrap_or(rest);
        let (authority, target) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        if authority.contains('@') {
            return Err("expected a URL without a user or password");
        }
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !host.contains(':') || host.ends_with(']') => (host, Some(port)),
            _ => (authority, None),
        };
        let is_number = |port: &&str| port.bytes().all(|byte| byte.is_ascii_digit());
        let number = |port: &str| {
            Some(port)
                .filter(is_number)
                .and_then(|port| port.parse().ok())
                .filter(|port| *port > 0)
        };
        let port = port
            .map(|port| number(port).ok_or("expected a port from 1 to 65535"))
            .transpose()?;
        Ok(RequestLine {
            method,
            scheme,
            host,
            port,
            target,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_lines() {
        for (text, expected) in [
            ("GET https://h/a/b?c=d#e", ("https", "h", None, "/a/b?c=d")),
            (" GET   http://h:81 ", ("http", "h", Some(81), "")),
            ("GET https://h?x=/y", ("https", "h", None, "?x=/y")),
            ("GET https://[::1]:8/a", ("https", "[::1]", Some(8), "/a")),
            ("GET https://[::1]/a", ("https", "[::1]", None, "/a")),
            ("GET https://h/a:1/b@c", ("https", "h", None, "/a:1/b@c")),
        ] {
            let line = RequestLine::parse(text).unwrap();
            assert_eq!(
                (line.scheme, line.host, line.port, line.target),
                expected,
                "{text}"
            );
        }
        for (text, part) in [
            ("", "a method and a URL"),
            ("https://h/", "a method and a URL"),
            ("GET https://h/ x", "a method and a URL"),
            ("GET h/a", "begins with"),
            ("GET https://u:p@h/", "without a user"),
            ("GET https://h:0/", "a port"),
            ("GET https://h:+1/", "a port"),
            ("GET https://h:65536/", "a port"),
            ("GET https://h:/", "a port"),
        ] {
            assert!(
                RequestLine::parse(text).unwrap_err().contains(part),
                "{text}"
            );
        }
    }
}
