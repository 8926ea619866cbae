//! Entry points for a fuzzer: one plain function for each reader of outside bytes, holding what must be true of any input.
//!
//! Separate so that a fuzzer, a corpus and the property tests call the same functions. What does not hold, panics.

use crate::body::encoding;
use crate::body::kind::ContentType;
use crate::body::limits::Limits;
use crate::body::multipart::{Multipart, Parts};
use crate::field::Field;
use crate::headers::Headers;
use crate::host;
use crate::json::Json;
use crate::path::PathSegments;
use crate::query::Pairs;
use crate::raw::{RawBody, RawRequest};
use crate::request::WireRequest;
use crate::table::Quirks;

/// An entry point.
pub type Target = fn(&[u8]);

/// Every entry point by its name.
pub const TARGETS: [(&str, Target); 8] = [
    ("encoding", encoding),
    ("headers", headers),
    ("host", host),
    ("json", json),
    ("multipart", multipart),
    ("path", path),
    ("query", query),
    ("request", request),
];

/// A decoded body keeps to the limits.
pub fn encoding(bytes: &[u8]) {
    let limits = Limits {
        decoded_bytes: 1 << 16,
        ..Limits::default()
    };
    for coding in ["br", "deflate", "gzip", "zstd"] {
        if let Ok(decoded) = encoding::decode(std::iter::once(coding), bytes, &limits) {
            assert!(decoded.len() <= limits.decoded_bytes, "{coding}");
        }
    }
}

/// Lines of `name:value`; what is kept is all of them.
pub fn headers(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<(&str, &[u8])> = text
        .split('\u{1}')
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name, value.as_bytes()))
        .collect();
    let headers = Headers::read(&lines);
    assert!(headers.problem().is_some() || headers.iter().count() == lines.len());
    let _ = ContentType::read(headers.one("content-type"));
}

/// A canonical host is its own canonical host.
pub fn host(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok((host, _)) = host::with_port(&text) {
        assert_eq!(host::canonical(&host).as_deref(), Ok(&*host));
    }
}

/// A value read from JSON has no key twice and every text can be walked.
pub fn json(bytes: &[u8]) {
    if let Ok(json) = Json::parse(bytes) {
        let mut walked = 0usize;
        json.texts(&mut |text| walked += text.len());
        assert!(walked <= bytes.len().saturating_mul(3));
        if let Some(members) = json.as_object() {
            assert!(
                members
                    .iter()
                    .all(|(key, value)| json.get(key) == Some(value))
            );
        }
    }
}

/// No part reaches outside the body, and none holds the boundary.
pub fn multipart(bytes: &[u8]) {
    for header in [
        "multipart/form-data; boundary=b",
        "multipart/mixed; boundary=b",
    ] {
        let content_type = ContentType::read(Field::Present(header));
        if let Ok(parts) = Parts::read(bytes, &content_type, &Limits::default()) {
            let multipart = Multipart {
                body: bytes,
                parts: &parts,
            };
            for part in multipart.parts() {
                assert!(
                    !multipart
                        .content(part)
                        .windows(3)
                        .any(|window| window == b"--b")
                );
            }
        }
    }
}

/// A path that is read has no dot segment, and its segments are its text.
pub fn path(bytes: &[u8]) {
    if let Ok(path) = PathSegments::read(&String::from_utf8_lossy(bytes)) {
        let texts: Vec<&str> = path.iter().map(|segment| segment.text).collect();
        assert_eq!(texts.join("/"), path.text());
        assert!(
            !path
                .text()
                .split('/')
                .any(|part| part == "." || part == "..")
        );
        assert_eq!(
            path.is_gapped(),
            texts.iter().any(|text| text.is_empty()) || (texts.is_empty() && bytes.len() > 1)
        );
    }
}

/// A name that is given out stands there once.
pub fn query(bytes: &[u8]) {
    if let Ok(pairs) = Pairs::read(&String::from_utf8_lossy(bytes)) {
        for (name, value) in pairs.iter() {
            let given = pairs.value(name);
            assert!(given == Field::Present(value) || matches!(given, Field::Ambiguous(_)));
        }
    }
}

/// Reading a request, and asking it everything, ends.
pub fn request(bytes: &[u8]) {
    let (head, body) = bytes.split_at(bytes.len() / 2);
    let text = String::from_utf8_lossy(head);
    let mut lines = text.split('\n');
    let mut next = || lines.next().unwrap_or("");
    let (method, host, target) = (next(), next(), next());
    let headers = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name, value.as_bytes()))
        .collect();
    let raw = RawRequest {
        scheme: "https",
        host,
        port: None,
        method,
        target,
        headers,
        body: RawBody::Bytes(body),
    };
    let request = WireRequest::read(raw, &Limits::default());
    assert_eq!(request.host().is_empty(), host::canonical(host).is_err());
    assert!(
        request.problem().is_none() || request.problem_on_connection(&Quirks::default()).is_some()
    );
    let _ = (request.text(), request.describe(), request.digest());
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn targets_are_sorted_and_take_the_empty_input() {
        assert!(TARGETS.is_sorted_by_key(|(name, _)| *name));
        for (_, target) in TARGETS {
            target(b"");
        }
    }

    proptest! {
        #[test]
        fn what_must_be_true_is_true_of_any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..96)) {
            for (_, target) in TARGETS {
                target(&bytes);
            }
        }

        #[test]
        fn what_must_be_true_is_true_of_likely_bytes(
            text in "(GET|POST|\n|a|b|é|/|%2e|%2F|%|\\.|;|:|\\?|=|&|\\[|\\]|\\{|\\}|\"|,|1|0x|null|--b|\r\n|content-type|application/json| ){0,40}"
        ) {
            for (_, target) in TARGETS {
                target(text.as_bytes());
            }
        }
    }
}
