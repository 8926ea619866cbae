//! Whose session a request to the application's own server gets, from its headers.
//!
//! A server in front of which somebody else logs people in is told by headers who they are. Whether those may be believed
//! is decided here, in one order of rules, from nothing but the client's address, the headers and the key; keeping the
//! sessions is [`remembered`]. Headers that carry the authority of a handoff are refused, not ignored: whoever sends them
//! expects less to be allowed.
//! INVARIANT: a request gets no session that its headers do not name; what is doubtful is refused, never read as nobody.

pub mod remembered;
pub mod tombstones;

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use toolpass_core::secret::Secret;
use toolpass_core::user::{Groups, Token};

/// The header that names the person.
pub const USER_HEADER: &str = "X-Toolpass-User";
/// The header that names the person's groups, separated by commas.
pub const GROUPS_HEADER: &str = "X-Toolpass-Groups";
/// The header that names the conversation.
pub const SESSION_HEADER: &str = "X-Toolpass-Session";
/// The header that holds the key the caller shares with the application.
pub const KEY_HEADER: &str = "X-Toolpass-Key";
/// The header that holds the person's own login token.
pub const TOKEN_HEADER: &str = "X-Toolpass-Token";

/// What is known of a request before the application sees it.
#[derive(Clone, Copy)]
pub struct Arrived<'a> {
    /// The client's address; `None` over a Unix socket.
    pub client: Option<&'a str>,
    /// The HTTP method; `None` when a WebSocket is opened.
    pub method: Option<&'a str>,
    /// Names and values, as they came.
    pub headers: &'a [(&'a [u8], &'a [u8])],
}

/// For whom the application runs.
#[derive(Debug)]
pub enum Entry {
    /// For nobody: there is no session, not even one that is current around the server.
    Nobody,
    /// For a person.
    Person(Person),
}

/// The person a request is for.
#[derive(Debug)]
pub struct Person {
    /// Who, trimmed.
    pub user: String,
    /// Their groups as sent; `None` when none were.
    pub groups: Option<Vec<String>>,
    /// Their own login token.
    pub token: Option<Token>,
    /// Which remembered session is theirs; `None` for one that lasts as long as the request.
    pub conversation: Option<Conversation>,
    /// Whether the conversation is over with this request.
    pub ends: bool,
}

/// The key of a remembered session. Two people never share one, whatever they call their conversations.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Conversation {
    user: Arc<str>,
    groups: Option<Groups>,
    name: Name,
}

/// What a conversation is called, and by whom. Its text is not shown: whoever knows it can go on with the conversation.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Name {
    /// By the caller, in [`SESSION_HEADER`].
    Caller(Arc<str>),
    /// By a server of the Model Context Protocol.
    Mcp(Arc<str>),
}

/// Why a request does not reach the application. Holds nothing of its headers' values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The HTTP status.
    pub status: u16,
    /// For the caller.
    pub reason: &'static str,
}

/// Read for whom a request is, by the rules in their order.
/// Errors: [`Refused`] with 403 for a caller who is not trusted, with 400 for headers that can be read in two ways.
pub fn read(arrived: &Arrived<'_>, key: Option<&Secret>) -> Result<Entry, Refused> {
    let headers = Headers(arrived.headers);
    check_caller(arrived, key)?;
    headers.check_names()?;
    let users = headers.all(USER_HEADER);
    if !users.is_empty() && !headers.all("Authorization").is_empty() {
        return Err(malformed(
            "X-Toolpass-User and Authorization together: a caller with a token of its own names nobody else",
        ));
    }
    if users.is_empty() {
        return Ok(Entry::Nobody);
    }
    let user = read_user(&users)?;
    let groups = headers.text(GROUPS_HEADER, GROUPS_FORM)?.map(parts);
    let token = headers.text(TOKEN_HEADER, TOKEN_FORM)?.unwrap_or_default();
    let token = Token::parse(token).map_err(|_| malformed(TOKEN_FORM))?;
    let key_groups = groups.clone().map(Groups::new).transpose();
    let key_groups = key_groups.map_err(|_| malformed(GROUPS_FORM))?;
    let name = conversation_name(&headers)?;
    let ends = arrived.method == Some("DELETE") && matches!(name, Some(Name::Mcp(_)));
    Ok(Entry::Person(Person {
        conversation: name.map(|name| Conversation {
            user: user.into(),
            groups: key_groups,
            name,
        }),
        user: user.into(),
        groups,
        token,
        ends,
    }))
}

impl Conversation {
    /// What the caller itself calls it, which may be shown.
    pub fn given_id(&self) -> Option<&str> {
        match &self.name {
            Name::Caller(id) => Some(id),
            Name::Mcp(_) => None,
        }
    }

    /// What a session store calls it: what a session made by hand with this id is called, too, if the caller gave the id.
    pub fn stored_name(&self) -> String {
        match &self.name {
            Name::Caller(id) => format!("id:{id}"),
            Name::Mcp(id) => format!("mcp:{id}"),
        }
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Name::Caller(_) => "Caller(..)",
            Name::Mcp(_) => "Mcp(..)",
        })
    }
}

/// Rules 1 and 2: without a key only this machine may say for whom it asks, with one only who knows it.
fn check_caller(arrived: &Arrived<'_>, key: Option<&Secret>) -> Result<(), Refused> {
    let headers = Headers(arrived.headers);
    match key {
        None if is_local(arrived.client) && !headers.was_forwarded() => Ok(()),
        None => Err(untrusted(
            "without a key only callers on this machine, and none behind a proxy, are let in",
        )),
        Some(key) => match headers.all(KEY_HEADER).as_slice() {
            [given] if key.matches(given) => Ok(()),
            _ => Err(untrusted(
                "expected X-Toolpass-Key once, with the right key",
            )),
        },
    }
}

