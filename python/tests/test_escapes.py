"""Ways a request has been known to leave unseen or misread, one test each, numbered as in the list of them.

Each is judged by what reaches the server. Row 1 (a library first imported inside the body) and row 23 (a library that
cannot be hooked) need programs of their own and are in `test_hooks_registry.py`.
"""

from __future__ import annotations

import asyncio
import gzip
import http.client
import json
import threading
import xmlrpc.client
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import aiohttp
import httpcore
import httpcore2
import httpx
import httpx2
import pytest
import requests
import urllib3
from yarl import URL

from support.watched import ALLOWED, CONTENTS, REFUSED, Watched
from toolpass import as_agent

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from support.server import Server

JSON = {"Content-Type": "application/json"}
REPO = "/api/v3/repos/acme"


def by_http_client(method: str, url: str, body: bytes | None = None, headers: dict[str, str] = JSON) -> int:
    parsed = urllib3.util.parse_url(url.encode("ascii", "ignore").decode())
    connection = http.client.HTTPConnection("127.0.0.1", parsed.port, timeout=30)
    try:
        connection.request(method, "/" + url.split("/", 3)[3], body, headers)
        return connection.getresponse().status
    finally:
        connection.close()


def by_requests(method: str, url: str, body: bytes | None = None, headers: dict[str, str] = JSON) -> int:
    return requests.request(method, url, data=body, headers=headers, timeout=30).status_code


def by_httpx(method: str, url: str, body: bytes | None = None, headers: dict[str, str] = JSON) -> int:
    return httpx.request(method, url, content=body, headers=headers, trust_env=False).status_code


def by_aiohttp(method: str, url: str, body: bytes | None = None, headers: dict[str, str] = JSON) -> int:
    async def send() -> int:
        exact = URL(url, encoded=True)
        async with (
            aiohttp.ClientSession() as session,
            session.request(method, exact, data=body, headers=headers) as response,
        ):
            return response.status

    return asyncio.run(send())


CLIENTS = [by_http_client, by_requests, by_httpx, by_aiohttp]


@pytest.fixture(params=CLIENTS)
def client(request: pytest.FixtureRequest) -> Callable[..., int]:
    """One of the clients, each with its own way to spell a request."""
    send: Callable[..., int] = request.param
    return send


def test_row_2_aiohttp_that_is_redirected_to_a_connection(server: Server, elsewhere: Server) -> None:
    watched = Watched(server.url)

    refused = watched.refusal(lambda: by_aiohttp("POST", f"{elsewhere.url}/answer/307{REFUSED}", b"{}"))

    assert refused.code == "not_authorized"
    assert server.arrived == []


def test_row_3_urllib3_that_is_redirected_by_default(server: Server) -> None:
    watched = Watched(server.url)
    server.redirects[ALLOWED] = (307, REFUSED)

    def body() -> int:
        with urllib3.HTTPConnectionPool("127.0.0.1", server.port) as pool:
            return pool.urlopen("POST", ALLOWED, body=b"{}").status

    assert watched.refusal(body).code == "not_authorized"
    assert server.seen() == [f"POST {ALLOWED}"]
    assert watched.actions() == [f"POST {ALLOWED} allowed", f"POST {REFUSED} refused"]


@pytest.mark.parametrize("way", ["putrequest", "xmlrpc"])
def test_row_4_http_client_step_by_step(server: Server, way: str) -> None:
    watched = Watched(server.url)

    def body() -> None:
        if way == "xmlrpc":
            xmlrpc.client.ServerProxy(server.url + REFUSED).delete()
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        connection.putrequest("POST", REFUSED)
        connection.putheader("Content-Length", "2")
        connection.endheaders(b"{}")

    watched.refusal(body)
    assert server.arrived == []


@pytest.mark.parametrize("way", ["thread", "executor"])
def test_row_5_threads(server: Server, way: str, client: Callable[..., int]) -> None:
    watched = Watched(server.url)
    failed: list[BaseException] = []

    def send() -> None:
        try:
            client("POST", server.url + REFUSED, b"{}")
        except Exception as error:
            failed.append(error)

    def body() -> None:
        if way == "thread":
            thread = threading.Thread(target=send)
            thread.start()
            thread.join()
        else:
            with ThreadPoolExecutor(1) as pool:
                pool.submit(send).result()

    assert watched.refusal(body).code == "not_authorized"
    assert server.arrived == []
    assert len(failed) == 1


