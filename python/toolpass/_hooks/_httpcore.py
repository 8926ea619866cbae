"""httpcore and httpcore2, and so httpx and httpx2 with their own transports.

Looked at where a request enters a pool, which is the same for a direct connection, an HTTP proxy (forwarding or
tunnelling), a SOCKS proxy, a Unix socket (known by the host of the URL), HTTP/1.1 and HTTP/2. Above are redirects,
logins and retries, so each of them is a request of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolpass._hooks import _body, _shape, _verdict
from toolpass._hooks._http1 import absolute_target

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from toolpass._hooks._verdict import Parts


def patch(module: ModuleType) -> None:
    """Hook the pools of httpcore, or of a module of its shape."""
    pool, async_pool = _shape.member(module, "ConnectionPool"), _shape.member(module, "AsyncConnectionPool")
    for proxy, base in (("HTTPProxy", pool), ("AsyncHTTPProxy", async_pool)):
        if not issubclass(_shape.member(module, proxy), base):
            raise _shape.UnknownShapeError(f"{module.__name__}.{proxy}")
    _shape.replace(pool, "handle_request", "self request", _handle_request)
    _shape.replace(async_pool, "handle_async_request", "self request", _handle_async_request)


def _handle_request(original: Callable[..., Any]) -> Callable[..., Any]:
    def handle_request(self: Any, request: Any) -> Any:
        call = _verdict.running_call()
        if call is not None:
            request.stream = body = _body.read(request.stream)
            for parts in _readings(request, body):
                if not _verdict.admitted(call, parts):
                    _verdict.permit(call, parts)
        return original(self, request)

    return handle_request


def _handle_async_request(original: Callable[..., Any]) -> Callable[..., Any]:
    async def handle_async_request(self: Any, request: Any) -> Any:
        call = _verdict.running_call()
        if call is not None:
            request.stream = body = await _body.read_async(request.stream)
            for parts in _readings(request, body):
                if not _verdict.admitted(call, parts):
                    await _verdict.permit_async(call, parts)
        return await original(self, request)

    return handle_async_request


def _readings(request: Any, body: _body.Replay) -> list[Parts]:
    """The request, and what a proxy makes of it when the extension `target` names another server."""
    url, method, headers = request.url, request.method, request.headers
    own: Parts = (url.scheme, url.host, url.port, method, url.target, headers, *body.seen())
    if url.target.startswith(b"/") or b"://" not in url.target:
        return [own]
    scheme, host, port, target = absolute_target(url.target)
    return [own, (scheme, host, port, method, target, headers, *body.seen())]
