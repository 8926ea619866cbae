//! What a request is, as far as the request and the configured systems can say: whose host, which row, which pairs.
//!
//! This is the one entry point of the crate. It observes and names; whether the request may leave is guard's to decide.
//! The order: the host itself, the systems it belongs to, the request's own problems, the row, what the row's reader says.
//! INVARIANT: what cannot be told apart is never attributed to the weaker reading: an ambiguous request to a system's host is
//! [`Observation::Unresolved`], not unmapped and not an unknown host.
//! INVARIANT: no answer depends on the order in which systems were declared.
//! INVARIANT: a reader or `owns` that crashes makes a request unclear, never plainer.

pub(crate) mod attribution;
mod needs;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError, RwLock};

use toolpass_core::effect::Effect;
use toolpass_core::resource::Resource;

use crate::address;
use crate::endpoint::Endpoint;
use crate::extract::{Extracted, Need};
use crate::field::Unresolved;
use crate::matcher::{Match, RouteTable};
use crate::reading::Reading;
use crate::request::{Scheme, WireRequest};
use crate::table::{Audience, Quirks, Text};
use crate::template::Path;
use attribution::{Attribution, Start};

/// One configured system.
#[derive(Clone)]
pub struct System {
    /// The connection's id.
    pub connection: String,
    /// The integration's name.
    pub integration: &'static str,
    /// Its route table; a system without one maps nothing.
    pub table: Option<&'static RouteTable>,
    /// Where it is reached.
    pub endpoints: Vec<Endpoint>,
    /// Whether a resource can be one of this system's: a pure function of the integration and the connection's settings.
    pub owns: Arc<dyn Fn(&Resource) -> bool + Send + Sync>,
    /// What it answers is private data.
    pub private: bool,
    /// Reads that no row maps, or that follow the agent's sight, need the agent's own authority.
    pub strict_reads: bool,
    /// Suffixes of hosts that are its vendor's.
    pub vendor_hosts: &'static [&'static str],
    /// Its requests are named elsewhere: the table here is another than that of the engine which is asked, or there is none.
    pub is_served: bool,
}

/// The configured systems, indexed by host.
pub struct Systems {
    systems: Vec<System>,
    /// (system, endpoint) by exact host.
    by_host: HashMap<String, Vec<(usize, usize)>>,
    /// (system, endpoint) of patterns.
    patterns: Vec<(usize, usize)>,
    /// The systems whose servers answer at an address and port.
    addresses: RwLock<HashMap<(IpAddr, u16), Vec<usize>>>,
}

/// What a request is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observation {
    /// It names another host than it goes to, or reaches a system over the wrong scheme.
    HostMismatch {
        /// Why.
        reason: String,
    },
    /// No system answers there. [`WireRequest::problem`] is not looked at: guard does, for writes.
    UnknownHost {
        /// The integration whose vendor the host belongs to.
        vendor_of: Option<&'static str>,
        /// What else the host is, in words: another name of a system's server, a metadata service.
        other_name: Option<String>,
        /// Whether it counts as a write whatever its method.
        counts_as_write: bool,
    },
    /// The host of a system whose requests are named elsewhere; see [`Served`].
    Served {
        /// The systems it could belong to.
        systems: Vec<usize>,
    },
    /// A system's host, and no row.
    Unmapped {
        /// The systems it could belong to.
        systems: Vec<usize>,
        /// What it does, by its method.
        effect: Effect,
    },
    /// A system's host, and the request does not say unambiguously what it acts on.
    Unresolved {
        /// The systems it could belong to.
        systems: Vec<usize>,
        /// The row, when one was found.
        row: Option<RowInfo>,
        /// What it does.
        effect: Effect,
        /// Why it cannot be told.
        reason: Unresolved,
    },
    /// Understood.
    Mapped {
        /// The systems it could belong to; [`Systems::select`] says which.
        systems: Vec<usize>,
        /// The row.
        row: RowInfo,
        /// What must be allowed, at least one; all of it.
        needs: Vec<Need>,
        /// The strongest effect.
        effect: Effect,
    },
}

