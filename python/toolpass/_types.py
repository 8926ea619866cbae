"""Names that only annotations need, and the declaration of a tool.

Separate because `typing` and `dataclasses` take longer to import than all the rest of the package: this module is
loaded when the first tool is declared, or when one of its names is asked for.
"""

from __future__ import annotations

import inspect  # noqa: TC003 - whoever resolves these annotations needs the names
import re  # noqa: TC003
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar  # noqa: TC003
from dataclasses import dataclass, field
from datetime import timedelta  # noqa: TC003
from os import PathLike  # noqa: TC003
from typing import Any, Literal, Protocol, TypeAlias, TypedDict, Union

from toolpass._errors import ToolRefused  # noqa: TC001
from toolpass._native import AuditEvent, AuthDecision, CallContext, Entitlements, Secret, Session
from toolpass._tool import whole

Effect: TypeAlias = Literal["read", "write", "destructive"]
"""How much a tool or a request can do."""

Inputs: TypeAlias = Literal["check", "ignore"]
"""Whether an argument is compared with outside text."""

AfterUntrusted: TypeAlias = Literal["check", "refuse"]
"""What becomes of an effect once outside text was read."""

FenceStructured: TypeAlias = Literal["off", "leaves", "json"]
"""How output that is no text is fenced: not, each text in it, or as one block of JSON."""

Validator: TypeAlias = Callable[[Any], Any]
"""Called with an argument's value: what is true lets it pass; a `ValueError`'s text is shown to the model."""

ScopeRule: TypeAlias = Union[str, Sequence[str], "re.Pattern[str]", Callable[[Any], Any], whole]
"""A glob, several of which one must match, a pattern to match in full, a predicate of each item, or a `whole`."""

Authorizer: TypeAlias = Callable[[CallContext], AuthDecision | bool | Awaitable[AuthDecision | bool]]
"""Asked before a body whether the call may go on. Only an async tool may have an async one."""

CredentialSource: TypeAlias = Mapping[str, Any] | Callable[[str, CallContext], Any]
"""Secrets by name, or a callable of the name and the call."""

AuditSink: TypeAlias = Callable[[AuditEvent], Any]
"""Called with the event of every call."""

SessionSource: TypeAlias = Union["ContextVar[Session]", Callable[[], Session | None]]
"""Where the current session comes from."""

UserSource: TypeAlias = Union[str, Callable[[], str], "ContextVar[str]"]
"""A text, a callable without arguments, or a context variable, of a user's e-mail."""

GroupsSource: TypeAlias = Union[Iterable[str], Callable[[], Iterable[str]], "ContextVar[Iterable[str]]"]
"""The same, of groups."""


class _Asked(TypedDict):
    user: str
    connection: str
    action: str
    resource: str


class CheckItem(_Asked, total=False):
    """One question of `check_many`: the arguments of `check` by name."""

    groups: Sequence[str] | None
    fresh: bool
    max_age: float | None
    token: str | None
    facts: Mapping[str, str] | None


class SessionStore(Protocol):
    """Where sessions are kept, by an object of your own; its methods may be async when all tools are.

    `session` and `person` are names made of keyed hashes. Each method does all it says at once, or raises; a call whose
    store raised is refused. Each answers a mapping with `untrusted`, `private` (whether it was ever marked so) and
    `remembers`: `"nothing"`, `"some"` or `"too_much"` outside text. Sessions and tickets that nobody used for long may
    be forgotten.
    """

    def get(self, session: str) -> Any:
        """How the session stands; also `counts`: a list of `{"key": ..., "count": ...}`."""

    def mark(self, session: str, *, untrusted: bool, private: bool) -> Any:
        """Mark it. A mark is never taken back."""

    def matches(self, session: str, *, hashes: list[int]) -> Any:
        """Look numbers up; also `known`: `{"outside": [...], "trusted": [...]}`, those that were recorded."""

    def record(self, session: str, *, of: str, hashes: list[int], capacity: int) -> Any:
        """Keep numbers of `"outside"` or `"trusted"` text, `capacity` of a kind; more outside text is `"too_much"`."""

    def release(self, session: str, *, person: str, tickets: list[str]) -> Any:
        """Give back what these tickets took, each once."""

    def reserve(self, session: str, *, person: str, ticket: str, caps: list[Any]) -> Any:
        """Take one of each cap, all or none.

        A cap is `{"key": {...}, "at_most": n}` of the session's count; with `"per": "hour"`, of the person's within any
        such time. When one is reached nothing is taken, and the answer has it as `exhausted`. A ticket is taken once.
        """


