//! Two small products for this crate's tests: `sample` has a key of every kind, `idp` is what it refers to.

use std::path::Path;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt, ready};
use toolpass_core::decision::Decision;
use toolpass_integration::actions::ActionSpec;
use toolpass_integration::connection::{Connection, Identity, Person, Probe, Request};
use toolpass_integration::failure::Failure;
use toolpass_integration::fields::{Key, Settings};
use toolpass_integration::http::budget::Context;
use toolpass_integration::integration::Integration;
use toolpass_integration::parts::{ConnectError, Parts};
use toolpass_wire::endpoint::Endpoint;

use crate::config::Config;
use crate::error::Errors;
use crate::load::{Integrations, load_text};

pub(crate) struct Sample;
pub(crate) struct Idp;

pub(crate) static ALL: Integrations<'static> = &[&Sample, &Idp];

const SAMPLE_KEYS: &[Key] = &[
    Key::url("url", "where it is").required(),
    Key::text("username", "who toolpass is there"),
    Key::secret("credential", "its password").required(),
    Key::text("mode", "how it looks users up")
        .one_of(&["direct", "search"])
        .default("direct"),
    Key::text("even", "a number").checked(check_even),
    Key::file("map_file", "a file"),
    Key::code("lookup", "a callable"),
    Key::connection("idp_connection", &["idp"], "where users come from"),
];

const IDP_KEYS: &[Key] = &[
    Key::connection(
        "up_connection",
        &["idp", "sample"],
        "where it looks further",
    ),
    Key::text("note", "anything"),
];

pub(crate) fn check_even(text: &str) -> Result<(), String> {
    if text.parse::<u32>().is_ok_and(|number| number % 2 == 0) {
        Ok(())
    } else {
        Err("expected an even number".into())
    }
}

pub(crate) fn load(text: &str) -> Result<Config, Errors> {
    load_text("toolpass.yaml", text, Path::new("/etc/toolpass"), ALL)
}

pub(crate) fn problems(text: &str) -> String {
    load(text).unwrap_err().to_string()
}

impl Integration for Sample {
    fn name(&self) -> &'static str {
        "sample"
    }

    fn keys(&self) -> &'static [Key] {
        SAMPLE_KEYS
    }

    fn actions(&self) -> &'static [ActionSpec] {
        &[]
    }

    fn check(&self, settings: &Settings) -> Vec<(&'static str, String)> {
        let needs = settings.text("mode") == Some("search") && !settings.has("username");
        if needs {
            vec![("mode", "`search` needs `username` beside it".into())]
        } else {
            Vec::new()
        }
    }

    fn endpoints(&self, _: &Settings) -> Result<Vec<Endpoint>, ConnectError> {
        Ok(Vec::new())
    }

    fn connect(&self, _: Settings, parts: Parts) -> Result<Arc<dyn Connection>, ConnectError> {
        let names: Vec<String> = parts.referenced.keys().cloned().collect();
        Ok(Arc::new(Silent(names.join(","))))
    }
}

impl Integration for Idp {
    fn name(&self) -> &'static str {
        "idp"
    }

    fn keys(&self) -> &'static [Key] {
        IDP_KEYS
    }

    fn actions(&self) -> &'static [ActionSpec] {
        &[]
    }

    fn endpoints(&self, _: &Settings) -> Result<Vec<Endpoint>, ConnectError> {
        Ok(Vec::new())
    }

    fn connect(
        &self,
        settings: Settings,
        parts: Parts,
    ) -> Result<Arc<dyn Connection>, ConnectError> {
        if settings.text("note") == Some("broken") {
            return Err(ConnectError("`note`: it is broken".into()));
        }
        Ok(Arc::new(Silent(parts.id)))
    }
}

/// Its probe says what it was built with.
struct Silent(String);

impl Connection for Silent {
    fn identify<'a>(
        &'a self,
        _: &'a Context,
        _: &'a Person,
    ) -> BoxFuture<'a, Result<Identity, Failure>> {
        ready(Err(Failure::unsupported("not asked here"))).boxed()
    }

    fn check<'a>(
        &'a self,
        _: &'a Context,
        _: &'a Request,
    ) -> BoxFuture<'a, Result<Decision, Failure>> {
        ready(Err(Failure::unsupported("not asked here"))).boxed()
    }

    fn probe<'a>(&'a self, _: &'a Context) -> BoxFuture<'a, Result<Probe, Failure>> {
        ready(Ok(Probe {
            summary: self.0.clone(),
            warnings: Vec::new(),
        }))
        .boxed()
    }
}
