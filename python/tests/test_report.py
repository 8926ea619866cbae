"""Calls reported to a server: a real `toolpass serve`, and processes of their own that report to it."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

import pytest

from support.serving import AGENTS, Serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Serving]:
    """A server with nothing reported yet."""
    server = Serving(tmp_path / "serving")
    yield server
    server.kill()


TOOLS = """
import os, sys, time
import toolpass
toolpass.configure(audit=None, **SETTINGS)

@toolpass.tool(effect="read", scope={"repo": "acme/*"})
def look(repo: str, note: str = "") -> str:
    return repo

def looks(count, repo="acme/shop", note="a private note"):
    with toolpass.Session("dana@example.com").active():
        for _ in range(count):
            look(repo, note)
"""


def agent(serving: Serving, code: str, settings: str = "{}", **environment: str) -> subprocess.CompletedProcess[str]:
    """Run an agent as a process."""
    script = serving.folder / "shop_agent.py"
    script.write_text(f"SETTINGS = {settings}\n{TOOLS}\n{textwrap.dedent(code)}")
    done = subprocess.run(
        [sys.executable, str(script)],
        env={**serving.environment(), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


def test_calls_arrive_without_anything_configured(serving: Serving) -> None:
    done = agent(
        serving,
        """
        looks(2)
        try:
            looks(1, repo="evil/shop")
        except toolpass.ToolRefused:
            pass
        """,
    )
    assert done.stderr == ""
    rows = serving.runs()
    assert [row["outcome"] for row in rows] == ["ran", "ran", "refused"]
    assert {(row["server"], row["reported_by"], row["tool"], row["user"]) for row in rows} == {
        ("shop_agent", "agents", "look", "dana@example.com")
    }
    assert len({row["id"] for row in rows}) == 3


def test_arguments_stay_here_unless_they_are_asked_for(serving: Serving) -> None:
    agent(serving, "looks(1)")
    assert "arguments" not in serving.runs()[0]
    agent(serving, "looks(1)", settings='{"dashboard_arguments": True}')
    assert serving.runs()[1]["arguments"] == {"repo": "acme/shop", "note": "a private note"}


@pytest.mark.parametrize("word", ["0", "false", "OFF", "no", "None"])
def test_a_word_switches_it_off(serving: Serving, word: str) -> None:
    agent(serving, "looks(1)", TOOLPASS_DASHBOARD=word, TOOLPASS_URL=serving.url)
    assert serving.runs() == []


def test_the_url_of_the_server_is_enough(serving: Serving) -> None:
    agent(serving, "looks(1)", TOOLPASS_DASHBOARD="", TOOLPASS_URL=serving.url, TOOLPASS_SERVER_NAME="desk")
    assert serving.runs()[0]["server"] == "desk"


def test_no_tool_waits_for_a_server_that_is_gone(serving: Serving) -> None:
    serving.kill()
    done = agent(serving, "looks(50); print('done')")
    assert done.stdout == "done\n"
    assert "50 calls could not be reported" in done.stderr
    assert AGENTS not in done.stderr
    serving.start()


def test_an_address_that_gives_the_key_away_is_said_and_not_used(serving: Serving) -> None:
    done = agent(serving, "looks(2)", TOOLPASS_DASHBOARD="http://example.com")
    assert done.stderr.count("calls are not reported") == 1
    assert "expected https" in done.stderr


def test_a_restart_of_the_server_loses_nothing(serving: Serving) -> None:
    script = serving.folder / "long_agent.py"
    loop = "for line in sys.stdin:\n    looks(int(line))\n    print('done', flush=True)\n"
    script.write_text(f"SETTINGS = {{}}\n{TOOLS}\n{loop}")
    with subprocess.Popen(
        [sys.executable, str(script)],
        env=serving.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def calls(count: int) -> None:
            process.stdin.write(f"{count}\n")  # type: ignore[union-attr]
            process.stdin.flush()  # type: ignore[union-attr]
            assert process.stdout.readline() == "done\n"  # type: ignore[union-attr]

        calls(60)
        serving.wait_for(1)
        serving.kill()
        calls(60)
        serving.start()
        calls(1)
        rows = serving.wait_for(121)
        process.stdin.close()
        assert process.wait(60) == 0
    rows = serving.runs("?tool=look")
    assert len(rows) == len({row["id"] for row in rows}) == 121


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="this system has no fork")
def test_a_forked_child_reports_its_own_calls_and_none_of_its_parents(serving: Serving) -> None:
    agent(
        serving,
        """
        looks(3)
        child = os.fork()
        if child == 0:
            looks(2)
            from toolpass import _native
            _native.finish_reports()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        """,
    )
    rows = serving.runs()
    assert len(rows) == len({row["id"] for row in rows}) == 5


def test_workers_of_multiprocessing_report_before_they_end(serving: Serving) -> None:
    agent(
        serving,
        """
        import multiprocessing
        if __name__ == "__main__":
            context = multiprocessing.get_context("fork")
            workers = [context.Process(target=looks, args=(2,)) for _ in range(2)]
            [worker.start() for worker in workers]
            [worker.join() for worker in workers]
        """,
    )
    assert len(serving.runs()) == 4


def test_what_is_put_aside_comes_with_the_next_process(serving: Serving) -> None:
    spool = serving.folder / "spool"
    serving.kill()
    agent(serving, "looks(60)", TOOLPASS_RUNS_SPOOL=str(spool))
    assert len(list(spool.iterdir())) == 2
    serving.start()
    agent(serving, "looks(1)", TOOLPASS_RUNS_SPOOL=str(spool))
    assert len(serving.wait_for(61)) == 61
    assert list(spool.iterdir()) == []


def test_a_secret_of_a_tool_never_leaves(serving: Serving) -> None:
    agent(
        serving,
        """
        @toolpass.tool(effect="read", credential="key")
        def use(text: str, *, credential: str) -> str:
            raise ValueError(f"{text} failed with {credential}")

        try:
            with toolpass.Session("dana@example.com").active():
                use("sekret-0123456789")
        except Exception as error:
            assert "sekret-0123456789" not in str(error)
        """,
        settings='{"credentials": {"key": "sekret-0123456789"}, "dashboard_arguments": True}',
    )
    assert "sekret-0123456789" not in str(serving.runs())
    assert len(serving.runs()) == 1
