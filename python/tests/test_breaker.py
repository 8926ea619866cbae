"""Ways past the hooks that an attack on them has found, one test each. Judged by what reaches the server.

Each was a request that nobody was asked about, or one that ran on an authority that was not its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import http.client
import importlib
import shutil
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp
import httpcore
import httpcore2
import httpx
import pytest
import requests
import urllib3.http2.connection

from support.watched import ALLOWED, CONTENTS, REFUSED, Watched
from toolpass import ToolRefused, as_agent, as_user, current_call

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from support.server import Server

JSON: Any = {"Content-Type": "application/json"}
ON_DEV = b'{"message": "m", "content": "aGk=", "branch": "dev"}'
ON_BRANCHES = ("repo:acme/shop", "repo:acme/shop@dev")


class Attack:
    """A refused request, and what became of it."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.watched = Watched(server.url)

    def send(self, *_: Any) -> int:
        """The request."""
        return requests.post(self.server.url + REFUSED, data=b"{}", headers=JSON, timeout=30).status_code

    def fails(self, body: Callable[[], Any]) -> None:
        """The call is refused and nothing has arrived."""
        assert self.watched.refusal(body).code == "not_authorized"
        assert self.server.arrived == []


@pytest.fixture
def attack(server: Server) -> Attack:
    """A refused request."""
    return Attack(server)


def test_a_context_that_has_never_heard_of_the_call(attack: Attack) -> None:
    attack.fails(lambda: contextvars.Context().run(attack.send))


def test_a_context_that_was_copied_before_the_call(attack: Attack) -> None:
    context = contextvars.copy_context()

    attack.fails(lambda: context.run(attack.send))


@pytest.mark.parametrize("library", ["requests", "httpx", "aiohttp"])
def test_a_runner_that_was_started_before_the_call(attack: Attack, library: str) -> None:
    url = attack.server.url + REFUSED

    async def main() -> None:
        if library == "requests":
            attack.send()
        elif library == "httpx":
            async with httpx.AsyncClient(trust_env=False) as client:
                await client.post(url, json={})
        else:
            async with aiohttp.ClientSession() as session:
                await (await session.post(url, json={})).read()

    runner_class: Any = getattr(asyncio, "Runner", None)
    if runner_class is None:
        pytest.skip("asyncio.Runner is of Python 3.11")
    with runner_class() as runner:
        runner.get_loop()
        attack.fails(lambda: runner.run(main()))


def test_a_thread_that_is_started_from_such_a_context(attack: Attack) -> None:
    def try_to() -> None:
        with contextlib.suppress(Exception):
            attack.send()

    def start() -> None:
        thread = threading.Thread(target=try_to)
        thread.start()
        thread.join()

    attack.fails(lambda: contextvars.Context().run(start))


def test_a_context_without_the_call_is_the_bodys_only_below_the_body(server: Server) -> None:
    watched = Watched(server.url)
    found: list[Any] = []

    def body() -> None:
        found.append(contextvars.Context().run(current_call))

    watched.run(body)
    found.append(contextvars.Context().run(current_call))
    assert [call is None for call in found] == [False, True]


def test_what_an_engine_sends_from_such_a_context_is_not_the_bodys(server: Server, elsewhere: Server) -> None:
    class Remote(Watched):
        def check(self, *args: Any, **kwargs: Any) -> Any:
            with httpx.Client(trust_env=False) as client:
                contextvars.Context().run(client.get, elsewhere.url + "/asked")
            return super().check(*args, **kwargs)

    watched = Remote(server.url)

    assert watched.refusal(lambda: requests.post(server.url + REFUSED, timeout=30)).code == "not_authorized"
    assert elsewhere.seen() == ["GET /asked"]
    assert len(watched.asked) == 1


def test_a_callback_of_a_future_that_a_pool_ends(attack: Attack) -> None:
    gate = threading.Event()

    def body() -> None:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(gate.wait).add_done_callback(attack.send)
            gate.set()

    attack.fails(body)


def test_a_callback_of_a_future_that_an_older_thread_ends(attack: Attack) -> None:
    future: Future[None] = Future()
    gate = threading.Event()

    def end() -> None:
        gate.wait()
        future.set_result(None)

    thread = threading.Thread(target=end)
    thread.start()

    def body() -> None:
        future.add_done_callback(attack.send)
        gate.set()
        thread.join()

    attack.fails(body)


def test_the_initializer_of_an_executor(attack: Attack) -> None:
    def body() -> None:
        with ThreadPoolExecutor(1, initializer=attack.send) as pool, contextlib.suppress(Exception):
            pool.submit(int).result()

    attack.fails(body)


