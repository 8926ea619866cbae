"""A server whose surroundings fail: the system it asks, the database it writes to.

What was acknowledged is there afterwards, what could not be decided was not allowed, and no restart is needed.
"""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from support.serving import PATIENCE, Serving
from support.standin import DANA, ENGINE, GithubStandin
from support.stores import opened

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KEY = "checks-key-0123456789"

#: Short times, so that what lasts is seen to end.
CONFIG = """
listen: {{listen}}
decision_log: none
decision_cache_seconds: 1s
identity_cache_seconds: 1s
api_keys:
  - {{{{name: agents, key: file:agents, scopes: report}}}}
  - {{{{name: people, key: file:people, scopes: dashboard}}}}
  - {{{{name: checks, key: file:checks, scopes: "check,admin"}}}}
server: {{{{{{kept}}, drain: 0s}}}}
connections:
  - {connection}
"""


@pytest.fixture(scope="module")
def github() -> Iterator[GithubStandin]:
    """A stand-in GitHub."""
    with GithubStandin() as standin:
        yield standin


class Checking(Serving):
    """A server that asks the stand-in."""

    def __init__(self, folder: Path, github: GithubStandin, kept: str = "data: kept") -> None:
        folder.mkdir(exist_ok=True)
        (folder / "checks").write_text(KEY)
        keys = json.dumps(github.connection(timeout="2s")).replace("{", "{{").replace("}", "}}")
        super().__init__(folder, kept, CONFIG.format(connection=keys))

    def check(self, user: str = DANA, action: str = "repo.read", resource: str = "repo:acme/shop") -> dict[str, Any]:
        """Ask."""
        asked = {"user": user, "connection": "github", "action": action, "resource": resource}
        return self._ask("/v1/check", KEY, json.dumps(asked).encode())

    def until(self, decision: str, within: float = PATIENCE) -> float:
        """Ask until this is the answer; how long that took."""
        began = time.monotonic()
        while self.check()["decision"] != decision:
            assert time.monotonic() - began < within, f"still not {decision}"
            time.sleep(0.05)
        return time.monotonic() - began

    def breaker(self) -> str:
        """The line of the metrics that says how the connection's breaker stands."""
        request = urllib.request.Request(f"{self.url}/metrics", headers={"Authorization": f"Bearer {KEY}"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=PATIENCE) as answer:
            lines = answer.read().decode().splitlines()
        return next(line for line in lines if line.startswith("toolpass_breaker_state{"))


@pytest.fixture
def server(github: GithubStandin, tmp_path: Path) -> Iterator[Checking]:
    """A server that asks the stand-in, which has no faults."""
    github.reset()
    serving = Checking(tmp_path / "serving", github)
    yield serving
    serving.kill()


FAULTS: list[Any] = [
    "close",
    "hang",
    "truncated",
    "malformed_json",
    {"status": {"status": 502}},
    {"status": {"status": 429, "headers": {"Retry-After": "1"}}},
    {"status": {"status": 401}},
    {"slow_drip": {"every_ms": 500}},
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault if isinstance(fault, str) else next(iter(fault)))
def test_a_system_that_fails_allows_nobody_and_is_asked_again_once_it_is_back(
    server: Checking, github: GithubStandin, fault: Any
) -> None:
    assert server.check()["decision"] == "allow"
    github.fail("/", fault)
    server.until("unknown", within=10)
    for _ in range(3):
        said = server.check()
        assert said["decision"] == "unknown", said
        assert said["code"] not in ("allowed", "not_permitted"), said
    github.heal()
    server.until("allow", within=30)


def test_a_system_that_is_down_is_left_alone_until_one_trial_succeeds(server: Checking, github: GithubStandin) -> None:
    assert server.check()["decision"] == "allow"
    github.fail("/", "close")
    server.until("unknown", within=10)
    for _ in range(50):
        if server.breaker().endswith(" 1"):
            break
        server.check()
    assert server.breaker().endswith(" 1")
    arrived = len(github.arrived(ENGINE)) + len(github.requests())
    began = time.monotonic()
    answers = [server.check() for _ in range(50)]
    asked = len(github.arrived(ENGINE)) + len(github.requests()) - arrived
    trials = 1 + (time.monotonic() - began) / 2
    assert {said["decision"] for said in answers} == {"unknown"}
    # A trial may take a few requests; fifty checks would have taken fifty times as many.
    assert asked <= 8 * trials
    assert any("circuit" in said["text"] for said in answers), answers[-1]
    github.heal()
    server.until("allow", within=30)
    assert server.breaker().endswith(" 0")


def test_a_system_that_comes_and_goes_is_never_guessed(server: Checking, github: GithubStandin) -> None:
    for _ in range(3):
        server.until("allow", within=30)
        github.fail("/", {"status": {"status": 503}})
        while server.check()["decision"] != "unknown":
            # Whom the system refuses is never let in, whatever it goes through.
            assert server.check(action="pr.create")["decision"] != "allow"
        assert server.check(action="pr.create")["decision"] == "unknown"
        github.heal()
    server.until("allow", within=30)
    assert server.check(action="pr.create")["decision"] == "deny"


def test_a_database_that_is_stopped_and_started_loses_no_acknowledged_run(
    tmp_path: Path, github: GithubStandin
) -> None:
    github.reset()
    with ExitStack() as stack:
        database = stack.enter_context(opened("postgresql", tmp_path))
        folder = tmp_path / "serving"
        folder.mkdir()
        (folder / "database").write_text(database.given)
        server = Checking(folder, github, kept="runs_store: file:database")
        stack.callback(server.kill)
        kept: list[str] = []

        def report(name: str) -> int:
            try:
                server.report([{"id": name, "tool": "look", "user": DANA, "outcome": "ran"}])
            except urllib.error.HTTPError as error:
                return error.code
            kept.append(name)
            return 202

        for number in range(20):
            assert report(f"before.{number}") == 202
        assert database.kill is not None
        assert database.start is not None
        database.kill()
        assert [report(f"during.{number}") for number in range(3)] == [503] * 3
        # Decisions do not hang on where runs are kept.
        assert server.check()["decision"] == "allow"
        database.start()
        until = time.monotonic() + PATIENCE
        while report("after.0") != 202:
            assert time.monotonic() < until
            time.sleep(0.1)
        assert report("after.1") == 202
        assert [row["id"] for row in server.runs()] == kept