/// Whether a client is on this machine. An address is parsed, never compared as a text.
fn is_local(client: Option<&str>) -> bool {
    let Some(client) = client else { return true };
    client == "localhost"
        || client
            .parse::<IpAddr>()
            .is_ok_and(|address| address.to_canonical().is_loopback())
}

/// Rule 5: one person, who can be read.
fn read_user<'a>(users: &[&'a [u8]]) -> Result<&'a str, Refused> {
    let wrong = || malformed(USER_FORM);
    let [user] = users else { return Err(wrong()) };
    let user = std::str::from_utf8(user).map_err(|_| wrong())?.trim();
    // A proxy may have put two headers into one, with a comma between.
    if user.is_empty() || user.len() > MAX_USER || user.contains(',') {
        return Err(wrong());
    }
    Ok(user)
}

/// The caller's name for the conversation, else the protocol's when there is just one.
fn conversation_name(headers: &Headers<'_>) -> Result<Option<Name>, Refused> {
    if let Some(id) = headers.text(SESSION_HEADER, SESSION_FORM)?
        && !id.is_empty()
    {
        return match fits_id(id) {
            true => Ok(Some(Name::Caller(id.into()))),
            false => Err(malformed(SESSION_FORM)),
        };
    }
    let [id] = headers.all("Mcp-Session-Id")[..] else {
        return Ok(None);
    };
    let id = std::str::from_utf8(id).unwrap_or_default().trim();
    Ok((!id.is_empty() && fits_id(id)).then(|| Name::Mcp(id.into())))
}

fn fits_id(id: &str) -> bool {
    id.len() <= MAX_ID && !id.chars().any(char::is_control)
}

/// The parts between commas, blank ones dropped.
fn parts(text: &str) -> Vec<String> {
    let parts = text.split(',').map(str::trim);
    parts
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

fn untrusted(reason: &'static str) -> Refused {
    Refused {
        status: 403,
        reason,
    }
}

fn malformed(reason: &'static str) -> Refused {
    Refused {
        status: 400,
        reason,
    }
}

struct Headers<'a>(&'a [(&'a [u8], &'a [u8])]);

impl<'a> Headers<'a> {
    /// Every value of a header, trimmed.
    fn all(&self, name: &str) -> Vec<&'a [u8]> {
        let named = |(given, _): &&(&[u8], &[u8])| given.eq_ignore_ascii_case(name.as_bytes());
        let found = self.0.iter().filter(named);
        found.map(|(_, value)| value.trim_ascii()).collect()
    }

    /// Rule 6: the text of a header that may be there once.
    fn text(&self, name: &str, form: &'static str) -> Result<Option<&'a str>, Refused> {
        match self.all(name)[..] {
            [] => Ok(None),
            [value] => match std::str::from_utf8(value) {
                Ok(text) => Ok(Some(text.trim())),
                Err(_) => Err(malformed(form)),
            },
            _ => Err(malformed(form)),
        }
    }

    fn was_forwarded(&self) -> bool {
        !self.all("Forwarded").is_empty() || !self.all("X-Forwarded-For").is_empty()
    }

    /// No header of a handoff, and none of ours that some server could fold onto its right spelling.
    fn check_names(&self) -> Result<(), Refused> {
        for (given, _) in self.0 {
            let folded: Vec<u8> = given
                .iter()
                .map(|byte| match byte {
                    b'_' => b'-',
                    other => other.to_ascii_lowercase(),
                })
                .collect();
            let is = |name: &str| folded.eq_ignore_ascii_case(name.as_bytes());
            if HANDOFF_HEADERS.iter().any(|name| is(name)) {
                return Err(malformed(
                    "X-Toolpass-Authority and X-Toolpass-Proof are not supported: what a handoff left of somebody's \
                     authority cannot be held here",
                ));
            }
            if given.contains(&b'_') && OUR_HEADERS.iter().any(|name| is(name)) {
                return Err(malformed(
                    "a header X-Toolpass-... is spelled with `_`; expected `-`",
                ));
            }
        }
        Ok(())
    }
}

const OUR_HEADERS: &[&str] = &[
    GROUPS_HEADER,
    KEY_HEADER,
    SESSION_HEADER,
    TOKEN_HEADER,
    USER_HEADER,
];

/// What a caller sends that hands over less than a person's whole authority.
const HANDOFF_HEADERS: &[&str] = &["X-Toolpass-Authority", "X-Toolpass-Proof"];

/// The longest user, in bytes: an e-mail's.
const MAX_USER: usize = 320;

/// The longest name of a conversation, in bytes.
const MAX_ID: usize = 256;

const USER_FORM: &str =
    "expected X-Toolpass-User once, naming one person: 1 to 320 bytes of UTF-8 without a comma";
const GROUPS_FORM: &str = "expected X-Toolpass-Groups at most once: up to 200 groups of at most 256 bytes of UTF-8, separated by commas";
const SESSION_FORM: &str = "expected X-Toolpass-Session at most once: up to 256 bytes of UTF-8";
const TOKEN_FORM: &str =
    "expected X-Toolpass-Token at most once: up to 16384 printable ASCII characters";

#[cfg(test)]
mod tests;
