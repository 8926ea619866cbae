"""What is current: the session, the running call, and on whose authority its requests run.

The variables themselves are the native module's. What needs `asyncio`, `inspect` or `logging` imports it when it is
used: each takes longer to import than all of this package.
"""

from __future__ import annotations

import sys
from _contextvars import ContextVar

from toolpass._native import ACT_AS, CALL, SESSION, call_of_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from types import FrameType, TracebackType
    from typing import Any

    from toolpass._native import CallContext, Session


def current_session() -> Session | None:
    """The session the current context works for, or `None`."""
    return SESSION.get()


def current_call() -> CallContext | None:
    """The tool call whose body runs here, or `None`."""
    call = CALL.get(_UNSET)
    return _call_below() if call is _UNSET else call


def _call_below() -> CallContext | None:
    """The call of an ordinary function further down this stack: a body may run code in a context made without it."""
    call = call_of_thread()
    if call is None:
        return None
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == "tool" and frame.f_globals.get("__name__") == "toolpass._tool":
            return call
        frame = frame.f_back
    return None  # another greenlet's


class _Open:
    """A block that was entered, in the context it was entered in."""

    __slots__ = ("authority", "block", "call", "closed", "outer")

    def __init__(self, block: _Block, authority: str, call: CallContext, outer: _Open | None) -> None:
        self.block, self.authority, self.call, self.outer = block, authority, call, outer
        self.closed = False


class _Block:
    """`as_agent()` and `as_user()`: the innermost block decides on whose authority a request runs."""

    def __init__(self, authority: str) -> None:
        self._authority = authority

    def __enter__(self) -> None:
        call = current_call()
        if call is None:
            import logging

            logging.getLogger("toolpass").warning(
                "as_%s() has no effect here: no tool's body is running", self._authority
            )
            return
        if _is_generators(sys._getframe(1)):
            raise TypeError(
                f"as_{self._authority}() cannot stand in a generator: between its steps whoever uses it would be inside"
                " the block; put the block around the loop, or only around the request"
            )
        _OPEN.set(_Open(self, self._authority, call, _OPEN.get()))
        ACT_AS.set(self._authority)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        innermost = opened = _OPEN.get()
        while opened is not None and (opened.closed or opened.block is not self):
            opened = opened.outer
        if opened is None:
            return
        # Blocks may be left in another order than they were entered: what counts is which are open.
        opened.closed = True
        while innermost is not None and innermost.closed:
            innermost = innermost.outer
        _OPEN.set(innermost)
        of_this_call = innermost is not None and innermost.call is opened.call
        ACT_AS.set(innermost.authority if innermost is not None and of_this_call else None)


def _is_generators(frame: FrameType) -> bool:
    """Whether a frame is a generator's, other than one that `contextlib` makes a context manager of."""
    if not frame.f_code.co_flags & _GENERATOR:
        return False
    user = frame.f_back
    return user is None or user.f_globals.get("__name__") != "contextlib"


def as_agent() -> _Block:
    """Requests inside the block run on the agent's own authority: the user is not asked about.

    What is started inside the block (a thread, a task) keeps that authority. In a generator the block is refused.

    Example:
        with toolpass.as_agent():
            repo = github.get_repo("acme/shop")
    """
    return _Block("agent")


def as_user() -> _Block:
    """Requests inside the block run on the session's user's authority, whatever the toolkit's `act_as` says."""
    return _Block("user")


def bind(session: Session, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, run for this session in a copy of the context it was bound in; async iff it is."""
    import functools
    from contextvars import copy_context

    if not callable(function):
        raise TypeError(f"expected a function to bind, not {type(function).__name__}")
    context = copy_context()
    context.run(SESSION.set, session)

    @functools.wraps(function)
    def bound(*args: Any, **kwargs: Any) -> Any:
        # Each run has a copy of its own: a context cannot be entered by two threads at once.
        return context.copy().run(function, *args, **kwargs)

    @functools.wraps(function)
    async def abound(*args: Any, **kwargs: Any) -> Any:
        import asyncio

        loop = asyncio.get_running_loop()
        return await context.copy().run(loop.create_task, function(*args, **kwargs))

    return abound if is_async(function) else bound


async def start_callable(
    function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any] | None = None
) -> Any:
    """What `function` answers: awaited when it is async, else from a worker thread under a copy of the context."""
    import asyncio
    import inspect
    from functools import partial

    whole = partial(function, *arguments, **(keywords or {}))

    async def start() -> Any:
        if is_async(function):
            return await whole()
        answer = await asyncio.to_thread(whole)
        return await answer if inspect.isawaitable(answer) else answer

    return await _aside(start)


async def start_awaitable(
    function: Callable[..., Awaitable[Any]], arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> Any:
    """What the awaitable that `function` answers comes to."""
    return await _aside(lambda: function(*arguments, **keywords))


async def _aside(start: Callable[[], Awaitable[Any]]) -> Any:
    """Await what `start` answers. Asked in the body of another call, what answers sends nothing that is the body's."""
    if current_call() is None:
        return await start()
    import asyncio
    from contextvars import copy_context

    async def main() -> Any:
        return await start()

    # A task of its own: nothing is set in the body's context, so nothing can be left there.
    context = copy_context()
    context.run(CALL.set, None)
    return await context.run(asyncio.get_running_loop().create_task, main())


async def ask_all(engine: Any, questions: list[tuple[tuple[Any, ...], dict[str, Any]]]) -> list[Any]:
    """Ask an engine of the application's all questions at once; an exception stands in the place of an answer."""
    import asyncio

    async def ask(arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        if hasattr(engine, "acheck"):
            return await start_awaitable(engine.acheck, arguments, keywords)
        return await start_callable(engine.check, arguments, keywords)

    return await asyncio.gather(*(ask(*question) for question in questions), return_exceptions=True)


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


_GENERATOR = 0x20 | 0x200  # inspect.CO_GENERATOR, inspect.CO_ASYNC_GENERATOR
_OPEN: ContextVar[_Open | None] = ContextVar("toolpass_open_block", default=None)
_UNSET: Any = object()
