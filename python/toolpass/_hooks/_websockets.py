"""websockets: the request that opens a WebSocket, by the sync client, on asyncio, and by the legacy client.

All of them write it with the protocol's `send_request` (the legacy one with `write_http_request`), so it is asked for
there. On asyncio it is asked for before, without blocking the loop, as it will be written; then `send_request` finds
its permit. Redirects and reconnections open anew and are asked for anew. The frames that follow are not looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolpass._hooks import _shape, _verdict

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from toolpass._hooks._verdict import Parts


def patch(module: ModuleType) -> None:
    """Hook the protocol that every client writes with."""
    protocol = _shape.member(module, "ClientProtocol")
    _shape.member(protocol, "connect")
    _shape.replace(protocol, "send_request", "self request", _send_request)


def patch_asyncio(module: ModuleType) -> None:
    """Hook the connection on asyncio."""
    connection = _shape.member(module, "ClientConnection")
    _shape.replace(connection, "handshake", "self additional_headers user_agent_header", _handshake)


def patch_legacy(module: ModuleType) -> None:
    """Hook the client that was there before."""
    protocol = _shape.member(module, "WebSocketClientProtocol")
    _shape.replace(protocol, "write_http_request", "self path headers", _write_http_request)


def _send_request(original: Callable[..., Any]) -> Callable[..., Any]:
    def send_request(self: Any, request: Any) -> Any:
        call = _verdict.running_call()
        if call is not None:
            parts = _parts(self, request)
            permit = self.__dict__.pop(_PERMIT, None)
            if permit is None or not permit.covers(*parts):
                self.__dict__[_SENT] = _verdict.permit(call, parts)  # kept as long as the connection
            else:
                self.__dict__[_SENT] = permit
        return original(self, request)

    return send_request


def _handshake(original: Callable[..., Any]) -> Callable[..., Any]:
    async def handshake(
        self: Any, additional_headers: Any = None, user_agent_header: Any = None, **options: Any
    ) -> Any:
        call = _verdict.running_call()
        if call is not None:
            request = self.protocol.connect()
            if additional_headers is not None:
                additional_headers = list(
                    getattr(additional_headers, "raw_items", lambda: _items(additional_headers))()
                )
                request.headers.update(additional_headers)
            if user_agent_header is not None:
                request.headers.setdefault("User-Agent", user_agent_header)
            self.protocol.__dict__[_PERMIT] = await _verdict.permit_async(call, _parts(self.protocol, request))
        return await original(self, additional_headers, user_agent_header, **options)

    return handshake


def _write_http_request(original: Callable[..., Any]) -> Callable[..., Any]:
    def write_http_request(self: Any, path: str, headers: Any) -> Any:
        call = _verdict.running_call()
        if call is not None:
            scheme = "https" if self.secure else "http"
            parts: Parts = (scheme, self.host, self.port, "GET", path, list(headers.raw_items()), None, False)
            self.__dict__[_SENT] = _verdict.permit(call, parts)
        return original(self, path, headers)

    return write_http_request


def _items(headers: Any) -> list[tuple[str, str]]:
    """Pairs of a mapping or an iterable, which can be gone through once."""
    if hasattr(headers, "raw_items"):
        return list(headers.raw_items())
    return list(headers.items() if hasattr(headers, "items") else headers)


def _parts(protocol: Any, request: Any) -> Parts:
    uri = getattr(protocol, "uri", None) or protocol.wsuri
    scheme = "https" if uri.secure else "http"
    return scheme, uri.host, uri.port, "GET", request.path, list(request.headers.raw_items()), None, False


_PERMIT = "_toolpass_permit"
_SENT = "_toolpass_sent"
