"""Where `guarded` takes the person from: a text, a callable, or a context variable. Never from a call's arguments."""

from __future__ import annotations

from contextvars import ContextVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def current(source: Any, what: str = "user") -> Any:
    """What a source yields now.

    Args:
        source: A value, a callable without arguments, or a context variable.
        what: What it is a source of: `"user"` or `"groups"`.

    Returns:
        The user's text, or a list of groups.

    Raises:
        RuntimeError: A context variable has no value, a user is not a non-empty text, or groups are not texts.

    Example:
        >>> current(lambda: "dana@example.com")
        'dana@example.com'
    """
    if isinstance(source, ContextVar):
        try:
            value = source.get()
        except LookupError:
            raise RuntimeError(f"the context variable {source.name!r} has no value, so there is no {what}") from None
    else:
        value = source() if callable(source) else source
    if what == "user":
        if not isinstance(value, str) or not value:
            raise RuntimeError("the source of the user yielded no non-empty text")
        return value
    groups = None if isinstance(value, (str, bytes)) else list(value)
    if groups is None or not all(isinstance(group, str) for group in groups):
        raise RuntimeError(f"the source of the {what} yielded no iterable of texts")
    return groups
