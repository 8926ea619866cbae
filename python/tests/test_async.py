"""Async tools: what runs on the loop, what in a thread, and how a call is given up."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import inspect
import threading
from typing import Any

import pytest

import toolpass
from support.kits import Engine, Kit, dana
from toolpass import AuthDecision, ToolRefused, permission_check

pytestmark = pytest.mark.asyncio

VARIABLE: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="unset")


async def echo(value: Any = 1, *, credential: str | None = None) -> Any:
    await asyncio.sleep(0)
    return value


async def body(value: Any = 1) -> Any:
    await asyncio.sleep(0)
    return value


async def refused(awaitable: Any) -> ToolRefused:
    with pytest.raises(ToolRefused) as caught:
        await awaitable
    return caught.value


def on_loop() -> bool:
    return threading.current_thread() is threading.main_thread()


async def test_a_tool_is_async_iff_its_function_is() -> None:
    class Callable:
        async def __call__(self, value: int) -> int:
            return value

    kit = Kit()
    for function in (body, Callable(), functools.partial(body)):
        tool = kit.tool(name="t")(function)
        assert inspect.iscoroutinefunction(tool)
        with dana().active():
            assert await tool(2) == 2


async def test_a_refusal_is_raised_when_it_is_awaited() -> None:
    kit = Kit()
    call = kit.tool(limit=0)(body)()
    assert kit.events == []
    with dana().active():
        assert (await refused(call)).code == "limit_reached"
    assert kit.event.outcome == "refused"


async def test_on_refuse_answers_in_its_place() -> None:
    with dana().active():
        assert await Kit(on_refuse=lambda refusal: refusal.code).tool(limit=0)(body)() == "limit_reached"


async def test_sync_authorizers_run_in_a_thread_with_the_context_and_async_ones_on_the_loop() -> None:
    seen: list[Any] = []

    def in_thread(call: toolpass.Call) -> bool:
        seen.append((on_loop(), VARIABLE.get(), toolpass.current_session() is call.session))
        return True

    async def awaited(call: toolpass.Call) -> AuthDecision:
        await asyncio.sleep(0)
        seen.append((on_loop(), VARIABLE.get(), toolpass.current_session() is call.session))
        return AuthDecision(True)

    VARIABLE.set("set")
    with dana().active():
        for authorize in (in_thread, awaited, functools.partial(awaited), lambda call: awaited(call)):
            assert await Kit().tool(authorize=authorize)(body)() == 1
    assert seen == [(False, "set", True), (True, "set", True), (True, "set", True), (True, "set", True)]


async def test_sync_credential_sources_run_in_a_thread_and_mappings_on_the_loop() -> None:
    seen: list[bool] = []

    def in_thread(name: str, call: toolpass.Call) -> str:
        seen.append(on_loop())
        return "s3cr3t-value"

    async def awaited(name: str, call: toolpass.Call) -> str:
        seen.append(on_loop())
        return "s3cr3t-value"

    class Lazy(dict[str, str]):
        def __getitem__(self, name: str) -> str:
            seen.append(on_loop())
            return super().__getitem__(name)

    with dana().active():
        for source in (in_thread, awaited, Lazy(api="s3cr3t-value")):
            assert await Kit(credentials=source).tool(credential="api")(echo)("has s3cr3t-value") == "has [REDACTED]"
        missing = Kit(credentials=Lazy()).tool(credential="api")(echo)
        assert (await refused(missing())).code == "credential_error"
    assert seen == [False, True, True, True]


@pytest.mark.parametrize("answer", [None, 1, "allow", KeyError("private")])
async def test_an_answer_that_is_none_refuses(answer: Any) -> None:
    async def authorize(call: toolpass.Call) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    with dana().active():
        refusal = await refused(Kit().tool(authorize=authorize)(body)())
    assert refusal.code == "authorization_error"
    assert "private" not in str(refusal)
    assert refusal.__context__ is None


async def test_an_engine_of_the_application_is_asked_off_the_loop() -> None:
    class Sync(Engine):
        def check(self, *args: Any, **kwargs: Any) -> Any:
            seen.append(on_loop())
            return super().check(*args, **kwargs)

    class Async(Engine):
        async def acheck(self, *args: Any, **kwargs: Any) -> Any:
            seen.append(on_loop())
            return super().check(*args, **kwargs)

    seen: list[bool] = []
    with dana().active():
        for engine in (Sync(), Async()):
            assert (
                await Kit().tool(authorize=permission_check(engine, "git", "a", "repo:{value}"))(body)("acme/x")
                == "acme/x"
            )
        crashed = Kit().tool(authorize=permission_check(Async(KeyError("private")), "git", "a", "repo:{value}"))(body)
        assert (await refused(crashed("acme/x"))).code == "authorization_error"
    assert seen == [False, True, True]


async def test_the_call_is_current_in_the_body_and_in_tasks_it_starts() -> None:
    async def names() -> list[str | None]:
        async def name() -> str | None:
            call = toolpass.current_call()
            return call.tool if call else None

        return [
            await name(),
            await asyncio.create_task(name()),
            await asyncio.to_thread(lambda: toolpass.current_call().tool),
        ]  # type: ignore[union-attr]

    tool = Kit().tool(name="outer")(names)
    with dana().active():
        assert await tool() == ["outer", "outer", "outer"]
    assert toolpass.current_call() is None


async def test_concurrent_calls_keep_their_sessions() -> None:
    @Kit(audit=None).tool()
    async def user() -> str:
        await asyncio.sleep(0)
        session = toolpass.current_session()
        call = toolpass.current_call()
        assert session is not None
        assert call is not None
        assert call.session is session
        return session.user

    async def call(name: str) -> bool:
        with toolpass.Session(name).active():
            return await user() == name

    assert all(await asyncio.gather(*(call(f"user{n}@example.com") for n in range(200))))


async def test_an_async_iterator_and_an_unawaited_coroutine_are_no_results() -> None:
    async def items() -> Any:
        yield 1

    async def returns_iterator() -> Any:
        return items()

    kit = Kit()
    with dana().active():
        with pytest.raises(TypeError, match="async iterator"):
            await kit.tool(name="a")(returns_iterator)()
        with pytest.raises(TypeError, match="async iterator"):
            kit.tool(name="b")(lambda: items())()
        with pytest.raises(TypeError, match="async def"):
            kit.tool(name="c")(lambda: body())()
    assert [(event.outcome, event.reason) for event in kit.events] == [("raised", "after the body: TypeError")] * 3


async def test_a_page_that_fetches_the_next_one_is_no_result() -> None:
    class Page:
        """As `slack_sdk` answers."""

        def __iter__(self) -> Page:
            return self

        def __next__(self) -> Page:
            raise StopIteration

        def __getitem__(self, name: str) -> str:
            return name

    def pages() -> Page:
        return Page()

    with dana().active(), pytest.raises(TypeError, match=r"a `Page`.*its `data`"):
        Kit().tool()(pages)()


async def test_a_closed_call_ends_in_one_event() -> None:
    kit = Kit()
    before = kit.tool(name="before", authorize=waits, limit=1)(body)
    during = kit.tool(name="during", limit=1)(waits)
    with dana().active() as session:
        for tool in (before, during):
            coroutine = tool() if tool is before else tool(None)
            coroutine.send(None)
            coroutine.close()
        assert (session.count("tool:before"), session.count("tool:during")) == (0, 1)
    assert [(event.tool, event.outcome) for event in kit.events] == [("before", "cancelled"), ("during", "raised")]
    assert toolpass.current_call() is None


async def waits(call: Any) -> bool:
    await asyncio.Event().wait()
    return True


async def test_a_body_may_survive_its_cancellation() -> None:
    @Kit().tool()
    async def stubborn() -> str:
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "done anyway"
        return "never"

    started = asyncio.Event()
    with dana().active():
        task = asyncio.ensure_future(stubborn())
    await started.wait()
    task.cancel()
    assert await task == "done anyway"


async def test_a_timeout_around_a_tool_is_a_timeout() -> None:
    kit = Kit()
    tool = kit.tool(name="waits")(waits)
    with dana().active(), pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(tool(None), 0.01)
    assert (kit.event.outcome, kit.event.reason) == ("raised", "CancelledError")


async def test_an_exception_of_the_body_passes_unchanged() -> None:
    error = ValueError("out of pens")

    async def fails() -> None:
        raise error

    with dana().active(), pytest.raises(ValueError, match="out of pens") as caught:
        await Kit().tool()(fails)()
    assert caught.value is error
