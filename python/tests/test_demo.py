"""The company demo: the command's tour and the one over MCP servers come out the same."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def site() -> Path:
    """The packages this test needs, beside the environment's."""
    sites = os.environ.get("TOOLPASS_TEST_SITES", "")
    if not sites:
        pytest.skip("no folder of further packages: run it with `cargo xtask py`")
    return Path(sites) / "mcp"


def table(arguments: list[str], folder: Path, **environment: str) -> list[str]:
    """The rows that a demo prints, each with its requests and its reason."""
    ended = subprocess.run(
        arguments,
        cwd=folder,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return [line for line in ended.stdout.splitlines() if re.match(r" ?\d+  \w+ |      \S", line)]


def test_both_demos_print_the_same_table(tmp_path: Path) -> None:
    over_mcp = [sys.executable, str(ROOT / "examples" / "demo" / "run.py"), "--no-dashboard"]
    shown = table(over_mcp, tmp_path, PYTHONPATH=str(site()))
    assert sum(re.match(r" ?\d+  ", line) is not None for line in shown) == 9
    assert shown == table(["toolpass", "demo", "-no-dashboard"], tmp_path)
