"""httpx and httpx2: transports that are not httpx's own.

httpx's own transports send through httpcore, where their requests are looked at. Any other transport, given to a client
or mounted, is looked at where the client hands it a request: below redirects and logins, above whatever the transport
does. If it sends the same request through httpcore after all, the permit covers that. Transports that reach no network
(`MockTransport`, `ASGITransport`, `WSGITransport`) are left alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolpass._hooks import _body, _shape, _verdict

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from toolpass._hooks._verdict import Parts


def patch(module: ModuleType) -> None:
    """Hook the clients of httpx, or of a module of its shape."""
    client, async_client = _shape.member(module, "Client"), _shape.member(module, "AsyncClient")
    sync_stream, async_stream = _shape.member(module, "SyncByteStream"), _shape.member(module, "AsyncByteStream")
    for owner in (client, async_client):
        _shape.member(owner, "_transport_for_url")
    known = [_shape.member(module, name) for name in _TRANSPORTS]
    replay = type("Replay", (_body.Replay, sync_stream, async_stream), {})
    make = _send(_methods(known, "handle_request"), sync_stream, replay)
    make_async = _send_async(_methods(known, "handle_async_request"), async_stream, replay)
    _shape.replace(client, "_send_single_request", "self request", make)
    _shape.replace(async_client, "_send_single_request", "self request", make_async)


def _methods(transports: list[Any], name: str) -> frozenset[Any]:
    return frozenset(getattr(transport, name) for transport in transports if hasattr(transport, name))


def _send(known: frozenset[Any], stream: type, replay: type) -> Callable[..., Any]:
    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def send_single_request(self: Any, request: Any) -> Any:
            call = _verdict.running_call()
            if call is not None and isinstance(request.stream, stream):
                transport = self._transport_for_url(request.url)
                if getattr(type(transport), "handle_request", None) not in known:
                    _verdict.Layers.upper = True
                    request.stream = body = _body.read(request.stream, replay)
                    _permit = _verdict.permit(call, _parts(request, body))  # kept while it is sent
            return original(self, request)

        return send_single_request

    return make


def _send_async(known: frozenset[Any], stream: type, replay: type) -> Callable[..., Any]:
    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        async def send_single_request(self: Any, request: Any) -> Any:
            call = _verdict.running_call()
            if call is not None and isinstance(request.stream, stream):
                transport = self._transport_for_url(request.url)
                if getattr(type(transport), "handle_async_request", None) not in known:
                    _verdict.Layers.upper = True
                    request.stream = body = await _body.read_async(request.stream, replay)
                    _permit = await _verdict.permit_async(call, _parts(request, body))  # kept while it is sent
            return await original(self, request)

        return send_single_request

    return make


def _parts(request: Any, body: _body.Replay) -> Parts:
    url = request.url
    headers = request.headers.raw
    return url.scheme, url.raw_host, url.port, request.method, url.raw_path, headers, *body.seen()


_TRANSPORTS = ("HTTPTransport", "AsyncHTTPTransport", "MockTransport", "ASGITransport", "WSGITransport")
