"""What an event says was done: times of requests, counts of the output, and a permission lost on the way."""

from __future__ import annotations

import asyncio
import datetime
import pickle
import urllib.request
from typing import TYPE_CHECKING, Any

import pytest

import toolpass
from support.kits import Answer, Engine, Kit, dana
from support.watched import Watched
from toolpass import AuditEvent, ObservedAction, ToolError, permission_check

if TYPE_CHECKING:
    from support.server import Server

SECRET = "correct-horse-battery-staple"
BRANCH = "/api/v3/repos/acme/shop/git/refs/heads/old"


class FickleEngine(Engine):
    """Allows a number of times, then answers otherwise."""

    def __init__(self, allows: int, then: Any) -> None:
        super().__init__()
        self.allows = allows
        self.then = then

    def check(self, *args: Any, **kwargs: Any) -> Any:
        """Answer in turn."""
        answer = super().check(*args, **kwargs)
        if len(self.asked) <= self.allows:
            return answer
        if isinstance(self.then, BaseException):
            raise self.then
        return self.then


def moment(time: str | None) -> datetime.datetime:
    assert time is not None
    return datetime.datetime.fromisoformat(time.replace("Z", "+00:00"))


def send(method: str, url: str) -> int:
    with urllib.request.urlopen(urllib.request.Request(url, method=method)) as answer:
        return int(answer.status)


# -- counts ------------------------------------------------------------------------------------------------------------


def test_secrets_blocks_and_texts_are_counted() -> None:
    kit = Kit(credentials={"key": SECRET})
    tool = kit.tool(credential="key", untrusted_output=True, fence_structured="leaves", name="read")(
        lambda *, credential: {"note": f"the key is {credential} today", "again": [credential, "nothing"]}
    )
    with dana().active():
        tool()
    event = kit.event
    assert (event.redacted, event.fenced, event.tainted) == (2, 2, 5)
    assert event.to_dict()["redacted"] == 2


def test_an_exception_is_counted_too() -> None:
    kit = Kit(credentials={"key": SECRET})

    @kit.tool(credential="key", untrusted_output=True)
    def read(*, credential: str) -> str:
        raise RuntimeError(f"no {credential}")

    with dana().active(), pytest.raises(ToolError):
        read()
    event = kit.event
    assert (event.outcome, event.redacted, event.fenced) == ("raised", 1, 1)
    assert event.tainted > 0


def test_nothing_done_is_left_out() -> None:
    kit = Kit()
    with dana().active():
        kit.tool(name="plain")(lambda: "x")()
    event = kit.event
    assert (event.v, event.redacted, event.fenced, event.tainted, event.revoked_during_call) == (1, 0, 0, 0, None)
    assert not {"redacted", "fenced", "tainted", "revoked_during_call"} & set(event.to_dict())


# -- times -------------------------------------------------------------------------------------------------------------


def test_a_request_has_a_time_of_its_own_within_its_call(server: Server) -> None:
    watched = Watched(server.url)
    with dana().active():
        watched.toolkit.tool()(lambda: [send("GET", f"{server.url}/api/v3/repos/acme/shop") for _ in range(2)])()
    (event,) = watched.events
    first, second = event.actions
    assert moment(event.time) <= moment(first.time) <= moment(second.time)
    assert 0 < first.duration_ms <= event.duration_ms
    assert first.duration_ms + second.duration_ms <= event.duration_ms
    assert moment(second.time) - moment(first.time) >= datetime.timedelta(milliseconds=int(first.duration_ms))
    assert list(first.to_dict())[:2] == ["time", "duration_ms"]


def test_events_and_actions_pickle(server: Server) -> None:
    watched = Watched(server.url)
    with dana(id="s").active():
        tool = watched.toolkit.tool(untrusted_output=True)
        tool(lambda x: str(send("GET", f"{server.url}/api/v3/repos/acme/shop")))(1)
    (event,) = watched.events
    copy = pickle.loads(pickle.dumps(event))
    assert type(copy) is AuditEvent
    assert copy.to_dict() == event.to_dict()
    assert copy.actions == event.actions
    (action,) = pickle.loads(pickle.dumps(event.actions))
    assert type(action) is ObservedAction
    assert action == event.actions[0]
    assert {name for name in dir(AuditEvent) if not name.startswith("_")} - {"to_dict", "to_json"} == EVENT


EVENT = {
    *("v", "id", "parent", "time", "tool", "effect", "outcome", "code", "reason", "session", "user", "arguments"),
    *("authorization", "entitled", "duration_ms", "redacted", "fenced", "tainted", "revoked_during_call", "actions"),
}


# -- revoked -----------------------------------------------------------------------------------------------------------


