//! One HTTP request, read once: which connection it belongs to, what it does there, to which resource.
//!
//! Whatever saw the request (a hooked library, later a proxy or a gateway) hands over a [`raw::RawRequest`]; it becomes one
//! canonical [`request::WireRequest`], and [`observe::Systems::observe`] names it. Nothing here does I/O, asks an engine or
//! decides: guard does that with the answer.
//! INVARIANT: ambiguous or unread is never "empty". A reader answers [`field::Field`], and what is not plainly present or
//! absent makes the request unresolved.

pub mod address;
pub mod body;
pub mod endpoint;
pub mod explain;
pub mod extract;
pub mod field;
pub mod fuzzing;
pub mod graphql;
pub mod headers;
pub mod host;
pub mod http1;
pub mod json;
pub mod matcher;
mod method;
pub mod observe;
pub mod path;
pub mod percent;
pub mod query;
pub mod raw;
pub mod reading;
pub mod request;
pub mod table;
pub mod template;
