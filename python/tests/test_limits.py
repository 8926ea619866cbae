"""Limits: taken all or none, given back when the body is not reached, kept once it is."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import toolpass
from support.kits import Kit, dana, refused
from toolpass import Session


def test_a_tool_has_so_many_calls_per_session() -> None:
    kit = Kit()
    tool = kit.tool(limit=2, name="send")(lambda: 1)
    with dana().active() as session:
        assert (tool(), tool()) == (1, 1)
        refusal = refused(tool)
        assert session.count("tool:send") == 2
    assert refusal.code == "limit_reached"
    assert "tool:send" in refusal.reason
    with dana().active():
        assert tool() == 1


def test_a_limit_of_zero_blocks_every_call() -> None:
    with dana().active():
        assert refused(Kit().tool(limit=0)(lambda: 1)).code == "limit_reached"


def test_an_effect_has_so_many_calls_per_session() -> None:
    kit = Kit(limits={"write": 1})
    one = kit.tool(effect="write", name="one")(lambda: 1)
    two = kit.tool(effect="write", name="two")(lambda: 2)
    read = kit.tool(effect="read", name="read")(lambda: 3)
    with dana().active() as session:
        assert one() == 1
        assert refused(two).code == "limit_reached"
        assert (read(), read()) == (3, 3)
        assert (session.count("effect:write"), session.count("effect:read")) == (1, 0)


def test_all_or_none_are_taken() -> None:
    kit = Kit(limits={"write": 1})
    tool = kit.tool(effect="write", limit=5, name="send")(lambda: 1)
    with dana().active() as session:
        tool()
        refused(tool)
        assert session.count("tool:send") == 1


def test_two_tools_of_one_name_share_a_count() -> None:
    one = Kit().tool(limit=1, name="send")(lambda: 1)
    two = Kit().tool(limit=1, name="send")(lambda: 2)
    with dana().active():
        one()
        assert refused(two).code == "limit_reached"


def test_a_tool_without_effect_is_not_counted_by_effect() -> None:
    tool = Kit(limits={"read": 0, "write": 0, "destructive": 0}).tool()(lambda: 1)
    with dana().active():
        assert tool() == 1


def interrupts(call: Any) -> Any:
    raise KeyboardInterrupt


def crashes(call: Any) -> Any:
    raise KeyError


@pytest.mark.parametrize(
    ("declared", "ends"),
    [
        ({"authorize": lambda call: False}, toolpass.ToolRefused),
        ({"authorize": crashes}, toolpass.ToolRefused),
        ({"authorize": interrupts}, KeyboardInterrupt),
        ({"scope": {"x": "acme/*"}}, toolpass.ToolRefused),
        ({"validate": {"x": interrupts}}, KeyboardInterrupt),
        ({"scope": {"x": interrupts}}, KeyboardInterrupt),
    ],
)
def test_slots_are_given_back_when_the_body_is_not_reached(declared: Any, ends: type[BaseException]) -> None:
    kit = Kit(limits={"write": 1})
    tool = kit.tool(effect="write", limit=1, name="send", **declared)(lambda x: pytest.fail("the body ran"))
    with dana().active() as session:
        with pytest.raises(ends):
            tool("x")
        assert (session.count("tool:send"), session.count("effect:write")) == (0, 0)
    assert kit.event.outcome == ("cancelled" if ends is KeyboardInterrupt else "refused")


def test_slots_are_given_back_when_the_credential_is_missing() -> None:
    for source, ends in (({}, toolpass.ToolRefused), (lambda name, call: interrupts(call), KeyboardInterrupt)):
        kit = Kit(credentials=source)
        tool = kit.tool(limit=1, name="send", credential="api")(needs_credential)
        with dana().active() as session:
            with pytest.raises(ends):
                tool()
            assert session.count("tool:send") == 0


def needs_credential(*, credential: str) -> None: ...


@pytest.mark.parametrize("error", [KeyError, KeyboardInterrupt, SystemExit])
def test_slots_are_kept_once_the_body_ran(error: type[BaseException]) -> None:
    kit = Kit()

    @kit.tool(limit=1, name="send")
    def send() -> None:
        raise error

    with dana().active() as session:
        with pytest.raises(error):
            send()
        assert session.count("tool:send") == 1
    assert (kit.event.outcome, kit.event.reason) == ("raised", error.__name__)


@pytest.mark.asyncio
async def test_slots_of_a_cancelled_authorization_are_given_back_and_of_a_cancelled_body_kept() -> None:
    kit = Kit()
    reached = asyncio.Event()

    async def forever(call: Any = None) -> bool:
        reached.set()
        await asyncio.Event().wait()
        return True

    before = kit.tool(limit=1, name="before", authorize=forever)(never_runs)
    during = kit.tool(limit=1, name="within")(forever)
    session = dana()
    for call in (before, during):
        reached.clear()
        with session.active():
            task = asyncio.ensure_future(call())
        await reached.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert (session.count("tool:before"), session.count("tool:within")) == (0, 1)
    assert [(event.tool, event.outcome) for event in kit.events] == [("before", "cancelled"), ("within", "raised")]


async def never_runs() -> None:
    pytest.fail("the body ran")


def test_counts_are_of_a_session_not_of_a_user() -> None:
    tool = Kit().tool(limit=1)(lambda: 1)
    for _ in range(2):
        with Session("dana@example.com").active():
            assert tool() == 1


def test_a_limit_over_time_is_the_users_over_all_sessions() -> None:
    kit = Kit(limits={"write": "2/day"})
    tool = kit.tool(effect="write", name="over_time_one")(lambda: 1)
    one, two = Session("hour-a@example.com"), Session("hour-a@example.com")
    with one.active():
        assert tool() == 1
    with two.active():
        assert tool() == 1
        refusal = refused(tool)
    assert refusal.code == "limit_reached"
    assert "effect:write (2 at most in one day)" in refusal.reason
    with Session("hour-b@example.com").active():
        assert tool() == 1


def test_a_new_toolkit_gives_nobody_a_new_hour() -> None:
    def declared() -> Any:
        return Kit().tool(limit="1/hour", name="over_time_two")(lambda: 1)

    with Session("hour-c@example.com").active():
        assert declared()() == 1
        assert refused(declared()).code == "limit_reached"


def test_a_slot_over_time_is_given_back_by_a_refused_call() -> None:
    answers = [False, True]
    tool = Kit().tool(limit="1/hour", name="over_time_three", authorize=lambda call: answers.pop(0))(lambda: 1)
    with Session("hour-d@example.com").active():
        assert refused(tool).code == "not_authorized"
        assert tool() == 1


@pytest.mark.parametrize("wrong", [True, -1, 1.5, "20", "20/week", "20 / hour", "/hour", "1000000/day", ""])
def test_a_limit_that_is_none_is_said_to_be_none(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"`limit` to be a whole number .*N/hour"):
        Kit().tool(limit=wrong)(lambda: 1)
    with pytest.raises(ValueError, match="limits"):
        Kit(limits={"write": wrong})


def test_a_person_is_the_same_in_any_case() -> None:
    tool = Kit().tool(limit="1/hour", name="in_any_case")(lambda: 1)
    with toolpass.Session("sam@example.com").active():
        tool()
    with toolpass.Session("Sam@Example.COM").active():
        assert refused(tool).code == "limit_reached"
    with toolpass.Session("kim@example.com").active():
        tool()
