"""What is current: the session, the running call, and on whose authority its requests run.

The variables themselves are the native module's. What needs `asyncio`, `inspect` or `logging` imports it when it is
used: each takes longer to import than all of this package.
"""

from __future__ import annotations

from toolpass._native import ACT_AS, CALL, SESSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from contextvars import Token
    from types import TracebackType
    from typing import Any

    from toolpass._native import CallContext, Session


def current_session() -> Session | None:
    """The session the current context works for, or `None`."""
    return SESSION.get()


def current_call() -> CallContext | None:
    """The tool call whose body runs here, or `None`."""
    return CALL.get()


class _Block:
    """`as_agent()` and `as_user()`: the innermost block decides on whose authority a request runs."""

    def __init__(self, authority: str) -> None:
        self._authority = authority
        self._tokens: list[Token[str | None] | None] = []

    def __enter__(self) -> None:
        if CALL.get() is None:
            import logging

            logging.getLogger("toolpass").warning(
                "as_%s() has no effect here: no tool's body is running", self._authority
            )
            self._tokens.append(None)
            return
        self._tokens.append(ACT_AS.set(self._authority))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        token = self._tokens.pop()
        if token is not None:
            ACT_AS.reset(token)


def as_agent() -> _Block:
    """Requests inside the block run on the agent's own authority: the user is not asked about.

    Example:
        with toolpass.as_agent():
            repo = github.get_repo("acme/shop")
    """
    return _Block("agent")


def as_user() -> _Block:
    """Requests inside the block run on the session's user's authority, whatever the toolkit's `act_as` says."""
    return _Block("user")


async def start_callable(
    function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any] | None = None
) -> Any:
    """What `function` answers: awaited when it is async, else from a worker thread under a copy of the context."""
    import asyncio
    import inspect

    keywords = keywords or {}
    if is_async(function):
        return await function(*arguments, **keywords)
    answer = await asyncio.to_thread(function, *arguments, **keywords)
    return await answer if inspect.isawaitable(answer) else answer


def is_async(function: Any) -> bool:
    """Whether calling it answers a coroutine: an `async def`, a `partial` of one, or an object whose `__call__` is."""
    import functools
    import inspect

    while isinstance(function, functools.partial):
        function = function.func
    method = getattr(function, "__call__", None)  # noqa: B004 - whether calling it is async, not whether it can be called
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(method)


def run_awaitable(awaitable: Awaitable[Any]) -> object:
    """Run an awaitable to its end on a loop of its own, in a thread that has none."""
    import asyncio

    async def main() -> object:
        return await awaitable

    return asyncio.run(main())
