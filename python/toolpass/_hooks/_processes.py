"""Programs and processes a body starts: the interpreter says so, and the running call is asked whether they may begin.

Separate because nothing is replaced where the interpreter has an audit event of its own. The hook for events cannot be
removed, so it is put in place once, and looks only at the events of processes. What begins without one (a process that
a server of processes forks, a task for workers that run already) is seen where it is asked for.
"""

from __future__ import annotations

import contextlib
import os
import sys
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from toolpass._context import current_call
from toolpass._hooks import _shape
from toolpass._native import CALL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType


def patch_audit(_: ModuleType) -> None:
    """Listen to the interpreter's own events. A hook that was there before may have kept ours out."""
    if not _Listening.heard:
        sys.addaudithook(_listener(frozenset(_EVENTS)))
        sys.audit(_PROBE)
    if not _Listening.heard:
        raise _shape.UnknownShapeError("sys.addaudithook")


def patch_process(module: ModuleType) -> None:
    """Hook `multiprocessing.process.BaseProcess.start`."""
    _shape.replace(_shape.member(module, "BaseProcess"), "start", "self", _start)


def patch_executor(module: ModuleType) -> None:
    """Hook `ProcessPoolExecutor.submit` of `concurrent.futures.process`: its workers may run already."""
    _shape.replace(_shape.member(module, "ProcessPoolExecutor"), "submit", "self fn", _to_workers)


def patch_pool(pool: Any) -> None:
    """Hook what hands tasks to the processes of a `multiprocessing.pool.Pool`."""
    for name in ("apply_async", "_map_async", "imap", "imap_unordered"):
        _shape.replace(pool, name, "self", _to_workers)


def begins(program: str) -> None:
    """Ask the running call, if there is one, whether a process may begin. Raises when it may not."""
    call = current_call()
    if call is not None and call.hooked:
        call.process_begins(program, program)


class _Listening:
    """Whether events arrive."""

    heard = False


def _listener(events: frozenset[str]) -> Callable[[str, tuple[Any, ...]], None]:
    """The hook. It hears events to the very end of the process, when no name of this module means anything more."""

    def hear(event: str, args: tuple[Any, ...]) -> None:
        if event in events:
            _hear(event, args)

    return hear


def _hear(event: str, args: tuple[Any, ...]) -> None:
    if event == _PROBE:
        _Listening.heard = True
        return
    call = current_call()
    if call is not None and call.hooked and _NOTED_BY.get() != os.getpid():
        call.process_begins(event, _program(event, args))


def _program(event: str, args: tuple[Any, ...]) -> str | None:
    """The program an event names, or the command line; nothing where this process begins once more."""
    if event in _FORKS or not args:
        return None
    given = args[_EVENTS[event]]
    if isinstance(given, (list, tuple)):
        given = given[0] if given else ""
    try:
        return os.fsdecode(given)
    except TypeError:
        return ""  # it is asked for all the same


def _start(original: Callable[..., Any]) -> Callable[..., Any]:
    def start(self: Any) -> Any:
        begins("multiprocessing")
        with _noted():
            return original(self)

    return start


def _to_workers(original: Callable[..., Any]) -> Callable[..., Any]:
    def hand_over(self: Any, *args: Any, **kwargs: Any) -> Any:
        if current_call() is None:
            return original(self, *args, **kwargs)
        begins("multiprocessing")
        token = CALL.set(None)  # workers and threads that begin now serve many tasks, and belong to nobody
        try:
            return original(self, *args, **kwargs)
        finally:
            CALL.reset(token)

    return hand_over


@contextlib.contextmanager
def _noted() -> Iterator[None]:
    """What begins inside was asked for already. A process that begins inside is not inside."""
    token = _NOTED_BY.set(os.getpid())
    try:
        yield
    finally:
        _NOTED_BY.reset(token)


_NOTED_BY: ContextVar[int | None] = ContextVar("toolpass_noted_by", default=None)
_PROBE = "toolpass.listening"
_FORKS = frozenset({"os.fork", "os.forkpty"})

#: Events of processes, and which of their arguments is the program.
_EVENTS = {
    _PROBE: 0,
    "cpython.PyInterpreterState_New": 0,
    "os.exec": 0,
    "os.fork": 0,
    "os.forkpty": 0,
    "os.posix_spawn": 0,
    "os.spawn": 1,
    "os.startfile": 0,
    "os.system": 0,
    "pty.spawn": 0,
    "subprocess.Popen": 0,
}
