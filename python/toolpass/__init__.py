"""A pass for every tool call an AI agent makes.

Put `toolpass.tool` on a plain function, give the toolkit an engine, and make a session current: every HTTP request the
function makes is named, checked live against the person the agent works for, and refused before a byte leaves if that
person may not do it.

    tp = toolpass.Toolpass.from_config("toolpass.yaml")
    toolpass.configure(permissions=tp)

    @toolpass.tool()
    def open_pr(repo: str, title: str) -> str: ...

    with toolpass.Session("dana@example.com").active():
        open_pr("acme/shop", "Fix the checkout")
"""

from __future__ import annotations

import os

from toolpass import _native
from toolpass._asgi import (
    GROUPS_HEADER,
    KEY_HEADER,
    SESSION_HEADER,
    TOKEN_HEADER,
    USER_HEADER,
    session_from_header,
)
from toolpass._context import as_agent, as_user, current_call, current_session
from toolpass._engine import ALLOW, DENY, UNKNOWN, guarded, permission_check
from toolpass._errors import ActionRefused, PermissionDenied, ToolError, ToolRefused
from toolpass._fence import FENCE_END, FENCE_START
from toolpass._native import (
    ActionRecorder,
    AuditEvent,
    AuthDecision,
    Decision,
    Entitlement,
    Entitlements,
    Fenced,
    ObservedAction,
    Secret,
    Session,
    ToolEntitlements,
    Toolpass,
    Watch,
    __version__,
    audit_file,
    env,
    fence,
    file,
    literal,
    neutralize,
)
from toolpass._native import CallContext as Call
from toolpass._source import current
from toolpass._tool import each, spec_of, whole
from toolpass._toolkit import EFFECTS, Toolkit, configure, default_toolkit, intercept, log_audit
from toolpass._watch import watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolpass._types import (
        AuditSink,
        Authorizer,
        CredentialSource,
        Effect,
        GroupsSource,
        ScopeRule,
        SessionStore,
        ToolSpec,
        UserSource,
        Validator,
    )

tool = default_toolkit().tool
secured_tool = tool

if hasattr(os, "register_at_fork"):
    # A forked child has none of the engine's threads: they are started anew at its first question.
    os.register_at_fork(after_in_child=_native.after_fork)


def __getattr__(name: str) -> object:
    """The names only annotations need, loaded when asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from toolpass import _types

    value: object = getattr(_types, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Every public name, loaded or not."""
    return sorted({*globals(), *__all__})


__all__ = [
    "ALLOW",
    "DENY",
    "EFFECTS",
    "FENCE_END",
    "FENCE_START",
    "GROUPS_HEADER",
    "KEY_HEADER",
    "SESSION_HEADER",
    "TOKEN_HEADER",
    "UNKNOWN",
    "USER_HEADER",
    "ActionRecorder",
    "ActionRefused",
    "AuditEvent",
    "AuditSink",
    "AuthDecision",
    "Authorizer",
    "Call",
    "CredentialSource",
    "Decision",
    "Effect",
    "Entitlement",
    "Entitlements",
    "Fenced",
    "GroupsSource",
    "ObservedAction",
    "PermissionDenied",
    "ScopeRule",
    "Secret",
    "Session",
    "SessionStore",
    "ToolEntitlements",
    "ToolError",
    "ToolRefused",
    "ToolSpec",
    "Toolkit",
    "Toolpass",
    "UserSource",
    "Validator",
    "Watch",
    "__version__",
    "as_agent",
    "as_user",
    "audit_file",
    "configure",
    "current",
    "current_call",
    "current_session",
    "default_toolkit",
    "each",
    "env",
    "fence",
    "file",
    "guarded",
    "intercept",
    "literal",
    "log_audit",
    "neutralize",
    "permission_check",
    "secured_tool",
    "session_from_header",
    "spec_of",
    "tool",
    "watch",
    "whole",
]
