"""The documents are run: a page's Python, in its own order, with the page's configuration beside it."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import toolpass
from support.standin import ROOT, GithubStandin
from toolpass import Session, ToolRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PAGES = sorted([*(ROOT / "docs").glob("[gc]*/*.md"), ROOT / "README.md"])


def blocks(page: Path, language: str) -> list[str]:
    """The code of a page in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The working directory of a page; the default toolkit is put back afterwards."""
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    toolpass.configure()


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "README.md"], ids=lambda page: page.stem)
def test_a_page_runs(page: Path, folder: Path) -> None:
    for text in blocks(page, "yaml"):
        (folder / "toolpass.yaml").write_text(text)
    names: dict[str, object] = {"__name__": "page"}
    for number, code in enumerate(blocks(page, "python")):
        exec(compile(code, f"{page.name}:{number}", "exec"), names)


def test_the_first_snippet_of_the_readme_stops_the_request(
    github: GithubStandin, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", github.ca_file)
    (folder / "toolpass.yaml").write_text(github.config())
    code = blocks(ROOT / "README.md", "python")[0]
    code = code.replace("https://api.github.com", github.api).replace("Bearer ...", f"Bearer {github.token}")
    code = code.replace('"fix-checkout"', '"fix-typo"')
    names: dict[str, object] = {}
    with pytest.raises(ToolRefused) as refused:
        exec(compile(code, "README.md", "exec"), names)
    assert refused.value.code == "not_authorized"
    assert github.arrived() == ["GET /repos/acme/shop"]

    propose: Callable[..., str] = names["propose"]  # type: ignore[assignment]
    with Session("admin@example.com").active():
        assert propose("acme/shop", "fix-typo", "Fix the checkout").startswith("https://")


def test_the_rest_of_the_readme(folder: Path) -> None:
    (folder / "toolpass.yaml").write_text(blocks(ROOT / "README.md", "yaml")[0])
    names: dict[str, object] = {"toolpass": toolpass, "Toolpass": toolpass.Toolpass}
    exec(compile(blocks(ROOT / "README.md", "python")[1], "README.md", "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_commands_of_a_page_are_understood(page: Path, folder: Path) -> None:
    for text in blocks(page, "yaml"):
        (folder / "toolpass.yaml").write_text(text)
    (folder / "request.json").write_text('{"title": "Fix", "head": "fix-typo", "base": "main"}')
    program = Path(sysconfig.get_path("scripts")) / "toolpass"
    for line in "".join(blocks(page, "sh")).replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        # These ask a system, listen, or want the certificate of the page; the command's own tests run them.
        if words[:1] != ["toolpass"] or words[1] in {"check", "demo", "probe", "replay", "serve"}:
            continue
        ran = subprocess.run([program, *words[1:]], capture_output=True, text=True, check=False, timeout=120)
        assert ran.returncode == 0, f"{line}: {ran.stdout}{ran.stderr}"


def test_every_name_setting_and_parameter_is_in_the_reference() -> None:
    text = (ROOT / "docs" / "reference" / "python.md").read_text()
    settings = toolpass._toolkit._DEFAULTS
    parameters = toolpass.Toolkit.tool.__kwdefaults__
    missing = [name for name in [*toolpass.__all__, *settings, *parameters] if f"| `{name}` |" not in text]
    assert missing == [], "run `cargo xtask gen`"


def test_the_reference_is_what_the_face_says() -> None:
    made = subprocess.run(
        [sys.executable, str(ROOT / "python" / "build" / "reference.py")], capture_output=True, text=True, check=True
    )
    for path, text in json.loads(made.stdout).items():
        assert (ROOT / path).read_text(encoding="utf-8") == text, f"{path}: run `cargo xtask gen`"


def test_settings_named_in_documents_exist() -> None:
    known = {*toolpass._toolkit._DEFAULTS, *toolpass.Toolkit.tool.__kwdefaults__, "permissions"}
    for page in PAGES:
        for block in blocks(page, "python"):
            for call in re.findall(r"(?:Toolkit|configure|\.tool)\(([^()]*(?:\([^()]*\)[^()]*)*)\)", block):
                given = set(re.findall(r"(?:^|[,(\s])(\w+)=", re.sub(r"\([^()]*\)", "", call)))
                assert given <= known, f"{page.name}: {given - known}"
