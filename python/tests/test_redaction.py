"""Redaction: no secret of a call in what it returns, raises, refuses or leaves in its event."""

from __future__ import annotations

import base64
import collections
import dataclasses
import html
import io
import itertools
import json
import string
import traceback
import urllib.parse
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.kits import Kit, dana, refused
from toolpass import ToolError

if TYPE_CHECKING:
    from collections.abc import Callable

SECRET = "s3cr3t-value"
LONG = 'gh"p_A1b2<C3d4>E5f6%G7h8&'
GONE = "[REDACTED]"


class Pair(NamedTuple):
    left: Any
    right: Any


@dataclasses.dataclass
class Login:
    user: str
    password: str = dataclasses.field(repr=False)


@dataclasses.dataclass(frozen=True)
class Frozen:
    inner: Any


@dataclasses.dataclass(eq=False)
class Node:
    left: Any
    right: Any


class Client:
    def __init__(self, token: str) -> None:
        self.token = token


class Shown:
    __slots__ = ()

    def __repr__(self) -> str:
        return f"Shown({SECRET})"


class Model:
    """What a pydantic model looks like from outside."""

    def __init__(self, token: str) -> None:
        self.token = token

    def model_dump(self) -> dict[str, Any]:
        return {"token": self.token, "user": "dana"}


def result_of(body: Any, credential: Any = SECRET, **declared: Any) -> Any:
    tool = Kit(credentials={"api": credential}).tool(credential="api", name="t", **declared)(body)
    with dana().active():
        return tool()


def returned(value: Any, credential: Any = SECRET, **declared: Any) -> Any:
    def body(*, credential: Any) -> Any:
        return value

    return result_of(body, credential, **declared)


@pytest.mark.parametrize(
    ("value", "clean"),
    [
        (f"a {SECRET} b", f"a {GONE} b"),
        (SECRET.encode(), GONE.encode()),
        (bytearray(SECRET.encode()), bytearray(GONE.encode())),
        ([SECRET, 1, None, True, 1.5], [GONE, 1, None, True, 1.5]),
        ((SECRET,), (GONE,)),
        ({SECRET: {"k": [SECRET]}}, {GONE: {"k": [GONE]}}),
        ({SECRET}, {GONE}),
        (frozenset({SECRET}), frozenset({GONE})),
        (Pair(SECRET, 1), Pair(GONE, 1)),
        (Login("dana", SECRET), Login("dana", GONE)),
        (Frozen((SECRET,)), Frozen((GONE,))),
        (Model(SECRET), {"token": GONE, "user": "dana"}),
        (Shown(), f"Shown({GONE})"),
        (collections.OrderedDict(a=SECRET), {"a": GONE}),
    ],
    ids=repr,
)
def test_a_result_is_rebuilt_without_the_secret(value: Any, clean: Any) -> None:
    got = returned(value)
    assert got == clean
    assert type(got) is type(clean)


def test_an_attribute_is_no_hiding_place() -> None:
    got = returned(Client(SECRET))
    assert SECRET not in str(vars(got) if hasattr(got, "__dict__") else got)


def test_a_result_without_the_secret_is_the_very_object() -> None:
    for value in (["a"], {"a": Login("dana", "never-anybodys-secret")}, Client("other"), collections.OrderedDict(a=1)):
        assert returned(value) is value


def test_a_result_that_holds_itself_is_walked_once() -> None:
    value: list[Any] = [SECRET]
    value.append(value)
    got = returned(value)
    assert got[0] == GONE
    assert got[1] is got
    held: dict[str, Any] = {"secret": SECRET}
    held["self"] = (held,)
    assert returned(held)["self"][0]["secret"] == GONE


@pytest.mark.parametrize(
    "make", [lambda inner: [inner, inner], lambda inner: (inner, inner), lambda inner: Node(inner, inner)]
)
def test_a_part_that_is_reached_along_many_ways_is_walked_once(make: Any) -> None:
    for leaf in (["clean"], [SECRET]):
        value: Any = leaf
        for _ in range(18):
            value = make(value)
        got = returned(value)
        for _ in range(18):
            got = got.left if isinstance(got, Node) else got[0]
        assert got == ([GONE] if leaf == [SECRET] else ["clean"])


