"""Threads: what a body starts or submits runs in a copy of its context, so its requests are the body's.

Separate because this hooks no library that sends anything. Threads that serve many tasks (a pool's workers) belong to
nobody: they start without the call, and each task brings its own. A copy that outlives the call keeps the call, which
is closed by then; what a request through it meets is decided in Rust.
"""

from __future__ import annotations

import contextvars
import sys
from typing import TYPE_CHECKING, Any

from toolpass._hooks import _shape
from toolpass._native import CALL

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType


def patch_threading(module: ModuleType) -> None:
    """Hook `threading.Thread.start`."""
    _shape.replace(_shape.member(module, "Thread"), "start", "self", _start)


def patch_thread(module: ModuleType) -> None:
    """Hook `_thread.start_new_thread`, for those who do without `threading`."""
    _replace_builtin(module, "start_new_thread", _start_new_thread)


def patch_executor(module: ModuleType) -> None:
    """Hook `ThreadPoolExecutor.submit` of `concurrent.futures.thread`, which event loops use too."""
    _shape.replace(_shape.member(module, "ThreadPoolExecutor"), "submit", "self fn", _submit)


def patch_pool(module: ModuleType) -> None:
    """Hook `multiprocessing.pool.ThreadPool`. Pools of processes are left as they are."""
    pool, thread_pool = _shape.member(module, "Pool"), _shape.member(module, "ThreadPool")
    _shape.replace(thread_pool, "__init__", "self", _without_call)
    for name in ("apply_async", "_map_async", "imap", "imap_unordered"):
        inherited = _shape.member(thread_pool, name)
        if inherited is getattr(pool, name):
            setattr(thread_pool, name, lambda self, *args, _of=inherited, **kwargs: _of(self, *args, **kwargs))
            _shape.replace(thread_pool, name, "self", _task)


def _start(original: Callable[..., Any]) -> Callable[..., Any]:
    def start(self: Any) -> Any:
        if CALL.get() is not None:
            self.__dict__["run"] = _carried(self)
        return original(self)

    return start


def _carried(thread: Any) -> Callable[[], Any]:
    context, run = contextvars.copy_context(), thread.run

    def carried() -> Any:
        thread.__dict__.pop("run", None)
        return context.run(run)

    return carried


def _start_new_thread(original: Callable[..., Any]) -> Callable[..., Any]:
    def start_new_thread(function: Any, args: Any, *kwargs: Any) -> Any:
        if CALL.get() is None:
            return original(function, args, *kwargs)
        return original(contextvars.copy_context().run, (function, *args), *kwargs)

    return start_new_thread


def _submit(original: Callable[..., Any]) -> Callable[..., Any]:
    def submit(self: Any, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        if CALL.get() is None or _is_of_interpreters(self):
            return original(self, fn, *args, **kwargs)
        context = contextvars.copy_context()
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


def _without_call(original: Callable[..., Any]) -> Callable[..., Any]:
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        token = CALL.set(None)
        try:
            original(self, *args, **kwargs)
        finally:
            CALL.reset(token)

    return init


def _task(original: Callable[..., Any]) -> Callable[..., Any]:
    def task(self: Any, func: Any, *args: Any, **kwargs: Any) -> Any:
        if CALL.get() is not None:
            func = _in_context(func)
        return original(self, func, *args, **kwargs)

    return task


def _in_context(function: Callable[..., Any]) -> Callable[..., Any]:
    context = contextvars.copy_context()

    def in_context(*args: Any, **kwargs: Any) -> Any:
        # A context runs in one thread at a time; the tasks of one function run in many.
        return context.copy().run(function, *args, **kwargs)

    return in_context


def _replace_builtin(module: ModuleType, name: str, make: Callable[[Any], Any]) -> None:
    """Put `make(original)` in the place of a built-in function, which has no signature to look at."""
    original = _shape.member(module, name)
    if not _shape.is_hooked(original):
        replacement = make(original)
        setattr(replacement, _shape.MARK, True)
        setattr(module, name, replacement)
