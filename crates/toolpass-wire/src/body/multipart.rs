//! A multipart body, read strictly: form-data, related, mixed.
//!
//! Separate because its readers differ most: what stands before the first delimiter, a delimiter inside a line, a header twice,
//! mixed line ends. All of that is refused, so that the parts here are the parts of every server.
//! SOURCE: RFC 2046 section 5.1; RFC 7578; WHATWG HTML, "multipart form data" (how names are escaped).

use std::ops::Range;

use crate::field::Unresolved;
use crate::headers::is_token;
use crate::query::Pairs;

use super::kind::{BodyKind, ContentType, Parameterised};
use super::limits::Limits;

/// The parts of a body, beside that body.
#[derive(Clone, Copy)]
pub struct Multipart<'b> {
    pub(crate) body: &'b [u8],
    pub(crate) parts: &'b Parts,
}

/// What was found in a multipart body.
#[derive(Clone)]
pub struct Parts {
    list: Vec<Part>,
    fields: Pairs,
}

/// One part.
#[derive(Clone)]
pub struct Part {
    /// The name of a form's field; empty in other multiparts.
    pub name: String,
    /// Whether it was sent as a file.
    pub is_file: bool,
    /// Its own content type.
    pub content_type: ContentType,
    content: Range<usize>,
}

impl<'b> Multipart<'b> {
    /// The parts in order.
    pub fn parts(&self) -> &'b [Part] {
        &self.parts.list
    }

    /// The content of one of its parts.
    pub fn content(&self, part: &Part) -> &'b [u8] {
        self.body.get(part.content.clone()).unwrap_or_default()
    }

    /// The fields of a form. A file, and what is no text, is there and ambiguous.
    pub fn fields(&self) -> &'b Pairs {
        &self.parts.fields
    }
}

impl Parts {
    /// Read `body`, whose content type is `kind`.
    /// Errors: [`Unresolved`], naming the rule that is broken.
    pub fn read(body: &[u8], kind: &ContentType, limits: &Limits) -> Result<Parts, Unresolved> {
        let boundary = kind.boundary.as_deref().filter(|text| is_boundary(text));
        let boundary = boundary
            .ok_or_else(|| broken("has no boundary of 1 to 70 of the characters one may have"))?;
        let delimiter = format!("--{boundary}").into_bytes();
        let mut reader = Reader {
            body,
            delimiter: &delimiter,
            line_end: b"\r\n",
            at: 0,
        };
        let is_form = kind.essence == "multipart/form-data";
        let mut parts = Parts {
            list: Vec::new(),
            fields: Pairs::default(),
        };
        let mut is_last = reader.open()?;
        while !is_last {
            if parts.list.len() == limits.parts {
                return Err(broken("has too many parts"));
            }
            let headers = reader.headers()?;
            let content = reader.content()?;
            is_last = reader.after_delimiter()?;
            let part = part(&headers, content, is_form)?;
            if is_form {
                push_field(&mut parts.fields, &part, body);
            }
            parts.list.push(part);
        }
        Ok(parts)
    }
}

struct Reader<'b> {
    body: &'b [u8],
    delimiter: &'b [u8],
    line_end: &'static [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    /// The first delimiter, which is how the body begins. It also says which line end is used throughout.
    fn open(&mut self) -> Result<bool, Unresolved> {
        let rest = self
            .body
            .strip_prefix(self.delimiter)
            .ok_or_else(|| broken("does not begin with its boundary"))?;
        if rest.starts_with(b"\n") {
            self.line_end = b"\n";
        }
        self.at = self.delimiter.len();
        self.after_delimiter()
    }

    /// What may stand behind a delimiter: a line end, or `--` and the end of the body. Whether it was the last.
    fn after_delimiter(&mut self) -> Result<bool, Unresolved> {
        if self.take(self.line_end) {
            return Ok(false);
        }
        if self.take(b"--") && (self.rest().is_empty() || self.rest() == self.line_end) {
            return Ok(true);
        }
        Err(broken("has something behind a boundary"))
    }

    fn headers(&mut self) -> Result<Vec<(String, &'b str)>, Unresolved> {
        let mut headers: Vec<(String, &str)> = Vec::new();
        loop {
            let line = self.line()?;
            if line.is_empty() && !headers.is_empty() {
                return Ok(headers);
            }
            let (name, value) = line
                .split_once(':')
                .ok_or_else(|| broken("has a part whose header is no `name: value`"))?;
            let name = name.to_ascii_lowercase();
            if !is_token(&name) || headers.len() == MAX_HEADERS {
                return Err(broken("has a part whose header is no `name: value`"));
            }
            if headers.iter().any(|(known, _)| *known == name) {
                return Err(broken("has a part with a header twice"));
            }
            headers.push((name, value.trim_matches([' ', '\t'])));
        }
    }

    fn line(&mut self) -> Result<&'b str, Unresolved> {
        let rest = self.rest();
        let end = rest
            .iter()
            .position(|b| *b == b'\n')
            .ok_or_else(|| broken("ends inside a part's headers"))?;
        let line = rest
            .get(..=end)
            .and_then(|line| line.strip_suffix(self.line_end));
        let line = line
            .and_then(|line| std::str::from_utf8(line).ok())
            .filter(|line| !line.chars().any(|c| c.is_control() && c != '\t'));
        self.at += end + 1;
        line.ok_or_else(|| broken("has a part whose header is no line of text"))
    }

    /// What stands before the next delimiter, which must stand at the beginning of a line and nowhere else.
    fn content(&mut self) -> Result<Range<usize>, Unresolved> {
        let rest = self.rest();
        let found = find(rest, self.delimiter).ok_or_else(|| broken("has no closing boundary"))?;
        let before = rest
            .get(..found)
            .and_then(|before| before.strip_suffix(self.line_end));
        let is_mixed = |content: &[u8]| self.line_end == b"\n" && content.ends_with(b"\r");
        let content = before
            .filter(|content| !is_mixed(content))
            .ok_or_else(|| broken("holds its boundary inside a line"))?;
        let start = self.at;
        self.at += found + self.delimiter.len();
        Ok(start..start + content.len())
    }

    fn rest(&self) -> &'b [u8] {
        self.body.get(self.at..).unwrap_or_default()
    }

    fn take(&mut self, bytes: &[u8]) -> bool {
        let is_next = self.rest().starts_with(bytes);
        self.at += if is_next { bytes.len() } else { 0 };
        is_next
    }
}

