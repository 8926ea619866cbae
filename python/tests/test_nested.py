"""Tools in the bodies of tools: what the checks of the inner one send is not the outer body's."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from support.kits import Answer, refused
from support.watched import Watched
from toolpass import Session, permission_check

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.server import Server


class Remote:
    """An engine that asks somebody over the network."""

    def __init__(self, url: str) -> None:
        self.url = url

    def check(self, *_: Any, **__: Any) -> Answer:
        httpx.get(self.url + "/asked", trust_env=False)
        return Answer("allow")


class AsyncRemote(Remote):
    """The same, awaited."""

    async def acheck(self, *_: Any, **__: Any) -> Answer:
        async with httpx.AsyncClient(trust_env=False) as client:
            await client.get(self.url + "/asked")
        return Answer("allow")


def asks(url: str, answer: Any) -> Callable[..., Any]:
    """A callable that sends a request before it answers."""

    def ask(*_: Any) -> Any:
        httpx.get(url + "/asked", trust_env=False)
        return answer

    return ask


def asks_async(url: str, answer: Any) -> Callable[..., Any]:
    """The same, awaited."""

    async def ask(*_: Any) -> Any:
        async with httpx.AsyncClient(trust_env=False) as client:
            await client.get(url + "/asked")
        return answer

    return ask


CHECKS: dict[str, Callable[[str], dict[str, Any]]] = {
    "engine": lambda url: {"authorize": permission_check(Remote(url), "github", "repo.read", "repo:{repo}")},
    "async engine": lambda url: {"authorize": permission_check(AsyncRemote(url), "github", "repo.read", "repo:{repo}")},
    "authorizer": lambda url: {"authorize": asks(url, answer=True)},
    "validator": lambda url: {"validate": {"repo": asks(url, answer=True)}},
    "scope": lambda url: {"scope": {"repo": asks(url, answer=True)}},
    "audience": lambda url: {"sends_out": asks(url, [])},
    "readers": lambda url: {"reads_private": asks(url, ["dana@example.com"])},
}


def is_the_checks(watched: Watched, outer: Callable[[], Any], elsewhere: Server) -> None:
    """The outer call goes on, with no request of its own."""
    assert watched.run(outer) == "inner"
    assert [list(event.actions) for event in watched.events] == [[]] * len(watched.events)
    assert elsewhere.seen() == ["GET /asked"]


@pytest.mark.parametrize("check", CHECKS)
def test_checks_of_an_inner_tool(server: Server, elsewhere: Server, check: str) -> None:
    watched = Watched(server.url, strict=True)
    inner = watched.toolkit.tool(name="inner", **CHECKS[check](elsewhere.url))(lambda repo: "inner")
    is_the_checks(watched, lambda: inner("acme/shop"), elsewhere)


@pytest.mark.parametrize("check", [*CHECKS, "async authorizer"])
def test_checks_of_an_inner_tool_that_is_async(server: Server, elsewhere: Server, check: str) -> None:
    watched = Watched(server.url, strict=True)
    checks = {**CHECKS, "async authorizer": lambda url: {"authorize": asks_async(url, answer=True)}}

    async def body(repo: str) -> str:
        return "inner"

    async def outer() -> Any:
        return await watched.toolkit.tool(name="inner", **checks[check](elsewhere.url))(body)("acme/shop")

    is_the_checks(watched, outer, elsewhere)


@pytest.mark.parametrize("source", [asks, asks_async])
def test_the_credentials_of_an_inner_tool(server: Server, elsewhere: Server, source: Any) -> None:
    watched = Watched(server.url, strict=True, credentials=source(elsewhere.url, "s3cret-s3cret"))

    async def body(*, credential: str) -> str:
        return "inner"

    async def outer() -> Any:
        return await watched.toolkit.tool(name="inner", credential="key")(body)()

    is_the_checks(watched, outer, elsewhere)


def test_the_sink_of_an_inner_tool(server: Server, elsewhere: Server) -> None:
    watched = Watched(server.url, strict=True)
    other = Watched(server.url, audit=asks(elsewhere.url, None))
    inner = other.toolkit.tool(name="inner")(lambda: "inner")
    is_the_checks(watched, lambda: inner(), elsewhere)


def test_what_an_application_makes_of_the_refusal_of_an_inner_tool(server: Server, elsewhere: Server) -> None:
    watched = Watched(server.url, strict=True)
    other = Watched(server.url, on_refuse=asks(elsewhere.url, "inner"))
    inner = other.toolkit.tool(name="inner", authorize=lambda call: False)(lambda: "never")
    is_the_checks(watched, lambda: inner(), elsewhere)


def test_where_an_inner_tool_finds_its_session(server: Server, elsewhere: Server) -> None:
    watched = Watched(server.url, strict=True)
    other = Watched(server.url, session=asks(elsewhere.url, Session("dana@example.com")))
    inner = other.toolkit.tool(name="inner")(lambda: "inner")
    is_the_checks(watched, lambda: inner(), elsewhere)


def test_the_outer_body_is_looked_at_again_afterwards(server: Server, elsewhere: Server) -> None:
    watched = Watched(server.url, strict=True)
    checks = CHECKS["async engine"](elsewhere.url)
    inner = watched.toolkit.tool(name="inner", **checks)(lambda repo: "inner")

    async def abody(repo: str) -> str:
        return "inner"

    ainner = watched.toolkit.tool(name="ainner", **checks)(abody)

    def outer() -> None:
        inner("acme/shop")
        httpx.get(elsewhere.url + "/outer", trust_env=False)

    async def aouter() -> None:
        await asyncio.gather(ainner("acme/shop"), ainner("acme/shop"))
        async with httpx.AsyncClient(trust_env=False) as client:
            await client.get(elsewhere.url + "/outer")

    for body in (outer, aouter):
        assert watched.refusal(body).code == "unknown_host"
    assert elsewhere.seen() == ["GET /asked"] * 3


def test_the_body_of_an_inner_tool_is_looked_at(server: Server, elsewhere: Server) -> None:
    watched = Watched(server.url, strict=True)
    checks = CHECKS["engine"](elsewhere.url)
    inner = watched.toolkit.tool(name="inner", **checks)(
        lambda repo: httpx.get(elsewhere.url + "/inner", trust_env=False)
    )
    refusal = refused(lambda: watched.run(lambda: inner("acme/shop")))
    assert (refusal.tool, refusal.code) == ("inner", "unknown_host")
    assert elsewhere.seen() == ["GET /asked"]
