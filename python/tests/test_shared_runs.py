"""Two servers that keep their runs in one PostgreSQL: each shows the runs of both, in one order."""

from __future__ import annotations

import threading
import time
import urllib.error
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from support.serving import PATIENCE, Serving
from support.stores import opened

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.stores import Store


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A PostgreSQL."""
    with opened("postgresql", tmp_path_factory.mktemp("database")) as store:
        yield store


@pytest.fixture
def pair(database: Store, tmp_path: Path) -> Iterator[list[Serving]]:
    """Two servers on it."""
    with ExitStack() as stack:
        servers = []
        for name in ("one", "other"):
            folder = tmp_path / name
            folder.mkdir()
            (folder / "database").write_text(database.given)
            servers.append(Serving(folder, kept="runs_store: file:database"))
            stack.callback(servers[-1].kill)
        yield servers


def run(id_: str, **more: Any) -> dict[str, Any]:
    return {"id": id_, "tool": "look", "user": "dana@acme.com", "outcome": "ran", **more}


def test_two_servers_behave_as_one(pair: list[Serving]) -> None:
    one, other = pair
    assert one.report([run("once")])["stored"] == 1
    assert other.report([run("once")])["stored"] == 0
    before = one.runs()[-1]["seq"]
    stop = threading.Event()
    seen: list[str] = []

    def follow() -> None:
        """As a page does: what came after the last number. A number that shows late would be missed."""
        since = before
        while True:
            is_last = stop.is_set()
            rows = other.runs(f"?since={since}")
            seen.extend(row["id"] for row in rows)
            since = rows[-1]["seq"] if rows else since
            if is_last and not rows:
                return

    def report(server: Serving, name: str) -> None:
        for number in range(60):
            server.report([run(f"{name}.{number}.{part}") for part in range(3)])

    follower = threading.Thread(target=follow)
    follower.start()
    reporters = [threading.Thread(target=report, args=(pair[i % 2], f"r{i}")) for i in range(4)]
    for thread in reporters:
        thread.start()
    for thread in reporters:
        thread.join()
    stop.set()
    follower.join()
    assert len(seen) == len(set(seen)) == 4 * 60 * 3
    assert [row["seq"] for row in one.runs()] == [row["seq"] for row in other.runs()]
    assert one.events()["epoch"] == other.events()["epoch"]


def test_filters_and_hostile_texts_are_as_in_a_file(pair: list[Serving]) -> None:
    one, other = pair
    one.report(
        [
            run("a", tool="x' OR 1=1 --", user="nul\0@acme.com", actions=[{"connection": "gh\0"}]),
            run("b", outcome="refused", actions=[{"connection": "gh-1"}]),
            run("c", outcome="started", tool="begun"),
        ]
    )
    other.report([run("c", tool="begun")])
    for query, expected in [
        ("?tool=x%27%20OR%201%3D1%20--", ["a"]),
        ("?outcome=refused", ["b"]),
        ("?system=gh-1", ["b"]),
        ("?tool=begun", ["c"]),
        ("?id=a&q=OR", ["a"]),
        ("?tool=look&to=1", []),
    ]:
        assert [row["id"] for row in one.runs(query)] == expected, query
    assert one.runs("?tool=begun")[0]["outcome"] == "ran"


DECIDING = """
listen: {listen}
decision_log: none
api_keys:
  - {{name: agents, key: file:agents, scopes: check}}
  - {{name: people, key: file:people, scopes: dashboard}}
server: {{{kept}, drain: 0s}}
connections:
  - {{id: main, integration: fake, users: dana@example.com}}
"""


def test_each_server_shows_the_decisions_of_both(database: Store, tmp_path: Path) -> None:
    with ExitStack() as stack:
        servers = []
        for name in ("one", "other"):
            folder = tmp_path / name
            folder.mkdir()
            (folder / "database").write_text(database.given)
            servers.append(Serving(folder, kept="runs_store: file:database", config=DECIDING))
            stack.callback(servers[-1].kill)
        asked = []
        for number, server in enumerate(servers):
            question = {"user": "dana@example.com", "connection": "main", "action": "thing.read"}
            asked.append(server.ask("/v1/check", {**question, "resource": f"thing:{number}"})["id"])
        for server in servers:
            until = time.monotonic() + PATIENCE
            rows = server.decisions()
            while {row["id"] for row in rows} != set(asked):
                assert time.monotonic() < until, rows
                time.sleep(0.05)
                rows = server.decisions()
            assert all(row["explained"]["decision"] == "allow" for row in rows)
            assert server.events()["events"] == servers[0].events()["events"]
        assert not set(asked) & {row.get("id") for row in servers[0].runs()}


def test_a_database_that_is_gone_is_said_and_nothing_is_acknowledged(pair: list[Serving], database: Store) -> None:
    assert database.kill is not None
    database.kill()
    with pytest.raises(urllib.error.HTTPError) as refused:
        pair[0].report([run("lost")])
    assert refused.value.code == 503
    assert refused.value.headers["Retry-After"]
    text = refused.value.read().decode()
    assert "cannot be reached" in text
    assert "postgres" not in text
