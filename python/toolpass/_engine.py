"""The engine's face besides `Toolpass` itself: `permission_check` and `guarded`.

`permission_check` builds an authorizer for a tool; `guarded` puts one check in front of any function, without a session
and without looking at what the function does.
"""

from __future__ import annotations

from collections.abc import Mapping

from toolpass._errors import PermissionDenied
from toolpass._native import Decision, Permission, fill_resource, log_time
from toolpass._source import current

TYPE_CHECKING = False
if TYPE_CHECKING:
    import inspect
    from collections.abc import Callable
    from typing import Any, TypeVar

    from toolpass._types import GroupsSource, UserSource

    _F = TypeVar("_F", bound=Callable[..., Any])

ALLOW = "allow"
DENY = "deny"
UNKNOWN = "unknown"


def permission_check(tp: Any, connection: str, action: str, resource: str, *, fresh: bool = False) -> Permission:
    """An authorizer that asks an engine whether the session's user may.

    Args:
        tp: The engine: any object with a callable `check`.
        connection: The connection's id.
        action: The action, without the integration.
        resource: A template over the tool's arguments, such as `"repo:{repo}"`.
        fresh: Whether no stored answer will do.

    Returns:
        What `toolpass.tool(authorize=...)` takes.

    Raises:
        ValueError: The template is none.
        TypeError: The engine has no `check`.
    """
    return Permission(tp, connection, action, resource, fresh=fresh)


def guarded(
    tp: Any,
    connection: str,
    action: str,
    resource: str,
    *,
    user: UserSource,
    groups: GroupsSource | None = None,
    deny: Callable[[PermissionDenied], Any] | None = None,
    fresh: bool = False,
) -> Callable[[_F], _F]:
    """Run a function only when the user may do `action` on `resource`.

    The function is called with keyword arguments, or, when its one parameter is a mapping, with one mapping. The
    resource is filled from them.

    Args:
        tp: The engine.
        connection: The connection's id.
        action: The action.
        resource: A template over the function's arguments.
        user: Where the user comes from: a text, a callable, or a context variable.
        groups: Where the user's groups come from.
        deny: Called with the `PermissionDenied`; its answer becomes the function's.
        fresh: Whether no stored answer will do.

    Returns:
        A decorator that keeps the function's signature.

    Raises:
        ValueError: The template is none.
    """
    permission = Permission(tp, connection, action, resource, fresh=fresh)
    check = _Check(permission, (connection, action, resource), user, groups, deny)

    def decorate(function: _F) -> _F:
        import functools
        import inspect

        from toolpass._context import is_async

        binds = _binder(function, inspect.signature(function), check.fields)

        if is_async(function):

            @functools.wraps(function)
            async def checked_async(*args: Any, **kwargs: Any) -> Any:
                asked = check.ask(binds(args, kwargs))
                if isinstance(asked, PermissionDenied):
                    return check.refuse(asked)
                started = log_time()
                decision = await _check_async(tp, asked, fresh)
                denied = check.denied(decision, asked)
                if denied is not None:
                    return check.refuse(denied)
                try:
                    result = await function(*args, **kwargs)
                except BaseException as error:
                    _log(asked, decision, started, fresh, f"raised {type(error).__name__} from")
                    raise
                _log(asked, decision, started, fresh, "ran")
                return result

            return checked_async  # type: ignore[return-value]

        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            asked = check.ask(binds(args, kwargs))
            if isinstance(asked, PermissionDenied):
                return check.refuse(asked)
            started = log_time()
            decision = tp.check(*asked, fresh=fresh)
            denied = check.denied(decision, asked)
            if denied is not None:
                return check.refuse(denied)
            try:
                result = function(*args, **kwargs)
            except BaseException as error:
                _log(asked, decision, started, fresh, f"raised {type(error).__name__} from")
                raise
            _log(asked, decision, started, fresh, "ran")
            return result

        return checked  # type: ignore[return-value]

    return decorate


