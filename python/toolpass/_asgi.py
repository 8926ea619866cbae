"""`session_from_header`: an ASGI application whose requests run for the person that their headers name.

Only the protocol is here. For whom a request is, and whether its caller may say so, is decided in Rust.
"""

from __future__ import annotations

from toolpass import _native
from toolpass._native import SESSION, HeaderSessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, MutableMapping
    from typing import Any, TypeAlias

    from toolpass._native import Secret

    Scope: TypeAlias = MutableMapping[str, Any]
    Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
    Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
    Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

USER_HEADER: str = _native.USER_HEADER
"""The header that names the person a request is for."""

GROUPS_HEADER: str = _native.GROUPS_HEADER
"""The header that names the person's groups, separated by commas."""

SESSION_HEADER: str = _native.SESSION_HEADER
"""The header that names the conversation, whose session is remembered."""

KEY_HEADER: str = _native.KEY_HEADER
"""The header that holds the key shared with the caller."""

TOKEN_HEADER: str = _native.TOKEN_HEADER
"""The header that holds the person's own login token."""


def session_from_header(app: Application, *, key: str | Secret | None = None) -> Application:
    """An ASGI application whose requests and WebSockets run under the session that their headers name.

    Without a key only callers on this machine are let in. A request whose headers can be read in two ways, or whose
    caller is not trusted, is answered here and never reaches the application.

    Args:
        app: The application.
        key: What callers must send in `KEY_HEADER`: a text, or `toolpass.env(...)` or `toolpass.file(...)`, read at
            every request.

    Returns:
        The application to serve instead.

    Raises:
        TypeError: The key is of another type.
        ValueError: The key is blank, has spaces around it, or cannot be read.

    Example:
        >>> async def app(scope, receive, send): ...
        >>> served = session_from_header(app, key="a long random text")
    """
    sessions = HeaderSessions(key)

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"}:
            await app(scope, receive, send)
            return
        client = scope.get("client")
        headers = [(bytes(name), bytes(value)) for name, value in scope.get("headers", ())]
        entered = sessions.enter(client[0] if client else None, scope.get("method"), headers)
        if isinstance(entered, tuple):
            await _refuse(scope, send, *entered)
            return
        token = SESSION.set(entered)
        try:
            await app(scope, receive, send)
        finally:
            SESSION.reset(token)

    return serve


async def _refuse(scope: Scope, send: Send, status: int, reason: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 4000 + status, "reason": f"{status}"})
        return
    body = reason.encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
