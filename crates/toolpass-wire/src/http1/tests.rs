//! However the bytes are cut, the same request is found; what can be read in two ways is broken.

use proptest::prelude::*;

use super::*;

const HEAD: &[u8] = b"POST /a?b=c HTTP/1.1\r\nHost: x\r\n";

/// The request, and what was not part of it.
fn feed(parts: &[&[u8]]) -> (Outgoing, Vec<u8>) {
    let mut request = Outgoing::default();
    let mut rest = Vec::new();
    for part in parts {
        let taken = request.feed(part);
        rest = part.get(taken..).unwrap().to_vec();
    }
    (request, rest)
}

fn with_head(rest: &[u8]) -> Vec<u8> {
    [HEAD, rest].concat()
}

#[test]
fn a_whole_request_ends_where_it_says() {
    for (given, body, rest) in [
        (b"\r\n" as &[u8], b"" as &[u8], b"" as &[u8]),
        (b"\r\nnext", b"", b"next"),
        (b"Content-Length: 0\r\n\r\nnext", b"", b"next"),
        (b"content-LENGTH:  3 \r\n\r\nabcnext", b"abc", b"next"),
        (
            b"Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
            b"abc",
            b"",
        ),
        (
            b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\nnext",
            b"abcde",
            b"next",
        ),
        (
            b"Transfer-Encoding: chunked\r\n\r\n0\r\nTrailer: x\r\n\r\nnext",
            b"",
            b"next",
        ),
    ] {
        let (request, left) = feed(&[&with_head(given)]);
        assert_eq!(
            (request.method(), request.target()),
            (b"POST" as &[u8], b"/a?b=c" as &[u8])
        );
        assert_eq!(
            request.headers().next(),
            Some((b"Host" as &[u8], b"x" as &[u8]))
        );
        assert_eq!((request.body(), left.as_slice()), (body, rest));
        assert!(request.is_whole() && !request.is_unread() && !request.is_broken());
    }
}

#[test]
fn what_can_be_read_in_two_ways_is_broken() {
    let long_extension = [b"3;".as_slice(), &[b'x'; 5000], b"\r\nabc\r\n0\r\n\r\n"].concat();
    let chunked = |rest: &[u8]| with_head(&[b"Transfer-Encoding: chunked\r\n\r\n", rest].concat());
    for given in [
        b"POST /a\r\n\r\n".to_vec(),
        b"POST /a b HTTP/1.1\r\n\r\n".to_vec(),
        b"POST  /a HTTP/1.1\r\n\r\n".to_vec(),
        b"POST /a HTTP/1.1\r\n folded\r\n\r\n".to_vec(),
        b"and more\r\n\r\n".to_vec(),
        with_head(b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n"),
        with_head(b"Content-Length: 1\r\nContent-Length: 2\r\nContent-Length: 1\r\n\r\n"),
        with_head(b"Content-Length: -1\r\n\r\n"),
        with_head(b"Content-Length: \r\n\r\n"),
        with_head(b"Content-Length: 1, 1\r\n\r\n"),
        with_head(b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"),
        chunked(b"xyz\r\n"),
        chunked(b"-1\r\n"),
        chunked(b"3\r\nabcd\r\n"),
        chunked(b"3\nabc\r\n"),
        chunked(&[b'1'; 5000]),
        chunked(&long_extension),
        vec![b'x'; 2 << 20],
    ] {
        let (request, _) = feed(&[&given]);
        assert!(request.is_broken(), "{:?}", String::from_utf8_lossy(&given));
        assert!(!request.is_whole());
    }
}

#[test]
fn a_number_that_is_too_large_has_no_end() {
    let (request, _) = feed(&[&with_head(
        b"Content-Length: 99999999999999999999999999\r\n\r\nabc",
    )]);
    assert!(!request.is_whole() && request.is_unread());
}

#[test]
fn a_folded_line_stays_to_be_seen() {
    let (request, _) = feed(&[&with_head(b"A: 1\r\n\t2\r\nB: 3\r\nno colon\r\n\r\n")]);
    let headers: Vec<_> = request.headers().collect();
    let expected: [(&[u8], &[u8]); 4] = [
        (b"Host", b"x"),
        (b"A", b"1\r\n\t2"),
        (b"B", b"3"),
        (b"no colon", b""),
    ];
    assert_eq!(headers, expected);
}

#[test]
fn a_body_over_the_limit_is_unread_and_not_kept() {
    let head = with_head(format!("Content-Length: {}\r\n\r\n", LIMIT + 1).as_bytes());
    let (request, _) = feed(&[&head, &vec![b'x'; LIMIT], b"y"]);
    assert!(request.is_whole() && request.is_unread());
    assert_eq!(request.body(), b"");
}

#[test]
fn absolute_targets() {
    for (given, scheme, host, port, target) in [
        ("http://a/b?c", "http", "a", 80, "/b?c"),
        ("HTTPS://a:8443/b", "https", "a", 8443, "/b"),
        ("https://a", "https", "a", 443, "/"),
        ("http://a?x", "http", "a", 80, "/?x"),
        ("http://a#x", "http", "a", 80, "/#x"),
        ("http://[::1]:8080/", "http", "[::1]", 8080, "/"),
        ("http://a:99999/", "http", "a:99999", 80, "/"),
        ("http://a:080808/", "http", "a:080808", 80, "/"),
        ("http://a:/", "http", "a:", 80, "/"),
        ("http://u:p@a/", "http", "u:p@a", 80, "/"),
        ("/b", "/b", "", 80, "/"),
    ] {
        let read = absolute(given.as_bytes());
        let expected = Absolute {
            scheme: scheme.into(),
            host: host.into(),
            port,
            target: target.into(),
        };
        assert_eq!(read, expected, "{given}");
    }
}

proptest! {
    #[test]
    fn it_does_not_matter_how_the_bytes_are_cut(
        body in proptest::collection::vec(any::<u8>(), 0..300),
        chunked: bool,
        cuts in proptest::collection::vec(1..40_usize, 0..60),
    ) {
        let whole = if chunked {
            let mut framed = b"Transfer-Encoding: chunked\r\n\r\n".to_vec();
            for part in body.chunks(body.len() / 2 + 1) {
                framed.extend(format!("{:x}\r\n", part.len()).into_bytes());
                framed.extend(part);
                framed.extend(b"\r\n");
            }
            framed.extend(b"0\r\n\r\n");
            with_head(&framed)
        } else {
            with_head(&[format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), &body].concat())
        };
        let mut pieces: Vec<&[u8]> = Vec::new();
        let mut rest = whole.as_slice();
        for cut in cuts {
            let (piece, left) = rest.split_at(cut.min(rest.len()));
            pieces.push(piece);
            rest = left;
        }
        pieces.push(rest);
        pieces.retain(|piece| !piece.is_empty());
        let (request, left) = feed(&pieces);
        prop_assert_eq!(request.body(), body.as_slice());
        prop_assert!(left.is_empty() && request.is_whole() && !request.is_broken());
    }

    #[test]
    fn no_bytes_panic(data in proptest::collection::vec(any::<u8>(), 0..400), at in 0..400_usize) {
        let all = with_head(&data);
        let (first, second) = all.split_at(at.min(all.len()));
        let (request, rest) = feed(&[first, second]);
        prop_assert!(rest.len() <= all.len());
        let _ = (request.headers().count(), request.body().len());
        let _ = absolute(&data);
    }
}