def test_the_initializer_of_a_thread_pool(attack: Attack) -> None:
    tried = threading.Event()

    def initialize() -> None:
        with contextlib.suppress(Exception):
            attack.send()
        tried.set()

    def body() -> None:
        with ThreadPool(1, initialize):
            tried.wait()

    attack.fails(body)


@pytest.mark.parametrize(
    "submit",
    [
        lambda pool, send: pool.apply_async(int, (), {}, send),
        lambda pool, send: pool.apply_async(int, callback=send),
        lambda pool, send: pool.apply_async(int, ("x",), error_callback=send),
        lambda pool, send: pool.map_async(int, [1], callback=send),
        lambda pool, send: pool.starmap_async(int, [("x",)], error_callback=send),
    ],
)
def test_a_callback_of_a_thread_pool(attack: Attack, submit: Callable[[ThreadPool, Any], Any]) -> None:
    tried = threading.Event()

    def send(_: object) -> None:
        with contextlib.suppress(Exception):
            attack.send()
        tried.set()

    def body() -> None:
        with ThreadPool(1) as pool:
            submit(pool, send)
            tried.wait()

    attack.fails(body)


@pytest.mark.parametrize("name", ["imap", "imap_unordered"])
@pytest.mark.parametrize("chunks", [1, 2])
def test_an_iterable_that_a_thread_pool_takes_its_tasks_from(attack: Attack, name: str, chunks: int) -> None:
    def tasks() -> Iterator[int]:
        yield 1
        attack.send()
        yield 2

    def body() -> None:
        with ThreadPool(1) as pool:
            list(getattr(pool, name)(int, tasks(), chunks))

    attack.fails(body)


def test_thread_pools_still_work_inside_a_body(server: Server) -> None:
    def body() -> list[Any]:
        done: list[Any] = []
        with ThreadPool(2, done.append, ("ready",)) as pool:
            pool.apply_async(divmod, (7,), {}, done.append, done.append).wait()
            return [
                list(pool.imap(int, ["1", "2"], chunksize=2)),
                sorted(pool.imap_unordered(int, iter("12"))),
                pool.map(int, ["1"]),
                pool.starmap(pow, [(2, 3)]),
                pool.apply(divmod, (7, 2)),
                type(done[-1]).__name__,
            ]

    assert Watched(server.url).run(body) == [[1, 2], [1, 2], [1], [8], (3, 1), "TypeError"]


def test_a_block_that_a_generator_leaves_open(attack: Attack) -> None:
    def pages() -> Iterator[int]:
        with as_agent():
            yield 1

    def body() -> None:
        for _ in pages():
            attack.send()

    with pytest.raises(TypeError, match="generator"):
        attack.watched.run(body)
    assert attack.server.arrived == []


def test_a_block_that_an_async_generator_leaves_open(attack: Attack) -> None:
    async def pages() -> AsyncIterator[int]:
        with as_agent():
            yield 1

    async def body() -> None:
        async for _ in pages():
            attack.send()

    with pytest.raises(TypeError, match="generator"):
        attack.watched.run(body)
    assert attack.server.arrived == []


def test_a_block_inside_a_context_manager_of_ones_own(attack: Attack) -> None:
    @contextlib.contextmanager
    def logged() -> Iterator[None]:
        with as_agent():
            yield

    @contextlib.asynccontextmanager
    async def logged_async() -> AsyncIterator[None]:
        with as_agent():
            yield

    async def body() -> None:
        with logged():
            attack.send()
        async with logged_async():
            attack.send()
        attack.send()

    assert attack.watched.refusal(body).code == "not_authorized"
    assert attack.server.seen() == [f"POST {REFUSED}"] * 2


def test_blocks_that_are_left_in_another_order(attack: Attack) -> None:
    def body() -> None:
        stack = contextlib.ExitStack()
        stack.enter_context(as_agent())
        with as_user():
            stack.close()
        attack.send()

    attack.fails(body)


def test_a_block_inside_a_nested_tool_ends_as_it_began(attack: Attack) -> None:
    @attack.watched.toolkit.tool()
    def inner() -> None:
        with as_user():
            pass
        attack.send()

    def body() -> None:
        with as_agent():
            inner()

    with pytest.raises(Exception, match="not_authorized"):
        attack.watched.run(body)
    assert attack.server.arrived == []


