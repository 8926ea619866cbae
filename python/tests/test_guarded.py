"""`guarded`: one check in front of any function."""

from __future__ import annotations

import contextvars
import inspect
import logging
from collections.abc import Mapping  # noqa: TC003 - the annotation is resolved
from typing import Any, Dict  # noqa: UP035 - an old annotation is still one

import pytest

from support.kits import DANA, Answer, Engine
from toolpass import PermissionDenied, current, guarded


def guard(engine: Engine, **more: Any) -> Any:
    return guarded(engine, "git", "repo.read", "repo:{repo}", **{"user": DANA, **more})


def test_the_body_runs_only_after_allow() -> None:
    engine = Engine()

    @guard(engine, groups=["sre"], fresh=True)
    def read(repo: str, depth: int = 1) -> str:
        """Read."""
        return f"{repo} {depth}"

    assert read(repo="acme/shop") == "acme/shop 1"
    assert engine.asked == [((DANA, "git", "repo.read", "repo:acme/shop", ["sre"]), {"fresh": True})]
    assert (read.__name__, read.__doc__) == ("read", "Read.")
    assert str(inspect.signature(read)) == "(repo: 'str', depth: 'int' = 1) -> 'str'"


@pytest.mark.parametrize(
    "answer", [Answer("deny", "denied: no"), Answer("unknown", "upstream_timeout"), Answer("ALLOW")]
)
def test_any_other_answer_denies(answer: Answer) -> None:
    @guard(Engine(answer))
    def read(repo: str) -> None:
        pytest.fail("the body ran")

    with pytest.raises(PermissionDenied) as caught:
        read(repo="acme/shop")
    denied = caught.value
    assert (denied.decision, denied.user, denied.connection, denied.action, denied.resource) == (
        answer,
        DANA,
        "git",
        "repo.read",
        "repo:acme/shop",
    )


def test_deny_answers_in_its_place() -> None:
    read = guard(Engine(Answer("deny")), deny=lambda denied: f"no {denied.resource}")(lambda repo: "ran")
    assert read(repo="acme/shop") == "no repo:acme/shop"


def test_an_argument_that_cannot_fill_the_resource_denies_and_asks_nobody() -> None:
    engine = Engine()
    read = guard(engine)(lambda repo: "ran")
    for value in ("acme/shop?x", "", None, "a\ud800"):
        with pytest.raises(PermissionDenied) as caught:
            read(repo=value)
        assert caught.value.decision.code == "invalid_request"
    assert engine.asked == []


def test_arguments_are_bound_before_anybody_is_asked() -> None:
    engine = Engine()
    read = guard(engine)(lambda repo, depth=1: "ran")
    for args, kwargs in (((), {}), (("acme/shop",), {}), ((), {"repo": "a", "dpeth": 2})):
        with pytest.raises(TypeError):
            read(*args, **kwargs)
    assert engine.asked == []


def by_dict(a: dict[str, Any]) -> Any:
    return a["repo"]


def by_old_dict(a: Dict[str, Any]) -> Any:  # noqa: UP006
    return a["repo"]


def by_mapping(a: Mapping[str, Any]) -> Any:
    return a["repo"]


def by_text(a: "typing.MutableMapping[str, Any]") -> Any:  # type: ignore[name-defined]  # noqa: F821, UP037
    return a["repo"]


def by_real_dict(a: Any) -> Any:
    return a["repo"]


by_real_dict.__annotations__ = {"a": dict}


@pytest.mark.parametrize("function", [by_dict, by_old_dict, by_mapping, by_text, by_real_dict])
def test_a_function_of_one_mapping_is_filled_from_its_items(function: Any) -> None:
    engine = Engine()
    read = guard(engine)(function)
    assert read({"repo": "acme/shop", "user": "eve@example.com"}) == "acme/shop"
    ((asked, _),) = engine.asked
    assert asked[0] == DANA
    for wrong in (lambda: read(), lambda: read({}, {}), lambda: read(a={"repo": "x"}), lambda: read("repo")):
        with pytest.raises(TypeError):
            wrong()


def test_a_user_key_of_the_mapping_fills_nothing() -> None:
    engine = Engine()
    read = guarded(engine, "git", "repo.read", "repo:{user}", user=DANA)(by_dict)
    with pytest.raises(PermissionDenied):
        read({"user": "eve", "repo": "acme/shop"})
    assert engine.asked == []


def test_a_template_names_parameters() -> None:
    with pytest.raises(TypeError, match="'repo'"):
        guard(Engine())(lambda other: None)
    with pytest.raises(ValueError, match=r".+"):
        guarded(Engine(), "git", "repo.read", "repo:{}", user=DANA)


USER: contextvars.ContextVar[str] = contextvars.ContextVar("the_user")


def test_the_user_comes_from_a_text_a_callable_or_a_variable() -> None:
    assert current(DANA) == DANA
    assert current(lambda: DANA) == DANA
    with pytest.raises(RuntimeError, match="the_user"):
        current(USER)
    token = USER.set(DANA)
    assert current(USER) == DANA
    USER.reset(token)
    for nobody in ("", None, 7, lambda: "", lambda: None):
        with pytest.raises(RuntimeError):
            current(nobody)


@pytest.mark.parametrize("groups", ["sre", lambda: "sre", [7], lambda: [None]])
def test_groups_are_texts(groups: Any) -> None:
    engine = Engine()
    read = guard(engine, groups=groups)(lambda repo: "ran")
    with pytest.raises(RuntimeError, match="groups"):
        read(repo="acme/shop")
    assert engine.asked == []


def test_what_ran_is_logged_and_what_was_denied_is_not(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "toolpass")

    def body(repo: str) -> None:
        if repo == "acme/broken":
            raise KeyError(repo)

    read = guard(Engine(Answer("allow", "allowed: member")), fresh=True)(body)
    read(repo="acme/shop")
    with pytest.raises(KeyError):
        read(repo="acme/broken")
    with pytest.raises(PermissionDenied):
        guard(Engine(Answer("deny")))(body)(repo="acme/shop")
    ran, raised = (record.getMessage() for record in caplog.records)
    assert {record.name for record in caplog.records} == {"toolpass"}
    for part in (DANA, " ran ", "repo.read", "repo:acme/shop", "git", "allow", "member", "fresh", "not conditional"):
        assert part in ran
    assert "raised KeyError from" in raised


@pytest.mark.asyncio
async def test_an_async_function_is_guarded_off_the_loop() -> None:
    import threading

    class Threaded(Engine):
        def check(self, *args: Any, **kwargs: Any) -> Any:
            threads.append(threading.current_thread() is threading.main_thread())
            return super().check(*args, **kwargs)

    threads: list[bool] = []

    @guard(Threaded())
    async def read(repo: str) -> str:
        return repo

    assert inspect.iscoroutinefunction(read)
    assert await read(repo="acme/shop") == "acme/shop"
    assert threads == [False]
    with pytest.raises(PermissionDenied):
        await guard(Engine(Answer("deny")))(read)(repo="acme/shop")


@pytest.mark.asyncio
async def test_an_async_engine_is_awaited() -> None:
    class Async(Engine):
        async def acheck(self, *args: Any, **kwargs: Any) -> Any:
            return Answer("deny", "denied: async")

    @guard(Async(), deny=lambda denied: denied.decision.reason)
    async def read(repo: str) -> str:
        return repo

    assert await read(repo="acme/shop") == "denied: async"
