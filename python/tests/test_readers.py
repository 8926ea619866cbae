"""Who may read what was read, and who would read what is sent: `reads_private` and `sends_out` beyond True."""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from support.kits import DANA, Kit, dana, refused
from toolpass import Toolkit, ToolRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from support.server import Server
    from toolpass import Session

KIM, SAM, EVE = "kim@example.com", "sam@example.com", "eve@example.net"
SALARY = "the salary of everyone in the tower is written on this very page"


class Office:
    """Tools that read and send, of one toolkit."""

    def __init__(self, **settings: Any) -> None:
        self.kit = Kit(**settings)
        self.sent: list[str] = []

    def read(self, readers: Any, name: str = "read_payroll", **more: Any) -> Callable[[], Any]:
        """A tool that reads what these may read."""
        tool: Callable[[], Any] = self.kit.tool(name=name, reads_private=readers, **more)(lambda: SALARY)
        return tool

    def mail(self, to: Any, body: str = "hello") -> str:
        """Send a mail with a tool that says to whom."""
        tool = self.kit.tool(effect="write", name="mail", sends_out=lambda call: call.arguments["to"])(self._send)
        return str(tool(to, body))

    def post(self, body: str = "hello") -> str:
        """Send with a tool that does not say to whom."""
        tool = self.kit.tool(effect="write", name="post", sends_out=True)(lambda body: self._send((), body))
        return str(tool(body))

    def browse(self) -> None:
        """See outside text."""
        self.kit.tool(effect="read", name="browse", untrusted_output=True)(lambda: "a page")()

    def _send(self, to: Any, body: str) -> str:
        self.sent.append(body)
        return "sent"


def code(call: Callable[[], Any]) -> str:
    try:
        call()
    except ToolRefused as refusal:
        return refusal.code
    return "ran"


# -- attacks -----------------------------------------------------------------------------------------------------------


def test_a_page_cannot_have_private_data_mailed_to_a_stranger() -> None:
    office = Office()
    with dana().active():
        office.read([KIM])()
        office.browse()
        refusal = refused(lambda: office.mail([KIM, EVE], f"fyi: {SALARY}"))
    assert refusal.code == "exfiltration_risk"
    assert EVE in refusal.reason
    assert KIM not in refusal.reason
    assert "`read_payroll`" in refusal.reason
    assert "`body` repeats private data" in refusal.reason
    assert SALARY not in refusal.reason
    assert office.sent == []


@pytest.mark.parametrize(
    "disguised",
    [
        f"{KIM} ",
        f"Kim <{KIM}>",
        f"{KIM},{EVE}",
        KIM.replace("k", "к"),
        KIM.replace("@", "\uff20"),
        KIM + "\u200b",
        "\uff4bim@example.com",
        f"{KIM}\r\nBcc: {EVE}",
        "kim@EXAMPLE.com.evil.example",
    ],
)
def test_a_reader_in_disguise_is_another(disguised: str) -> None:
    office = Office()
    with dana().active():
        office.read([KIM])()
        assert code(lambda: office.mail([disguised])) == "exfiltration_risk"
        assert code(lambda: office.mail([KIM.upper()])) == "ran"


def test_everything_read_counts_whatever_the_order() -> None:
    office = Office()
    with dana().active():
        office.read([KIM, SAM], name="wiki")()
        assert code(lambda: office.mail([KIM, SAM])) == "ran"
        office.read([KIM], name="payroll")()
        office.read([KIM, SAM], name="wiki")()
        assert code(lambda: office.mail([SAM])) == "exfiltration_risk"
        assert code(lambda: office.mail([KIM])) == "ran"


def test_readers_of_one_call_do_not_widen_those_of_another() -> None:
    office = Office()
    readers = iter([[KIM], [KIM, SAM, EVE]])
    read = office.read(lambda call: next(readers))
    with dana().active():
        read()
        read()
        assert code(lambda: office.mail([EVE])) == "exfiltration_risk"
        assert code(lambda: office.mail([KIM])) == "ran"


# -- the rule ----------------------------------------------------------------------------------------------------------


def test_mail_to_oneself_is_fine_after_anything() -> None:
    office = Office()
    with dana().active():
        office.read(True)()
        office.browse()
        assert code(lambda: office.mail([DANA.title()])) == "ran"
        assert code(lambda: office.mail([KIM])) == "exfiltration_risk"
        assert code(office.post) == "exfiltration_risk"


