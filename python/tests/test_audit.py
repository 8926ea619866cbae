"""Audit events: one a call, what is in them, and what a sink may do."""

from __future__ import annotations

import datetime
import json
import logging
from typing import Any

import pytest

import toolpass
from support.kits import Kit, dana, refused
from toolpass import Toolkit


def test_one_event_a_call_with_its_members_in_order() -> None:
    kit = Kit()
    tool = kit.tool(effect="write", name="send", authorize=lambda call: True)(lambda to: "ran")
    with dana(id="s1").active():
        tool("sam")
    event = kit.event
    members = event.to_dict()
    assert list(members) == [
        "v",
        "id",
        "time",
        "tool",
        "effect",
        "outcome",
        "session",
        "user",
        "arguments",
        "authorization",
        "duration_ms",
    ]
    assert (event.tool, event.effect, event.outcome, event.session, event.user) == (
        "send",
        "write",
        "ran",
        "s1",
        "dana@example.com",
    )
    assert (event.arguments, event.authorization, event.code, event.reason, event.parent) == (
        {"to": "sam"},
        "allow",
        None,
        None,
        None,
    )
    assert event.actions == ()
    time = datetime.datetime.fromisoformat(event.time.replace("Z", "+00:00"))
    assert time.utcoffset() == datetime.timedelta(0)
    assert len(event.time.partition(".")[2].rstrip("Z")) == 3
    assert event.duration_ms >= 0
    assert json.loads(event.to_json()) == members
    with pytest.raises(AttributeError):
        event.tool = "other"  # type: ignore[misc]


def test_a_nested_call_names_its_parent() -> None:
    kit = Kit()
    inner = kit.tool(name="inner")(lambda: 1)
    outer = kit.tool(name="outer")(lambda: inner())
    with dana().active():
        outer()
    first, second = kit.events
    assert (first.tool, first.parent) == ("inner", second.id)
    assert (second.tool, second.parent) == ("outer", None)


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("x" * 300, "x" * 200 + "… (300 characters)"),
        (list(range(60)), list(range(50))),
        ({"a": {"b": {"c": {"d": 1}}}}, {"a": {"b": {"c": "{'d': 1}"}}}),
        ({1: 2}, {"1": 2}),
        (float("inf"), "Infinity"),
        (b"bytes", "b'bytes'"),
        ((1, None, True), [1, None, True]),
    ],
    ids=["text", "list", "deep", "key", "infinity", "bytes", "tuple"],
)
def test_arguments_are_shortened(value: Any, kept: Any) -> None:
    kit = Kit()
    with dana().active():
        kit.tool()(lambda value: None)(value)
    assert kit.event.arguments == {"value": kept}


def test_an_argument_whose_repr_raises_does_not_fail_the_call() -> None:
    class Odd:
        def __repr__(self) -> str:
            raise KeyError

    kit = Kit()
    with dana().active():
        assert kit.tool()(lambda value: "ran")(Odd()) == "ran"
    assert kit.event.arguments == {"value": "<Odd>"}


def test_arguments_are_those_the_call_began_with() -> None:
    kit = Kit()
    with dana().active():
        kit.tool()(lambda items: items.clear())([1, 2])
    assert kit.event.arguments == {"items": [1, 2]}


def test_arguments_are_left_out_when_asked_to_be() -> None:
    kit = Kit(audit_arguments=False)
    with dana().active():
        kit.tool()(lambda x: x)(1)
    assert kit.event.arguments is None


def test_results_are_never_in_an_event() -> None:
    kit = Kit()
    with dana().active():
        kit.tool()(lambda: "the-result-itself")()
    assert "the-result" not in kit.event.to_json()


def test_an_exception_is_named_by_its_type() -> None:
    kit = Kit()

    def body() -> None:
        raise KeyError("private")

    with dana().active(), pytest.raises(KeyError):
        kit.tool()(body)()
    assert (kit.event.outcome, kit.event.reason) == ("raised", "KeyError")
    assert "private" not in kit.event.to_json()


def test_the_default_sink_is_one_line_on_the_toolkits_logger(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "toolpass.toolkit")
    with dana().active():
        Toolkit().tool(name="send")(lambda: 1)()
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("toolpass.toolkit", "INFO")
    assert json.loads(record.getMessage())["tool"] == "send"
    assert "\n" not in record.getMessage()


def test_a_sink_that_raises_is_logged_and_changes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def sink(event: Any) -> None:
        raise KeyError("broken")

    with dana().active():
        assert Toolkit(audit=sink).tool()(lambda: "ran")() == "ran"
        assert refused(Toolkit(audit=sink).tool(limit=0)(lambda: 1)).code == "limit_reached"
    assert [record.levelname for record in caplog.records] == ["ERROR", "ERROR"]


def test_an_interrupt_in_a_sink_is_not_swallowed() -> None:
    def sink(event: Any) -> None:
        raise KeyboardInterrupt

    with dana().active(), pytest.raises(KeyboardInterrupt):
        Toolkit(audit=sink).tool()(lambda: "ran")()


def test_no_sink_is_no_event_and_no_error() -> None:
    with dana().active() as session:
        assert Toolkit(audit=None).tool(name="send", limit=1)(lambda: "ran")() == "ran"
        assert session.count("tool:send") == 1


def test_an_async_sink_is_an_error() -> None:
    async def sink(event: Any) -> None: ...

    class Sink:
        async def __call__(self, event: Any) -> None: ...

    for wrong in (sink, Sink(), "log", 7):
        with pytest.raises(TypeError, match="audit"):
            Toolkit(audit=wrong)  # type: ignore[arg-type]


def test_a_sink_may_call_tools() -> None:
    calls: list[str] = []
    kit = Toolkit(audit=lambda event: calls.append(event.tool) or (count() if event.tool == "send" else None))
    count = kit.tool(name="count")(lambda: len(calls))
    send = kit.tool(name="send")(lambda: "ran")
    with dana().active():
        send()
    assert calls == ["send", "count"]


def test_marks_are_set_before_the_body() -> None:
    seen: list[tuple[bool, bool]] = []

    def body() -> None:
        session = toolpass.current_session()
        assert session is not None
        seen.append((session.saw_untrusted, session.read_private))

    tool = Kit().tool(untrusted_output=True, reads_private=True)(body)
    with dana().active():
        tool()
    assert seen == [(True, True)]


def test_all_three_legs_in_one_session_refuse() -> None:
    kit = Kit()
    read = kit.tool(name="read", effect="read", untrusted_output=True, reads_private=True)(lambda: "x")
    send = kit.tool(name="send", effect="write", sends_out=True)(lambda: "sent")
    with dana().active():
        assert send() == "sent"
        read()
        assert refused(send).code == "exfiltration_risk"
    off = Kit(exfiltration="off").tool(sends_out=True)(lambda: "sent")
    with dana().active():
        read()
        assert off() == "sent"
