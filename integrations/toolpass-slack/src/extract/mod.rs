//! What stands in a call beside its method: channels, people, files, and how it is sent.
//!
//! One file a subject; each function is named by rows of `routes`. What a call says is turned into pairs and facts here and judged
//! nowhere: the rules do that, with what they look up.
//! Slack takes arguments from the query, a form or JSON, and a list as text with commas or as JSON.
//! INVARIANT: an argument that stands in two places counts only where both say the same, and a body that is not read as what its type
//! says is unresolved, never empty. One that would ask for less counts only where Slack surely reads it.
//! INVARIANT: a value becomes part of a resource only after its type in `resource` took it.

pub mod channel;
pub mod file;
pub mod message;
pub mod people;

use toolpass_wire::extract::{Extracted, Pair};
use toolpass_wire::field::{Field, Unresolved};
use toolpass_wire::json::Json;
use toolpass_wire::reading::Reading;

use crate::actions::Action;
use crate::facts;
use crate::resource::{ChannelId, Counterpart, TeamId};

/// The row's own pair. The call's token and body must be plain.
pub fn plain(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    sender(reading)?;
    Ok(match team(reading)? {
        Some(team) => Extracted::default().fact(facts::TEAM, team),
        None => Extracted::default(),
    })
}

/// Whose token a call shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sender {
    Bot,
    /// A person's token, or one of another kind.
    Other,
    /// None is shown.
    Untold,
}

/// Where a message or a file goes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    Channel(ChannelId),
    Dm(Counterpart),
}

impl Place {
    fn parse(text: &str) -> Result<Place, Unresolved> {
        ChannelId::parse(text)
            .map(Place::Channel)
            .or_else(|| Counterpart::parse(text).map(Place::Dm))
            .ok_or_else(|| Unresolved::new("a channel is named by something that is no id; a name can be given to another channel"))
    }

    /// The pair of `action`, and of a direct message where it goes to a person.
    fn pair(&self, action: Action) -> Pair {
        match self {
            Place::Channel(id) => on_channel(action, id),
            Place::Dm(Counterpart::Conversation(id)) => pair(Action::DmPost, format!("dm:{id}")),
            Place::Dm(Counterpart::User(id)) => pair(Action::DmPost, format!("dm:{id}")),
        }
    }
}

/// Who sends it.
/// Errors: a body where Slack may read none; a token beside the `Authorization` header is another identity; one in JSON is no token to Slack.
fn sender(reading: &Reading<'_>) -> Result<Sender, Unresolved> {
    if !reading.body_absent() && !["PATCH", "POST", "PUT"].contains(&reading.method()) {
        return Err(Unresolved::new(format!(
            "a {} with a body, of which Slack may read nothing",
            reading.method()
        )));
    }
    plain_body(reading)?;
    let header = reading.header("authorization").known()?;
    let given = reading.field("token").known()?;
    if given.is_some() && !matches!(reading.member("token"), Field::Absent | Field::Unread(_)) {
        return Err(Unresolved::new(
            "`token` stands in a JSON body, where Slack reads none",
        ));
    }
    let token = match (header, &given) {
        (Some(_), Some(_)) => {
            return Err(Unresolved::new(
                "`token` stands beside the `Authorization` header; give it once",
            ));
        }
        (Some(header), None) => header
            .split_once(' ')
            .map_or(header, |(_, token)| token.trim()),
        (None, Some(token)) => token,
        (None, None) => return Ok(Sender::Untold),
    };
    // A token that is exchanged now and then says so in front.
    let token = token.strip_prefix("xoxe.").unwrap_or(token);
    Ok(if token.starts_with("xoxb-") {
        Sender::Bot
    } else {
        Sender::Other
    })
}

/// The body is sent so that Slack surely reads it as we do.
/// Errors: compressed, or JSON under another type than Slack names.
fn plain_body(reading: &Reading<'_>) -> Result<(), Unresolved> {
    if reading.header("content-encoding") != Field::Absent {
        return Err(Unresolved::new(
            "a compressed body, which Slack may not undo",
        ));
    }
    let kind = reading.header("content-type").known()?.unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default().trim();
    match is_json(reading) && !essence.eq_ignore_ascii_case("application/json") {
        true => Err(Unresolved::new(
            "JSON under another type than `application/json`",
        )),
        false => Ok(()),
    }
}

/// What only a bot's token does to what is the bot's own.
/// Errors: a person's token may do it to what others wrote.
fn bots_own(reading: &Reading<'_>) -> Result<(), Unresolved> {
    match sender(reading)? {
        Sender::Bot | Sender::Untold => Ok(()),
        Sender::Other => Err(Unresolved::new(
            "sent with a token that is no bot's, it may change what others wrote",
        )),
    }
}

/// An argument; `None` when absent, null or empty.
/// Errors: [`Unresolved`] for two different ones, another type, or a body that is not read.
fn argument(reading: &Reading<'_>, name: &str) -> Result<Option<String>, Unresolved> {
    Ok(reading.field(name).known()?.filter(|text| !text.is_empty()))
}

/// The same, which must be there.
fn required(reading: &Reading<'_>, name: &str) -> Result<String, Unresolved> {
    argument(reading, name)?
        .ok_or_else(|| Unresolved::new(format!("the request does not give `{name}`")))
}

