"""`Toolkit` and `configure`: which settings there are, what they accept, what is kept and what is dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import toolpass
from support.kits import Engine, Kit, dana, refused
from toolpass import Toolkit

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _default_settings() -> Iterator[None]:
    yield
    toolpass.configure()


def test_defaults_are_public_attributes() -> None:
    kit = Toolkit()
    assert (kit.act_as, kit.audit, kit.audit_arguments, kit.credentials) == ("user", toolpass.log_audit, True, None)
    assert (kit.exfiltration, kit.fresh_effects, kit.intercept, kit.limits) == ("refuse", ("destructive",), True, {})
    assert (kit.on_refuse, kit.permissions, kit.private, kit.strict) == (None, None, (), False)
    assert (kit.session_source, kit.connection_specs, kit.unknown_hosts) == (None, None, "guarded")
    assert kit.recorder is None
    for hidden in ("session", "connections", "record", "anything"):
        with pytest.raises(AttributeError):
            getattr(kit, hidden)


def test_only_the_sink_may_be_replaced() -> None:
    kit = Toolkit(audit=None)
    events: list[Any] = []
    kit.audit = events.append
    with dana().active():
        kit.tool()(lambda: 1)()
    assert len(events) == 1
    for setting in ("strict", "limits", "permissions"):
        with pytest.raises(AttributeError):
            setattr(kit, setting, True)


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"limits": {"delete": 1}}, ValueError),
        ({"limits": {"write": True}}, ValueError),
        ({"limits": {"write": -1}}, ValueError),
        ({"limits": {"write": 1.5}}, ValueError),
        ({"limits": {"write": "20/week"}}, ValueError),
        ({"limits": 3}, ValueError),
        ({"exfiltration": "approve"}, ValueError),
        ({"exfiltration": True}, ValueError),
        ({"act_as": "root"}, ValueError),
        ({"unknown_hosts": "deny"}, ValueError),
        ({"fresh_effects": ["delete"]}, ValueError),
        ({"fresh_effects": "destructive"}, TypeError),
        ({"private": "mail"}, TypeError),
        ({"private": [7]}, TypeError),
        ({"strict": "yes"}, TypeError),
        ({"intercept": 1}, TypeError),
        ({"strict_types": "yes"}, TypeError),
        ({"audit_arguments": None}, TypeError),
        ({"dashboard_arguments": "yes"}, TypeError),
        ({"permissions": object()}, TypeError),
        ({"entitlements": 7}, TypeError),
        ({"entitlements": "no-such-file.yaml"}, FileNotFoundError),
        ({"entitlements": {"tools": []}}, ValueError),
        ({"on_missing": "ignore"}, ValueError),
        ({"record": 7}, TypeError),
        ({"record_partial": "yes"}, TypeError),
        ({"session_store": "sqlite:"}, ValueError),
        ({"session_store": "server"}, ValueError),
        ({"session_store": "mysql://x/y"}, ValueError),
        ({"session_store": "valkey://:password@host"}, ValueError),
        ({"session_store": 7}, TypeError),
        ({"session_secret": "a secret in a program"}, TypeError),
        ({"session_secret": toolpass.literal("short")}, ValueError),
        ({"session_idle": 0}, ValueError),
        ({"session_idle": True}, ValueError),
        ({"session_idle": "24h"}, ValueError),
        ({"connections": "git"}, TypeError),
        ({"connections": [{"integration": "github"}]}, ValueError),
        ({"connections": [{"id": "git"}]}, ValueError),
        ({"connections": [{"id": 1, "integration": "github", "url": "https://git.example"}]}, ValueError),
        ({"connections": [{"id": "git", "integration": "no-such-system"}]}, ValueError),
        *(
            ({later: None}, TypeError)
            for later in (
                "approve",
                "approver",
                "authority",
            )
        ),
    ],
    ids=str,
)
def test_a_wrong_setting_is_an_error_that_names_it_and_changes_nothing(settings: Any, error: type[Exception]) -> None:
    (name,) = settings
    with pytest.raises(error, match=name if name != "connections" else "connection"):
        Toolkit(**settings)
    toolpass.configure(limits={"write": 7})
    with pytest.raises(error):
        toolpass.configure(**settings)
    assert toolpass.default_toolkit().limits == {"write": 7}


def test_positional_settings_are_an_error() -> None:
    with pytest.raises(TypeError):
        Toolkit({})  # type: ignore[misc, arg-type]


def test_configure_resets_what_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    assert toolpass.configure(limits={"write": 1}, strict=True) is toolpass.default_toolkit()
    toolpass.configure(act_as="agent")
    kit = toolpass.default_toolkit()
    assert (kit.limits, kit.strict, kit.act_as) == ({}, False, "agent")
    (record,) = caplog.records
    assert "limits, strict" in record.getMessage()


def test_configure_keeps_what_is_left_out_when_asked_to(caplog: pytest.LogCaptureFixture) -> None:
    toolpass.configure(limits={"write": 1}, strict=True)
    toolpass.configure(keep=True, strict=False, act_as="agent")
    kit = toolpass.default_toolkit()
    assert (kit.limits, kit.strict, kit.act_as) == ({"write": 1}, False, "agent")
    assert caplog.records == []


def test_dropping_on_purpose_is_not_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    toolpass.configure(permissions=Engine())
    toolpass.configure(permissions=None)
    assert caplog.records == []


def test_an_engine_of_odd_equality_can_be_dropped(caplog: pytest.LogCaptureFixture) -> None:
    class Odd(Engine):
        def __eq__(self, other: object) -> bool:
            raise RuntimeError

        def __bool__(self) -> bool:
            raise RuntimeError

        __hash__ = None  # type: ignore[assignment]

    toolpass.configure(permissions=Odd())
    toolpass.configure()
    assert "permissions" in caplog.text


def test_tools_read_the_settings_when_they_are_called() -> None:
    @toolpass.tool(name="reads_settings_late", effect="write")
    def write() -> str:
        return "ran"

    with dana().active():
        assert write() == "ran"
        toolpass.configure(limits={"write": 0})
        assert refused(write).code == "limit_reached"


def test_toolkits_are_independent() -> None:
    strict, free = Kit(limits={"write": 0}), Kit()
    one = strict.tool(effect="write", name="one")(lambda: 1)
    two = free.tool(effect="write", name="two")(lambda: 2)
    with dana().active():
        refused(one)
        assert two() == 2
    assert (len(strict.events), len(free.events)) == (1, 1)


def test_an_iterable_setting_may_be_an_iterator() -> None:
    kit = Toolkit(private=iter(["mail"]), fresh_effects=iter(["write"]))
    assert (kit.private, kit.fresh_effects) == (("mail",), ("write",))


def first() -> None: ...


def second() -> None: ...


def test_two_functions_of_one_name_are_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    kit = Kit()
    kit.tool(name="send")(first)
    kit.tool(name="send")(first)
    assert caplog.records == []
    kit.tool(name="send")(second)
    (record,) = caplog.records
    assert "'send'" in record.getMessage()
    assert "first" in record.getMessage()
    assert "second" in record.getMessage()
    (spec,) = kit.tools()
    assert spec.fn is second


def test_two_functions_of_one_name_are_an_error_under_strict() -> None:
    kit = Kit(strict=True)
    kit.tool(name="send")(first)
    with pytest.raises(ValueError, match="send"):
        kit.tool(name="send")(second)


def test_tools_lists_what_was_declared() -> None:
    kit = Kit()
    kit.tool(name="one", effect="read")(first)
    kit.tool(name="two")(second)
    assert [(spec.name, spec.effect) for spec in kit.tools()] == [("one", "read"), ("two", None)]


def test_the_context_of_a_body() -> None:
    kit = Kit(strict=True, act_as="agent")

    @kit.tool(name="outer")
    def outer() -> Any:
        call = toolpass.current_call()
        assert call is not None
        with toolpass.as_user():
            within = inner()
        return call.tool, call.strict, call.act_as, call.observed, call.refusal, within

    @kit.tool(name="inner")
    def inner() -> Any:
        from toolpass._native import ACT_AS

        call = toolpass.current_call()
        assert call is not None
        return call.tool, ACT_AS.get()

    assert toolpass.current_call() is None
    with dana().active():
        assert outer() == ("outer", True, "agent", (), None, ("inner", None))
    assert toolpass.current_call() is None


def test_a_block_outside_a_body_warns_and_does_nothing(caplog: pytest.LogCaptureFixture) -> None:
    from toolpass._native import ACT_AS

    for block in (toolpass.as_agent(), toolpass.as_user()):
        with block:
            assert ACT_AS.get() is None
    assert ["as_agent" in caplog.records[0].getMessage(), "as_user" in caplog.records[1].getMessage()] == [True, True]


def test_the_innermost_block_wins() -> None:
    from toolpass._native import ACT_AS

    seen: list[Any] = []

    @Kit().tool()
    def body() -> None:
        with toolpass.as_agent():
            with toolpass.as_user():
                seen.append(ACT_AS.get())
            seen.append(ACT_AS.get())
            with pytest.raises(KeyError), toolpass.as_user():
                raise KeyError
            seen.append(ACT_AS.get())
        seen.append(ACT_AS.get())

    with dana().active():
        body()
    assert seen == ["user", "agent", "agent", None]


def test_a_block_left_open_is_not_the_callers() -> None:
    from toolpass._native import ACT_AS

    kit = Kit()
    inner = kit.tool(name="inner")(lambda: toolpass.as_agent().__enter__())
    outer = kit.tool(name="outer")(lambda: (inner(), ACT_AS.get())[1])
    with dana().active():
        assert outer() is None
        inner()
        assert ACT_AS.get() is None
