"""`tool(...)`: what becomes of a function, and which declarations are mistakes."""

from __future__ import annotations

import functools
import inspect
import typing
from typing import Annotated, Any

import pytest

import toolpass
from support.kits import Kit, dana, refused
from toolpass import ToolSpec, spec_of


def test_a_bare_decorator_is_the_same_as_an_empty_one() -> None:
    kit = Kit()

    @kit.tool
    def bare(x: int) -> int:
        return x

    @kit.tool()
    def empty(x: int) -> int:
        return x

    with dana().active():
        assert (bare(1), empty(x=2)) == (1, 2)


def test_mistakes_of_a_declaration_are_named() -> None:
    kit = Kit()
    with pytest.raises(TypeError, match=r"no argument 'scopes'; known are effect, authorize, scope,.* name, as_tool"):
        kit.tool(scopes={})  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="`name` to be a text that is not empty"):
        kit.tool(name="")
    with pytest.raises(TypeError, match="`as_tool` to be callable, not str"):
        kit.tool(as_tool="langchain")  # type: ignore[call-overload]
    once = kit.tool(name="once")(lambda: 1)
    with pytest.raises(TypeError, match="once is a tool already"):
        kit.tool()(once)


def test_the_root_tool_is_the_default_toolkits() -> None:
    assert toolpass.tool.__self__ is toolpass.default_toolkit()
    assert toolpass.secured_tool is toolpass.tool


def test_the_wrapper_shows_the_public_signature_and_nothing_else() -> None:
    kit = Kit(credentials={"api": "s3cr3t-value"})

    @kit.tool(credential="api", name="shop_search")
    def search(query: Annotated[str, "words"], limit: int = 3, *, credential: str) -> list[str]:
        """Search the shop."""
        return [query] * limit

    assert str(inspect.signature(search)) == ("(query: typing.Annotated[str, 'words'], limit: int = 3) -> list[str]")
    assert search.__annotations__ == {"query": Annotated[str, "words"], "limit": int, "return": list[str]}
    assert (search.__name__, search.__qualname__, search.__doc__, search.__module__) == (
        "shop_search",
        "shop_search",
        "Search the shop.",
        __name__,
    )
    assert not hasattr(search, "__wrapped__")
    assert "credential" not in str(typing.get_type_hints(search))
    spec = spec_of(search)
    assert isinstance(spec, ToolSpec)
    assert (spec.name, spec.credential, spec.is_async, spec.variadic) == ("shop_search", "api", False, None)
    with pytest.raises(AttributeError):
        spec.name = "other"  # type: ignore[misc]


def test_only_tools_have_a_specification() -> None:
    assert spec_of(print) is None
    assert spec_of(object()) is None


class Greeter:
    """A callable object."""

    def __call__(self, name: str) -> str:
        """Greet."""
        return f"hello {name}"


def test_callable_objects_and_partials_are_tools() -> None:
    kit = Kit()
    greet = kit.tool()(Greeter())
    add = kit.tool(name="add")(functools.partial(lambda a, b: a + b, 1))
    assert greet.__name__ == "Greeter"
    with dana().active():
        assert greet("dana") == "hello dana"
        assert add(2) == 3
        assert refused(lambda: greet(7)).code == "invalid_arguments"


def test_hints_of_a_partial_are_those_of_its_function() -> None:
    def add(a: int, b: int) -> int:
        return a + b

    tool = Kit().tool(name="add")(functools.partial(add, 1))
    with dana().active():
        assert refused(lambda: tool("2")).code == "invalid_arguments"


def test_as_tool_is_applied_to_the_finished_tool() -> None:
    seen = []

    def framework(tool: Any) -> str:
        seen.append(spec_of(tool))
        return "a framework's own object"

    made = Kit().tool(as_tool=framework)(lambda: None)
    assert made == "a framework's own object"
    assert seen[0] is not None


class Desk:
    def __init__(self, owner: str) -> None:
        self.owner = owner

    def __repr__(self) -> str:
        return "the desk with the secret drawer"


KIT = Kit()


class Office(Desk):
    @KIT.tool(scope={"item": "pens/*"})
    def take(self, item: str) -> str:
        return f"{self.owner} takes {item}"

    @classmethod
    @KIT.tool()
    def build(cls, owner: str) -> str:
        return f"{cls.__name__} of {owner}"


def test_the_receiver_of_a_method_is_no_argument() -> None:
    office = Office("dana")
    KIT.events.clear()
    with dana().active():
        assert office.take("pens/red") == "dana takes pens/red"
        assert Office.build("sam") == "Office of sam"
        assert refused(lambda: office.take("desk")).code == "out_of_scope"
        assert refused(lambda: Office.take()).code == "invalid_arguments"
    assert [event.arguments for event in KIT.events[:2]] == [{"item": "pens/red"}, {"owner": "sam"}]
    assert "drawer" not in "".join(event.to_json() for event in KIT.events)
    assert str(inspect.signature(office.take)) == "(item: str) -> str"


def test_a_receiver_cannot_fill_a_template() -> None:
    check = toolpass.permission_check(_Engine(), "git", "repo.read", "repo:{self}")
    with pytest.raises(TypeError, match="'self'"):

        class Wrong:
            @Kit().tool(authorize=check)
            def read(self) -> None: ...