@pytest.mark.parametrize("library", [httpx2, httpcore, httpcore2])
def test_row_6_httpx2_httpcore_and_httpcore2(server: Server, library: Any) -> None:
    watched = Watched(server.url)

    refused = watched.refusal(lambda: library.request("POST", server.url + REFUSED, content=b"{}"))

    assert refused.code == "not_authorized"
    assert server.arrived == []


def test_row_7_parameters_beside_a_body_that_says_otherwise(server: Server, client: Callable[..., int]) -> None:
    watched = Watched(server.url, allow=("repo:acme/shop", "repo:acme/shop@dev"))
    body = json.dumps({"message": "m", "content": "aGk=", "branch": "dev"}).encode()

    watched.refusal(lambda: client("PUT", f"{server.url}{CONTENTS}?branch=main", body))
    assert server.arrived == []


def test_row_8_a_sessions_default_header_overrides_the_method(server: Server) -> None:
    watched = Watched(server.url)

    async def body() -> None:
        async with aiohttp.ClientSession(headers={"X-HTTP-Method-Override": "DELETE"}) as session:
            await session.post(server.url + ALLOWED, json={"title": "a"})

    assert watched.refusal(body).code == "unresolved_resource"
    assert server.arrived == []


def test_row_9_json_with_a_key_twice(server: Server, client: Callable[..., int]) -> None:
    watched = Watched(server.url, allow=("repo:acme/shop", "repo:acme/shop@dev"))
    body = b'{"message": "m", "content": "aGk=", "branch": "main", "branch": "dev"}'

    assert watched.refusal(lambda: client("PUT", server.url + CONTENTS, body)).code == "unresolved_resource"
    assert server.arrived == []


def test_row_10_a_compressed_body(server: Server, client: Callable[..., int]) -> None:
    watched = Watched(server.url)
    body = gzip.compress(json.dumps({"message": "m", "content": "aGk=", "branch": "main"}).encode())
    headers = {**JSON, "Content-Encoding": "gzip"}

    assert watched.refusal(lambda: client("PUT", server.url + CONTENTS, body, headers)).code == "not_authorized"
    assert watched.asked == ["repo.push repo:acme/shop@main"]
    assert server.arrived == []


@pytest.mark.parametrize("host", ["\N{FULLWIDTH LATIN SMALL LETTER L}ocalhost", "LOCALHOST", "localhost."])
def test_row_11_a_host_that_the_resolver_folds(server: Server, host: str) -> None:
    watched = Watched(f"http://localhost:{server.port}")

    def body() -> None:
        connection = http.client.HTTPConnection(host, server.port)
        connection.putrequest("POST", REFUSED, skip_host=True)
        connection.putheader("Host", f"localhost:{server.port}")
        connection.putheader("Content-Length", "2")
        connection.endheaders(b"{}")

    assert watched.refusal(body).code == "not_authorized"
    assert server.arrived == []


def test_row_12_another_name_of_the_server(server: Server, client: Callable[..., int]) -> None:
    watched = Watched(f"http://localhost:{server.port}")

    assert watched.refusal(lambda: client("POST", server.url + REFUSED, b"{}")).code == "unknown_host"
    assert server.arrived == []


@pytest.mark.parametrize(
    "path",
    [
        f"{REPO}/shop%2F..%2Fsecret/issues",  # 13
        f"{REPO}/shop/..;/secret/issues",  # 14
        f"{REPO}/shop/%252e%252e/secret/issues",  # 15
    ],
)
def test_rows_13_to_15_paths_that_servers_read_otherwise(server: Server, client: Callable[..., int], path: str) -> None:
    watched = Watched(server.url)

    for method, body in (("POST", b"{}"), ("GET", None)):
        assert watched.refusal(lambda: client(method, server.url + path, body)).code == "unresolved_resource"  # noqa: B023
    assert server.arrived == []


