//! The head of one request: where it ends, and how its body is framed.
//!
//! Pure, and separate from the reading, so that every rule is a row of a table test.
//! INVARIANT: a head that could be framed in two ways is framed in none: its body is unreadable and the connection ends.
//! SOURCE: RFC 9112 sections 2.2, 6.1 to 6.3 and 11.2.

use httparse::{EMPTY_HEADER, Request, Status};

/// Names and values of a head together.
pub(crate) const MAX_HEADER_BYTES: usize = 16 * 1024;

/// The head as sent: the headers, their separators, and the request line.
pub(crate) const MAX_HEAD_BYTES: usize = MAX_HEADER_BYTES + 8 * 1024;

/// As many as hyper reads.
pub(crate) const MAX_HEADERS: usize = 100;

/// How the body is delimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// `Transfer-Encoding: chunked`.
    Chunked,
    /// So many bytes; none for a request without a body.
    Length(u64),
}

/// What is wrong with a request, before anybody looked at what it asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The body cannot be read, for this reason.
    Body(&'static str),
    /// The head is no HTTP.
    Head,
    /// The head is larger than is read.
    TooLarge,
}

/// What a complete head came to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Judged {
    /// It can be handed on as it is.
    Fine(Framing),
    /// What is handed on instead, and why. Nothing after it is read.
    Faulty(Fault, Vec<u8>),
}

/// Where the head ends that begins the bytes, when it does. `from` is how far was looked before.
pub(crate) fn end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from.saturating_sub(3);
    loop {
        let rest = bytes.get(at..)?;
        let line = rest.iter().position(|b| *b == b'\n')? + at;
        match bytes.get(line + 1..) {
            Some([b'\n', ..]) => return Some(line + 2),
            Some([b'\r', b'\n', ..]) => return Some(line + 3),
            _ => at = line + 1,
        }
    }
}

/// Judge a whole head.
pub(crate) fn judge(head: &[u8]) -> Judged {
    let mut headers = [EMPTY_HEADER; MAX_HEADERS];
    let mut request = Request::new(&mut headers);
    match request.parse(head) {
        Ok(Status::Complete(_)) => {}
        Ok(Status::Partial) => return Judged::Faulty(Fault::Head, substitute(head)),
        Err(httparse::Error::TooManyHeaders) => {
            return Judged::Faulty(Fault::TooLarge, substitute(head));
        }
        Err(_) => return Judged::Faulty(Fault::Head, substitute(head)),
    }
    if has_bare_line_feed(head) || !is_target(request.path) || !is_method(request.method) {
        return Judged::Faulty(Fault::Head, substitute(head));
    }
    let size: usize = request
        .headers
        .iter()
        .map(|header| header.name.len() + header.value.len())
        .sum();
    if size > MAX_HEADER_BYTES {
        return Judged::Faulty(Fault::TooLarge, substitute(head));
    }
    match framing(&request) {
        Ok(framing) => Judged::Fine(framing),
        Err(reason) => Judged::Faulty(Fault::Body(reason), without_body(&request)),
    }
}

/// What is handed on for a head that is not read: its first line when that can be read, so that the answer has the form of
/// its path.
pub(crate) fn substitute(head: &[u8]) -> Vec<u8> {
    let line = head.split(|b| *b == b'\n').next().unwrap_or_default();
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let mut alone = line.to_vec();
    alone.extend_from_slice(b"\r\nhost: unread\r\n\r\n");
    let mut headers = [EMPTY_HEADER; 1];
    let mut request = Request::new(&mut headers);
    let reads = matches!(request.parse(&alone), Ok(Status::Complete(_)));
    if reads && is_target(request.path) && is_method(request.method) && line.len() < MAX_LINE_BYTES
    {
        alone
    } else {
        b"GET /unread HTTP/1.1\r\nhost: unread\r\n\r\n".to_vec()
    }
}

