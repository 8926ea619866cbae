"""Many sessions at once: nobody gets another's verdict, nothing waits for ever, memory stays.

The counts are small; `TOOLPASS_SOAK=1` repeats each for thirty seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import multiprocessing
import os
import ssl
import sys
import threading
import time
import urllib.request
from typing import TYPE_CHECKING, Any

import httpx
import pytest

import toolpass
from support.standin import ADMIN, DANA, GithubStandin
from toolpass import Session, Toolkit, Toolpass, ToolRefused, permission_check

if TYPE_CHECKING:
    from collections.abc import Callable

SOAKING = bool(os.environ.get("TOOLPASS_SOAK"))
THREADS, TASKS, ROUNDS = 64, 1000, 20
PEOPLE = [f"user{number}@example.com" for number in range(THREADS)]
#: Every other one may write.
WRITERS = set(PEOPLE[::2])


@pytest.fixture
def engine() -> Toolpass:
    """Everybody may read, every other one may write; no answer is kept longer than the call."""
    return Toolpass(
        connections=[
            {"id": "demo", "integration": "fake", "users": ", ".join(PEOPLE), "admins": ", ".join(sorted(WRITERS))}
        ]
    )


@pytest.fixture
def events() -> list[toolpass.AuditEvent]:
    """The audit events of the tools of a test."""
    return []


@pytest.fixture
def write(engine: Toolpass, events: list[toolpass.AuditEvent]) -> Callable[[str], str]:
    """A sync tool that says for whom its body ran."""
    toolkit = Toolkit(audit=events.append)

    @toolkit.tool(effect="write", authorize=permission_check(engine, "demo", "thing.write", "thing:{thing}"))
    def write(thing: str) -> str:
        session = toolpass.current_session()
        assert session is not None
        return session.user

    return write


@pytest.fixture
def awrite(engine: Toolpass, events: list[toolpass.AuditEvent]) -> Callable[[str], Any]:
    """The same, async, with turns of the loop inside its body."""
    toolkit = Toolkit(audit=events.append)

    @toolkit.tool(effect="write", authorize=permission_check(engine, "demo", "thing.write", "thing:{thing}"))
    async def awrite(thing: str) -> str:
        await asyncio.sleep(0)
        session = toolpass.current_session()
        assert session is not None
        return session.user

    return awrite


def expected(user: str) -> str:
    return user if user in WRITERS else "not_authorized"


def rounds() -> Any:
    """Counted rounds, or rounds for thirty seconds."""
    if not SOAKING:
        return range(ROUNDS)
    until = time.monotonic() + 30
    return iter(lambda: time.monotonic() < until, False)


def in_threads(work: Callable[[int], None], count: int = THREADS) -> None:
    """Run in that many threads at once; the first failure of any is this one's."""
    failures: list[BaseException] = []
    together = threading.Barrier(count)

    def run(number: int) -> None:
        try:
            together.wait(timeout=60)
            work(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=300)
        assert not thread.is_alive(), "a call never ended"
    if failures:
        raise failures[0]


def resident() -> int:
    """The memory of this process in bytes."""
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_threads_keep_their_own_verdicts(write: Callable[[str], str], events: list[toolpass.AuditEvent]) -> None:
    calls = [0] * THREADS

    def work(number: int) -> None:
        user = PEOPLE[number]
        for _ in rounds():
            with Session(user).active():
                try:
                    answer = write(f"t{calls[number] % 7}")
                except ToolRefused as refused:
                    answer = refused.code
            calls[number] += 1
            assert answer == expected(user)

    in_threads(work)
    assert len(events) == sum(calls)
    assert {(event.user, event.outcome) for event in events} == {
        (user, "ran" if user in WRITERS else "refused") for user in PEOPLE
    }


