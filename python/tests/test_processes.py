"""Programs and processes a body starts: refused or noted, and named without what they are given."""

from __future__ import annotations

import asyncio
import ctypes
import multiprocessing
import os
import pty
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

import toolpass
from support.kits import Kit, dana, refused
from toolpass import Session, Toolkit, ToolRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="starts programs of POSIX")

SECRET = "t0p-s3cret-argument"


def by_system() -> None:
    os.system(f"true https://evil.example/?{SECRET}")


def by_popen() -> None:
    with os.popen(f"true {SECRET}") as pipe:
        pipe.read()


def by_run() -> None:
    subprocess.run(["true", SECRET], check=False)


def by_shell() -> None:
    subprocess.run(f"true {SECRET}", shell=True, check=False)


def by_posix_spawn() -> None:
    os.waitpid(os.posix_spawn("/bin/true", ["true", SECRET], {}), 0)


def by_spawn() -> None:
    os.spawnv(os.P_WAIT, "/bin/true", ["true", SECRET])


def by_fork() -> None:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def by_pty() -> None:
    pty.spawn(["true", SECRET], lambda fd: os.read(fd, 1024), lambda _: b"")


def by_process() -> None:
    process = multiprocessing.get_context("fork").Process(target=int)
    process.start()
    process.join()


def in_a_thread() -> None:
    """A thread of the body's is the body."""
    errors: list[BaseException] = []

    def run() -> None:
        try:
            by_run()
        except ToolRefused as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]


#: How a body starts something, and what the first entry names.
WAYS: list[tuple[Callable[[], None], str]] = [
    (by_system, "true"),
    (by_popen, "sh"),
    (by_run, "true"),
    (by_shell, "sh"),
    (by_posix_spawn, "true"),
    (by_spawn, "fork"),
    (by_fork, "fork"),
    (by_pty, "true"),
    (by_process, "multiprocessing"),
    (in_a_thread, "true"),
]


def run(kit: Toolkit, body: Callable[..., Any], *, session: Session | None = None) -> Any:
    with (session or dana()).active():
        return kit.tool(name="runs")(body)()


@pytest.mark.parametrize(("start", "named"), WAYS, ids=lambda one: getattr(one, "__name__", one))
@pytest.mark.parametrize("settings", [{"subprocess": "refuse"}, {"strict": True}], ids=str)
def test_a_program_is_refused_and_named_without_its_arguments(
    start: Callable[[], None], named: str, settings: dict[str, Any]
) -> None:
    kit = Kit(**settings)

    refusal = refused(lambda: run(kit, start))

    assert refusal.code == "check_error"
    assert f"`{named}`" in str(refusal)
    (action,) = kit.event.actions
    assert (action.method, action.path, action.outcome, action.note) == ("EXEC", named, "refused", "subprocess")
    assert SECRET not in kit.event.to_json() + str(refusal)


@pytest.mark.parametrize(("start", "named"), WAYS, ids=lambda one: getattr(one, "__name__", one))
@pytest.mark.parametrize("settings", [{}, {"strict": True, "subprocess": "allow"}], ids=str)
def test_a_program_that_may_start_is_noted_and_taints(
    start: Callable[[], None], named: str, settings: dict[str, Any]
) -> None:
    kit, session = Kit(**settings), dana()

    run(kit, start, session=session)

    assert kit.event.outcome == "ran"
    first = kit.event.actions[0]
    assert (first.method, first.path, first.outcome, first.note) == ("EXEC", named, "allowed", "subprocess")
    assert first.sends_out
    assert first.untrusted_output
    assert SECRET not in kit.event.to_json()
    assert session.saw_untrusted


def test_a_refused_program_does_not_start(tmp_path: Any) -> None:
    mark = tmp_path / "mark"

    def body() -> str:
        for attempt in (
            lambda: os.system(f"touch {mark}"),
            lambda: subprocess.Popen(["touch", str(mark)]).wait(),
            lambda: os.waitpid(os.posix_spawn("/usr/bin/touch", ["touch", str(mark)], {}), 0),
        ):
            try:
                attempt()
            except ToolRefused:
                continue
        return "nothing happened"

    kit = Kit(subprocess="refuse")
    assert refused(lambda: run(kit, body)).code == "check_error", "swallowed, and still the outcome"
    assert not mark.exists()
    assert [action.path for action in kit.event.actions] == ["touch"] * 3


def test_a_program_of_an_async_body_is_the_bodys() -> None:
    async def body() -> None:
        process = await asyncio.create_subprocess_exec("true", SECRET)
        await process.wait()

    async def call(kit: Kit) -> None:
        with dana().active():
            await kit.tool(name="runs")(body)()

    kit = Kit(subprocess="refuse")
    assert refused(lambda: asyncio.run(call(kit))).code == "check_error"
    kit = Kit()
    asyncio.run(call(kit))
    assert [action.path for action in kit.event.actions] == ["true"]


