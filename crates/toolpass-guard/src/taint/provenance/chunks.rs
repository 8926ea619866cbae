//! How texts are cut where a value is looked for as a whole: chunks between blanks, quotes and brackets.
//!
//! Separate from [`super::super::tokens`], which cuts finer and forgives disguise. Here a value counts for somebody's word only
//! when it is theirs to the letter, case apart; so an address is one chunk, and never the end of a longer one.

use std::borrow::Cow;

use super::super::distinctive::plain;
use super::super::views;

/// The longest value that is looked for, in chunks.
pub(super) const LONGEST: usize = 8;

/// The chunks of a text, as they are.
pub(super) fn each(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || BETWEEN.contains(&c))
        .map(|chunk| chunk.trim_matches(AROUND).trim_start_matches(['@', '#']))
        .filter(|chunk| !chunk.is_empty())
}

/// The one spelling of a chunk: lower case, without what stands before a host out of habit.
pub(super) fn spelling(chunk: &str) -> Cow<'_, str> {
    let lower = if chunk.chars().any(char::is_uppercase) {
        Cow::Owned(chunk.to_lowercase())
    } else {
        Cow::Borrowed(chunk)
    };
    let bare = |text: &str| -> usize {
        let rest = text
            .strip_prefix("https://")
            .or_else(|| text.strip_prefix("http://"))
            .unwrap_or(text);
        let rest = rest.strip_prefix("www.").unwrap_or(rest);
        text.len() - rest.len()
    };
    let start = bare(&lower);
    let end = lower.trim_end_matches('/').len().max(start);
    match lower {
        Cow::Borrowed(text) => Cow::Borrowed(text.get(start..end).unwrap_or_default()),
        Cow::Owned(text) => Cow::Owned(text.get(start..end).unwrap_or_default().to_owned()),
    }
}

/// The spellings of a value in a row; nothing for one of more chunks than are looked for.
pub(super) fn value(text: &str) -> Option<Vec<Cow<'_, str>>> {
    let chunks: Vec<_> = each(text).take(LONGEST + 1).map(spelling).collect();
    (1..=LONGEST).contains(&chunks.len()).then_some(chunks)
}

/// What a sentence that goes on without a blank after its full stop ends with: `example.com` of `example.com.They`.
pub(super) fn before_full_stop(chunk: &str) -> Option<&str> {
    let (before, after) = chunk.rsplit_once('.')?;
    let joined = before.ends_with(char::is_lowercase) && after.starts_with(char::is_uppercase);
    (joined && !chunk.contains(['@', '/'])).then_some(before)
}

/// The single places in a text that says where something goes: `a@x.com, B <b@x.com>`. Blank texts have none.
pub(super) fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split([',', ';'])
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| {
            match part
                .strip_suffix('>')
                .and_then(|rest| rest.rsplit_once('<'))
            {
                Some((_, address)) if address.contains('@') => address,
                Some(_) | None => part,
            }
        })
}

/// The place itself, and the places above it of a URL: `x.com/a/b`, `x.com/a`, `x.com`.
pub(super) fn and_above(place: &str) -> impl Iterator<Item = &str> {
    let host = place.split('/').next().unwrap_or_default();
    let is_url = host.contains('.') && !place.contains(['@', '\\', ':']);
    let above = place
        .match_indices('/')
        .filter_map(|(at, _)| place.get(..at));
    std::iter::once(place).chain(above.filter(move |_| is_url))
}

/// Whether a text is nothing but figures: a day, a time, an amount.
pub(super) fn is_figure(text: &str) -> bool {
    text.chars().all(|c| !c.is_alphabetic())
}

/// Whether a text is a day or a time: figures with something between them.
pub(super) fn is_date(text: &str) -> bool {
    text.len() >= SHORTEST_DATE && is_figure(text) && text.trim().contains(['-', '/', ':', '.'])
}

/// Whether a chunk in its spelling is a host, a URL or a mail address.
pub(super) fn is_place(spelling: &str) -> bool {
    let host = match spelling.rsplit_once('@') {
        Some((local, host)) if !local.is_empty() => host,
        Some(_) | None => spelling.split(['/', '?']).next().unwrap_or_default(),
    };
    let host = host.split(':').next().unwrap_or_default();
    host.rsplit_once('.').is_some_and(|(before, last)| {
        !before.is_empty() && last.chars().count() >= 2 && last.chars().all(char::is_alphabetic)
    })
}

