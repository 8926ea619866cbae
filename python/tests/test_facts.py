"""What a request says besides its resource reaches an engine of somebody else, or the request is refused."""

from __future__ import annotations

import urllib.request
from typing import TYPE_CHECKING, Any

import toolpass
from support.watched import Answer, Watched
from toolpass import Session, ToolRefused

if TYPE_CHECKING:
    from support.server import Server


class Yes:
    """An engine that allows everything it can be asked, and keeps what it was told."""

    def __init__(self) -> None:
        self.told: list[dict[str, str] | None] = []

    def check(
        self, user: str, connection: str, action: str, resource: str, groups: Any = None, *, fresh: bool = False
    ) -> Answer:
        """Answer without facts."""
        self.told.append(None)
        return Answer("allow", "ok")


class Told(Yes):
    """The same, told all there is."""

    def check(self, *_: Any, facts: dict[str, str] | None = None, **__: Any) -> Answer:  # type: ignore[override]
        """Answer with facts."""
        self.told.append(facts)
        return Answer("allow", "ok")


def merge(url: str) -> str:
    request = urllib.request.Request(f"{url}/api/v3/repos/acme/shop/pulls/7/merge", data=b"{}", method="PUT")
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request) as answer:
        return str(answer.status)


def run(engine: Any, server: Server) -> str:
    watched = Watched(server.url, permissions=engine)
    with Session("dana@example.com").active():
        try:
            return str(watched.toolkit.tool()(lambda: merge(server.url))())
        except ToolRefused as refused:
            return refused.code


def test_an_engine_is_told_what_else_a_request_says(server: Server) -> None:
    engine = Told()
    assert run(engine, server) == "200"
    assert engine.told
    assert all(engine.told)


def test_an_engine_that_cannot_be_told_decides_nothing(server: Server) -> None:
    engine = Yes()
    assert run(engine, server) == "not_configured"
    assert engine.told == []
    assert not server.arrived


def test_the_engine_in_this_process_takes_facts() -> None:
    engine = toolpass.Toolpass(connections=[{"id": "demo", "integration": "fake", "users": "dana@example.com"}])
    decision = engine.check("dana@example.com", "demo", "thing.read", "thing:x", facts={"a": "b"})
    assert decision.status == 200
