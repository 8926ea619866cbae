"""What the tests under every framework may use, and which folder of theirs is run: the installed framework's."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from frameworks.support.scenario import Scenario
    from support.standin import GithubStandin

_RUNS = os.environ.get("TOOLPASS_TEST_FRAMEWORK", "")

#: Without a framework nothing here is run: `cargo xtask frameworks` does it, each in its own environment.
collect_ignore = [path.name for path in Path(__file__).parent.iterdir() if path.is_dir() and path.name != _RUNS]


def pytest_configure(config: pytest.Config) -> None:
    """A warning of a framework's own is no error of ours."""
    if _RUNS:
        config.addinivalue_line("filterwarnings", "default")
        config.addinivalue_line("filterwarnings", "error:::toolpass")


@pytest.fixture
def scenario(github: GithubStandin) -> Scenario:
    """The tool, GitHub, and an engine that asks it."""
    from frameworks.support.scenario import Scenario

    return Scenario(github)
