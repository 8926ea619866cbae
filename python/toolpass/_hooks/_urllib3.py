"""urllib3: that its connections are `http.client`'s, where they are looked at, and those that are not.

urllib3 1.26 and 2, and vendored copies of them, send through `http.client`; nothing is hooked here but waiting for a
response. urllib3-future and its copies speak through a backend of their own, see `_urllib3_future`. Connections of
urllib3's optional HTTP/2 write frames past `http.client`, see `patch_http2`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from toolpass._hooks import _body, _http_client, _shape, _urllib3_future, _verdict

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from toolpass._hooks._verdict import Parts


def patch(module: ModuleType) -> None:
    """Hook `urllib3`, or a package that takes its place."""
    connection = sys.modules.get(f"{module.__name__}.connection")
    if connection is None:
        raise _shape.UnknownShapeError(f"{module.__name__}.connection")
    patch_connection(connection)


def patch_connection(module: ModuleType) -> None:
    """Hook `connection` of urllib3, or of a copy of it."""
    cls = _shape.member(module, "HTTPConnection")
    standard = sys.modules.get("http.client")
    if standard is not None and issubclass(cls, standard.HTTPConnection):
        _shape.replace(cls, "getresponse", "self", _http_client.getresponse)
    else:
        _urllib3_future.patch(module.__name__.rpartition(".")[0])


def patch_http2(module: ModuleType) -> None:
    """Hook `urllib3.http2.connection`: its connections are looked at before they make frames of a request."""
    cls = getattr(module, "HTTP2Connection", None)
    if cls is not None:
        _shape.replace(cls, "request", "self method url body headers", _request)
        _shape.replace(cls, "putrequest", "self method url", _putrequest)


def _request(original: Callable[..., Any]) -> Callable[..., Any]:
    def request(self: Any, method: str, url: str, body: Any = None, headers: Any = None, **kwargs: Any) -> Any:
        call = _verdict.running_call()
        if call is not None:
            body, seen, unread = _read(body)
            named = list(headers.items()) if headers else []
            parts: Parts = ("https", self.host, self.port, method, url or "/", named, seen, unread)
            _verdict.permit(call, parts)
        self.__dict__[_ASKED] = method, url
        try:
            return original(self, method, url, body, headers, **kwargs)
        finally:
            self.__dict__.pop(_ASKED, None)

    return request


def _putrequest(original: Callable[..., Any]) -> Callable[..., Any]:
    """A request that is put step by step: it is asked for as it begins, so its body counts as unread."""

    def putrequest(self: Any, method: str, url: str, **kwargs: Any) -> Any:
        call = _verdict.running_call()
        if call is not None and self.__dict__.pop(_ASKED, None) != (method, url):
            _verdict.permit(call, ("https", self.host, self.port, method, url or "/", [], None, True))
        return original(self, method, url, **kwargs)

    return putrequest


def _read(body: Any) -> tuple[Any, bytes | None, bool]:
    """The body to send, the bytes seen of it, and whether there are others."""
    if body is None or isinstance(body, bytes):
        return body, body or None, False
    if isinstance(body, str):
        return body, body.encode() or None, False
    if hasattr(body, "read"):
        return body, None, True
    replay = _body.read(body)
    return replay, *replay.seen()


_ASKED = "_toolpass_asked"