class Settings(TypedDict, total=False):
    """What `Toolkit` and `configure` take.

    Attributes:
        act_as: On whose authority a request outside `as_user()` and `as_agent()` runs.
        after_untrusted: Which effects are closed once outside text was read: `"refuse"` by effect.
        audit: Called with one `AuditEvent` a call; `None` for nowhere.
        audit_arguments: Whether events hold shortened arguments.
        audit_on_error: `"refuse"` calls whose event `started` the sink does not take, or `"ignore"` what it raises.
        connections: The systems by `id`, `integration` and URL, when the engine does not say.
        credentials: Secrets by name: a mapping, or a callable `(name, call)`.
        dashboard_arguments: Whether calls that are reported to a server have their arguments; no, when left out.
        entitlements: What tools are held to: a path, a mapping of the form of a file, or `Entitlements`.
        exfiltration: `"refuse"` or `"off"`: the guard against sending out private data after outside text was seen.
        fence_structured: How output of untrusted tools is fenced when it is no text.
        fence_untrusted: Whether texts of untrusted tools are fenced; they are recorded all the same.
        fresh_effects: Effects that are always asked fresh.
        intercept: Whether bodies' requests are looked at.
        limits: How many calls a session has, by effect; or how many one user has over time: `"20/hour"`.
        on_missing: What becomes of what the file of entitlements lacks: `"refuse"`, or `"warn"` to note it for a trial.
        on_refuse: Called with a `ToolRefused`, its answer becomes the tool's; or `"message"` for the refusal's text.
        permissions: The engine: any object with a callable `check`.
        private: Connections of which every read is private data.
        provenance: Which rules hold about who named a value, once `Session.trust` was told what the person asked:
            destinations, fetches, links, objects; all of them when left out.
        record: The file of entitlements into which what calls do is written.
        record_partial: Whether calls that were refused or raised are written too.
        session: Where the session comes from; `Session.active()` when left out.
        session_idle: How long a store keeps a session that nobody uses: a `timedelta` or seconds; a day when left out.
        session_secret: What names and fingerprints in the store are made with; else a secret that the store keeps.
        session_store: Where sessions are kept: `"memory"`, `"sqlite:PATH"`, a `valkey://` or `postgresql://` URL, or a
            `SessionStore` of your own.
        strict: Whether nothing passes that no connection or table knows.
        strict_types: Whether an annotation that cannot be checked in full is an error.
        subprocess: What becomes of programs that bodies start: `"allow"`, noted; `"refuse"`, also under `strict`.
        unattributed: What becomes of requests to a connection's host that no call is known for: `"audit"`, `"refuse"`,
            in a process that only runs tools. Left out, nobody looks at them.
        unknown_hosts: What becomes of requests to hosts of no connection.
        untrusted_tokens: Which arguments name nothing that only outside text named: destinations, all, or none.
    """

    act_as: Literal["user", "agent"]
    after_untrusted: Mapping[Effect, AfterUntrusted]
    audit: AuditSink | None
    audit_arguments: bool
    audit_on_error: Literal["ignore", "refuse"]
    connections: Sequence[Mapping[str, Any]] | None
    credentials: CredentialSource | None
    dashboard_arguments: bool | None
    entitlements: str | PathLike[str] | Mapping[str, Any] | Entitlements | None
    exfiltration: Literal["refuse", "off"]
    fence_structured: FenceStructured
    fence_untrusted: bool
    fresh_effects: Iterable[Effect]
    intercept: bool
    limits: Mapping[Effect, int | str] | None
    on_missing: Literal["refuse", "warn"]
    on_refuse: Callable[[ToolRefused], Any] | Literal["message"] | None
    permissions: Any
    private: Iterable[str]
    provenance: Iterable[Literal["destinations", "fetches", "links", "objects"]]
    record: str | PathLike[str] | None
    record_partial: bool
    session: SessionSource | None
    session_idle: timedelta | float
    session_secret: Secret | None
    session_store: str | Secret | SessionStore
    strict: bool
    strict_types: bool
    subprocess: Literal["allow", "refuse"] | None
    unattributed: Literal["audit", "refuse"] | None
    unknown_hosts: Literal["guarded", "allow", "refuse"]
    untrusted_tokens: Literal["destinations", "all", "off"]


@dataclass(frozen=True)
class ToolSpec:
    """What a tool declares.

    Attributes:
        name: Its name, the key of its limits.
        effect: What its requests may do at most.
        fn: The function.
        signature: The public signature: without `credential`, annotations resolved.
        types: The annotations by parameter.
        validators: Validators by parameter.
        scope: Scope rules by parameter.
        limit: Calls of it a session has, or how many one user has over time.
        authorize: Who is asked before the body.
        untrusted_output: Whether its output is outside text; `"handle"` when the model is given a handle of it.
        reads_private: Whether its output is private data, or who may read it.
        sends_out: Whether it puts text where other people read it, or who says who would.
        credential: The name of its secret.
        is_async: Whether it is awaited.
        variadic: The name of its `**` parameter.
        resources: Rules by resource type.
        check_untrusted: Whether its arguments are compared with outside text.
    """

    name: str
    effect: Effect | None
    fn: Callable[..., Any]
    signature: inspect.Signature
    types: Mapping[str, Any]
    validators: Mapping[str, Validator]
    scope: Mapping[str, ScopeRule]
    limit: int | str | None
    authorize: Callable[..., Any] | None
    untrusted_output: bool | Literal["handle"]
    reads_private: bool | frozenset[str] | Callable[[CallContext], Iterable[str]]
    sends_out: bool | Callable[[CallContext], Iterable[str]]
    credential: str | None
    is_async: bool
    variadic: str | None
    resources: Mapping[str, ScopeRule]
    check_untrusted: bool = field(default=True, kw_only=True)
