"""Threads: what a body starts or submits runs in a copy of its context, so its requests are the body's.

Separate because this hooks no library that sends anything. Threads that serve many tasks (a pool's workers) belong to
nobody: they start without the call, and each task brings its own. A copy that outlives the call keeps the call, which
is closed by then; what a request through it meets is decided in Rust.
"""

from __future__ import annotations

import contextvars
import functools
import sys
from typing import TYPE_CHECKING, Any

from toolpass._context import current_call
from toolpass._hooks import _processes, _shape, _verdict
from toolpass._native import CALL, NoCall, adopter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType


def patch_threading(module: ModuleType) -> None:
    """Hook `threading.Thread.start`."""
    _shape.replace(_shape.member(module, "Thread"), "start", "self", _start)


def patch_thread(module: ModuleType) -> None:
    """Hook `_thread.start_new_thread`, for those who do without `threading`."""
    _replace_builtin(module, "start_new_thread", _start_new_thread)


def patch_executor(module: ModuleType) -> None:
    """Hook `ThreadPoolExecutor` of `concurrent.futures.thread`, which event loops use too."""
    executor = _shape.member(module, "ThreadPoolExecutor")
    _shape.replace(executor, "__init__", "self max_workers thread_name_prefix initializer", _with_initializer)
    _shape.replace(executor, "submit", "self fn", _submit)


def patch_futures(module: ModuleType) -> None:
    """Hook `Future.add_done_callback` of `concurrent.futures._base`: whoever ends a future runs what waits for it."""
    _shape.replace(_shape.member(module, "Future"), "add_done_callback", "self fn", _add_done_callback)


def patch_pool(module: ModuleType) -> None:
    """Hook `multiprocessing.pool.ThreadPool`, and what pools of processes are given to do."""
    pool, thread_pool = _shape.member(module, "Pool"), _shape.member(module, "ThreadPool")
    _shape.replace(thread_pool, "__init__", "self processes initializer", _without_call)
    for name in ("apply_async", "_map_async", "imap", "imap_unordered"):
        inherited = _shape.member(thread_pool, name)
        if inherited is getattr(pool, name):
            setattr(thread_pool, name, _own(inherited))
            _shape.replace(thread_pool, name, "self", _task)
    _processes.patch_pool(pool)


def _start(original: Callable[..., Any]) -> Callable[..., Any]:
    def start(self: Any) -> Any:
        context = _context_of_new_thread()
        if context is not None:
            self.__dict__["run"] = _carried(self, context)
        return original(self)

    return start


def _carried(thread: Any, context: contextvars.Context) -> Callable[[], Any]:
    run = thread.run

    def carried() -> Any:
        thread.__dict__.pop("run", None)
        return context.run(run)

    return carried


def _start_new_thread(original: Callable[..., Any]) -> Callable[..., Any]:
    def start_new_thread(function: Any, args: Any, *kwargs: Any) -> Any:
        context = _context_of_new_thread()
        if context is None:
            return original(function, args, *kwargs)
        return original(context.run, (function, *args), *kwargs)

    return start_new_thread


def _context_of_new_thread() -> contextvars.Context | None:
    """The context a thread that begins here is to run in, if not the one it would have."""
    if current_call() is not None:
        return _copy()
    if CALL.get(_END) is None:
        return None  # a pool's worker, or a check's
    whose = adopter()
    if whose is None:
        return None
    inherits = getattr(sys.flags, "thread_inherit_context", False)
    context = contextvars.copy_context() if inherits else contextvars.Context()
    if isinstance(whose, NoCall):
        context.run(_verdict.OF_SEVERAL.set, whose)
    else:
        context.run(CALL.set, whose)
    return context


def _submit(original: Callable[..., Any]) -> Callable[..., Any]:
    def submit(self: Any, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        if current_call() is None:
            return original(self, fn, *args, **kwargs)
        if _is_of_interpreters(self):
            _processes.begins("interpreter")
            return original(self, fn, *args, **kwargs)
        context = _copy()
        token = CALL.set(None)
        try:
            return original(self, context.run, fn, *args, **kwargs)
        finally:
            CALL.reset(token)

    return submit


def _is_of_interpreters(executor: Any) -> bool:
    """Whether an executor hands its tasks to other interpreters, where no context goes."""
    module = sys.modules.get("concurrent.futures.interpreter")
    return module is not None and isinstance(executor, module.InterpreterPoolExecutor)


def _with_initializer(original: Callable[..., Any]) -> Callable[..., Any]:
    def init(
        self: Any, max_workers: Any = None, thread_name_prefix: str = "", initializer: Any = None, *args: Any, **kw: Any
    ) -> None:
        original(self, max_workers, thread_name_prefix, _carrying(initializer), *args, **kw)

    return init


def _add_done_callback(original: Callable[..., Any]) -> Callable[..., Any]:
    def add_done_callback(self: Any, fn: Any) -> Any:
        return original(self, _carrying(fn))

    return add_done_callback


def _without_call(original: Callable[..., Any]) -> Callable[..., Any]:
    def init(self: Any, processes: Any = None, initializer: Any = None, *args: Any, **kwargs: Any) -> None:
        initializer = _carrying(initializer)
        token = CALL.set(None)
        try:
            original(self, processes, initializer, *args, **kwargs)
        finally:
            CALL.reset(token)

    return init


def _own(inherited: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, for one class to have as its own."""

    @functools.wraps(inherited)
    def own(self: Any, *args: Any, **kwargs: Any) -> Any:
        return inherited(self, *args, **kwargs)

    return own


def _task(original: Callable[..., Any]) -> Callable[..., Any]:
    """A method of a pool, whose task is its first argument. What else runs in other threads is known by its name."""
    parameters = _shape.parameters(original)

    def task(self: Any, func: Any, *args: Any, **kwargs: Any) -> Any:
        if current_call() is None:
            return original(self, func, *args, **kwargs)
        given: dict[str, Any] = dict(zip(parameters[2:], args, strict=False)) | kwargs
        for name in ("callback", "error_callback"):
            if name in given:
                given[name] = _carrying(given[name])
        if "iterable" in given and "mapper" not in given:  # where there is a mapper, it is made a list of at once
            given["iterable"] = _carried_steps(given["iterable"])
        return original(self, _carrying(func), **given)

    return task


def _carrying(function: Any) -> Any:
    """A function that runs in a copy of the context of here, wherever it is called; itself outside a body."""
    if current_call() is None or not callable(function):
        return function
    context = _copy()

    def in_context(*args: Any, **kwargs: Any) -> Any:
        # A context runs in one thread at a time; the tasks of one function run in many.
        return context.copy().run(function, *args, **kwargs)

    return in_context


def _carried_steps(iterable: Any) -> Iterator[Any]:
    """The items of an iterable, each step taken in a copy of the context of here, by whatever thread."""
    context = _copy()

    def steps() -> Iterator[Any]:
        iterator = context.copy().run(iter, iterable)
        while (item := context.copy().run(next, iterator, _END)) is not _END:
            yield item

    return steps()


def _copy() -> contextvars.Context:
    """A copy of the context of here, which knows the call."""
    context = contextvars.copy_context()
    call = current_call()
    if CALL.get() is not call:
        context.run(CALL.set, call)
    return context


def _replace_builtin(module: ModuleType, name: str, make: Callable[[Any], Any]) -> None:
    """Put `make(original)` in the place of a built-in function, which has no signature to look at."""
    original = _shape.member(module, name)
    if not _shape.is_hooked(original):
        replacement = make(original)
        setattr(replacement, _shape.MARK, True)
        setattr(module, name, replacement)


_END = object()
