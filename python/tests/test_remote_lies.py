"""A server that lies, or is none: whatever it answers, an allow is only what a server says in so many words."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import TYPE_CHECKING, Any

import pytest

import toolpass
from support.remote import AGENTS, Liar, Reply, Request
from toolpass import Session, ToolRefused

if TYPE_CHECKING:
    from collections.abc import Iterator

QUESTION = ("dana@example.com", "github", "repo.read", "repo:acme/shop")
ALLOW = '{"decision":"allow","reason":"allowed: yes"}'


@pytest.fixture
def liar() -> Iterator[Liar]:
    """A server that says allow."""
    with Liar(lambda _: Reply(200, ALLOW)) as server:
        yield server


async def soon(remote: toolpass.Toolpass) -> toolpass.Decision:
    """The answer of an asynchronous check."""
    return await remote.acheck(*QUESTION)


def test_what_is_sent(liar: Liar) -> None:
    assert liar.remote().check(*QUESTION).allowed
    (request,) = liar.arrived
    assert (request.method, request.path) == ("POST", "/check")
    assert request.headers["authorization"] == f"Bearer {AGENTS}"
    assert request.headers["content-type"] == "application/json"
    assert request.json() == {
        "user": "dana@example.com",
        "connection": "github",
        "action": "repo.read",
        "resource": "repo:acme/shop",
    }
    liar.remote().check(*QUESTION, ["g"], fresh=True, token="t.o.k")
    assert liar.arrived[1].json() == {
        **request.json(),
        "groups": ["g"],
        "fresh": True,
        "token": "t.o.k",
    }
    liar.remote().check(*QUESTION, (), token="")
    assert liar.arrived[2].json() == request.json()
    liar.remote().check(*QUESTION, max_age=1.5)
    assert (liar.arrived[3].path, liar.arrived[3].json()["max_age"]) == ("/v1/check", 1.5)
    liar.remote().check(*QUESTION, facts={"a": "b"})
    assert (liar.arrived[4].path, liar.arrived[4].json()["facts"]) == ("/v1/check", {"a": "b"})


def test_a_base_path_is_kept(liar: Liar) -> None:
    liar.remote(url=f"{liar.url}/pass/").check(*QUESTION)
    assert liar.arrived[0].path == "/pass/check"


@pytest.mark.parametrize(
    "reply",
    [
        Reply(201, ALLOW),
        Reply(203, ALLOW),
        Reply(400, ALLOW),
        Reply(401, ALLOW),
        Reply(403, ALLOW),
        Reply(404, ALLOW),
        Reply(500, ALLOW),
        Reply(503, ALLOW, {"Retry-After": "1"}),
        Reply(200, '{"decision":"deny","decision":"allow"}'),
        Reply(200, '{"decision":"allow","reason":"denied: no"}'),
        Reply(200, '{"Decision":"allow"}'),
        Reply(200, '{"decision":"ALLOW"}'),
        Reply(200, '{"decision":true}'),
        Reply(200, '{"decision":{"decision":"allow"}}'),
        Reply(200, f"[{ALLOW}]"),
        Reply(200, f"{ALLOW}{ALLOW}"),
        Reply(200, ALLOW[:-1]),
        Reply(200, b"\xff" + ALLOW.encode()),
        Reply(200, ALLOW.encode("utf-16")),
        Reply(200, ""),
        Reply(200, "allow"),
        Reply(200, "<html>allow</html>", {"Content-Type": "text/html"}),
        Reply(200, ALLOW[:-1] + ',"x":"' + "a" * 2_000_000 + '"}'),
        Reply(200, ALLOW[:-1] + ',"x":' + "[" * 5000 + "]" * 5000 + "}"),
    ],
)
def test_a_lie_is_no_allow(reply: Reply) -> None:
    with Liar(lambda _: reply) as liar:
        remote = liar.remote()
        decision = remote.check(*QUESTION)
        assert (decision.decision, decision.code, decision.status) == ("unknown", "client_error", reply.status)
        assert asyncio.run(soon(remote)) == decision
        assert not remote.allowed(*QUESTION)
        assert {one.decision for one in remote.check_many([QUESTION] * 2)} == {"unknown"}
        kit = toolpass.Toolkit(audit=None, intercept=False, permissions=remote)
        check = toolpass.permission_check(remote, "github", "repo.read", "repo:acme/shop")
        tool = kit.tool(authorize=check, name="tool")(lambda: pytest.fail("the body ran"))
        with Session("dana@example.com").active(), pytest.raises(ToolRefused) as refused:
            tool()
        assert refused.value.code == "authorization_error"


def test_more_than_is_known_is_ignored() -> None:
    body = json.dumps({**json.loads(ALLOW), "identity": 7, "later": {"decision": "deny"}})
    with Liar(lambda _: Reply(200, body)) as liar:
        decision = liar.remote().check(*QUESTION)
    assert (decision.decision, decision.identity) == ("allow", "")


def test_a_batch_of_another_length_answers_nothing() -> None:
    body = json.dumps({"results": [json.loads(ALLOW)]})
    with Liar(lambda _: Reply(200, body)) as liar:
        assert liar.remote().check_many([QUESTION])[0].allowed
        assert [one.code for one in liar.remote().check_many([QUESTION] * 2)] == ["client_error"] * 2


def test_a_redirect_is_not_followed() -> None:
    with Liar(lambda _: Reply(200, ALLOW)) as thief:
        to = {"Location": f"{thief.url}/check"}
        with Liar(lambda _: Reply(307, ALLOW, to)) as liar:
            decision = liar.remote().check(*QUESTION)
        assert (decision.code, decision.status) == ("client_error", 307)
        assert thief.arrived == []


def test_one_connection_is_kept_and_a_dead_one_replaced(liar: Liar) -> None:
    remote = liar.remote()
    assert all(remote.allowed(*QUESTION) for _ in range(20))
    assert liar.connections < 5  # the next question may come before a connection is quiet again
    with Liar(lambda _: Reply(200, ALLOW)) as closing:
        # It says nothing of it, and closes all the same: as a server does whose idle time is over.
        closing._server.RequestHandlerClass = type(
            "Closing",
            (closing._server.RequestHandlerClass,),  # type: ignore[misc]
            {"handle": lambda self: self.handle_one_request()},
        )
        remote = closing.remote()
        assert all(remote.allowed(*QUESTION) for _ in range(20))
        assert len(closing.arrived) == 20


def test_a_slow_server_is_waited_for_so_long_and_no_longer() -> None:
    turned = threading.Event()

    def say(_: Request) -> Reply:
        turned.wait(60)
        return Reply(200, ALLOW)

    with Liar(say) as liar:
        remote = liar.remote(timeout=0.2)
        decision = remote.check(*QUESTION)
        assert (decision.code, decision.status) == ("client_error", 0)
        assert asyncio.run(soon(remote)).code == "client_error"
        turned.set()
        assert liar.remote(timeout=60).check(*QUESTION).allowed


def test_a_shedding_server_says_when_to_ask_again() -> None:
    body = '{"decision":"unknown","reason":"overloaded: too much is being asked"}'
    with Liar(lambda _: Reply(503, body, {"Retry-After": "7"})) as liar:
        decision = liar.remote().check(*QUESTION)
        assert (decision.code, decision.status, decision.retry_after_ms) == ("overloaded", 503, 7000)


@pytest.mark.asyncio
async def test_a_cancelled_check_is_given_up() -> None:
    turned = threading.Event()

    def say(_: Request) -> Reply:
        turned.wait(60)
        return Reply(200, ALLOW)

    with Liar(say) as liar:
        task = asyncio.ensure_future(liar.remote().acheck(*QUESTION))
        while not liar.arrived:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        turned.set()


def test_the_key_is_in_nothing_that_is_shown(liar: Liar, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG", "toolpass")
    remote = liar.remote()
    shown: list[Any] = [remote, remote.check(*QUESTION)]
    liar.__exit__()
    shown.append(remote.check(*QUESTION))
    assert AGENTS not in repr(shown) + str([one.reason for one in shown[1:]]) + caplog.text
