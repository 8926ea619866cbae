"""`Session`: who, what it counts, and where it is current."""

from __future__ import annotations

import asyncio
import contextvars
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import toolpass
from support.kits import Kit, dana, refused
from toolpass import Session, current_call, current_session


def test_a_session_keeps_what_it_is_given() -> None:
    session = Session(" dana@example.com ", groups=["sre", "ops"], token="t0k3n-of-dana", id="conversation")
    assert (session.user, session.groups, session.token, session.id) == (
        " dana@example.com ",
        ("sre", "ops"),
        "t0k3n-of-dana",
        "conversation",
    )
    assert "t0k3n" not in repr(session)
    assert (session.saw_untrusted, session.read_private) == (False, False)


def test_what_is_left_out() -> None:
    session = Session("dana@example.com", token="", id="")
    assert (session.groups, session.token) == (None, None)
    assert len(session.id) == 32
    int(session.id, 16)
    assert Session("dana@example.com").id != session.id
    assert Session("dana@example.com", groups=[]).groups == ()


@pytest.mark.parametrize(
    ("user", "more"),
    [
        ("", {}),
        ("  \t", {}),
        (None, {}),
        (b"dana@example.com", {}),
        ("dana\ud800", {}),
        ("dana@example.com", {"groups": "sre"}),
        ("dana@example.com", {"groups": ["sre", 7]}),
        ("dana@example.com", {"groups": 7}),
        ("dana@example.com", {"token": 7}),
    ],
)
def test_a_session_of_nobody_is_an_error(user: Any, more: Any) -> None:
    with pytest.raises(ValueError, match="expected"):
        Session(user, **more)


@pytest.mark.parametrize("later", ["authority"])
def test_settings_of_later_versions_are_unknown(later: str) -> None:
    with pytest.raises(TypeError):
        Session("dana@example.com", **{later: 6})


def test_a_session_cannot_be_changed_or_pickled() -> None:
    session = dana()
    with pytest.raises(AttributeError):
        session.user = "sam@example.com"  # type: ignore[misc]
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(session)


def test_the_innermost_session_is_current_and_restored() -> None:
    outer, inner = dana(), Session("sam@example.com")
    assert current_session() is None
    with outer.active() as entered:
        assert entered is outer
        with inner.active():
            assert current_session() is inner
        assert current_session() is outer
        with pytest.raises(KeyError), inner.active():
            raise KeyError
        assert current_session() is outer
    assert current_session() is None


def test_one_activation_may_be_entered_again() -> None:
    session = dana()
    active = session.active()
    with active, active:
        assert current_session() is session
    assert current_session() is None


def test_a_new_thread_has_no_session_unless_the_context_is_copied() -> None:
    seen: list[Any] = []

    def look() -> None:
        seen.append(current_session())

    with dana().active() as session:
        for target, arguments in ((look, ()), (contextvars.copy_context().run, (look,))):
            thread = threading.Thread(target=target, args=arguments)
            thread.start()
            thread.join()
    assert seen == [None, session]


def test_a_tool_without_a_session_is_refused() -> None:
    kit = Kit()
    tool = kit.tool(name="read")(lambda: 1)
    refusal = refused(tool)
    assert (refusal.tool, refusal.code) == ("read", "no_session")
    assert (kit.event.outcome, kit.event.code, kit.event.session, kit.event.user) == (
        "refused",
        "no_session",
        None,
        None,
    )


def test_a_toolkit_takes_sessions_from_a_variable_or_a_callable() -> None:
    variable: contextvars.ContextVar[Session] = contextvars.ContextVar("variable")
    by_variable = Kit(session=variable).tool()(current_user)
    session = dana()
    by_callable = Kit(session=lambda: session).tool()(current_user)
    assert refused(by_variable).code == "no_session"
    assert by_callable() == "dana@example.com"
    variable.set(Session("sam@example.com"))
    assert by_variable() == "sam@example.com"


def current_user() -> str:
    call = toolpass.current_call()
    assert call is not None
    assert call.session is not None
    return call.session.user


@pytest.mark.parametrize("yields", [None, "dana@example.com", object()])
def test_a_source_that_yields_no_session_is_none(yields: Any) -> None:
    assert refused(Kit(session=lambda: yields).tool()(lambda: 1)).code == "no_session"


def test_a_source_that_raises_is_a_failed_check() -> None:
    def raises() -> Session:
        raise KeyError("private")

    kit = Kit(session=raises)
    refusal = refused(kit.tool()(lambda: 1))
    assert refusal.code == "check_error"
    assert "KeyError" in refusal.reason
    assert "private" not in refusal.reason
    assert isinstance(refusal.__cause__, KeyError)
    assert kit.event.code == "check_error"


def test_a_source_of_the_wrong_kind_is_an_error() -> None:
    async def later() -> Session:
        return dana()

    for wrong in ("dana@example.com", later):
        with pytest.raises(TypeError, match="session"):
            Kit(session=wrong)


def test_a_session_that_is_not_made_current_says_how() -> None:
    with pytest.raises(TypeError, match=r"with session\.active\(\):"), dana():
        pass


def test_counting_knows_its_keys() -> None:
    session = dana()
    assert session.count("tool:anything") == 0
    for wrong in ("anything", "effect:delete", ""):
        with pytest.raises(ValueError, match="expected"):
            session.count(wrong)


def test_calls_in_many_threads_run_for_their_own_session() -> None:
    tool = Kit(audit=None).tool()(current_user)

    def call(user: str) -> bool:
        with Session(user).active():
            return all(tool() == user for _ in range(50))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(call, [f"user{n}@example.com" for n in range(64)]))


def test_a_bound_function_runs_for_its_session_in_any_thread() -> None:
    session = dana()
    kit = Kit()
    tool = kit.tool()(lambda: current_session())

    def outer() -> list[Any]:
        seen: list[Any] = []
        function = session.bind(lambda: seen.append((tool(), current_call() is not None)))
        threads = [threading.Thread(target=function) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return seen

    assert outer() == [(session, False)] * 4
    with session.active():
        assert kit.tool(name="outer")(outer)() == [(session, True)] * 4
    assert current_session() is None


def test_a_bound_async_function_runs_for_its_session() -> None:
    session, other = dana(), Session("bob@example.com")
    tool = Kit().tool()(lambda: current_session())

    async def ask(greeting: str) -> Any:
        await asyncio.sleep(0)
        return greeting, tool()

    async def main() -> Any:
        with other.active():
            asked = await asyncio.gather(session.bind(ask)("hello"), ask("hello"))
        return asked, current_session()

    assert asyncio.run(main()) == ([("hello", session), ("hello", other)], None)


@pytest.mark.parametrize("wrong", [None, 7, "name"])
def test_only_a_function_is_bound(wrong: Any) -> None:
    with pytest.raises(TypeError, match="function"):
        dana().bind(wrong)
