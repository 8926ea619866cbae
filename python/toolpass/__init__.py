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

from toolpass._context import as_agent, as_user, current_call, current_session
from toolpass._engine import ALLOW, DENY, UNKNOWN, guarded, permission_check
from toolpass._errors import ActionRefused, PermissionDenied, ToolError, ToolRefused
from toolpass._native import AuditEvent, Decision, ObservedAction, Secret, Session, Toolpass, env, file, literal
from toolpass._native import CallContext as Call
from toolpass._source import GroupsSource, UserSource, current
from toolpass._tool import AuthDecision, ToolSpec, each, spec_of, whole
from toolpass._toolkit import EFFECTS, Effect, Toolkit, configure, default_toolkit, intercept, log_audit
from toolpass._version import __version__

tool = default_toolkit().tool
secured_tool = tool

__all__ = [
    "ALLOW",
    "DENY",
    "EFFECTS",
    "UNKNOWN",
    "ActionRefused",
    "AuditEvent",
    "AuthDecision",
    "Call",
    "Decision",
    "Effect",
    "GroupsSource",
    "ObservedAction",
    "PermissionDenied",
    "Secret",
    "Session",
    "ToolError",
    "ToolRefused",
    "ToolSpec",
    "Toolkit",
    "Toolpass",
    "UserSource",
    "__version__",
    "as_agent",
    "as_user",
    "configure",
    "current",
    "current_call",
    "current_session",
    "default_toolkit",
    "each",
    "env",
    "file",
    "guarded",
    "intercept",
    "literal",
    "log_audit",
    "permission_check",
    "secured_tool",
    "spec_of",
    "tool",
    "whole",
]
