"""`http.client`, and what sits on it: urllib, xmlrpc, httplib2, urllib3 and so requests, PyGithub and botocore.

Everything these send passes `HTTPConnection.send`. While a call is current the bytes are held there until the request
is whole (or its body is over the limit), the call is asked, and then they go out together. So the parts are those of
the bytes that leave, however they were written, and a redirect, a retry or a second request on the same connection is
a request of its own. What is sent beyond the announced body is read as the next request.

Not held: a `CONNECT` to the tunnel that `set_tunnel` named, once per connection; it opens the way for the request that
is looked at. A connection over a Unix socket is known by the host it was made with.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from toolpass._hooks import _shape, _verdict
from toolpass._native import OutgoingRequest, absolute_target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from toolpass._hooks._verdict import Caller, Parts, Text


class _Held(OutgoingRequest):
    """A request of a connection: its bytes until its permit, then only where it ends."""

    permitted = False

    def __init__(self, call: Caller, send: Callable[..., Any]) -> None:
        self.call = call
        self.send = send
        self.bytes: list[bytes] = []


def patch(module: ModuleType) -> None:
    """Hook `HTTPConnection` of `http.client`, or of a module that looks like it."""
    connection = _shape.member(module, "HTTPConnection")
    for name in ("putrequest", "putheader", "endheaders", "connect", "set_tunnel"):
        _shape.member(connection, name)
    _shape.replace(connection, "send", "self data", _send)
    _shape.replace(connection, "getresponse", "self", getresponse)
    _shape.replace(connection, "close", "self", _close)


def getresponse(original: Callable[..., Any]) -> Callable[..., Any]:
    """Whoever waits for the response has sent all there is: what is still held is asked for as it is."""

    def replacement(self: Any, *args: Any, **kwargs: Any) -> Any:
        held: _Held | None = self.__dict__.get(_HELD)
        if held is not None and not held.permitted:
            _let_go(self, held)
        try:
            return original(self, *args, **kwargs)
        finally:
            self.__dict__.pop(_SENDING, None)

    return replacement


def _send(original: Callable[..., Any]) -> Callable[..., Any]:
    def send(self: Any, data: Any) -> Any:
        call = _verdict.running_call()
        is_held = _HELD in self.__dict__
        if call is None and not is_held:
            return original(self, data)
        if type(data) is bytes:
            if call is not None and not is_held and _ask_whole(self, call, data):
                return original(self, data)
            _hand_over(original, self, call, data)
            return None
        for chunk in _chunks(self, data):
            _hand_over(original, self, call, chunk)
        return None

    return send


def _ask_whole(connection: Any, call: Caller, data: bytes) -> bool:
    """Whether the bytes are one whole request that may leave, as most are. Only its permit is kept then."""
    try:
        permit = call.ask_whole(connection, data)
    except BaseException:
        connection.close()
        raise
    if permit is None:
        return False
    connection.__dict__[_SENDING] = permit
    return True


def _close(original: Callable[..., Any]) -> Callable[..., Any]:
    def close(self: Any) -> Any:
        self.__dict__.pop(_HELD, None)
        self.__dict__.pop(_TUNNELLED, None)
        self.__dict__.pop(_SENDING, None)
        return original(self)

    return close


def _hand_over(send: Callable[..., Any], connection: Any, call: Caller | None, data: bytes) -> None:
    while data:
        held: _Held | None = connection.__dict__.get(_HELD)
        if held is None:
            if call is None:
                send(connection, data)
                return
            held = connection.__dict__[_HELD] = _Held(call, send)
        was_broken = held.broken
        taken = held.feed(data)
        part = data if taken == len(data) else data[:taken]
        if held.permitted:
            if held.broken and not was_broken:
                _ask(connection, held)
            send(connection, part)
        else:
            held.bytes.append(part)
            if held.ready:
                _let_go(connection, held)
        if held.whole:
            connection.__dict__.pop(_HELD, None)
        data = data[taken:]


def _let_go(connection: Any, held: _Held) -> None:
    """Ask for the permit, then send what was held. On a refusal the connection is closed, nothing of it sent."""
    if _opens_tunnel(connection, held):
        connection.__dict__[_TUNNELLED] = True
    else:
        _ask(connection, held)
    held.permitted = True
    parts, held.bytes = held.bytes, []
    if connection.__dict__.get(_HELD) is held:
        del connection.__dict__[_HELD]  # connecting may send a request of its own, to the proxy
    held.send(connection, b"".join(parts))
    if not held.whole:
        connection.__dict__[_HELD] = held


def _ask(connection: Any, held: _Held) -> None:
    permits = connection.__dict__[_SENDING] = []
    try:
        plain = held.ask(held.call, connection)
        if plain is not None:
            permits.append(plain)
            return
        for parts in _readings(connection, held):
            if not _verdict.admitted(held.call, parts):
                permit = _verdict.permit(held.call, parts)
                permit.release()
                permits.append(permit)
    except BaseException:
        connection.close()
        raise


def _opens_tunnel(connection: Any, held: _Held) -> bool:
    return held.method == b"CONNECT" and bool(connection._tunnel_host) and _TUNNELLED not in connection.__dict__


def _readings(connection: Any, held: _Held) -> Iterator[Parts]:
    """The request, as whoever it is sent to may read it: all must be allowed.

    An absolute target is meant for a proxy. Where the connection does not say that it leads to one, the server may be
    one that looks at the path alone.
    """
    scheme: Text = b"https" if _is_tls(connection) else b"http"
    host, port = connection.host, connection.port
    if connection._tunnel_host:
        host, port = connection._tunnel_host, connection._tunnel_port
    if held.broken or not held.headed:
        yield scheme, host, port, _UNREADABLE, b"/", held.headers, None, True
        return
    unread = held.unread
    body = None if unread else held.body or None
    if held.target.startswith(b"/") or b"://" not in held.target:
        yield scheme, host, port, held.method, held.target, held.headers, body, unread
        return
    there = absolute_target(held.target)
    target = there[3]
    yield (*there[:3], held.method, target, held.headers, body, unread)
    if getattr(connection, "proxy", None) is None and there[:3] != (scheme, host.encode(), port):
        headers = [header for header in held.headers if header[0].lower() != b"host"]
        yield scheme, host, port, held.method, target, headers, body, unread


def _is_tls(connection: Any) -> bool:
    if getattr(connection, "default_port", None) == 443:
        return True
    ssl = sys.modules.get("ssl")
    return ssl is not None and isinstance(getattr(connection, "sock", None), ssl.SSLSocket)


def _chunks(connection: Any, data: Any) -> Iterator[bytes]:
    """The bytes of what `send` takes: bytes, a file, or an iterable of bytes."""
    if hasattr(data, "read"):
        while block := data.read(connection.blocksize):
            yield block.encode("iso-8859-1") if isinstance(block, str) else block
    else:
        try:
            whole = memoryview(data)
        except TypeError:
            for item in data:
                yield bytes(memoryview(item))
        else:
            yield whole.tobytes()


#: No method: what could not be read as a request is refused wherever it goes.
_UNREADABLE = b"(unreadable request)"
_HELD = "_toolpass_held"
_TUNNELLED = "_toolpass_tunnelled"
#: Permits of the request whose response is awaited; how long they are kept is how long it took.
_SENDING = "_toolpass_sending"
