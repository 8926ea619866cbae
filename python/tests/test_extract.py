"""`Session.extract`: what an application's extractor may say about a kept value."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
import enum
import re
import threading
from contextvars import Context, copy_context
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypedDict

import httpx
import pytest

from support.kits import Kit, dana, refused
from support.watched import REFUSED, Watched
from test_handles import COPIED, MAIL, Desk
from toolpass import Session, ToolError, ToolRefused, current_call, current_session

if TYPE_CHECKING:
    from support.server import Server


class Urgency(enum.Enum):
    """How soon."""

    LOW = "low"
    HIGH = "high"


class Facts(TypedDict):
    """What is wanted of a mail."""

    amount: int
    urgent: bool
    due: datetime.date | None
    urgency: Urgency
    order: str


ORDER = re.compile(r"ORD-\d{1,8}")
UTC = datetime.timezone.utc


@pytest.mark.parametrize(
    ("schema", "answer", "expected"),
    [
        (bool, True, True),
        (int, -7, -7),
        (datetime.date, datetime.date(2026, 1, 5), datetime.date(2026, 1, 5)),
        (datetime.date, "2026-01-05", datetime.date(2026, 1, 5)),
        (datetime.datetime, "2026-01-05T09:30:00+00:00", datetime.datetime(2026, 1, 5, 9, 30, tzinfo=UTC)),
        (Urgency, Urgency.LOW, Urgency.LOW),
        (Urgency, "high", Urgency.HIGH),
        (Literal["pay", "reply"], "pay", "pay"),
        (Literal[1, 2], 2, 2),
        (ORDER, "ORD-12345", "ORD-12345"),
        (int | None, None, None),
        ({"n": int, "ok": bool}, {"ok": False, "n": 3}, {"n": 3, "ok": False}),
    ],
)
def test_what_can_say_little_comes_back(schema: Any, answer: Any, expected: Any) -> None:
    desk = Desk()
    got = desk.session.extract(desk.handle, schema, with_=lambda value, wanted: answer)
    assert got == expected
    assert type(got) is type(expected)
    assert not desk.session.saw_untrusted


class LoudInt(int):
    """A number that talks."""

    def __str__(self) -> str:
        return MAIL


class LoudText(str):
    """An id that talks."""

    __slots__ = ()

    def __str__(self) -> str:
        return MAIL


LOUD_ZONE = datetime.timezone(datetime.timedelta(hours=1), MAIL)


@pytest.mark.parametrize(
    ("schema", "answer"),
    [
        (int, MAIL),
        (int, "5"),
        (int, True),
        (int, LoudInt(3)),
        (int, int.from_bytes(MAIL.encode(), "big")),
        (int, 2**63),
        (bool, 1),
        (bool, MAIL),
        (datetime.date, MAIL),
        (datetime.date, datetime.datetime(2026, 1, 5, tzinfo=UTC)),
        (Urgency, MAIL),
        (Literal["pay"], MAIL),
        (Literal[1], True),
        (ORDER, MAIL),
        (ORDER, "ORD-1\n"),
        (ORDER, "ORD-1 " + MAIL),
        (re.compile(".*", re.DOTALL), MAIL),
        (re.compile(".*"), "x" * 65),
        ({"n": int}, {"n": 1, MAIL: 2}),
        ({"n": int}, {}),
        ({"n": int}, [1]),
        (int | None, MAIL),
    ],
)
def test_what_could_say_more_does_not(schema: Any, answer: Any) -> None:
    desk = Desk()
    refusal = refused(lambda: desk.session.extract(desk.handle, schema, with_=lambda *_: answer))
    assert refusal.code == "invalid_arguments"
    assert "money" not in str(refusal)


def test_nothing_rides_along_on_a_value() -> None:
    session = (desk := Desk()).session
    text = session.extract(desk.handle, ORDER, with_=lambda *_: LoudText("ORD-1"))
    assert type(text) is str
    assert text == "ORD-1"
    time = session.extract(
        desk.handle, datetime.datetime, with_=lambda *_: datetime.datetime(2026, 1, 5, tzinfo=LOUD_ZONE)
    )
    assert time.utcoffset() == datetime.timedelta(hours=1)
    assert "money" not in str(time.tzname())


@pytest.mark.parametrize(
    "schema", [list[int], list, dict, dict[str, int], float, bytes, object, "int", {}, {"a": list}]
)
def test_a_schema_that_could_say_anything_is_refused_at_once(schema: Any) -> None:
    desk = Desk()
    with pytest.raises(TypeError, match="expected"):
        desk.session.extract(desk.handle, schema, with_=lambda *_: pytest.fail("it is not asked"))


def test_a_free_text_comes_back_as_a_handle() -> None:
    desk = Desk()
    facts = desk.session.extract(desk.handle, {"n": int, "note": str}, with_=lambda *_: {"n": 1, "note": COPIED})
    assert facts["n"] == 1
    assert re.fullmatch(r"\$extract\.\d+ \(text, \d+ characters\)", facts["note"])
    desk.call(body=facts["note"])
    assert desk.got == [("ann@example.com", COPIED)]
    assert desk.code(to=COPIED) == "untrusted_input"


def test_an_endorsed_value_may_be_named() -> None:
    desk = Desk("please look at ORD-12345678 as soon as you can, it is late")
    tool = desk.tool(destinations=("to",), handles=())
    assert desk.code(to="ORD-12345678", tool=tool) == "untrusted_input"
    order = desk.session.extract(desk.handle, ORDER, with_=lambda value, _: ORDER.search(value)[0])  # type: ignore[index]
    desk.call(to=order, tool=tool)
    assert desk.got == [("ORD-12345678", "")]


def test_typed_dicts_dataclasses_and_models_name_the_members() -> None:
    @dataclasses.dataclass
    class Answer:
        amount: int
        urgent: bool

    class Model:
        """What a model of a validation library looks like."""

        model_fields: ClassVar[dict[str, Any]] = {"amount": None, "urgent": None}
        amount: int
        urgent: bool

        def model_dump(self) -> dict[str, Any]:
            return {"amount": 5, "urgent": True}

    desk = Desk()
    for schema, answer in [(Answer, Answer(5, urgent=True)), (Model, Model()), (Answer, {"amount": 5, "urgent": True})]:
        got = desk.session.extract(desk.handle, schema, with_=lambda *_, said=answer: said)
        assert got == {"amount": 5, "urgent": True}
    facts = {"amount": 1, "urgent": False, "due": None, "urgency": "low", "order": "ORD-1"}
    got = desk.session.extract(desk.handle, Facts, with_=lambda *_: facts)
    assert got["urgency"] is Urgency.LOW
    assert got["order"].startswith("$extract.")


def test_the_extractor_is_given_the_value_and_the_schema() -> None:
    desk = Desk()
    got: list[Any] = []
    desk.session.extract(desk.shown, bool, with_=lambda *given: bool(got.append(given)))
    assert got == [(MAIL, bool)]


@pytest.mark.parametrize("handle", ["$read_email.1", "", MAIL, None, 7])
def test_an_unknown_handle_refuses(handle: Any) -> None:
    session = Desk().session
    refusal = refused(lambda: session.extract(handle, int, with_=lambda *_: 1))
    assert refusal.code == "invalid_arguments"
    assert "money" not in str(refusal)


def test_a_handle_of_another_session_refuses() -> None:
    desk = Desk()
    assert refused(lambda: dana().extract(desk.handle, int, with_=lambda *_: 1)).code == "invalid_arguments"


def test_what_an_extractor_raises_is_not_shown() -> None:
    desk = Desk()

    def fails(value: str, _: Any) -> None:
        raise ValueError(f"cannot read {value}")

    with pytest.raises(ToolError) as caught:
        desk.session.extract(desk.handle, int, with_=fails)
    assert "money" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("source", [None, "callable"])
def test_an_extractor_has_no_session_and_no_call(source: str | None) -> None:
    session = dana()
    desk = Desk(session=session)
    kit = Kit(session=None if source is None else lambda: session)
    inner = kit.tool(name="inner", effect="destructive")(lambda: "ran")
    seen: list[Any] = []

    def extractor(value: str, _: Any) -> bool:
        seen.append((current_session(), current_call()))
        seen.append(Context().run(current_call))
        seen.append(refused(inner).code)
        return True

    def body() -> Any:
        return session.extract(desk.handle, bool, with_=extractor)

    with session.active():
        assert kit.tool(name="outer")(body)() is True
        assert current_session() is session
    assert seen == [(None, None), None, "no_session"]


@pytest.mark.parametrize("is_extractor", [True, False])
def test_requests_of_an_extractor_are_not_the_calls(server: Server, is_extractor: bool) -> None:
    session = dana()
    desk = Desk(session=session)
    kit = Kit(unknown_hosts="refuse")

    def extractor(value: str, _: Any) -> bool:
        thread = threading.Thread(target=ask, args=(value,))
        thread.start()
        thread.join()
        ask(value)
        return True

    def ask(value: str) -> None:
        httpx.post(f"{server.url}/v1", content=value, trust_env=False)

    def body() -> None:
        if is_extractor:
            session.extract(desk.handle, bool, with_=extractor)
        else:
            ask(MAIL)

    outer = kit.tool(name="outer")(body)
    with session.active():
        if is_extractor:
            outer()
            assert not kit.event.actions
        else:
            assert refused(outer).code == "unknown_host"
    assert len(server.arrived) == (2 if is_extractor else 0)


def test_an_async_extractor_has_no_session_either() -> None:
    session = dana()
    desk = Desk(session=session)
    seen: list[Any] = []

    async def extractor(value: str, schema: Any) -> int:
        await asyncio.sleep(0)
        seen.append((current_session(), current_call()))
        return len(value)

    async def body() -> Any:
        found = await session.aextract(desk.handle, int, with_=extractor)
        seen.append((current_session(), current_call() is not None))
        again = await session.aextract(desk.handle, int, with_=lambda value, _: len(value))
        return found, again

    async def main() -> Any:
        with session.active():
            return await Kit().tool(name="outer")(body)()

    assert asyncio.run(main()) == (len(MAIL), len(MAIL))
    assert seen == [(None, None), (session, True)]


def test_an_async_extractor_is_awaited_or_refused() -> None:
    async def extractor(value: str, schema: Any) -> int:
        return 1

    desk = Desk()
    with pytest.raises(TypeError, match="aextract"):
        desk.session.extract(desk.handle, int, with_=extractor)
    with pytest.raises(TypeError, match="callable"):
        desk.session.extract(desk.handle, int, with_=None)  # type: ignore[arg-type]


def test_an_extractor_that_raises_leaves_the_session_current() -> None:
    session = dana()
    desk = Desk(session=session)

    async def extractor(value: str, schema: Any) -> int:
        raise ToolRefused("x", "not_authorized", value)

    async def main() -> None:
        with session.active():
            with pytest.raises(ToolError) as caught:
                await session.aextract(desk.handle, int, with_=extractor)
            assert "money" not in str(caught.value)
            assert current_session() is session

    asyncio.run(main())


def test_a_session_made_current_on_purpose_is() -> None:
    desk = Desk()
    other = Session("bob@example.com")

    def extractor(value: str, _: Any) -> bool:
        with other.active():
            return current_session() is other

    assert desk.session.extract(desk.handle, bool, with_=extractor) is True


class Bits(enum.IntFlag):
    """What may stand together."""

    READ = 1
    WRITE = 2


class Open(str, enum.Enum):
    """Takes what it does not know for a member, as clients of services that grow do."""

    PAID = "paid"

    @classmethod
    def _missing_(cls, value: object) -> Open:
        made = str.__new__(cls, str(value))
        made._name_ = made._value_ = str(value)
        return made


@pytest.mark.parametrize(
    ("schema", "answer"),
    [
        (Open, MAIL),
        (Open, Open(MAIL)),
        (Bits, int.from_bytes(MAIL.encode(), "big")),
        (Bits, Bits(int.from_bytes(MAIL.encode(), "big"))),
        (Bits, 4),
    ],
)
def test_a_member_that_nobody_declared_says_what_it_was_made_of(schema: Any, answer: Any) -> None:
    desk = Desk()
    refusal = refused(lambda: desk.session.extract(desk.handle, schema, with_=lambda *_: answer))
    assert refusal.code == "invalid_arguments"


@pytest.mark.parametrize("answer", [3, Bits.READ | Bits.WRITE])
def test_declared_flags_may_stand_together(answer: Any) -> None:
    desk = Desk()
    assert desk.session.extract(desk.handle, Bits, with_=lambda *_: answer) == Bits.READ | Bits.WRITE
    assert desk.session.extract(desk.handle, Open, with_=lambda *_: "paid") is Open.PAID


class Talks(dict[str, int]):
    """An answer that raises what it was made of when it is looked at."""

    def items(self) -> Any:
        raise ValueError(MAIL)


@dataclasses.dataclass
class Model:
    """An answer that cannot be dumped."""

    def model_dump(self) -> dict[str, int]:
        raise ValueError(MAIL)


@pytest.mark.parametrize("answer", [Talks(n=1), Model()])
def test_an_answer_that_raises_when_it_is_looked_at_is_not_shown(answer: Any) -> None:
    desk = Desk()

    async def extractor(value: str, schema: Any) -> Any:
        return answer

    for run in (
        lambda: desk.session.extract(desk.handle, {"n": int}, with_=lambda *_: answer),
        lambda: asyncio.run(desk.session.aextract(desk.handle, {"n": int}, with_=extractor)),
    ):
        with pytest.raises(ToolError) as caught:
            run()
        assert "money" not in str(caught.value)


def test_a_context_in_which_something_was_extracted_is_the_bodys_all_the_same(server: Server) -> None:
    desk, watched = Desk(), Watched(server.url)

    async def extractor(value: str, schema: Any) -> int:
        return 1

    async def extract() -> Context:
        await desk.session.aextract(desk.handle, int, with_=extractor)
        return copy_context()

    context = asyncio.run(extract())
    send = partial(httpx.post, server.url + REFUSED, json={}, trust_env=False)
    assert watched.refusal(lambda: context.run(send)).code == "not_authorized"
    assert server.arrived == []


ADDRESS = re.compile(r"[a-z]+@[a-z.]+")
EVE = "eve@evil.test"


def test_without_the_persons_words_nobody_asks_who_named_a_value() -> None:
    desk = Desk()
    desk.session.extract(desk.handle, ORDER, with_=lambda *_: "ORD-4711")
    desk.call(tool=desk.kit.tool(name="page", untrusted_output=True)(lambda: "a page"))
    desk.call("nobody@example.com", "hello", tool=desk.tool(sends_out=True))
    assert desk.got == [("nobody@example.com", "hello")]


def test_what_was_extracted_is_not_what_the_person_looked_up() -> None:
    desk = Desk()
    desk.session.trust("Look up the order in the mail")
    order = desk.session.extract(desk.handle, ORDER, with_=lambda *_: "ORD-4711")
    outside: Any = {"effect": "read", "untrusted_output": True}
    look_up = desk.kit.tool(name="look_up", **outside)(lambda order: "All about it is on www.evil.test/order today")
    fetch = desk.kit.tool(name="fetch", **outside)(lambda url: "a page")
    desk.call(order, tool=look_up)
    assert desk.code("www.evil.test/order", tool=fetch) == "untrusted_input"


def test_who_was_extracted_may_be_written_to_and_told_nothing_private() -> None:
    desk = Desk()
    desk.session.trust("Answer the mail")
    address = desk.session.extract(desk.handle, ADDRESS, with_=lambda *_: EVE)
    send = desk.tool(sends_out=True)
    desk.call(tool=desk.kit.tool(name="page", untrusted_output=True)(lambda: f"a page of {EVE}"))
    desk.call(address, "hello", tool=send)
    assert desk.got == [(EVE, "hello")]
    desk.call(tool=desk.kit.tool(name="payroll", reads_private=True)(lambda: "the payroll"))
    assert desk.code(address, "hello", tool=send) == "exfiltration_risk"


def test_a_schema_that_contains_itself_is_an_error() -> None:
    desk = Desk()
    schema: dict[str, Any] = {}
    schema["next"] = schema
    with pytest.raises(TypeError, match="contain itself"):
        desk.session.extract(desk.handle, schema, with_=lambda *_: {})