def test_a_program_is_where_private_data_may_go() -> None:
    kit, session = Kit(), dana()

    @kit.tool(reads_private=True, untrusted_output=True)
    def reads() -> str:
        return "Balance: 7"

    with session.active():
        reads()
        assert refused(lambda: run(kit, by_run, session=session)).code == "exfiltration_risk"


def test_what_starts_after_the_call_is_late() -> None:
    go, refusals = threading.Event(), []

    def late() -> None:
        go.wait(30)
        try:
            by_run()
        except ToolRefused as error:
            refusals.append(error.code)

    for settings, codes in (({"subprocess": "refuse"}, ["check_error"]), ({}, [])):
        go.clear()
        refusals.clear()
        kit, thread = Kit(**settings), threading.Thread(target=late)
        run(kit, thread.start)
        go.set()
        thread.join()

        ended, event = kit.events
        assert (ended.outcome, event.outcome, event.parent) == ("ran", "late", ended.id)
        assert [action.path for action in event.actions] == ["true"]
        assert refusals == codes


def test_outside_a_body_programs_start() -> None:
    kit = Kit(subprocess="refuse")
    run(kit, lambda: None)
    by_run()
    by_process()
    assert [event.actions for event in kit.events] == [()]


def test_an_authorizers_program_is_not_the_bodys() -> None:
    kit = Kit(subprocess="refuse")

    def authorize(call: toolpass.Call) -> bool:
        by_run()
        return True

    with dana().active():
        assert kit.tool(authorize=authorize)(lambda: "ran")() == "ran"


def test_a_forked_child_is_still_in_the_call() -> None:
    def body() -> int:
        child = os.fork()
        if child == 0:
            try:
                os.system("true")
            except ToolRefused:
                os._exit(7)
            os._exit(0)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    kit, strict = Kit(), Kit(subprocess="refuse")
    seen = []

    @kit.tool(name="outer")
    def outer() -> int:
        # The fork is allowed; what the child starts is asked again, in the child.
        seen.append(body())
        return 0

    with dana().active():
        outer()
    assert seen == [0]
    assert refused(lambda: run(strict, body)).code == "check_error"


@pytest.fixture
def workers() -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(int).result() == 0
        yield pool


def test_workers_that_run_already_take_nothing_from_a_body(workers: ProcessPoolExecutor) -> None:
    kit = Kit(subprocess="refuse")
    assert refused(lambda: run(kit, lambda: workers.submit(int).result())).code == "check_error"
    assert refused(lambda: run(kit, lambda: list(workers.map(int, "12")))).code == "check_error"
    kit = Kit()
    assert run(kit, lambda: workers.submit(int).result()) == 0
    assert [action.path for action in kit.event.actions] == ["multiprocessing"]


def test_a_pool_of_processes_takes_nothing_from_a_body() -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        kit = Kit(subprocess="refuse")
        for hand_over in (
            lambda: pool.apply(int),
            lambda: pool.map(int, "12"),
            lambda: list(pool.imap(int, "12")),
            lambda: list(pool.imap_unordered(int, "12")),
        ):
            assert refused(lambda hand_over=hand_over: run(kit, hand_over)).code == "check_error"
        assert run(Kit(), lambda: pool.map(int, "12")) == [1, 2]


def test_a_program_that_cannot_be_told_is_asked_for_all_the_same() -> None:
    kit = Kit(subprocess="refuse")
    assert refused(lambda: run(kit, lambda: sys.audit("os.system", object()))).code == "check_error"
    assert kit.event.actions[0].path == "a program"


def test_what_the_interpreter_is_not_asked_for_is_not_seen() -> None:
    """Said in the documentation: whoever calls the C library gets past it."""
    kit = Kit(subprocess="refuse")
    assert run(kit, lambda: ctypes.CDLL(None).system(b"true")) == 0
    assert kit.event.actions == ()


def test_a_tool_that_would_not_be_hooked_is_where_programs_are_refused() -> None:
    kit = Kit(subprocess="refuse")
    with dana().active():
        assert refused(kit.tool(effect="read")(by_run)).code == "check_error"


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"subprocess": "proxy"}, "no proxy"),
        ({"subprocess": "deny"}, "subprocess"),
        ({"unattributed": "allow"}, "unattributed"),
    ],
    ids=str,
)
def test_wrong_settings_say_what_is_accepted(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Toolkit(**settings)


HEARD_OR_REFUSED = """
import sys

def keeps_out(event, args):
    if event == "sys.addaudithook":
        raise RuntimeError("no more hooks")

sys.addaudithook(keeps_out)
import toolpass

ran = []
with toolpass.Session("dana@example.com").active():
    try:
        toolpass.Toolkit(audit=None).tool()(lambda: ran.append(1))()
    except toolpass.ToolRefused as refused:
        print(refused.code, ran)
"""


def test_where_no_hook_can_be_added_calls_are_refused() -> None:
    done = subprocess.run([sys.executable, "-c", HEARD_OR_REFUSED], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["check_error", "[]"]