def test_row_16_a_generator_that_sends_while_it_is_sent(server: Server) -> None:
    watched = Watched(server.url)

    def parts() -> Iterator[bytes]:
        yield b"{"
        by_requests("POST", server.url + REFUSED, b"{}")
        yield b"}"

    assert watched.refusal(lambda: by_requests("POST", server.url + ALLOWED, parts())).code == "not_authorized"
    assert server.arrived == []


@pytest.mark.parametrize(
    "path", ["/api/v3/repositories/7", "/api/v3/search/code?q=password", "/api/v3/search/issues?q=x"]
)
def test_row_20_reads_that_name_no_resource(server: Server, client: Callable[..., int], path: str) -> None:
    watched = Watched(server.url)

    watched.refusal(lambda: client("GET", server.url + path))
    assert server.arrived == []


def test_row_20_a_graphql_query(server: Server, client: Callable[..., int]) -> None:
    watched = Watched(server.url)
    query = json.dumps({"query": '{ repository(owner: "acme", name: "secret") { description } }'}).encode()

    watched.refusal(lambda: client("POST", server.url + "/api/graphql", query))
    assert server.arrived == []


def test_row_21_an_unmapped_read_under_strict(server: Server, client: Callable[..., int]) -> None:
    watched = Watched(server.url, strict=True)

    def body() -> None:
        with as_agent():
            client("GET", server.url + "/api/v3/not/a/known/path")

    assert watched.refusal(body).code == "unmapped_action"
    assert server.arrived == []


def test_row_24_head_is_get(server: Server, client: Callable[..., int]) -> None:
    watched = Watched(server.url)

    assert watched.refusal(lambda: client("HEAD", f"{server.url}{REPO}/secret")).code == "not_authorized"
    assert watched.asked == ["repo.read repo:acme/secret"]
    assert server.arrived == []


def test_row_26_clear_text_on_a_connections_host(server: Server, client: Callable[..., int]) -> None:
    watched = Watched(server.url.replace("http:", "https:"))

    assert watched.refusal(lambda: client("POST", server.url + REFUSED, b"{}")).code == "host_mismatch"
    assert server.arrived == []


def test_row_26_another_port_is_another_service() -> None:
    watched = Watched("https://github.test", strict=True)

    refused = watched.refusal(lambda: http.client.HTTPSConnection("github.test", 8443).request("GET", REFUSED))

    assert refused.code == "unknown_host"
    assert [action.effect for action in watched.events[-1].actions] == ["write"]
    assert watched.asked == []


def test_row_27_two_connections_on_one_host(server: Server, client: Callable[..., int]) -> None:
    connections = [
        {"id": f"of-{name}", "integration": "github", "url": server.url, "organization": name}
        for name in ("first", "acme")
    ]
    watched = Watched(server.url, connections=connections)

    assert watched.refusal(lambda: client("POST", server.url + REFUSED, b"{}")).code == "not_authorized"
    assert watched.connections == ["of-acme"]
    stranger = "/api/v3/repos/nobody/shop/issues"
    assert watched.refusal(lambda: client("POST", server.url + stranger, b"{}")).code == "ambiguous_connection"
    assert server.arrived == []


def test_row_28_tasks_born_while_a_request_is_in_flight(server: Server) -> None:
    watched = Watched(server.url)
    tasks: list[asyncio.Task[Any]] = []

    async def send(path: str, **settings: Any) -> None:
        async with aiohttp.ClientSession(**settings) as session, session.post(server.url + path, json={}) as response:
            await response.read()

    async def middleware(request: aiohttp.ClientRequest, handler: Any) -> Any:
        tasks.append(asyncio.create_task(send(REFUSED)))
        return await handler(request)

    async def parts() -> AsyncIterator[bytes]:
        tasks.append(asyncio.create_task(send(REFUSED)))
        yield b"{}"

    async def body() -> None:
        await send(ALLOWED, middlewares=(middleware,))
        async with aiohttp.ClientSession(headers=JSON) as session, session.post(server.url + ALLOWED, data=parts()):
            pass
        await asyncio.gather(*tasks, return_exceptions=True)

    assert watched.refusal(body).code == "not_authorized"
    assert len(tasks) == 2
    assert not [request for request in server.arrived if "secret" in request.target]