fn framing(request: &Request<'_, '_>) -> Result<Framing, &'static str> {
    let mut lengths = values(request, "content-length");
    let mut codings = values(request, "transfer-encoding");
    match (lengths.next(), codings.next()) {
        (None, None) => Ok(Framing::Length(0)),
        (Some(_), Some(_)) => Err("Content-Length and Transfer-Encoding are both given"),
        (Some(length), None) => {
            if lengths.next().is_some() {
                return Err("Content-Length is given more than once");
            }
            digits(length).ok_or("Content-Length is no number of digits")
        }
        (None, Some(coding)) => {
            if codings.next().is_some() {
                return Err("Transfer-Encoding is given more than once");
            }
            if !coding.eq_ignore_ascii_case(b"chunked") {
                return Err("the only Transfer-Encoding that is read is chunked");
            }
            if request.version == Some(0) {
                return Err("HTTP/1.0 has no Transfer-Encoding");
            }
            Ok(Framing::Chunked)
        }
    }
}

fn values<'r>(request: &'r Request<'_, '_>, name: &'static str) -> impl Iterator<Item = &'r [u8]> {
    let of_name = request
        .headers
        .iter()
        .filter(move |header| header.name.eq_ignore_ascii_case(name));
    of_name.map(|header| header.value)
}

fn digits(text: &[u8]) -> Option<Framing> {
    if text.is_empty() || text.len() > MAX_LENGTH_DIGITS || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let length = std::str::from_utf8(text).ok()?.parse().ok()?;
    Some(Framing::Length(length))
}

