"""The exceptions: what they carry, how they print, that they cross processes."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import toolpass
from support.kits import Kit, dana
from toolpass import ActionRefused, AuthDecision, Decision, ObservedAction, PermissionDenied, ToolError, ToolRefused


def a_decision() -> Decision:
    tp = toolpass.Toolpass(connections=[])
    return tp.check("dana@example.com", "git", "repo.read", "repo:acme/shop")


def an_action() -> ObservedAction:
    return ObservedAction._from_dict(
        {"method": "POST", "host": "git", "path": "/x", "effect": "write", "outcome": "refused", "note": "late"}
    )


def refusals() -> list[Exception]:
    return [
        ToolRefused("send", "limit_reached", "used up"),
        ActionRefused("send", "not_authorized", "may not", an_action()),
        ToolError("send", "ValueError: [REDACTED]"),
        PermissionDenied(a_decision(), "dana@example.com", "git", "repo.read", "repo:acme/shop"),
    ]


@pytest.mark.parametrize("error", refusals(), ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_an_exception_crosses_processes(error: Exception, copied: Any) -> None:
    other = copied(error)
    assert type(other) is type(error)
    assert str(other) == str(error)
    assert vars(other) == vars(error)


def test_what_the_exceptions_are() -> None:
    assert issubclass(ActionRefused, ToolRefused)
    assert not issubclass(ToolError, ToolRefused)
    assert not issubclass(PermissionDenied, ToolRefused)
    tool, action, _, denied = refusals()
    assert "send" in str(tool)
    assert "limit_reached" in str(tool)
    assert "used up" in str(tool)
    assert tool.to_dict() == {"tool": "send", "code": "limit_reached", "reason": "used up"}  # type: ignore[attr-defined]
    assert action.to_dict()["action"] == an_action().to_dict()  # type: ignore[attr-defined]
    for named in ("dana@example.com", "git", "repo.read", "repo:acme/shop", "unknown", "unknown_connection"):
        assert named in str(denied)


def test_a_pickled_tool_error_leaves_the_original_behind() -> None:
    error = ToolError("send", "ValueError: [REDACTED]", ValueError("s3cr3t-value"))
    data = pickle.dumps(error)
    assert b"s3cr3t" not in data
    assert pickle.loads(data).original is None


def test_decisions_and_answers_cross_processes() -> None:
    decision = a_decision()
    other = pickle.loads(pickle.dumps(decision))
    assert other == decision
    for name in ("decision", "reason", "status", "identity", "id", "as_of", "cached", "retry_after_ms"):
        assert getattr(other, name) == getattr(decision, name)
    assert pickle.loads(pickle.dumps(AuthDecision(False, "no", "c"))) == AuthDecision(False, "no", "c")
    assert pickle.loads(pickle.dumps(an_action())) == an_action()


def test_on_refuse_answers_in_place_of_the_exception() -> None:
    got: list[ToolRefused] = []

    def answer(refusal: ToolRefused) -> str:
        got.append(refusal)
        return "ask somebody else"

    with dana().active():
        assert Kit(on_refuse=answer).tool(name="send", limit=0)(lambda: 1)() == "ask somebody else"
        told = Kit(on_refuse="message").tool(name="send", limit=0)(lambda: 1)()
    assert (got[0].tool, got[0].code) == ("send", "limit_reached")
    assert told == str(got[0])


def test_on_refuse_may_raise() -> None:
    def raises(refusal: ToolRefused) -> None:
        raise RuntimeError("no")

    kit = Kit(on_refuse=raises)
    with dana().active(), pytest.raises(RuntimeError):
        kit.tool(limit=0)(lambda: 1)()
    assert kit.event.outcome == "refused"


async def answers(refused: ToolRefused) -> str:
    return "in time"


@pytest.mark.parametrize("wrong", ["words", 7, answers])
def test_on_refuse_of_the_wrong_kind_is_an_error(wrong: Any) -> None:
    with pytest.raises(TypeError, match="on_refuse"):
        Kit(on_refuse=wrong)


def test_a_nested_refusal_is_not_the_outer_calls() -> None:
    answered: list[str] = []
    kit = Kit(on_refuse=lambda refusal: answered.append(refusal.tool) or "answered")
    inner = Kit().tool(name="inner", limit=0)(lambda: 1)
    outer = kit.tool(name="outer", limit=1)(lambda: inner())
    with dana().active() as session, pytest.raises(ToolRefused) as caught:
        outer()
    assert caught.value.tool == "inner"
    assert answered == []
    assert (kit.event.outcome, kit.event.reason) == ("raised", "ToolRefused")
    assert session.count("tool:outer") == 1
