//! One request of a body: the bytes a client would send, and the row it falls under.

use toolpass_wire::body::limits::Limits;
use toolpass_wire::matcher::{Match, RouteTable};
use toolpass_wire::path::PathSegments;
use toolpass_wire::raw::{RawBody, RawRequest};
use toolpass_wire::request::WireRequest;

/// The path that is looked for: a row in the middle of a long table.
pub const PATH: &str = "/repos/acme/shop/pulls/17/files";

/// GitHub's table.
pub fn github() -> Option<&'static RouteTable> {
    toolpass_registry::find("github")?.routes()
}

/// The path, split and decoded.
pub fn path() -> Option<PathSegments> {
    PathSegments::read(PATH).ok()
}

/// Find the row.
pub fn find<'t>(table: &'t RouteTable, path: &PathSegments) -> Option<Match<'t>> {
    table.find("GET", path)
}

/// Read a GET as a client sends it.
pub fn read() -> WireRequest {
    let raw = RawRequest {
        scheme: "https",
        host: "api.github.com",
        port: None,
        method: "GET",
        target: "/repos/acme/shop/pulls/17/files?per_page=100",
        headers: vec![
            ("Host", b"api.github.com".as_slice()),
            ("Accept", b"application/vnd.github+json"),
            ("Accept-Encoding", b"gzip, deflate"),
            (
                "Authorization",
                b"Bearer ghp_0123456789abcdef0123456789abcdef0123",
            ),
            ("Connection", b"keep-alive"),
            ("User-Agent", b"python-requests/2.32"),
        ],
        body: RawBody::None,
    };
    WireRequest::read(raw, &Limits::default())
}
