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
    said(reading, vec![place.pair(action)])
}

/// The same, where no thread can be named: Slack would ignore one.
pub fn say(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    sender(reading)?;
    let place = one_place(reading)?;
    said(reading, vec![place.pair(Action::MessagePost)])
}

/// The bot's own message is changed; files are added to it; a reply is shown in the channel too.
pub fn update(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    bots_own(reading)?;
    let place = one_place(reading)?;
    let mut pairs = vec![place.pair(Action::ChannelMember)];
    if is_true(reading, "reply_broadcast")? {
        pairs.push(place.pair(Action::MessagePost));
    }
    for id in list(reading, "file_ids")? {
        let id = FileId::parse(&id)
            .ok_or_else(|| Unresolved::new("expected the ids of files as `file_ids`"))?;
        pairs.push(pair(Action::FileView, format!("file:{id}")));
    }
    said(reading, pairs)
}

/// The bot's own message is changed in another way, or removed.
pub fn own(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    bots_own(reading)?;
    said(
        reading,
        vec![one_place(reading)?.pair(Action::ChannelMember)],
    )
}

/// What a link shows below somebody's message; named by an event alone, it is in a place that cannot be told.
pub fn unfurl(reading: &Reading<'_>) -> Result<Extracted, Unresolved> {
    sender(reading)?;
    let by_event =
        argument(reading, "unfurl_id")?.is_some() || argument(reading, "source")?.is_some();
    if by_event && places(reading)?.is_empty() {
        return Ok(Extracted::pairs(vec![agents_own()]));
    }
    let channel = one_channel(reading)?;
    said(reading, vec![on_channel(Action::ChannelMember, &channel)])
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

/// These pairs, with whom the words notify beside those they name one by one; and each file that the words show is one the person sees.
pub(super) fn said(reading: &Reading<'_>, pairs: Vec<Pair>) -> Result<Extracted, Unresolved> {
    let mut words = words(reading)?;
    words.mentions.sort_unstable();
    words.mentions.dedup();
    let notified: Vec<&str> = words.mentions.into_iter().map(Mention::as_str).collect();
    let notifies = |pair: &Pair| {
        let of = [
            Action::FileUpload,
            Action::MessagePost,
            Action::MessagePostThread,
        ];
        of.iter()
            .any(|action| pair.action.as_deref() == Some(action.name()))
    };
    let mut asked: Vec<Pair> = pairs
        .into_iter()
        .map(|pair| match notified.is_empty() || !notifies(&pair) {
            true => pair,
            false => pair.fact(facts::MENTIONS, notified.join(",")),
        })
        .collect();
    asked.extend(
        words
            .files
            .iter()
            .map(|id| pair(Action::FileView, format!("file:{id}"))),
    );
    Ok(Extracted::pairs(asked))
}

/// What the words of a message do besides being read.
#[derive(Default)]
struct Words {
    /// Whom they notify.
    mentions: Vec<Mention>,
    /// Files they show.
    files: Vec<FileId>,
    /// A name after an `@` is looked up.
    names_count: bool,
    /// A file is shown that cannot be told.
    untold_file: bool,
}

fn words(reading: &Reading<'_>) -> Result<Words, Unresolved> {
    let mut words = Words {
        names_count: is_true(reading, "link_names")?
            || argument(reading, "parse")?.as_deref() == Some("full"),
        ..Words::default()
    };
    for name in SAID {
        match reading.member(name) {
            Field::Present(value @ (Json::Array(_) | Json::Object(_))) => words.in_json(value),
            _ => {
                let Some(text) = argument(reading, name)? else {
                    continue;
                };
                words.in_text(&text);
                // Blocks in a form are JSON in a text.
                match Json::parse(text.as_bytes()) {
                    Ok(value) => words.in_json(&value),
                    Err(_) if STRUCTURED.contains(&name) => {
                        return Err(Unresolved::new(format!(
                            "`{name}` is no JSON that reads in one way"
                        )));
                    }
                    Err(_) => {}
                }
            }
        }
    }
    match words.untold_file {
        true => Err(Unresolved::new(
            "the message shows a file that it names by something that is no id",
        )),
        false => Ok(words),
    }
}

impl Words {
    fn in_json(&mut self, value: &Json) {
        match value {
            Json::String(text) => self.in_text(text),
            Json::Array(items) => items.iter().for_each(|item| self.in_json(item)),
            Json::Object(members) => {
                match value.get("type").and_then(Json::as_str) {
                    Some("broadcast") => {
                        self.mentions
                            .push(match value.get("range").and_then(Json::as_str) {
                                Some("channel" | "here") => Mention::Channel,
                                _ => Mention::Everyone,
                            })
                    }
                    Some("usergroup") => self.mentions.push(Mention::Group),
                    _ => {}
                }
                for (name, member) in members {
                    if name == "slack_file" {
                        self.shown(member);
                    }
                    self.in_json(member);
                }
            }
            Json::Bool(_) | Json::Null | Json::Number(_) => {}
        }
    }

    /// A picture that is a file of Slack: by its id, or by its address.
    fn shown(&mut self, file: &Json) {
        let before = self.files.len();
        if let Some(id) = file
            .get("id")
            .and_then(Json::as_str)
            .and_then(FileId::parse)
        {
            self.take(id);
        }
        if let Some(url) = file.get("url").and_then(Json::as_str) {
            self.in_text(url);
        }
        self.untold_file |= self.files.len() == before && !self.names_one(file);
    }

    fn names_one(&self, file: &Json) -> bool {
        let id = file.get("id").and_then(Json::as_str).unwrap_or_default();
        let url = file.get("url").and_then(Json::as_str).unwrap_or_default();
        self.files
            .iter()
            .any(|known| known.as_str() == id || url.contains(known.as_str()))
    }

    fn in_text(&mut self, text: &str) {
        let lower = text.to_ascii_lowercase();
        let marked = MARKS.iter().filter(|(mark, _)| lower.contains(mark));
        let named = NAMES
            .iter()
            .filter(|(name, _)| self.names_count && lower.contains(name));
        let found: Vec<Mention> = marked.chain(named).map(|(_, mention)| *mention).collect();
        self.mentions.extend(found);
        // Slack shares a file whose address is posted.
        let addresses = lower
            .contains("/files")
            .then(|| text.split(|c: char| !c.is_ascii_alphanumeric()));
        for id in addresses.into_iter().flatten().filter_map(FileId::parse) {
            self.take(id);
        }
    }

    fn take(&mut self, id: FileId) {
        if !self.files.contains(&id) {
            self.files.push(id);
        }
    }
}

/// What notifies many, as a message holds it.
const MARKS: [(&str, Mention); 5] = [
    ("<!channel", Mention::Channel),
    ("<!everyone", Mention::Everyone),
    ("<!group", Mention::Channel),
    ("<!here", Mention::Channel),
    ("<!subteam", Mention::Group),
];
/// The same, where names are looked up.
const NAMES: [(&str, Mention); 3] = [
    ("@channel", Mention::Channel),
    ("@everyone", Mention::Everyone),
    ("@here", Mention::Channel),
];
/// Those of [`SAID`] that are JSON wherever they stand.
const STRUCTURED: [&str; 4] = ["attachments", "blocks", "chunks", "unfurls"];
/// Arguments whose text people read.
const SAID: [&str; 7] = [
    "attachments",
    "blocks",
    "chunks",
    "initial_comment",
    "markdown_text",
    "text",
    "unfurls",
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(text: &str, names_count: bool) -> Vec<Mention> {
        let mut words = Words {
            names_count,
            ..Words::default()
        };
        match Json::parse(text.as_bytes()) {
            Ok(value) => words.in_json(&value),
            Err(_) => words.in_text(text),
        }
        words.mentions
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
            let mut words = Words::default();
            words.in_json(&value);
            prop_assert!(words.mentions.contains(&Mention::Channel));
        }
    }
}
