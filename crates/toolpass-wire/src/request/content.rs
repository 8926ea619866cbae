//! What is inside a request: query, body by its kind, and all of it as text.
//!
//! Separate from `request.rs` because it is lazy: none of it costs anything until it is asked for.
//! INVARIANT: a body that is not read as what is asked for is [`Field::Unread`], never absent.

use crate::body::kind::{BodyKind, ContentType};
use crate::body::multipart::{Multipart, Parts};
use crate::body::{encoding, form};
use crate::field::{Field, Unresolved};
use crate::json::{Json, JsonProblem};
use crate::method;
use crate::query::Pairs;
use crate::table::Quirks;

use super::{Body, WireRequest};

impl WireRequest {
    /// What the body is, by its content type.
    pub fn body_kind(&self) -> BodyKind {
        self.content_type().kind
    }

    /// The names and values of the query.
    pub fn query_pairs(&self) -> Field<&Pairs> {
        match self.pairs_of_query() {
            Ok(pairs) => Field::Present(pairs),
            Err(problem) => Field::Ambiguous(problem.clone()),
        }
    }

    /// The body, decompressed.
    pub fn content(&self) -> Field<&[u8]> {
        let sent = match &self.body {
            Body::None => return Field::Absent,
            Body::Unread(why) => return Field::Unread(why.clone()),
            Body::Bytes(bytes) => bytes,
        };
        if self.headers.all("content-encoding").next().is_none() {
            return Field::Present(sent);
        }
        let decode = || {
            encoding::decode(self.headers.all("content-encoding"), sent, &self.limits)
                .map(|body| body.into_owned())
        };
        match self.lazy.decoded.get_or_init(decode) {
            Ok(decoded) if decoded.is_empty() => Field::Absent,
            Ok(decoded) => Field::Present(decoded),
            Err(why) => Field::Unread(why.clone()),
        }
    }

    /// The body as JSON, when it says it is, or says nothing and the vendor reads that as JSON.
    pub fn json(&self, quirks: &Quirks) -> Field<&Json> {
        let is_json = |kind| {
            kind == BodyKind::Json || (kind == BodyKind::Untyped && quirks.untyped_body_is_json)
        };
        match self.content_of(is_json, "JSON") {
            Field::Present(content) => self.parsed_json(content),
            Field::Absent => Field::Absent,
            Field::Ambiguous(why) => Field::Ambiguous(why),
            Field::Unread(why) => Field::Unread(why),
        }
    }

    /// The body as an url-encoded form.
    pub fn form(&self) -> Field<&Pairs> {
        match self.content_of(|kind| kind == BodyKind::Form, "a form") {
            Field::Present(content) => self.parsed_form(content),
            Field::Absent => Field::Absent,
            Field::Ambiguous(why) => Field::Ambiguous(why),
            Field::Unread(why) => Field::Unread(why),
        }
    }

