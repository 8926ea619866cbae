"""The exceptions of the package.

Exception
├── ToolRefused          a call is not let through
│   └── ActionRefused    one of its requests is not let through
├── ToolError            a tool's own exception, without the secrets it mentioned
└── PermissionDenied     `require` and `guarded`: the answer was not allow

All of them pickle, so they cross process pools and job queues.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from toolpass._native import Decision, ObservedAction


class ToolRefused(Exception):  # noqa: N818 - a refusal is no error
    """A tool call that was not let through.

    Attributes:
        tool: The tool's name.
        code: One of the refusal codes, for programs.
        reason: Why, for the model and the person. Never holds a secret, a query or a body.
    """

    def __init__(self, tool: str, code: str, reason: str) -> None:
        super().__init__(f"{tool} refused ({code}): {reason}")
        self.tool = tool
        self.code = code
        self.reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.tool, self.code, self.reason))

    def to_dict(self) -> dict[str, Any]:
        """The parts a program may want, as plain values."""
        return {"tool": self.tool, "code": self.code, "reason": self.reason}


class ActionRefused(ToolRefused):
    """A request of a tool's body that was not let through.

    Attributes:
        action: The request, as it was understood.
    """

    def __init__(self, tool: str, code: str, reason: str, action: ObservedAction) -> None:
        super().__init__(tool, code, reason)
        self.action = action

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.tool, self.code, self.reason, self.action))

    def to_dict(self) -> dict[str, Any]:
        """The parts a program may want, as plain values."""
        return {**super().to_dict(), "action": self.action.to_dict()}


class ToolError(Exception):
    """A tool's own exception, shown without the secrets it mentioned.

    Attributes:
        tool: The tool's name.
        message: The exception's type and text, redacted.
        original: The exception itself. It may hold secrets: do not show it.
    """

    def __init__(self, tool: str, message: str, original: BaseException | None = None) -> None:
        super().__init__(message)
        self.tool = tool
        self.message = message
        self.original = original

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.tool, self.message))


class PermissionDenied(Exception):  # noqa: N818 - neither is a no
    """The answer to a required check was not allow.

    Attributes:
        decision: The answer.
        user: Who was asked about.
        connection: Where.
        action: What.
        resource: To what.
    """

    def __init__(self, decision: Decision, user: str, connection: str, action: str, resource: str) -> None:
        super().__init__(
            f"{user} may not do {action} on {resource} in {connection}: {decision.decision}, {decision.reason}"
        )
        self.decision = decision
        self.user = user
        self.connection = connection
        self.action = action
        self.resource = resource

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.decision, self.user, self.connection, self.action, self.resource))
