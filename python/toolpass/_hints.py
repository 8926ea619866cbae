"""A function's annotations, spelled for the native module.

Only Python can resolve annotations, so they are resolved here, once, when a tool is declared, and handed over as
nested tuples such as `("list", ("str",))`. What each form accepts is decided in Rust (`toolpass_guard::hint`). A form
that cannot be checked is spelled `("any",)` and named in one warning. Loaded when the first tool is declared.
"""

from __future__ import annotations

import collections.abc
import functools
import inspect
import types
import typing
from typing import Any

Spelled = tuple[Any, ...]

ANY: Spelled = ("any",)


def resolve(function: Any) -> tuple[dict[str, Any], list[str]]:
    """The annotations of a function, resolved, and the names of those that cannot be."""
    while isinstance(function, functools.partial):
        function = function.func
    if not inspect.isroutine(function) and not inspect.isclass(function):
        function = type(function).__call__
    try:
        return typing.get_type_hints(function, include_extras=True), []
    except Exception:
        return _one_by_one(function)


def spell_parameter(parameter: inspect.Parameter, hint: Any) -> tuple[Spelled, bool]:
    """A parameter's hint as nested tuples, and whether all of it is checked."""
    if hint is parameter.empty:
        return ANY, True
    if _is_unpack(hint):
        # `**kw: Unpack[Options]` is about all of them at once, and no form of a single value says that.
        return ANY, False
    speller = _Speller()
    return speller.spell(hint), speller.complete


def shown(hint: Any) -> str:
    """How a hint is named in messages."""
    if isinstance(hint, type) and not typing.get_args(hint):
        return hint.__name__
    return str(hint).replace("typing.", "").replace("collections.abc.", "")


def _one_by_one(function: Any) -> tuple[dict[str, Any], list[str]]:
    resolved: dict[str, Any] = {}
    unresolved = []
    namespace = getattr(function, "__globals__", {})
    for name, annotation in getattr(function, "__annotations__", {}).items():
        try:
            one = types.SimpleNamespace(__annotations__={name: annotation})
            resolved[name] = typing.get_type_hints(one, namespace, include_extras=True)[name]
        except Exception:
            unresolved.append(name)
    return resolved, [name for name in unresolved if name not in {"return", "credential"}]


def _is_unpack(hint: Any) -> bool:
    return str(typing.get_origin(hint)).rpartition(".")[2] == "Unpack"


def _any_items(form: str) -> Spelled:
    return (form, ANY)


_PLAIN: dict[Any, Spelled] = {
    None: ("none",),
    Any: ANY,
    bool: ("bool",),
    dict: ("mapping", ANY, ANY),
    float: ("float",),
    frozenset: _any_items("frozenset"),
    int: ("int",),
    list: _any_items("list"),
    object: ANY,
    set: _any_items("set"),
    str: ("str",),
    tuple: _any_items("tuple_of"),
    type(None): ("none",),
}
"""Hints without parts."""

_GENERIC: dict[Any, tuple[str, ...]] = {
    collections.abc.Collection: ("sequence",),
    collections.abc.Iterable: ("sequence",),
    collections.abc.MutableSet: ("set",),
    collections.abc.Sequence: ("sequence",),
    collections.abc.Set: ("set", "frozenset"),
    frozenset: ("frozenset",),
    list: ("list",),
    set: ("set",),
}
"""Generics of one part, and the forms they accept."""

_MAPPINGS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)

_WRAPPERS = {"NotRequired", "ReadOnly", "Required"}
"""Marks around the type of a `TypedDict`'s member."""


class _Speller:
    def __init__(self) -> None:
        self.complete = True
        self._open: list[Any] = []

    def spell(self, hint: Any) -> Spelled:
        hint = _unwrapped(hint)
        if hint is None or hint is Any or isinstance(hint, type):
            plain = _PLAIN.get(hint)
            if plain is not None:
                return plain
        if any(hint is outer for outer in self._open):
            return self._unchecked()  # a type that is made of itself
        self._open.append(hint)
        try:
            return self._composed(hint)
        finally:
            self._open.pop()

    def _composed(self, hint: Any) -> Spelled:
        if hint is getattr(typing, "LiteralString", ...):
            return ("str",)
        if hint is getattr(typing, "Never", ...) or hint is typing.NoReturn:
            return ("never",)
        if type(hint).__name__ == "TypeAliasType":
            return self.spell(hint.__value__)
        origin = typing.get_origin(hint)
        if origin is not None:
            return self._generic(hint, origin, typing.get_args(hint))
        return self._class(hint) if isinstance(hint, type) else self._unchecked()

    def _generic(self, hint: Any, origin: Any, arguments: tuple[Any, ...]) -> Spelled:
        if origin is typing.Literal:
            return ("literal", *arguments)
        if origin is typing.Union or origin is types.UnionType:
            return ("union", *(self.spell(argument) for argument in arguments))
        if not arguments and not hasattr(hint, "__args__"):
            return self.spell(origin)  # `typing.List` and its like, without parts
        if origin is tuple:
            if len(arguments) == 2 and arguments[1] is Ellipsis:
                return ("tuple_of", self.spell(arguments[0]))
            return ("tuple", *(self.spell(argument) for argument in arguments))
        if origin in _GENERIC:
            forms = [(form, self.spell(arguments[0])) for form in _GENERIC[origin]]
            return forms[0] if len(forms) == 1 else ("union", *forms)
        if origin in _MAPPINGS:
            return ("mapping", self.spell(arguments[0]), self.spell(arguments[1]))
        if isinstance(origin, type) and issubclass(origin, collections.abc.MutableSequence):
            self.complete = False  # its items are not looked at
            return ("class", origin)
        return self._unchecked()

    def _class(self, hint: type) -> Spelled:
        if typing.is_typeddict(hint):
            required: frozenset[str] = getattr(hint, "__required_keys__", frozenset())
            members = typing.get_type_hints(hint, include_extras=True)
            return ("typed_dict", *((name, self.spell(member), name in required) for name, member in members.items()))
        try:
            isinstance(None, hint)
        except TypeError:
            return self._unchecked()  # a protocol that is none at run time
        return ("class", hint)

    def _unchecked(self) -> Spelled:
        self.complete = False
        return ANY


def _unwrapped(hint: Any) -> Any:
    """Without `Annotated`, `NewType` and the marks of members; a `type` statement's alias is one of the composed."""
    while True:
        if hasattr(hint, "__supertype__"):
            hint = hint.__supertype__
        elif hasattr(hint, "__metadata__"):
            hint = hint.__origin__
        elif str(typing.get_origin(hint)).rpartition(".")[2] in _WRAPPERS:
            hint = typing.get_args(hint)[0]
        else:
            return hint
