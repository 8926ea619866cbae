//! Messages: where they go, whether they are replies, whom they notify, and whose they are when they are changed.
//!
//! Source: docs.slack.dev/reference/methods, the family `chat`; "Formatting message text" (mentions); read 2026-11-30.

use toolpass_wire::extract::{Extracted, Pair};
use toolpass_wire::field::{Field, Unresolved};
use toolpass_wire::json::Json;
use toolpass_wire::reading::Reading;

use super::channel::is_reply;
use super::{
    Place, agents_own, argument, bots_own, is_true, list, on_channel, one_channel, pair, places,
    sender,
};
use crate::actions::Action;
use crate::facts::{self, Mention};
use crate::resource::FileId;

/// A message to a channel, a thread or a person.
pub fn post(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    sender(reading)?;
    let action = match is_reply(reading)? {
        true => Action::MessagePostThread,
        false => Action::MessagePost,
    };
    let place = one_place(reading)?;
    Ok(Extracted::pairs(vec![notifying(
        reading,
        place.pair(action),
    )?]))
}

/// The same, where no thread can be named: Slack would ignore one.
pub fn say(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    sender(reading)?;
    let place = one_place(reading)?;
    Ok(Extracted::pairs(vec![notifying(
        reading,
        place.pair(Action::MessagePost),
    )?]))
}

/// The bot's own message is changed; files are added to it; a reply is shown in the channel too.
pub fn update(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    bots_own(reading)?;
    let place = one_place(reading)?;
    let mut pairs = vec![place.pair(Action::ChannelMember)];
    if is_true(reading, "reply_broadcast")? {
        pairs.push(notifying(reading, place.pair(Action::MessagePost))?);
    }
    for id in list(reading, "file_ids")? {
        let id = FileId::parse(&id)
            .ok_or_else(|| Unresolved::new("expected the ids of files as `file_ids`"))?;
        pairs.push(pair(Action::FileView, format!("file:{id}")));
    }
    Ok(Extracted::pairs(pairs))
}

/// The bot's own message is changed in another way, or removed.
pub fn own(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    bots_own(reading)?;
    Ok(Extracted::pairs(vec![
        one_place(reading)?.pair(Action::ChannelMember),
    ]))
}

/// What a link shows below somebody's message; named by an event alone, it is in a place that cannot be told.
pub fn unfurl(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    sender(reading)?;
    let by_event =
        argument(reading, "unfurl_id")?.is_some() || argument(reading, "source")?.is_some();
    if by_event && places(reading)?.is_empty() {
        return Ok(Extracted::pairs(vec![agents_own()]));
    }
    Ok(Extracted::pairs(vec![on_channel(
        Action::ChannelMember,
        &one_channel(reading)?,
    )]))
}

/// The one place a message goes to.
fn one_place(reading: &Reading<'_>) -> Result<Place, Unresolved> {
    let mut places = places(reading)?;
    match (places.pop(), places.is_empty()) {
        (Some(place), true) => Ok(place),
        (None, _) => Err(Unresolved::new("the request names no channel")),
        (Some(_), false) => Err(Unresolved::new("the request names several channels")),
    }
}

/// The pair of something said in a channel, with whom it notifies beside those it names one by one.
pub(super) fn notifying(reading: &Reading<'_>, pair: Pair) -> Result<Pair, Unresolved> {
    let is_direct = pair.action.as_deref() == Some(Action::DmPost.name());
    let mut found: Vec<Mention> = mentions(reading)?;
    found.sort_unstable();
    found.dedup();
    if found.is_empty() || is_direct {
        return Ok(pair);
    }
    let words: Vec<&str> = found.into_iter().map(Mention::as_str).collect();
    Ok(pair.fact(facts::MENTIONS, words.join(",")))
}

fn mentions(reading: &Reading<'_>) -> Result<Vec<Mention>, Unresolved> {
    let names_count =
        is_true(reading, "link_names")? || argument(reading, "parse")?.as_deref() == Some("full");
    let mut found = Vec::new();
    for name in SAID {
        match reading.member(name) {
            Field::Present(value @ (Json::Array(_) | Json::Object(_))) => {
                in_json(value, names_count, &mut found)
            }
            _ => {
                let Some(text) = argument(reading, name)? else {
                    continue;
                };
                in_text(&text, names_count, &mut found);
                // Blocks in a form are JSON in a text.
                if let Ok(value) = Json::parse(text.as_bytes()) {
                    in_json(&value, names_count, &mut found);
                }
            }
        }
    }
    Ok(found)
}

