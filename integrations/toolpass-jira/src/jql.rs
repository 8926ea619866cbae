//! What a JQL query is held to: the projects or issues that everything it finds lies in.
//!
//! A query is understood when one of its top-level conditions names them, and no `OR` stands beside it: `project = OPS AND …`,
//! `issuekey in (OPS-1, OPS-2)`. Anything else may find whatever the credential sees. Names, functions and words that are not understood
//! make a query one of those, never one that is held.
//! Source: support.atlassian.com "JQL fields", "JQL operators", "JQL keywords"; read 2026-12-01.

use crate::resource::{Issue, Project};

/// Where everything a query finds lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In these issues.
    Issues(Vec<Issue>),
    /// In these projects.
    Projects(Vec<Project>),
}

/// Where everything `query` finds lies; `None` when it may lie anywhere.
pub fn scope(query: &str) -> Option<Scope> {
    let tokens = tokens(query)?;
    conditions(&tokens)?.into_iter().find_map(named)
}

/// A piece of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    /// `(`, `)`, `,`, `=`, or another operator.
    Sign(String),
    /// What stood in quotes.
    Quoted(String),
    /// A bare word.
    Word(String),
}

impl Token {
    fn is(&self, word: &str) -> bool {
        match self {
            Token::Sign(text) | Token::Word(text) => text.eq_ignore_ascii_case(word),
            Token::Quoted(_) => false,
        }
    }

    fn value(&self) -> Option<&str> {
        match self {
            Token::Quoted(text) | Token::Word(text) => Some(text),
            Token::Sign(_) => None,
        }
    }
}

/// The conditions that are all held to; `None` with an `OR` among them, or parentheses that do not close.
fn conditions(tokens: &[Token]) -> Option<Vec<&[Token]>> {
    let (mut depth, mut start, mut conditions) = (0_usize, 0, Vec::new());
    let mut end = tokens.len();
    for (place, token) in tokens.iter().enumerate() {
        if token.is("(") {
            depth += 1;
        } else if token.is(")") {
            depth = depth.checked_sub(1)?;
        } else if depth == 0 && ["or", "|"].iter().any(|or| token.is(or)) {
            return None;
        } else if depth == 0 && ["and", "&"].iter().any(|and| token.is(and)) {
            conditions.push(tokens.get(start..place)?);
            start = place + 1;
        } else if depth == 0
            && token.is("order")
            && tokens.get(place + 1).is_some_and(|next| next.is("by"))
        {
            end = place;
            break;
        }
    }
    conditions.push(tokens.get(start..end)?);
    (depth == 0).then_some(conditions)
}

/// What a condition names, when it does nothing else.
fn named(condition: &[Token]) -> Option<Scope> {
    let (field, values) = match condition {
        [field, equals, value] if equals.is("=") => (field, vec![value.value()?]),
        [field, within, open, list @ .., close]
            if within.is("in") && open.is("(") && close.is(")") =>
        {
            (field, listed(list)?)
        }
        _ => return None,
    };
    let field = field.value()?.to_ascii_lowercase();
    match field.as_str() {
        "project" => {
            let projects = values.into_iter().map(Project::sent);
            Some(Scope::Projects(projects.collect::<Option<_>>()?))
        }
        "id" | "issue" | "issuekey" | "key" => {
            let issues = values.into_iter().map(Issue::sent);
            Some(Scope::Issues(issues.collect::<Option<_>>()?))
        }
        _ => None,
    }
}

/// Values between commas; not none.
fn listed(tokens: &[Token]) -> Option<Vec<&str>> {
    let values = tokens.split(|token| token.is(","));
    values
        .map(|value| match value {
            [only] => only.value(),
            _ => None,
        })
        .collect()
}

/// The pieces of a query; `None` for one that holds what is not understood.
fn tokens(query: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut letters = query.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\t' | '\n' | '\r' => {}
            // One by one: an `||` may be followed by a `!` at once.
            '(' | ')' | ',' | '&' | '|' => tokens.push(Token::Sign(letter.into())),
            '\'' | '"' => tokens.push(Token::Quoted(quoted(&mut letters, letter)?)),
            '=' | '!' | '<' | '>' | '~' => {
                let mut sign = String::from(letter);
                while let Some(next) = letters.next_if(|next| "=!<>~".contains(*next)) {
                    sign.push(next);
                }
                tokens.push(Token::Sign(sign));
            }
            _ if is_word(letter) => {
                let mut word = String::from(letter);
                while let Some(next) = letters.next_if(|next| is_word(*next)) {
                    word.push(next);
                }
                tokens.push(Token::Word(word));
            }
            _ => return None,
        }
    }
    Some(tokens)
}

/// What stands in quotes, without escapes: one that is escaped is not understood.
fn quoted(letters: &mut impl Iterator<Item = char>, quote: char) -> Option<String> {
    let mut text = String::new();
    loop {
        match letters.next()? {
            '\\' => {
                text.push('\\');
                text.push(letters.next()?);
            }
            letter if letter == quote => return Some(text),
            letter => text.push(letter),
        }
    }
}

fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "._-:@[]+/".contains(letter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(query: &str) -> Option<String> {
        scope(query).map(|scope| match scope {
            Scope::Issues(issues) => format!("issues {issues:?}"),
            Scope::Projects(projects) => projects
                .iter()
                .map(Project::as_str)
                .collect::<Vec<_>>()
                .join(" "),
        })
    }

    #[test]
    fn named_and_not_named() {
        let held = [
            ("project = OPS", "OPS"),
            ("PROJECT=ops and status = Done", "OPS"),
            (
                "status = 'a or b' AND project in (OPS, \"WEB\") ORDER BY rank",
                "OPS WEB",
            ),
            ("(a = 1 or b = 2) && project = 10001", "10001"),
            ("project = OPS order by created DESC", "OPS"),
            ("assignee = currentUser() AND project = OPS", "OPS"),
        ];
        for (query, expected) in held {
            assert_eq!(shown(query).as_deref(), Some(expected), "{query}");
        }
        assert!(
            shown("key in (OPS-1, ops-2)")
                .unwrap()
                .starts_with("issues")
        );
        for query in [
            "",
            "status = Done",
            "project = OPS OR project = WEB",
            "project = OPS || a = 1",
            "project = OPS | a = 1",
            "project = OPS ||! a = 1",
            "project = OPS AND a = 1|!b = 2",
            "project = OPS AND a = b||(c = d)",
            "NOT project = OPS",
            "project != OPS",
            "project not in (OPS)",
            "project in ()",
            "project in (OPS",
            "project = OPS)",
            "(project = OPS)",
            "project in projectsLeadByUser()",
            "project = 'My project'",
            "project ~ OPS",
            "project was OPS",
            "\"project = OPS\"",
            "project = \"O\\u0050S\"",
            "project = OPS AND a = 1 or b = 2",
            "issuekey = OPS-1 or 1 = 1",
            "project = OPS;x",
            "order by project = OPS",
            "! project = OPS",
            "project = OPS \u{0}",
            "project in (OPS, currentUser())",
        ] {
            assert_eq!(shown(query), None, "{query}");
        }
    }

    proptest! {
        /// No query that is joined by `or` to anything is held.
        #[test]
        fn a_choice_is_never_held(query in ".{0,40}", quoted in any::<bool>()) {
            let either = if quoted { format!("project = OPS OR \"{query}\" = 1") } else { format!("project = OPS or {query}") };
            prop_assert_eq!(scope(&either), None);
        }
    }
}
