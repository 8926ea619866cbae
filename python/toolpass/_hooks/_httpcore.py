"""httpcore and httpcore2, and so httpx and httpx2 with their own transports.

Looked at where a request enters a pool, which is the same for a direct connection, an HTTP proxy (forwarding or
tunnelling), a SOCKS proxy, a Unix socket (known by the host of the URL), HTTP/1.1 and HTTP/2. Above are redirects,
logins and retries, so each of them is a request of its own.

And again where its head and its body are written: a connection may be used without a pool, and `trace` extensions are
handed the request in between. There a request that still is what the pool was given a permit for passes. A `CONNECT` is
the proxies' own and passes too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from toolpass._hooks import _body, _shape, _verdict
from toolpass._native import absolute_target

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from toolpass._hooks._verdict import Caller, Parts


def patch(module: ModuleType) -> None:
    """Hook the pools of httpcore, or of a module of its shape."""
    pool, async_pool = _shape.member(module, "ConnectionPool"), _shape.member(module, "AsyncConnectionPool")
    for proxy, base in (("HTTPProxy", pool), ("AsyncHTTPProxy", async_pool)):
        if not issubclass(_shape.member(module, proxy), base):
            raise _shape.UnknownShapeError(f"{module.__name__}.{proxy}")
    _shape.replace(pool, "handle_request", "self request", _handle_request)
    _shape.replace(async_pool, "handle_async_request", "self request", _handle_async_request)
    for name in _WRITES:
        _shape.replace(_shape.member(module, "HTTP11Connection"), name, "self request", _write)
        _shape.replace(_shape.member(module, "AsyncHTTP11Connection"), name, "self request", _write_async)
        if hasattr(module.HTTP2Connection, "handle_request") and hasattr(module.HTTP2Connection, name):
            _shape.replace(module.HTTP2Connection, name, "self request stream_id", _write)
            _shape.replace(module.AsyncHTTP2Connection, name, "self request stream_id", _write_async)


def patch_copy(module: ModuleType) -> None:
    """Hook a copy of httpcore inside another library. What is only named like one is left alone."""
    if hasattr(module, "ConnectionPool") and hasattr(module, "AsyncConnectionPool"):
        patch(module)


class _Judged(_body.Replay):
    """A body, and the request it was given leave with."""

    method = b""
    where: tuple[bytes, bytes, int | None, bytes] = (b"", b"", None, b"")
    headers: tuple[tuple[bytes, bytes], ...] = ()

    def note(self, request: Any) -> None:
        """This request may leave with this body."""
        self.method, self.where, self.headers = request.method, _where(request.url), tuple(request.headers)


def _handle_request(original: Callable[..., Any]) -> Callable[..., Any]:
    def handle_request(self: Any, request: Any) -> Any:
        call = _verdict.running_call()
        if call is not None:
            _judge(call, request)
        return original(self, request)

    return handle_request


def _handle_async_request(original: Callable[..., Any]) -> Callable[..., Any]:
    async def handle_async_request(self: Any, request: Any) -> Any:
        call = _verdict.running_call()
        if call is not None:
            await _judge_async(call, request)
        return await original(self, request)

    return handle_async_request


def _write(original: Callable[..., Any]) -> Callable[..., Any]:
    def write(self: Any, request: Any, *args: Any, **kwargs: Any) -> Any:
        call = _verdict.running_call()
        if call is not None and not _is_judged(request):
            _judge(call, request)
        return original(self, request, *args, **kwargs)

    return write


def _write_async(original: Callable[..., Any]) -> Callable[..., Any]:
    async def write(self: Any, request: Any, *args: Any, **kwargs: Any) -> Any:
        call = _verdict.running_call()
        if call is not None and not _is_judged(request):
            await _judge_async(call, request)
        return await original(self, request, *args, **kwargs)

    return write


def _judge(call: Caller, request: Any) -> None:
    request.stream = body = cast("_Judged", _body.read(request.stream, _Judged))
    for parts in _readings(request, body):
        if not _verdict.admitted(call, parts):
            _verdict.permit(call, parts)
    body.note(request)


async def _judge_async(call: Caller, request: Any) -> None:
    request.stream = body = cast("_Judged", await _body.read_async(request.stream, _Judged))
    for parts in _readings(request, body):
        if not _verdict.admitted(call, parts):
            await _verdict.permit_async(call, parts)
    body.note(request)


def _is_judged(request: Any) -> bool:
    """Whether a request that is about to be written is the one its body was given leave with."""
    if request.method == b"CONNECT":
        return True
    body = request.stream
    if not isinstance(body, _Judged) or body.method != request.method:
        return False
    headers = tuple(request.headers)
    if _where(request.url) == body.where:
        return headers == body.headers
    # A forwarding proxy's: all of the URL is its target, and its own headers stand before the request's.
    scheme, host, port, target = body.where
    named = host if port is None else b"%b:%d" % (host, port)
    if not target.startswith(b"/") or request.url.target != b"%b://%b%b" % (scheme, named, target):
        return False
    return headers[max(0, len(headers) - len(body.headers)) :] == body.headers


def _where(url: Any) -> tuple[bytes, bytes, int | None, bytes]:
    return url.scheme, url.host, url.port, url.target


def _readings(request: Any, body: _body.Replay) -> list[Parts]:
    """The request, and what a proxy makes of it when the extension `target` names another server."""
    url, method, headers = request.url, request.method, request.headers
    own: Parts = (url.scheme, url.host, url.port, method, url.target, headers, *body.seen())
    if url.target.startswith(b"/") or b"://" not in url.target:
        return [own]
    scheme, host, port, target = absolute_target(url.target)
    return [own, (scheme, host, port, method, target, headers, *body.seen())]


_WRITES = ("_send_request_headers", "_send_request_body")