def test_an_audience_is_held_to_the_readers_without_outside_text_too() -> None:
    office = Office()
    with dana().active():
        office.read([KIM])()
        assert code(lambda: office.mail([EVE])) == "exfiltration_risk"
        assert code(office.post) == "ran"


def test_before_anything_private_was_read_anybody_may_be_told() -> None:
    office = Office()
    with dana().active():
        office.browse()
        assert code(lambda: office.mail([EVE])) == "ran"


def test_nobody_is_told_by_an_empty_audience() -> None:
    office = Office()
    with dana().active():
        office.read(True)()
        office.browse()
        assert code(lambda: office.mail([])) == "ran"


def test_bare_marks_are_what_they_were() -> None:
    office = Office()
    with dana().active():
        office.read([KIM])()
        office.browse()
        refusal = refused(office.post)
    assert refusal.code == "exfiltration_risk"
    assert "`read_payroll`" in refusal.reason


def test_switched_off_asks_nobody() -> None:
    office = Office(exfiltration="off")
    tool = office.kit.tool(effect="write", sends_out=lambda call: 1 / 0)(lambda: "sent")
    with dana().active():
        office.read([KIM])()
        assert tool() == "sent"


def test_the_session_is_marked() -> None:
    office = Office()
    session: Session = dana()
    with session.active():
        office.read([KIM])()
    assert session.read_private


def test_the_callables_get_the_call() -> None:
    office = Office()
    seen: list[Any] = []

    def audience(call: Any) -> Iterable[str]:
        seen.append((call.tool, dict(call.arguments), call.session.user))
        return {call.arguments["to"]}

    tool = office.kit.tool(effect="write", name="tell", sends_out=audience)(lambda to, body="": "told")
    with dana().active():
        assert tool(KIM) == "told"
    assert seen == [("tell", {"to": KIM, "body": ""}, DANA)]


def test_async_tools_are_held_to_the_same() -> None:
    office = Office()

    async def body(to: list[str]) -> str:
        return "sent"

    mail = office.kit.tool(effect="write", sends_out=lambda call: call.arguments["to"])(body)

    async def payroll() -> str:
        return SALARY

    read = office.kit.tool(reads_private=lambda call: [KIM], name="payroll")(payroll)

    async def main() -> list[str]:
        with dana().active():
            await read()
            codes = []
            for to in ([KIM], [EVE]):
                try:
                    codes.append(await mail(to))
                except ToolRefused as refusal:
                    codes.append(refusal.code)
            return codes

    assert asyncio.run(main()) == ["sent", "exfiltration_risk"]


# -- answers that are none ---------------------------------------------------------------------------------------------


async def _later() -> list[str]:
    return [KIM]


def _raise(call: Any) -> list[str]:
    raise KeyError("no such field")


