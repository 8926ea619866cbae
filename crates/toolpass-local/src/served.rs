//! The engine behind a server: what it tells of its connections, made into systems that requests are attributed to.
//!
//! What is told is asked for again every minute, under its tag, and used on while it cannot be had. Nothing told is no systems at
//! all, never none. A connection whose route table is another here than there, or that this version does not know, is one whose
//! requests the server names.
//! INVARIANT: the systems of one answer never change; another answer makes other systems.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use toolpass_client::answers::{Told, ToldConnection, ToldPlace};
use toolpass_client::remote::{Endpoints, Remote};
use toolpass_core::clock::{Clock, Monotonic};
use toolpass_core::codes::Code;
use toolpass_core::decision::Decision;
use toolpass_integration::fields::{Settings, Value};
use toolpass_integration::integration::Integration;
use toolpass_wire::endpoint::Endpoint;
use toolpass_wire::matcher::RouteTable;
use toolpass_wire::observe::{System, Systems};

use crate::addresses::Looked;

/// An engine behind a server.
pub struct Served {
    remote: Remote,
    clock: Arc<dyn Clock>,
    known: Mutex<Known>,
    /// Held by whoever asks.
    turn: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Known {
    told: Option<Arc<Systems>>,
    what: Option<Told>,
    tag: Option<String>,
    looked: Arc<Looked>,
    /// When it is asked for again.
    due: Option<Monotonic>,
}

impl Served {
    /// An engine behind this server. Nothing is asked yet.
    pub fn new(remote: Remote, clock: Arc<dyn Clock>) -> Served {
        Served {
            remote,
            clock,
            known: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
        }
    }

    /// The server.
    pub fn remote(&self) -> &Remote {
        &self.remote
    }

    /// The systems as told last; nothing while nothing was.
    pub fn systems(&self) -> Option<Arc<Systems>> {
        self.known().told.clone()
    }

    /// Until when the addresses of these systems are known. Those of systems told before are looked up again.
    pub fn looked(&self, systems: &Arc<Systems>) -> Arc<Looked> {
        let known = self.known();
        let are_these = known
            .told
            .as_ref()
            .is_some_and(|told| Arc::ptr_eq(told, systems));
        if are_these {
            Arc::clone(&known.looked)
        } else {
            Arc::default()
        }
    }

    /// Whether it is time to ask again. Says so once a while, so that one of many callers does.
    pub fn is_due(&self) -> bool {
        let now = self.clock.monotonic();
        let mut known = self.known();
        let is_due = known.due.is_none_or(|due| now >= due);
        if is_due {
            known.due = Some(now.plus(AGAIN));
        }
        is_due && known.told.is_some()
    }

    /// The systems as told last, or as told now when nothing was.
    /// Errors: why nothing is told.
    pub async fn told(&self) -> Result<Arc<Systems>, Decision> {
        if let Some(told) = self.systems() {
            return Ok(told);
        }
        let _turn = self.turn.lock().await;
        if let Some(told) = self.systems() {
            return Ok(told);
        }
        self.ask().await
    }

    /// Ask again; what is known stays when nothing is told.
    pub async fn refresh(&self) {
        let _turn = self.turn.lock().await;
        if let Err(decision) = self.ask().await {
            let reason = decision.reason();
            tracing::warn!(
                reason,
                "the server did not tell its endpoints; those known are used on"
            );
        }
    }

    async fn ask(&self) -> Result<Arc<Systems>, Decision> {
        let tag = self.known().tag.clone();
        let answer = self.remote.endpoints(tag.as_deref()).await?;
        let mut known = self.known();
        known.due = Some(self.clock.monotonic().plus(AGAIN));
        match (answer, &known.told) {
            (Endpoints::Same, Some(told)) => Ok(Arc::clone(told)),
            (Endpoints::Same, None) => Err(unusable()),
            (Endpoints::New { told, tag }, Some(same)) if known.what.as_ref() == Some(&told) => {
                let same = Arc::clone(same);
                known.tag = tag;
                Ok(same)
            }
            (Endpoints::New { told, tag }, _) => {
                let systems = Arc::new(systems(&told).ok_or_else(unusable)?);
                known.told = Some(Arc::clone(&systems));
                known.what = Some(told);
                known.tag = tag;
                known.looked = Arc::default();
                Ok(systems)
            }
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The systems of what a server told; nothing when it is not understood.
fn systems(told: &Told) -> Option<Systems> {
    let mut ids = BTreeSet::new();
    let one = |connection: &ToldConnection| {
        // Two of one id would be told apart by nobody.
        if !ids.insert(connection.id.clone()) {
            return None;
        }
        let table = told.tables.get(&connection.integration);
        system(connection, table.map(String::as_str))
    };
    let systems: Option<Vec<System>> = told.connections.iter().map(one).collect();
    systems.map(Systems::new)
}

fn system(connection: &ToldConnection, table: Option<&str>) -> Option<System> {
    let integration = toolpass_registry::find(&connection.integration);
    let endpoints = connection
        .places
        .iter()
        .map(endpoint)
        .collect::<Option<_>>()?;
    let is_same = |known: &&'static dyn Integration| {
        connection.tells_faces && known.routes().map(RouteTable::version) == table
    };
    let here = integration.filter(is_same);
    let settings = Settings::new(selectors(&connection.selectors));
    Some(System {
        connection: connection.id.clone(),
        integration: match integration {
            Some(integration) => integration.name(),
            None => kept(&connection.integration)?,
        },
        table: here.and_then(|integration| integration.routes()),
        endpoints,
        owns: Arc::new(move |resource| {
            here.is_some_and(|integration| integration.owns(&settings, resource))
        }),
        private: connection.private,
        strict_reads: connection.strict_reads,
        vendor_hosts: integration.map_or(&[], |integration| integration.vendor_hosts()),
        is_served: here.is_none(),
    })
}

fn endpoint(place: &ToldPlace) -> Option<Endpoint> {
    let mut endpoint = Endpoint::parse(&format!("{}{}", place.origin, place.prefix)).ok()?;
    if let Some(mount) = &place.mount {
        endpoint.mount = Some(kept(mount).filter(|mount| mount.starts_with('\\'))?);
    }
    Some(endpoint)
}

fn selectors(told: &BTreeMap<String, String>) -> BTreeMap<String, Value> {
    let told = told.iter();
    told.map(|(key, text)| (key.clone(), Value::Text(text.clone())))
        .collect()
}

/// A name that a server told, for as long as the process lives: they are few, and the same again each time. Nothing when there are
/// more than any server has.
fn kept(name: &str) -> Option<&'static str> {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return Some(known);
    }
    if name.len() > MAX_NAME || names.len() >= MAX_NAMES {
        return None;
    }
    let name: &'static str = Box::leak(name.to_owned().into_boxed_str());
    names.insert(name);
    Some(name)
}

fn unusable() -> Decision {
    Decision::unknown(
        Code::ClientError,
        "what the server tells of its connections cannot be used",
    )
}

/// How often is asked again.
const AGAIN: Duration = Duration::from_secs(60);
const MAX_NAME: usize = 64;
const MAX_NAMES: usize = 256;

#[cfg(test)]
mod tests {
    use toolpass_wire::body::limits::Limits;
    use toolpass_wire::observe::Observation;
    use toolpass_wire::raw::{RawBody, RawRequest};
    use toolpass_wire::request::WireRequest;

