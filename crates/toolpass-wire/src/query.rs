//! Names and values of a query or a form: all of them kept, and one given out only when every server reads the same one.
//!
//! Separate because a query, an url-encoded form and the fields of a multipart form answer by the same rule.
//! INVARIANT: [`Pairs::value`] is present only when the name stands once, in exactly that spelling, with a value that is text.
//! SOURCE: WHATWG URL, "application/x-www-form-urlencoded parsing"; servers that also split at `;`, collect `name[]`, and
//! fold case are why the rest is ambiguous.

use crate::field::{Field, Unresolved};
use crate::percent::{self, PercentProblem};

/// Names and values in order.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Pairs {
    pairs: Vec<Pair>,
}

#[derive(Clone, PartialEq, Eq)]
struct Pair {
    name: String,
    value: String,
    /// Why the value is no text, or not the same text for every server.
    unclear: Option<&'static str>,
}

impl Pairs {
    /// Read a query (what stands after `?`) or an url-encoded form.
    /// Errors: [`PercentProblem`], for the whole of it.
    pub fn read(text: &str) -> Result<Pairs, PercentProblem> {
        let mut pairs = Pairs::default();
        for piece in text.split('&').filter(|piece| !piece.is_empty()) {
            pairs.read_piece(piece)?;
        }
        Ok(pairs)
    }

    /// The value of `name`.
    pub fn value(&self, name: &str) -> Field<&str> {
        let mut found = self.pairs.iter().filter(|pair| reads_as(&pair.name, name));
        let Some(pair) = found.next() else {
            return Field::Absent;
        };
        let why = match pair.unclear {
            _ if found.next().is_some() => "is given more than once",
            _ if pair.name != name => "is given in another spelling",
            Some(why) => why,
            None => return Field::Present(&pair.value),
        };
        Field::Ambiguous(Unresolved::new(format!("`{name}` {why}")))
    }

    /// Whether `name` stands there in any spelling, readable or not.
    pub fn names(&self, name: &str) -> bool {
        self.pairs.iter().any(|pair| reads_as(&pair.name, name))
    }

    /// Names and values in order, also those that are no clear answer to a name: for reading text, and for the clear ones.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pairs
            .iter()
            .map(|pair| (pair.name.as_str(), pair.value.as_str()))
    }

    /// Whether there is no pair at all.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    pub(crate) fn push(&mut self, name: String, value: String) {
        self.pairs.push(Pair {
            name,
            value,
            unclear: None,
        });
    }

    /// The same, of a value that no reader may be given.
    pub(crate) fn push_unclear(&mut self, name: String, value: String, why: &'static str) {
        self.pairs.push(Pair {
            name,
            value,
            unclear: Some(why),
        });
    }

    fn read_piece(&mut self, piece: &str) -> Result<(), PercentProblem> {
        let (name, value) = decoded(piece)?;
        if !piece.contains(';') {
            self.push(name, value);
            return Ok(());
        }
        self.push_unclear(name, value, SEMICOLON);
        for inner in piece.split(';') {
            let (name, value) = decoded(inner)?;
            self.push_unclear(name, value, SEMICOLON);
        }
        Ok(())
    }
}

/// Shows names only.
impl std::fmt::Debug for Pairs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list()
            .entries(self.pairs.iter().map(|pair| &pair.name))
            .finish()
    }
}

fn decoded(piece: &str) -> Result<(String, String), PercentProblem> {
    let (name, value) = piece.split_once('=').unwrap_or((piece, ""));
    Ok((
        percent::decode_form(name)?.into_owned(),
        percent::decode_form(value)?.into_owned(),
    ))
}

/// Whether some server reads `known` as `name`: in other case, with spaces around it, as `name[]` or `name[0]`.
pub(crate) fn reads_as(known: &str, name: &str) -> bool {
    if known == name {
        return true;
    }
    let root = if name.contains('[') {
        known
    } else {
        known.split('[').next().unwrap_or(known)
    };
    folds_to(
        root.trim_matches(|c: char| c.is_whitespace() || c == '\0'),
        name,
    )
}

/// Whether two names are one to a reader that ignores case, also where two letters outside ASCII fold onto ASCII ones.
pub(crate) fn folds_to(known: &str, name: &str) -> bool {
    let fold = |c: char| match c {
        'ſ' => 's',
        '\u{212a}' => 'k',
        _ => c.to_ascii_lowercase(),
    };
    known.chars().map(fold).eq(name.chars().map(fold))
}

const SEMICOLON: &str = "stands beside a `;`, at which some servers split";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn value(query: &str, name: &str) -> Result<Option<String>, ()> {
        Pairs::read(query)
            .unwrap()
            .value(name)
            .map(str::to_owned)
            .known()
            .map_err(drop)
    }

    #[test]
    fn one_name_one_value() {
        for (query, expected) in [
            ("", None),
            ("ref=main", Some("main")),
            ("a=1&ref=main&b", Some("main")),
            ("ref", Some("")),
            ("ref=", Some("")),
            ("ref=a+b%2Bc%26d", Some("a b+c&d")),
            ("r%65f=main", Some("main")),
            ("ref=a=b", Some("a=b")),
            ("&&ref=x&&", Some("x")),
            ("xref=1&refx=2&ref.x=3", None),
            ("ref=a%3Bref=b", Some("a;ref=b")),
        ] {
            assert_eq!(
                value(query, "ref"),
                Ok(expected.map(str::to_owned)),
                "{query}"
            );
        }
    }

    #[test]
    fn what_servers_read_differently_is_ambiguous() {
        for query in [
            "ref=a&ref=b",
            "ref=a&ref=a",
            "ref=a&r%65f=b",
            "ref[]=a",
            "ref[0]=a",
            "ref=a&ref[]=b",
            "ref%5B%5D=a",
            "Ref=a",
            "ref=a&REF=b",
            "ref=a;b",
            "a;ref=b",
            "a=1;ref=b",
            "ref;x",
            "+ref=a",
            "ref%00=a",
            "re%C5%BF=1&ref=2&REF=3",
        ] {
            assert_eq!(value(query, "ref"), Err(()), "{query}");
        }
        assert_eq!(value("\u{17f}ha=1", "sha"), Err(()));
        assert_eq!(
            value("page%5Bsize%5D=2", "page[size]"),
            Ok(Some("2".into()))
        );
    }

    #[test]
    fn what_does_not_decode_is_a_problem_of_the_whole() {
        for query in ["a=%", "a=%zz", "a=%ff", "%ff=1", "a=1;b=%zz"] {
            assert!(Pairs::read(query).is_err(), "{query}");
        }
    }

    proptest! {
        #[test]
        fn no_query_panics(query in "\\PC{0,40}|(a|=|&|;|%|6|1|\\[|\\]|\\+|é){0,24}") {
            if let Ok(pairs) = Pairs::read(&query) {
                let _ = pairs.value("a");
                let _ = pairs.names("a");
            }
        }

        /// Whatever a value is, it reads back when escaped, and a second one of that name makes it ambiguous.
        #[test]
        fn values_read_back_until_given_twice(text in "\\PC{0,12}", again in "[a-z]{0,3}") {
            let escaped = percent_encoding::utf8_percent_encode(&text, percent_encoding::NON_ALPHANUMERIC).to_string();
            let query = format!("a=1&name={escaped}");
            prop_assert_eq!(value(&query, "name"), Ok(Some(text)));
            prop_assert_eq!(value(&format!("{query}&name={again}"), "name"), Err(()));
        }
    }
}