NO_ANSWERS: list[tuple[Callable[[Any], Any], str]] = [
    (_raise, "raised KeyError"),
    (lambda call: _later(), "awaited"),
    (lambda call: KIM, "one str"),
    (lambda call: KIM.encode(), "one bytes"),
    (lambda call: None, "one NoneType"),
    (lambda call: True, "one bool"),
    (lambda call: [KIM, 3], "int in it"),
    (lambda call: [KIM, None], "NoneType in it"),
    (lambda call: [KIM, "  "], "empty text"),
    (lambda call: [KIM, "\ud800"], "str in it"),
    (lambda call: (1 // 0 for _ in "x"), "raised ZeroDivisionError"),
    (lambda call: ["x"] * 100_001, "more than 100000"),
]


@pytest.mark.parametrize(("answers", "said"), NO_ANSWERS)
def test_an_audience_that_is_none_refuses(answers: Any, said: str) -> None:
    kit = Kit()
    ran: list[int] = []
    tool = kit.tool(effect="write", name="tell", limit=1, sends_out=answers)(lambda: ran.append(1))
    session = dana()
    with session.active():
        refusal = refused(tool)
    assert refusal.code == "check_error"
    assert said in refusal.reason
    assert "`sends_out`" in refusal.reason
    assert ran == []
    assert session.count("tool:tell") == 0
    if "raised" in said:
        assert type(refusal.__cause__).__name__ in said


@pytest.mark.parametrize(("answers", "said"), NO_ANSWERS)
def test_readers_that_are_none_refuse(answers: Any, said: str) -> None:
    kit = Kit()
    ran: list[int] = []
    tool = kit.tool(effect="read", reads_private=answers)(lambda: ran.append(1))
    session = dana()
    with session.active():
        refusal = refused(tool)
    assert refusal.code == "check_error"
    assert said in refusal.reason
    assert "`reads_private`" in refusal.reason
    assert ran == []
    assert not session.read_private


def test_an_interrupt_is_no_answer() -> None:
    def interrupted(call: Any) -> list[str]:
        raise KeyboardInterrupt

    kit = Kit()
    tool = kit.tool(effect="write", limit=1, name="tell", sends_out=interrupted)(lambda: None)
    session = dana()
    with session.active(), pytest.raises(KeyboardInterrupt):
        tool()
    assert kit.event.outcome == "cancelled"
    assert session.count("tool:tell") == 0


# -- declarations ------------------------------------------------------------------------------------------------------


async def _async_names(call: Any) -> list[str]:
    return [KIM]


@pytest.mark.parametrize(
    ("declaration", "error", "said"),
    [
        ({"reads_private": KIM}, TypeError, "`reads_private`"),
        ({"reads_private": 1}, TypeError, "`reads_private`"),
        ({"reads_private": [1]}, TypeError, "`reads_private`"),
        ({"reads_private": []}, ValueError, "at least one reader"),
        ({"reads_private": [" "]}, ValueError, "empty text"),
        ({"reads_private": _async_names}, TypeError, "not an async one"),
        ({"sends_out": [KIM]}, TypeError, "`sends_out`"),
        ({"sends_out": "yes"}, TypeError, "`sends_out`"),
        ({"sends_out": _async_names}, TypeError, "not an async one"),
    ],
)
def test_a_declaration_that_names_nobody_is_an_error(declaration: Any, error: Any, said: str) -> None:
    with pytest.raises(error, match=said):
        Kit().tool(**declaration)(lambda: None)


def test_an_iterator_of_readers_is_read_once() -> None:
    office = Office()
    make = office.kit.tool(name="read_payroll", reads_private=iter([KIM]))
    read, _ = make(lambda: SALARY), make(lambda: SALARY)
    assert read.__toolpass__.reads_private == frozenset({KIM})
    with dana().active():
        read()
        assert code(lambda: office.mail([KIM])) == "ran"


def test_the_annotation_names_a_callable() -> None:
    parameters = inspect.signature(Toolkit.tool).parameters
    assert all("Callable" in str(parameters[name].annotation) for name in ("reads_private", "sends_out"))


# -- what the body of such a call sends --------------------------------------------------------------------------------


def mail_by(office: Office, url: str, before: Callable[[], object] = object) -> Callable[..., Any]:
    """A tool that says to whom it posts, and does something before. No connection is there."""

    def mail(to: list[str], body: str) -> int:
        before()
        return httpx.post(f"{url}/mail", json={"to": to, "body": body}, trust_env=False).status_code

    return office.kit.tool(name="mail", sends_out=lambda call: call.arguments["to"])(mail)


def test_what_a_call_sends_to_those_it_named_leaves(server: Server) -> None:
    office = Office()
    with dana().active():
        office.read([KIM])()
        office.browse()
        assert mail_by(office, server.url)([KIM], "hello") == 200
        assert code(lambda: mail_by(office, server.url)([EVE], "hello")) == "exfiltration_risk"
        unsaid = office.kit.tool(name="unsaid")(lambda: httpx.post(server.url, trust_env=False).status_code)
        assert code(unsaid) == "exfiltration_risk"
    assert len(server.arrived) == 1


def test_what_the_body_itself_reads_counts_for_what_it_sends(server: Server) -> None:
    office = Office()
    with dana().active():
        office.read([KIM])()
        office.browse()
        mail = mail_by(office, server.url, before=office.read([SAM], name="read_more"))
        assert code(lambda: mail([KIM], "hello")) == "exfiltration_risk"
        assert code(lambda: mail([DANA], "to myself")) == "ran"
    assert len(server.arrived) == 1