    use super::*;

    fn connection(
        id: &str,
        integration: &str,
        origins: &[(&str, &str, Option<&str>)],
    ) -> ToldConnection {
        let place = |(origin, prefix, mount): &(&str, &str, Option<&str>)| ToldPlace {
            origin: (*origin).into(),
            prefix: (*prefix).into(),
            mount: mount.map(str::to_owned),
        };
        ToldConnection {
            id: id.into(),
            integration: integration.into(),
            places: origins.iter().map(place).collect(),
            tells_faces: true,
            selectors: BTreeMap::new(),
            private: false,
            strict_reads: false,
        }
    }

    fn github() -> &'static str {
        let github = toolpass_registry::find("github").unwrap();
        github.routes().unwrap().version()
    }

    fn told(connections: Vec<ToldConnection>, table: &str) -> Told {
        Told {
            connections,
            tables: BTreeMap::from([("github".into(), table.into())]),
        }
    }

    fn observed(systems: &Systems, host: &str, target: &str) -> Observation {
        let raw = RawRequest {
            scheme: "https",
            host,
            port: None,
            method: "GET",
            target,
            headers: Vec::new(),
            body: RawBody::None,
        };
        systems.observe(&WireRequest::read(raw, &Limits::default()))
    }

    #[test]
    fn a_table_that_is_the_same_is_used_here() {
        let places = [
            ("https://api.github.com", "", None),
            ("https://raw.githubusercontent.com", "", Some("\\raw")),
        ];
        let same = systems(&told(vec![connection("gh", "github", &places)], github())).unwrap();
        let found = observed(&same, "api.github.com", "/repos/a/b");
        assert!(matches!(found, Observation::Mapped { .. }), "{found:?}");
        // A row of one face answers on no other.
        match observed(&same, "raw.githubusercontent.com", "/repos/a/b") {
            Observation::Mapped { row, .. } => assert!(row.template.starts_with("/\\raw")),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn another_table_or_an_unknown_system_is_named_there() {
        let place = [("https://api.github.com", "", None)];
        let older = ToldConnection {
            tells_faces: false,
            ..connection("gh", "github", &place)
        };
        for told in [
            told(vec![connection("gh", "github", &place)], "another"),
            told(vec![connection("gh", "newsystem", &place)], github()),
            told(vec![older], github()),
        ] {
            let systems = systems(&told).unwrap();
            let found = observed(&systems, "api.github.com", "/repos/a/b");
            assert_eq!(found, Observation::Served { systems: vec![0] });
            let found = observed(&systems, "elsewhere.example", "/");
            assert!(matches!(found, Observation::UnknownHost { .. }));
        }
    }

    #[test]
    fn what_is_not_understood_is_nothing() {
        let place = [("https://api.github.com", "", None)];
        let twice = vec![
            connection("gh", "github", &place),
            connection("gh", "github", &place),
        ];
        assert!(systems(&told(twice, github())).is_none());
        for places in [
            [("api.github.com", "", None)],
            [("https://u:p@api.github.com", "", None)],
            [("https://{a}.com", "", None)],
            [("https://api.github.com", "/..", None)],
            [("https://api.github.com", "", Some("raw"))],
        ] {
            let told = told(vec![connection("gh", "github", &places)], github());
            assert!(systems(&told).is_none(), "{places:?}");
        }
        let long = "a".repeat(MAX_NAME + 1);
        assert!(systems(&told(vec![connection("x", &long, &place)], github())).is_none());
    }
}
