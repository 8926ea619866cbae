"""Threads and executors: what a body starts is the body's, and nobody else's."""

from __future__ import annotations

import _thread
import asyncio
import contextvars
import http.client
import threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool
from typing import TYPE_CHECKING, Any

import pytest

import toolpass
from support.watched import ALLOWED, REFUSED, Watched
from toolpass import ToolRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.server import Server


def post(server: Server, path: str = REFUSED) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    try:
        connection.request("POST", path, b'{"title": "a"}')
        return connection.getresponse().status
    finally:
        connection.close()


def quietly(send: Callable[[], Any]) -> Callable[[], None]:
    """Whatever it is refused with stays in its thread."""

    def run() -> None:
        try:
            send()
        except ToolRefused:
            return

    return run


def by_thread(send: Callable[[], Any]) -> None:
    thread = threading.Thread(target=quietly(send))
    thread.start()
    thread.join()


def by_subclass(send: Callable[[], Any]) -> None:
    class Sending(threading.Thread):
        def run(self) -> None:
            quietly(send)()

    thread = Sending()
    thread.start()
    thread.join()


def by_timer(send: Callable[[], Any]) -> None:
    timer = threading.Timer(0, quietly(send))
    timer.start()
    timer.join()


def by_nested_threads(send: Callable[[], Any]) -> None:
    by_thread(lambda: by_thread(send))


def by_bare_thread(send: Callable[[], Any]) -> None:
    done = _thread.allocate_lock()
    done.acquire()

    def run() -> None:
        quietly(send)()
        done.release()

    _thread.start_new_thread(run, ())
    done.acquire()


def by_executor(send: Callable[[], Any]) -> None:
    with ThreadPoolExecutor(1) as pool:
        pool.submit(quietly(send)).result()


def by_executor_map(send: Callable[[], Any]) -> None:
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: quietly(send)(), range(2)))


def by_thread_pool(send: Callable[[], Any]) -> None:
    with ThreadPool(2) as pool:
        pool.map(lambda _: quietly(send)(), range(4))
        pool.apply(quietly(send))
        list(pool.imap(lambda _: quietly(send)(), range(2)))


WAYS = [
    by_thread,
    by_subclass,
    by_timer,
    by_nested_threads,
    by_bare_thread,
    by_executor,
    by_executor_map,
    by_thread_pool,
]


@pytest.mark.parametrize("start", WAYS)
def test_what_a_body_starts_is_the_bodys(server: Server, start: Callable[..., None]) -> None:
    watched = Watched(server.url)

    assert watched.refusal(lambda: start(lambda: post(server))).code == "not_authorized"
    assert server.arrived == []
    assert watched.actions() == [f"POST {REFUSED} refused"]


@pytest.mark.parametrize("start", WAYS)
def test_outside_a_body_threads_are_as_they_were(server: Server, start: Callable[..., None]) -> None:
    watched = Watched(server.url)
    watched.run(lambda: None)
    mark: contextvars.ContextVar[str] = contextvars.ContextVar("mark", default="none")
    mark.set("mine")
    seen: list[str] = []

    start(lambda: (post(server), seen.append(mark.get())))

    assert set(seen) == {"none"}
    assert watched.asked == []
    assert server.arrived


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as running:
        yield running


def test_a_pool_that_was_there_before_takes_the_bodys_tasks(server: Server, pool: ThreadPoolExecutor) -> None:
    watched = Watched(server.url)
    pool.submit(int).result()

    assert watched.refusal(lambda: pool.submit(post, server).result()).code == "not_authorized"
    assert server.arrived == []


def test_a_pools_thread_that_a_body_started_is_nobodys(server: Server, pool: ThreadPoolExecutor) -> None:
    watched = Watched(server.url)
    watched.run(lambda: pool.submit(int).result())

    assert pool.submit(post, server).result() == 200
    assert watched.asked == []


def test_one_pools_tasks_are_of_the_calls_that_submitted_them(server: Server, pool: ThreadPoolExecutor) -> None:
    one, other = Watched(server.url), Watched(server.url)

    one.run(lambda: pool.submit(post, server, ALLOWED).result())
    other.refusal(lambda: pool.submit(post, server, REFUSED).result())

    assert one.actions() == [f"POST {ALLOWED} allowed"]
    assert other.actions() == [f"POST {REFUSED} refused"]


@pytest.mark.parametrize("how", ["to_thread", "run_in_executor"])
def test_a_loops_executor_is_the_bodys(server: Server, how: str) -> None:
    watched = Watched(server.url)

    async def body() -> int:
        if how == "to_thread":
            return await asyncio.to_thread(post, server)
        return await asyncio.get_running_loop().run_in_executor(None, post, server)

    assert watched.refusal(body).code == "not_authorized"
    assert server.arrived == []


def test_a_thread_keeps_the_authority_it_was_started_under(server: Server) -> None:
    watched = Watched(server.url, allow=())

    def body() -> None:
        with toolpass.as_agent():
            by_thread(lambda: post(server))

    watched.run(body)
    assert watched.asked == []
    assert watched.actions() == [f"POST {REFUSED} allowed"]


def test_a_thread_that_outlives_its_call_is_not_free(server: Server) -> None:
    watched = Watched(server.url)
    go, refused = threading.Event(), []

    def late() -> None:
        go.wait(30)
        try:
            post(server, ALLOWED)
        except ToolRefused as error:
            refused.append(error.code)

    thread = threading.Thread(target=late)
    watched.run(thread.start)
    go.set()
    thread.join()

    assert refused == ["check_error"]
    assert server.arrived == []
    assert watched.events[-1].outcome == "late"


def test_a_thread_can_be_run_without_being_started(server: Server) -> None:
    watched = Watched(server.url)

    assert watched.refusal(lambda: threading.Thread(target=post, args=(server,)).run()).code == "not_authorized"
    assert server.arrived == []
