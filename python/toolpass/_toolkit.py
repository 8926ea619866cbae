"""`Toolkit` and `configure`: the settings tools read at every call.

Settings are validated and kept in Rust; the public attributes show what was given.
"""

from __future__ import annotations

from toolpass._native import ToolkitCore
from toolpass._tool import wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, Literal, TypeVar, overload

    from typing_extensions import Unpack

    from toolpass._native import AuditEvent, CallContext
    from toolpass._types import (
        AfterUntrusted,
        AuditSink,
        Authorizer,
        Effect,
        FenceStructured,
        Inputs,
        ScopeRule,
        Settings,
        ToolSpec,
        Validator,
    )

    _F = TypeVar("_F", bound=Callable[..., Any])
    _T = TypeVar("_T")
else:

    def overload(function: object) -> object:
        """What `typing.overload` is at run time, without importing it."""
        return function


EFFECTS: tuple[Effect, ...] = ("read", "write", "destructive")
"""The effects, weakest first."""


def log_audit(event: AuditEvent) -> None:
    """The default sink: one line of JSON at INFO on the logger `toolpass.toolkit`."""
    import logging

    logging.getLogger("toolpass.toolkit").info("%s", event.to_json())


log_audit.__toolpass_log_audit__ = True  # type: ignore[attr-defined]

_DEFAULTS: dict[str, Any] = {
    "act_as": "user",
    "after_untrusted": {},
    "audit": log_audit,
    "audit_arguments": True,
    "audit_on_error": "ignore",
    "connections": None,
    "credentials": None,
    "dashboard_arguments": None,
    "entitlements": None,
    "exfiltration": "refuse",
    "fence_structured": "off",
    "fence_untrusted": True,
    "fresh_effects": ("destructive",),
    "intercept": True,
    "limits": {},
    "on_missing": "refuse",
    "on_refuse": None,
    "permissions": None,
    "private": (),
    "provenance": ("destinations", "fetches", "links", "objects"),
    "record": None,
    "record_partial": False,
    "session": None,
    "session_idle": 86_400,
    "session_secret": None,
    "session_store": "memory",
    "strict": False,
    "strict_types": False,
    "subprocess": None,
    "unattributed": None,
    "unknown_hosts": "guarded",
    "untrusted_tokens": "destinations",
}
"""Every setting; what each does is said in `toolpass._types.Settings`."""

_PROTECTIVE = (
    "after_untrusted",
    "audit_on_error",
    "connections",
    "entitlements",
    "limits",
    "permissions",
    "private",
    "provenance",
    "session",
    "session_store",
    "strict",
    "subprocess",
    "unattributed",
)
"""Settings that hold something back: dropping one is worth a warning."""

_ATTRIBUTES = {"connection_specs": "connections", "recorder": "record", "session_source": "session"}
"""Public attributes that are not named as their settings."""


