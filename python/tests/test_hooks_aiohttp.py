"""aiohttp: the request that is written, below redirects, middlewares and everything a session adds."""

from __future__ import annotations

import asyncio
import io
import json
import tempfile
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest

from support.watched import ALLOWED, CONTENTS, REFUSED, Patient, Watched
from toolpass import ActionRefused, ToolRefused

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from support.server import Certificates, Server

ISSUE = json.dumps({"title": "a title"}).encode()
MAIN = json.dumps({"message": "m", "content": "aGk=", "branch": "main"}).encode()
JSON = {"Content-Type": "application/json"}
READ = "/api/v3/repos/acme/secret"


async def halves(body: bytes) -> AsyncIterator[bytes]:
    yield body[:7]
    yield body[7:]


def file_on_disk(body: bytes) -> Any:
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the client closes it
    file.write(body)
    file.seek(0)
    return file


SHAPES: dict[str, Callable[[bytes], dict[str, Any]]] = {
    "bytes": lambda body: {"data": body},
    "json": lambda body: {"json": json.loads(body)},
    "memory": lambda body: {"data": io.BytesIO(body)},
    "file": lambda body: {"data": file_on_disk(body)},
    "generator": lambda body: {"data": halves(body)},
    "compressed": lambda body: {"data": body, "compress": "gzip"},
    "compressed generator": lambda body: {"data": halves(body), "compress": "deflate"},
}


async def send(method: str, url: str, options: dict[str, Any], **settings: Any) -> int:
    settings = {"headers": JSON, **settings}
    async with aiohttp.ClientSession(**settings) as session, session.request(method, url, **options) as response:
        await response.read()
        return response.status


def one(method: str, url: str, options: Callable[[], dict[str, Any]] = lambda: {"data": ISSUE}, **settings: Any) -> Any:
    """A body that sends one request, made on the loop it runs on."""

    async def body() -> int:
        given = {name: make() if callable(make) else make for name, make in settings.items()}
        return await send(method, url, options(), **given)

    return body


@pytest.mark.parametrize("shape", SHAPES)
def test_a_refused_request_never_arrives(server: Server, shape: str) -> None:
    watched = Watched(server.url)

    refused = watched.refusal(one("POST", server.url + REFUSED, lambda: SHAPES[shape](ISSUE)))

    assert isinstance(refused, ActionRefused)
    assert refused.code == "not_authorized"
    assert server.arrived == []
    assert watched.actions() == [f"POST {REFUSED} refused"]


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if "compressed" not in shape])
def test_an_allowed_request_arrives_as_it_was_written(server: Server, shape: str) -> None:
    watched = Watched(server.url)

    assert watched.run(one("POST", server.url + ALLOWED, lambda: SHAPES[shape](ISSUE))) == 200
    assert [(str(request), request.body) for request in server.arrived] == [(f"POST {ALLOWED}", ISSUE)]
    assert watched.actions() == [f"POST {ALLOWED} allowed"]


@pytest.mark.parametrize("shape", SHAPES)
def test_the_body_is_read_before_it_leaves(server: Server, shape: str) -> None:
    watched = Watched(server.url)

    assert watched.refusal(one("PUT", server.url + CONTENTS, lambda: SHAPES[shape](MAIN))).code == "not_authorized"
    assert watched.asked == ["repo.push repo:acme/shop@main"]
    assert server.arrived == []


def test_a_multipart_body_arrives_whole(server: Server) -> None:
    watched = Watched("http://127.0.0.1:1")

    def form() -> dict[str, Any]:
        data = aiohttp.FormData()
        data.add_field("name", "value")
        data.add_field("file", io.BytesIO(b"content"), filename="a.txt")
        return {"data": data}

    assert watched.run(one("POST", server.url + "/upload", form, headers={})) == 200
    assert b"value" in server.arrived[0].body
    assert b"content" in server.arrived[0].body


