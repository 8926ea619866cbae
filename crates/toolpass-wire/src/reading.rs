//! What an extractor gets to see of a request: accessors that answer [`Field`], and nothing else.
//!
//! Separate from [`crate::request`] because it adds what a row knows: the path variables, and how the vendor reads a body.
//! INVARIANT: a name that stands in the request in ways two readers could read differently is never present, and a body that
//! was not read as what is asked for is never absent.

use std::cell::OnceCell;

use crate::body::kind::BodyKind;
use crate::field::{Field, Unresolved};
use crate::graphql::{self, Operation};
use crate::json::Json;
use crate::query::Pairs;
use crate::request::WireRequest;
use crate::table::{Quirks, Text};

/// A request under a row.
pub struct Reading<'r> {
    request: &'r WireRequest,
    path: &'r [(Text, String)],
    quirks: Quirks,
    graphql: OnceCell<Result<Operation, Unresolved>>,
}

impl<'r> Reading<'r> {
    /// `request` under a row that captured `path`, of a vendor with `quirks`.
    pub fn new(
        request: &'r WireRequest,
        path: &'r [(Text, String)],
        quirks: Quirks,
    ) -> Reading<'r> {
        Reading {
            request,
            path,
            quirks,
            graphql: OnceCell::new(),
        }
    }

    /// The same request under another row, which captured `path`: for an address that stands for another one.
    pub fn under<'p>(&self, path: &'p [(Text, String)]) -> Reading<'p>
    where
        'r: 'p,
    {
        Reading::new(self.request, path, self.quirks)
    }

    /// The method, in upper case.
    pub fn method(&self) -> &str {
        self.request.method()
    }

    /// A decoded path variable; empty when the template has none of that name.
    pub fn path(&self, name: &str) -> &str {
        self.path
            .iter()
            .find(|(known, _)| known == name)
            .map_or("", |(_, value)| value)
    }

    /// A header; its name in lower case.
    pub fn header(&self, name: &str) -> Field<&str> {
        self.request.headers().one(name)
    }

    /// Whether there is a header whose name begins so; the beginning in lower case.
    pub fn has_header_starting(&self, beginning: &str) -> bool {
        let mut headers = self.request.headers().iter();
        headers.any(|(name, _)| name.to_ascii_lowercase().starts_with(beginning))
    }

    /// A parameter of the query.
    pub fn query(&self, name: &str) -> Field<String> {
        value_of(self.request.query_pairs(), name)
    }

    /// Whether the query names anything at all, readable or not.
    pub fn has_query(&self) -> bool {
        !matches!(self.request.query_pairs(), Field::Present(pairs) if pairs.is_empty())
    }

    /// A field of a form, url-encoded or multipart. A body of another kind is unread.
    pub fn form(&self, name: &str) -> Field<String> {
        match self.request.body_kind() {
            BodyKind::Multipart => value_of(
                self.request.multipart().map(|multipart| multipart.fields()),
                name,
            ),
            _ => value_of(self.request.form(), name),
        }
    }

    /// The JSON body. A body of another kind is unread.
    pub fn json(&self) -> Field<&Json> {
        self.request.json(&self.quirks)
    }

    /// A member of the object that the JSON body is.
    pub fn member(&self, name: &str) -> Field<&Json> {
        match self.json() {
            Field::Present(json) => json.member(name),
            other => other,
        }
    }

    /// A text that the vendor takes from the query, from a form, or from a JSON string, number, `true` or `false`. The same in
    /// two of them is present; a `null` is absent.
    pub fn field(&self, name: &str) -> Field<String> {
        let in_body = self.field_of_body(name);
        match (self.query(name), in_body) {
            (_, body @ (Field::Ambiguous(_) | Field::Unread(_))) => body,
            (query, Field::Absent) => query,
            (Field::Absent, body) => body,
            (Field::Present(query), Field::Present(body)) if query == body => Field::Present(body),
            (Field::Present(_), Field::Present(_)) => {
                ambiguous(name, "differs between query and body")
            }
            (query, Field::Present(_)) => query,
        }
    }

    /// The body, decompressed, of whatever kind.
    pub fn bytes(&self) -> Field<&[u8]> {
        self.request.content()
    }

    /// Whether there is no body at all.
    pub fn body_absent(&self) -> bool {
        matches!(self.request.content(), Field::Absent)
    }

    /// The GraphQL operation of the request. What is not plainly one operation is ambiguous.
    pub fn graphql(&self) -> Field<&Operation> {
        let body = match self.json() {
            Field::Absent => None,
            Field::Present(json) => Some(json),
            Field::Ambiguous(why) => return Field::Ambiguous(why),
            Field::Unread(why) => return Field::Unread(why),
        };
        match self.graphql.get_or_init(|| self.read_graphql(body)) {
            Ok(operation) => Field::Present(operation),
            Err(why) => Field::Ambiguous(why.clone()),
        }
    }

    fn read_graphql(&self, body: Option<&Json>) -> Result<Operation, Unresolved> {
        let url = self.request.query_pairs().required("query")?;
        for name in ENVELOPE {
            url.value(name).known()?;
            if let Some(json @ Json::Object(_)) = body {
                json.member(name).known()?;
            }
        }
        let url: Vec<(String, String)> = url
            .iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        graphql::read_request(&url, body)
    }

    fn field_of_body(&self, name: &str) -> Field<String> {
        match self.request.body_kind() {
            BodyKind::Form | BodyKind::Multipart => self.form(name),
            BodyKind::Json
            | BodyKind::Malformed
            | BodyKind::Other
            | BodyKind::Text
            | BodyKind::Untyped => match self.member(name) {
                Field::Present(value) => self.scalar(name, value),
                Field::Absent => Field::Absent,
                Field::Ambiguous(why) => Field::Ambiguous(why),
                Field::Unread(why) => Field::Unread(why),
            },
        }
    }

    fn scalar(&self, name: &str, value: &Json) -> Field<String> {
        match value.scalar() {
            Some(text) => Field::Present(text.to_owned()),
            None if value.is_null() && self.query(name) == Field::Absent => Field::Absent,
            None => ambiguous(name, "is no single text in the body"),
        }
    }
}

fn value_of(pairs: Field<&Pairs>, name: &str) -> Field<String> {
    match pairs {
        Field::Present(pairs) => pairs.value(name).map(str::to_owned),
        Field::Absent => Field::Absent,
        Field::Ambiguous(why) => Field::Ambiguous(why),
        Field::Unread(why) => Field::Unread(why),
    }
}

fn ambiguous(name: &str, why: &str) -> Field<String> {
    Field::Ambiguous(Unresolved::new(format!("`{name}` {why}")))
}

/// The members of a GraphQL request, of which none may stand in another spelling for a reader that ignores case.
const ENVELOPE: [&str; 6] = [
    "query",
    "operationName",
    "variables",
    "extensions",
    "id",
    "documentId",
];

#[cfg(test)]
mod tests;