class Toolkit:
    """A set of tools under one set of settings.

    The settings are keyword arguments; each is a public attribute of its name, `connections` as `connection_specs`,
    `record` as `recorder` and `session` as `session_source`. `toolpass._types.Settings` says what each does.

    Raises:
        TypeError: An unknown setting, or a value of the wrong type.
        ValueError: A value that is none of those accepted.

    Example:
        >>> import toolpass
        >>> kit = toolpass.Toolkit(limits={"write": 3}, audit=None)
        >>> kit.limits
        {'write': 3}
    """

    __slots__ = ("__weakref__", "_configured_later", "_core", "_settings", "_tools")

    def __init__(self, **settings: Unpack[Settings]) -> None:
        self._core = ToolkitCore()
        self._tools: dict[str, ToolSpec] = {}
        self._configured_later = False
        self._apply({**_DEFAULTS, **settings})

    def _apply(self, settings: dict[str, Any]) -> None:
        for name in settings:
            if name not in _DEFAULTS:
                raise TypeError(f"unknown setting {name!r}; known are {', '.join(_DEFAULTS)}")
        for name in ("fresh_effects", "private", "provenance"):
            if not isinstance(settings[name], str):
                settings[name] = tuple(settings[name])
        self._core.configure(settings)
        self._settings = settings

    def __getattr__(self, name: str) -> Any:
        setting = _ATTRIBUTES.get(name, name)
        if name in _ATTRIBUTES.values() or setting not in _DEFAULTS:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self._settings[setting]

    @property
    def audit(self) -> AuditSink | None:
        """The sink of audit events. It may be replaced."""
        sink: AuditSink | None = self._settings["audit"]
        return sink

    @audit.setter
    def audit(self, sink: AuditSink | None) -> None:
        self._apply({**self._settings, "audit": sink})

    @overload
    def tool(self, function: _F, /) -> _F: ...

    @overload
    def tool(  # noqa: F811 - an overload
        self,
        /,
        *,
        effect: Effect | None = None,
        authorize: Authorizer | None = None,
        scope: Mapping[str, ScopeRule] | None = None,
        resources: Mapping[str, ScopeRule] | None = None,
        validate: Mapping[str, Validator] | None = None,
        limit: int | str | None = None,
        untrusted_inputs: Inputs | Mapping[str, Inputs] | None = None,
        destinations: Iterable[str] | None = None,
        after_untrusted: AfterUntrusted | None = None,
        untrusted_output: bool | Literal["handle"] = False,
        handles: Iterable[str] = (),
        fence_structured: FenceStructured | None = None,
        fence_fields: Iterable[str] = (),
        reads_private: bool | Iterable[str] | Callable[[CallContext], Iterable[str]] = False,
        sends_out: bool | Callable[[CallContext], Iterable[str]] = False,
        credential: str | None = None,
        secret_fields: Sequence[str] = (),
        name: str | None = None,
        as_tool: None = None,
    ) -> Callable[[_F], _F]: ...

    @overload
    def tool(  # noqa: F811 - an overload
        self,
        /,
        *,
        effect: Effect | None = None,
        authorize: Authorizer | None = None,
        scope: Mapping[str, ScopeRule] | None = None,
        resources: Mapping[str, ScopeRule] | None = None,
        validate: Mapping[str, Validator] | None = None,
        limit: int | str | None = None,
        untrusted_inputs: Inputs | Mapping[str, Inputs] | None = None,
        destinations: Iterable[str] | None = None,
        after_untrusted: AfterUntrusted | None = None,
        untrusted_output: bool | Literal["handle"] = False,
        handles: Iterable[str] = (),
        fence_structured: FenceStructured | None = None,
        fence_fields: Iterable[str] = (),
        reads_private: bool | Iterable[str] | Callable[[CallContext], Iterable[str]] = False,
        sends_out: bool | Callable[[CallContext], Iterable[str]] = False,
        credential: str | None = None,
        secret_fields: Sequence[str] = (),
        name: str | None = None,
        as_tool: Callable[[Any], _T],
    ) -> Callable[[Callable[..., Any]], _T]: ...

    def tool(  # noqa: F811 - what the overloads are of
        self,
        function: Any = None,
        /,
        *,
        effect: Effect | None = None,
        authorize: Authorizer | None = None,
        scope: Mapping[str, ScopeRule] | None = None,
        resources: Mapping[str, ScopeRule] | None = None,
        validate: Mapping[str, Validator] | None = None,
        limit: int | str | None = None,
        untrusted_inputs: Inputs | Mapping[str, Inputs] | None = None,
        destinations: Iterable[str] | None = None,
        after_untrusted: AfterUntrusted | None = None,
        untrusted_output: bool | Literal["handle"] = False,
        handles: Iterable[str] = (),
        fence_structured: FenceStructured | None = None,
        fence_fields: Iterable[str] = (),
        reads_private: bool | Iterable[str] | Callable[[CallContext], Iterable[str]] = False,
        sends_out: bool | Callable[[CallContext], Iterable[str]] = False,
        credential: str | None = None,
        secret_fields: Sequence[str] = (),
        name: str | None = None,
        as_tool: Callable[[Any], Any] | None = None,
        **unknown: Any,
    ) -> Any:
        """Make a tool of a function. Without arguments, `@tool` and `@tool()` are the same.

        Args:
            function: The function, when the decorator is used without parentheses.
            effect: What its requests may do at most; left out, each request is what it is.
            authorize: Asked before the body: `permission_check(...)`, or a callable of the call.
            scope: Rules by argument: globs, a compiled pattern, or a predicate.
            resources: Rules by resource type, over what its requests touch.
            validate: Callables by argument.
            limit: Calls of it a session has, or how many one user has over time: `"20/hour"`.
            untrusted_inputs: Whether its arguments are compared with outside text: `"check"`, `"ignore"`, or one
                of them by argument; left out, unless it only reads and sends nothing out.
            destinations: The arguments that say where something goes: they name nothing that only outside text named;
                left out, those named `to`, `channel`, `url` and the like, of a tool that sends out or destroys.
            after_untrusted: Whether it is open once outside text was read; left out, as the toolkit says of its effect.
            untrusted_output: Whether its output is outside text, which is recorded and fenced. The session is marked
                before it runs. `"handle"`: the text stays in the session, and the model is given a handle.
            handles: The arguments that may be a handle: the tool is given the value, whatever it says.
            fence_structured: How its output is fenced when that is no text; left out, as the toolkit says.
            fence_fields: Only what stands under these keys is fenced.
            reads_private: Whether its output is private data, or who may read it besides the session's user: their
                names, or a callable of the call that answers them. The session is marked before it runs.
            sends_out: Whether it puts text where other people read it, or a callable of the call that answers who
                would: it may run then if they may read everything private the session has read, and only then.
            credential: The name of the secret handed to its keyword-only parameter `credential`.
            secret_fields: Keys of a mapping credential that hold secrets; left out, those that sound like it.
            name: Its name, when it is not the function's.
            as_tool: A framework's decorator, applied to the finished tool.
            **unknown: Nothing else: refused, naming what there is.

        Returns:
            The tool, or a decorator.

        Raises:
            TypeError: The function or the declaration cannot be a tool.
            ValueError: A value is none of those accepted.

        Example:
            >>> import toolpass
            >>> @toolpass.Toolkit(audit=None).tool(effect="read", scope={"repo": "acme/*"})
            ... def stars(repo: str) -> int:
            ...     return 3
            >>> with toolpass.Session("dana@example.com").active():
            ...     stars("acme/shop")
            3
        """
        given = {
            "effect": effect,
            "authorize": authorize,
            "scope": scope,
            "resources": resources,
            "validate": validate,
            "limit": limit,
            "untrusted_inputs": untrusted_inputs,
            "destinations": destinations,
            "after_untrusted": after_untrusted,
            "untrusted_output": untrusted_output,
            "handles": handles,
            "fence_structured": fence_structured,
            "fence_fields": fence_fields,
            "reads_private": reads_private,
            "sends_out": sends_out,
            "credential": credential,
            "secret_fields": secret_fields,
            "name": name,
        }
        if unknown:
            known = ", ".join([*given, "as_tool"])
            raise TypeError(f"tool() takes no argument {next(iter(unknown))!r}; known are {known}")
        if hasattr(reads_private, "__iter__") and not isinstance(reads_private, str):
            given["reads_private"] = frozenset(reads_private)
        if as_tool is not None and not callable(as_tool):
            raise TypeError(f"expected `as_tool` to be callable, not {type(as_tool).__name__}")
        if name == "":
            raise ValueError("expected `name` to be a text that is not empty; leave it out for the function's own name")
        if credential is not None and not self._configured_later and self._settings["credentials"] is None:
            raise TypeError("the tool declares `credential=` and the toolkit has no `credentials`")

        def decorate(wanted: Any) -> Any:
            made, spec = wrap(self, self._core, wanted, given)
            self._register(spec)
            return made if as_tool is None else as_tool(made)

        return decorate if function is None else decorate(function)

    secured_tool = tool

    def tools(self) -> list[ToolSpec]:
        """The declarations of the tools made so far, the last one of each name."""
        return list(self._tools.values())

    def _register(self, spec: ToolSpec) -> None:
        before = self._tools.get(spec.name)
        if before is not None and _origin(before) != _origin(spec):
            text = f"two tools are called {spec.name!r} ({_origin(before)}, {_origin(spec)}) and share their limits"
            if self._settings["strict"]:
                raise ValueError(text)
            import logging

            logging.getLogger("toolpass.toolkit").warning("%s", text)
        self._tools[spec.name] = spec


