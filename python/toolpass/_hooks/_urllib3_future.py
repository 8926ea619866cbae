"""urllib3-future, alone or in the place of urllib3, and so niquests: HTTP/1.1, 2 and 3, sync and async.

Its connections take a request as `http.client` does (`putrequest`, `putheader`, `endheaders`, `send`), but write
it with a protocol backend. What is put is kept; the head is handed on when the body is whole (or over the limit) and
the call has been asked. A tunnel's `CONNECT` is written by the backend itself and passes none of these.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from toolpass._hooks import _shape, _verdict
from toolpass._hooks._body import LIMIT
from toolpass._native import absolute_target

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolpass._hooks._verdict import Caller, Parts, Text


class _Put:
    """A request as it was put so far."""

    def __init__(self, call: Caller, method: Text, url: Text) -> None:
        self.call = call
        self.pseudo: dict[bytes, bytes] = {b":method": _bytes(method), b":path": _bytes(url or "/")}
        self.headers: list[tuple[Text, Text]] = []
        self.chunks: list[bytes] = []
        self.size = 0
        self.permitted = False

    def parts(self, connection: Any) -> Parts:
        """The parts of the request, for the call."""
        scheme: Text = self.pseudo.get(b":scheme", connection.scheme)
        host, port = connection.host, connection.port
        if connection._tunnel_host is not None:
            host, port = connection._tunnel_host, connection._tunnel_port
        target = self.pseudo[b":path"]
        if not target.startswith(b"/") and b"://" in target:
            scheme, host, port, target = absolute_target(target)
        headers = list(self.headers)
        if b":authority" in self.pseudo:
            headers.append(("host", self.pseudo[b":authority"]))
        unread = self.size > LIMIT
        body = None if unread else b"".join(self.chunks) or None
        return scheme, host, port, self.pseudo[b":method"], target, headers, body, unread

    def take(self, data: Any) -> None:
        """Keep a chunk of the body."""
        self.chunks.append(bytes(data))
        self.size += len(data)

    def hand_on(self) -> list[bytes]:
        """The chunks that were kept, to be sent."""
        self.permitted = True
        chunks, self.chunks = self.chunks, []
        return [chunk for chunk in chunks if chunk]


def patch(package: str) -> None:
    """Hook the two backends of urllib3-future, or of a copy of it, by the package's name."""
    backend = sys.modules.get(f"{package}.backend.hface")
    async_backend = sys.modules.get(f"{package}.backend._async.hface")
    if backend is None or async_backend is None:
        raise _shape.UnknownShapeError(f"{package}.backend")
    sync, async_ = _shape.member(backend, "HfaceBackend"), _shape.member(async_backend, "AsyncHfaceBackend")
    for cls in (sync, async_):
        _shape.replace(cls, "putrequest", "self method url", _putrequest)
        _shape.replace(cls, "putheader", "self header values", _putheader)
    _shape.replace(sync, "send", "self data eot", _send(_shape.member(sync, "endheaders")))
    _shape.replace(sync, "endheaders", _ENDHEADERS, _endheaders)
    _shape.replace(async_, "send", "self data eot", _send_async(_shape.member(async_, "endheaders")))
    _shape.replace(async_, "endheaders", _ENDHEADERS, _endheaders_async)


def _putrequest(original: Callable[..., Any]) -> Callable[..., Any]:
    def putrequest(self: Any, method: Any, url: Any, *args: Any, **kwargs: Any) -> Any:
        call = _verdict.running_call()
        if call is None:
            self.__dict__.pop(_PUT, None)
        else:
            self.__dict__[_PUT] = _Put(call, method, url)
        return original(self, method, url, *args, **kwargs)

    return putrequest


def _putheader(original: Callable[..., Any]) -> Callable[..., Any]:
    def putheader(self: Any, header: Any, *values: Any) -> Any:
        put: _Put | None = self.__dict__.get(_PUT)
        if put is not None:
            name = _bytes(header)
            for value in values:
                if name.startswith(b":"):
                    put.pseudo[name.lower()] = _bytes(value)
                else:
                    put.headers.append((name, _bytes(value)))
        return original(self, header, *values)

    return putheader


def _endheaders(original: Callable[..., Any]) -> Callable[..., Any]:
    def endheaders(self: Any, *args: Any, **kwargs: Any) -> Any:
        put: _Put | None = self.__dict__.get(_PUT)
        if put is not None and kwargs.get("expect_body_afterward"):
            return None
        if put is not None:
            del self.__dict__[_PUT]
            _verdict.permit(put.call, put.parts(self))
        return original(self, *args, **kwargs)

    return endheaders


def _endheaders_async(original: Callable[..., Any]) -> Callable[..., Any]:
    async def endheaders(self: Any, *args: Any, **kwargs: Any) -> Any:
        put: _Put | None = self.__dict__.get(_PUT)
        if put is not None and kwargs.get("expect_body_afterward"):
            return None
        if put is not None:
            del self.__dict__[_PUT]
            await _verdict.permit_async(put.call, put.parts(self))
        return await original(self, *args, **kwargs)

    return endheaders


def _send(endheaders: Callable[..., Any]) -> Callable[..., Any]:
    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def send(self: Any, data: Any, *, eot: bool = False) -> Any:
            put: _Put | None = self.__dict__.get(_PUT)
            if put is None or put.permitted:
                return original(self, data, eot=eot)
            put.take(data)
            if not eot and put.size <= LIMIT:
                return None
            _verdict.permit(put.call, put.parts(self))
            chunks = put.hand_on()
            endheaders(self, expect_body_afterward=True)
            for chunk in chunks:
                original(self, chunk)
            return original(self, b"", eot=True) if eot else None

        return send

    return make


def _send_async(endheaders: Callable[..., Any]) -> Callable[..., Any]:
    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        async def send(self: Any, data: Any, *, eot: bool = False) -> Any:
            put: _Put | None = self.__dict__.get(_PUT)
            if put is None or put.permitted:
                return await original(self, data, eot=eot)
            put.take(data)
            if not eot and put.size <= LIMIT:
                return None
            await _verdict.permit_async(put.call, put.parts(self))
            chunks = put.hand_on()
            await endheaders(self, expect_body_afterward=True)
            for chunk in chunks:
                await original(self, chunk)
            return await original(self, b"", eot=True) if eot else None

        return send

    return make


def _bytes(text: Any) -> bytes:
    if isinstance(text, (bytes, bytearray)):
        return bytes(text)
    return str(text).encode("utf-8")


_ENDHEADERS = "self message_body encode_chunked expect_body_afterward"
_PUT = "_toolpass_put"