    /// The body as parts.
    pub fn multipart(&self) -> Field<Multipart<'_>> {
        match self.content_of(|kind| kind == BodyKind::Multipart, "a multipart") {
            Field::Present(content) => self.parsed_multipart(content),
            Field::Absent => Field::Absent,
            Field::Ambiguous(why) => Field::Ambiguous(why),
            Field::Unread(why) => Field::Unread(why),
        }
    }

    /// Every text in the request: decoded path, names and values of the query, and of the body the keys and scalars of JSON,
    /// names and values of a form, parts that are text, or the whole when it is text. Unread when the body could hold text and
    /// was not read.
    pub fn text(&self) -> Field<Vec<String>> {
        let mut texts = vec![match self.path() {
            Ok(path) => path.text().to_owned(),
            Err(_) => self.raw_path().to_owned(),
        }];
        match self.pairs_of_query() {
            Ok(pairs) => push_pairs(&mut texts, pairs),
            Err(_) => texts.push(self.raw_query().to_owned()),
        }
        match self.push_body_texts(&mut texts) {
            Ok(()) => Field::Present(texts),
            Err(why) => Field::Unread(why),
        }
    }

    pub(super) fn pairs_of_query(&self) -> Result<&Pairs, &Unresolved> {
        let read = || {
            Pairs::read(self.raw_query())
                .map_err(|problem| Unresolved::new(format!("the query holds {problem}")))
        };
        self.lazy.query.get_or_init(read).as_ref()
    }

    /// Why the body can be read in more than one way, or overrides the method. An unread body is no such trouble.
    pub(super) fn body_problem(&self) -> Option<Unresolved> {
        let Field::Present(content) = self.content() else {
            return None;
        };
        match self.body_kind() {
            BodyKind::Form if self.content_type().is_utf8 => match self.parsed_form(content) {
                Field::Present(pairs) => method::is_in_pairs(pairs).then(in_body),
                Field::Absent => None,
                Field::Ambiguous(why) | Field::Unread(why) => {
                    method::may_be_in_json_sent_as_form(content).then_some(why)
                }
            },
            BodyKind::Json => match self.parsed_json(content) {
                Field::Present(json) => method::is_in_json(json).then(in_body),
                Field::Ambiguous(why) => Some(why),
                Field::Absent | Field::Unread(_) => None,
            },
            BodyKind::Malformed => Some(malformed_type()),
            BodyKind::Multipart => match self.parsed_multipart(content) {
                Field::Present(multipart) => method::is_in_pairs(multipart.fields()).then(in_body),
                Field::Ambiguous(why) => Some(why),
                Field::Absent | Field::Unread(_) => None,
            },
            BodyKind::Untyped => {
                let is_in_json = matches!(self.parsed_json(content), Field::Present(json) if method::is_in_json(json));
                let is_in_form =
                    || std::str::from_utf8(content).is_ok_and(method::is_in_text_as_form);
                (is_in_json || is_in_form()).then(in_body)
            }
            BodyKind::Form | BodyKind::Other | BodyKind::Text => None,
        }
    }

    pub(crate) fn content_type(&self) -> &ContentType {
        self.lazy
            .content_type
            .get_or_init(|| ContentType::read(self.headers.one("content-type")))
    }

    /// The content where the body is of the kind asked for, and in UTF-8.
    fn content_of(&self, fits: impl Fn(BodyKind) -> bool, wanted: &str) -> Field<&[u8]> {
        let Field::Present(content) = self.content() else {
            return self.content();
        };
        let content_type = self.content_type();
        match content_type.kind {
            BodyKind::Malformed => Field::Ambiguous(malformed_type()),
            kind if !fits(kind) => {
                Field::Unread(Unresolved::new(format!("the body is not sent as {wanted}")))
            }
            _ if !content_type.is_utf8 => Field::Unread(Unresolved::new(
                "the body is in another character set than UTF-8",
            )),
            _ => Field::Present(content),
        }
    }

    fn parsed_json(&self, content: &[u8]) -> Field<&Json> {
        match self
            .lazy
            .json
            .get_or_init(|| Json::parse_within(content, &self.limits))
        {
            Ok(json) => Field::Present(json),
            Err(problem @ (JsonProblem::Encoding | JsonProblem::TooLarge)) => {
                Field::Unread(Unresolved::new(problem.to_string()))
            }
            Err(problem) => Field::Ambiguous(Unresolved::new(problem.to_string())),
        }
    }

    fn parsed_form(&self, content: &[u8]) -> Field<&Pairs> {
        present_or_ambiguous(
            self.lazy
                .form
                .get_or_init(|| form::read(content, &self.limits)),
        )
    }

    fn parsed_multipart<'r>(&'r self, content: &'r [u8]) -> Field<Multipart<'r>> {
        let parts = self
            .lazy
            .multipart
            .get_or_init(|| Parts::read(content, self.content_type(), &self.limits));
        present_or_ambiguous(parts).map(|parts| Multipart {
            body: content,
            parts,
        })
    }

    fn push_body_texts(&self, texts: &mut Vec<String>) -> Result<(), Unresolved> {
        let content = match self.content() {
            Field::Absent => return Ok(()),
            Field::Present(content) => content,
            Field::Ambiguous(why) | Field::Unread(why) => {
                return if self.body_kind() == BodyKind::Other {
                    Ok(())
                } else {
                    Err(why)
                };
            }
        };
        match self.body_kind() {
            BodyKind::Form => match self.form() {
                Field::Absent => {}
                Field::Present(pairs) => push_pairs(texts, pairs),
                Field::Ambiguous(why) | Field::Unread(why) => {
                    push_json(texts, &Json::parse(content).map_err(|_| why)?);
                }
            },
            BodyKind::Json => push_json(texts, self.json(&Quirks::default()).required("JSON")?),
            BodyKind::Multipart => {
                let multipart = self.multipart().required("multipart")?;
                multipart.parts().iter().try_for_each(|part| {
                    texts.push(part.name.clone());
                    push_content(texts, multipart.content(part), &part.content_type)
                })?;
            }
            BodyKind::Malformed | BodyKind::Other | BodyKind::Text | BodyKind::Untyped => {
                push_content(texts, content, self.content_type())?;
            }
        }
        Ok(())
    }
}

/// The texts of a body or a part that stands by itself: JSON by its leaves where it parses, else the whole when it is text, and
/// when nothing says what it is, the fields it would have as a form.
fn push_content(
    texts: &mut Vec<String>,
    content: &[u8],
    content_type: &ContentType,
) -> Result<(), Unresolved> {
    let may_be_json = matches!(
        content_type.kind,
        BodyKind::Json | BodyKind::Untyped | BodyKind::Malformed
    );
    if may_be_json && let Ok(json) = Json::parse(content) {
        push_json(texts, &json);
        return Ok(());
    }
    match std::str::from_utf8(content) {
        Ok(text) if content_type.is_utf8 => {
            texts.push(text.to_owned());
            if content_type.kind == BodyKind::Untyped
                && text.contains('=')
                && let Ok(pairs) = Pairs::read(text)
            {
                push_pairs(texts, &pairs);
            }
        }
        _ if matches!(content_type.kind, BodyKind::Other | BodyKind::Untyped) => {}
        _ => return Err(Unresolved::new("the body holds text that is not UTF-8")),
    }
    Ok(())
}

fn push_json(texts: &mut Vec<String>, json: &Json) {
    json.texts(&mut |text| texts.push(text.to_owned()));
}

fn push_pairs(texts: &mut Vec<String>, pairs: &Pairs) {
    let both = pairs.iter().flat_map(|(name, value)| [name, value]);
    texts.extend(both.filter(|text| !text.is_empty()).map(str::to_owned));
}

fn present_or_ambiguous<T>(read: &Result<T, Unresolved>) -> Field<&T> {
    match read {
        Ok(value) => Field::Present(value),
        Err(why) => Field::Ambiguous(why.clone()),
    }
}

fn in_body() -> Unresolved {
    method::overridden("the body")
}

fn malformed_type() -> Unresolved {
    Unresolved::new("the content type is malformed or stands twice")
}
