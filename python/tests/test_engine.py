"""`Toolpass`: how one is made, what it answers, and what is a programmer's mistake."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import threading
from typing import TYPE_CHECKING, Any

import pytest

import toolpass
from support.kits import DANA, Kit, dana, refused
from support.standin import ADMIN, GithubStandin
from toolpass import PermissionDenied, Session, Toolpass

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FAKE = {"id": "fake", "integration": "fake"}
QUESTION = ("dana@example.com", "github", "repo.read", "repo:acme/shop")


@pytest.fixture(scope="module")
def empty() -> Toolpass:
    return Toolpass(connections=[])


def test_no_connections_at_all_names_the_ways() -> None:
    with pytest.raises(TypeError, match="from_config"):
        Toolpass()


@pytest.mark.parametrize(
    ("connections", "error"),
    [
        ("git", TypeError),
        (7, TypeError),
        (["git"], TypeError),
        ([{"id": "git"}], ValueError),
        ([{"id": "git", "integration": "no-such-system"}], ValueError),
        ([{"id": "git", "integration": "github", "no_such_key": 1}], ValueError),
    ],
    ids=str,
)
def test_wrong_connections_are_an_error(connections: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        Toolpass(connections=connections)


def test_an_error_in_code_names_the_pseudo_file() -> None:
    with pytest.raises(ValueError, match="<connections>"):
        Toolpass(connections=[{"id": "git", "integration": "github", "no_such_key": 1}])


def test_a_file_and_code_give_the_same_errors(tmp_path: Path) -> None:
    file = tmp_path / "toolpass.yaml"
    file.write_text("connections:\n  - id: git\n    integration: github\n    no_such_key: 1\n")
    with pytest.raises(ValueError, match="no_such_key"):
        Toolpass.from_config(file)
    with pytest.raises(ValueError, match="no_such_key"):
        Toolpass.from_config(str(file))
    with pytest.raises(ValueError, match=r"missing\.yaml"):
        Toolpass.from_config(tmp_path / "missing.yaml")


@pytest.mark.parametrize("name", ["decision_cache_seconds", "identity_cache_seconds"])
@pytest.mark.parametrize("wrong", [-1, "soon", [30]])
def test_a_wrong_cache_time_is_an_error(name: str, wrong: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        Toolpass(connections=[], **{name: wrong})


def test_what_it_is(empty: Toolpass) -> None:
    assert empty.local
    assert empty.server is None
    assert empty.connections() == []
    assert "in-process" in repr(empty)


@pytest.mark.parametrize(
    ("args", "kwargs", "says"),
    [
        ((7, "git", "a", "r"), {}, "user"),
        ((DANA, None, "a", "r"), {}, "connection"),
        ((DANA, "git", b"a", "r"), {}, "action"),
        ((DANA, "git", "a", 1), {}, "resource"),
        ((DANA, "git", "a", "r", "sre"), {}, "groups"),
        ((DANA, "git", "a", "r", True), {}, "fresh"),
        ((DANA, "git", "a", "r", ["sre", 7]), {}, "groups"),
        ((DANA, "git", "a", "r", None, True), {}, "name"),
        ((DANA, "git", "a", "r"), {"fresh": 1}, "fresh"),
        ((DANA, "git", "a", "r"), {"token": 7}, "token"),
        ((DANA, "git", "a", "r"), {"user": DANA}, "twice"),
        ((DANA, "git", "a"), {}, "resource"),
        ((DANA, "git", "a", "r"), {"frehs": True}, "frehs"),
        ((DANA, "git", "a", "r"), {"max_age": -1}, "max_age"),
    ],
)
@pytest.mark.parametrize("method", ["check", "allowed", "require", "acheck", "arequire"])
def test_wrong_arguments_are_the_programmers_mistake(
    empty: Toolpass, method: str, args: Any, kwargs: Any, says: str
) -> None:
    with pytest.raises(TypeError, match=says):
        getattr(empty, method)(*args, **kwargs)


def test_an_unknown_connection_is_answered_never_raised(empty: Toolpass) -> None:
    decision = empty.check(*QUESTION)
    assert (decision.decision, decision.code, decision.status, decision.identity) == (
        "unknown",
        "unknown_connection",
        400,
        "",
    )
    assert decision.reason.startswith("unknown_connection")
    assert not decision.allowed
    assert not empty.allowed(*QUESTION)
    with pytest.raises(PermissionDenied) as caught:
        empty.require(*QUESTION)
    assert caught.value.decision == decision
    assert (caught.value.user, caught.value.resource) == ("dana@example.com", "repo:acme/shop")
    with pytest.raises(AttributeError):
        decision.status = 200  # type: ignore[misc]


def test_malformed_questions_are_answered_too(empty: Toolpass) -> None:
    for question in (("", "git", "a", "r"), (DANA, "git", "a", ""), (DANA, "git", "a", "\ud800")):
        decision = empty.check(*question)
        assert (decision.decision, decision.status) == ("unknown", 400)


def test_answers_of_a_real_engine(engine: Toolpass) -> None:
    allowed = engine.check(*QUESTION)
    assert (allowed.decision, allowed.status, allowed.cached) == (toolpass.ALLOW, 200, False)
    assert allowed.identity
    assert allowed.id
    assert allowed.as_of is not None
    again = engine.check(*QUESTION)
    assert (again == allowed, again.cached, hash(again) == hash(allowed)) == (True, True, True)
    assert not engine.check(*QUESTION, fresh=True).cached
    denied = engine.check("dana@example.com", "github", "pr.create", "repo:acme/shop")
    assert (denied.decision, denied.code) == (toolpass.DENY, "denied")
    assert engine.require(ADMIN, "github", "pr.create", "repo:acme/shop").allowed
    ((connection, ok, summary),) = engine.probe()
    assert (connection, ok, bool(summary)) == ("github", True, True)


@pytest.mark.asyncio
async def test_async_checks_answer_the_same(engine: Toolpass) -> None:
    first, *others = await asyncio.gather(*(engine.acheck(*QUESTION) for _ in range(20)))
    assert first.allowed
    assert all(other == first for other in others)
    assert (await engine.acheck(*QUESTION)).cached
    assert (await engine.arequire(*QUESTION)).allowed
    with pytest.raises(PermissionDenied):
        await engine.arequire("dana@example.com", "github", "pr.create", "repo:acme/shop")


@pytest.mark.asyncio
async def test_a_cancelled_check_leaves_nothing_behind(engine: Toolpass) -> None:
    task = asyncio.ensure_future(asyncio.wait_for(engine.acheck(*QUESTION), 60))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await engine.acheck(*QUESTION)).allowed


def test_a_tool_asks_the_engine(engine: Toolpass) -> None:
    kit = Kit(permissions=engine)
    check = toolpass.permission_check(engine, "github", "pr.create", "repo:{repo}")
    tool = kit.tool(authorize=check, effect="write", name="open_pr")(lambda repo: "opened")
    with dana().active():
        refusal = refused(lambda: tool("acme/shop"))
    assert refusal.code == "not_authorized"
    assert "dana@example.com" in refusal.reason
    with Session(ADMIN).active():
        assert tool("acme/shop") == "opened"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_can_check_and_call_tools(engine: Toolpass) -> None:
    check = toolpass.permission_check(engine, "github", "repo.read", "repo:{repo}", fresh=True)
    tool = Kit(audit=None, permissions=engine).tool(authorize=check, effect="read", name="read")(lambda repo: "read")
    with dana().active():
        assert tool("acme/shop") == "read"
        child = os.fork()
        if child == 0:
            status = 1
            try:
                ran = tool("acme/shop") == "read" and engine.check(*QUESTION, fresh=True).allowed
                status = 0 if ran and asyncio.run(_acheck(engine)) else 2
            finally:
                os._exit(status)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        assert tool("acme/shop") == "read"


async def _acheck(engine: Toolpass) -> bool:
    return (await engine.acheck(*QUESTION, fresh=True)).allowed


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Raise for the signal also where it was ignored at the start, as it is for what a shell runs in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
@pytest.mark.usefixtures("interruptible")
def test_a_signal_interrupts_a_wait(github: GithubStandin) -> None:
    accepted: list[socket.socket] = []

    def interrupt_once_it_waits() -> None:
        # Whoever connects waits from then on: it is never answered.
        accepted.append(silent.accept()[0])
        os.kill(os.getpid(), signal.SIGINT)

    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        engine = Toolpass(connections=[github.connection(url=url, ca_file=None, timeout="5m")])
        kit = Kit(permissions=engine)
        check = toolpass.permission_check(engine, "github", "repo.read", "repo:{repo}")
        tool = kit.tool(authorize=check, limit=1, name="read")(lambda repo: pytest.fail("the body ran"))
        thread = threading.Thread(target=interrupt_once_it_waits, daemon=True)
        with dana().active() as session:
            thread.start()
            with pytest.raises(KeyboardInterrupt):
                tool("acme/shop")
            assert session.count("tool:read") == 0
        thread.join()
        accepted[0].close()
    assert kit.event.outcome == "cancelled"


def test_the_engines_records_go_to_its_logger(github: GithubStandin, caplog: pytest.LogCaptureFixture) -> None:
    loud, quiet = logging.getLogger("of.the.application"), logging.getLogger("toolpass")
    caplog.set_level(logging.WARNING, quiet.name)
    caplog.set_level(logging.DEBUG, loud.name)
    Toolpass(connections=[github.connection()], logger=loud).check(*QUESTION)
    Toolpass(connections=[github.connection()], logger=None).check(*QUESTION)
    assert {record.name for record in caplog.records} == {loud.name}
    requests = [record for record in caplog.records if record.getMessage().startswith("upstream request")]
    assert requests
    for record in requests:
        assert record.levelname == "DEBUG"
        assert record.toolpass["method"] in {"GET", "POST"}  # type: ignore[attr-defined]
        assert "Bearer" not in record.getMessage()


@pytest.mark.asyncio
async def test_the_records_of_an_awaited_check_are_logged_too(
    github: GithubStandin, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "toolpass")
    await Toolpass(connections=[github.connection()]).acheck(*QUESTION)
    assert "upstream request" in caplog.text


def test_what_is_no_logger_is_an_error() -> None:
    with pytest.raises(TypeError, match="logger"):
        Toolpass(connections=[], logger="toolpass")


ITEM = {"user": DANA, "connection": "github", "action": "pr.create", "resource": "repo:acme/shop"}


def test_many_questions_keep_their_order_and_one_bad_one_is_its_own_answer(engine: Toolpass) -> None:
    items = [
        ITEM,
        {**ITEM, "user": "nobody at all"},
        (ADMIN, "github", "pr.create", "repo:acme/shop"),
        {**ITEM, "connection": "elsewhere"},
        {**ITEM, "resource": "repo:acme/shop", "max_age": 0},
    ]
    answers = engine.check_many(items)
    codes = [answer.code for answer in answers]
    assert codes == ["denied", "invalid_request", "allowed", "unknown_connection", "denied"]
    assert len({answer.id for answer in answers}) == len(items)

    async def elsewhere() -> list[toolpass.Decision]:
        return await engine.acheck_many(iter(items))

    assert asyncio.run(elsewhere()) == answers
    assert engine.check_many([]) == []


def test_a_batch_of_wrong_types_names_the_item(empty: Toolpass) -> None:
    for method in (empty.check_many, empty.acheck_many):
        for items, says in [
            ("abc", "list of items"),
            ({}, "list of items"),
            (7, "list of items"),
            ([ITEM, "x"], "item 1: expected a mapping or a tuple"),
            ([ITEM, {**ITEM, "user": 7}], "item 1: .*user"),
            ([{"user": DANA}], "item 0: .*connection"),
            ([(DANA, "git", "a")], "item 0: .*resource"),
        ]:
            with pytest.raises(TypeError, match=says):
                method(items)
        for timeout in (0, -1, float("nan")):
            with pytest.raises(TypeError, match="timeout"):
                method([ITEM], timeout=timeout)
    with pytest.raises(ValueError, match="at most 100"):
        empty.check_many([ITEM] * 101)


def test_what_is_forgotten_is_read_again(engine: Toolpass) -> None:
    first = engine.check(**ITEM)
    assert engine.check(**ITEM).cached
    engine.invalidate(user=ADMIN)
    assert engine.check(**ITEM).cached
    engine.invalidate(user=DANA.upper())
    again = engine.check(**ITEM)
    assert (again, again.cached) == (first, False)
    assert again.as_of > first.as_of
    assert engine.check(**ITEM, max_age=60).cached
    assert not engine.check(**ITEM, max_age=0).cached
