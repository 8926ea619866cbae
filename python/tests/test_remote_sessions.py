"""What a server keeps and is reported: sessions through `/v1/sessions`, and the calls of a remote toolkit."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any

import pytest

from support.remote import AGENTS, PEOPLE, Asked
from support.standin import DANA
from toolpass import Session, Toolkit, ToolRefused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.standin import GithubStandin


@pytest.fixture(scope="module")
def server(_github: GithubStandin, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """One server for all tests."""
    running = Asked(tmp_path_factory.mktemp("server"), _github)
    yield running
    running.kill()


def asked(server: Asked, session: str, body: Any, key: str = AGENTS) -> tuple[int, Any]:
    """What a session's path answers."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    url = f"{server.url}/v1/sessions/{session}"
    request = urllib.request.Request(url, data=data, headers={"Authorization": f"Bearer {key}"})
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_operations(server: Asked) -> None:
    cap = {"key": {"tool": "send"}, "at_most": 1}
    reserve = {"op": "reserve", "person": "p1", "caps": [cap]}
    assert asked(server, "s1", {**reserve, "ticket": "0" * 31 + "1"})[1].get("exhausted") is None
    status, answer = asked(server, "s1", {**reserve, "ticket": "0" * 31 + "2"})
    assert (status, answer["exhausted"]) == (200, cap)
    asked(server, "s1", {"op": "mark", "untrusted": True, "private": False})
    asked(server, "s1", {"op": "record", "of": "outside", "hashes": [7, 2**64 - 1], "capacity": 10})
    status, answer = asked(server, "s1", {"op": "matches", "hashes": [1, 7, 2**64 - 1]})
    assert (answer["untrusted"], answer["private"]) == (True, False)
    assert sorted(answer["known"]["outside"]) == [7, 2**64 - 1]
    assert asked(server, "s2", {"op": "get"})[1]["untrusted"] is False


@pytest.mark.parametrize(
    ("session", "body", "key", "status"),
    [
        ("s", {"op": "get"}, PEOPLE, 403),
        ("s", {"op": "get"}, "nobody", 401),
        ("s", {"op": "forget"}, AGENTS, 400),
        ("s", {"op": "get", "more": 1}, AGENTS, 400),
        ("s", b'{"op":"get","op":"get"}', AGENTS, 400),
        ("s", b"", AGENTS, 400),
        ("s", {"op": "matches", "hashes": [1] * 50_001}, AGENTS, 400),
        ("s", b" " * 1_100_000, AGENTS, 413),
        ("s/t", {"op": "get"}, AGENTS, 404),
        ("%7Bid%7D", {"op": "get"}, AGENTS, 404),
        ("s" * 129, {"op": "get"}, AGENTS, 404),
    ],
)
def test_what_is_not_answered(server: Asked, session: str, body: Any, key: str, status: int) -> None:
    assert asked(server, session, body, key)[0] == status


def test_the_toolkits_own_server_keeps_its_sessions(server: Asked, github: GithubStandin) -> None:
    def toolkit() -> Toolkit:
        return Toolkit(permissions=server.remote(), session_store="server", audit=None)

    page = "word " * 6 + " ".join(f"word{number}" for number in range(30_000))
    read = toolkit().tool(name="read", effect="read", untrusted_output=True)(lambda: page)
    write = toolkit().tool(name="write", effect="write")(lambda text: "written")
    with Session(DANA, id="a-conversation").active():
        read()
    with Session(DANA, id="a-conversation").active():
        with pytest.raises(ToolRefused) as refused:
            write(" ".join(f"word{number}" for number in range(29_000, 29_010)))
        assert refused.value.code == "untrusted_input"
        assert write("nothing of that") == "written"
    assert github.arrived() == []


def test_without_a_server_there_is_no_such_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOOLPASS_URL", raising=False)
    with pytest.raises(ValueError, match="TOOLPASS_URL"):
        Toolkit(session_store="server")


AGENT = """
import sys
import toolpass
toolpass.configure(permissions=toolpass.Toolpass.remote(), audit=None)

@toolpass.tool(effect="read")
def look(repo: str) -> str:
    if repo == "slow":
        print("running", flush=True)
        sys.stdin.readline()
    return repo

with toolpass.Session("dana@example.com").active():
    for line in sys.stdin:
        look(line.strip())
        print("done", flush=True)
"""


def test_calls_are_reported_with_nothing_else_configured(server: Asked, tmp_path: Any) -> None:
    script = tmp_path / "remote_agent.py"
    script.write_text(textwrap.dedent(AGENT))
    with subprocess.Popen(
        [sys.executable, str(script)],
        env=server.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write("acme/shop\nslow\n")
        process.stdin.flush()
        assert [process.stdout.readline() for _ in range(2)] == ["done\n", "running\n"]
        rows = server.wait_for(2, "?server=remote_agent")
        assert [(row["outcome"], row["arguments"]["repo"]) for row in rows] == [
            ("ran", "acme/shop"),
            ("started", "slow"),
        ]
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.stdout.readline() == "done\n"
        process.stdin.close()
        assert process.wait(60) == 0
        assert process.stderr.read() == ""
    rows = server.runs("?server=remote_agent")
    assert [(row["outcome"], row["server"], row["reported_by"]) for row in rows] == [
        ("ran", "remote_agent", "agents")
    ] * 2
    assert AGENTS not in json.dumps(rows)
