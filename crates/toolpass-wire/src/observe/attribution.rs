//! Which systems a request belongs to, by host, port, scheme and the start of its path.
//!
//! Separate because it looks at no table row. The longest prefix wins, then the closest host; what is still level stays level.
//! INVARIANT: a request to a system's own host that only a different reading of its path takes to the system's prefix is
//! unclear, not unknown.

use crate::address;
use crate::endpoint::{Endpoint, VendorHosts};
use crate::field::Unresolved;
use crate::matcher::RouteTable;
use crate::path::PathSegments;
use crate::request::WireRequest;
use crate::table::Text;
use crate::template::Path;

use super::{System, Systems, another_name};

/// Whose request it is.
pub(crate) enum Attribution {
    /// These systems', all equally likely.
    Known {
        systems: Vec<usize>,
        start: Start,
        labels: Vec<(Text, String)>,
    },
    /// The host is a system's, the scheme is not.
    Mismatch(String),
    /// These systems' host, and the path can be read in two ways.
    Unclear {
        systems: Vec<usize>,
        reason: Unresolved,
    },
    /// No system's.
    Unknown {
        vendor_of: Option<&'static str>,
        other_name: Option<String>,
        other_port: bool,
    },
}

/// Where in a path the templates begin.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Start {
    /// How many segments the prefix has.
    skipped: usize,
    /// The face of the system that was reached.
    mount: Option<&'static str>,
}

impl Start {
    /// The path from there on.
    pub(crate) fn of(self, path: &PathSegments) -> Path<'_> {
        Path::from(path).skip(self.skipped).below(self.mount)
    }
}

/// How a path meets a prefix.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Not at all.
    Not,
    /// Spelled plainly, over this many segments.
    Plain(usize),
    /// Only once escapes are undone.
    Disguised,
}

/// An endpoint whose host is the request's.
struct Candidate<'s> {
    index: usize,
    system: &'s System,
    endpoint: &'s Endpoint,
    labels: Vec<(Text, String)>,
}

impl Systems {
    pub(crate) fn attribute(&self, request: &WireRequest) -> Attribution {
        let candidates = self.candidates(request.host());
        if candidates.is_empty() {
            return self.unknown(request);
        }
        let at_place = |candidate: &&Candidate<'_>| {
            candidate.endpoint.scheme == *request.scheme()
                && candidate.endpoint.port_number() == request.port()
        };
        let here: Vec<&Candidate<'_>> = candidates.iter().filter(at_place).collect();
        if here.is_empty() {
            return self.not_at_place(request, &candidates);
        }
        match request.path() {
            Ok(path) => by_prefix(path, &here),
            Err(reason) => Attribution::Unclear {
                systems: indices(here.iter().copied()),
                reason: reason.clone(),
            },
        }
    }

    fn candidates(&self, host: &str) -> Vec<Candidate<'_>> {
        let exact = self.by_host.get(host).into_iter().flatten();
        let places = exact.chain(&self.patterns).filter_map(|(index, place)| {
            let system = self.systems.get(*index)?;
            let endpoint = system.endpoints.get(*place)?;
            let labels = endpoint.host.captures(host)?;
            Some(Candidate {
                index: *index,
                system,
                endpoint,
                labels,
            })
        });
        places.collect()
    }

    /// A host of a system, reached over another scheme or port.
    fn not_at_place(&self, request: &WireRequest, candidates: &[Candidate<'_>]) -> Attribution {
        let mistaken = candidates.iter().find(|candidate| {
            let port = candidate.endpoint.port_number();
            let both_default =
                port == candidate.endpoint.scheme.default_port() && request.is_default_port();
            candidate.endpoint.scheme != *request.scheme()
                && (port == request.port() || both_default)
        });
        if let Some(mistaken) = mistaken {
            let (connection, scheme) = (
                &mistaken.system.connection,
                mistaken.endpoint.scheme.as_str(),
            );
            return Attribution::Mismatch(format!(
                "connection `{connection}` is reached by {scheme}"
            ));
        }
        // On this machine a port is just another service.
        let other_port = !address::is_loopback_host(request.host());
        Attribution::Unknown {
            vendor_of: self.vendor_of(request.host()),
            other_name: None,
            other_port,
        }
    }

    fn unknown(&self, request: &WireRequest) -> Attribution {
        let host = request.host();
        let other_name = self.other_name(host, request.port());
        Attribution::Unknown {
            vendor_of: self.vendor_of(host),
            other_name,
            other_port: false,
        }
    }

    fn vendor_of(&self, host: &str) -> Option<&'static str> {
        let of_vendor = |system: &&System| VendorHosts(system.vendor_hosts).covers(host);
        self.systems
            .iter()
            .filter(of_vendor)
            .map(|system| system.integration)
            .min()
    }

    /// What a host of no connection is besides.
    fn other_name(&self, host: &str, port: u16) -> Option<String> {
        if let Some(kind) = address::forbidden_host(host) {
            return Some(kind.to_string());
        }
        if let Some(other) = host
            .parse()
            .ok()
            .and_then(|address| self.other_name_of(address, port))
        {
            return Some(other);
        }
        if !address::is_loopback_host(host) {
            return None;
        }
        let same_port = |endpoint: &Endpoint| {
            endpoint.port_number() == port
                && endpoint.host.exact().is_some_and(address::is_loopback_host)
        };
        let found = self
            .systems
            .iter()
            .find(|system| system.endpoints.iter().any(same_port));
        found.map(|system| another_name(&system.connection))
    }
}

