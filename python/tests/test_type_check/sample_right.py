"""Right uses: each must check, and be of the type it says."""

from __future__ import annotations

from typing import Any

from typing_extensions import assert_type

import toolpass
from toolpass import (
    AuditEvent,
    AuthDecision,
    Authorizer,
    Call,
    CredentialSource,
    Decision,
    Effect,
    ScopeRule,
    Session,
    Toolkit,
    Toolpass,
    ToolRefused,
    Validator,
)


@toolpass.tool
def bare(x: int) -> str:
    return str(x)


@toolpass.tool(effect="write", scope={"x": ["a*", "b*"]}, limit=3)
def declared(x: str, *, fast: bool = False) -> int:
    return len(x)


@toolpass.tool()
async def awaited(x: int) -> int:
    return x


def framework(tool: Any) -> list[str]:
    return [tool.__name__]


@toolpass.tool(as_tool=framework)
def wrapped(x: int) -> int:
    return x


assert_type(bare(1), str)
assert_type(declared("a", fast=True), int)
assert_type(wrapped, list[str])


async def uses() -> None:
    assert_type(await awaited(1), int)


def authorize(call: Call) -> AuthDecision | bool:
    assert_type(call.tool, str)
    assert_type(call.session, Session | None)
    return AuthDecision(True, reason="why")


async def authorize_later(call: Call) -> bool:
    return True


rule: ScopeRule = "acme/*"
validator: Validator = bool
authorizers: list[Authorizer] = [authorize, authorize_later]
source: CredentialSource = {"api": toolpass.env("API_KEY")}
effect: Effect = "read"


def sink(event: AuditEvent) -> None:
    assert_type(event.user, str | None)
    assert_type(event.duration_ms, float)


def answer(refusal: ToolRefused) -> str:
    return refusal.reason


tp = Toolpass(connections=[{"id": "git", "integration": "github"}])
assert_type(tp.check("dana@example.com", "git", "repo.read", "repo:acme/shop"), Decision)
assert_type(tp.allowed("dana@example.com", "git", "repo.read", "repo:acme/shop", fresh=True), bool)
kit = Toolkit(permissions=tp, audit=sink, limits={"write": 3}, credentials=source, on_refuse=answer, strict=True)
toolpass.configure(keep=True, session=lambda: Session("dana@example.com"), on_refuse="message")
check = toolpass.permission_check(tp, "git", "repo.read", "repo:{repo}")


@kit.tool(authorize=check)
def read(repo: str) -> str:
    return repo


@toolpass.guarded(tp, "git", "repo.read", "repo:{repo}", user="dana@example.com", groups=["sre"])
def guarded_read(repo: str) -> str:
    return repo


assert_type(guarded_read(repo="acme/shop"), str)

with Session("dana@example.com", groups=["sre"]).active() as session:
    assert_type(session, Session)

with toolpass.as_agent(), toolpass.as_user():
    pass
