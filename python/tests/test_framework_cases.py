"""Every framework's tests cover every shared case, or say why not. Read from their text, so no framework is needed."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from frameworks.support.cases import CASES, SECURED

FRAMEWORKS = Path(__file__).parent / "frameworks"

FOLDERS = sorted(path.parent.name for path in FRAMEWORKS.glob("*/requirements.txt"))


def _said(folder: Path) -> tuple[set[str], dict[str, str]]:
    """The cases a folder's tests cover, and those it leaves out with its reason."""
    covered: set[str] = set()
    left_out: dict[str, str] = {}
    for path in folder.glob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                for mark in node.decorator_list:
                    if isinstance(mark, ast.Call) and isinstance(mark.func, ast.Name) and mark.func.id == "case":
                        covered |= {ast.literal_eval(argument) for argument in mark.args}
            elif isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["LEFT_OUT"]:
                left_out |= ast.literal_eval(node.value)
    return covered, left_out


@pytest.mark.parametrize("name", FOLDERS)
def test_every_case_is_covered_or_left_out_with_a_reason(name: str) -> None:
    folder = FRAMEWORKS / name
    covered, left_out = _said(folder)
    wanted = {*SECURED, *(CASES if (folder / "test_adapter.py").exists() else ())}
    assert sorted(wanted - covered - set(left_out)) == []
    assert sorted(covered & set(left_out)) == [], "covered, so not left out"
    assert all(len(reason.split()) > 3 for reason in left_out.values())


@pytest.mark.parametrize("name", FOLDERS)
def test_the_oldest_version_is_the_extra_s(name: str) -> None:
    """What a user is told to install is what is tested."""
    requirements = (FRAMEWORKS / name / "requirements.txt").read_text()
    for line in requirements.splitlines():
        assert not line or line.startswith("#") or ">=" in line, f"{line!r} has no lower bound"


def test_there_are_frameworks() -> None:
    assert "strands" in FOLDERS
