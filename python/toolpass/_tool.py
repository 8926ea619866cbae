"""`tool(...)`: a plain function, wrapped so that every call of it goes through the checks.

What a declaration means is decided in Rust; here the function is read, wrapped, and given the signature that frameworks
look at: the original's, without `credential`.
"""

from __future__ import annotations

from toolpass._context import is_async
from toolpass._native import Closing, Guarded

TYPE_CHECKING = False
if TYPE_CHECKING:
    import inspect
    from collections.abc import Callable, Mapping
    from typing import Any

    from toolpass._native import ToolkitCore
    from toolpass._toolkit import Toolkit
    from toolpass._types import ToolSpec


class whole:  # noqa: N801 - reads as a word of the rule it stands in
    """A scope rule that is asked about the whole value, where a plain predicate is asked about each item of a list.

    Example:
        >>> rule = whole(lambda recipients: 0 < len(recipients) <= 5)
    """

    __slots__ = ("__toolpass_whole__",)

    def __init__(self, predicate: Callable[[Any], Any]) -> None:
        if not callable(predicate):
            raise TypeError("expected `whole` to be given a callable")
        self.__toolpass_whole__ = predicate


class _Literal:
    """Globs for values that are no paths."""

    __slots__ = ("__toolpass_literal__",)

    def __init__(self, globs: Any) -> None:
        self.__toolpass_literal__ = globs


def each(rule: Any, *, literal: bool = False) -> Any:
    """A scope rule that is asked about each item of a list: what a plain rule means, said aloud.

    Args:
        rule: The rule.
        literal: The globs are for values that are no paths, such as a title or a query. They are compared as written:
            percent signs, backslashes and dots mean nothing. Characters that cannot be seen are refused all the same.

    Example:
        >>> each("*@example.com")
        '*@example.com'
        >>> rule = each("50% off: *", literal=True)
    """
    return _Literal(rule) if literal else rule


def spec_of(tool: Any) -> ToolSpec | None:
    """The declaration of a tool, or `None` for anything else."""
    found = getattr(tool, "__toolpass__", None)
    if found is None:
        return None
    from toolpass._types import ToolSpec

    return found if isinstance(found, ToolSpec) else None


def wrap(
    toolkit: Toolkit, core: ToolkitCore, function: Any, given: dict[str, Any]
) -> tuple[Callable[..., Any], ToolSpec]:
    """The function as a tool, and its declaration.

    Args:
        toolkit: Whose tool it is.
        core: The toolkit's settings.
        function: The function, or a callable object.
        given: What `tool(...)` was given.

    Returns:
        A function with the public signature; async iff the original is.

    Raises:
        TypeError: The function or the declaration cannot be a tool.
        ValueError: A setting of the declaration is none of those accepted.
    """
    from toolpass._types import ToolSpec

    _check_function(function)
    _check_authorizer(given["authorize"])
    name = given["name"] or getattr(function, "__name__", type(function).__name__)
    signature, types = _read(toolkit, function, name, given["credential"])
    receiver = _receiver(function, signature)
    asynchronous = is_async(function)
    spec = ToolSpec(
        name=name,
        effect=given["effect"],
        fn=function,
        signature=signature,
        types=types,
        validators=_rules("validate", given),
        scope=_rules("scope", given),
        limit=given["limit"],
        authorize=given["authorize"],
        untrusted_output=given["untrusted_output"],
        reads_private=given["reads_private"],
        sends_out=given["sends_out"],
        credential=given["credential"],
        is_async=asynchronous,
        variadic=next((p.name for p in signature.parameters.values() if p.kind is p.VAR_KEYWORD), None),
        resources=_rules("resources", given),
    )
    parameters = [parameter for parameter in signature.parameters.values() if parameter is not receiver]
    _check_fields(spec, parameters)
    declared = {**given, "name": name, "receiver": receiver is not None}
    spelled = _spell(toolkit, name, parameters, types)
    guarded = Guarded(core, toolkit, spec, function, declared, spelled)
    object.__setattr__(spec, "check_untrusted", guarded.check_untrusted)
    wrapper = _async_wrapper(guarded, function) if asynchronous else _sync_wrapper(guarded)
    _dress(wrapper, spec)
    return wrapper, spec


def _dress(wrapper: Any, spec: ToolSpec) -> None:
    """Give the wrapper what frameworks look at: the public signature, and nothing that leads to the original's."""
    signature = spec.signature
    annotations = {p.name: p.annotation for p in signature.parameters.values() if p.annotation is not p.empty}
    if signature.return_annotation is not signature.empty:
        annotations["return"] = signature.return_annotation
    wrapper.__name__ = wrapper.__qualname__ = spec.name
    wrapper.__doc__ = getattr(getattr(spec.fn, "func", spec.fn), "__doc__", None)
    wrapper.__module__ = getattr(spec.fn, "__module__", None) or type(spec.fn).__module__
    wrapper.__signature__ = signature
    wrapper.__annotations__ = annotations
    wrapper.__toolpass__ = spec


def _sync_wrapper(guarded: Guarded) -> Callable[..., Any]:
    call = guarded.call

    def tool(*args: Any, **kwargs: Any) -> Any:
        return call(args, kwargs)

    return tool


