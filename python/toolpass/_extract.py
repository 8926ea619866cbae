"""`Session.extract`: an extractor of the application, apart from every session and call, and the schema it answers in.

Which values come back is decided in Rust (`toolpass_guard::extract`); here a schema is spelled in nested tuples, as
annotations are in `toolpass._hints`, and the extractor is run where it has no authority.
"""

from __future__ import annotations

import asyncio
import contextvars
import dataclasses
import datetime
import enum
import re
import types
import typing
from collections.abc import Mapping
from typing import Any

from toolpass._context import is_async, start_callable
from toolpass._errors import ToolError
from toolpass._native import ACT_AS, APART, CALL, SESSION, apart, endorsed, kept

if typing.TYPE_CHECKING:
    from collections.abc import Callable

    from toolpass._native import Session

Spelled = tuple[Any, ...]

MAX_DEPTH = 32
"""How deep a schema may be nested."""


def extract(session: Session, handle: str, schema: Any, with_: Callable[[Any, Any], Any]) -> Any:
    """See `Session.extract`."""
    spelled = _prepared(schema, with_)
    if is_async(with_):
        raise TypeError("expected `with_` to be an ordinary function; await `aextract` with an async one")
    value = kept(session, handle)
    context = contextvars.copy_context()
    context.run(_leave)
    try:
        answer = context.run(apart, _answer, (with_, value, schema))
    except Exception as error:
        raise _withheld(error) from None
    return endorsed(session, spelled, answer)


async def aextract(session: Session, handle: str, schema: Any, with_: Callable[[Any, Any], Any]) -> Any:
    """See `Session.aextract`."""
    spelled = _prepared(schema, with_)
    value = kept(session, handle)
    context = contextvars.copy_context()
    context.run(_leave)
    try:
        answer = await context.run(asyncio.get_running_loop().create_task, _aanswer(with_, value, schema))
    except Exception as error:
        raise _withheld(error) from None
    return endorsed(session, spelled, answer)


def _answer(with_: Callable[[Any, Any], Any], value: Any, schema: Any) -> Any:
    return _data(with_(value, schema))


async def _aanswer(with_: Callable[[Any, Any], Any], value: Any, schema: Any) -> Any:
    return _data(await start_callable(with_, (value, schema)))


def _prepared(schema: Any, with_: Any) -> Spelled:
    if not callable(with_):
        raise TypeError("expected `with_` to be a callable of the value and the schema")
    return spell(schema, "the schema")


def _leave() -> None:
    """From here on no session, no call and no block is current, and no source of a toolkit's own is asked for one."""
    SESSION.set(None)
    CALL.set(None)
    ACT_AS.set(None)
    APART.set(True)


def _withheld(error: Exception) -> ToolError:
    return ToolError(
        "extract", f"{type(error).__name__}: what the extractor says is outside text and is not shown", error
    )


def _data(answer: Any) -> Any:
    """A model or a dataclass as a mapping, one level after the other."""
    if hasattr(answer, "model_dump"):
        return answer.model_dump()
    if dataclasses.is_dataclass(answer) and not isinstance(answer, type):
        return {field.name: _data(getattr(answer, field.name)) for field in dataclasses.fields(answer)}
    if isinstance(answer, dict):
        return {key: _data(member) for key, member in answer.items()}
    return answer


def spell(schema: Any, place: str, depth: int = 0) -> Spelled:
    """A schema as nested tuples.

    Raises:
        TypeError: A type whose values could say anything, naming where it stands and what is accepted.
    """
    if depth > MAX_DEPTH:
        raise TypeError(f"expected {place} to be nested at most {MAX_DEPTH} deep; it may contain itself")
    while typing.get_origin(schema) is typing.Annotated or hasattr(schema, "__supertype__"):
        schema = schema.__supertype__ if hasattr(schema, "__supertype__") else schema.__origin__
    if schema in (None, type(None)):
        return ("none",)
    for plain in (bool, int, str, datetime.datetime, datetime.date):
        if schema is plain:
            return (plain.__name__,)
    if isinstance(schema, type) and issubclass(schema, enum.Enum):
        return ("enum", schema)
    if isinstance(schema, re.Pattern) and isinstance(schema.pattern, str):
        return ("pattern", schema)
    origin = typing.get_origin(schema)
    if origin is typing.Literal:
        return ("literal", *typing.get_args(schema))
    if origin is typing.Union or origin is types.UnionType:
        return ("union", *(spell(part, place, depth + 1) for part in typing.get_args(schema)))
    fields = _fields(schema)
    if fields:
        return ("fields", *((name, spell(part, f"`{name}`", depth + 1)) for name, part in fields.items()))
    raise TypeError(
        f"expected {place} to be bool, int, date, datetime, an Enum, a Literal, a compiled pattern of an id, str (which"
        " comes back as a handle), None, a union of these, or named members of these: a mapping, a TypedDict, a"
        f" dataclass or a model; not {schema!r}"
    )


def _fields(schema: Any) -> Mapping[str, Any] | None:
    if isinstance(schema, Mapping) and all(isinstance(name, str) for name in schema):
        return schema
    if typing.is_typeddict(schema):
        return typing.get_type_hints(schema)
    if isinstance(schema, type) and dataclasses.is_dataclass(schema):
        names: Any = [field.name for field in dataclasses.fields(schema)]
    elif isinstance(schema, type) and hasattr(schema, "model_fields"):
        names = schema.model_fields
    else:
        return None
    hints = typing.get_type_hints(schema)
    return {name: hints[name] for name in names}
