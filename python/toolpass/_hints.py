"""A function's annotations, spelled for the native module.

Only Python can resolve annotations, so they are resolved here, once, when a tool is declared, and handed over as nested
tuples such as `("list", ("str",))`. What each form accepts is decided in Rust (`toolpass_guard::hint`). A form that cannot be
checked is spelled `("any",)` and named in one warning.
"""

from __future__ import annotations

import collections.abc
import inspect
import types
import typing
from typing import Any

Spelled = tuple[Any, ...]

ANY: Spelled = ("any",)

_PLAIN: dict[Any, Spelled] = {
    None: ("none",),
    type(None): ("none",),
    bool: ("bool",),
    int: ("int",),
    float: ("float",),
    str: ("str",),
    list: ("list", ANY),
    set: ("set", ANY),
    frozenset: ("frozenset", ANY),
    tuple: ("tuple_of", ANY),
    dict: ("mapping", ANY, ANY),
    object: ANY,
    Any: ANY,
}

_ONE: dict[Any, str] = {
    list: "list",
    set: "set",
    frozenset: "frozenset",
    collections.abc.Sequence: "sequence",
    collections.abc.Iterable: "sequence",
    collections.abc.Collection: "sequence",
    collections.abc.Set: "set",
}

_MAPPINGS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)


def resolve(function: Any) -> tuple[dict[str, Any], list[str]]:
    """The annotations of a function, resolved, and the names of those that cannot be."""
    source = getattr(function, "func", function)
    if not inspect.isroutine(source) and not inspect.isclass(source):
        source = type(source).__call__
    try:
        return typing.get_type_hints(source, include_extras=True), []
    except Exception:  # noqa: BLE001 - any of them may be unresolvable; the others still are checked
        return _one_by_one(source)


def _one_by_one(function: Any) -> tuple[dict[str, Any], list[str]]:
    resolved: dict[str, Any] = {}
    unresolved = []
    namespace = getattr(function, "__globals__", {})
    for name, annotation in getattr(function, "__annotations__", {}).items():
        if not isinstance(annotation, str):
            resolved[name] = annotation
            continue
        try:
            resolved[name] = eval(annotation, namespace)  # noqa: S307 - the developer's own annotation, as typing evaluates it
        except Exception:  # noqa: BLE001 - named in the warning instead
            unresolved.append(name)
    return resolved, unresolved


def spell(hint: Any) -> tuple[Spelled, bool]:
    """A resolved hint as nested tuples, and whether all of it is checked."""
    speller = _Speller()
    return speller.spell(hint), speller.complete


def shown(hint: Any) -> str:
    """How a hint is named in messages."""
    if isinstance(hint, type) and not typing.get_args(hint):
        return hint.__name__
    return str(hint).replace("typing.", "")


class _Speller:
    def __init__(self) -> None:
        self.complete = True

    def spell(self, hint: Any) -> Spelled:
        if isinstance(hint, typing.Hashable) and hint in _PLAIN:
            return _PLAIN[hint]
        hint = self._unwrapped(hint)
        if isinstance(hint, typing.Hashable) and hint in _PLAIN:
            return _PLAIN[hint]
        if hint is getattr(typing, "LiteralString", None):
            return ("str",)
        if hint is getattr(typing, "Never", None) or hint is typing.NoReturn:
            return ("never",)
        origin = typing.get_origin(hint)
        if origin is not None:
            return self._generic(origin, typing.get_args(hint))
        if isinstance(hint, type):
            return self._class(hint)
        return self._unchecked()

    def _unwrapped(self, hint: Any) -> Any:
        """Without `Annotated`, `NewType`, `Required` and their kin, and `type X = ...`."""
        for _ in range(20):
            if hasattr(hint, "__supertype__"):
                hint = hint.__supertype__
            elif type(hint).__name__ == "TypeAliasType":
                hint = hint.__value__
            elif hasattr(hint, "__metadata__"):
                hint = hint.__origin__
            elif str(typing.get_origin(hint)).rpartition(".")[2] in {"Required", "NotRequired", "ReadOnly", "Unpack"}:
                hint = typing.get_args(hint)[0]
            else:
                return hint
        return hint

    def _generic(self, origin: Any, arguments: tuple[Any, ...]) -> Spelled:
        if origin is typing.Literal:
            return ("literal", *arguments)
        if origin is typing.Union or origin is types.UnionType:
            return ("union", *(self.spell(argument) for argument in arguments))
        if origin is tuple:
            if len(arguments) == 2 and arguments[1] is Ellipsis:
                return ("tuple_of", self.spell(arguments[0]))
            return ("tuple", *(self.spell(argument) for argument in arguments))
        if origin in _ONE:
            return (_ONE[origin], self.spell(arguments[0]))
        if origin in _MAPPINGS:
            return ("mapping", self.spell(arguments[0]), self.spell(arguments[1]))
        if isinstance(origin, type) and issubclass(origin, collections.abc.MutableSequence):
            self.complete = False
            return ("class", origin)
        return self._unchecked()

    def _class(self, hint: type) -> Spelled:
        if typing.is_typeddict(hint):
            required = getattr(hint, "__required_keys__", frozenset())
            members = typing.get_type_hints(hint, include_extras=True)
            return ("typed_dict", *((name, self.spell(member), name in required) for name, member in members.items()))
        if getattr(hint, "_is_protocol", False) and not getattr(hint, "_is_runtime_protocol", False):
            return self._unchecked()
        return ("class", hint)

    def _unchecked(self) -> Spelled:
        self.complete = False
        return ANY
