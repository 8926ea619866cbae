"""The build backend of `pip install .`: maturin, with the command `toolpass` added as a program of its own.

Maturin builds one crate, here the native module. A Python entry point for the command would start an interpreter at
every call, so the program is built first and handed to maturin as a script of the wheel (`[tool.maturin] data`).
Every hook is maturin's; the three that make something build the program before.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import maturin
from maturin import (
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

Settings = Mapping[str, Any] | None

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "target" / "wheel" / "toolpass.data"
"""The same folder as `[tool.maturin] data` in pyproject.toml."""


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    """Build the command, then the wheel."""
    _build_command()
    return maturin.build_wheel(wheel_directory, _settings(config_settings), metadata_directory)


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """Build the command, then the wheel that points to the clone."""
    _build_command()
    return maturin.build_editable(wheel_directory, _settings(config_settings), metadata_directory)


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    """Pack the sources. The command is built where they are unpacked."""
    _empty_data()
    return maturin.build_sdist(sdist_directory, config_settings)


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Settings = None) -> str:
    """Write the metadata. Maturin wants the data folder to be there."""
    _empty_data()
    return maturin.prepare_metadata_for_build_wheel(metadata_directory, _settings(config_settings))


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def _profile() -> str:
    """The profile of both builds: `release`, or what `TOOLPASS_BUILD_PROFILE` names."""
    return os.environ.get("TOOLPASS_BUILD_PROFILE", "release")


def _settings(config_settings: Settings) -> Settings:
    """The caller's settings, or those of the profile that was asked for."""
    if config_settings or _profile() == "release":
        return config_settings
    return {"build-args": f"--profile={_profile()}"}


def _empty_data() -> Path:
    shutil.rmtree(DATA, ignore_errors=True)
    scripts = DATA / "scripts"
    scripts.mkdir(parents=True)
    return scripts


def _build_command() -> None:
    """Build the program and put it where maturin looks for scripts."""
    words = ["cargo", "build", "--package=toolpass-cli", "--bin=toolpass", f"--profile={_profile()}"]
    built = subprocess.run(
        [*words, "--message-format=json-render-diagnostics"], cwd=ROOT, stdout=subprocess.PIPE, check=False
    )
    if built.returncode != 0:
        raise SystemExit(f"`{' '.join(words)}` ended with {built.returncode}")
    messages = (json.loads(line) for line in built.stdout.splitlines() if line.startswith(b"{"))
    programs = [message["executable"] for message in messages if message.get("executable")]
    if len(programs) != 1:
        raise SystemExit(f"`{' '.join(words)}` made {len(programs)} programs, one was expected")
    shutil.copy2(programs[0], _empty_data())