def test_deep_down_a_mention_blanks_the_whole() -> None:
    value: Any = [SECRET]
    for _ in range(40):
        value = [value]
    got = returned(value)
    while isinstance(got, list):
        (got,) = got
    assert got == GONE


def test_a_result_too_large_to_be_looked_at_is_not_handed_out() -> None:
    kit = Kit(credentials={"api": SECRET})
    tool = kit.tool(credential="api")(lambda *, credential: [0] * 1_000_001)
    with dana().active(), pytest.raises(ValueError, match="1000000"):
        tool()
    assert (kit.event.outcome, kit.event.reason) == ("raised", "after the body: ValueError")


def test_an_iterator_is_collected_and_one_without_end_is_not() -> None:
    kit = Kit()
    counts = kit.tool(name="counts")(lambda: (number for number in range(3)))
    lines = kit.tool(name="lines")(lambda: io.StringIO("a\nb"))
    endless = kit.tool(name="endless")(lambda: itertools.count())
    wide = kit.tool(name="wide")(lambda: itertools.repeat("x" * 1_000_000))
    with dana().active():
        assert counts() == [0, 1, 2]
        assert lines() == ["a\n", "b"]
        for tool in (endless, wide):
            with pytest.raises(ValueError, match="holds more than"):
                tool()
    assert [event.outcome for event in kit.events] == ["ran", "ran", "raised", "raised"]


def test_an_iterator_that_raises_is_the_bodys_failure() -> None:
    def body() -> Any:
        def items() -> Any:
            yield 1
            raise KeyError("x")

        return items()

    kit = Kit()
    with dana().active(), pytest.raises(KeyError):
        kit.tool()(body)()
    assert (kit.event.outcome, kit.event.reason) == ("raised", "after the body: KeyError")


@pytest.mark.parametrize(
    ("credential", "hidden", "shown"),
    [
        (SECRET.encode(), [SECRET], []),
        ({"user": "production", "password": SECRET}, [SECRET], ["production"]),
        (
            {"user": "production", "db": {"host": "internal-host", "token": SECRET}},
            [SECRET],
            ["production", "internal-host"],
        ),
        ({"first": "one-value", "second": "two-values"}, ["one-value", "two-values"], []),
        (("production", SECRET), [SECRET], ["production"]),
        ([SECRET, "another-secret"], [SECRET, "another-secret"], []),
        ({"short": "1234567"}, [], ["1234567"]),
        (object(), [], ["production"]),
    ],
    ids=str,
)
def test_only_the_secret_parts_of_a_credential_are_hidden(credential: Any, hidden: list[str], shown: list[str]) -> None:
    got = returned(" ".join(hidden + shown), credential)
    assert not any(text in got for text in hidden)
    assert all(text in got for text in shown)


def test_secret_fields_say_which_parts_are_secret() -> None:
    credential = {"account": "production", "password": "not-so-secret"}
    got = returned("production not-so-secret", credential, secret_fields=["account"])
    assert got == f"{GONE} not-so-secret"


def test_a_secret_too_short_to_be_hidden_is_warned_of_once(caplog: pytest.LogCaptureFixture) -> None:
    tool = Kit(credentials={"api": "short"}).tool(credential="api", name="t")(lambda *, credential: "short")
    with dana().active():
        assert (tool(), tool()) == ("short", "short")
    (record,) = caplog.records
    assert "'api'" in record.getMessage()
    assert "short" not in record.getMessage()


def raises(error: BaseException) -> Any:
    def body(*, credential: Any) -> Any:
        raise error

    return body


def chained() -> BaseException:
    try:
        try:
            raise KeyError(SECRET)
        except KeyError as cause:
            raise ValueError("cannot log in") from cause
    except ValueError as error:
        return error