/// What is said elsewhere, with the tables of there, of a request to systems that are named there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Served {
    /// Several systems answer for it, and not exactly one can own its resource.
    Ambiguous,
    /// It names another host than it goes to.
    HostMismatch {
        /// Why.
        reason: String,
    },
    /// Understood.
    Mapped {
        /// The row.
        row: RowInfo,
        /// What must be allowed, at least one, and the system of each; no pointers.
        needs: Vec<(Need, usize)>,
        /// The strongest effect.
        effect: Effect,
    },
    /// No row.
    Unmapped {
        /// What it does, by its method.
        effect: Effect,
    },
    /// It does not say unambiguously what it acts on.
    Unresolved {
        /// What it does.
        effect: Effect,
        /// Why it cannot be told.
        reason: Unresolved,
    },
}

/// What is known of the row that answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowInfo {
    /// The row's method.
    pub method: Text,
    /// The row's template.
    pub template: Text,
    /// Who reads what is sent.
    pub sends_out: Option<Audience>,
    /// The response is untrusted.
    pub untrusted_output: bool,
    /// The response holds a secret.
    pub sensitive: bool,
    /// The response follows what the agent's credential sees.
    pub agent_sight: bool,
    /// Only on the agent's own authority, for this reason.
    pub agent_only: Option<Text>,
    /// Path variables and what the reader read; for the recorder, never for the audit.
    pub fields: Vec<(Text, String)>,
}

/// Several systems answer for a request, and not exactly one can own its resource.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("connections {} answer for this host, and {owners} of them can own the resource", quoted(.connections))]
pub struct Ambiguous {
    /// The connections' ids.
    pub connections: Vec<String>,
    /// How many can own it: never one.
    pub owners: usize,
}

impl Systems {
    /// Index the systems.
    pub fn new(systems: Vec<System>) -> Systems {
        let mut by_host: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
        let mut patterns = Vec::new();
        let mut addresses: HashMap<(IpAddr, u16), Vec<usize>> = HashMap::new();
        for (index, system) in systems.iter().enumerate() {
            for (place, endpoint) in system.endpoints.iter().enumerate() {
                match endpoint.host.exact() {
                    Some(host) => by_host
                        .entry(host.to_string())
                        .or_default()
                        .push((index, place)),
                    None => patterns.push((index, place)),
                }
                if let Some(address) = endpoint.host.address() {
                    addresses
                        .entry((address::unwrapped(address), endpoint.port_number()))
                        .or_default()
                        .push(index);
                }
            }
        }
        Systems {
            systems,
            by_host,
            patterns,
            addresses: RwLock::new(addresses),
        }
    }

    /// The system with this index.
    pub fn get(&self, index: usize) -> Option<&System> {
        self.systems.get(index)
    }

    /// The systems in the order given.
    pub fn iter(&self) -> impl Iterator<Item = &System> {
        self.systems.iter()
    }

    /// Say what a request is.
    pub fn observe(&self, request: &WireRequest) -> Observation {
        if let Some(reason) = request.host_problem() {
            return Observation::HostMismatch {
                reason: reason.to_string(),
            };
        }
        match self.attribute(request) {
            Attribution::Mismatch(reason) => Observation::HostMismatch { reason },
            Attribution::Unknown {
                vendor_of,
                other_name,
                other_port,
            } => {
                let is_http = matches!(request.scheme(), Scheme::Http | Scheme::Https);
                let counts_as_write = other_port || request.effect() > Effect::Read || !is_http;
                Observation::UnknownHost {
                    vendor_of,
                    other_name,
                    counts_as_write,
                }
            }
            Attribution::Unclear { systems, reason } => Observation::Unresolved {
                effect: self.effect_on(request, &systems),
                systems,
                row: None,
                reason,
            },
            Attribution::Known {
                systems,
                start,
                labels,
            } => self.on_systems(request, systems, start, labels),
        }
    }

