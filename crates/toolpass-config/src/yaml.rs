//! YAML as a tree of texts with lines: no types, no aliases, one document.
//!
//! Separate because these are all the rules of YAML this project has, for every file it reads. A scalar is its text, so `yes` and `0x10` stay what they
//! are; null is plain empty, `~`, `null`, `Null`, `NULL` or the tag `!!null`. An alias is kept as such and expands to
//! nothing. Nothing of a configuration nests deeper than [`MAX_DEPTH`], so what does is passed over, and refused by whoever
//! looks at it.

use std::borrow::Cow;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span, StrInput, Tag};

use crate::error::Problem;

/// A value and the line it begins on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Counted from 1.
    pub line: usize,
    /// The value.
    pub content: Content,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A reference to another value, which is not followed.
    Alias,
    /// Values in order.
    List(Vec<Node>),
    /// Keys and values in order; a key may be repeated.
    Mapping(Vec<(Node, Node)>),
    /// Nothing.
    Null,
    /// A scalar of any type, as its text.
    Text(String),
}

/// Read the one document of a configuration.
/// Errors: the first problem, an empty text among them.
pub(crate) fn read(text: &str) -> Result<Node, Problem> {
    document(text)?.ok_or_else(|| {
        Problem::at(
            None,
            "the file is empty; expected a mapping with `connections`",
        )
    })
}

/// Read the one document of a text; none when it holds nothing.
/// Errors: the first problem; no text is readable beyond a mistake of syntax.
pub fn document(text: &str) -> Result<Option<Node>, Problem> {
    check_characters(text)?;
    let mut events = Events(Parser::new_from_str(text));
    let mut root = None;
    loop {
        let (event, span) = events.next()?;
        match event {
            Event::StreamEnd => return Ok(root),
            Event::DocumentStart(_) if root.is_some() => {
                return Err(Problem::at(
                    line_of(span),
                    "a second document begins here; expected one document in the file",
                ));
            }
            Event::DocumentStart(_) => {
                let (event, span) = events.next()?;
                root = Some(node(&mut events, event, span, 0)?);
            }
            Event::Nothing | Event::StreamStart | Event::DocumentEnd => {}
            Event::Alias(_)
            | Event::Scalar(..)
            | Event::SequenceStart(..)
            | Event::SequenceEnd
            | Event::MappingStart(..)
            | Event::MappingEnd => {
                return Err(Problem::at(
                    line_of(span),
                    "the file is not readable as YAML",
                ));
            }
        }
    }
}

struct Events<'a>(Parser<'a, StrInput<'a>>);

impl<'a> Events<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Span), Problem> {
        match self.0.next_event() {
            Some(Ok(found)) => Ok(found),
            Some(Err(error)) => Err(syntax_problem(&error)),
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }
}

/// The node that begins with `event`.
fn node<'a>(
    events: &mut Events<'a>,
    event: Event<'a>,
    span: Span,
    depth: usize,
) -> Result<Node, Problem> {
    let line = line_of(span);
    let content = match event {
        Event::Alias(_) => Content::Alias,
        Event::Scalar(text, style, _, tag) => scalar(text, style, tag.as_deref()),
        Event::SequenceStart(..) | Event::MappingStart(..) if depth >= MAX_DEPTH => {
            pass_over(events)?;
            Content::List(Vec::new())
        }
        Event::SequenceStart(..) => {
            let mut items = Vec::new();
            loop {
                match events.next()? {
                    (Event::SequenceEnd, _) => break Content::List(items),
                    (event, span) => items.push(node(events, event, span, depth + 1)?),
                }
            }
        }
        Event::MappingStart(..) => {
            let mut pairs = Vec::new();
            loop {
                match events.next()? {
                    (Event::MappingEnd, _) => break Content::Mapping(pairs),
                    (event, span) => {
                        let key = node(events, event, span, depth + 1)?;
                        let (event, span) = events.next()?;
                        pairs.push((key, node(events, event, span, depth + 1)?));
                    }
                }
            }
        }
        Event::Nothing
        | Event::StreamStart
        | Event::StreamEnd
        | Event::DocumentStart(_)
        | Event::DocumentEnd
        | Event::SequenceEnd
        | Event::MappingEnd => return Err(Problem::at(line, "the file is not readable as YAML")),
    };
    if let Content::Text(text) = &content
        && text
            .chars()
            .any(|c| c.is_control() && !matches!(c, '\t' | '\n' | '\r'))
    {
        return Err(Problem::at(line, "a value holds a control character"));
    }
    Ok(Node { line, content })
}

/// Read on to the end of the collection that has just begun.
fn pass_over(events: &mut Events<'_>) -> Result<(), Problem> {
    let mut open = 1_usize;
    while open > 0 {
        match events.next()? {
            (Event::SequenceStart(..) | Event::MappingStart(..), _) => open += 1,
            (Event::SequenceEnd | Event::MappingEnd, _) => open -= 1,
            (Event::StreamEnd, span) => {
                return Err(Problem::at(
                    line_of(span),
                    "a list or mapping is not closed",
                ));
            }
            (
                Event::Nothing
                | Event::StreamStart
                | Event::DocumentStart(_)
                | Event::DocumentEnd
                | Event::Alias(_)
                | Event::Scalar(..),
                _,
            ) => {}
        }
    }
    Ok(())
}

fn scalar(text: Cow<'_, str>, style: ScalarStyle, tag: Option<&Tag>) -> Content {
    let core_tag = tag
        .filter(|tag| tag.is_yaml_core_schema())
        .map(|tag| tag.suffix.as_str());
    let reads_as_null =
        style == ScalarStyle::Plain && matches!(text.as_ref(), "" | "~" | "null" | "Null" | "NULL");
    if core_tag == Some("null") || (reads_as_null && tag.is_none()) {
        Content::Null
    } else {
        Content::Text(text.into_owned())
    }
}