def test_tasks_keep_their_own_verdicts(awrite: Callable[[str], Any], events: list[toolpass.AuditEvent]) -> None:
    async def work(number: int) -> None:
        user = PEOPLE[number % len(PEOPLE)]
        with Session(user).active():
            for turn in range(3):
                try:
                    answer = await awrite(f"t{turn}")
                except ToolRefused as refused:
                    answer = refused.code
                assert answer == expected(user)

    async def main() -> None:
        await asyncio.wait_for(asyncio.gather(*(work(number) for number in range(TASKS))), timeout=300)

    turns = 0
    for _ in rounds() if SOAKING else range(2):
        asyncio.run(main())
        turns += 1
    assert len(events) == turns * TASKS * 3
    assert all((event.outcome == "ran") == (event.user in WRITERS) for event in events)


def test_observed_requests_keep_their_own_verdicts(github: GithubStandin) -> None:
    toolkit = Toolkit(permissions=Toolpass(connections=[github.connection()]), audit=None)
    context = ssl.create_default_context(cafile=github.ca_file)

    @toolkit.tool()
    def label(name: str) -> int:
        request = urllib.request.Request(
            f"{github.api}/repos/acme/shop/labels",
            data=json.dumps({"name": name, "color": "ededed"}).encode(),
            headers={"Authorization": f"Bearer {github.token}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, context=context) as answer:
            return int(answer.status)

    ran: list[str] = []

    def work(number: int) -> None:
        user = (ADMIN, DANA)[number % 2]
        for turn, _ in enumerate(rounds() if SOAKING else range(4)):
            with Session(user).active():
                try:
                    outcome = str(label(f"{number}-{turn}"))
                except ToolRefused as refused:
                    outcome = refused.code
            assert outcome == ("201" if user == ADMIN else "not_authorized")
            ran.append(user)

    in_threads(work, 16)
    assert len(github.arrived()) == ran.count(ADMIN) > 0


def test_observed_requests_of_tasks_keep_their_own_verdicts(github: GithubStandin) -> None:
    toolkit = Toolkit(permissions=Toolpass(connections=[github.connection()]), audit=None)
    client = httpx.AsyncClient(
        headers={"Authorization": f"Bearer {github.token}"},
        verify=ssl.create_default_context(cafile=github.ca_file),
        limits=httpx.Limits(max_connections=20),
        timeout=None,
        trust_env=False,
    )

    @toolkit.tool()
    async def label(name: str) -> int:
        answer = await client.post(f"{github.api}/repos/acme/shop/labels", json={"name": name, "color": "ededed"})
        return answer.status_code

    async def work(number: int) -> str:
        user = (ADMIN, DANA)[number % 2]
        with Session(user).active():
            try:
                outcome = str(await label(str(number)))
            except ToolRefused as refused:
                outcome = refused.code
        assert outcome == ("201" if user == ADMIN else "not_authorized")
        return user

    async def main() -> list[str]:
        async with client:
            return await asyncio.wait_for(asyncio.gather(*(work(number) for number in range(TASKS // 4))), timeout=300)

    users = asyncio.run(main())
    assert len(github.arrived()) == users.count(ADMIN) == TASKS // 8


#: A page of outside text, and one that repeats nothing of it.
PAGE, OTHER = (" ".join(f"{word}{number}" for number in range(20_000)) for word in ("page", "other"))


def recording(toolkit: Toolkit) -> Callable[[str], object]:
    """A call that records the text, and fences nothing: for the id of a fence the system is asked, without the lock."""
    texts: list[str] = []
    read_page = toolkit.tool(name="read_page", untrusted_output="handle")(lambda: texts.pop())

    def call(text: str) -> None:
        texts.append(text)
        read_page()

    return call


def comparing(toolkit: Toolkit) -> Callable[[str], object]:
    """A call whose argument is compared."""
    recording(toolkit)(PAGE)
    return toolkit.tool(name="takes", effect="write")(lambda text: None)


def comparing_a_request(toolkit: Toolkit) -> Callable[[str], object]:
    """A call with a request whose body is compared."""

    class Nowhere(httpx.BaseTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            return httpx.Response(200)

    client = httpx.Client(transport=Nowhere(), trust_env=False)
    recording(toolkit)(PAGE)
    texts: list[str] = []
    send = toolkit.tool(name="send")(lambda: client.post("http://198.51.100.7/", content=texts.pop()).status_code)

    def call(text: str) -> None:
        texts.append(text)
        send()

    return call


@pytest.mark.skipif(not getattr(sys, "_is_gil_enabled", lambda: True)(), reason="there is no lock to let go of")
@pytest.mark.parametrize("way", [recording, comparing, comparing_a_request])
def test_others_run_while_big_texts_are_looked_at(way: Callable[[Toolkit], Callable[[str], object]]) -> None:
    go, ran = threading.Lock(), threading.Event()
    go.acquire()  # an event's `set` may wait for a thread that is about to wait for it
    other = threading.Thread(target=lambda: (go.acquire(), ran.set()), daemon=True)
    interval = sys.getswitchinterval()
    with Session(DANA).active():
        # The id of a fence comes from the system, and asking that lets go of the lock.
        call = way(Toolkit(audit=None, fence_untrusted=False))
        call(OTHER[:100])  # whatever is imported on first use
        other.start()
        gc.collect()  # what earlier tests left may let go of the lock when it is closed
        gc.disable()
        sys.setswitchinterval(10_000)
        try:
            go.release()  # from here on the other thread runs only when this one lets go of the lock
            for _ in range(100):
                call(OTHER[:100])
            assert not ran.is_set(), "something else lets go of the lock, so this test shows nothing"
            for _ in range(1000):
                call(OTHER)
                if ran.is_set():
                    break
            assert ran.is_set()
        finally:
            sys.setswitchinterval(interval)
            gc.enable()
    other.join()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_memory_is_flat(engine: Toolpass) -> None:
    toolkit = Toolkit(audit=None)

    @toolkit.tool(effect="write", authorize=permission_check(engine, "demo", "thing.write", "thing:{thing}"))
    def write(thing: str, payload: str) -> str:
        return payload

    def work(number: int) -> None:
        for turn in range(ROUNDS):
            with Session(PEOPLE[number]).active(), contextlib.suppress(ToolRefused):
                write(f"t{turn}", "x" * 10_000)

    in_threads(work)
    before = resident()
    for _ in rounds() if SOAKING else range(10):
        in_threads(work)
    grown = resident() - before
    assert grown < 32 * 1024 * 1024, f"{grown} bytes more after the same work again"


def in_a_child(work: Callable[[Any], None], count: int) -> list[Any]:
    """Run in a forked child, which puts that many answers into the queue it is given."""
    fork = multiprocessing.get_context("fork")
    answers = fork.Queue()
    child = fork.Process(target=work, args=(answers,), daemon=True)
    child.start()
    try:
        got = [answers.get(timeout=60) for _ in range(count)]
        child.join(timeout=60)
        assert child.exitcode == 0
        return got
    finally:
        child.kill()


def _child(tool: Callable[[str], str], answers: Any) -> None:
    for user in PEOPLE[:4]:
        with Session(user).active():
            try:
                answers.put(tool("in-the-child"))
            except ToolRefused as refused:
                answers.put(refused.code)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
def test_a_fork_after_use_works(write: Callable[[str], str]) -> None:
    with Session(PEOPLE[0]).active():
        assert write("before") == PEOPLE[0]
    assert in_a_child(lambda answers: _child(write, answers), 4) == [expected(user) for user in PEOPLE[:4]]
    with Session(PEOPLE[2]).active():
        assert write("after") == PEOPLE[2]


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
def test_a_fork_after_network_use_asks_anew(github: GithubStandin) -> None:
    engine = Toolpass(connections=[github.connection()])
    assert engine.allowed(ADMIN, "github", "pr.create", "repo:acme/shop")

    def child(answers: Any) -> None:
        answers.put(engine.check(DANA, "github", "pr.create", "repo:acme/shop").decision)
        answers.put(engine.check(ADMIN, "github", "pr.create", "repo:acme/shop", fresh=True).decision)

    assert in_a_child(child, 2) == ["deny", "allow"]
    assert engine.allowed(ADMIN, "github", "pr.create", "repo:acme/shop", fresh=True)
