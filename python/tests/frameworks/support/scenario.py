"""The one scenario that is played under every framework: a tool that reads a repository, then opens a pull request.

GitHub is the stand-in, over TLS and laid out as GitHub Enterprise Server; it counts what arrived. Its people are a
reader, who may change nothing, and an admin. For what needs no request there is `things`, an engine whose one
connection is `demo`. Nothing here knows a framework.
"""

from __future__ import annotations

import json
import socket
import threading
import urllib.request
from collections import deque
from typing import TYPE_CHECKING, Any

import toolpass
from support.kits import Kit
from support.standin import ADMIN, DANA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from support.standin import GithubStandin

#: May read `acme/shop` and change nothing.
READER = DANA

__all__ = ["ADMIN", "READER", "Calls", "Scenario", "Script", "run_all", "things", "unreachable"]


class Scenario:
    """The GitHub of a test, an engine that asks it, and the tool's body.

    Attributes:
        tp: The engine, whose connection is `github`.
        kit: A toolkit with that engine, which keeps its events.
    """

    #: The rule of an adapter for the tool.
    RULE = ("github", "pr.create", "repo:{repo}")

    #: A call's input that asks for what only the admin may.
    INPUT = {"repo": "acme/shop", "title": "Fix a typo"}  # noqa: RUF012 - read only

    def __init__(self, github: GithubStandin) -> None:
        self._github = github
        self.tp = toolpass.Toolpass(connections=[github.connection()])
        self.kit = Kit(permissions=self.tp)

    def open_pr(self, repo: str, title: str) -> str:
        """Open a pull request: the body of the tool, as it would be without toolpass."""
        readme = self._call("GET", f"/repos/{repo}")
        made = self._call("POST", f"/repos/{repo}/pulls", {"title": title, "head": "fix-typo", "base": "main"})
        return f"opened #{made['number']} in {readme['full_name']}"

    @property
    def arrived(self) -> list[str]:
        """What reached GitHub with the tool's login, as `METHOD /path`."""
        return self._github.arrived()

    def _call(self, method: str, path: str, body: dict[str, str] | None = None) -> Any:
        opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=self._github.tls())
        )
        request = urllib.request.Request(
            self._github.api + path,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self._github.token}", "Content-Type": "application/json"},
            method=method,
        )
        with opener.open(request, timeout=30) as answer:
            return json.load(answer)

    #: What arrives when the whole body ran, and when the write was refused.
    READ = ("GET /repos/acme/shop",)
    BOTH = ("GET /repos/acme/shop", "POST /repos/acme/shop/pulls")


class Calls:
    """What the tools of a test were called with, in order, from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: list[Any] = []

    def note(self, call: Any) -> None:
        """A tool ran."""
        with self._lock:
            self._made.append(call)

    @property
    def made(self) -> list[Any]:
        """All so far."""
        with self._lock:
            return list(self._made)


class Script:
    """What a scripted model says, turn by turn, in no framework's words; a framework's test makes its replies of it.

    A turn is a list of `(tool name, input)`, or the text that ends the run. What the model was shown is kept, as text.
    """

    def __init__(self, *turns: list[tuple[str, dict[str, Any]]] | str) -> None:
        self._turns = deque(turns)
        self.seen: list[str] = []

    def next(self, shown: Iterable[str] = ()) -> list[tuple[str, dict[str, Any]]] | str:
        """The next turn, after the model was shown these results of tools."""
        self.seen.extend(shown)
        return self._turns.popleft() if self._turns else "done"

    @property
    def text(self) -> str:
        """All that the model was shown."""
        return "\n".join(self.seen)

    @property
    def ended(self) -> bool:
        """Whether every turn was taken."""
        return not self._turns


def things(**changes: Any) -> toolpass.Toolpass:
    """An engine whose connection `demo` has a reader and an admin, and needs no network.

    `thing:hidden` cannot be seen and `thing:broken` has a rule that cannot be evaluated.

    Args:
        changes: Keys of the connection, such as `fail="upstream_error"`.
    """
    keys = {"id": "demo", "integration": "fake", "users": READER, "admins": ADMIN, **changes}
    return toolpass.Toolpass(connections=[keys])


def unreachable() -> toolpass.Toolpass:
    """An engine behind a server that nobody answers at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    return toolpass.Toolpass.remote(f"http://127.0.0.1:{port}", "a-key-of-nobody", timeout=2.0)


def run_all(*bodies: Callable[[], Any]) -> list[Any]:
    """Run bodies at the same time, a thread each, and answer what each returned."""
    results: list[Any] = [None] * len(bodies)
    start = threading.Barrier(len(bodies))

    def one(index: int, body: Callable[[], Any]) -> None:
        start.wait(timeout=30)
        results[index] = body()

    threads = [threading.Thread(target=one, args=(index, body)) for index, body in enumerate(bodies)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    return results