def _async_wrapper(guarded: Guarded, function: Callable[..., Any]) -> Callable[..., Any]:
    enter = guarded.enter

    async def tool(*args: Any, **kwargs: Any) -> Any:
        step = enter(args, kwargs)
        while (awaitable := step.awaitable) is not None:
            try:
                answer = await awaitable
            except BaseException as error:
                step = step.fail(error)
            else:
                step = step.resume(answer)
        if step.answered:
            return step.value
        try:
            positions, keywords = step.arguments(args, kwargs)
            result = await function(*positions, **keywords)
        except BaseException as error:
            outcome = step.raised(error)
        else:
            outcome = step.returned(result)
        while type(outcome) is Closing:
            try:
                answer = await outcome.awaitable
            except BaseException as error:
                outcome = outcome.fail(error)
            else:
                outcome = outcome.resume(answer)
        return outcome

    return tool


def _rules(setting: str, given: dict[str, Any]) -> dict[str, Any]:
    rules = given[setting]
    if rules is None:
        return {}
    if not hasattr(rules, "items"):
        raise TypeError(f"expected `{setting}` to be a mapping from names to rules")
    return dict(rules)


def _check_function(function: Any) -> None:
    import inspect

    if isinstance(function, (classmethod, staticmethod)):
        raise TypeError(f"put @tool below @{type(function).__name__}, so that it decorates the function itself")
    if not callable(function):
        raise TypeError(f"expected a function to make a tool of, not {type(function).__name__}")
    made = spec_of(function)
    if made is not None:
        raise TypeError(f"{made.name} is a tool already; decorate the function itself, once")
    call = function if inspect.isroutine(function) else type(function).__call__
    if any(
        test(each) for test in (inspect.isgeneratorfunction, inspect.isasyncgenfunction) for each in (function, call)
    ):
        raise TypeError("the function is a generator function; a tool returns its result")


def _check_authorizer(authorize: Any) -> None:
    """An authorizer is called with the call and nothing else."""
    import inspect

    if not callable(authorize):
        return  # what it must be is said where the declaration is compiled
    try:
        signature = inspect.signature(authorize)
    except (TypeError, ValueError):
        return  # not every built-in callable tells
    try:
        signature.bind(None)
    except TypeError:
        raise TypeError(
            f"expected `authorize` to take one positional argument, the call; its signature is {signature}"
        ) from None


def _receiver(function: Any, signature: inspect.Signature) -> inspect.Parameter | None:
    """The parameter of a method that the object or class it is called on goes to: it is no argument."""
    import inspect

    first = next(iter(signature.parameters.values()), None)
    scope = getattr(function, "__qualname__", "").rpartition(".")[0]
    in_class = inspect.isfunction(function) and scope != "" and not scope.endswith("<locals>")
    return first if in_class and first is not None and first.name in {"self", "cls"} else None


def _read(
    toolkit: Toolkit, function: Any, name: str, credential: str | None
) -> tuple[inspect.Signature, dict[str, Any]]:
    """The public signature, annotations resolved, and the hints by parameter."""
    import inspect

    from toolpass import _hints

    original = inspect.signature(function)
    hints, unresolved = _hints.resolve(function)
    if unresolved:
        _complain(toolkit, name, "cannot be resolved and are not checked", unresolved)
    _check_credential(name, original, credential)
    parameters = [
        parameter.replace(annotation=hints.get(parameter.name, parameter.annotation))
        for parameter in original.parameters.values()
        if parameter.name != "credential"
    ]
    returned = hints.get("return", original.return_annotation)
    return original.replace(parameters=parameters, return_annotation=returned), hints


def _check_credential(name: str, signature: inspect.Signature, credential: str | None) -> None:
    parameter = signature.parameters.get("credential")
    if parameter is None and credential is not None:
        raise TypeError(f"{name} declares `credential=` and has no keyword-only parameter `credential`")
    if parameter is not None and credential is None:
        raise TypeError(f"{name} has a parameter `credential`; name it in `tool(credential=...)`")
    if parameter is not None and parameter.kind is not parameter.KEYWORD_ONLY:
        raise TypeError(f"`credential` of {name} must be keyword-only")


def _check_fields(spec: ToolSpec, parameters: list[inspect.Parameter]) -> None:
    known = {parameter.name for parameter in parameters}
    strangers = [name for name in getattr(spec.authorize, "__toolpass_fields__", ()) if name not in known]
    if strangers:
        raise TypeError(f"the authorizer's resource names {strangers[0]!r}, which is no parameter of {spec.name}")


def _spell(
    toolkit: Toolkit, name: str, parameters: list[inspect.Parameter], types: Mapping[str, Any]
) -> list[tuple[Any, ...]]:
    """Each parameter as `(name, kind, spelled hint, shown hint, default in a tuple)`."""
    from toolpass import _hints

    spelled = []
    incomplete = []
    for parameter in parameters:
        hint = types.get(parameter.name, parameter.empty)
        form, complete = _hints.spell_parameter(parameter, hint)
        if not complete:
            incomplete.append(parameter.name)
        default = () if parameter.default is parameter.empty else (parameter.default,)
        spelled.append((parameter.name, int(parameter.kind), form, _hints.shown(hint), default))
    if incomplete:
        _complain(toolkit, name, "have types that cannot be checked in full", incomplete)
    return spelled


def _complain(toolkit: Toolkit, name: str, what: str, arguments: list[str]) -> None:
    """Warn of arguments that are not checked; an error when the toolkit has `strict_types`."""
    import logging

    text = f"{name}: the annotations of {', '.join(arguments)} {what}"
    if toolkit.strict_types:
        raise TypeError(text)
    logging.getLogger("toolpass.toolkit").warning("%s", text)
