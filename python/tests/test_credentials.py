"""Credentials: where they come from, who gets them, and what becomes of a missing one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import toolpass
from support.kits import Kit, dana, refused

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "s3cr3t-value"


def show(*, credential: Any) -> list[str]:
    return [type(credential).__name__, str(len(credential))]


def call(source: Any, **declared: Any) -> Any:
    tool = Kit(credentials=source).tool(credential="api", name="show", **declared)(show)
    with dana().active():
        return tool()


def test_a_mapping_and_a_callable_are_sources() -> None:
    asked: list[Any] = []

    def source(name: str, call: toolpass.Call) -> str:
        asked.append((name, call.tool, call.session is toolpass.current_session()))
        return SECRET

    assert call({"api": SECRET}) == ["str", "12"]
    assert call(source) == ["str", "12"]
    assert asked == [("api", "show", True)]


def test_a_reference_is_read_when_it_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_KEY", SECRET)
    (tmp_path / "key").write_text("from-a-file\n")
    assert call({"api": toolpass.env("API_KEY")}) == ["str", "12"]
    assert call({"api": toolpass.file(tmp_path / "key")}) == ["str", "11"]
    assert call({"api": toolpass.literal("in-memory-1")}) == ["str", "11"]


def raising(error: BaseException) -> Any:
    def source(name: str, call: toolpass.Call) -> str:
        raise error

    return source


async def later(name: str, call: toolpass.Call) -> str:
    return SECRET


@pytest.mark.parametrize(
    ("source", "shows"),
    [
        ({}, "KeyError: the mapping `credentials` has no such name; known are none"),
        ({"git": SECRET, "ci": SECRET}, "known are `git`, `ci`"),
        ({f"k{n}": SECRET for n in range(12)}, "`k9` and 2 more"),
        (raising(ValueError("private")), "the callable `credentials` raised ValueError"),
        (later, "the callable `credentials` raised TypeError"),
        (
            {"api": toolpass.env("NO_SUCH_VARIABLE")},
            "secret `env:NO_SUCH_VARIABLE`: the environment variable is unset or empty",
        ),
    ],
)
def test_a_missing_credential_refuses_and_names_only_itself(source: Any, shows: str) -> None:
    refusal = refused(lambda: call(source))
    assert refusal.code == "credential_error"
    assert "`api`" in refusal.reason
    assert shows in refusal.reason
    assert "private" not in str(refusal)
    assert refusal.__cause__ is None
    assert refusal.__context__ is None


def test_a_default_toolkit_without_credentials_refuses_the_call() -> None:
    tool = toolpass.tool(credential="api", name="undeclared_credential")(show)
    with dana().active():
        assert refused(tool).code == "credential_error"


def test_the_credential_is_fetched_after_every_other_check() -> None:
    fetched: list[str] = []
    source = lambda name, call: fetched.append(name) or SECRET  # noqa: E731 - one expression
    refused(lambda: call(source, authorize=lambda call: False))
    refused(lambda: call(source, limit=0))
    assert fetched == []
    call(source, authorize=lambda call: True, limit=1)
    assert fetched == ["api"]


def test_the_credential_is_no_argument() -> None:
    kit = Kit(credentials={"api": SECRET})

    @kit.tool(credential="api")
    def show_all(x: int, *, credential: str) -> Any:
        running = toolpass.current_call()
        assert running is not None
        return dict(running.arguments)

    with dana().active():
        assert show_all(1) == {"x": 1}
        assert refused(lambda: show_all(1, credential="mine")).code == "invalid_arguments"
    assert kit.events[0].arguments == {"x": 1}


def test_a_variadic_tool_takes_no_credential_from_the_model() -> None:
    @Kit(credentials={"api": SECRET}).tool(credential="api")
    def take(*, credential: str, **more: Any) -> Any:
        return sorted(more)

    with dana().active():
        assert take(a=1) == ["a"]
        assert refused(lambda: take(credential="mine")).code == "invalid_arguments"


@pytest.mark.parametrize("wrong", ["s3cr3t-value", 7, ["api"]])
def test_a_source_of_the_wrong_kind_is_an_error(wrong: Any) -> None:
    with pytest.raises(TypeError, match="credentials"):
        Kit(credentials=wrong)
