"""The HTTP interface is held to its own description by schemathesis: the same seeded requests each time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.serving import AGENTS, Serving

if TYPE_CHECKING:
    from collections.abc import Iterator

CONFIG = """
listen: {listen}
decision_log: none
api_keys:
  - {{name: all, key: file:agents, scopes: [check, report, dashboard, admin]}}
server: {{{kept}, drain: 0s}}
connections:
  - {{id: main, integration: fake, users: dana@example.com}}
"""

#: Those that never end.
STREAMS = ["/dashboard/decisions/events/stream", "/dashboard/events/stream"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server with one key that may do everything."""
    serving = Serving(tmp_path_factory.mktemp("contract"), config=CONFIG)
    yield serving
    assert serving.process.poll() is None, "the server ended by itself"
    serving.kill()


def site() -> Path:
    sites = os.environ.get("TOOLPASS_TEST_SITES", "")
    if not sites:
        pytest.skip("set TOOLPASS_TEST_SITES, as `cargo xtask py` does")
    return Path(sites) / "contract"


def held(url: str, folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """Hold a server to the description at an address."""
    words = ["run", url, "-H", f"Authorization: Bearer {AGENTS}", "--seed", "20261201", "--max-examples", "5"]
    words += ["--phases", "coverage,fuzzing", "--request-timeout", "60", "--no-color", "--warnings", "off"]
    # That check takes every well-formed question for one that can be answered.
    words += ["--exclude-checks", "positive_data_acceptance", "--generation-database", "none", *more]
    for path in STREAMS:
        words += ["--exclude-path", path]
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    return subprocess.run(
        [sys.executable, "-c", "from schemathesis.cli import schemathesis; schemathesis()", *words],
        cwd=folder,
        env={**environment, "PYTHONPATH": str(site())},
        capture_output=True,
        text=True,
        check=False,
    )


def test_nothing_is_answered_that_is_not_described(server: Serving, tmp_path: Path) -> None:
    ended = held(f"{server.url}/v1/openapi.json", tmp_path)
    assert ended.returncode == 0, ended.stdout[-6000:] + ended.stderr
    assert " passed" in ended.stdout
    # Nor does the server call any of it a failure of its own.
    assert [line for line in server.log if '"level":"error"' in line] == []


def test_a_false_description_would_be_found(server: Serving, tmp_path: Path) -> None:
    described = json.loads(server.text("/v1/openapi.json"))
    described["components"]["schemas"]["Status"]["properties"]["status"] = {"const": "perhaps"}
    (tmp_path / "openapi.json").write_text(json.dumps(described))
    ended = held("openapi.json", tmp_path, "--url", server.url, "--include-path", "/healthz")
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert "perhaps" in ended.stdout


def test_every_path_is_described(server: Serving) -> None:
    described = json.loads(server.text("/v1/openapi.json"))
    assert set(STREAMS) < set(described["paths"])
    assert len(described["paths"]) >= 19
