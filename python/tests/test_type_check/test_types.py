"""What a type checker makes of the public names: the samples of this folder under `mypy --strict`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SAMPLES = sorted(Path(__file__).parent.glob("sample_*.py"))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.stem)
def test_a_sample_checks(sample: Path, tmp_path: Path) -> None:
    settings = ["--strict", "--warn-unreachable", "--config-file=", f"--cache-dir={tmp_path}", "--python-version=3.10"]
    checked = subprocess.run([sys.executable, "-m", "mypy", *settings, str(sample)], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_there_are_samples() -> None:
    assert len(SAMPLES) == 2
