//! One audit event a call: who, what, how it ended, and every request the body made.
//!
//! The members and their order are a promise (`docs/reference`). Results, queries, headers and bodies are never in it.

pub mod within;

use toolpass_core::clock::Wall;
use toolpass_core::codes::RefusalCode;
use toolpass_core::effect::Effect;

use crate::json::{Object, array, quote};
use crate::value::{Value, View};

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallOutcome {
    /// It was given up before its body ran.
    Cancelled,
    /// A request came after its call had ended.
    Late,
    /// The body raised.
    Raised,
    /// The body returned.
    Ran,
    /// It was refused, before the body or at a request.
    Refused,
    /// It has not ended: its body is about to begin. Its other event has the same id.
    Started,
    /// A request came that no call is known for.
    Unattributed,
}

impl CallOutcome {
    /// The outcome of this wire form.
    pub fn parse(text: &str) -> Option<CallOutcome> {
        CallOutcome::ALL
            .into_iter()
            .find(|outcome| outcome.as_str() == text)
    }

    const ALL: [CallOutcome; 7] = [
        CallOutcome::Cancelled,
        CallOutcome::Late,
        CallOutcome::Raised,
        CallOutcome::Ran,
        CallOutcome::Refused,
        CallOutcome::Started,
        CallOutcome::Unattributed,
    ];

    /// The wire form.
    pub fn as_str(self) -> &'static str {
        match self {
            CallOutcome::Cancelled => "cancelled",
            CallOutcome::Late => "late",
            CallOutcome::Raised => "raised",
            CallOutcome::Ran => "ran",
            CallOutcome::Refused => "refused",
            CallOutcome::Started => "started",
            CallOutcome::Unattributed => "unattributed",
        }
    }
}

/// One call, when it is over.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditEvent {
    /// The event's own id: UUIDv7.
    pub id: String,
    /// The id of the event of the call this one was made in.
    pub parent: Option<String>,
    /// When the call began.
    pub time: Wall,
    /// The tool.
    pub tool: String,
    /// The declared effect.
    pub effect: Option<Effect>,
    /// How it ended.
    pub outcome: CallOutcome,
    /// The refusal's code.
    pub code: Option<RefusalCode>,
    /// The refusal's reason; the exception's type when the body raised.
    pub reason: Option<String>,
    /// The session's id.
    pub session: Option<String>,
    /// The person.
    pub user: Option<String>,
    /// The arguments, shortened, as JSON; `None` when they are not to be kept.
    pub arguments: Option<String>,
    /// The last answer about the user's permission.
    pub authorization: Option<String>,
    /// Whether the file of entitlements lists the tool; `None` when no file was given.
    pub entitled: Option<bool>,
    /// How long it took, in microseconds.
    pub duration_us: u64,
    /// What was done to its output.
    pub counts: Counts,
    /// Whether the person lost a permission for something destructive while the call ran. `None`: nothing of the kind was done,
    /// or it could not be found out.
    pub revoked_during_call: Option<bool>,
    /// The requests of the body, in order.
    pub actions: Vec<ObservedAction>,
}

/// What was done to the output of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Texts in which secrets were replaced.
    pub redacted: u64,
    /// Blocks that were fenced.
    pub fenced: u64,
    /// Texts that were recorded as outside text.
    pub tainted: u64,
}

/// One request of a body, as understood.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ObservedAction {
    /// When it came, by the call's clock.
    pub time: Option<Wall>,
    /// How long its checks took, and the sending of it where it was let through, in microseconds.
    pub duration_us: u64,
    /// The HTTP method.
    pub method: String,
    /// The host, with its port when that is not the scheme's own.
    pub host: String,
    /// The path, without the query.
    pub path: String,
    /// The effect.
    pub effect: Option<Effect>,
    /// Whether it was let through.
    pub allowed: bool,
    /// The connection's id.
    pub connection: Option<String>,
    /// The integration.
    pub integration: Option<String>,
    /// `integration:action`.
    pub action: Option<String>,
    /// The resource.
    pub resource: Option<String>,
    /// It ran on the agent's own authority.
    pub as_agent: bool,
    /// It puts text where other people read it.
    pub sends_out: bool,
    /// Its answer is outside text.
    pub untrusted_output: bool,
    /// Its answer hands out a secret.
    pub sensitive: bool,
    /// The refusal's code.
    pub code: Option<RefusalCode>,
    /// The refusal's reason.
    pub reason: Option<String>,
    /// `late`, `subprocess`, `unknown_host` or `unmapped`.
    pub note: Option<Note>,
}

/// What is particular about an observed action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// It came after its call had ended.
    Late,
    /// It is a program the body started; nothing the program does is seen.
    Subprocess,
    /// Its host belongs to no connection.
    UnknownHost,
    /// No route knows it.
    Unmapped,
}

impl Note {
    /// The note of this wire form.
    pub fn parse(text: &str) -> Option<Note> {
        [
            Note::Late,
            Note::Subprocess,
            Note::UnknownHost,
            Note::Unmapped,
        ]
        .into_iter()
        .find(|note| note.as_str() == text)
    }

    /// The wire form.
    pub fn as_str(self) -> &'static str {
        match self {
            Note::Late => "late",
            Note::Subprocess => "subprocess",
            Note::UnknownHost => "unknown_host",
            Note::Unmapped => "unmapped",
        }
    }
}

/// The version of an event's form.
pub const VERSION: u8 = 1;

