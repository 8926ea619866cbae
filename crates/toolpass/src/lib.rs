//! The Rust face: tools that are async functions, run under the same guard and wire as those of the Python face.
//!
//! A [`tool::Tool`] declares its parameters and has a body. A [`toolkit::Toolkit`] runs it for somebody: the guard's checks, the
//! body, one audit event. The body sends its requests through its [`context::Context`], so each is read, named and asked about
//! before a byte of it leaves; there is nothing to hook. Whoever is asked is a server ([`remote::Remote`]).
//!
//! ```
//! use toolpass::tool::{BodyError, Tool};
//! use toolpass::{Effect, Session};
//!
//! let rename = Tool::named("rename")
//!     .takes("repo")
//!     .takes("name")
//!     .effect(Effect::Write)
//!     .runs(|context, given| async move {
//!         let url = format!("https://api.github.com/repos/{}", given.text("repo"));
//!         let request = http::Request::patch(url)
//!             .header("authorization", "Bearer ...") // the agent's own login, which may do more than the person
//!             .body(format!("{{\"name\":{:?}}}", given.text("name")).into())
//!             .map_err(|error| BodyError::new("InvalidRequest", error.to_string()))?;
//!         let answer = context.send(request).await?; // asked of GitHub for the person, before a byte of it leaves
//!         Ok(answer.status().as_u16().into())
//!     });
//! let session: Session = toolpass::session("dana@example.com")?;
//! // toolkit.call(&rename, &session, arguments).await
//! # let _ = (rename, session);
//! # Ok::<(), toolpass::NewSession>(())
//! ```
//!
//! | file | is |
//! |---|---|
//! | `tool` | what a tool declares, and its arguments |
//! | `toolkit` | what all calls of an application share |
//! | `call` | the driver of one call: what the guard must know next, found out |
//! | `context` | the driver of a body's requests |
//! | `remote` | the server that is asked |
//! | `value` | JSON as the guard looks at it |
//! | `random` | bytes nobody can guess |
//!
//! Deliberately absent: any rule. Every code comes out of `toolpass-guard`; this crate finds out what the guard asks for, and
//! hands the answers back. Also absent, so far: validators, credentials, handles and stores of sessions, which the guard would
//! ask the host about. A tool cannot declare them here, and a call that needs one all the same is refused.

mod call;
pub mod context;
mod random;
pub mod remote;
pub mod tool;
pub mod toolkit;
mod value;

pub use random::NoRandomness;
pub use toolpass_core::effect::Effect;
pub use toolpass_guard::audit::AuditEvent;
pub use toolpass_guard::refusal::Refusal;
pub use toolpass_guard::session::Session;
pub use toolpass_guard::session::caps::Limit;
pub use toolpass_guard::taint::gate::{AfterUntrusted, Gate};

/// A new session of a person: what it sees and spends is its own.
/// Errors: [`NewSession`].
pub fn session(user: &str) -> Result<Session, NewSession> {
    let memory = toolpass_guard::session::Memory::new(random::bytes()?);
    Ok(Session::new(user, None, None, None, memory)?)
}

/// An event as one JSON object on one line, as files and servers have it.
pub fn written(event: &AuditEvent) -> String {
    event.to_json(toolpass_engine::stamp::rfc3339)
}

/// Why there is no session.
#[derive(Debug, thiserror::Error)]
pub enum NewSession {
    /// Its user is no user.
    #[error(transparent)]
    Invalid(#[from] toolpass_guard::session::InvalidSession),
    /// There is nothing to make its key of.
    #[error(transparent)]
    NoRandomness(#[from] NoRandomness),
}
