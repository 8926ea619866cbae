//! From rows to a table: every template parsed, every row checked, all of them put in order.
//!
//! Separate from asking the table, because it runs once and is where a declaration is refused.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use sha2::{Digest, Sha256};
use toolpass_core::action::Action;

use super::{Compiled, TableError};
use crate::table::{Route, Rows, Text, Unrouted};
use crate::template::{PathTemplate, ResourceTemplate};

/// Parse a row's templates, and check that they can be filled.
pub(super) fn row(route: &Route, labels: &[&str]) -> Result<Compiled, TableError> {
    let (method, path) = (route.method.clone(), route.path.clone());
    if method != "*"
        && (method.is_empty() || !method.bytes().all(|b| b.is_ascii_uppercase() || b == b'-'))
    {
        return Err(TableError::Method { method, path });
    }
    let refuse = |why| TableError::Template {
        method: route.method.clone(),
        path: route.path.clone(),
        why,
    };
    let template = PathTemplate::parse(&route.path).map_err(refuse)?;
    let resource = route
        .resource
        .as_ref()
        .map(ResourceTemplate::parse)
        .transpose()
        .map_err(refuse)?;
    if let Some(action) = route
        .action
        .as_ref()
        .filter(|action| Action::parse(action).is_err())
    {
        return Err(TableError::Action {
            method,
            path,
            action: action.clone(),
        });
    }
    let compiled = Compiled {
        path: template,
        resource,
    };
    if route.reads.is_none() {
        check_filled(route, &compiled, labels)?;
    }
    Ok(compiled)
}

/// Without a reader, an action needs a resource, and its fields are path variables or labels of the host.
fn check_filled(route: &Route, compiled: &Compiled, labels: &[&str]) -> Result<(), TableError> {
    let (method, path) = (route.method.clone(), route.path.clone());
    if route.action.is_some() && compiled.resource.is_none() {
        return Err(TableError::NoResource { method, path });
    }
    let given = |name: &&Text| {
        compiled.path.names().any(|known| known == *name) || labels.contains(&name.as_ref())
    };
    match compiled
        .resource
        .iter()
        .flat_map(ResourceTemplate::names)
        .find(|name| !given(name))
    {
        Some(name) => Err(TableError::Field {
            method,
            path,
            name: name.clone(),
        }),
        None => Ok(()),
    }
}

pub(super) fn left_out(unrouted: &Unrouted) -> Result<PathTemplate, TableError> {
    PathTemplate::parse(&unrouted.path).map_err(|why| TableError::Template {
        method: unrouted.method.clone(),
        path: unrouted.path.clone(),
        why,
    })
}

/// Prefixes are plain paths; claims are templates.
pub(super) fn check_prefixes(rows: &Rows) -> Result<(), TableError> {
    let plain = |path: PathTemplate| path.literals() == path.parts().len() && path.tail().is_none();
    let wrong_prefix = rows
        .prefixes
        .iter()
        .find(|prefix| !PathTemplate::parse(prefix).is_ok_and(plain));
    let wrong_claim = || {
        rows.claims
            .iter()
            .find(|claim| PathTemplate::parse(claim).is_err())
    };
    match wrong_prefix.or_else(wrong_claim) {
        Some(prefix) => Err(TableError::Prefix {
            prefix: prefix.clone(),
        }),
        None => Ok(()),
    }
}

fn check_unique(routes: &[Route], shapes: &[String]) -> Result<(), TableError> {
    let mut seen: BTreeMap<(&str, &str), &Text> = BTreeMap::new();
    for (route, shape) in routes.iter().zip(shapes) {
        if let Some(first) = seen.insert((&route.method, shape), &route.path) {
            let (first, second) = (first.clone(), route.path.clone());
            return Err(TableError::Twice {
                method: route.method.clone(),
                first,
                second,
            });
        }
    }
    Ok(())
}

/// The rows' indices, most specific first.
/// Errors: [`TableError::Twice`].
pub(super) fn ranked(rows: &Rows, compiled: &[Compiled]) -> Result<Vec<usize>, TableError> {
    let fold = rows.quirks.literals_fold_case;
    let shapes: Vec<String> = compiled.iter().map(|row| row.path.shape(fold)).collect();
    check_unique(&rows.routes, &shapes)?;
    let mut keyed: Vec<_> = rows
        .routes
        .iter()
        .zip(compiled)
        .zip(&shapes)
        .enumerate()
        .collect();
    keyed.sort_by_key(|(_, ((route, row), shape))| {
        let length = row.path.parts().len();
        let tail = row.path.tail().map(|_| Reverse(length));
        (
            Reverse(row.path.literals()),
            tail,
            shape.as_str(),
            method_rank(&route.method),
        )
    });
    Ok(keyed.into_iter().map(|(index, _)| index).collect())
}

/// Of two rows with one shape that both take a request, the lower answers.
fn method_rank(method: &str) -> u8 {
    match method {
        "HEAD" => 0,
        "*" => 2,
        _ => 1,
    }
}

/// A hash of all that a row says, whatever the order of rows.
pub(super) fn version(rows: &Rows) -> String {
    let mut hash = Sha256::new();
    let mut lines: Vec<String> = rows
        .routes
        .iter()
        .map(|route| format!("{:?}", Described(route)))
        .collect();
    lines.extend(
        rows.unrouted
            .iter()
            .map(|row| format!("- {:?} {:?} {:?}", row.method, row.path, row.reason)),
    );
    lines.sort();
    lines.push(format!(
        "{:?} {:?} {:?}",
        rows.claims, rows.prefixes, rows.quirks
    ));
    for line in lines {
        hash.update(line.as_bytes());
        hash.update(b"\n");
    }
    let mut version = String::new();
    for b in hash.finalize().iter().take(8) {
        // Writing to a string cannot fail.
        let _ = write!(version, "{b:02x}");
    }
    version
}

/// A row without the address of its reader, which differs from build to build.
struct Described<'r>(&'r Route);

impl fmt::Debug for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Taken apart by name, so that a new column cannot be forgotten.
        let Route {
            method,
            path,
            action,
            resource,
            effect,
            sends_out,
            untrusted_output,
            sensitive,
            agent_sight,
            agent_only,
            reads,
            no_operation,
        } = self.0;
        write!(
            f,
            "{method:?} {path:?} {action:?} {resource:?} {effect:?} {sends_out:?} {untrusted_output:?} "
        )?;
        write!(
            f,
            "{sensitive} {agent_sight} {agent_only:?} {} {no_operation:?}",
            reads.is_some()
        )
    }
}