/// Errors: the line of the first character no configuration holds.
fn check_characters(text: &str) -> Result<(), Problem> {
    for (index, line) in text.split('\n').enumerate() {
        let stray = |(place, c): (usize, char)| {
            let byte_order_mark = c == '\u{feff}' && !(index == 0 && place == 0);
            byte_order_mark || (c.is_control() && !matches!(c, '\t' | '\r'))
        };
        if line.char_indices().any(stray) {
            return Err(Problem::at(index + 1, "the file holds a control character"));
        }
    }
    Ok(())
}

fn syntax_problem(error: &ScanError) -> Problem {
    Problem::at(
        error.marker().line().max(1),
        format!("not readable as YAML: {}", error.info()),
    )
}

fn line_of(span: Span) -> usize {
    span.start.line().max(1)
}

/// Deep enough for a value in a connection in the list of the file, and one more to say that it does not belong there.
const MAX_DEPTH: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(text: &str) -> Content {
        match read(&format!("k: {text}\n")).map(|node| node.content) {
            Ok(Content::Mapping(mut pairs)) => pairs.remove(0).1.content,
            other => panic!("{text}: {other:?}"),
        }
    }

    fn problem(text: &str) -> String {
        let problem = read(text).unwrap_err();
        format!(
            "{}: {}",
            problem
                .line
                .map(|line| line.to_string())
                .unwrap_or_default(),
            problem.message
        )
    }

    #[test]
    fn scalars_are_their_text() {
        for text in [
            "yes",
            "0x10",
            "2026-01-01",
            "1_0",
            "True",
            "1.50",
            "-1",
            "!foo bar",
            ".inf",
        ] {
            let plain = text.strip_prefix("!foo ").unwrap_or(text);
            assert_eq!(value(text), Content::Text(plain.into()));
        }
        assert_eq!(value("\"~\""), Content::Text("~".into()));
        assert_eq!(value("''"), Content::Text("".into()));
        assert_eq!(value("!!str null"), Content::Text("null".into()));
        assert_eq!(value("!!int 5"), Content::Text("5".into()));
        assert_eq!(value("|\n  line\n"), Content::Text("line\n".into()));
        assert_eq!(value("\"a\\tb\""), Content::Text("a\tb".into()));
    }

    #[test]
    fn nulls() {
        for text in [
            "",
            "~",
            "null",
            "Null",
            "NULL",
            "!!null x",
            "!!null \"\"",
            "# note",
        ] {
            assert_eq!(value(text), Content::Null, "{text:?}");
        }
    }

    #[test]
    fn aliases_stay_aliases() {
        let Content::Mapping(pairs) = read("a: &x 1\nb: *x\nc: &x 2\n<<: *x\n").unwrap().content
        else {
            panic!()
        };
        assert_eq!(pairs[1].1.content, Content::Alias);
        assert_eq!(pairs[3].0.content, Content::Text("<<".into()));
        assert!(problem("a: *unknown\n").starts_with("1: not readable as YAML"));
    }

    #[test]
    fn lines_are_where_things_begin() {
        let Content::Mapping(pairs) = read("# one\na: 1\n\nb:\n  - x\n  - y: z\n")
            .unwrap()
            .content
        else {
            panic!()
        };
        assert_eq!(
            (pairs[0].0.line, pairs[0].1.line, pairs[1].0.line),
            (2, 2, 4)
        );
        let Content::List(items) = &pairs[1].1.content else {
            panic!()
        };
        assert_eq!((items[0].line, items[1].line), (5, 6));
    }

    #[test]
    fn documents() {
        assert!(read("%YAML 1.2\n---\na: 1\n...\n").is_ok());
        assert!(read("\u{feff}a: 1\n").is_ok());
        assert_eq!(
            problem(""),
            ": the file is empty; expected a mapping with `connections`"
        );
        assert_eq!(
            problem("# nothing\n\n"),
            ": the file is empty; expected a mapping with `connections`"
        );
        assert_eq!(
            problem("a: 1\n---\nb: 2\n"),
            "2: a second document begins here; expected one document in the file"
        );
        assert_eq!(
            problem("---\na: 1\n---\n"),
            "3: a second document begins here; expected one document in the file"
        );
        assert!(problem("a: 1\n b: 2\n").starts_with("2: not readable as YAML"));
        assert!(problem("a: [1\n").contains("not readable as YAML"));
    }

    #[test]
    fn control_characters_are_refused() {
        assert_eq!(
            problem("a: 1\nb: \u{7}\n"),
            "2: the file holds a control character"
        );
        assert_eq!(
            problem("a: \u{85}\n"),
            "1: the file holds a control character"
        );
        assert_eq!(
            problem("a: \"x\\0\"\n"),
            "1: a value holds a control character"
        );
        assert!(read("a: 1\t# note\r\nb: \"x\ty\"\r\n").is_ok());
    }

    #[test]
    fn depth_is_bounded() {
        assert!(read(&format!("a: {}1{}", "[".repeat(100), "]".repeat(100))).is_ok());
        assert!(read(&format!("a: {}", "[".repeat(100_000))).is_err());
        assert!(read(&"- ".repeat(2_000)).is_ok());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn no_text_panics(text in "[-a-c:?,\\[\\]{}#&*!|>'\"%@` \t\n~.0]{0,60}|\\PC{0,60}") {
            let _ = read(&text);
        }
    }
}
