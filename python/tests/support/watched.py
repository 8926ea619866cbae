"""Running a body as a tool over a connection whose engine is told what to allow, and what became of its requests."""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, Any, NamedTuple

import toolpass
from toolpass import Session, ToolRefused

if TYPE_CHECKING:
    from collections.abc import Callable

#: A request every engine here refuses, unless it was told otherwise, and one that is mapped and harmless.
REFUSED = "/api/v3/repos/acme/secret/issues"
ALLOWED = "/api/v3/repos/acme/shop/issues"

#: A write whose resource depends on its body: the branch in it.
CONTENTS = "/api/v3/repos/acme/shop/contents/README.md"


class Answer(NamedTuple):
    """What an engine of somebody else answers."""

    decision: str
    reason: str


class Watched:
    """A toolkit over one connection to a GitHub at `url`, and an engine that allows the resources in `allow`."""

    def __init__(self, url: str, allow: tuple[str, ...] = ("repo:acme/shop",), **settings: Any) -> None:
        self.allow = allow
        self.asked: list[str] = []
        self.connections: list[str] = []
        self.events: list[toolpass.AuditEvent] = []
        self.toolkit = toolpass.Toolkit(
            **{
                "permissions": self,
                "connections": [{"id": "github", "integration": "github", "url": url}],
                "audit": self.events.append,
                **settings,
            }
        )

    def check(self, user: str, connection: str, action: str, resource: str, *_: Any, **__: Any) -> Answer:
        """The engine's only question."""
        self.asked.append(f"{action} {resource}")
        self.connections.append(connection)
        if resource in self.allow:
            return Answer("allow", "ok")
        return Answer("deny", "denied: no")

    def run(self, body: Callable[[], Any]) -> Any:
        """What the tool returns; a coroutine function is awaited on a loop of its own."""
        tool = self.toolkit.tool()(body)
        with Session("dana@example.com").active():
            return asyncio.run(tool()) if inspect.iscoroutinefunction(body) else tool()

    def refusal(self, body: Callable[[], Any]) -> ToolRefused:
        """What the tool was refused with."""
        try:
            answer = self.run(body)
        except ToolRefused as refused:
            return refused
        raise AssertionError(f"the call was not refused and returned {answer!r}")

    def actions(self) -> list[str]:
        """The requests of the last call, as `METHOD path outcome`."""
        return [f"{action.method} {action.path} {action.outcome}" for action in self.events[-1].actions]


class Patient(Watched):
    """The same, with an engine that waits for `turned`, as only an asynchronous one can."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.turned = asyncio.Event()

    async def acheck(self, *args: Any, **kwargs: Any) -> Answer:
        """The engine's only question, answered later."""
        await self.turned.wait()
        return super().check(*args, **kwargs)

    def check(self, *_: Any, **__: Any) -> Answer:
        """Nobody may wait here."""
        raise AssertionError("asked in a way that blocks the loop")
