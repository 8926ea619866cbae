//! The one HTTP client through which toolpass asks vendor systems, and how it proves who it is to them.
//!
//! Separate because everything that touches network, clock, environment and secret files for a check lives here, and
//! nothing here knows a vendor, a question or a rule. A caller sees four things: a [`transport`](transport::Transport)
//! per connection (trust, proxies, pool), a [`client`](client::Client) per base address on top of it, the
//! [`context`](budget::Context) of one check that travels through every call, and one opaque [`error`](error::Error)
//! that already knows its code.
//!
//! INVARIANT: no error, log line or piece of evidence holds a query, userinfo, header value or body.

pub mod auth;
pub mod budget;
pub mod client;
pub mod clock;
pub mod connect;
pub mod error;
pub mod json;
pub mod jws;
pub mod jwt;
pub mod pace;
pub mod paging;
pub mod path;
mod pem;
pub mod plain;
mod pool;
pub mod proxy;
mod random;
pub mod request;
pub mod response;
pub mod retry;
pub mod secrets;
pub mod tls;
pub mod token;
pub mod transport;
pub mod url;