impl ObservedAction {
    /// One JSON object. `time` writes a time.
    pub fn to_json(&self, time: fn(Wall) -> String) -> String {
        let mut object = Object::new();
        if let Some(began) = self.time {
            object
                .text("time", &time(began))
                .raw("duration_ms", &milliseconds(self.duration_us));
        }
        object
            .text("method", &self.method)
            .text("host", &self.host)
            .text("path", &self.path)
            .maybe("effect", self.effect.map(Effect::as_str))
            .text("outcome", if self.allowed { "allowed" } else { "refused" })
            .maybe("connection", self.connection.as_deref())
            .maybe("integration", self.integration.as_deref())
            .maybe("action", self.action.as_deref())
            .maybe("resource", self.resource.as_deref())
            .flag("as_agent", self.as_agent)
            .flag("sends_out", self.sends_out)
            .flag("untrusted_output", self.untrusted_output)
            .flag("sensitive", self.sensitive)
            .maybe("code", self.code.map(RefusalCode::as_str))
            .maybe("reason", self.reason.as_deref())
            .maybe("note", self.note.map(Note::as_str));
        object.finish()
    }
}

impl AuditEvent {
    /// One JSON object on one line; members without a value are left out. `time` writes a time.
    pub fn to_json(&self, time: fn(Wall) -> String) -> String {
        let mut object = Object::new();
        object
            .raw("v", &VERSION.to_string())
            .text("id", &self.id)
            .maybe("parent", self.parent.as_deref())
            .text("time", &time(self.time))
            .text("tool", &self.tool)
            .maybe("effect", self.effect.map(Effect::as_str))
            .text("outcome", self.outcome.as_str())
            .maybe("code", self.code.map(RefusalCode::as_str))
            .maybe("reason", self.reason.as_deref())
            .maybe("session", self.session.as_deref())
            .maybe("user", self.user.as_deref());
        if let Some(arguments) = &self.arguments {
            object.raw("arguments", arguments);
        }
        object.maybe("authorization", self.authorization.as_deref());
        if let Some(entitled) = self.entitled {
            object.raw("entitled", &entitled.to_string());
        }
        object.raw("duration_ms", &milliseconds(self.duration_us));
        let counts = &self.counts;
        object
            .count("redacted", counts.redacted)
            .count("fenced", counts.fenced)
            .count("tainted", counts.tainted);
        if let Some(revoked) = self.revoked_during_call {
            object.raw("revoked_during_call", &revoked.to_string());
        }
        if !self.actions.is_empty() {
            object.raw(
                "actions",
                &array(self.actions.iter().map(|action| action.to_json(time))),
            );
        }
        object.finish()
    }
}

/// Microseconds as milliseconds with three decimals.
pub fn milliseconds(duration_us: u64) -> String {
    format!("{}.{:03}", duration_us / 1000, duration_us % 1000)
}

/// The longest text kept of an argument, in characters.
const MAX_TEXT: usize = 200;
/// How many items of a list or mapping are kept.
const MAX_ITEMS: usize = 50;
/// How deep lists and mappings are followed.
const MAX_LEVELS: usize = 3;

/// A value as JSON, shortened: long texts cut with their length noted, 50 items, 3 levels, anything else as the host shows it.
pub fn shortened<V: Value>(value: &V) -> String {
    shorten(value, MAX_LEVELS)
}

fn shorten<V: Value>(value: &V, levels: usize) -> String {
    match value.view() {
        View::None => "null".into(),
        View::Bool(b) => b.to_string(),
        View::Int(digits) if digits.len() <= 100 => digits.into_owned(),
        View::Int(digits) => quote(&cut(&digits)),
        View::Float(f) if f.is_finite() => format!("{f:?}"),
        View::Float(f) => quote(if f.is_nan() {
            "NaN"
        } else if f > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        }),
        View::Text(text) => quote(&cut(&text)),
        View::List(items) | View::Tuple(items) if levels > 0 => array(
            items
                .iter()
                .take(MAX_ITEMS)
                .map(|item| shorten(item, levels - 1)),
        ),
        View::Mapping(pairs) if levels > 0 => {
            let mut object = Object::new();
            for (key, item) in pairs.iter().take(MAX_ITEMS) {
                let name = match key.view() {
                    View::Text(text) => cut(&text),
                    _ => key.shown(MAX_TEXT),
                };
                object.raw(&name, &shorten(item, levels - 1));
            }
            object.finish()
        }
        View::Bytes(_)
        | View::FrozenSet(_)
        | View::List(_)
        | View::Mapping(_)
        | View::Other
        | View::Set(_)
        | View::Tuple(_) => quote(&value.shown(MAX_TEXT)),
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_TEXT) {
        None => text.into(),
        Some((end, _)) => format!(
            "{}… ({} characters)",
            text.get(..end).unwrap_or_default(),
            text.chars().count()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::tests::Plain;

    #[test]
    fn arguments_are_shortened() {
        assert_eq!(shortened(&Plain::Float(f64::NAN)), "\"NaN\"");
        assert_eq!(
            shortened(&Plain::List(vec![Plain::Int(1); 60]))
                .matches('1')
                .count(),
            MAX_ITEMS
        );
        let long: &'static str = Box::leak("é".repeat(300).into_boxed_str());
        assert!(shortened(&Plain::Text(long)).ends_with("… (300 characters)\""));
        let deep = Plain::List(vec![Plain::List(vec![Plain::List(vec![Plain::List(
            vec![Plain::Int(1)],
        )])])]);
        assert!(shortened(&deep).contains("List"));
        assert_eq!(milliseconds(1_234), "1.234");
    }

    #[test]
    fn members_without_a_value_are_left_out() {
        let action = ObservedAction {
            method: "GET".into(),
            host: "h".into(),
            path: "/".into(),
            allowed: true,
            ..ObservedAction::default()
        };
        assert_eq!(
            action.to_json(|_| String::new()),
            "{\"method\":\"GET\",\"host\":\"h\",\"path\":\"/\",\"outcome\":\"allowed\"}"
        );
    }
}
