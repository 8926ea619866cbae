"""The reader of outgoing bytes: however they are cut, it finds the same request."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolpass._hooks._body import LIMIT
from toolpass._native import OutgoingRequest

HEAD = b"POST /a?b=c HTTP/1.1\r\nHost: x\r\n"


def feed(*parts: bytes) -> tuple[OutgoingRequest, bytes]:
    """The request, and what was not part of it."""
    request = OutgoingRequest()
    rest = b""
    for part in parts:
        rest = part[request.feed(part) :]
    return request, rest


@pytest.mark.parametrize(
    ("given_bytes", "body", "rest"),
    [
        (HEAD + b"\r\n", b"", b""),
        (HEAD + b"\r\nnext", b"", b"next"),
        (HEAD + b"Content-Length: 0\r\n\r\nnext", b"", b"next"),
        (HEAD + b"content-LENGTH:  3 \r\n\r\nabcnext", b"abc", b"next"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\nnext", b"abcde", b"next"),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\nTrailer: x\r\n\r\nnext", b"", b"next"),
    ],
)
def test_a_whole_request_ends_where_it_says(given_bytes: bytes, body: bytes, rest: bytes) -> None:
    request, left = feed(given_bytes)

    assert (request.method, request.target) == (b"POST", b"/a?b=c")
    assert request.headers[0] == (b"Host", b"x")
    assert (request.body, left) == (body, rest)
    assert request.whole
    assert not request.unread
    assert not request.broken


@pytest.mark.parametrize(
    "given_bytes",
    [
        b"POST /a\r\n\r\n",
        b"POST /a b HTTP/1.1\r\n\r\n",
        b"and more\r\n\r\n",
        HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
        HEAD + b"Content-Length: -1\r\n\r\n",
        HEAD + b"Content-Length: 1, 1\r\n\r\n",
        HEAD + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\nxyz\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n3\nabc\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"1" * 5000,
        b"x" * 2 * 1024 * 1024,
    ],
)
def test_what_can_be_read_in_two_ways_is_broken(given_bytes: bytes) -> None:
    assert feed(given_bytes)[0].broken


def test_a_folded_line_stays_to_be_seen() -> None:
    request, _ = feed(HEAD + b"A: 1\r\n\t2\r\nB: 3\r\n\r\n")

    assert request.headers == [(b"Host", b"x"), (b"A", b"1\r\n\t2"), (b"B", b"3")]


def test_a_body_over_the_limit_is_unread_and_not_kept() -> None:
    head = HEAD + f"Content-Length: {LIMIT + 1}\r\n\r\n".encode()
    request, _ = feed(head, b"x" * LIMIT, b"y")

    assert request.whole
    assert request.unread
    assert request.body == b""


@given(st.binary(max_size=300), st.booleans(), st.lists(st.integers(1, 40), max_size=60))
def test_it_does_not_matter_how_the_bytes_are_cut(body: bytes, chunked: bool, cuts: list[int]) -> None:
    if chunked:
        middle = len(body) // 2
        parts = [part for part in (body[:middle], body[middle:]) if part]
        framed = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
        whole = HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + framed
    else:
        whole = HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body
    pieces, at = [], 0
    for cut in cuts:
        pieces.append(whole[at : at + cut])
        at += cut
    pieces.append(whole[at:])

    request, rest = feed(*[piece for piece in pieces if piece])

    assert (request.body, rest, request.whole, request.broken) == (body, b"", True, False)


@given(st.binary(max_size=400))
def test_no_bytes_make_it_fail(data: bytes) -> None:
    request, rest = feed(HEAD + data)

    assert len(rest) <= len(HEAD + data)
    assert isinstance(request.broken, bool)