class _Engine:
    def check(self, *_: Any, **__: Any) -> None:
        return None


def generator() -> Any:
    yield 1


async def async_generator() -> Any:
    yield 1


class GeneratorObject:
    def __call__(self) -> Any:
        yield 1


def with_credential(*, credential: str) -> None: ...


def with_positional_credential(credential: str) -> None: ...


def plain(x: int, *rest: int) -> None: ...


@pytest.mark.parametrize(
    ("function", "declared", "error", "says"),
    [
        (plain, {"effect": "delete"}, ValueError, "effect"),
        (plain, {"effect": 1}, ValueError, "effect"),
        (plain, {"limit": -1}, ValueError, "limit"),
        (plain, {"limit": True}, ValueError, "limit"),
        (plain, {"limit": 1.5}, ValueError, "limit"),
        (plain, {"scope": {"y": "*"}}, TypeError, "y"),
        (plain, {"validate": {"y": bool}}, TypeError, "y"),
        (plain, {"scope": {"x": 7}}, TypeError, "x"),
        (plain, {"scope": {"x": ["a", 7]}}, TypeError, "x"),
        (plain, {"scope": {"x": "[z-a]"}}, ValueError, "z-a"),
        (plain, {"scope": "x"}, TypeError, "scope"),
        (plain, {"resources": {"repo": 7}}, TypeError, "repo"),
        (plain, {"validate": {"x": 7}}, TypeError, "x"),
        (plain, {"authorize": 7}, TypeError, "authorize"),
        (plain, {"name": 7}, TypeError, "name"),
        (plain, {"sends_out": "yes"}, TypeError, "sends_out"),
        (plain, {"credential": "api"}, TypeError, "credential"),
        (with_credential, {}, TypeError, "credential"),
        (with_credential, {"credential": "api", "scope": {"credential": "*"}}, TypeError, "credential"),
        (with_positional_credential, {"credential": "api"}, TypeError, "keyword-only"),
        (with_credential, {"credential": "api", "secret_fields": "password"}, TypeError, "secret_fields"),
        (generator, {}, TypeError, "generator"),
        (async_generator, {}, TypeError, "generator"),
        (GeneratorObject(), {}, TypeError, "generator"),
        (classmethod(plain), {}, TypeError, "below @classmethod"),
        (staticmethod(plain), {}, TypeError, "below @staticmethod"),
        ("plain", {}, TypeError, "str"),
        (plain, {"authorize": toolpass.permission_check(_Engine(), "git", "a", "repo:{y}")}, TypeError, "'y'"),
    ],
)
def test_a_mistaken_declaration_is_an_error(function: Any, declared: Any, error: Any, says: str) -> None:
    kit = Kit(credentials={"api": "s3cr3t-value"})
    with pytest.raises(error, match=says):
        kit.tool(**declared)(function)
    assert kit.tools() == []


@pytest.mark.parametrize("removed", ["approve", "approver", "unknown"])
def test_an_unknown_parameter_is_an_error(removed: str) -> None:
    with pytest.raises(TypeError, match=removed):
        Kit().tool(**{removed: None})


def test_an_async_rule_is_an_error() -> None:
    async def accepts(value: Any) -> bool:
        return True

    class Accepts:
        async def __call__(self, value: Any) -> bool:
            return True

    for rule in (accepts, Accepts()):
        with pytest.raises(TypeError, match="async"):
            Kit().tool(validate={"x": rule})(plain)
        with pytest.raises(TypeError, match="async"):
            Kit().tool(scope={"x": rule})(plain)
    with pytest.raises(TypeError, match="async"):
        Kit().tool(scope={"x": toolpass.whole(accepts)})(plain)


def test_an_unresolvable_hint_leaves_the_others_checked(caplog: pytest.LogCaptureFixture) -> None:
    namespace: dict[str, Any] = {}
    exec("def odd(a: 'Nowhere', b: 'int') -> 'AlsoNowhere': return b", namespace)
    tool = Kit().tool()(namespace["odd"])
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "annotations of a cannot be resolved" in caplog.text
    with dana().active():
        assert tool(object(), 1) == 1
        assert refused(lambda: tool(1, "1")).code == "invalid_arguments"


def test_a_tool_of_a_toolkit_without_credentials_declares_none() -> None:
    with pytest.raises(TypeError, match="credentials"):
        Kit().tool(credential="api")(with_credential)
    toolpass.tool(credential="api", name="configured_later")(with_credential)


@pytest.mark.parametrize(
    ("declared", "checked"),
    [
        ({}, True),
        ({"effect": "read"}, False),
        ({"effect": "read", "sends_out": True}, True),
        ({"effect": "write"}, True),
        ({"effect": "write", "untrusted_inputs": "ignore"}, False),
        ({"effect": "read", "untrusted_inputs": "check"}, True),
        ({"effect": "read", "untrusted_inputs": {"x": "check"}}, True),
    ],
    ids=str,
)
def test_a_specification_says_whether_arguments_are_compared(declared: dict[str, Any], checked: bool) -> None:
    spec = spec_of(Kit().tool(**declared)(lambda x: x))
    assert spec is not None
    assert spec.check_untrusted is checked