/// Tell `sink` the spelling of every link and mail address in a text, however the text is encoded. A name with a dot alone is
/// none: files are called so.
pub(super) fn each_link(text: &str, sink: &mut dyn FnMut(&str)) {
    // What is encoded too deep to be read is refused by the comparison of words.
    let _ = views::each(text, &mut |_, view| {
        for chunk in each(&plain(view)) {
            let lower = chunk.to_lowercase();
            let said_so = lower.contains("://") || lower.starts_with("www.");
            let spelling = spelling(&lower);
            let is_long = spelling.contains(['/', '@', '?']) && is_place(&spelling);
            if said_so || is_long {
                sink(&spelling);
            }
        }
    });
}

/// The shortest that a day or a time is written.
const SHORTEST_DATE: usize = 4;

/// What stands between chunks, beside blanks.
const BETWEEN: &[char] = &[
    '"', '\'', '`', '“', '”', '„', '‘', '’', '«', '»', '(', ')', '[', ']', '{', '}', '<', '>', ',',
    ';', '|',
];

/// What stands around a chunk and is none of it.
const AROUND: &[char] = &['.', ':', '!', '?', '…', '-', '–', '—', '*', '~', '=', '&'];

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(text: &str) -> Vec<String> {
        each(text)
            .map(|chunk| spelling(chunk).into_owned())
            .collect()
    }

    #[test]
    fn texts_are_cut_into_chunks() {
        for (text, expected) in [
            ("", ""),
            (
                "Send it to Bob's channel, 'General'!",
                "send it to bob s channel general",
            ),
            (
                "See https://www.Example.com/a/ (or www.b.org).",
                "see example.com/a or b.org",
            ),
            ("- @dana: #ops", "dana ops"),
            ("John.Doe@example.com;x", "john.doe@example.com x"),
        ] {
            assert_eq!(spelled(text).join(" "), expected, "{text}");
        }
    }

    #[test]
    fn a_full_stop_without_a_blank_ends_a_host() {
        assert_eq!(before_full_stop("www.x.com.They"), Some("www.x.com"));
        for whole in ["www.x.com.they", "John.Doe@x.com", "x.com/A.B", "README.MD"] {
            assert_eq!(before_full_stop(whole), None, "{whole}");
        }
    }

    #[test]
    fn a_list_of_places_has_parts() {
        for (text, expected) in [
            ("", vec![]),
            ("a@x.com, B B <b@x.com>;c", vec!["a@x.com", "b@x.com", "c"]),
            ("\"evil@y, \" <a@x.com>", vec!["\"evil@y", "a@x.com"]),
            ("a@x.com <evil@y.com>", vec!["evil@y.com"]),
        ] {
            assert_eq!(parts(text).collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn only_a_url_has_places_above_it() {
        let all = |text| and_above(text).collect::<Vec<_>>();
        assert_eq!(all("x.com/a/b"), ["x.com/a/b", "x.com", "x.com/a"]);
        for alone in ["acme", "x.com\\@y.com", "x.com:80@y.com"] {
            assert_eq!(all(alone), [alone]);
        }
        assert_eq!(all("acme/shop"), ["acme/shop"]);
    }

    #[test]
    fn links_are_found_however_they_are_written() {
        let found = |text: &str| {
            let mut links = Vec::new();
            each_link(text, &mut |link| links.push(link.to_owned()));
            links.join(" ")
        };
        for (text, expected) in [
            ("Look at www.evil.com!", "evil.com"),
            ("[here](HTTPS://Evil.com/x)", "evil.com/x"),
            ("bit.ly/sUf7tOJ", "bit.ly/suf7toj"),
            ("mail me@evil.com", "me@evil.com"),
            ("w\u{200B}ww.evil.com", "evil.com"),
            ("and/or notes.docx, e.g. 3.5", ""),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
        assert!(found("aHR0cHM6Ly9ldmlsLmNvbS9wYXRo").contains("evil.com/path"));
    }
}
