"""Which library is hooked by what, when, and which one could not be.

Separate so that a new hook is one row. A module that is imported already is hooked at the first call that wants it; one
that is imported later (inside a body too) right after it was executed, by a finder in front of `sys.meta_path`.
INVARIANT: a library that is imported, known and not hooked is named by `install`, and the call is refused.
"""

from __future__ import annotations

import sys
import threading
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from toolpass._native import CALL

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType


class _Hook(NamedTuple):
    """The file and function that hook a module."""

    file: str
    function: str = "patch"


def install() -> str | None:
    """Hook what is imported; the name of a library that could not be hooked, or None."""
    if len(sys.modules) != _state.modules_seen:
        _state.scan()
    return None if not _state.failed else _state.first_failed()


def installed() -> frozenset[str]:
    """The modules that are hooked."""
    return frozenset(name for name, module in list(_state.hooked.items()) if sys.modules.get(name) is module)


def unhooked() -> frozenset[str]:
    """The modules that are imported and could not be hooked."""
    return frozenset(name for name, module in list(_state.failed.items()) if sys.modules.get(name) is module)


def find_hook(name: str) -> _Hook | None:
    """What hooks a module of this name."""
    found = _HOOKS.get(name)
    if found is None and name.endswith(_COPIED):
        found = next(hook for end, hook in _COPIES.items() if name.endswith(end))
    return found


class _State:
    """What was done so far. A module is remembered as itself, since a name may come to mean another one."""

    def __init__(self) -> None:
        self.modules_seen = -1
        self.hooked: dict[str, ModuleType] = {}
        self.failed: dict[str, ModuleType] = {}
        self._finder = _Finder()
        self._lock = threading.RLock()

    def scan(self) -> None:
        """Hook every known module that is imported."""
        with self._lock:
            seen = len(sys.modules)
            for name in self._unwatched_names():
                module = sys.modules.get(name)
                if module is None or find_hook(name) is None:
                    continue
                if _is_being_imported(module):
                    seen = -1  # its finder hooks it; look again
                else:
                    self.hook(name, module)
            self.modules_seen = seen

    def _unwatched_names(self) -> list[str]:
        """Names of modules that may have been imported past our finder: all of them, until it is the first."""
        if sys.meta_path and sys.meta_path[0] is self._finder:
            return list(_HOOKS)
        if self._finder not in sys.meta_path:
            sys.meta_path.insert(0, self._finder)
        return list(sys.modules)

    def hook(self, name: str, module: ModuleType) -> None:
        """Hook one module, and remember whether that worked."""
        found = find_hook(name)
        if found is None or self.hooked.get(name) is module or self.failed.get(name) is module:
            return
        with self._lock:
            try:
                getattr(import_module(f"toolpass._hooks.{found.file}"), found.function)(module)
            except Exception as error:  # whatever it is, the library is not looked at, which every call is told
                self.failed[name] = module
                _warn(name, error)
            else:
                self.hooked[name] = module
                self.failed.pop(name, None)

    def executed(self, name: str, module: ModuleType) -> None:
        """Hook a module that was executed just now, maybe again."""
        self.hooked.pop(name, None)
        self.failed.pop(name, None)
        self.hook(name, module)

    def first_failed(self) -> str | None:
        """The first module that is imported and not hooked."""
        return min(unhooked(), default=None)


class _Finder:
    """Finds nothing itself: has modules of interest hooked when they were executed."""

    def __init__(self) -> None:
        self._looking = threading.local()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """What the finders after this one find, for modules of interest."""
        outer = getattr(self._looking, "name", None)
        if find_hook(fullname) is None or outer == fullname:
            return None
        self._looking.name = fullname
        try:
            spec = _find(self, fullname, path, target)
        finally:
            self._looking.name = outer
        if spec is not None and hasattr(spec.loader, "exec_module"):
            _hook_after(spec)
        return spec


def _find(this: _Finder, name: str, path: Sequence[str] | None, target: ModuleType | None) -> ModuleSpec | None:
    for finder in list(sys.meta_path):
        find: Callable[..., ModuleSpec | None] | None = getattr(finder, "find_spec", None)
        if finder is this or find is None:
            continue
        spec = find(name, path, target)
        if spec is not None:
            return spec
    return None


def _hook_after(spec: ModuleSpec) -> None:
    """Have a module hooked when its loader has executed it."""
    loader: Any = spec.loader
    original = loader.exec_module

    def exec_module(module: ModuleType) -> None:
        loader.__dict__.pop("exec_module", None)
        original(module)
        name = module.__name__
        _state.executed(name, module)
        if name in unhooked():
            _refuse(name)

    try:
        loader.exec_module = exec_module
    except (AttributeError, TypeError):
        _refuse(spec.name)  # such a loader's module is found by the next call, and not seen in this one


def _refuse(name: str) -> None:
    """Refuse the running call, which has just imported a library that is not hooked."""
    call = CALL.get()
    if call is not None and call.hooked:
        call.library_unhooked(name)


def _warn(name: str, error: Exception) -> None:
    import logging

    logging.getLogger("toolpass").warning("%s has an unknown shape and cannot be hooked: %s", name, error)


def _is_being_imported(module: ModuleType) -> bool:
    return bool(getattr(getattr(module, "__spec__", None), "_initializing", False))


#: Modules by name, and what hooks them.
_HOOKS = {
    "_thread": _Hook("_threads", "patch_thread"),
    "aiohttp": _Hook("_aiohttp"),
    "botocore.awsrequest": _Hook("_botocore"),
    "concurrent.futures._base": _Hook("_threads", "patch_futures"),
    "concurrent.futures.process": _Hook("_processes", "patch_executor"),
    "concurrent.futures.thread": _Hook("_threads", "patch_executor"),
    "http.client": _Hook("_http_client"),
    "httpcore": _Hook("_httpcore"),
    "httpcore2": _Hook("_httpcore"),
    "httpx": _Hook("_httpx"),
    "httpx2": _Hook("_httpx"),
    "multiprocessing.pool": _Hook("_threads", "patch_pool"),
    "multiprocessing.process": _Hook("_processes", "patch_process"),
    "sys": _Hook("_processes", "patch_audit"),
    "threading": _Hook("_threads", "patch_threading"),
    "urllib3": _Hook("_urllib3"),
    "urllib3_future": _Hook("_urllib3"),
    "websocket._core": _Hook("_websocket"),
    "websockets.asyncio.client": _Hook("_websockets", "patch_asyncio"),
    "websockets.client": _Hook("_websockets"),
    "websockets.legacy.client": _Hook("_websockets", "patch_legacy"),
}

#: Ends of names under which libraries keep copies, and what hooks them.
_COPIES = {
    ".http.client": _Hook("_http_client"),
    ".httpcore": _Hook("_httpcore", "patch_copy"),
    ".urllib3.connection": _Hook("_urllib3", "patch_connection"),
    ".urllib3_future.connection": _Hook("_urllib3", "patch_connection"),
    "urllib3.http2.connection": _Hook("_urllib3", "patch_http2"),
}
_COPIED = tuple(_COPIES)

_state = _State()
