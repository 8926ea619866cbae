//! Table: the one address of Linear's GraphQL API, and the host of its files.
//!
//! What a request does stands in its document, which `graphql/` reads: its tables are the routes of this system. A path below
//! `\uploads` is on another host than the API: see `endpoints` in the crate's root.
//! Source: linear.app/developers "Graphql", "File storage authentication"; read 2026-12-01.

use std::sync::LazyLock;

use toolpass_integration::{routes, unrouted};
use toolpass_wire::matcher::RouteTable;
use toolpass_wire::table::{Route, Rows, Unrouted};

use crate::extract;

/// The compiled table.
pub fn table() -> &'static RouteTable {
    &TABLE
}

/// The rows before they are compiled.
pub fn rows() -> Rows {
    Rows {
        routes: routes(),
        unrouted: left_out(),
        claims: vec!["/".into()],
        ..Rows::default()
    }
}

static TABLE: LazyLock<RouteTable> = LazyLock::new(|| match RouteTable::build(rows()) {
    Ok(table) => table,
    Err(error) => unreachable!("Linear's table is built by a test: {error}"),
});

#[rustfmt::skip]
fn routes() -> Vec<Route> {
    routes! {
        GET   "/"                   -  -  reads(extract::operation);
        POST  "/"                   -  -  reads(extract::operation);
        GET   "/\\uploads/{rest+}"  -  -  agent_only("a file of an issue or a document, served to whoever shows the key; its address does not say whose it is")  no_operation("files are no part of the GraphQL API");
    }
}

#[rustfmt::skip]
fn left_out() -> Vec<Unrouted> {
    unrouted! {
        *  "/\\uploads/{rest+}"  "files are put where `fileUpload` says, on another host";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_builds() {
        let table = RouteTable::build(rows()).unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(table.version(), super::table().version());
        let rows = rows().routes;
        assert!(
            rows.iter()
                .all(|row| row.reads.is_some() || row.agent_only.is_some())
        );
    }
}