def noted() -> BaseException:
    error = ValueError("cannot log in")
    if hasattr(error, "add_note"):
        error.add_note(f"with {SECRET}")
    else:
        error.__notes__ = [f"with {SECRET}"]  # type: ignore[attr-defined]
    return error


def attributed() -> BaseException:
    error = ValueError("cannot log in")
    error.request = Client(SECRET)  # type: ignore[attr-defined]
    return error


@pytest.mark.parametrize(
    "error", [ValueError(f"bad key {SECRET}"), ValueError({"key": [SECRET]}), chained(), noted(), attributed()]
)
def test_an_exception_that_mentions_the_secret_becomes_a_tool_error(error: BaseException) -> None:
    kit = Kit(credentials={"api": SECRET})
    tool = kit.tool(credential="api", name="t")(raises(error))
    with dana().active(), pytest.raises(ToolError) as caught:
        tool()
    shown = "".join(traceback.format_exception(caught.value))
    assert SECRET not in shown.replace(f'SECRET = "{SECRET}"', "")
    assert caught.value.message.startswith("ValueError: ")
    assert (caught.value.tool, caught.value.original) == ("t", error)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert (kit.event.outcome, kit.event.reason) == ("raised", "ValueError")


def test_any_other_exception_passes_unchanged() -> None:
    error = ValueError("out of pens")
    with pytest.raises(ValueError, match="out of pens") as caught:
        result_of(raises(error))
    assert caught.value is error


def test_the_event_holds_no_secret_of_its_call() -> None:
    kit = Kit(credentials={"api": 'quo"ted\\s3cr3t'})
    tool = kit.tool(credential="api")(lambda text, *, credential: "ran")
    with dana().active():
        tool('has quo"ted\\s3cr3t inside')
    assert "s3cr3t" not in kit.event.to_json()
    assert kit.event.arguments == {"text": f"has {GONE} inside"}


def test_what_was_never_handed_out_is_not_redacted() -> None:
    with dana().active():
        assert Kit(credentials={"api": "never-handed-out"}).tool()(lambda: "never-handed-out")() == "never-handed-out"


def test_a_later_tool_cannot_give_away_an_earlier_ones_secret() -> None:
    token = "earlier-t0ken-" + "aB3" * 6
    kit = Kit(credentials={"api": token})
    giving = kit.tool(name="giving", credential="api")(lambda *, credential: None)
    echoing = Kit().tool(name="echoing")(lambda text: [text, base64.b64encode(f"user:{text}".encode()).decode()])
    with dana().active():
        assert echoing(token)[0] == token
        giving()
        shown, encoded = echoing(f"a {token} b")
    assert shown == f"a {GONE} b"
    assert GONE in encoded


@pytest.mark.parametrize(
    "spelled",
    [
        json.dumps(LONG),
        repr(LONG),
        html.escape(LONG),
        urllib.parse.quote(LONG),
        urllib.parse.quote_plus(LONG).lower(),
        base64.b64encode(LONG.encode()).decode(),
        base64.urlsafe_b64encode(f"x{LONG}yz".encode()).decode(),
        base64.b64encode(f"dana:{LONG}".encode()).decode(),
        LONG.encode().hex(),
        LONG.encode().hex().upper(),
        LONG.upper(),
        " ".join(LONG),
        f"{LONG[:9]}\n{LONG[9:]}",
    ],
)
def test_a_secret_is_found_however_it_is_spelled(spelled: str) -> None:
    got = returned({"a": [f"x {spelled} y"]}, LONG)
    assert GONE in got["a"][0]
    assert spelled not in got["a"][0]
    with pytest.raises(ToolError) as caught:
        result_of(raises(ValueError(f"x {spelled} y")), LONG)
    assert spelled not in caught.value.message


SECRETS = st.text(string.ascii_letters + string.digits + "+/=_-.\"'<&% ", min_size=16, max_size=40).filter(
    lambda text: len(set(text)) > 8 and text == text.strip()
)
SPELLINGS: list[Callable[[str], str]] = [
    str,
    lambda secret: json.dumps(secret)[1:-1],
    urllib.parse.quote_plus,
    html.escape,
    lambda secret: base64.b64encode(f"u:{secret}".encode()).decode(),
    lambda secret: secret.encode().hex(),
]


