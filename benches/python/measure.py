"""The measurements of one environment: whichever package named toolpass it has. Prints one line of JSON.

Only documented names are used, so ours and the published package run the same lines. Each row is the seconds of one
piece of work, or the reason why it could not be measured. A floor is the least that anything doing it would take.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import sysconfig
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

FAKE = [{"id": "demo", "integration": "fake", "users": "dana@example.com", "admins": "admin@example.com"}]


def main() -> None:
    """Measure what is asked for."""
    reader = argparse.ArgumentParser()
    reader.add_argument("--quick", action="store_true")
    reader.add_argument("--standin", help="what the stand-in says about itself, as JSON")
    reader.add_argument("names", nargs="*")
    given = reader.parse_args()
    clock = Clock(quick=given.quick)
    about = json.loads(given.standin) if given.standin else None
    rows: dict[str, Any] = {}
    for name, measure in ROWS.items():
        if given.names and not any(wanted in name for wanted in given.names):
            continue
        try:
            floor, took = measure(clock, about)
            rows[name] = {"floor": floor, "took": took}
        except Exception as error:
            rows[name] = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(rows))


class Clock:
    """Times small work: the best of several rounds, and each round long enough to be seen."""

    def __init__(self, *, quick: bool) -> None:
        self.rounds, self.seconds, self.starts = (3, 0.02, 3) if quick else (15, 0.2, 21)

    def per_call(self, work: Callable[[], object]) -> float:
        """Seconds of one call."""
        count = 1
        while (took := self._loop(work, count)) < self.seconds / 4:
            count *= 2 if took else 10
        return min(self._loop(work, count) / count for _ in range(self.rounds))

    def pair(self, floor: Callable[[int], object], work: Callable[[int], object], count: int) -> tuple[float, float]:
        """Seconds a piece of two loops that are run in turns, so that both meet the same machine."""
        floors, works = [], []
        for _ in range(self.rounds):
            floors.append(self._once(floor, count))
            works.append(self._once(work, count))
        return statistics.median(floors), statistics.median(works)

    def program(self, words: list[str]) -> float:
        """Seconds from the start of a program to its end."""
        return min(self._run(words) for _ in range(self.starts))

    @staticmethod
    def _loop(work: Callable[[], object], count: int) -> float:
        started = time.perf_counter()
        for _ in range(count):
            work()
        return time.perf_counter() - started

    @staticmethod
    def _once(work: Callable[[int], object], count: int) -> float:
        started = time.perf_counter()
        work(count)
        return (time.perf_counter() - started) / count

    @staticmethod
    def _run(words: list[str]) -> float:
        started = time.perf_counter()
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - started


def plain_tool(clock: Clock, _: Any) -> tuple[float, float]:
    """A tool with nothing declared, over the same function without it."""
    import toolpass

    def body(name: str) -> str:
        return name

    tool = toolpass.Toolkit(audit=None).tool()(body)
    with toolpass.Session("dana@example.com").active():
        return clock.per_call(lambda: body("door")), clock.per_call(lambda: tool("door"))


def declared_tool(clock: Clock, _: Any) -> tuple[float, float]:
    """A tool with scope, authorizer and credential."""
    import toolpass

    engine = toolpass.Toolpass(connections=FAKE, decision_cache_seconds=3600)

    def body(name: str, *, credential: str = "") -> int:
        return len(name)

    def secured(name: str, *, credential: str) -> int:
        return len(name)

    tool = toolpass.Toolkit(audit=None, credentials={"bot": "not-a-real-secret"}).tool(
        effect="write",
        scope={"name": "do*"},
        authorize=toolpass.permission_check(engine, "demo", "thing.write", "thing:{name}"),
        credential="bot",
    )(secured)
    with toolpass.Session("admin@example.com").active():
        return clock.per_call(lambda: body("door")), clock.per_call(lambda: tool("door"))


def cached_check(clock: Clock, _: Any) -> tuple[float, float]:
    """A check whose answer is kept, over one look-up in a dictionary."""
    import toolpass

    engine = toolpass.Toolpass(connections=FAKE, decision_cache_seconds=3600)
    question = ("dana@example.com", "demo", "thing.read", "thing:door")
    kept = {question: engine.check(*question)}
    assert kept[question].decision == "allow"
    return clock.per_call(lambda: kept[question]), clock.per_call(lambda: engine.check(*question))


def observed_urllib3(clock: Clock, about: Any) -> tuple[float, float]:
    """A request of a tool's body through urllib3, over the same request outside."""
    import urllib3

    pool = urllib3.PoolManager(headers={"Authorization": f"Bearer {about['token']}", "User-Agent": "bench"})
    address = f"{about['api_url']}/repos/acme/shop"
    return observed(clock, about, lambda: pool.request("GET", address).status)


def observed_httpx(clock: Clock, about: Any) -> tuple[float, float]:
    """The same through httpx."""
    import httpx

    with httpx.Client(headers={"Authorization": f"Bearer {about['token']}"}, trust_env=False) as client:
        address = f"{about['api_url']}/repos/acme/shop"
        return observed(clock, about, lambda: client.get(address).status_code)


def observed(clock: Clock, about: Any, send: Callable[[], int]) -> tuple[float, float]:
    """Send inside and outside a tool whose engine knows the host; the user may read."""
    import toolpass

    engine = toolpass.Toolpass(
        connections=[
            {
                "id": "github",
                "integration": "github",
                "url": about["url"],
                "organization": about["organization"],
                "token": toolpass.literal(about["engine_token"]),
                "identity_mode": "template",
                "email_domains": "example.com",
            }
        ],
        decision_cache_seconds=3600,
    )
    assert engine.allowed("dana@example.com", "github", "repo.read", "repo:acme/shop")

    def body(count: int) -> None:
        for _ in range(count):
            assert send() == 200

    tool = toolpass.Toolkit(permissions=engine, act_as="user", audit=None).tool()(body)
    with toolpass.Session("dana@example.com").active():
        body(5)
        tool(5)
        return clock.pair(body, tool, 20 if clock.rounds < 10 else 200)


def importing(clock: Clock, _: Any) -> tuple[float, float]:
    """`import toolpass` in a new interpreter, over the start of the interpreter."""
    bare = clock.program([sys.executable, "-I", "-c", "pass"])
    return bare, clock.program([sys.executable, "-I", "-c", "import toolpass"])


def version(clock: Clock, _: Any) -> tuple[float, float]:
    """`toolpass version`, over the start of a program that does nothing."""
    command = Path(sysconfig.get_path("scripts")) / "toolpass"
    nothing = shutil.which("true")
    assert nothing is not None
    return clock.program([nothing]), clock.program([str(command), "version"])


ROWS: dict[str, Callable[[Clock, Any], tuple[float, float]]] = {
    "tool call, nothing declared": plain_tool,
    "tool call, scope, authorizer, credential": declared_tool,
    "cached check, in process": cached_check,
    "observed request, urllib3": observed_urllib3,
    "observed request, httpx": observed_httpx,
    "import toolpass": importing,
    "toolpass version": version,
}

if __name__ == "__main__":
    main()