def revoked(engine: Engine, server: Server) -> Any:
    watched = Watched(server.url, permissions=engine)
    with dana().active():
        assert watched.toolkit.tool()(lambda: send("DELETE", server.url + BRANCH))() == 200
    (event,) = watched.events
    assert event.outcome == "ran"
    return event.revoked_during_call


def test_a_permission_lost_while_it_was_used_is_said(server: Server) -> None:
    engine = FickleEngine(1, Answer("deny", "no more"))
    assert revoked(engine, server) is True
    assert [asked for asked, _ in engine.asked] == [engine.asked[0][0]] * 2
    assert all(keywords["fresh"] for _, keywords in engine.asked)


def test_a_permission_kept_is_said(server: Server) -> None:
    assert revoked(Engine(), server) is False


@pytest.mark.parametrize("then", [Answer("unknown", "no answer"), RuntimeError("down"), "nonsense"])
def test_no_answer_says_nothing_and_changes_nothing(server: Server, then: Any) -> None:
    assert revoked(FickleEngine(1, then), server) is None


def test_what_only_reads_or_writes_is_not_asked_again(server: Server) -> None:
    engine = Engine()
    watched = Watched(server.url, permissions=engine)
    with dana().active():
        watched.toolkit.tool()(lambda: send("GET", f"{server.url}/api/v3/repos/acme/shop"))()
    assert len(engine.asked) == 1
    assert watched.events[0].revoked_during_call is None


def test_a_declared_destructive_tool_asks_its_own_engine_again() -> None:
    engine = FickleEngine(1, Answer("deny", "no more"))
    kit = Kit()
    drop = kit.tool(effect="destructive", authorize=permission_check(engine, "db", "table.drop", "table:{name}"))
    with dana().active():
        assert drop(lambda name: name)("old") == "old"
    assert kit.event.revoked_during_call is True


def test_a_refused_call_asks_nothing_again() -> None:
    engine = Engine(Answer("deny", "no"))
    kit = Kit()
    drop = kit.tool(effect="destructive", authorize=permission_check(engine, "db", "table.drop", "table:{name}"))
    with dana().active(), pytest.raises(toolpass.ToolRefused):
        drop(lambda name: name)("old")
    assert len(engine.asked) == 1
    assert kit.event.revoked_during_call is None


def test_a_body_that_raises_is_asked_about_and_raises() -> None:
    engine = FickleEngine(1, Answer("deny", "no more"))
    kit = Kit()

    @kit.tool(effect="destructive", authorize=permission_check(engine, "db", "table.drop", "table:{name}"))
    def drop(name: str) -> None:
        raise KeyError(name)

    with dana().active(), pytest.raises(KeyError):
        drop("old")
    assert (kit.event.outcome, kit.event.revoked_during_call) == ("raised", True)


class AsyncEngine(FickleEngine):
    """The same, to be awaited."""

    async def acheck(self, *args: Any, **kwargs: Any) -> Any:
        """Answer after a turn of the loop."""
        await asyncio.sleep(0)
        return self.check(*args, **kwargs)


@pytest.mark.parametrize("then", [Answer("deny", "no more"), RuntimeError("down"), Answer("allow")])
@pytest.mark.parametrize("raises", [False, True])
def test_an_async_tool_awaits_the_answer(then: Any, raises: bool) -> None:
    engine = AsyncEngine(1, then)
    kit = Kit()

    @kit.tool(effect="destructive", authorize=permission_check(engine, "db", "table.drop", "table:{name}"))
    async def drop(name: str) -> str:
        if raises:
            raise KeyError(name)
        return name

    async def main() -> str:
        with dana().active():
            return await drop("old")

    if raises:
        with pytest.raises(KeyError):
            asyncio.run(main())
    else:
        assert asyncio.run(main()) == "old"
    expected = {"deny": True, "allow": False}.get(getattr(then, "decision", ""))
    assert kit.event.revoked_during_call is expected
    assert len(engine.asked) == 2


def test_a_call_cancelled_while_it_asks_again_is_raised() -> None:
    asking = asyncio.Event()

    class Slow(AsyncEngine):
        async def acheck(self, *args: Any, **kwargs: Any) -> Any:
            answer = self.check(*args, **kwargs)
            if len(self.asked) > 1:
                asking.set()
                await asyncio.Event().wait()
            return answer

    engine = Slow(9, None)
    kit = Kit()

    @kit.tool(effect="destructive", authorize=permission_check(engine, "db", "table.drop", "table:{name}"))
    async def drop(name: str) -> str:
        return name

    async def main() -> None:
        with dana().active():
            task = asyncio.ensure_future(drop("old"))
            await asking.wait()
            task.cancel()
            await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(main())
    assert (kit.event.outcome, kit.event.revoked_during_call) == ("raised", None)