def test_one_block_that_two_threads_share(attack: Attack) -> None:
    block = as_agent()
    entered, left = threading.Event(), threading.Event()

    def other() -> None:
        with block:
            entered.set()
            left.wait()
        with contextlib.suppress(Exception):
            attack.send()

    def body() -> None:
        thread = threading.Thread(target=other)
        thread.start()
        with block:
            entered.wait()
        left.set()
        thread.join()

    attack.fails(body)


def test_a_users_request_does_not_ride_on_the_agents_permit(attack: Attack) -> None:
    url = attack.server.url + REFUSED
    holding, tried = threading.Event(), threading.Event()

    class Slow(httpx.BaseTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            holding.set()
            tried.wait()
            return httpx.Response(200)

    def agent() -> None:
        with as_agent(), httpx.Client(transport=Slow()) as client:
            client.post(url, content=b"{}", headers=JSON)

    def body() -> None:
        thread = threading.Thread(target=agent)
        thread.start()
        holding.wait()
        try:
            httpx.post(url, content=b"{}", headers=JSON, trust_env=False)
        finally:
            tried.set()
            thread.join()

    attack.fails(body)


@pytest.mark.parametrize("library", [httpcore, httpcore2])
@pytest.mark.parametrize("kind", ["sync", "http11", "async"])
def test_a_connection_of_httpcore_without_a_pool(attack: Attack, library: Any, kind: str) -> None:
    server = attack.server
    origin = library.Origin(b"http", b"127.0.0.1", server.port)
    headers = {"Host": f"127.0.0.1:{server.port}", "Content-Length": "2"}
    request = library.Request("POST", server.url + REFUSED, headers=headers, content=b"{}")

    def body() -> None:
        if kind == "http11":
            stream = library.ConnectionPool()._network_backend.connect_tcp("127.0.0.1", server.port)
            with library.HTTP11Connection(origin, stream) as connection:
                connection.handle_request(request)
        else:
            with library.HTTPConnection(origin) as connection:
                connection.handle_request(request)

    async def async_body() -> None:
        async with library.AsyncHTTPConnection(origin) as connection:
            await connection.handle_async_request(request)

    attack.fails(async_body if kind == "async" else body)


def _to_another_path(info: dict[str, Any]) -> None:
    info["request"].url.target = REFUSED.encode()


def _with_another_method(info: dict[str, Any]) -> None:
    info["request"].headers.insert(0, (b"X-HTTP-Method-Override", b"DELETE"))


@pytest.mark.parametrize("change", [_to_another_path, _with_another_method])
def test_a_request_that_httpcore_lets_a_trace_change(attack: Attack, change: Callable[[dict[str, Any]], None]) -> None:
    def trace(name: str, info: dict[str, Any]) -> None:
        if name.endswith("send_request_headers.started"):
            change(info)

    def body() -> None:
        httpcore.request("POST", attack.server.url + ALLOWED, headers=JSON, content=b"{}", extensions={"trace": trace})

    attack.watched.refusal(body)
    assert attack.server.arrived == []


def test_a_body_that_httpcore_lets_a_trace_exchange(server: Server) -> None:
    def trace(name: str, info: dict[str, Any]) -> None:
        if name.endswith("send_request_body.started"):
            info["request"].stream = [ON_DEV.replace(b"dev", b"sec")]

    def body() -> None:
        headers = {**JSON, "Content-Length": str(len(ON_DEV))}
        httpcore.request(
            "PUT", server.url + CONTENTS, headers=headers, content=iter([ON_DEV]), extensions={"trace": trace}
        )

    assert Watched(server.url, allow=ON_BRANCHES).refusal(body).code == "not_authorized"
    assert [request.body for request in server.arrived if request.body] == []  # the head had left


def test_a_body_whose_bytes_change_while_httpx_sends(server: Server) -> None:
    data: Any = bytearray(ON_DEV)

    def trace(name: str, info: dict[str, Any]) -> None:
        data[:] = data.replace(b"dev", b"sec")

    def body() -> None:
        with httpx.Client(trust_env=False) as client:
            client.request(
                "PUT", server.url + CONTENTS, content=iter([data]), headers=JSON, extensions={"trace": trace}
            )

    Watched(server.url, allow=ON_BRANCHES).run(body)
    assert [request.body for request in server.arrived] == [ON_DEV]


@pytest.mark.parametrize("kind", ["bytes", "iterator"])
@pytest.mark.parametrize("when", ["on_connection_create_end", "on_request_headers_sent"])
def test_a_body_whose_bytes_change_while_aiohttp_sends(server: Server, kind: str, when: str) -> None:
    data: Any = bytearray(ON_DEV)
    traced = aiohttp.TraceConfig()

    async def change(*_: Any) -> None:
        data[:] = data.replace(b"dev", b"sec")

    getattr(traced, when).append(change)

    async def parts() -> AsyncIterator[bytes]:
        yield data

    async def body() -> None:
        async with aiohttp.ClientSession(trace_configs=[traced]) as session:
            given = data if kind == "bytes" else parts()
            await (await session.put(server.url + CONTENTS, data=given, headers=JSON)).read()

    Watched(server.url, allow=ON_BRANCHES).run(body)
    assert [request.body for request in server.arrived] == [ON_DEV]


def test_a_body_of_aiohttp_that_writes_something_else(server: Server) -> None:
    class Other(aiohttp.BytesPayload):
        async def write(self, writer: Any) -> None:
            await writer.write(ON_DEV.replace(b"dev", b"sec"))

        async def write_with_length(self, writer: Any, content_length: int | None) -> None:
            await self.write(writer)

    async def body() -> None:
        async with aiohttp.ClientSession() as session:
            await session.put(server.url + CONTENTS, data=Other(ON_DEV), headers=JSON)

    assert Watched(server.url, allow=ON_BRANCHES).refusal(body).code == "not_authorized"
    assert server.arrived == []


def test_an_http2_request_that_is_put_step_by_step() -> None:
    watched = Watched("https://github.test")
    connection = urllib3.http2.connection.HTTP2Connection("github.test")

    def body() -> None:
        connection.putrequest("POST", REFUSED)
        connection.putheader("content-type", "application/json")

    assert watched.refusal(body).code == "unresolved_resource"


@pytest.mark.parametrize("kind", ["bytes", "iterator"])
def test_a_body_of_aiohttp_that_is_longer_than_it_says(server: Server, kind: str) -> None:
    head = f"POST {REFUSED} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Length: 0\r\n\r\n"
    data = b"{}" + head.encode()

    async def parts() -> AsyncIterator[bytes]:
        yield data

    async def body() -> None:
        given = data if kind == "bytes" else parts()
        async with aiohttp.ClientSession(headers={**JSON, "Content-Length": "2"}) as session:
            await (await session.post(server.url + ALLOWED, data=given)).read()

    with contextlib.suppress(ToolRefused):  # it depends on the version whether the rest is sent
        Watched(server.url).run(body)
    assert not [request for request in server.arrived if "secret" in request.target]


def _copy_below(folder: Path, name: str, source: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make a copy of a package or module below `breaker_NAME._vendor`, as libraries do; the copy's name."""
    vendor = folder / f"breaker_{name}" / "_vendor"
    vendor.mkdir(parents=True)
    (vendor / "__init__.py").touch()
    original = Path(source)
    if original.name == "__init__.py":
        shutil.copytree(original.parent, vendor / name)
    else:
        (vendor / "http").mkdir()
        (vendor / "http" / "__init__.py").touch()
        shutil.copy(original, vendor / "http" / "client.py")
        name = "http.client"
    monkeypatch.syspath_prepend(str(folder))
    return f"{vendor.parent.name}._vendor.{name}"


def test_a_copy_of_httpcore_inside_another_library(
    attack: Attack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = _copy_below(tmp_path, "httpcore", httpcore.__file__, monkeypatch)

    attack.fails(lambda: importlib.import_module(name).request("POST", attack.server.url + REFUSED, content=b"{}"))


def test_a_copy_of_http_client_inside_another_library(
    attack: Attack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = _copy_below(tmp_path, "client", http.client.__file__, monkeypatch)

    def body() -> None:
        connection = importlib.import_module(name).HTTPConnection("127.0.0.1", attack.server.port)
        connection.request("POST", REFUSED, b"{}")

    attack.fails(body)


def test_a_module_that_is_only_named_like_one_is_left_alone(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "breaker_named").mkdir()
    (tmp_path / "breaker_named" / "httpcore.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.import_module("breaker_named.httpcore")

    assert Watched(server.url).run(lambda: 7) == 7


@pytest.mark.parametrize("path", ["/api/v3/repos/acme%2Fsecret", "/api/v3/repos/acme%2fsecret/issues"])
def test_a_read_whose_path_has_an_encoded_slash(attack: Attack, path: str) -> None:
    def body() -> None:
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", attack.server.port)) as connection:
            connection.request("GET", path)

    assert attack.watched.refusal(body).code == "unresolved_resource"
    assert attack.server.arrived == []
