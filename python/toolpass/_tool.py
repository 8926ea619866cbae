"""`tool(...)`: a plain function, wrapped so that every call of it goes through the checks.

What a declaration means is decided in Rust; here the function is read, wrapped, and given the signature that frameworks look
at: the original's, without `credential`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from toolpass._native import Guarded, ToolkitCore

if TYPE_CHECKING:
    import inspect

    from toolpass._toolkit import Effect, Toolkit


class AuthDecision(NamedTuple):
    """What an authorizer answers."""

    allowed: bool
    reason: str = ""
    code: str = ""


class ToolSpec(NamedTuple):
    """What a tool declares."""

    name: str
    effect: Effect | None
    fn: Callable[..., Any]
    signature: inspect.Signature
    types: Mapping[str, Any]
    validators: Mapping[str, Any]
    scope: Mapping[str, Any]
    limit: int | None
    authorize: Callable[..., Any] | None
    untrusted_output: bool
    reads_private: bool
    sends_out: bool
    credential: str | None
    is_async: bool
    variadic: str | None
    resources: Mapping[str, Any]


class whole:  # noqa: N801 - reads as a word of the rule it stands in
    """A scope rule that is asked about the whole value: `scope={"recipients": whole(lambda value: len(value) < 5)}`."""

    def __init__(self, predicate: Callable[[Any], bool]) -> None:
        self.__toolpass_whole__ = predicate


def each(rule: Any) -> Any:
    """A scope rule that is asked about each item of a list; what a plain rule means, said aloud."""
    return rule


def spec_of(tool: Any) -> ToolSpec | None:
    """The declaration of a tool, or `None` for anything else."""
    spec = getattr(tool, "__toolpass__", None)
    return spec if isinstance(spec, ToolSpec) else None


def wrap(toolkit: Toolkit, core: ToolkitCore, function: Any, given: dict[str, Any]) -> Callable[..., Any]:
    """The function as a tool.

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
    import inspect

    name = given["name"] or getattr(function, "__name__", type(function).__name__)
    signature, types = _read(function, name, given["credential"])
    is_async = _is_async(function)
    spec = ToolSpec(
        name=name,
        effect=given["effect"],
        fn=function,
        signature=signature,
        types=types,
        validators=dict(given["validate"] or {}),
        scope=dict(given["scope"] or {}),
        limit=given["limit"],
        authorize=given["authorize"],
        untrusted_output=given["untrusted_output"],
        reads_private=given["reads_private"],
        sends_out=given["sends_out"],
        credential=given["credential"],
        is_async=is_async,
        variadic=next((p.name for p in signature.parameters.values() if p.kind is p.VAR_KEYWORD), None),
        resources=dict(given["resources"] or {}),
    )
    _check_fields(spec)
    guarded = Guarded(core, toolkit, spec, function, {**given, "name": name}, _parameters(name, signature, types))
    wrapper = _async_wrapper(guarded, function) if is_async else _sync_wrapper(guarded)
    wrapper.__name__ = wrapper.__qualname__ = name
    wrapper.__doc__ = inspect.getdoc(function)
    wrapper.__module__ = getattr(function, "__module__", __name__)
    wrapper.__signature__ = signature  # type: ignore[attr-defined]
    annotations = {p.name: p.annotation for p in signature.parameters.values() if p.annotation is not p.empty}
    if signature.return_annotation is not signature.empty:
        annotations["return"] = signature.return_annotation
    wrapper.__annotations__ = annotations
    wrapper.__toolpass__ = spec  # type: ignore[attr-defined]
    return wrapper


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
            result = await function(*args, **step.keywords(kwargs))
        except BaseException as error:
            return step.raised(error)
        return step.returned(result)

    return tool


def _is_async(function: Any) -> bool:
    import functools
    import inspect

    while isinstance(function, functools.partial):
        function = function.func
    method = getattr(function, "__call__", None)  # noqa: B004 - whether calling it is async, not whether it can be called
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(method)


def _read(function: Any, name: str, credential: str | None) -> tuple[inspect.Signature, dict[str, Any]]:
    """The public signature, annotations resolved, and the hints by parameter."""
    import inspect

    from toolpass import _hints

    if not callable(function):
        raise TypeError(f"expected a function to make a tool of, not {type(function).__name__}")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError(f"{name} is a generator function; a tool returns its result")
    original = inspect.signature(function)
    hints, unresolved = _hints.resolve(function)
    if unresolved:
        _warn(name, "cannot be resolved and are not checked", unresolved)
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


def _check_fields(spec: ToolSpec) -> None:
    fields = getattr(spec.authorize, "__toolpass_fields__", ())
    strangers = [name for name in fields if name not in spec.signature.parameters]
    if strangers:
        raise TypeError(f"the authorizer's resource names {strangers[0]!r}, which is no parameter of {spec.name}")


def _parameters(name: str, signature: inspect.Signature, types: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Each parameter as `(name, kind, spelled hint, shown hint, default in a tuple)`."""
    from toolpass import _hints

    spelled = []
    incomplete = []
    for parameter in signature.parameters.values():
        hint = types.get(parameter.name, Any)
        form, complete = _hints.spell(hint)
        if not complete:
            incomplete.append(parameter.name)
        default = () if parameter.default is parameter.empty else (parameter.default,)
        spelled.append((parameter.name, int(parameter.kind), form, _hints.shown(hint), default))
    if incomplete:
        _warn(name, "have types that are not checked in full", incomplete)
    return spelled


def _warn(name: str, what: str, arguments: list[str]) -> None:
    import logging

    logging.getLogger("toolpass.toolkit").warning("%s: the annotations of %s %s", name, ", ".join(arguments), what)
