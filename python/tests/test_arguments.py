"""Arguments: how they are bound, which types are checked, what validators say."""

from __future__ import annotations

import collections
import collections.abc
import dataclasses
import datetime
import enum
import json
import pathlib
import re
import typing
from typing import Annotated, Any, Literal, NewType, Optional, Protocol, TypedDict, TypeVar, Union

import pytest

from support.kits import Kit, dana, refused


class Color(enum.Enum):
    RED = "red"


class Name(str):
    __slots__ = ()


@dataclasses.dataclass
class Point:
    x: int


class Quacks(Protocol):
    def quack(self) -> None: ...


class Movie(TypedDict, total=False):
    title: typing.Required[str] if hasattr(typing, "Required") else str  # type: ignore[misc, valid-type]
    year: int


class Tree(TypedDict):
    children: list[Tree]


UserId = NewType("UserId", int)
Token = TypeVar("Token")
Nested = Annotated[list[Annotated[int, "positive"]], ["unhashable metadata"]]


@pytest.mark.parametrize(
    ("hint", "accepted", "rejected"),
    [
        (Any, [1, "a", None], []),
        (object, [1, "a", None], []),
        (None, [None], [0, ""]),
        (bool, [True], [1, None]),
        (int, [1, -1, 10**80], [True, 1.0, "1", None]),
        (float, [1, 1.5, float("nan"), float("inf")], [True, "1"]),
        (str, ["a", "", Name("a"), "\ud800"], [b"a", 1, None]),
        (bytes, [b"a"], ["a"]),
        (
            Optional[int],  # noqa: UP045
            [1, None],
            ["1"],
        ),
        (
            Union[int, str],  # noqa: UP007
            [1, "a"],
            [1.5, None],
        ),
        (int | None, [1, None], ["1"]),
        (Literal[True], [True], [1, "True"]),
        (Literal[1, "a", None], [1, "a", None], [True, 1.0, "b", Name("a")]),
        (Literal[b"x"], [bytes([120])], ["x"]),
        (Literal[Color.RED], [Color.RED], ["red"]),
        (Color, [Color.RED], ["red"]),
        (list, [[1, "a"]], [(1,), "ab"]),
        (list[int], [[], [1]], [(1,), [1, "2"], [True]]),
        (typing.List, [[1, "a"]], [(1,)]),  # noqa: UP006
        (typing.Dict, [{1: "a"}], [[1]]),  # noqa: UP006
        (typing.Tuple, [(1, "a"), ()], [[1]]),  # noqa: UP006
        (typing.Sequence, [[1], (1,), "ab"], [1]),
        (set[int], [{1}], [frozenset({1}), {"1"}, [1]]),
        (frozenset[int], [frozenset({1})], [{1}]),
        (collections.abc.Set[int], [{1}, frozenset({1})], [{"1"}, [1]]),
        (collections.abc.Sequence[str], [["a"], ("a",)], ["ab", [1], {"a"}]),
        (collections.abc.Iterable[int], [[1], (1,)], [["a"], "ab"]),
        (tuple, [(1, 2)], [[1]]),
        (tuple[int, str], [(1, "a")], [(1,), (1, 2), [1, "a"]]),
        (tuple[int, ...], [(), (1, 2)], [(1, "a")]),
        (tuple[()], [()], [(1,)]),
        (dict[str, int], [{}, {"a": 1}, collections.OrderedDict(a=1)], [{"a": "1"}, {1: 1}, [("a", 1)]]),
        (collections.abc.Mapping[str, int], [{"a": 1}], [{"a": None}]),
        (Annotated[int, "positive"], [1], ["1"]),
        (Nested, [[1]], [["1"]]),
        (UserId, [1], ["1"]),
        (Movie, [{"title": "A"}, {"title": "A", "year": 1}], [{"title": 1}, {"year": "1"}, {"titel": "A"}, []]),
        (Point, [Point(1)], [{"x": 1}]),
        (datetime.date, [datetime.date(2026, 1, 1)], ["2026-01-01"]),
        (pathlib.Path, [pathlib.Path("a")], ["a"]),
        (typing.NoReturn, [], [None, 1]),
    ],
    ids=lambda given: "" if isinstance(given, list) else str(given),
)
def test_a_hint_accepts_and_rejects(hint: Any, accepted: list[Any], rejected: list[Any]) -> None:
    def take(value: Any) -> str:
        return "ran"

    take.__annotations__["value"] = hint
    tool = Kit().tool()(take)
    with dana().active():
        for value in accepted:
            assert tool(value) == "ran", value
        for value in rejected:
            refusal = refused(lambda: tool(value))  # noqa: B023 - called at once
            assert refusal.code == "invalid_arguments", value
            assert "`value`" in refusal.reason
            assert type(value).__name__ in refusal.reason


@pytest.mark.parametrize(
    "hint",
    [type[int], collections.abc.Callable[[int], int], collections.abc.Iterator[int], Quacks, Token, Tree],
    ids=str,
)
def test_what_cannot_be_checked_is_named_once_and_accepted(hint: Any, caplog: pytest.LogCaptureFixture) -> None:
    def take(value: Any) -> str:
        return "ran"

    take.__annotations__["value"] = hint
    tool = Kit().tool()(take)
    assert "annotations of value have types that cannot be checked in full" in caplog.text
    with dana().active():
        assert tool({"children": []}) == "ran"
    with pytest.raises(TypeError, match="value"):
        Kit(strict_types=True).tool()(take)


def test_a_number_too_long_to_be_written_is_a_number() -> None:
    kit = Kit()
    tool = kit.tool()(takes_number)
    with dana().active():
        assert tool(1 << 20_000) == "ran"
    assert kit.event.arguments is not None
    assert kit.event.arguments["value"].startswith("0x1000")