    /// The one system among `candidates` that the resource belongs to.
    /// Errors: [`Ambiguous`] when there are several and not exactly one can own it.
    pub fn select(&self, candidates: &[usize], resource: &Resource) -> Result<usize, Ambiguous> {
        if let [only] = candidates {
            return Ok(*only);
        }
        // Who cannot say so may own it: then nobody is the only one.
        let can_own = |index: &&usize| {
            self.get(**index)
                .is_some_and(|system| unless_crashed(|| (system.owns)(resource)).unwrap_or(true))
        };
        let owners: Vec<usize> = candidates.iter().filter(can_own).copied().collect();
        match owners.as_slice() {
            [owner] => Ok(*owner),
            _ => {
                let named = candidates.iter().filter_map(|index| self.get(*index));
                Err(Ambiguous {
                    connections: named.map(|system| system.connection.clone()).collect(),
                    owners: owners.len(),
                })
            }
        }
    }

    /// Remember an address that a host of a system led to, for all ports of that system.
    pub fn learn_address(&self, index: usize, address: IpAddr) {
        let Some(system) = self.get(index) else {
            return;
        };
        let mut addresses = self
            .addresses
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        for endpoint in &system.endpoints {
            let known = addresses
                .entry((address::unwrapped(address), endpoint.port_number()))
                .or_default();
            if !known.contains(&index) {
                known.push(index);
            }
        }
    }

    /// What an address is besides, in words: another name of a system's server, link-local, a metadata service. For a hook that
    /// sees where a name of no connection led.
    pub fn other_name_of(&self, address: IpAddr, port: u16) -> Option<String> {
        if let Some(kind) = address::forbidden_address(address) {
            return Some(kind.to_string());
        }
        let addresses = self
            .addresses
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        let index = addresses
            .get(&(address::unwrapped(address), port))?
            .first()?;
        self.get(*index)
            .map(|system| another_name(&system.connection))
    }

    /// What a canonical host is besides, in words, by an address it led to. A public address is shared by many names, so for
    /// a name it says nothing: the name decides, and the certificate. A private one is one server. A connection's own host
    /// is no other name of it: what lies outside its prefixes is another application.
    pub fn led_to(&self, host: &str, address: IpAddr, port: u16) -> Option<String> {
        if self.by_host.contains_key(host) {
            return None;
        }
        let says_something = host.parse::<IpAddr>().is_ok()
            || address::is_private(address)
            || address::forbidden_address(address).is_some();
        self.other_name_of(address, port).filter(|_| says_something)
    }

    /// A request to these systems, whose templates begin at `start` and whose host gave `labels`.
    fn on_systems(
        &self,
        request: &WireRequest,
        systems: Vec<usize>,
        start: Start,
        labels: Vec<(Text, String)>,
    ) -> Observation {
        let mut candidates = systems.iter().filter_map(|index| self.get(*index));
        if candidates.any(|system| system.is_served) {
            return Observation::Served { systems };
        }
        let effect = self.effect_on(request, &systems);
        let (table, path) = match self.place(request, &systems, start) {
            Ok(Some(place)) => place,
            Ok(None) => return Observation::Unmapped { systems, effect },
            Err(reason) => {
                return Observation::Unresolved {
                    systems,
                    row: None,
                    effect,
                    reason,
                };
            }
        };
        let Some(found) = find(table, request.method(), path) else {
            return match request.method() {
                "OPTIONS" if !table.quirks().ignores_method => needs::preflight().on(systems),
                // A server that takes it for a plain one may know the path.
                _ if path.iter().any(|segment| segment.slashed) => Observation::Unresolved {
                    systems,
                    row: None,
                    effect,
                    reason: Unresolved::new("the path holds an encoded slash where none can stand"),
                },
                _ => Observation::Unmapped { systems, effect },
            };
        };
        let mut captured = labels;
        captured.extend(found.captures(path));
        let effect = found.route.effect.unwrap_or(effect);
        let extracted = match found.route.reads {
            _ if !found.allows_slashes(path) => Err(Unresolved::new(
                "the path holds an encoded slash where none can stand",
            )),
            None => Ok(Extracted::default()),
            Some(reads) => {
                let reading = Reading::new(request, &captured, *table.quirks());
                unless_crashed(|| reads(&reading))
                    .unwrap_or_else(|| Err(Unresolved::new("the reader of this route failed")))
            }
        };
        match extracted.and_then(|extracted| needs::needs_of(&found, effect, &captured, extracted))
        {
            Ok(mapped) => mapped.on(systems),
            Err(reason) => {
                let row = Some(needs::row_info(found.route, effect, captured));
                Observation::Unresolved {
                    systems,
                    row,
                    effect,
                    reason,
                }
            }
        }
    }