/// An argument that asks for less: of the body where there is one, else of the query. Anywhere else it may not count, so it does not.
/// Errors: as [`argument`].
fn narrowing(reading: &Reading<'_>, name: &str) -> Result<Option<String>, Unresolved> {
    let given = argument(reading, name)?;
    if reading.body_absent() || given.is_none() {
        return Ok(given);
    }
    let in_form = matches!(reading.form(name), Field::Present(_));
    let in_json = matches!(reading.member(name), Field::Present(_));
    Ok(given.filter(|_| in_form || in_json))
}

/// The workspace a call names, which may be another one of the organization.
fn team(reading: &Reading<'_>) -> Result<Option<String>, Unresolved> {
    match argument(reading, "team_id")? {
        None => Ok(None),
        Some(text) => TeamId::parse(&text)
            .map(|team| Some(team.to_string()))
            .ok_or_else(|| Unresolved::new("expected the id of a workspace as `team_id`")),
    }
}

/// A pair about the workspace that a call names, or the connection's.
fn on_team(reading: &Reading<'_>, action: Action) -> Result<Pair, Unresolved> {
    in_team(reading, on_workspace(action))
}

/// The pair, with the workspace that a call names.
fn in_team(reading: &Reading<'_>, pair: Pair) -> Result<Pair, Unresolved> {
    Ok(match team(reading)? {
        Some(team) => pair.fact(facts::TEAM, team),
        None => pair,
    })
}

/// Whether an argument is true. What is neither true nor false is taken for true where that asks for more.
fn is_true(reading: &Reading<'_>, name: &str) -> Result<bool, Unresolved> {
    let text = argument(reading, name)?.map(|text| text.to_ascii_lowercase());
    Ok(!matches!(text.as_deref(), None | Some("0" | "false")))
}

/// A list: JSON, or text with commas, or JSON in a form. Empty when absent.
/// Errors: an item that is no text, and all of [`argument`].
fn list(reading: &Reading<'_>, name: &str) -> Result<Vec<String>, Unresolved> {
    if let Field::Present(Json::Array(items)) = reading.member(name) {
        if reading.query(name) != Field::Absent {
            return Err(Unresolved::new(format!(
                "`{name}` stands in query and body"
            )));
        }
        return texts(name, items);
    }
    let Some(text) = argument(reading, name)? else {
        return Ok(Vec::new());
    };
    if text.trim_start().starts_with('[') {
        return match Json::parse(text.as_bytes()) {
            Ok(Json::Array(items)) => texts(name, &items),
            Ok(_) | Err(_) => Err(Unresolved::new(format!("`{name}` is no list"))),
        };
    }
    Ok(text.split(',').map(|item| item.trim().to_owned()).collect())
}

fn texts(name: &str, items: &[Json]) -> Result<Vec<String>, Unresolved> {
    let item = |item: &Json| {
        item.as_str()
            .map(str::to_owned)
            .ok_or_else(|| Unresolved::new(format!("`{name}` holds something that is no text")))
    };
    items.iter().map(item).collect()
}

/// Every place that a call names, by whatever argument, each once.
/// Errors: a name instead of an id.
fn places(reading: &Reading<'_>) -> Result<Vec<Place>, Unresolved> {
    let mut named: Vec<String> = Vec::new();
    for name in ["channel", "channel_id"] {
        named.extend(argument(reading, name)?);
    }
    for name in ["channels", "channel_ids"] {
        named.extend(list(reading, name)?);
    }
    let mut places = Vec::new();
    for text in named {
        let place = Place::parse(&text)?;
        if !places.contains(&place) {
            places.push(place);
        }
    }
    Ok(places)
}

/// The one channel that a call is about.
/// Errors: none, several, a direct conversation.
fn one_channel(reading: &Reading<'_>) -> Result<ChannelId, Unresolved> {
    match some_channel(reading)? {
        Some(id) => Ok(id),
        None => Err(Unresolved::new("the request names no channel")),
    }
}

/// The same, where there may be none.
fn some_channel(reading: &Reading<'_>) -> Result<Option<ChannelId>, Unresolved> {
    match places(reading)?.as_slice() {
        [] => Ok(None),
        [Place::Channel(id)] => Ok(Some(id.clone())),
        [Place::Dm(_)] => Err(Unresolved::new(
            "the request is about a direct conversation, of which only messages are asked",
        )),
        _ => Err(Unresolved::new("the request names several channels")),
    }
}

/// Whether the body is JSON. Slack reads none for most methods that only read.
fn is_json(reading: &Reading<'_>) -> bool {
    !reading.body_absent() && !matches!(reading.json(), Field::Unread(_))
}

fn pair(action: Action, resource: impl Into<String>) -> Pair {
    Pair::on(action.name(), resource)
}

fn on_channel(action: Action, id: &ChannelId) -> Pair {
    pair(action, format!("channel:{id}"))
}

fn on_workspace(action: Action) -> Pair {
    pair(action, "workspace")
}

/// Something of the agent's own account: as the user it is unknown, as the agent it is not asked.
fn agents_own() -> Pair {
    on_workspace(Action::UserActive).fact(facts::AGENTS_OWN, facts::SET)
}
