"""httpx, httpcore and their successors, sync and async, with the library's own transports and with others."""

from __future__ import annotations

import asyncio
import gzip
import importlib
import io
import json
from typing import TYPE_CHECKING, Any

import pytest
import requests
import trio

from support.watched import ALLOWED, CONTENTS, REFUSED, Patient, Watched
from toolpass import ActionRefused, ToolRefused

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path

    from support.server import Certificates, Server

ISSUE = json.dumps({"title": "a title"}).encode()
MAIN = json.dumps({"message": "m", "content": "aGk=", "branch": "main"}).encode()
READ = "/api/v3/repos/acme/secret"


@pytest.fixture(params=["httpx", "httpx2"])
def httpx(request: pytest.FixtureRequest) -> Any:
    """The library or its successor."""
    return importlib.import_module(request.param)


@pytest.fixture(params=["httpcore", "httpcore2"])
def httpcore(request: pytest.FixtureRequest) -> Any:
    """The library below, or its successor."""
    return importlib.import_module(request.param)


def halves(body: bytes) -> Iterator[bytes]:
    yield body[:7]
    yield body[7:]


async def async_halves(body: bytes) -> AsyncIterator[bytes]:
    for half in halves(body):
        yield half


def sender(httpx: Any, kind: str, **settings: Any) -> Callable[..., Any]:
    """A function that sends one request and answers its status; async for kinds that begin with `async`."""

    def content(body: bytes) -> Any:
        shapes = {"generator": halves, "file": io.BytesIO, "bytes": bytes}
        return {**shapes, "generator": async_halves}[shape](body) if is_async else shapes[shape](body)

    is_async, shape = kind.startswith("async"), kind.rpartition("_")[2]

    def send(method: str, url: str, body: bytes, **options: Any) -> int:
        with httpx.Client(trust_env=False, **settings) as client:
            return int(client.request(method, url, content=content(body), **options).status_code)

    async def send_async(method: str, url: str, body: bytes, **options: Any) -> int:
        async with httpx.AsyncClient(trust_env=False, **settings) as client:
            return int((await client.request(method, url, content=content(body), **options)).status_code)

    return send_async if is_async else send


