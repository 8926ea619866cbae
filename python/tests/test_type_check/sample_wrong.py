"""Wrong uses: each must be an error, or `mypy --strict` calls its comment unused."""

from __future__ import annotations

import toolpass
from toolpass import Session, Toolkit


@toolpass.tool(effect="delete")  # type: ignore[call-overload, untyped-decorator]
def wrong_effect(x: int) -> int:
    return x


@toolpass.tool(approve=print)  # type: ignore[call-overload, untyped-decorator]
def unknown_parameter(x: int) -> int:
    return x


@toolpass.tool()
def right(x: int) -> int:
    return x


right("1")  # type: ignore[arg-type]
right()  # type: ignore[call-arg]
Toolkit(approver=None)  # type: ignore[call-arg]
Toolkit(act_as="root")  # type: ignore[arg-type]
toolpass.configure(limits={"delete": 1})  # type: ignore[dict-item]
Session(b"dana@example.com")  # type: ignore[arg-type]
session = Session("dana@example.com")
session.user = "sam@example.com"  # type: ignore[misc]
session.saw_untrusted = False  # type: ignore[misc]
toolpass.AuthDecision("yes")  # type: ignore[arg-type]
