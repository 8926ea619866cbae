"""The examples, run as a stranger would: a new process each, and what they print is what they promise."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import toolpass
from support.standin import ROOT

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLES = ROOT / "examples"


def run(name: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run an example from an empty folder."""
    return subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / name), *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def outcomes(output: str) -> list[tuple[str, str, str]]:
    """Who, which tool, and the word the line below begins with."""
    steps = re.findall(r"^\d+ +(\w+) +(\w+)\(.*\n +(\w+): ", output, flags=re.MULTILINE)
    return [(who, tool, outcome) for who, tool, outcome in steps]


def test_the_ops_agent_ends_as_its_table_says(tmp_path: Path) -> None:
    ran = run("ops_agent.py", tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stderr == ""
    assert outcomes(ran.stdout) == [
        ("dana", "service_health", "ran"),
        ("dana", "read_email", "ran"),
        ("dana", "delete_branch", "out_of_scope"),
        ("dana", "delete_branch", "untrusted_input"),
        ("dana", "customer_tickets", "ran"),
        ("dana", "post_slack", "out_of_scope"),
        ("dana", "post_slack", "exfiltration_risk"),
        ("dana", "open_gitops_pr", "not_authorized"),
        ("admin", "open_gitops_pr", "ran"),
    ]
    assert "9 audit events" in ran.stdout
    assert f"ran: {toolpass.FENCE_START}" in ran.stdout
    assert "gitops-bot-token" not in ran.stdout


def test_the_wire_agent_stops_the_one_request(tmp_path: Path) -> None:
    ran = run("wire_agent.py", tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stderr == ""
    assert outcomes(ran.stdout) == [("dana", "propose", "not_authorized"), ("admin", "propose", "ran")]
    assert re.findall(r"GET +is github:repo.read on (\S+), as the agent: (\w+)", ran.stdout) == [
        ("repo:acme/shop", "allowed"),
        ("repo:acme/shop", "allowed"),
    ]
    assert re.findall(r"POST +is github:pr.create on (\S+), as (\w+): (\w+)", ran.stdout) == [
        ("repo:acme/shop", "dana", "refused"),
        ("repo:acme/shop", "admin", "allowed"),
    ]
    saw = re.findall(r"GitHub saw: (.*)", ran.stdout)
    assert saw == [
        "GET /repos/acme/shop/contents/README.md",
        "GET /repos/acme/shop/contents/README.md, POST /repos/acme/shop/pulls",
    ]
    assert "The refused POST never reached the server." in ran.stdout


def test_the_watched_agent_ends_as_its_day_says(tmp_path: Path) -> None:
    ran = run("watch_agent.py", tmp_path, "--once")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stderr == ""
    count, _, ended = ran.stdout.strip().partition(" calls: ")
    assert ended.split(", ") == DAY
    assert int(count) == len(DAY)


DAY = [
    *("ran", "ran", "ran", "ran", "ran", "not_authorized", "out_of_scope", "not_authorized", "ran"),
    *("untrusted_input", "out_of_scope", "ran", "ran", "authorization_error"),
]


def test_the_sample_configuration_builds() -> None:
    engine = toolpass.Toolpass.from_config(EXAMPLES / "toolpass.yaml")
    assert engine.connections() == ["demo", "github"]
    assert engine.allowed("admin@example.com", "demo", "thing.write", "thing:x")


def test_an_example_says_when_a_call_ended_otherwise(tmp_path: Path) -> None:
    for name in ("ops_agent.py", "toolpass.yaml"):
        text = (EXAMPLES / name).read_text()
        (tmp_path / name).write_text(text.replace("admins: admin@example.com", "admins: root@example.com"))
    ran = subprocess.run(
        [sys.executable, str(tmp_path / "ops_agent.py")], capture_output=True, text=True, timeout=300, check=False
    )
    assert ran.returncode == 1
    assert "expected ran" in ran.stdout


def test_every_example_is_in_the_readme() -> None:
    readme = (EXAMPLES / "README.md").read_text()
    named = set(re.findall(r"^\| `([^`]+)`", readme, flags=re.MULTILINE))
    there = [path for path in EXAMPLES.rglob("*.py") if path.parent == EXAMPLES or path.name == "run.py"]
    assert named == {path.relative_to(EXAMPLES).as_posix() for path in [*there, *EXAMPLES.glob("*.yaml")]}


@pytest.mark.parametrize("name", ["ops_agent.py", "watch_agent.py", "wire_agent.py"])
def test_no_example_waives_a_check(name: str) -> None:
    text = (EXAMPLES / name).read_text()
    assert not re.search(r"intercept=False|act_as|unknown_hosts|verify=False", text)
