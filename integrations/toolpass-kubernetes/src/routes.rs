//! Table: the forms of a path that the API server knows, whatever it serves.
//!
//! Few rows, because the server reads all resources by one rule (`extract`): a new resource needs none. A tail is what follows a part of an
//! object, as behind `proxy`.
//! INVARIANT: a path below `/api` or `/apis` that no row takes falls to the last row, which refuses it.
//! Source: k8s.io/apiserver `endpoints/request/requestinfo.go`; kubernetes.io "Kubernetes API Concepts"; read 2026-12-01.

use std::sync::LazyLock;

use toolpass_integration::{routes, unrouted};
use toolpass_wire::matcher::RouteTable;
use toolpass_wire::table::{Quirks, Route, Rows, Unrouted};

use crate::extract::object;
use crate::extract::path::{any, discovery};

/// The compiled table.
pub fn table() -> &'static RouteTable {
    &TABLE
}

/// The rows before they are compiled.
pub fn rows() -> Rows {
    Rows {
        routes: [about_itself(), core(), passed_on(), groups()].concat(),
        unrouted: left_out(),
        claims: ["/api", "/apis"]
            .iter()
            .map(|prefix| (*prefix).into())
            .collect(),
        prefixes: Vec::new(),
        quirks: Quirks {
            untyped_body_is_json: true,
            ..Quirks::default()
        },
    }
}

static TABLE: LazyLock<RouteTable> = LazyLock::new(|| match RouteTable::build(rows()) {
    Ok(table) => table,
    Err(error) => unreachable!("the table of Kubernetes is built by a test: {error}"),
});

fn left_out() -> Vec<Unrouted> {
    unrouted! {
        *  "/api/v1/proxy/{rest+}"                  "the old way to proxy; go through the part `proxy` of the object";
        *  "/api/v1/watch/{rest+}"                  "the old way to watch; use `?watch=true`";
        *  "/apis/{group}/{version}/proxy/{rest+}"  "the old way to proxy; go through the part `proxy` of the object";
        *  "/apis/{group}/{version}/watch/{rest+}"  "the old way to watch; use `?watch=true`";
    }
}

/// Discovery, schemas and health, and every other path that is no resource.
fn about_itself() -> Vec<Route> {
    routes! {
        GET  "/api"                     -  -  trusted  reads(discovery);
        GET  "/api/v1"                  -  -  trusted  reads(discovery);
        GET  "/apis"                    -  -  trusted  reads(discovery);
        GET  "/apis/{group}"            -  -  trusted  reads(discovery)  no_operation("the list has a row for each group");
        GET  "/apis/{group}/{version}"  -  -  trusted  reads(discovery)  no_operation("the list has a row for each group");
        GET  "/healthz"                 -  -  trusted  reads(discovery)  no_operation("a path of the server that its description leaves out");
        GET  "/livez"                   -  -  trusted  reads(discovery)  no_operation("a path of the server that its description leaves out");
        GET  "/openapi/v2"              -  -  trusted  reads(discovery)  no_operation("a path of the server that its description leaves out");
        GET  "/openapi/v3"              -  -  trusted  reads(discovery)  no_operation("a path of the server that its description leaves out");
        GET  "/openapi/v3/{path+}"      -  -  trusted  reads(discovery)  no_operation("a path of the server that its description leaves out");
        GET  "/readyz"                  -  -  trusted  reads(discovery)  no_operation("a path of the server that its description leaves out");
        GET  "/version"                 -  -  trusted  reads(discovery);
        *    "/{path+}"                 -  -  reads(any)  no_operation("stands for every other path of the server");
    }
}

/// Resources of the core group.
fn core() -> Vec<Route> {
    routes! {
        *  "/api/v1/namespaces/{ns}/{res}"                       -  -  reads(object)  no_operation("stands for every collection in a namespace");
        *  "/api/v1/namespaces/{ns}/{res}/{name}"                -  -  reads(object)  no_operation("stands for every object in a namespace");
        *  "/api/v1/namespaces/{ns}/{res}/{name}/{sub}"          -  -  untrusted  reads(object)  no_operation("stands for every part of an object");
        *  "/api/v1/namespaces/{ns}/{res}/{name}/{sub}/{rest+}"  -  -  untrusted  reads(object)  no_operation("stands for what follows a part of an object");
        *  "/api/v1/{res}"                                       -  -  reads(object)  no_operation("stands for every collection of the cluster");
        *  "/api/v1/{res}/{name}"                                -  -  reads(object)  no_operation("stands for every object of the cluster");
        *  "/api/v1/{res}/{name}/{sub}"                          -  -  untrusted  reads(object)  no_operation("stands for every part of an object");
        *  "/api/v1/{res}/{name}/{sub}/{rest+}"                  -  -  untrusted  reads(object)  no_operation("stands for what follows a part of an object");
    }
}

/// What is no question before a request here, because a proxy passes it on: it has no verb, so it is refused.
fn passed_on() -> Vec<Route> {
    routes! {
        OPTIONS  "/api/v1/namespaces/{ns}/{res}/{name}/{sub}"          -  -  reads(object)  no_operation("a proxied program may do something for it, so it is refused");
        OPTIONS  "/api/v1/namespaces/{ns}/{res}/{name}/{sub}/{rest+}"  -  -  reads(object)  no_operation("a proxied program may do something for it, so it is refused");
        OPTIONS  "/api/v1/{res}/{name}/{sub}"                          -  -  reads(object)  no_operation("a proxied program may do something for it, so it is refused");
        OPTIONS  "/api/v1/{res}/{name}/{sub}/{rest+}"                  -  -  reads(object)  no_operation("a proxied program may do something for it, so it is refused");
    }
}

/// Resources of every other group, custom ones and aggregated APIs among them.
fn groups() -> Vec<Route> {
    routes! {
        *  "/apis/{group}/{version}/namespaces/{ns}/{res}"                       -  -  reads(object)  no_operation("stands for every collection in a namespace");
        *  "/apis/{group}/{version}/namespaces/{ns}/{res}/{name}"                -  -  reads(object)  no_operation("stands for every object in a namespace");
        *  "/apis/{group}/{version}/namespaces/{ns}/{res}/{name}/{sub}"          -  -  untrusted  reads(object)  no_operation("stands for every part of an object");
        *  "/apis/{group}/{version}/namespaces/{ns}/{res}/{name}/{sub}/{rest+}"  -  -  untrusted  reads(object)  no_operation("stands for what follows a part of an object");
        *  "/apis/{group}/{version}/{res}"                                       -  -  reads(object)  no_operation("stands for every collection of the cluster");
        *  "/apis/{group}/{version}/{res}/{name}"                                -  -  reads(object)  no_operation("stands for every object of the cluster");
        *  "/apis/{group}/{version}/{res}/{name}/{sub}"                          -  -  untrusted  reads(object)  no_operation("stands for every part of an object");
        *  "/apis/{group}/{version}/{res}/{name}/{sub}/{rest+}"                  -  -  untrusted  reads(object)  no_operation("stands for what follows a part of an object");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_builds() {
        if let Err(error) = RouteTable::build(rows()) {
            unreachable!("{error}");
        }
    }
}