def test_a_body_over_the_limit_is_unread_and_sent_whole(server: Server) -> None:
    watched = Watched(server.url, allow=("repo:acme/shop", "repo:acme/shop@main"))
    blocks = [bytes([at]) * 1024 * 1024 for at in range(10)]

    async def endless() -> AsyncIterator[bytes]:
        for block in blocks:
            yield block

    assert watched.refusal(one("PUT", server.url + CONTENTS, lambda: {"data": endless()})).code == "unresolved_resource"
    large = {"data": io.BytesIO(b"".join(blocks))}
    assert watched.refusal(one("PUT", server.url + CONTENTS, lambda: large)).code == "unresolved_resource"
    assert server.arrived == []
    Watched("http://127.0.0.1:1").run(one("POST", server.url + "/upload", lambda: {"data": endless()}))
    assert server.arrived[0].body == b"".join(blocks)


@pytest.mark.parametrize(("code", "method"), [(302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")])
@pytest.mark.parametrize("shape", ["bytes", "memory", "json"])
def test_every_hop_is_asked_for(server: Server, elsewhere: Server, shape: str, code: int, method: str) -> None:
    watched = Watched(server.url)
    hop = REFUSED if method == "POST" else READ
    url = f"{elsewhere.url}/answer/{code}{hop}"

    assert watched.refusal(one("POST", url, lambda: SHAPES[shape](ISSUE))).code == "not_authorized"
    assert server.arrived == []
    assert watched.actions() == [f"POST /answer/{code}{hop} allowed", f"{method} {hop} refused"]


def test_a_body_is_sent_again_after_a_redirect(server: Server, elsewhere: Server) -> None:
    watched = Watched(server.url)

    url = f"{elsewhere.url}/answer/307{ALLOWED}"
    assert watched.run(one("POST", url, lambda: {"data": io.BytesIO(ISSUE)})) == 200
    assert [request.body for request in (*elsewhere.arrived, *server.arrived)] == [ISSUE, ISSUE]


def test_what_a_session_adds_is_part_of_the_request(server: Server) -> None:
    watched = Watched(server.url)

    for headers in ({"X-HTTP-Method-Override": "DELETE"}, {"x-method-override": ""}):
        refused = watched.refusal(one("POST", server.url + ALLOWED, headers=headers))
        assert refused.code == "unresolved_resource"
    assert server.arrived == []


def test_parameters_are_part_of_the_request(server: Server) -> None:
    watched = Watched(server.url)

    options = {"json": {"title": "a"}, "params": {"_method": "DELETE"}}
    assert watched.refusal(one("POST", server.url + ALLOWED, lambda: options)).code == "unresolved_resource"
    assert server.arrived == []


@pytest.mark.parametrize("what", ["url", "body"])
def test_a_middleware_that_rewrites_the_request_is_asked_for(server: Server, what: str) -> None:
    watched = Watched(server.url)

    async def rewrite(request: aiohttp.ClientRequest, handler: Any) -> Any:
        if what == "url":
            request.url = request.url.with_path(REFUSED)
        else:
            await request.update_body(MAIN)
        return await handler(request)

    method, path = ("POST", ALLOWED) if what == "url" else ("PUT", CONTENTS)
    refused = watched.refusal(one(method, server.url + path, middlewares=lambda: (rewrite,)))
    assert refused.code == "not_authorized"
    assert watched.asked == ["issue.create repo:acme/secret" if what == "url" else "repo.push repo:acme/shop@main"]
    assert server.arrived == []


def test_a_request_changed_after_its_permit_is_asked_for_anew(server: Server) -> None:
    """A connector of one's own stands between the permit and the bytes."""
    watched = Watched(server.url)

    class Changing(aiohttp.TCPConnector):
        async def connect(self, req: Any, *args: Any, **kwargs: Any) -> Any:
            connection = await super().connect(req, *args, **kwargs)
            req.url = req.url.with_path(REFUSED)
            return connection

    assert watched.refusal(one("POST", server.url + ALLOWED, connector=Changing)).code == "not_authorized"
    assert watched.actions() == [f"POST {ALLOWED} allowed", f"POST {REFUSED} refused"]
    assert server.arrived == []


def test_a_connection_that_was_closed_is_asked_for_again(server: Server) -> None:
    watched = Watched(server.url)
    server.failures = 1

    assert watched.run(one("GET", server.url + "/api/v3/repos/acme/shop", dict)) == 200
    assert len(server.arrived) == 2
    assert len(watched.actions()) == 2


def test_a_forwarding_proxy_is_seen_through(server: Server, proxy: Server) -> None:
    watched = Watched(server.url)

    def options() -> dict[str, Any]:
        return {"data": ISSUE, "proxy": proxy.url}

    assert watched.run(one("POST", server.url + ALLOWED, options)) == 200
    assert watched.refusal(one("POST", server.url + REFUSED, options)).code == "not_authorized"
    assert proxy.seen() == [f"POST {server.url}{ALLOWED}"]


def test_a_tunnelling_proxy_is_seen_through(tls_server: Server, proxy: Server, certificates: Certificates) -> None:
    watched = Watched(tls_server.url)

    def options() -> dict[str, Any]:
        return {"data": ISSUE, "proxy": proxy.url, "ssl": certificates.client()}

    assert watched.run(one("POST", tls_server.url + ALLOWED, options)) == 200
    assert watched.refusal(one("POST", tls_server.url + REFUSED, options)).code == "not_authorized"
    assert tls_server.seen() == [f"POST {ALLOWED}"]
    assert {request.method for request in proxy.arrived} == {"CONNECT"}


def test_a_connect_of_the_bodys_own_is_refused(server: Server) -> None:
    watched = Watched(server.url)

    watched.refusal(one("CONNECT", server.url, dict))
    assert server.arrived == []


def test_a_websocket_is_a_request(server: Server) -> None:
    watched = Watched(server.url)

    async def body() -> None:
        async with aiohttp.ClientSession() as session, session.ws_connect(server.url + READ):
            pass

    watched.refusal(body)
    assert server.arrived == []


def test_a_unix_socket_is_known_by_the_urls_host(server: Server, tmp_path: Path) -> None:
    watched = Watched(server.url)
    path = str(tmp_path / "socket")

    body = one("POST", server.url + REFUSED, connector=lambda: aiohttp.UnixConnector(path))
    assert watched.refusal(body).code == "not_authorized"


def test_an_async_client_never_blocks_the_loop(server: Server) -> None:
    watched = Patient(server.url)

    async def body() -> None:
        asyncio.get_running_loop().call_soon(watched.turned.set)
        await send("POST", server.url + REFUSED, {"data": ISSUE})

    assert watched.refusal(body).code == "not_authorized"
    assert server.arrived == []


def test_tasks_started_by_a_trace_are_looked_at(server: Server) -> None:
    watched = Watched(server.url)
    tasks: list[asyncio.Task[int]] = []

    async def started(*_: Any) -> None:
        tasks.append(asyncio.create_task(send("POST", server.url + REFUSED, {"data": ISSUE})))

    async def body() -> None:
        trace = aiohttp.TraceConfig()
        trace.on_request_headers_sent.append(started)
        await send("POST", server.url + ALLOWED, {"data": ISSUE}, trace_configs=[trace])
        await asyncio.gather(*tasks, return_exceptions=True)

    assert watched.refusal(body).code == "not_authorized"
    assert server.seen() == [f"POST {ALLOWED}"]


def test_a_generator_that_sends_requests_while_it_is_sent_is_looked_at(server: Server) -> None:
    watched = Watched(server.url)

    async def parts() -> AsyncIterator[bytes]:
        yield ISSUE[:7]
        try:
            await send("POST", server.url + REFUSED, {"data": ISSUE})
        except ToolRefused:
            yield ISSUE[7:]

    assert watched.refusal(one("POST", server.url + ALLOWED, lambda: {"data": parts()})).code == "not_authorized"
    assert not [request for request in server.arrived if "secret" in request.target]


def test_sessions_made_before_the_body_are_looked_at(server: Server) -> None:
    watched = Watched(server.url)

    async def everything() -> None:
        async with aiohttp.ClientSession() as session:

            async def body() -> None:
                await session.post(server.url + REFUSED, data=ISSUE)

            from toolpass import Session

            with Session("dana@example.com").active():
                await watched.toolkit.tool()(body)()

    with pytest.raises(ToolRefused):
        asyncio.run(everything())
    assert server.arrived == []