def takes_number(value: int) -> str:
    return "ran"


def test_a_deque_is_told_from_a_list() -> None:
    def take(value: collections.deque[int]) -> str:
        return "ran"

    tool = Kit().tool()(take)
    with dana().active():
        assert tool(collections.deque([1])) == "ran"
        assert refused(lambda: tool([1])).code == "invalid_arguments"


def test_variadic_parameters_are_checked_item_by_item() -> None:
    @Kit().tool()
    def take(*numbers: int, **names: str) -> tuple[Any, Any]:
        return numbers, names

    with dana().active():
        assert take(1, 2, a="x") == ((1, 2), {"a": "x"})
        assert refused(lambda: take(1, "2")).code == "invalid_arguments"
        assert refused(lambda: take(a=1)).code == "invalid_arguments"


@pytest.mark.parametrize(
    ("args", "kwargs", "names"),
    [
        ((), {}, "`a` is missing"),
        ((1,), {"a": 1}, "`a` is given twice"),
        ((1, 2, 3), {}, "too many"),
        ((1,), {"z": 1}, "`z`"),
        ((1,), {"credential": "x"}, "`credential`"),
        ((1,), {"b": 1, "only": 1}, "`only`"),
    ],
)
def test_what_cannot_be_bound_is_refused(args: Any, kwargs: Any, names: str) -> None:
    @Kit(credentials={"api": "s3cr3t-value"}).tool(credential="api")
    def take(a: int, /, b: int = 0, *, c: int = 0, credential: str) -> int:
        return a

    with dana().active():
        refusal = refused(lambda: take(*args, **kwargs))
    assert refusal.code == "invalid_arguments"
    assert names.partition("`a` is")[0] in refusal.reason


def test_the_body_gets_the_very_arguments() -> None:
    @Kit().tool()
    def take(a: Any, /, b: Any = 2, *rest: Any, c: Any = 3, **more: Any) -> Any:
        return a, b, rest, c, more

    value = object()
    with dana().active():
        assert take(value) == (value, 2, (), 3, {})
        assert take(1, 4, 5, c=6, d=7) == (1, 4, (5,), 6, {"d": 7})


def test_an_untouched_default_is_the_developers_own() -> None:
    @Kit().tool(scope={"repo": "acme/*"})
    def read(repo: str = "acme/shop", note: str = None) -> str:  # type: ignore[assignment]  # noqa: RUF013
        return repo

    with dana().active():
        assert read() == "acme/shop"
        assert refused(lambda: read(note=None)).code == "invalid_arguments"


def test_a_default_is_scoped_validated_and_audited() -> None:
    kit = Kit()

    @kit.tool(scope={"repo": "acme/*"})
    def read(repo: str = "other/shop") -> str:
        return repo

    @kit.tool(validate={"note": bool})
    def write(note: str = "") -> str:
        return note

    with dana().active():
        assert refused(read).code == "out_of_scope"
        assert refused(write).code == "invalid_arguments"
    assert [event.arguments for event in kit.events] == [{"repo": "other/shop"}, {"note": ""}]


def says(error: Exception) -> Any:
    def validator(value: Any) -> bool:
        raise error

    return validator


@pytest.mark.parametrize(
    ("validator", "shown"),
    [
        (lambda value: False, ""),
        (lambda value: 0, ""),
        (says(ValueError("give a year")), "give a year"),
        (says(TypeError("give a text")), "give a text"),
        (says(KeyError("private")), "KeyError"),
    ],
)
def test_a_validator_refuses(validator: Any, shown: str) -> None:
    tool = Kit().tool(validate={"value": validator})(lambda value: value)
    with dana().active():
        refusal = refused(lambda: tool("v4lu3"))
    assert refusal.code == "invalid_arguments"
    assert shown in refusal.reason
    assert "v4lu3" not in refusal.reason
    assert "private" not in refusal.reason


def test_a_validator_that_answers_an_awaitable_refuses() -> None:
    async def yes() -> bool:
        return True

    tool = Kit().tool(validate={"value": lambda value: yes()})(lambda value: value)
    with dana().active():
        assert refused(lambda: tool(1)).code == "invalid_arguments"


def test_types_come_before_validators_and_validators_before_scope() -> None:
    asked = []

    @Kit().tool(
        scope={"a": lambda value: asked.append("scope") or True},
        validate={"b": lambda value: asked.append("validate") or True},
    )
    def take(a: Any, b: Any, c: int = 0) -> None: ...

    with dana().active():
        refused(lambda: take(1, 2, "3"))
        assert asked == []
        take(1, 2, 3)
    assert asked == ["validate", "scope"]


def test_a_lone_surrogate_and_a_nan_pass_and_leave_valid_events() -> None:
    kit = Kit()

    @kit.tool()
    def echo(text: str, number: float) -> Any:
        return text, number

    with dana().active():
        text, number = echo("a\ud800b", float("nan"))
    assert (text, number != number) == ("a\ud800b", True)
    line = kit.event.to_json()
    line.encode("utf-8")
    assert json.loads(line, parse_constant=lambda name: pytest.fail(name))["arguments"]["number"] == "NaN"


def test_a_message_shows_the_hint_and_never_the_value() -> None:
    tool = Kit().tool()(takes_pairs)
    with dana().active():
        refusal = refused(lambda: tool(["private"]))
    assert "list[tuple[str, int]]" in refusal.reason
    assert "private" not in refusal.reason
    assert re.search(r"\blist\b", refusal.reason)


def takes_pairs(value: list[tuple[str, int]]) -> None: ...
