"""Where `guarded` takes the person from: a text, a callable, or a context variable. Never from a call's arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import Any, TypeAlias

UserSource: TypeAlias = "str | Callable[[], str] | ContextVar[str]"
"""A text, a callable without arguments, or a context variable, of a user's e-mail."""

GroupsSource: TypeAlias = "Iterable[str] | Callable[[], Iterable[str]] | ContextVar[Iterable[str]]"
"""The same, of groups."""


def current(source: Any, what: str = "user") -> Any:
    """What a source yields now.

    Args:
        source: A value, a callable without arguments, or a context variable.
        what: What it is a source of, for messages.

    Returns:
        The value.

    Raises:
        RuntimeError: A context variable has no value, or a user is not a non-empty text.
    """
    if isinstance(source, ContextVar):
        try:
            value = source.get()
        except LookupError:
            raise RuntimeError(f"the context variable {source.name!r} has no value, so there is no {what}") from None
    else:
        value = source() if callable(source) else source
    if what == "user" and (not isinstance(value, str) or not value):
        raise RuntimeError("the source of the user yielded no non-empty text")
    return value
