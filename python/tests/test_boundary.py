"""What crosses the boundary to the native guard: raised answers, settings that change, requests that come late."""

from __future__ import annotations

import io
import threading
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import requests

import toolpass
from support.kits import Engine, Kit, dana
from support.watched import ALLOWED, REFUSED, Answer, Watched
from toolpass import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.server import Server


class Raising(Watched):
    """An engine that raises when it is awaited."""

    async def acheck(self, *_: Any, **__: Any) -> Answer:
        """No answer."""
        raise ConnectionError("no answer")


def test_an_engine_that_raises_while_it_is_awaited_has_not_answered(server: Server) -> None:
    watched = Raising(server.url)

    async def body() -> str:
        async with httpx.AsyncClient(trust_env=False) as client:
            try:
                await client.get(server.url + "/api/v3/repos/acme/shop")
            except Exception:  # what a client makes of it is its own affair
                return "went on"
        return "sent"

    assert watched.refusal(body).code == "authorization_error"
    assert server.arrived == []


def test_an_engine_that_raises_at_a_request_is_the_refusals_cause(server: Server) -> None:
    watched = Raising(server.url)
    watched.check = lambda *_, **__: (_ for _ in ()).throw(ConnectionError("no answer"))  # type: ignore[method-assign]

    async def later() -> None:
        async with httpx.AsyncClient(trust_env=False) as client:
            await client.get(server.url + "/api/v3/repos/acme/shop")

    for body in (lambda: requests.get(server.url + "/api/v3/repos/acme/shop", timeout=9), later):
        refusal = watched.refusal(body)
        assert refusal.code == "authorization_error"
        assert isinstance(refusal.__cause__, ConnectionError)
    assert server.arrived == []


def test_a_write_that_nobody_is_asked_about_is_warned_of_once(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    def warnings_of(method: str, **settings: Any) -> list[str]:
        caplog.clear()
        kit = toolpass.Toolkit(audit=None, **settings)
        tool = kit.tool(name="send")(lambda: requests.request(method, server.url + "/x", timeout=9).status_code)
        with Session("dana@example.com").active():
            tool()
            tool()
        return [record.getMessage() for record in caplog.records if record.name == "toolpass.toolkit"]

    (said,) = warnings_of("POST")
    assert said.startswith("send: a write request left and nobody was asked")
    assert "toolpass.configure(permissions=...)" in said
    assert warnings_of("GET") == []
    assert warnings_of("POST", unknown_hosts="allow") == []
    assert warnings_of("POST", connections=[]) == []
    assert warnings_of("POST", permissions=Watched(server.url), connections=[]) == []


def test_a_call_keeps_the_engine_it_began_with(server: Server, configure: Callable[..., Any]) -> None:
    first, second = Watched(server.url), Watched(server.url, allow=("repo:acme/secret",))
    connections = [{"id": "github", "integration": "github", "url": server.url}]
    configure(permissions=first, connections=connections)

    @toolpass.tool()
    def body() -> int:
        configure(permissions=second, connections=connections)
        return requests.post(server.url + REFUSED, json={"title": "t"}, timeout=9).status_code

    with Session("dana@example.com").active(), pytest.raises(toolpass.ToolRefused) as refused:
        body()
    assert refused.value.code == "not_authorized"
    assert (first.asked, second.asked) == (["issue.create repo:acme/secret"], [])
    assert server.arrived == []


def test_each_late_request_is_one_event(server: Server) -> None:
    watched = Watched(server.url)
    ended, done = threading.Event(), threading.Event()
    codes: list[str] = []

    def late() -> None:
        ended.wait(9)
        for _ in range(2):
            try:
                requests.post(server.url + ALLOWED, json={"title": "late"}, timeout=9)
            except toolpass.ToolRefused as refused:
                codes.append(refused.code)
        done.set()

    def body() -> str:
        requests.post(server.url + ALLOWED, json={"title": "in time"}, timeout=9)
        threading.Thread(target=late).start()
        return "ended"

    tool = watched.toolkit.tool()(body)
    with Session("dana@example.com").active():
        assert tool() == "ended"
    ended.set()
    assert done.wait(9)
    assert codes == ["check_error", "check_error"]
    call, late_one = watched.events
    assert (call.outcome, len(call.actions)) == ("ran", 1)
    assert (late_one.outcome, late_one.code) == ("late", "check_error")
    assert [action.note for action in late_one.actions] == ["late"]


def test_an_engine_that_names_no_connections_is_not_set_up(server: Server) -> None:
    watched = Watched(server.url, connections=None)

    def body() -> int:
        return requests.post(server.url + REFUSED, json={"title": "t"}, timeout=9).status_code

    assert watched.refusal(body).code == "not_configured"
    assert server.arrived == []


@pytest.mark.parametrize("url", ["github.corp.example", "https://", "https://a b"])
def test_a_connection_that_is_nowhere_is_an_error(url: str) -> None:
    with pytest.raises(ValueError, match="`github`"):
        Watched(url)


def test_an_engine_is_told_the_token_at_a_request_and_asked_fresh_for_what_destroys(server: Server) -> None:
    engine = Engine()
    connections = [{"id": "github", "integration": "github", "url": server.url}]
    kit = Kit(permissions=engine, connections=connections)
    repo = f"{server.url}/api/v3/repos/acme/shop"

    def body() -> None:
        httpx.post(f"{repo}/issues", json={"title": "a title"}, trust_env=False)
        httpx.delete(repo, trust_env=False)

    with dana(token="t0k3n-of-dana").active():
        kit.tool()(body)()
    keywords = [keywords for _, keywords in engine.asked]
    assert len(keywords) >= 2
    assert all(asked["token"] == "t0k3n-of-dana" for asked in keywords)
    assert "fresh" not in keywords[0] or keywords[0]["fresh"] is False
    assert keywords[1]["fresh"] is True


def test_a_file_that_is_returned_is_read_within_bounds() -> None:
    with dana().active():
        assert Kit().tool()(lambda: io.StringIO("one\ntwo\n"))() == ["one\n", "two\n"]
        endless = type("Endless", (io.StringIO,), {"__next__": lambda self: "x" * 1_000_000})
        with pytest.raises(ValueError, match="more than"):
            Kit().tool()(lambda: endless())()