def _origin(spec: ToolSpec) -> str:
    """Where a tool's function was written; the same for one that is decorated again."""
    named = spec.fn if hasattr(spec.fn, "__qualname__") else type(spec.fn)
    return f"{named.__module__}.{named.__qualname__}"


_default = Toolkit()
# Its tools are declared before anybody can configure it.
_default._configured_later = True


def default_toolkit() -> Toolkit:
    """The toolkit behind `toolpass.tool` and `toolpass.configure`."""
    return _default


def configure(*, keep: bool = False, **settings: Unpack[Settings]) -> Toolkit:
    """Set the default toolkit's settings. What is left out goes back to its default, unless `keep` is given.

    Takes what `Toolkit` takes. A rejected call changes nothing. Tools declared before read the settings at every call.

    Args:
        keep: Whether what is left out stays as it is.
        **settings: The settings.

    Returns:
        The default toolkit.

    Raises:
        TypeError: An unknown setting, or a value of the wrong type.
        ValueError: A value that is none of those accepted.
    """
    before = _default._settings
    _default._apply({**(before if keep else _DEFAULTS), **settings})
    left_out = [] if keep else [name for name in _PROTECTIVE if name not in settings]
    dropped = [name for name in left_out if before[name] is not _DEFAULTS[name]]
    if dropped:
        import logging

        logging.getLogger("toolpass.toolkit").warning(
            "configure() dropped %s; use keep=True to keep what is left out", ", ".join(dropped)
        )
    return _default


def intercept() -> None:
    """Put the hooks for HTTP libraries in place now, not at the first call that wants them."""
    from toolpass import _hooks

    _hooks.install()
