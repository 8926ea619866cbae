//! `toolpass serve`: the engine behind an HTTP interface.
//!
//! | file | answers |
//! |---|---|
//! | `endpoints` | which paths there are, who may ask them, what they take and give: the one table |
//! | `gate` | which bytes are a request; how long a client may take |
//! | `connection` `tls` | one client: HTTP/1.1 or HTTP/2, plain or encrypted |
//! | `exchange` | the order of checks around every request, its answer and its line in the log |
//! | `access` | API keys: who asks, and what a key may ask about |
//! | `load` | how much is done at once, and what is turned away |
//! | `members` | strict reading of JSON bodies |
//! | `check` `v1` `authzen` `observe` `catalog` `admin` `health` `metrics` `openapi` | the endpoints |
//! | `runs` `dashboard` | what toolkits report, where it is kept, the page that shows it |
//! | `otlp` | copies of the decision log, sent to a collector |
//! | `notices` | what servers that share their runs tell each other |
//! | `live` `reload` | what a reload replaces: the configuration, the engine, the keys; when |
//! | `server` | start, serve, drain, stop |
//!
//! Deliberately absent: any rule about a decision (the engine's), any vendor, how the page looks (`toolpass-page`) and how runs are stored (`toolpass-store`).
//!
//! INVARIANT: nothing a client sends makes an allow, stops the process, or is read before its key was.

mod access;
mod admin;
mod authzen;
mod catalog;
mod check;
mod connection;
mod dashboard;
mod decided;
mod endpoints;
mod exchange;
mod gate;
mod health;
mod listen;
mod live;
mod load;
mod members;
mod metrics;
mod notices;
mod observe;
pub mod openapi;
mod otlp;
pub mod reload;
mod reply;
mod runs;
pub mod server;
mod sessions;
mod tls;
mod trace;
mod v1;
