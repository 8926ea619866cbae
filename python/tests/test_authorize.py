"""Authorization: which answers are answers, and what each becomes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolpass
from support.kits import Answer, Engine, Kit, dana, refused
from toolpass import AuthDecision, permission_check


def call_of(authorize: Any, kit: Kit | None = None) -> Any:
    tool = (kit or Kit()).tool(authorize=authorize, name="read")(lambda repo="acme/shop": "ran")
    with dana(groups=["sre"], token="t0k3n-of-dana").active():
        return tool()


def test_true_and_an_allowing_decision_go_on() -> None:
    assert call_of(lambda call: True) == "ran"
    kit = Kit()
    assert call_of(lambda call: AuthDecision(True, "by the book"), kit) == "ran"
    assert kit.event.authorization == "by the book"


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (False, "not_authorized"),
        (AuthDecision(False), "not_authorized"),
        (AuthDecision(False, "no", "not_authorized"), "not_authorized"),
        (AuthDecision(False, "no", "authorization_error"), "authorization_error"),
        (AuthDecision(False, "no", "not_configured"), "not_configured"),
        (AuthDecision(False, "no", "invalid_arguments"), "invalid_arguments"),
        (AuthDecision(False, "no", "limit_reached"), "not_authorized"),
        (AuthDecision(False, "no", "nonsense"), "not_authorized"),
        (None, "authorization_error"),
        (1, "authorization_error"),
        ("allow", "authorization_error"),
        ((True, "", ""), "authorization_error"),
        (SimpleNamespace(allowed=True, reason="", code=""), "authorization_error"),
        (Answer("allow"), "authorization_error"),
    ],
)
def test_every_other_answer_refuses(answer: Any, code: str) -> None:
    kit = Kit()
    assert refused(lambda: call_of(lambda call: answer, kit)).code == code
    assert kit.event.code == code


def test_an_exception_shows_its_type_and_is_the_cause(caplog: pytest.LogCaptureFixture) -> None:
    raised = KeyError("private")
    for authorize in (raising(raised), permission_check(Engine(raised), "git", "repo.read", "repo:{repo}")):
        caplog.clear()
        refusal = refused(lambda: call_of(authorize))  # noqa: B023 - called here
        assert refusal.code == "authorization_error"
        assert "KeyError" in refusal.reason
        assert "private" not in str(refusal)
        assert refusal.__cause__ is raised
        (record,) = caplog.records
        assert (record.name, record.levelname) == ("toolpass.toolkit", "ERROR")
        assert record.exc_info is not None
        assert record.exc_info[1] is raised


def test_an_exception_with_a_secret_is_neither_shown_nor_logged(caplog: pytest.LogCaptureFixture) -> None:
    refusal = refused(lambda: call_of(raising(ValueError("token t0k3n-of-dana expired"))))
    assert refusal.__cause__ is None
    assert refusal.__context__ is None
    assert "ValueError" in caplog.text
    assert "t0k3n-of-dana" not in caplog.text


def raising(error: Exception) -> Any:
    def authorize(call: toolpass.Call) -> bool:
        raise error

    return authorize


@pytest.mark.parametrize("authorize", [lambda: True, lambda call, other: True, lambda *, call: True])
def test_an_authorizer_takes_the_call_and_nothing_else(authorize: Any) -> None:
    with pytest.raises(TypeError, match="`authorize` to take one positional argument, the call"):
        Kit().tool(authorize=authorize)(lambda: None)


def test_authorizers_of_every_shape_are_taken() -> None:
    class Asked:
        def __call__(self, call: toolpass.Call, strict: bool = False) -> bool:
            return True

        def ask(self, *calls: toolpass.Call) -> bool:
            return True

    for authorize in (Asked(), Asked().ask, bool, lambda call: True):
        assert call_of(authorize) == "ran"


def test_an_odd_answer_is_named_with_what_is_accepted() -> None:
    answered = refused(lambda: call_of(lambda call: 1)).reason
    assert "answered int" in answered
    assert "AuthDecision" in answered
    check = permission_check(Engine(7), "git", "repo.read", "repo:{repo}")
    answered = refused(lambda: call_of(check)).reason
    assert "the engine answered int" in answered
    assert '"allow", "deny" or "unknown"' in answered
    assert "try again" not in answered


def test_a_class_is_no_engine() -> None:
    with pytest.raises(TypeError, match="not the class Engine"):
        Kit(permissions=Engine)
    with pytest.raises(TypeError, match="not the class Engine"):
        permission_check(Engine, "git", "repo.read", "repo:{repo}")  # type: ignore[arg-type]


def test_an_awaitable_answer_of_a_sync_tool_is_closed_and_refuses() -> None:
    closed = []

    class Later:
        def __await__(self) -> Any:
            return iter(())

        def close(self) -> None:
            closed.append(True)
            raise RuntimeError("closing fails too")

    async def later(call: Any) -> bool:
        return True

    assert refused(lambda: call_of(later)).code == "authorization_error"
    assert refused(lambda: call_of(lambda call: Later())).code == "authorization_error"
    assert closed == [True]


def test_only_a_denial_says_that_the_user_may_not() -> None:
    engine = {
        outcome: refused(lambda: call_of(permission_check(Engine(answer), "git", "repo.read", "repo:{repo}"))).reason  # noqa: B023
        for outcome, answer in (
            ("deny", Answer("deny", "denied: no membership")),
            ("unknown", Answer("unknown", "upstream_timeout: timed out")),
            ("setup", Answer("unknown", "unknown_connection: no such id")),
        )
    }
    assert "dana@example.com" in engine["deny"]
    assert "may not" in engine["deny"]
    assert "may not" not in engine["unknown"]
    assert "try again" in engine["unknown"]
    assert "may not" not in engine["setup"]
    assert "operator" in engine["setup"]


def test_an_authorizer_sees_the_call() -> None:
    seen: list[toolpass.Call] = []

    def look(call: toolpass.Call) -> bool:
        seen.append(call)
        return True

    kit = Kit()
    tool = kit.tool(authorize=look, effect="write", name="send")(lambda to, text="hello": toolpass.current_call())
    with dana().active() as session:
        running = tool("sam")
    (call,) = seen
    assert (call.tool, call.effect, dict(call.arguments)) == ("send", "write", {"to": "sam", "text": "hello"})
    assert call.session is session
    with pytest.raises(TypeError):
        call.arguments["to"] = "eve"  # type: ignore[index]
    with pytest.raises(AttributeError):
        call.tool = "other"  # type: ignore[misc]
    assert (running.call.arguments, running.toolkit, running.spec.name) == (call.arguments, kit, "send")


def test_permission_check_asks_the_engine() -> None:
    engine = Engine()
    kit = Kit()
    assert call_of(permission_check(engine, "git", "repo.read", "repo:{repo}", fresh=True), kit) == "ran"
    asked = ("dana@example.com", "git", "repo.read", "repo:acme/shop", ["sre"])
    assert engine.asked == [(asked, {"fresh": True, "token": "t0k3n-of-dana"})]
    assert kit.event.authorization is not None
    for word in ("allow", "repo.read", "repo:acme/shop", "git"):
        assert word in kit.event.authorization


def test_a_session_without_groups_or_token_sends_neither() -> None:
    engine = Engine()
    tool = Kit().tool(authorize=permission_check(engine, "git", "repo.read", "repo:acme/shop"))(lambda: 1)
    for groups in (None, []):
        with dana(groups=groups).active():
            tool()
    asked = ("dana@example.com", "git", "repo.read", "repo:acme/shop", None)
    assert engine.asked == [(asked, {"fresh": False})] * 2


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (Answer("deny"), "not_authorized"),
        (Answer("deny", "denied: no"), "not_authorized"),
        (Answer("deny", "user_not_found"), "not_authorized"),
        (Answer("unknown", "unknown_connection: no such id"), "not_configured"),
        (Answer("unknown", "unknown_action"), "not_configured"),
        (Answer("unknown", "unauthorized"), "not_configured"),
        (Answer("unknown", "not_configured"), "not_configured"),
        (Answer("unknown", "upstream_timeout"), "authorization_error"),
        (Answer("unknown", "allowed: really"), "authorization_error"),
        (Answer("unknown"), "authorization_error"),
        (Answer("ALLOW"), "authorization_error"),
        (Answer(""), "authorization_error"),
        (object(), "authorization_error"),
        (True, "authorization_error"),
        (KeyError("private"), "authorization_error"),
    ],
    ids=str,
)
def test_only_allow_allows(answer: Any, code: str) -> None:
    refusal = refused(lambda: call_of(permission_check(Engine(answer), "git", "repo.read", "repo:{repo}")))
    assert refusal.code == code
    assert "private" not in str(refusal)


@pytest.mark.parametrize(
    "template", ["", "repo:{}", "repo:{0}", "repo:{a.b}", "repo:{a[0]}", "repo:{a!r}", "repo:{a:>9}", "repo:{"]
)
def test_a_template_that_is_none_is_an_error(template: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        permission_check(Engine(), "git", "repo.read", template)


def test_an_engine_without_check_is_an_error() -> None:
    with pytest.raises(TypeError, match="check"):
        permission_check(object(), "git", "repo.read", "repo:{repo}")


@pytest.mark.parametrize(
    "value",
    [
        "",
        "acme/shop?ref=x",
        "acme/shop#x",
        "acme/shop@main",
        "a b",
        "a%2fb",
        "acme/..",
        "a\\b",
        "a\x00",
        "a\ud800b",
        "a;b",
        True,
        None,
        1.5,
        ["a"],
    ],
    ids=repr,
)
def test_a_value_that_cannot_fill_the_resource_refuses_before_anyone_is_asked(value: Any) -> None:
    engine = Engine()
    tool = Kit().tool(authorize=permission_check(engine, "git", "repo.read", "repo:{repo}"))(lambda repo: "ran")
    with dana().active():
        refusal = refused(lambda: tool(value))
    assert refusal.code == "invalid_arguments"
    assert "repo" in refusal.reason
    assert engine.asked == []


@given(st.one_of(st.text(max_size=12), st.integers()))
def test_a_filled_resource_is_exactly_the_value(value: str | int) -> None:
    engine = Engine()
    tool = Kit(audit=None).tool(effect="read", authorize=permission_check(engine, "git", "repo.read", "repo:{repo}"))(
        lambda repo: "ran"
    )
    with dana().active():
        try:
            tool(value)
        except toolpass.ToolRefused as refusal:
            code = refusal.code
        else:
            code = None
    if code is not None:
        assert (code, engine.asked) == ("invalid_arguments", [])
        return
    ((asked, _),) = engine.asked
    assert asked[3] == f"repo:{value}"
    assert not set("?#@\\% ") & set(str(value))


def test_an_authorization_decision_is_a_value() -> None:
    decision = AuthDecision(True, reason="r", code="c")
    assert (decision.allowed, decision.reason, decision.code) == (True, "r", "c")
    assert decision == AuthDecision(True, "r", "c")
    assert decision != AuthDecision(False, "r", "c")
    assert hash(decision) == hash(AuthDecision(True, "r", "c"))
    with pytest.raises(AttributeError):
        decision.allowed = False  # type: ignore[misc]
    with pytest.raises(TypeError):
        AuthDecision("yes")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("answer", "repo", "code"),
    [
        (Answer("allow"), "acme/shop", None),
        (Answer("deny"), "acme/shop", "not_authorized"),
        (Answer("unknown", "upstream_timeout"), "acme/shop", "authorization_error"),
        (Answer("unknown", "unknown_action"), "acme/shop", "not_configured"),
        (Answer("allow"), "acme/shop?x", "invalid_arguments"),
    ],
)
def test_an_authorizer_may_ask_another(answer: Any, repo: str, code: str | None) -> None:
    check = permission_check(Engine(answer), "git", "repo.read", "repo:{repo}")
    tool = Kit().tool(authorize=lambda call: check(call))(lambda repo: "ran")
    with dana().active():
        if code is None:
            assert tool(repo) == "ran"
        else:
            assert refused(lambda: tool(repo)).code == code