/// A path without the first of the table's own prefixes that it begins with.
/// Errors: [`Unresolved`] when it begins with one only once escapes are undone.
pub(crate) fn without_own_prefix<'p>(
    table: &RouteTable,
    path: Path<'p>,
) -> Result<Path<'p>, Unresolved> {
    for prefix in table.prefixes() {
        match reach(prefix, path, table.quirks().literals_fold_case) {
            Reach::Plain(count) => return Ok(path.skip(count)),
            Reach::Disguised => return Err(disguised()),
            Reach::Not => {}
        }
    }
    Ok(path)
}

fn by_prefix(path: &PathSegments, here: &[&Candidate<'_>]) -> Attribution {
    let length = |candidate: &Candidate<'_>| candidate.endpoint.prefix.len();
    let mut reached: Vec<(&Candidate<'_>, Reach)> = here
        .iter()
        .map(|candidate| (*candidate, reach_of(candidate, path)))
        .collect();
    reached.retain(|(_, reach)| *reach != Reach::Not);
    let longest = reached.iter().map(|(candidate, _)| length(candidate)).max();
    reached.retain(|(candidate, _)| Some(length(candidate)) == longest);
    if reached.is_empty() {
        // The system's own server, beside what the table can name: a web page, git over HTTPS.
        let vendor_of = here
            .iter()
            .map(|candidate| candidate.system.integration)
            .min();
        return Attribution::Unknown {
            vendor_of,
            other_name: None,
            other_port: false,
        };
    }
    if reached.iter().any(|(_, reach)| *reach == Reach::Disguised) {
        let systems = indices(reached.iter().map(|(candidate, _)| *candidate));
        return Attribution::Unclear {
            systems,
            reason: disguised(),
        };
    }
    let closest = reached
        .iter()
        .map(|(candidate, _)| candidate.endpoint.host.closeness())
        .max();
    reached.retain(|(candidate, _)| Some(candidate.endpoint.host.closeness()) == closest);
    let mut mounts = reached
        .iter()
        .map(|(candidate, _)| candidate.endpoint.mount);
    let mount = mounts.next().flatten();
    let systems = indices(reached.iter().map(|(candidate, _)| *candidate));
    if mounts.any(|other| other != mount) {
        let reason = Unresolved::new("connections with different faces answer for this path");
        return Attribution::Unclear { systems, reason };
    }
    let (skipped, labels) = match reached.first() {
        Some((candidate, Reach::Plain(skipped))) => (*skipped, candidate.labels.clone()),
        _ => (0, Vec::new()),
    };
    if reached.iter().any(|(other, _)| other.labels != labels) {
        let reason = Unresolved::new("connections read the host in different ways");
        return Attribution::Unclear { systems, reason };
    }
    Attribution::Known {
        systems,
        start: Start { skipped, mount },
        labels,
    }
}

fn reach_of(candidate: &Candidate<'_>, path: &PathSegments) -> Reach {
    let fold_case = candidate
        .system
        .table
        .is_some_and(|table| table.quirks().literals_fold_case);
    reach(&candidate.endpoint.prefix, path.into(), fold_case)
}

/// Hold a path against a prefix as the most lenient server would: empty segments dropped, encoded slashes taken for slashes.
fn reach(prefix: &str, path: Path<'_>, fold_case: bool) -> Reach {
    let pieces = path.iter().flat_map(|segment| {
        segment
            .text
            .split('/')
            .map(move |piece| (piece, segment.escaped))
    });
    let mut pieces = pieces.filter(|(piece, _)| !piece.is_empty());
    let mut reach = Reach::Plain(0);
    for wanted in prefix.split('/').filter(|wanted| !wanted.is_empty()) {
        let Some((piece, escaped)) = pieces.next() else {
            return Reach::Not;
        };
        if piece != wanted && !(fold_case && piece.eq_ignore_ascii_case(wanted)) {
            return Reach::Not;
        }
        reach = match reach {
            Reach::Plain(count) if !escaped => Reach::Plain(count + 1),
            _ => Reach::Disguised,
        };
    }
    reach
}

/// The systems of candidates, each once, in the order they were declared.
fn indices<'c, 's: 'c>(candidates: impl Iterator<Item = &'c Candidate<'s>>) -> Vec<usize> {
    let mut indices: Vec<usize> = candidates.map(|candidate| candidate.index).collect();
    indices.sort_unstable();
    indices.dedup();
    indices
}

fn disguised() -> Unresolved {
    Unresolved::new("the prefix of the path is spelled with escapes")
}