class _Check:
    """The question of one `guarded`, and what becomes of its answer; the same for ordinary and async functions."""

    def __init__(
        self,
        permission: Permission,
        names: tuple[str, str, str],
        user: UserSource,
        groups: GroupsSource | None,
        deny: Callable[[PermissionDenied], Any] | None,
    ) -> None:
        self._permission = permission
        self._connection, self._action, self._resource = names
        self._user = user
        self._groups = groups
        self._deny = deny

    @property
    def fields(self) -> tuple[str, ...]:
        """The arguments the resource is filled from."""
        return self._permission.__toolpass_fields__

    def ask(self, arguments: Mapping[str, Any]) -> tuple[Any, ...] | PermissionDenied:
        """The arguments of `check`, or the refusal of a resource that cannot be filled."""
        who = current(self._user)
        member_of = None if self._groups is None else current(self._groups, "groups")
        filled = fill_resource(self._permission, dict(arguments))
        if isinstance(filled, Decision):
            return PermissionDenied(filled, who, self._connection, self._action, self._resource)
        return who, self._connection, self._action, filled, member_of

    def denied(self, decision: Any, asked: tuple[Any, ...]) -> PermissionDenied | None:
        """The refusal, unless the answer is allow."""
        if decision.decision == ALLOW:
            return None
        return PermissionDenied(decision, *asked[:4])

    def refuse(self, denied: PermissionDenied) -> Any:
        """Raise it, or answer what `deny` makes of it."""
        if self._deny is None:
            raise denied
        return self._deny(denied)


async def _check_async(tp: Any, asked: tuple[Any, ...], fresh: bool) -> Any:
    """The answer of any engine, off the event loop."""
    if hasattr(tp, "acheck"):
        return await tp.acheck(*asked, fresh=fresh)
    import asyncio

    return await asyncio.to_thread(tp.check, *asked, fresh=fresh)


def _binder(
    function: Callable[..., Any], signature: inspect.Signature, fields: tuple[str, ...]
) -> Callable[[tuple[Any, ...], dict[str, Any]], Mapping[str, Any]]:
    """How a call's arguments become names and values."""
    parameters = list(signature.parameters.values())
    if len(parameters) == 1 and _is_mapping(parameters[0]):

        def of_mapping(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Mapping[str, Any]:
            if kwargs or len(args) != 1 or not isinstance(args[0], Mapping):
                raise TypeError(f"{function.__name__} takes exactly one mapping")
            return {name: value for name, value in args[0].items() if name != "user"}

        return of_mapping

    strangers = [name for name in fields if name not in signature.parameters]
    if strangers:
        raise TypeError(f"the resource names {strangers[0]!r}, which is no parameter of {function.__name__}")

    def of_keywords(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Mapping[str, Any]:
        if args:
            raise TypeError(f"{function.__name__} takes keyword arguments only")
        bound = signature.bind(**kwargs)
        bound.apply_defaults()
        return bound.arguments

    return of_keywords


def _is_mapping(parameter: inspect.Parameter) -> bool:
    if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
        return False
    annotation = parameter.annotation
    if isinstance(annotation, str):
        name = annotation.partition("[")[0].strip().rpartition(".")[2]
        return name in {"dict", "Dict", "Mapping", "MutableMapping"}
    origin = getattr(annotation, "__origin__", annotation)
    return isinstance(origin, type) and issubclass(origin, Mapping)


def _log(asked: tuple[Any, ...], decision: Any, checked_at: str, fresh: bool, what: str) -> None:
    import logging

    user, connection, action, resource, _ = asked
    logging.getLogger("toolpass").info(
        "%s %s %s on %s in %s; checked at %s%s: %s, %s; the write was not conditional on the state that was checked",
        user,
        what,
        action,
        resource,
        connection,
        checked_at,
        " (fresh)" if fresh else "",
        decision.decision,
        decision.reason,
    )