@given(SECRETS, st.sampled_from(SPELLINGS), st.text(max_size=8), st.text(max_size=8))
def test_no_eight_characters_of_a_secret_are_left(
    secret: str, spell: Callable[[str], str], before: str, after: str
) -> None:
    spelled = spell(secret)
    got = returned([before + spelled + after], secret)[0]
    around = before + GONE + after
    left = [spelled[at : at + 8] for at in range(len(spelled) - 7)]
    assert not [part for part in left if part in got and part not in around]


def test_a_refusal_before_the_body_holds_no_secret() -> None:
    token = "in-a-refusal-t0ken"
    kit = Kit(credentials={"api": token})

    def mentions(value: str) -> bool:
        raise ValueError(f"not {token}")

    giving = kit.tool(name="giving", credential="api")(lambda *, credential: None)
    picky = kit.tool(name="picky", validate={"x": mentions})(lambda x: x)
    with dana(id=f"session {token}").active():
        giving()
        refusal = refused(lambda: picky(token))
    assert token not in refusal.reason
    assert GONE in refusal.reason
    event = kit.events[-1]
    assert token not in event.to_json()
    assert event.arguments == {"x": GONE}
    assert event.session == f"session {GONE}"


class SlottedError(Exception):
    __slots__ = ("__token",)

    def __init__(self, token: str) -> None:
        super().__init__("cannot log in")
        self.__token = token


def grouped() -> BaseException:
    error = ValueError("cannot log in")
    error.exceptions = (chained(),)  # type: ignore[attr-defined]
    return error


@pytest.mark.parametrize("error", [SlottedError(SECRET), grouped()], ids=["slots", "group"])
def test_no_part_of_an_exception_is_a_hiding_place(error: BaseException) -> None:
    with pytest.raises(ToolError) as caught:
        result_of(raises(error))
    assert caught.value.original is error


def test_a_slot_of_a_result_is_no_hiding_place() -> None:
    class Held:
        __slots__ = ("token",)

        def __init__(self) -> None:
            self.token = SECRET

    assert not isinstance(returned(Held()), Held)


def test_a_tool_error_of_a_nested_tool_is_not_rewritten() -> None:
    kit = Kit(credentials={"api": SECRET})
    inner = kit.tool(name="inner", credential="api")(raises(ValueError(SECRET)))
    outer = Kit().tool(name="outer")(lambda: inner())
    with dana().active(), pytest.raises(ToolError) as caught:
        outer()
    assert (caught.value.tool, caught.value.message) == ("inner", f"ValueError: {GONE}")


def test_a_refusal_of_a_nested_tool_loses_what_stands_behind_it() -> None:
    inner = Kit().tool(name="inner", limit=0)(lambda: 1)

    def body(*, credential: str) -> None:
        try:
            raise KeyError(credential)
        except KeyError:
            inner()

    refusal = refused(lambda: result_of(body))
    assert refusal.code == "limit_reached"
    assert refusal.__context__ is None


VALUES = st.recursive(
    st.one_of(
        st.none(), st.integers(), st.text(max_size=8), st.binary(max_size=8), st.just(SECRET), st.just(SECRET.encode())
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(inner, inner),
        st.dictionaries(st.one_of(st.text(max_size=4), st.just(SECRET)), inner, max_size=4),
        st.builds(Frozen, inner),
    ),
    max_leaves=20,
)


@given(VALUES)
def test_nothing_of_a_secret_is_left_anywhere(value: Any) -> None:
    assert SECRET not in repr(returned(value))


def test_a_refusal_of_a_nested_tool_is_not_rewritten() -> None:
    inner = Kit().tool(name="inner", limit=0)(lambda: 1)
    refusal = refused(lambda: result_of(lambda *, credential: inner()))
    assert (refusal.tool, refusal.code) == ("inner", "limit_reached")
