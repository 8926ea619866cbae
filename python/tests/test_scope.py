"""Scope rules: what each form accepts, and what no reading of a value may get past."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolpass
from support.kits import Kit, dana, refused


def admits(rule: Any, value: Any) -> bool:
    tool = Kit(audit=None).tool(effect="read", scope={"value": rule})(lambda value: None)
    with dana().active():
        try:
            tool(value)
        except toolpass.ToolRefused as refusal:
            code = refusal.code
        else:
            return True
    assert code == "out_of_scope"
    return False


@pytest.mark.parametrize(
    ("rule", "inside", "outside"),
    [
        ("acme/*", ["acme/shop", "acme/gitops-.."], ["acme", "acme/shop/x", "Acme/shop", "other/shop"]),
        ("acme/**", ["acme/shop", "acme/shop/x"], ["acme", "other/x"]),
        ("v?.[0-9]", ["v1.2"], ["v1.x", "v/.2", "v12.2"]),
        ("[!ab]", ["c"], ["a", "/"]),
        ("[]]", ["]"], ["["]),
        (["a*", "b*"], ["apple", "bean"], ["corn"]),
        (("a*",), ["apple"], ["bean"]),
        (re.compile("[a-z]+"), ["abc"], ["abc1", "ABC", 7, None]),
        (lambda value: value > 3, [4, [4, 5], []], [3, [4, 3], "text"]),
        ("*", ["a", [], ["a", "b"], {"a"}, frozenset(), ()], [None, 7, 1.5, {"a": 1}, b"a", [["a"]], ["a", None]]),
        (toolpass.each("a*"), [["a", "ab"]], [["a", "b"]]),
        (
            toolpass.each("a*", literal=True),
            [["a", "a%2e%2e", "a\\..", "a..", "a?#@;"]],
            ["a/b", "b", 7, ["a", "b"], "a\tb"],
        ),
        (toolpass.each(["50% off", "b?"], literal=True), ["50% off", "bb"], ["b", "a\u200b"]),
        (toolpass.whole(lambda value: 0 < len(value) < 3), [["a"], "ab"], [[], ["a", "b", "c"]]),
    ],
    ids=str,
)
def test_a_rule_admits(rule: Any, inside: list[Any], outside: list[Any]) -> None:
    for value in inside:
        assert admits(rule, value), value
    for value in outside:
        assert not admits(rule, value), value


@pytest.mark.parametrize(
    "value",
    [
        "acme/..",
        "acme/../x",
        "acme/%2e%2e",
        "acme/%252e%252e",
        "acme/%25252525252e%25252525252e",
        "acme/\uff0e\uff0e",
        "acme/%ef%bc%8e%ef%bc%8e",
        "acme/\uff052e\uff052e",
        "acme/\u2024\u2024",
        "acme/shop%2fother",
        "acme/shop\\other",
        "acme/..;a=b",
        "acme/.",
        "acme/a\tb",
        "acme/a\nb",
        "acme/a\x00b",
        "acme/a\u200bb",
        "acme/a\u2028b",
        "acme/a\u202eb",
    ],
)
def test_a_disguised_value_is_in_no_glob(value: str) -> None:
    assert not admits("acme/*", value)
    assert admits("acme/*", "acme/shop")


def test_a_rule_that_crashes_or_must_be_awaited_admits_nothing() -> None:
    async def yes() -> bool:
        return True

    def crashes(value: Any) -> bool:
        raise KeyError(value)

    assert not admits(crashes, "a")
    assert not admits(lambda value: yes(), "a")


def test_whole_wants_a_callable() -> None:
    with pytest.raises(TypeError, match="callable"):
        toolpass.whole("acme/*")  # type: ignore[arg-type]


@pytest.mark.parametrize("rule", [re.compile("a"), len, 7, toolpass.whole(len)])
def test_only_globs_are_literal(rule: Any) -> None:
    with pytest.raises(TypeError, match="glob"):
        Kit().tool(scope={"value": toolpass.each(rule, literal=True)})(lambda value: None)


def test_the_reason_names_the_argument_and_not_its_value() -> None:
    tool = Kit().tool(scope={"repo": "acme/*"})(lambda repo: None)
    with dana().active():
        refusal = refused(lambda: tool("other/private"))
    assert "`repo`" in refusal.reason
    assert "private" not in refusal.reason


NAMES = st.text("abcxyz019_-", min_size=1, max_size=12)


@given(NAMES, NAMES)
def test_a_plain_name_stays_inside_its_owner(owner: str, name: str) -> None:
    assert admits(f"{owner}/*", f"{owner}/{name}")
    assert not admits(f"{owner}/*", f"{owner}x/{name}")
    assert not admits(f"{owner}/*", f"{owner}/{name}/deeper")


@given(NAMES, st.integers(1, 9))
def test_no_number_of_encodings_hides_a_separator(name: str, times: int) -> None:
    hidden = "/"
    for _ in range(times):
        hidden = quote(hidden, safe="")
    assert not admits("acme/*", f"acme/{name}{hidden}{name}")


@given(st.text(max_size=20))
def test_any_text_is_admitted_or_refused_and_never_crashes(value: str) -> None:
    admits("acme/**", value)
    if ".." in value.replace("\\", "/").split("/"):
        assert not admits("**", value)


@given(st.text(max_size=20), st.text(max_size=20))
def test_globs_are_taken_or_refused_and_never_crash(glob: str, value: str) -> None:
    try:
        admits(glob, value)
    except ValueError as error:
        said = str(error)
    else:
        return
    assert "range" in said