    /// What a request does before a row says more: by its method, where the systems go by it.
    fn effect_on(&self, request: &WireRequest, systems: &[usize]) -> Effect {
        let tables = systems.iter().filter_map(|index| self.get(*index)?.table);
        let any_ignores = tables
            .into_iter()
            .any(|table| table.quirks().ignores_method);
        match any_ignores {
            true => request.effect().max(Effect::Write),
            false => request.effect(),
        }
    }

    /// The table to look into and the path to look up; `None` when there is no table.
    /// Errors: [`Unresolved`] for a request that can be read in two ways, whatever row it would fall under.
    fn place<'r>(
        &self,
        request: &'r WireRequest,
        systems: &[usize],
        start: Start,
    ) -> Result<Option<Place<'r>>, Unresolved> {
        let table = self.table_of(systems)?;
        let quirks = table.map_or_else(Quirks::default, |table| *table.quirks());
        if let Some(reason) = request.problem_on_connection(&quirks) {
            return Err(reason);
        }
        let path = start.of(request.path().map_err(Clone::clone)?);
        table
            .map(|table| Ok((table, attribution::without_own_prefix(table, path)?)))
            .transpose()
    }

    /// The table that all candidates share. A version says nothing of the readers, so the integration must be one too.
    fn table_of(&self, systems: &[usize]) -> Result<Option<&'static RouteTable>, Unresolved> {
        let mut candidates = systems.iter().filter_map(|index| self.get(*index));
        let Some(first) = candidates.next() else {
            return Ok(None);
        };
        let version = |system: &System| system.table.map(RouteTable::version);
        let same = |other: &System| {
            other.integration == first.integration && version(other) == version(first)
        };
        if candidates.all(same) {
            Ok(first.table)
        } else {
            Err(Unresolved::new(
                "connections of different systems answer for this host",
            ))
        }
    }
}

impl fmt::Debug for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("System");
        shown
            .field("connection", &self.connection)
            .field("integration", &self.integration)
            .field("endpoints", &self.endpoints);
        shown
            .field("private", &self.private)
            .field("strict_reads", &self.strict_reads)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Systems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.systems).finish()
    }
}

/// Where a request is looked up.
type Place<'r> = (&'static RouteTable, Path<'r>);

/// A preflight is answered by a server itself, so only a row written for OPTIONS counts, no `*` row; but for a vendor that goes by no
/// method, it may be the operation.
pub(crate) fn find<'t>(table: &'t RouteTable, method: &str, path: Path<'_>) -> Option<Match<'t>> {
    table.find(method, path).filter(|found| {
        method != "OPTIONS" || found.route.method == "OPTIONS" || table.quirks().ignores_method
    })
}

/// What a function of an integration answers; nothing when it crashes. It only reads, so nothing half-done is left behind.
fn unless_crashed<T>(function: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(function)).ok()
}

fn another_name(connection: &str) -> String {
    format!("another name of the server of connection `{connection}`")
}

fn quoted(names: &[String]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}
