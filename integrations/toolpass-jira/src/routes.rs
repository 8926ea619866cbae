//! The route table.

use std::sync::LazyLock;
use toolpass_wire::matcher::RouteTable;
use toolpass_wire::table::Rows;

/// The compiled table.
pub fn table() -> &'static RouteTable {
    &TABLE
}

static TABLE: LazyLock<RouteTable> = LazyLock::new(|| match RouteTable::build(Rows::default()) {
    Ok(table) => table,
    Err(error) => unreachable!("Jira's table is built by a test: {error}"),
});
