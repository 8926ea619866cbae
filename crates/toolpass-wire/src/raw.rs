//! A request as whoever saw it hands it over: the final one, after redirects, defaults and signing.
//!
//! Separate because it borrows, and says nothing yet: [`crate::request::WireRequest::read`] makes the canonical request of it.

/// One request, as it is about to be sent.
#[derive(Clone)]
pub struct RawRequest<'a> {
    /// `http`, `https`, or the scheme of another protocol.
    pub scheme: &'a str,
    /// The host the client connects for, without the port. An IPv6 address with or without brackets.
    pub host: &'a str,
    /// The port, when the client names one.
    pub port: Option<u16>,
    /// The method.
    pub method: &'a str,
    /// Path and query as sent, still encoded. Empty is `/`.
    pub target: &'a str,
    /// The headers in order, repeats kept. `:authority` stands here too where the protocol has it.
    pub headers: Vec<(&'a str, &'a [u8])>,
    /// The body, still encoded.
    pub body: RawBody<'a>,
}

/// The body of a request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum RawBody<'a> {
    /// There is none.
    None,
    /// All of it, without transfer coding.
    Bytes(&'a [u8]),
    /// There is one that was not read: streamed, longer than the limit, not replayable.
    Unread,
}

/// Shows neither query nor headers nor body: each may hold a secret.
impl std::fmt::Debug for RawRequest<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let path = self.target.split('?').next().unwrap_or("");
        f.debug_struct("RawRequest")
            .field("method", &self.method)
            .field("path", &path)
            .field("body", &self.body)
            .finish()
    }
}

/// Shows the length only.
impl std::fmt::Debug for RawBody<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RawBody::None => f.write_str("None"),
            RawBody::Bytes(bytes) => write!(f, "Bytes({} bytes)", bytes.len()),
            RawBody::Unread => f.write_str("Unread"),
        }
    }
}
