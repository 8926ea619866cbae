"""Replacing a library's methods, only where the library has the shape its hook was written for.

Separate so that every hook finds out in one way that a library has changed: a missing class or method, or one that
takes other arguments, is an `UnknownShapeError`, and the library counts as not hooked.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

MARK = "__toolpass__"


class UnknownShapeError(Exception):
    """A library lacks what its hook needs; the text names it."""


def member(owner: Any, name: str) -> Any:
    """What `owner` calls `name`, which it must have."""
    found = getattr(owner, name, None)
    if found is None:
        raise UnknownShapeError(f"{getattr(owner, '__qualname__', owner.__name__)}.{name}")
    return found


def replace(owner: Any, name: str, expected: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Put `make(original)` in the place of a function of a class or module, once.

    Args:
        owner: The class or module.
        name: The function's name.
        expected: The names its parameters must start with, separated by spaces.
        make: Builds the replacement from the original.

    Raises:
        UnknownShapeError: There is no such function, or it takes other parameters.
    """
    original = member(owner, name)
    if is_hooked(original):
        return
    names = expected.split()
    if parameters(original)[: len(names)] != names:
        raise UnknownShapeError(f"{owner.__name__}.{name}({', '.join(names)})")
    replacement = functools.wraps(original)(make(original))
    setattr(replacement, MARK, True)
    setattr(owner, name, replacement)


def is_hooked(function: object) -> bool:
    """Whether a function is a replacement of ours."""
    return getattr(function, MARK, False) is True


def parameters(function: Any) -> list[str]:
    """The names of a function's parameters, below what others have wrapped around it."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    code = getattr(function, "__code__", None)
    if code is None:
        return []
    count: int = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & _VARIADIC)
    return list(code.co_varnames[:count])


_VARIADIC = 0x04
