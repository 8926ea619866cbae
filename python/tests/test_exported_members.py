"""The public names, and what importing them costs."""

from __future__ import annotations

import subprocess
import sys
import types
from typing import Any

import pytest

import toolpass


def test_all_is_sorted_complete_and_importable() -> None:
    names = toolpass.__all__
    assert names == sorted(names, key=lambda name: (not name.isupper(), name.islower() or name.startswith("_"), name))
    namespace: dict[str, Any] = {}
    exec("from toolpass import *", namespace)
    assert set(names) <= set(namespace)
    public = {
        name
        for name, value in vars(toolpass).items()
        if not name.startswith("_") and not isinstance(value, types.ModuleType)
    }
    assert public - {"annotations", "TYPE_CHECKING"} == set(names) - {"__version__"}
    assert set(names) <= set(dir(toolpass))


def test_the_names_of_the_specification_are_there() -> None:
    for name in NAMES.split():
        assert hasattr(toolpass, name), name


def test_a_name_that_is_none_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="frobnicate"):
        toolpass.frobnicate  # noqa: B018


def test_importing_loads_none_of_what_takes_long() -> None:
    script = "import sys; before = set(sys.modules); import toolpass; print(*(set(sys.modules) - before))"
    loaded = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {script}"],
        capture_output=True,
        text=True,
        check=True,
    )
    slow = {
        "asyncio",
        "inspect",
        "dataclasses",
        "logging",
        "typing",
        "re",
        "json",
        "http.client",
        "threading",
        "toolpass._hooks",
    }
    assert slow & set(loaded.stdout.split()) == set()


NAMES = """
tool secured_tool configure default_toolkit Toolkit Session current_session ToolSpec spec_of Call AuthDecision
Authorizer CredentialSource Effect EFFECTS ScopeRule Validator ToolRefused ToolError ActionRefused permission_check
as_agent as_user current_call ObservedAction intercept AuditEvent AuditSink log_audit each whole Toolpass Decision
PermissionDenied guarded current UserSource GroupsSource ALLOW DENY UNKNOWN env file literal Secret
"""
