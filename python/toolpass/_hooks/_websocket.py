"""websocket-client (which `kubernetes.stream` uses): the request that opens a WebSocket.

Asked for before the socket is opened, with the lines that will be written; what is written then are those very lines,
or, after a redirect, lines that are asked for anew. The frames that follow are not looked at: a request that opens a
stream counts as a write, and a system's table says that it sends out.
"""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

from toolpass._hooks import _shape, _verdict

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from toolpass._hooks._verdict import Parts


def patch(module: ModuleType) -> None:
    """Hook `WebSocket` of `websocket._core`, and the lines of its handshake."""
    handshake = sys.modules[_shape.member(module, "handshake").__module__]
    parse = _shape.member(sys.modules[_shape.member(module, "connect").__module__], "parse_url")
    lines = _shape.member(handshake, "_get_handshake_headers")
    _shape.replace(_shape.member(module, "WebSocket"), "connect", "self url", _connect(lines, parse))
    _shape.replace(handshake, "_get_handshake_headers", "resource url host port options", _lines(parse))


def _connect(lines: Callable[..., Any], parse: Callable[..., Any]) -> Callable[..., Any]:
    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def connect(self: Any, url: str, **options: Any) -> Any:
            call = _verdict.running_call()
            if call is None:
                return original(self, url, **options)
            host, port, resource, _ = parse(url)
            said = {name: value for name, value in options.items() if name != "socket"}
            written = lines(resource, url, host, port, said)
            _permit = _verdict.permit(call, _parts(written[0], url, parse))  # kept while it is sent
            outer = getattr(_opening, "asked", None)
            _opening.asked = (call, (resource, url, host, port), written)
            try:
                return original(self, url, **options)
            finally:
                _opening.asked = outer

        return connect

    return make


def _lines(parse: Callable[..., Any]) -> Callable[..., Any]:
    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def get_handshake_headers(resource: str, url: str, host: str, port: int, options: Any) -> Any:
            call = _verdict.running_call()
            if call is None:
                return original(resource, url, host, port, options)
            asked = getattr(_opening, "asked", None)
            if asked is not None and asked[:2] == (call, (resource, url, host, port)):
                _opening.asked = None  # once: what is written again is asked again
                return asked[2]
            written = original(resource, url, host, port, options)
            _verdict.permit(call, _parts(written[0], url, parse))
            return written

        return get_handshake_headers

    return make


def _parts(lines: list[str], url: str, parse: Callable[..., Any]) -> Parts:
    """The request as its lines say it; lines within a line are lines, as the server will read them."""
    host, port, _, is_secure = parse(url)
    first, *rest = "\r\n".join(lines).split("\r\n")
    method, _, target = first.partition(" ")
    headers = []
    for line in rest:
        name, found, value = line.partition(":")
        if found:
            headers.append((name, value.strip()))
        elif line:
            headers.append((_UNREADABLE, line))
    return (
        "https" if is_secure else "http",
        host,
        port,
        method,
        target.rpartition(" ")[0],
        headers,
        None,
        _ends_early(lines),
    )


def _ends_early(lines: list[str]) -> bool:
    """Whether something is written after the head of the request, as a second request would be."""
    return "\r\n\r\n" in "\r\n".join(lines).rstrip("\r\n") or any("\n" in line.replace("\r\n", "") for line in lines)


#: The opening that runs in this thread: its call, what it was asked with, and the lines.
_opening = threading.local()

#: No header: what is none makes the request one that can be read in two ways.
_UNREADABLE = "(unreadable header)"
