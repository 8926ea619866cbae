"""Requests that no call is known for, in a process that says it runs tools and nothing else."""

from __future__ import annotations

import asyncio
import gc
import http.client
import queue
import threading
from typing import TYPE_CHECKING, Any, ClassVar

import aiohttp
import httpx
import pytest

import toolpass
from support.watched import ALLOWED, REFUSED, Watched
from toolpass import ToolRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.server import Server


def post(server: Server, path: str = ALLOWED) -> int | str:
    """The status, or the code of a refusal."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    try:
        connection.request("POST", path, b'{"title": "a"}')
        return connection.getresponse().status
    except ToolRefused as refused:
        return refused.code
    finally:
        connection.close()


class Worker:
    """A thread that was there before any call, and does what it is handed."""

    def __init__(self) -> None:
        self._tasks: queue.SimpleQueue[Callable[[], Any] | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            self._answers.put(task())

    def do(self, task: Callable[[], Any]) -> Any:
        self._tasks.put(task)
        return self._answers.get(timeout=30)

    def end(self) -> None:
        self._tasks.put(None)
        self._thread.join()


@pytest.fixture
def worker() -> Iterator[Worker]:
    made = Worker()
    yield made
    made.end()


class Declared(Watched):
    """A toolkit that a test takes its `unattributed` back from."""

    made: ClassVar[list[Declared]] = []

    def __init__(self, url: str, **settings: Any) -> None:
        super().__init__(url, **settings)
        self.made.append(self)

    def take_back(self) -> None:
        self.toolkit._apply({**self.toolkit._settings, "unattributed": None})


@pytest.fixture(autouse=True)
def taken_back() -> Iterator[None]:
    yield
    while Declared.made:
        Declared.made.pop().take_back()


def test_unsaid_nobody_looks(server: Server, worker: Worker) -> None:
    watched = Declared(server.url)
    assert watched.run(lambda: worker.do(lambda: post(server))) == 200
    assert [event.outcome for event in watched.events] == ["ran"]


def test_a_queue_worker_is_refused(server: Server, worker: Worker) -> None:
    watched = Declared(server.url, unattributed="refuse")

    assert watched.run(lambda: worker.do(lambda: post(server))) == "check_error"

    assert server.arrived == []
    assert watched.asked == [], "nobody knows whom to ask for"
    event, ended = watched.events
    assert (event.outcome, event.code, event.tool) == ("unattributed", "check_error", "(no call)")
    assert (event.user, event.session, event.parent) == (None, None, None)
    (action,) = event.actions
    assert (action.outcome, action.connection, action.path) == ("refused", "github", ALLOWED)
    assert ended.outcome == "ran", "it is not the body's"


def test_a_queue_worker_is_an_event(server: Server, worker: Worker) -> None:
    watched = Declared(server.url, unattributed="audit")

    assert watched.run(lambda: worker.do(lambda: post(server, REFUSED))) == 200

    event, ended = watched.events
    assert (event.outcome, event.code, event.actions[0].outcome) == ("unattributed", None, "allowed")
    assert ended.actions == ()


def test_other_hosts_are_the_processes_own(server: Server, worker: Worker) -> None:
    watched = Declared("https://git.example.com", unattributed="refuse", strict=True)
    assert worker.do(lambda: post(server)) == 200
    assert watched.events == []


def test_outside_any_body_too(server: Server) -> None:
    Declared(server.url)
    watched = Declared(server.url, unattributed="refuse")
    assert post(server) == "check_error"
    assert [event.outcome for event in watched.events] == ["unattributed"]


def test_by_whatever_library(server: Server) -> None:
    watched = Declared(server.url, unattributed="refuse")

    async def both() -> None:
        async with httpx.AsyncClient(trust_env=False) as client:
            with pytest.raises(ToolRefused):
                await client.post(server.url + ALLOWED)
        async with aiohttp.ClientSession() as session:
            with pytest.raises(ToolRefused):
                await session.post(server.url + ALLOWED)

    with pytest.raises(ToolRefused), httpx.Client(trust_env=False) as client:
        client.post(server.url + ALLOWED)
    asyncio.run(both())
    assert server.arrived == []
    assert [event.outcome for event in watched.events] == ["unattributed"] * 3


def test_by_whatever_library_and_noted_once(server: Server) -> None:
    watched = Declared(server.url, unattributed="audit")

    async def both() -> None:
        async with httpx.AsyncClient(trust_env=False) as client:
            assert (await client.post(server.url + ALLOWED)).status_code == 200
        async with aiohttp.ClientSession() as session, session.post(server.url + ALLOWED) as answer:
            assert answer.status == 200

    asyncio.run(both())
    assert [event.outcome for event in watched.events] == ["unattributed"] * 2


def test_the_engines_own_requests_are_exempt(server: Server) -> None:
    class Asking(Watched):
        def check(self, *args: Any, **kwargs: Any) -> Any:
            assert post(server) == 200
            return super().check(*args, **kwargs)

    watched = Asking(server.url, unattributed="refuse")
    assert watched.run(lambda: post(server)) == 200
    assert [event.outcome for event in watched.events] == ["ran"]


def test_what_authorizers_send_is_exempt(server: Server) -> None:
    watched = Declared(server.url, unattributed="refuse")

    def asks(call: toolpass.Call) -> bool:
        return post(server) == 200

    async def asks_async(call: toolpass.Call) -> bool:
        async with httpx.AsyncClient(trust_env=False) as client:
            return (await client.post(server.url + ALLOWED)).status_code == 200

    async def body() -> str:
        return "ran"

    with toolpass.Session("dana@example.com").active():
        assert watched.toolkit.tool(authorize=asks, name="a")(lambda: "ran")() == "ran"
        for authorize in (asks, asks_async):
            assert asyncio.run(watched.toolkit.tool(authorize=authorize, name="b")(body)()) == "ran"
    assert {event.outcome for event in watched.events} == {"ran"}
    assert post(server) == "check_error", "and nothing after them is"


def test_what_a_sink_sends_is_exempt(server: Server) -> None:
    statuses: list[Any] = []
    watched = Declared(server.url, unattributed="refuse", audit=lambda event: statuses.append(post(server)))
    watched.run(lambda: None)
    assert post(server) == "check_error"
    assert statuses == [200, 200]


def test_a_bodys_own_threads_are_the_bodys(server: Server) -> None:
    watched = Declared(server.url, unattributed="refuse")
    answers: list[Any] = []

    def body() -> None:
        thread = threading.Thread(target=lambda: answers.append(post(server, REFUSED)))
        thread.start()
        thread.join()

    assert watched.refusal(body).code == "not_authorized"
    assert answers == ["not_authorized"]


def starts_a_thread(send: Callable[[], Any]) -> Callable[[], Any]:
    def task() -> Any:
        answers: list[Any] = []
        thread = threading.Thread(target=lambda: answers.append(send()))
        thread.start()
        thread.join()
        return answers[0]

    return task


def test_a_thread_born_while_one_body_runs_is_that_bodys(server: Server, worker: Worker) -> None:
    watched = Declared(server.url, unattributed="refuse")
    send = starts_a_thread(lambda: post(server, REFUSED))

    assert watched.refusal(lambda: worker.do(send)).code == "not_authorized"
    assert watched.actions() == [f"POST {REFUSED} refused"]
    assert server.arrived == []


def test_a_thread_born_then_is_late_afterwards(server: Server, worker: Worker) -> None:
    watched = Declared(server.url, unattributed="audit")
    go, answers = threading.Event(), []

    def send() -> None:
        go.wait(30)
        answers.append(post(server))

    thread = threading.Thread(target=send)
    watched.run(lambda: worker.do(thread.start))
    go.set()
    thread.join()
    assert answers == ["check_error"]
    assert watched.events[-1].outcome == "late"


@pytest.mark.parametrize(
    ("settings", "to_the_connection", "elsewhere"),
    [
        ({"unattributed": "audit"}, 200, 200),
        ({"unattributed": "refuse"}, "check_error", 200),
        ({"unattributed": "audit", "strict": True}, "check_error", "check_error"),
        ({"unattributed": "refuse", "strict": True}, "check_error", "check_error"),
    ],
    ids=str,
)
def test_a_thread_born_while_two_bodies_run_is_nobodys(
    server: Server, worker: Worker, settings: Any, to_the_connection: int | str, elsewhere: int | str
) -> None:
    for url, expected in ((server.url, to_the_connection), ("https://git.example.com", elsewhere)):
        watched = Declared(url, **settings)
        two = threading.Barrier(2, timeout=30)
        answers: list[Any] = []

        def waits(two: threading.Barrier = two) -> None:
            two.wait()  # both run
            two.wait()  # the other has sent

        def sends(two: threading.Barrier = two, answers: list[Any] = answers) -> None:
            two.wait()
            answers.append(worker.do(starts_a_thread(lambda: post(server))))
            two.wait()

        first = threading.Thread(target=watched.run, args=(waits,))
        first.start()
        watched.run(sends)
        first.join()
        assert answers == [expected]
        assert watched.asked == []
        watched.take_back()


def test_a_toolkit_that_is_gone_judges_nothing(server: Server) -> None:
    connections = [{"id": "github", "integration": "github", "url": server.url}]
    toolkit = toolpass.Toolkit(connections=connections, unattributed="refuse", audit=None)
    assert post(server) == "check_error"
    del toolkit
    gc.collect()
    assert post(server) == 200


def test_a_toolkit_that_takes_it_back_judges_nothing(server: Server) -> None:
    connections = [{"id": "github", "integration": "github", "url": server.url}]
    toolpass.configure(connections=connections, unattributed="refuse", audit=None)
    try:
        assert post(server) == "check_error"
    finally:
        toolpass.configure()
    assert post(server) == 200


def test_it_cannot_be_dropped_silently(caplog: pytest.LogCaptureFixture) -> None:
    toolpass.configure(unattributed="refuse", subprocess="refuse")
    toolpass.configure()
    assert "subprocess, unattributed" in caplog.text
