"""WebSocket clients: the request that opens the stream, and what one may try to hide in it."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING, Any

import pytest
import websocket
import websockets.asyncio.client
import websockets.exceptions
import websockets.sync.client

from support.watched import Watched

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.server import Server

SECRET, SHOP = "/api/v3/repos/acme/secret", "/api/v3/repos/acme/shop"


def address(server: Server, path: str) -> str:
    return server.url.replace("http", "ws", 1) + path


def by_websocket(url: str, **options: Any) -> Callable[[], Any]:
    def body() -> Any:
        try:
            websocket.create_connection(url, timeout=20, **options)
        except (websocket.WebSocketException, ConnectionError):
            return "answered"

    return body


def by_sync(url: str, **options: Any) -> Callable[[], Any]:
    def body() -> Any:
        try:
            websockets.sync.client.connect(url, proxy=None, **options)
        except (websockets.exceptions.WebSocketException, ConnectionError, EOFError):
            return "answered"

    return body


def by_asyncio(url: str, **options: Any) -> Callable[[], Any]:
    async def body() -> Any:
        try:
            async with websockets.asyncio.client.connect(url, proxy=None, **options):
                return "open"
        except (websockets.exceptions.WebSocketException, ConnectionError, EOFError):
            return "answered"

    return body


CLIENTS = {"websocket-client": by_websocket, "websockets": by_sync, "websockets on asyncio": by_asyncio}


@pytest.mark.parametrize("client", CLIENTS)
def test_a_refused_stream_never_arrives(server: Server, client: str) -> None:
    watched = Watched(server.url)

    refused = watched.refusal(CLIENTS[client](address(server, SECRET)))

    assert refused.code == "not_authorized"
    assert server.arrived == []
    assert watched.actions() == [f"GET {SECRET} refused"]


@pytest.mark.parametrize("client", CLIENTS)
def test_an_allowed_stream_arrives_and_is_asked_for_once(server: Server, client: str) -> None:
    watched = Watched(server.url)

    assert watched.run(CLIENTS[client](address(server, SHOP))) == "answered"
    assert server.seen() == [f"GET {SHOP}"]
    assert server.arrived[0].headers["upgrade"].lower() == "websocket"
    assert watched.actions() == [f"GET {SHOP} allowed"]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_stream_to_an_unknown_host_is_a_write(server: Server, client: str) -> None:
    watched = Watched("http://127.0.0.1:1", strict=True)

    refused = watched.refusal(CLIENTS[client](address(server, "/anything")))

    assert refused.code in {"unknown_host", "unmapped_action"}
    assert server.arrived == []


@pytest.mark.parametrize("client", CLIENTS)
def test_a_redirect_is_asked_for_anew(server: Server, client: str) -> None:
    watched = Watched(server.url)
    server.redirects[SHOP] = (302, address(server, SECRET))

    assert watched.refusal(CLIENTS[client](address(server, SHOP))).code == "not_authorized"
    assert server.seen() == [f"GET {SHOP}"]


def test_another_host_in_a_header_is_seen(server: Server) -> None:
    watched = Watched(server.url)

    shapes: list[dict[str, Any]] = [
        {"host": "example.com"},
        {"header": ["Host: example.com"]},
        {"header": {"X-Original-URL": SECRET}},
    ]
    for options in shapes:
        watched.refusal(by_websocket(address(server, SHOP), **options))

    assert server.arrived == []


def test_a_second_request_in_a_header_is_seen(server: Server) -> None:
    watched = Watched(server.url)
    smuggled = f"\r\n\r\nDELETE {SECRET} HTTP/1.1\r\nHost: 127.0.0.1"

    shapes: list[dict[str, Any]] = [
        {"header": ["X-Note: a" + smuggled]},
        {"cookie": "a=b" + smuggled},
        {"subprotocols": ["a" + smuggled]},
        {"connection": "Connection: Upgrade" + smuggled},
        {"header": ["X-Note: a\nX-HTTP-Method-Override: DELETE"]},
    ]
    for options in shapes:
        watched.refusal(by_websocket(address(server, SHOP), **options))

    assert server.arrived == []


def test_a_given_socket_is_no_way_around(server: Server) -> None:
    watched = Watched(server.url)

    def body() -> Any:
        with socket.create_connection(("127.0.0.1", server.port)) as opened:
            return by_websocket(address(server, SECRET), socket=opened)()

    assert watched.refusal(body).code == "not_authorized"
    assert server.arrived == []


@pytest.mark.parametrize("client", CLIENTS)
def test_outside_a_call_nothing_is_asked(server: Server, client: str) -> None:
    body = CLIENTS[client](address(server, SECRET))
    result = body()
    assert (asyncio.run(result) if asyncio.iscoroutine(result) else result) == "answered"
    assert server.seen() == [f"GET {SECRET}"]
