"""The numbers of the Python half, as a table: each beside its floor, its target, and the published package when given.

`cargo xtask bench` runs it with the environment that has our package. `--peer PYTHON` names an interpreter whose
package `toolpass` is the published one; both are measured in one run, one after the other.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent

#: What is to be reached over the floor, in microseconds; of a program, in all.
TARGETS = {
    "tool call, nothing declared": 2,
    "tool call, scope, authorizer, credential": 4,
    "cached check, in process": 2,
    "observed request, urllib3": 25,
    "observed request, httpx": 25,
    "import toolpass": 25_000,
    "toolpass version": 10_000,
}

#: Rows of which the whole is meant, not what comes on top of the floor.
WHOLE = {"cached check, in process", "toolpass version"}


def main() -> int:
    """Measure, print the table, and say whether all of ours could be measured."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--peer", help="an interpreter that has the published package")
    reader.add_argument("--quick", action="store_true", help="only see whether it runs")
    reader.add_argument("names", nargs="*", help="only rows that contain one of these")
    given = reader.parse_args()
    with standin() as github:
        about = json.dumps(github.about)
        words = [str(HERE / "measure.py"), "--standin", about, *(["--quick"] if given.quick else []), *given.names]
        ours = measured([sys.executable, *words])
        peer = measured([given.peer, *words]) if given.peer else {}
    print(f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()}; microseconds\n")
    print(f"{'work':<42}{'floor':>10}{'ours':>12}{'target':>10}{'published':>12}")
    for name, row in ours.items():
        print(f"{name:<42}{floor(row):>10}{shown(name, row):>12}{TARGETS[name]:>10}{shown(name, peer.get(name)):>12}")
    for whose, rows in (("ours", ours), ("published", peer)):
        for name, row in rows.items():
            if "error" in row:
                print(f"\n{whose}: {name}: {row['error']}")
    return 1 if any("error" in row for row in ours.values()) else 0


def standin() -> Any:
    """The stand-in GitHub of the examples, over plain HTTP: what is compared is the client, not its TLS."""
    spec = importlib.util.spec_from_file_location("standin", HERE.parents[1] / "examples" / "_standin.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Standin("github", "--ghes")


def measured(words: list[str]) -> dict[str, Any]:
    """The rows of one environment."""
    rows: dict[str, Any] = json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout)
    return rows


def floor(row: dict[str, float]) -> str:
    """The floor in microseconds."""
    return f"{row['floor'] * 1e6:.2f}" if "floor" in row else "-"


def shown(name: str, row: dict[str, float] | None) -> str:
    """What it took: on top of the floor, or in all."""
    if row is None or "error" in row:
        return "-"
    return f"{(row['took'] - (0 if name in WHOLE else row['floor'])) * 1e6:.2f}"


if __name__ == "__main__":
    sys.exit(main())
