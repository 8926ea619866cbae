"""What every adapter is tried with, by name. The one list: each framework's tests say which of these they cover.

A test of a framework carries `@case("allow")`, one or several names. A framework that has no such thing says so in its
module: `LEFT_OUT = {"hooks_kept": "why"}`. `python/tests/test_framework_cases.py` reads the modules and fails when
a case is neither covered nor left out with a reason, so a case that is added here is asked of all frameworks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    _F = TypeVar("_F", bound=Callable[..., object])
else:
    _F = TypeVar("_F")

#: Of the adapter: a folder's modules cover them all together.
CASES = {
    "allow": "an allowed call runs once, and the model reads its result",
    "deny": "a denied call does not run; the model reads user, action, resource, connection and code; the run goes on",
    "unknown": "what toolpass cannot see, and a rule it cannot evaluate, refuse without being called denied",
    "unreachable": "an engine behind a server that does not answer refuses",
    "no_user": "a request without a user refuses, saying where was looked",
    "model_user": "a `user` or `user_id` that the model writes into the input changes nothing",
    "exact_types": "a value of another JSON type than declared refuses, though the framework would coerce it",
    "defaults": "a field the model left out is filled from the schema's default, or refuses",
    "groups": "groups are sent only when asked for, and a missing or malformed source of them refuses",
    "fresh": "a rule with `fresh` asks anew each time",
    "strict": "under strict a tool without a rule is refused, and one with the rule None runs",
    "several": "several calls in one turn are decided each by itself",
    "async": "an async tool is checked without blocking the loop",
    "tool_error": "an exception of an allowed tool stays the framework's, and is logged as raised",
    "check_error": "an exception inside the check refuses, and the run goes on",
    "hooks_kept": "hooks and callbacks that were there before are kept",
    "missing_tool": "a rule for a tool the agent does not have is warned of once",
    "concurrent": "runs of different users at the same time are checked each for its own",
    "audit": "each checked call is one audit event, with the framework and the call's id",
    "session": "without a source of the user, the current Session is asked for",
}

#: Of secured tools under the framework, which need no adapter.
SECURED = {
    "secured_allow": "the admin's run: the GET and the POST arrive, and the model reads the result",
    "secured_deny": "the reader's run: exactly the GET arrives; the model reads a refusal, or the run ends",
    "secured_async": "the same in the framework's async run",
}


def case(*names: str) -> Callable[[_F], _F]:
    """Say which cases a test covers."""
    unknown = [name for name in names if name not in CASES and name not in SECURED]
    assert not unknown, f"no such case: {unknown}"

    def covered(test: _F) -> _F:
        return test

    return covered