/// The request without what says that it has a body.
fn without_body(request: &Request<'_, '_>) -> Vec<u8> {
    let mut head = Vec::with_capacity(512);
    let version = request.version.unwrap_or(1);
    let line = format!(
        "{} {} HTTP/1.{version}\r\n",
        request.method.unwrap_or("GET"),
        request.path.unwrap_or("/")
    );
    head.extend_from_slice(line.as_bytes());
    let framing = ["content-length", "transfer-encoding", "expect", "upgrade"];
    for header in request.headers.iter() {
        if framing
            .iter()
            .any(|name| header.name.eq_ignore_ascii_case(name))
        {
            continue;
        }
        head.extend_from_slice(header.name.as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(header.value);
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
    head
}

/// A line that ends in a line feed alone ends there for some readers and not for others.
fn has_bare_line_feed(head: &[u8]) -> bool {
    let mut before = 0;
    head.iter().any(|b| {
        let bare = *b == b'\n' && before != b'\r';
        before = *b;
        bare
    })
}

/// What hyper takes as a target; it would answer others itself.
fn is_target(path: Option<&str>) -> bool {
    path.is_some_and(|path| path.parse::<http::Uri>().is_ok())
}

fn is_method(method: Option<&str>) -> bool {
    method.is_some_and(|method| method.parse::<http::Method>().is_ok())
}

/// No body that is read has more.
const MAX_LENGTH_DIGITS: usize = 15;
const MAX_LINE_BYTES: usize = 8 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(head: &str) -> Option<Fault> {
        match judge(head.as_bytes()) {
            Judged::Fine(_) => None,
            Judged::Faulty(fault, instead) => {
                assert!(
                    matches!(judge(&instead), Judged::Fine(Framing::Length(0))),
                    "what is handed on can be read: {:?}",
                    String::from_utf8_lossy(&instead)
                );
                Some(fault)
            }
        }
    }

    #[test]
    fn bodies_are_framed_in_exactly_one_way() {
        let framed = |headers: &str| {
            let head = format!("POST /check HTTP/1.1\r\nHost: a\r\n{headers}\r\n");
            match judge(head.as_bytes()) {
                Judged::Fine(framing) => Some(framing),
                Judged::Faulty(Fault::Body(_), _) => None,
                other => panic!("{headers:?}: {other:?}"),
            }
        };
        let cases: &[(&str, Option<Framing>)] = &[
            ("", Some(Framing::Length(0))),
            ("Content-Length: 0\r\n", Some(Framing::Length(0))),
            ("Content-Length: 5\r\n", Some(Framing::Length(5))),
            ("content-LENGTH:005\r\n", Some(Framing::Length(5))),
            ("Transfer-Encoding: chunked\r\n", Some(Framing::Chunked)),
            ("Transfer-Encoding: CHUNKED\r\n", Some(Framing::Chunked)),
            ("Content-Length: +5\r\n", None),
            ("Content-Length: -5\r\n", None),
            ("Content-Length: \u{a0}5\r\n", None),
            ("Content-Length: 5 5\r\n", None),
            ("Content-Length: 5,5\r\n", None),
            ("Content-Length: 5_0\r\n", None),
            ("Content-Length: 0x5\r\n", None),
            ("Content-Length: 5.0\r\n", None),
            ("Content-Length: ٥\r\n", None),
            ("Content-Length: \r\n", None),
            ("Content-Length: 9999999999999999999999\r\n", None),
            ("Content-Length: 5\r\nContent-Length: 5\r\n", None),
            ("Content-Length: 5\r\ncontent-length: 6\r\n", None),
            ("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", None),
            ("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", None),
            (
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                None,
            ),
            ("Transfer-Encoding: gzip, chunked\r\n", None),
            ("Transfer-Encoding: chunked, chunked\r\n", None),
            ("Transfer-Encoding: identity\r\n", None),
            ("Transfer-Encoding: xchunked\r\n", None),
            ("Transfer-Encoding: chunked;x=1\r\n", None),
            ("Transfer-Encoding: \"chunked\"\r\n", None),
            ("Transfer-Encoding: \r\n", None),
        ];
        for (headers, expected) in cases {
            assert_eq!(framed(headers), *expected, "{headers:?}");
        }
        assert!(fault("POST /check HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n").is_some());
    }

    #[test]
    fn what_is_no_head_is_none() {
        for head in [
            "nonsense\r\n\r\n",
            "GET /\r\n\r\n",
            "GET / HTTP/2.0\r\n\r\n",
            "GET  / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\n\r\n",
            "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
            "GET / HTTP/1.1\r\n Host: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",
            "GET / HTTP/1.1\r\nHo\0st: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n",
            "G\u{e9}T / HTTP/1.1\r\n\r\n",
            "\u{1}\r\n\r\n",
        ] {
            assert_eq!(fault(head), Some(Fault::Head), "{head:?}");
        }
    }

    #[test]
    fn large_heads_are_told_from_broken_ones() {
        let value =
            |bytes: usize| format!("GET /check HTTP/1.1\r\nx: {}\r\n\r\n", "v".repeat(bytes));
        assert_eq!(fault(&value(MAX_HEADER_BYTES - 1)), None);
        assert_eq!(fault(&value(MAX_HEADER_BYTES)), Some(Fault::TooLarge));
        let many = |count: usize| format!("GET / HTTP/1.1\r\n{}\r\n", "x: y\r\n".repeat(count));
        assert_eq!(fault(&many(MAX_HEADERS)), None);
        assert_eq!(fault(&many(MAX_HEADERS + 1)), Some(Fault::TooLarge));
    }

    #[test]
    fn an_answer_keeps_the_form_of_its_path() {
        let Judged::Faulty(_, instead) =
            judge(b"POST /check HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer k\r\nContent-Length: x\r\n\r\n")
        else {
            panic!("no fault")
        };
        assert_eq!(
            instead,
            b"POST /check HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer k\r\n\r\n"
        );
        let Judged::Faulty(_, instead) = judge(b"POST /check HTTP/1.1\r\nbad header\r\n\r\n")
        else {
            panic!("no fault")
        };
        assert!(instead.starts_with(b"POST /check HTTP/1.1\r\n"));
    }

    #[test]
    fn the_end_is_found_however_it_arrives() {
        let head = b"GET / HTTP/1.1\r\nHost: a\r\n\r\nrest";
        let whole = end(head, 0).unwrap();
        assert_eq!(&head[whole..], b"rest");
        for cut in 0..head.len() {
            let first = end(&head[..cut], 0);
            assert_eq!(first.or_else(|| end(head, cut)), Some(whole), "{cut}");
        }
        assert_eq!(end(b"a\n\nb", 0), Some(3));
        assert_eq!(end(b"a\n\r", 0), None);
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_panic(head in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
            let _ = judge(&head);
            let _ = end(&head, 0);
        }

        #[test]
        fn what_is_handed_on_is_framed(headers in "((Content-Length|Transfer-Encoding|x): [ 0-9a-zchunked,+]{0,9}\r\n){0,4}") {
            let head = format!("POST / HTTP/1.1\r\n{headers}\r\n");
            if let Judged::Faulty(_, instead) = judge(head.as_bytes()) {
                proptest::prop_assert_eq!(judge(&instead), Judged::Fine(Framing::Length(0)));
            }
        }
    }
}
