"""aiohttp: where a request enters the connector, below redirects, retries and client middlewares.

The permit is asked for in `BaseConnector.connect` and kept with the request; `ClientRequest.send` asks whether it still
covers what is written (and asks anew when not). Bodies are written into memory up to the limit, and the client gets
the bytes back as a body it can write again. A `CONNECT` that the connector itself makes for its tunnel has passed no
`connect` and is let through; the request in the tunnel is looked at.

A Unix socket (`UnixConnector`) is known by the host of the URL. `compress=` happens below: the body is shown as it is
before, without the header that would announce it compressed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolpass._hooks import _body, _shape, _verdict

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from toolpass._hooks._verdict import Parts


def patch(module: ModuleType) -> None:
    """Hook aiohttp."""
    connector = _shape.member(module, "BaseConnector")
    request = _shape.member(module, "ClientRequest")
    payloads = _shape.member(module, "payload")
    for name in ("Payload", "AsyncIterablePayload", "BytesPayload"):
        _shape.member(payloads, name)
    _shape.member(request, "update_body_from_data")
    replay = _replay_class(payloads.Payload)
    send = "send" if hasattr(request, "send") else "_send"
    _shape.replace(connector, "connect", "self req traces timeout", _connect(payloads, replay))
    _shape.replace(request, send, "self conn", _send(payloads, replay))


def _connect(payloads: ModuleType, replay: Any) -> Callable[..., Any]:
    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        async def connect(self: Any, req: Any, *args: Any, **kwargs: Any) -> Any:
            call = _verdict.running_call()
            if call is not None:
                seen = await _take(req, payloads, replay)
                req.__dict__[_PERMIT] = (await _verdict.permit_async(call, _parts(req, *seen)), seen, req.body)
            return await original(self, req, *args, **kwargs)

        return connect

    return make


def _send(payloads: ModuleType, replay: Any) -> Callable[..., Any]:
    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        async def send(self: Any, conn: Any) -> Any:
            call = _verdict.running_call()
            if call is not None:
                permit, seen, body = self.__dict__.pop(_PERMIT, (None, None, None))
                if permit is None and self.method == "CONNECT":
                    return await original(self, conn)
                if body is not self.body:
                    seen = await _take(self, payloads, replay)
                parts = _parts(self, *seen)
                if permit is None or not permit.covers(*parts):
                    await _verdict.permit_async(call, parts)
            return await original(self, conn)

        return send

    return make


def _parts(request: Any, body: bytes | None, unread: bool) -> Parts:
    url = request.url
    headers = list(request.headers.items())
    if request.compress:
        headers = [(name, value) for name, value in headers if name.lower() != "content-encoding"]
    scheme = _SCHEMES.get(url.scheme, url.scheme)
    return scheme, url.raw_host or "", url.port, request.method, url.raw_path_qs, headers, body, unread


async def _take(request: Any, payloads: ModuleType, replay: Any) -> tuple[bytes | None, bool]:
    """The body and whether there is one that was not read. What was read is put back."""
    body = request.body
    if not isinstance(body, payloads.Payload):
        return (bytes(body) or None, False) if isinstance(body, (bytes, bytearray)) else (None, body is not None)
    if isinstance(body, replay):
        return body.data or None, False
    # Before aiohttp 3.12 all of it is written, whatever the request says.
    length = _length(request) if hasattr(payloads.Payload, "write_with_length") else None
    if _writes_as(body, payloads.BytesPayload) and isinstance(body._value, (bytes, bytearray, memoryview)):
        body._value = bytes(body._value)  # a copy, where it is one that could be changed
        return body._value[:length] or None, False
    if _writes_as(body, payloads.AsyncIterablePayload):
        if body._iter is None:
            return None, False
        taken = await _body.read_async(_Iterator(body._iter))
        body._iter = taken.__aiter__()
        seen, unread = taken.seen()
        return seen[:length] if seen else None, unread
    if body.size is None or body.size > _body.LIMIT:
        return None, True
    into = _Memory()
    await body.write(into)
    data = bytes(into.data)
    # `body` is a property over `_body` since aiohttp 3.12; its setter would close what was read.
    setattr(
        request, "_body" if isinstance(getattr(type(request), "body", None), property) else "body", replay(data, body)
    )
    return data[:length] or None, False


def _writes_as(body: Any, known: Any) -> bool:
    """Whether a body is of a known kind, and is written as that kind is."""
    names = ("write", "write_with_length")
    return isinstance(body, known) and all(getattr(type(body), n, None) is getattr(known, n, None) for n in names)


def _length(request: Any) -> int | None:
    """How much of the body is sent, where the request says so."""
    given = request.headers.get("Content-Length", "")
    return int(given) if given.isascii() and given.isdigit() else None


def _replay_class(base: Any) -> type:
    class Replay(base):  # type: ignore[misc]
        """A body that was written into memory, to be written again."""

        def __init__(self, data: bytes, old: Any) -> None:
            super().__init__(data, headers=old.headers)
            self.data = data
            self._size = len(data)
            self._old = old

        @property
        def size(self) -> int:
            return len(self.data)

        async def write(self, writer: Any) -> None:
            await writer.write(self.data)

        async def write_with_length(self, writer: Any, content_length: int | None) -> None:
            await writer.write(self.data[:content_length])

        def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
            return self.data.decode(encoding, errors)

        async def as_bytes(self, *_: Any, **__: Any) -> bytes:
            return self.data

        def _close(self) -> None:
            closing = getattr(self._old, "_close", None)
            if closing is not None:
                closing()

        async def close(self) -> None:
            closing = getattr(self._old, "close", None)
            if closing is not None:
                await closing()

    return Replay


class _Iterator:
    """An iterator that has only `__anext__`, as an async iterable."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __aiter__(self) -> Any:
        return self

    async def __anext__(self) -> Any:
        return await self._inner.__anext__()


class _Memory:
    """A stream writer that keeps what is written."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.transport = None
        self.buffer_size = self.output_size = 0
        self.length: int | None = 0

    async def write(self, chunk: Any) -> None:
        self.data += chunk

    async def write_eof(self, chunk: bytes = b"") -> None:
        self.data += chunk

    async def drain(self) -> None:
        """Nothing waits."""


_PERMIT = "_toolpass_permit"
_SCHEMES = {"ws": "http", "wss": "https"}