fn part(
    headers: &[(String, &str)],
    content: Range<usize>,
    is_form: bool,
) -> Result<Part, Unresolved> {
    let header = |name: &str| {
        headers
            .iter()
            .find_map(|(known, value)| (known == name).then_some(*value))
    };
    let coding = header("content-transfer-encoding").unwrap_or("binary");
    if !["7bit", "8bit", "binary"]
        .iter()
        .any(|plain| coding.eq_ignore_ascii_case(plain))
    {
        return Err(broken("has a part with a transfer encoding"));
    }
    let content_type = ContentType::read(
        header("content-type").map_or(crate::field::Field::Absent, crate::field::Field::Present),
    );
    if content_type.kind == BodyKind::Malformed {
        return Err(broken("has a part with a malformed content type"));
    }
    if !is_form {
        return Ok(Part {
            name: String::new(),
            is_file: false,
            content_type,
            content,
        });
    }
    let disposition = header("content-disposition").and_then(Parameterised::parse);
    let mut disposition = disposition
        .ok_or_else(|| broken("has a part without a well-formed content disposition"))?;
    let name = disposition.take("name").filter(|name| is_plain_name(name));
    if disposition.value != "form-data" || disposition.get("name*").is_some() {
        return Err(broken(
            "has a part whose content disposition is not plain `form-data`",
        ));
    }
    let name = name.ok_or_else(|| broken("has a part without a plain name"))?;
    let is_file = disposition.get("filename").is_some() || disposition.get("filename*").is_some();
    Ok(Part {
        name,
        is_file,
        content_type,
        content,
    })
}

/// Add a part to the fields; one that is no text is there without a value.
fn push_field(fields: &mut Pairs, part: &Part, body: &[u8]) {
    let content = body.get(part.content.clone()).unwrap_or_default();
    let unclear = match std::str::from_utf8(content) {
        _ if part.is_file => "is a file",
        _ if part.content_type.kind == BodyKind::Multipart || !part.content_type.is_utf8 => {
            "is no plain text"
        }
        Ok(text) => return fields.push(part.name.clone(), text.to_owned()),
        Err(_) => "is not UTF-8",
    };
    fields.push_unclear(part.name.clone(), String::new(), unclear);
}

/// Whether all readers undo the same escapes in a name: there are none.
fn is_plain_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    !name.contains('\\')
        && !["%22", "%0d", "%0a"]
            .iter()
            .any(|escape| lower.contains(escape))
}

/// RFC 2046: 1 to 70 characters of a set, the last no space.
fn is_boundary(text: &str) -> bool {
    let fits = |b: u8| b.is_ascii_alphanumeric() || b"'()+_,-./:=? ".contains(&b);
    (1..=70).contains(&text.len()) && text.bytes().all(fits) && !text.ends_with(' ')
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes
        .windows(wanted.len())
        .position(|window| window == wanted)
}

fn broken(rule: &str) -> Unresolved {
    Unresolved::new(format!("the multipart body {rule}"))
}

const MAX_HEADERS: usize = 32;

#[cfg(test)]
mod tests;