fn in_json(value: &Json, names_count: bool, found: &mut Vec<Mention>) {
    match value {
        Json::String(text) => in_text(text, names_count, found),
        Json::Array(items) => items
            .iter()
            .for_each(|item| in_json(item, names_count, found)),
        Json::Object(members) => {
            match value.get("type").and_then(Json::as_str) {
                Some("broadcast") => found.push(match value.get("range").and_then(Json::as_str) {
                    Some("channel" | "here") => Mention::Channel,
                    _ => Mention::Everyone,
                }),
                Some("usergroup") => found.push(Mention::Group),
                _ => {}
            }
            members
                .iter()
                .for_each(|(_, member)| in_json(member, names_count, found));
        }
        Json::Bool(_) | Json::Null | Json::Number(_) => {}
    }
}

fn in_text(text: &str, names_count: bool, found: &mut Vec<Mention>) {
    let marks = [
        ("<!channel", Mention::Channel),
        ("<!here", Mention::Channel),
        ("<!everyone", Mention::Everyone),
        ("<!group", Mention::Channel),
        ("<!subteam", Mention::Group),
    ];
    let names = [
        ("@channel", Mention::Channel),
        ("@here", Mention::Channel),
        ("@everyone", Mention::Everyone),
    ];
    let text = text.to_ascii_lowercase();
    found.extend(
        marks
            .iter()
            .filter(|(mark, _)| text.contains(mark))
            .map(|(_, mention)| *mention),
    );
    if names_count {
        found.extend(
            names
                .iter()
                .filter(|(name, _)| text.contains(name))
                .map(|(_, mention)| *mention),
        );
    }
}

/// Arguments whose text people read.
const SAID: [&str; 5] = [
    "attachments",
    "blocks",
    "initial_comment",
    "markdown_text",
    "text",
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(text: &str, names_count: bool) -> Vec<Mention> {
        let mut found = Vec::new();
        match Json::parse(text.as_bytes()) {
            Ok(value) => in_json(&value, names_count, &mut found),
            Err(_) => in_text(text, names_count, &mut found),
        }
        found
    }

    #[test]
    fn one_word_that_notifies_many() {
        for (text, expected) in [
            ("hi <!here>", vec![Mention::Channel]),
            ("hi <!channel|@channel>", vec![Mention::Channel]),
            ("hi <!Everyone>", vec![Mention::Everyone]),
            ("hi <!subteam^S012345678|@sre>", vec![Mention::Group]),
            ("hi <@U012345678>", vec![]),
            ("hi @channel", vec![]),
            (
                r#"[{"type":"rich_text","elements":[{"type":"broadcast","range":"here"}]}]"#,
                vec![Mention::Channel],
            ),
            (r#"[{"type":"broadcast"}]"#, vec![Mention::Everyone]),
            (
                r#"[{"type":"usergroup","usergroup_id":"S1"}]"#,
                vec![Mention::Group],
            ),
            (
                r#"[{"text":{"type":"mrkdwn","text":"<!here>"}}]"#,
                vec![Mention::Channel],
            ),
        ] {
            assert_eq!(found(text, false), expected, "{text}");
        }
        assert_eq!(found("hi @channel", true), [Mention::Channel]);
    }

    proptest! {
        /// A mention is found wherever in a text or in blocks it stands.
        #[test]
        fn a_mention_is_found_anywhere(before in "\\PC{0,12}", after in "\\PC{0,12}", depth in 0..6_usize) {
            let text = format!("{before}<!channel>{after}");
            let mut value = Json::String(text);
            for _ in 0..depth {
                value = Json::Object(vec![("elements".into(), Json::Array(vec![value]))]);
            }
            let mut found = Vec::new();
            in_json(&value, false, &mut found);
            prop_assert!(found.contains(&Mention::Channel));
        }
    }
}