def run(watched: Watched, send: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Run one request as a body."""
    if asyncio.iscoroutinefunction(send):

        async def body() -> Any:
            return await send(*args, **kwargs)
    else:

        def body() -> Any:
            return send(*args, **kwargs)

    return watched.run(body)


def refusal(watched: Watched, send: Callable[..., Any], *args: Any, **kwargs: Any) -> ToolRefused:
    """Run one request that is refused."""
    with pytest.raises(ToolRefused) as caught:
        run(watched, send, *args, **kwargs)
    return caught.value


KINDS = ["sync_bytes", "sync_generator", "sync_file", "async_bytes", "async_generator"]
BOTH = ["sync_bytes", "async_bytes"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_refused_request_never_arrives(server: Server, httpx: Any, kind: str) -> None:
    watched = Watched(server.url)

    refused = refusal(watched, sender(httpx, kind), "POST", server.url + REFUSED, ISSUE)

    assert isinstance(refused, ActionRefused)
    assert refused.code == "not_authorized"
    assert server.arrived == []
    assert watched.actions() == [f"POST {REFUSED} refused"]


@pytest.mark.parametrize("kind", KINDS)
def test_an_allowed_request_arrives_as_it_was_written(server: Server, httpx: Any, kind: str) -> None:
    watched = Watched(server.url)

    assert run(watched, sender(httpx, kind), "POST", server.url + ALLOWED, ISSUE) == 200
    assert [(str(request), request.body) for request in server.arrived] == [(f"POST {ALLOWED}", ISSUE)]
    assert watched.actions() == [f"POST {ALLOWED} allowed"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_body_is_read_before_it_leaves(server: Server, httpx: Any, kind: str) -> None:
    watched = Watched(server.url)

    assert refusal(watched, sender(httpx, kind), "PUT", server.url + CONTENTS, MAIN).code == "not_authorized"
    assert watched.asked == ["repo.push repo:acme/shop@main"]
    assert server.arrived == []


@pytest.mark.parametrize("kind", BOTH)
def test_a_compressed_body_is_read(server: Server, httpx: Any, kind: str) -> None:
    watched = Watched(server.url)
    body, headers = gzip.compress(MAIN), {"Content-Encoding": "gzip"}

    refused = refusal(watched, sender(httpx, kind), "PUT", server.url + CONTENTS, body, headers=headers)
    assert refused.code == "not_authorized"
    assert watched.asked == ["repo.push repo:acme/shop@main"]


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_body_over_the_limit_is_unread_and_sent_whole(server: Server, httpx: Any, kind: str) -> None:
    watched = Watched(server.url, allow=("repo:acme/shop", "repo:acme/shop@main"))
    blocks = [bytes([at]) * 1024 * 1024 for at in range(10)]

    async def endless() -> AsyncIterator[bytes]:
        for block in blocks:
            yield block

    def body(path: str) -> Any:
        def send() -> None:
            httpx.put(path, content=iter(blocks), trust_env=False)

        async def send_async() -> None:
            async with httpx.AsyncClient(trust_env=False) as client:
                await client.put(path, content=endless())

        return send if kind == "sync" else send_async

    assert watched.refusal(body(server.url + CONTENTS)).code == "unresolved_resource"
    assert server.arrived == []
    Watched("http://127.0.0.1:1").run(body(server.url + "/upload"))
    assert server.arrived[0].body == b"".join(blocks)


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize(("code", "method"), [(302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")])
def test_every_hop_is_asked_for(
    server: Server, elsewhere: Server, httpx: Any, kind: str, code: int, method: str
) -> None:
    watched = Watched(server.url)
    hop = REFUSED if method == "POST" else READ

    send = sender(httpx, kind, follow_redirects=True)
    assert refusal(watched, send, "POST", f"{elsewhere.url}/answer/{code}{hop}", ISSUE).code == "not_authorized"
    assert server.arrived == []
    assert watched.actions() == [f"POST /answer/{code}{hop} allowed", f"{method} {hop} refused"]


@pytest.mark.parametrize("kind", BOTH)
def test_what_a_client_adds_is_part_of_the_request(server: Server, httpx: Any, kind: str) -> None:
    watched = Watched(server.url)

    send = sender(httpx, kind, headers={"X-HTTP-Method-Override": "DELETE"})
    assert refusal(watched, send, "POST", server.url + ALLOWED, ISSUE).code == "unresolved_resource"
    send = sender(httpx, kind, params={"_method": "DELETE"})
    assert refusal(watched, send, "POST", server.url + ALLOWED, ISSUE).code == "unresolved_resource"
    assert server.arrived == []


@pytest.mark.parametrize("kind", BOTH)
def test_a_login_that_rewrites_the_request_is_asked_for_anew(server: Server, httpx: Any, kind: str) -> None:
    watched = Watched(server.url)

    class Rewrite(httpx.Auth):
        def auth_flow(self, request: Any) -> Any:
            yield request
            request.url = request.url.copy_with(path=REFUSED)
            yield request

    send = sender(httpx, kind, auth=Rewrite())
    assert refusal(watched, send, "POST", server.url + ALLOWED, ISSUE).code == "not_authorized"
    assert server.seen() == [f"POST {ALLOWED}"]


@pytest.mark.parametrize("kind", BOTH)
def test_a_forwarding_proxy_is_seen_through(server: Server, proxy: Server, httpx: Any, kind: str) -> None:
    watched = Watched(server.url)
    send = sender(httpx, kind, proxy=proxy.url)

    assert run(watched, send, "POST", server.url + ALLOWED, ISSUE) == 200
    assert refusal(watched, send, "POST", server.url + REFUSED, ISSUE).code == "not_authorized"
    assert proxy.seen() == [f"POST {server.url}{ALLOWED}"]


@pytest.mark.parametrize("kind", BOTH)
def test_a_tunnelling_proxy_is_seen_through(
    tls_server: Server, proxy: Server, certificates: Certificates, httpx: Any, kind: str
) -> None:
    watched = Watched(tls_server.url)
    send = sender(httpx, kind, proxy=proxy.url, verify=certificates.client())

    assert run(watched, send, "POST", tls_server.url + ALLOWED, ISSUE) == 200
    assert refusal(watched, send, "POST", tls_server.url + REFUSED, ISSUE).code == "not_authorized"
    assert tls_server.seen() == [f"POST {ALLOWED}"]
    assert {request.method for request in proxy.arrived} == {"CONNECT"}


@pytest.mark.parametrize("where", ["transport", "mounts"])
def test_a_transport_of_ones_own_is_asked_for(server: Server, httpx: Any, where: str) -> None:
    watched = Watched(server.url)
    handed: list[str] = []

    class Carrier(httpx.BaseTransport):
        """Gets its answers without httpx, and here without anything."""

        def handle_request(self, request: Any) -> Any:
            handed.append(f"{request.method} {request.url.path} {request.read()!r}")
            return httpx.Response(200)

    settings = {"transport": Carrier()} if where == "transport" else {"mounts": {"all://": Carrier()}}
    send = sender(httpx, "sync_generator", **settings)

    assert run(watched, send, "POST", server.url + ALLOWED, ISSUE) == 200
    assert refusal(watched, send, "POST", server.url + REFUSED, ISSUE).code == "not_authorized"
    assert handed == [f"POST {ALLOWED} {ISSUE!r}"]


def test_an_async_transport_of_ones_own_is_asked_for(server: Server, httpx: Any) -> None:
    watched = Watched(server.url)
    handed: list[str] = []

    class Carrier(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: Any) -> Any:
            handed.append(f"{request.method} {request.url.path} {await request.aread()!r}")
            return httpx.Response(200)

    send = sender(httpx, "async_generator", transport=Carrier())

    assert run(watched, send, "POST", server.url + ALLOWED, ISSUE) == 200
    assert refusal(watched, send, "POST", server.url + REFUSED, ISSUE).code == "not_authorized"
    assert handed == [f"POST {ALLOWED} {ISSUE!r}"]


def wrapping(httpx: Any, path: str) -> Any:
    """A transport that sends through httpx's own, to another path."""

    class Wrapping(httpx.BaseTransport):
        def __init__(self) -> None:
            self.inner = httpx.HTTPTransport()

        def handle_request(self, request: Any) -> Any:
            request.url = request.url.copy_with(path=path)
            return self.inner.handle_request(request)

        def close(self) -> None:
            self.inner.close()

    return Wrapping()


def test_a_transport_over_the_librarys_own_is_asked_once(server: Server, httpx: Any) -> None:
    watched = Watched(server.url)

    assert (
        run(
            watched,
            sender(httpx, "sync_bytes", transport=wrapping(httpx, ALLOWED)),
            "POST",
            server.url + ALLOWED,
            ISSUE,
        )
        == 200
    )
    assert watched.actions() == [f"POST {ALLOWED} allowed"]
    assert server.seen() == [f"POST {ALLOWED}"]


def test_a_transport_that_changes_the_request_is_asked_again(server: Server, httpx: Any) -> None:
    watched = Watched(server.url)
    send = sender(httpx, "sync_bytes", transport=wrapping(httpx, REFUSED))

    assert refusal(watched, send, "POST", server.url + ALLOWED, ISSUE).code == "not_authorized"
    assert watched.actions() == [f"POST {ALLOWED} allowed", f"POST {REFUSED} refused"]
    assert server.arrived == []


def test_a_transport_over_another_library_is_seen_there(server: Server, httpx: Any) -> None:
    watched = Watched(server.url)

    class OverRequests(httpx.BaseTransport):
        def handle_request(self, request: Any) -> Any:
            url = str(request.url.copy_with(path=REFUSED))
            return httpx.Response(requests.post(url, data=request.read(), timeout=30).status_code)

    send = sender(httpx, "sync_bytes", transport=OverRequests())
    assert refusal(watched, send, "POST", server.url + ALLOWED, ISSUE).code == "not_authorized"
    assert server.arrived == []


def test_transports_that_reach_no_network_are_left_alone(httpx: Any) -> None:
    watched = Watched("http://127.0.0.1:1", allow=())

    def app(environ: Any, start_response: Any) -> list[bytes]:
        start_response("200 OK", [])
        return [b""]

    async def asgi(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    url = "http://127.0.0.1:1" + REFUSED
    mock = httpx.MockTransport(lambda request: httpx.Response(200))
    for transport in (mock, httpx.WSGITransport(app=app)):
        assert run(watched, sender(httpx, "sync_bytes", transport=transport), "POST", url, ISSUE) == 200
    for transport in (mock, httpx.ASGITransport(app=asgi)):
        assert run(watched, sender(httpx, "async_bytes", transport=transport), "POST", url, ISSUE) == 200
    assert watched.actions() == []


def test_clients_made_before_the_hooks_are_looked_at(server: Server, httpx: Any) -> None:
    watched = Watched(server.url)
    with httpx.Client(trust_env=False) as client:
        assert client.post(server.url + REFUSED, content=ISSUE).status_code == 200
        assert refusal(watched, client.post, server.url + REFUSED, content=ISSUE).code == "not_authorized"
    assert len(server.arrived) == 1


def test_a_sync_client_in_an_async_body_is_looked_at(server: Server, httpx: Any) -> None:
    watched = Watched(server.url)

    async def body() -> None:
        httpx.post(server.url + REFUSED, content=ISSUE, trust_env=False)

    assert watched.refusal(body).code == "not_authorized"
    assert server.arrived == []


def test_an_async_client_never_blocks_the_loop(server: Server, httpx: Any) -> None:
    """The engine answers only once the loop has turned."""
    watched = Patient(server.url)

    async def body() -> None:
        asyncio.get_running_loop().call_soon(watched.turned.set)
        await sender(httpx, "async_bytes")("POST", server.url + REFUSED, ISSUE)

    assert watched.refusal(body).code == "not_authorized"
    assert server.arrived == []


def test_tasks_of_a_body_are_the_bodys(server: Server, httpx: Any) -> None:
    watched = Watched(server.url)
    send = sender(httpx, "async_bytes")

    async def body() -> list[Any]:
        paths = [ALLOWED, REFUSED, ALLOWED]
        tasks = [asyncio.create_task(send("POST", server.url + path, ISSUE)) for path in paths]
        return await asyncio.gather(*tasks, return_exceptions=True)

    assert watched.refusal(body).code == "not_authorized"
    assert server.seen() == [f"POST {ALLOWED}"] * 2


def test_a_task_started_while_a_request_is_in_flight_is_looked_at(server: Server, httpx: Any) -> None:
    watched = Watched(server.url)
    tasks: list[asyncio.Task[Any]] = []

    async def parts() -> AsyncIterator[bytes]:
        yield ISSUE[:7]
        tasks.append(asyncio.create_task(sender(httpx, "async_bytes")("POST", server.url + REFUSED, ISSUE)))
        yield ISSUE[7:]

    async def body() -> None:
        async with httpx.AsyncClient(trust_env=False) as client:
            await client.post(server.url + ALLOWED, content=parts())
        await asyncio.gather(*tasks, return_exceptions=True)

    assert watched.refusal(body).code == "not_authorized"
    assert server.seen() == [f"POST {ALLOWED}"]


def test_trio_is_asked_for_too(server: Server, httpx: Any) -> None:
    watched = Watched(server.url)
    send = sender(httpx, "async_bytes")

    assert watched.run(lambda: trio.run(send, "POST", server.url + ALLOWED, ISSUE)) == 200
    refused = watched.refusal(lambda: trio.run(send, "POST", server.url + REFUSED, ISSUE))
    assert refused.code == "not_authorized"
    assert server.seen() == [f"POST {ALLOWED}"]


def test_a_unix_socket_is_known_by_the_urls_host(server: Server, httpx: Any, tmp_path: Path) -> None:
    watched = Watched(server.url)
    send = sender(httpx, "sync_bytes", transport=httpx.HTTPTransport(uds=str(tmp_path / "socket")))

    assert refusal(watched, send, "POST", server.url + REFUSED, ISSUE).code == "not_authorized"


def test_an_engine_that_sends_requests_itself_is_not_asked_about_them(
    server: Server, elsewhere: Server, httpx: Any
) -> None:
    watched = Watched(server.url)
    answered = watched.check

    async def acheck(*args: Any, **kwargs: Any) -> Any:
        async with httpx.AsyncClient(trust_env=False) as client:
            await client.get(elsewhere.url)
        return answered(*args, **kwargs)

    watched.acheck = acheck

    assert run(watched, sender(httpx, "async_bytes"), "POST", server.url + ALLOWED, ISSUE) == 200
    assert watched.actions() == [f"POST {ALLOWED} allowed"]
    assert len(elsewhere.arrived) == 1


def test_http2_is_seen_above_its_frames(tls_server: Server, certificates: Certificates, httpx: Any) -> None:
    """The server speaks HTTP/1.1; what matters is that a client which would speak HTTP/2 is asked for all the same."""
    watched = Watched(tls_server.url)
    send = sender(httpx, "async_bytes", http2=True, verify=certificates.client())

    assert run(watched, send, "POST", tls_server.url + ALLOWED, ISSUE) == 200
    assert refusal(watched, send, "POST", tls_server.url + REFUSED, ISSUE).code == "not_authorized"


def test_httpcore_is_asked_for(server: Server, httpcore: Any) -> None:
    watched = Watched(server.url)

    def body(path: str) -> int:
        with httpcore.ConnectionPool() as pool:
            return int(pool.request("POST", server.url + path, content=halves(ISSUE)).status)

    async def async_body() -> int:
        async with httpcore.AsyncConnectionPool() as pool:
            return int((await pool.request("POST", server.url + REFUSED, content=async_halves(ISSUE))).status)

    assert watched.run(lambda: body(ALLOWED)) == 200
    assert watched.refusal(lambda: body(REFUSED)).code == "not_authorized"
    assert watched.refusal(async_body).code == "not_authorized"
    assert [request.body for request in server.arrived] == [ISSUE]


def test_httpcores_target_is_the_one_that_is_sent(server: Server, httpcore: Any) -> None:
    watched = Watched(server.url)

    def body() -> None:
        with httpcore.ConnectionPool() as pool:
            pool.request("POST", server.url + ALLOWED, content=ISSUE, extensions={"target": REFUSED.encode()})

    assert watched.refusal(body).code == "not_authorized"
    assert server.arrived == []


def test_httpcores_target_may_name_another_server(server: Server, proxy: Server, httpcore: Any) -> None:
    watched = Watched(server.url)
    target = (server.url + REFUSED).encode()

    def body() -> None:
        with httpcore.ConnectionPool() as pool:
            pool.request("GET", proxy.url, extensions={"target": target})

    watched.refusal(body)
    assert proxy.arrived == []


@pytest.mark.parametrize("kind", ["HTTPProxy", "SOCKSProxy"])
def test_httpcores_proxies_are_asked_for(server: Server, proxy: Server, httpcore: Any, kind: str) -> None:
    watched = Watched(server.url)

    def body() -> None:
        with getattr(httpcore, kind)(
            proxy_url=proxy.url.replace("http", "socks5" if "SOCKS" in kind else "http")
        ) as pool:
            pool.request("POST", server.url + REFUSED, content=ISSUE)

    assert watched.refusal(body).code == "not_authorized"
    assert proxy.arrived == []
