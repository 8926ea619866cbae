"""`Toolkit` and `configure`: the settings tools read at every call.

Settings are validated and kept in Rust; the public attributes show what was given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, overload

from toolpass._native import AuditEvent, ToolkitCore
from toolpass._tool import ToolSpec, spec_of, wrap

if TYPE_CHECKING:
    from contextvars import ContextVar

    from toolpass._errors import ToolRefused
    from toolpass._native import Session

Effect: TypeAlias = Literal["read", "write", "destructive"]
"""How much a tool or a request can do."""

EFFECTS: tuple[Effect, ...] = ("read", "write", "destructive")
"""The effects, weakest first."""

_F = TypeVar("_F", bound=Callable[..., Any])


def log_audit(event: AuditEvent) -> None:
    """The default sink: one line of JSON at INFO on the logger `toolpass.toolkit`."""
    import logging

    logging.getLogger("toolpass.toolkit").info("%s", event.to_json())


log_audit.__toolpass_log_audit__ = True  # type: ignore[attr-defined]

_DEFAULTS: dict[str, Any] = {
    "credentials": None,
    "audit": log_audit,
    "limits": None,
    "exfiltration": "refuse",
    "audit_arguments": True,
    "session": None,
    "on_refuse": None,
    "permissions": None,
    "connections": None,
    "private": (),
    "strict": False,
    "act_as": "user",
    "intercept": True,
    "unknown_hosts": "guarded",
    "fresh_effects": ("destructive",),
}

_PROTECTIVE = ("permissions", "connections", "limits", "session", "strict", "private")


class Toolkit:
    """A set of tools under one set of settings.

    Args:
        credentials: Secrets by name: a mapping, or a callable `(name, call)`.
        audit: Called with one `AuditEvent` a call; `None` for nowhere.
        limits: How many calls a session has, by effect.
        exfiltration: `"refuse"` or `"off"`: the guard against sending out private data after outside text was seen.
        audit_arguments: Whether events hold shortened arguments.
        session: Where the session comes from: a context variable or a callable; `Session.active()` when left out.
        on_refuse: Called with a `ToolRefused`; its answer becomes the tool's.
        permissions: The engine: any object with a callable `check`.
        connections: The systems by `id`, `integration` and URL, when the engine does not say.
        private: Connections of which every read is private data.
        strict: Whether nothing passes that no connection or table knows.
        act_as: `"user"` or `"agent"`: on whose authority a request outside a block runs.
        intercept: Whether bodies' requests are looked at.
        unknown_hosts: `"guarded"`, `"allow"` or `"refuse"`.
        fresh_effects: Effects that are always asked fresh.

    Raises:
        TypeError: An unknown setting, or a value of the wrong type.
        ValueError: A value that is none of those accepted.
    """

    def __init__(self, **settings: Any) -> None:
        self._core = ToolkitCore()
        self._tools: dict[str, Callable[..., Any]] = {}
        self._requires_credentials = True
        self._apply(settings)

    def _apply(self, settings: Mapping[str, Any]) -> None:
        unknown = [name for name in settings if name not in _DEFAULTS]
        if unknown:
            raise TypeError(f"unknown setting {unknown[0]!r}; known are {', '.join(sorted(_DEFAULTS))}")
        complete = {**_DEFAULTS, **settings}
        self._core.configure(complete)
        self._settings = complete

    def __getattr__(self, name: str) -> Any:
        settings = self.__dict__.get("_settings", {})
        names = {"session_source": "session", "connection_specs": "connections"}
        if names.get(name, name) in settings:
            return settings[names.get(name, name)]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def audit(self) -> Callable[[AuditEvent], Any] | None:
        """The sink of audit events. It may be replaced."""
        sink: Callable[[AuditEvent], Any] | None = self._settings["audit"]
        return sink

    @audit.setter
    def audit(self, sink: Callable[[AuditEvent], Any] | None) -> None:
        self._apply({**self._settings, "audit": sink})

    @overload
    def tool(self, function: _F, /) -> _F: ...

    @overload
    def tool(
        self,
        *,
        effect: Effect | None = None,
        authorize: Callable[..., Any] | None = None,
        scope: Mapping[str, Any] | None = None,
        resources: Mapping[str, Any] | None = None,
        validate: Mapping[str, Callable[[Any], Any]] | None = None,
        limit: int | None = None,
        untrusted_output: bool = False,
        reads_private: bool = False,
        sends_out: bool = False,
        credential: str | None = None,
        name: str | None = None,
        as_tool: None = None,
    ) -> Callable[[_F], _F]: ...

    @overload
    def tool(self, *, as_tool: Callable[[Any], Any], **declared: Any) -> Callable[[Any], Any]: ...

    def tool(
        self,
        function: Any = None,
        /,
        *,
        effect: Effect | None = None,
        authorize: Callable[..., Any] | None = None,
        scope: Mapping[str, Any] | None = None,
        resources: Mapping[str, Any] | None = None,
        validate: Mapping[str, Callable[[Any], Any]] | None = None,
        limit: int | None = None,
        untrusted_output: bool = False,
        reads_private: bool = False,
        sends_out: bool = False,
        credential: str | None = None,
        name: str | None = None,
        as_tool: Callable[[Any], Any] | None = None,
    ) -> Any:
        """Make a tool of a function. Without arguments, `@tool` and `@tool()` are the same.

        Args:
            function: The function, when the decorator is used without parentheses.
            effect: What its requests may do at most; left out, each request is what it is.
            authorize: Asked before the body: `permission_check(...)`, or a callable of the call.
            scope: Rules by argument: globs, a compiled pattern, or a predicate.
            resources: Rules by resource type, over what its requests touch.
            validate: Callables by argument.
            limit: Calls of it a session has.
            untrusted_output: Whether its output is outside text; the session is marked before it runs.
            reads_private: Whether its output is private data; the session is marked before it runs.
            sends_out: Whether it puts text where other people read it.
            credential: The name of the secret handed to its keyword-only parameter `credential`.
            name: Its name, when it is not the function's.
            as_tool: A framework's decorator, applied to the finished tool.

        Returns:
            The tool, or a decorator.

        Raises:
            TypeError: The function or the declaration cannot be a tool.
            ValueError: A value is none of those accepted.
        """
        given = {
            "effect": effect,
            "authorize": authorize,
            "scope": scope,
            "resources": resources,
            "validate": validate,
            "limit": limit,
            "untrusted_output": untrusted_output,
            "reads_private": reads_private,
            "sends_out": sends_out,
            "credential": credential,
            "name": name,
        }
        if credential is not None and self._requires_credentials and self._settings["credentials"] is None:
            raise TypeError("the tool declares `credential=` and the toolkit has no `credentials`")

        def decorate(wanted: Any) -> Any:
            made = wrap(self, self._core, wanted, given)
            self._register(made)
            return made if as_tool is None else as_tool(made)

        return decorate if function is None else decorate(function)

    secured_tool = tool

    def tools(self) -> list[ToolSpec]:
        """The declarations of the tools made so far, the last one of each name."""
        specs = (spec_of(made) for made in self._tools.values())
        return [spec for spec in specs if spec is not None]

    def _register(self, made: Callable[..., Any]) -> None:
        name = made.__name__
        before = self._tools.get(name)
        if before is not None and before.__module__ != made.__module__:
            import logging

            logging.getLogger("toolpass.toolkit").warning(
                "two tools are called %r (%s, %s) and share their limits", name, before.__module__, made.__module__
            )
        self._tools[name] = made


_default = Toolkit()
# Its tools are declared before anybody can configure it.
_default._requires_credentials = False  # noqa: SLF001


def default_toolkit() -> Toolkit:
    """The toolkit behind `toolpass.tool` and `toolpass.configure`."""
    return _default


def configure(
    *,
    keep: bool = False,
    credentials: Mapping[str, Any] | Callable[..., Any] | None = None,
    audit: Callable[[AuditEvent], Any] | None = log_audit,
    limits: Mapping[Effect, int] | None = None,
    exfiltration: Literal["refuse", "off"] = "refuse",
    audit_arguments: bool = True,
    session: ContextVar[Session] | Callable[[], Session | None] | None = None,
    on_refuse: Callable[[ToolRefused], Any] | None = None,
    permissions: Any = None,
    connections: list[Mapping[str, Any]] | None = None,
    private: Iterable[str] = (),
    strict: bool = False,
    act_as: Literal["user", "agent"] = "user",
    intercept: bool = True,
    unknown_hosts: Literal["guarded", "allow", "refuse"] = "guarded",
    fresh_effects: Iterable[Effect] = ("destructive",),
) -> Toolkit:
    """Set the default toolkit's settings. What is left out goes back to its default, unless `keep` is given.

    Takes what `Toolkit` takes. A rejected call changes nothing.

    Returns:
        The default toolkit.

    Raises:
        TypeError: An unknown setting, or a value of the wrong type.
        ValueError: A value that is none of those accepted.
    """
    given = {
        "credentials": credentials,
        "audit": audit,
        "limits": limits,
        "exfiltration": exfiltration,
        "audit_arguments": audit_arguments,
        "session": session,
        "on_refuse": on_refuse,
        "permissions": permissions,
        "connections": connections,
        "private": tuple(private),
        "strict": strict,
        "act_as": act_as,
        "intercept": intercept,
        "unknown_hosts": unknown_hosts,
        "fresh_effects": tuple(fresh_effects),
    }
    before = _default._settings  # noqa: SLF001
    if keep:
        given = {name: before[name] if value == _DEFAULTS[name] else value for name, value in given.items()}
    _default._apply(given)  # noqa: SLF001
    dropped = [name for name in _PROTECTIVE if before[name] != _DEFAULTS[name] and given[name] == _DEFAULTS[name]]
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
