"""A GitHub that is slow, broken or closed to us: never an answer about the user, nothing kept, nothing leaked.

Each trouble meets toolpass's own look-ups; the tool's login would be let through, so a request that left would arrive.
"""

from __future__ import annotations

import json
import logging
import ssl
import threading
import traceback
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import toolpass
from support.standin import ADMIN, GithubStandin
from toolpass import Session, Toolkit, Toolpass, ToolRefused, permission_check

if TYPE_CHECKING:
    from collections.abc import Callable

PERMISSIONS = "/repos/acme/shop/collaborators"
QUESTION = (ADMIN, "github", "pr.create", "repo:acme/shop")
POST = "POST /repos/acme/shop/pulls"

#: How GitHub fails, and the code that says so.
TROUBLES: dict[str, tuple[Any, str]] = {
    "hangs": ("hang", "upstream_timeout"),
    "drips": ({"slow_drip": {"every_ms": 100}}, "upstream_timeout"),
    "401": ({"status": {"status": 401}}, "credential_rejected"),
    "403": ({"status": {"status": 403}}, "credential_rejected"),
    "404": ({"status": {"status": 404}}, "resource_not_visible"),
    "429": ({"status": {"status": 429, "headers": {"Retry-After": "60"}}}, "upstream_rate_limited"),
    "500": ({"status": {"status": 500}}, "upstream_error"),
    "malformed": ("malformed_json", "upstream_error"),
    "endless": ("endless", "upstream_error"),
    "cut short": ("truncated", "upstream_error"),
    "closed": ("close", "upstream_error"),
}


@pytest.fixture(params=TROUBLES)
def code(request: pytest.FixtureRequest, github: GithubStandin) -> str:
    """One trouble, already there; the code it must end with."""
    fault, expected = TROUBLES[request.param]
    github.fail(PERMISSIONS, fault)
    return expected


@pytest.fixture
def engine(github: GithubStandin, tmp_path: Path) -> Toolpass:
    """An engine with two seconds for a check, which logs its decisions into a file."""
    log = str(tmp_path / "decisions.jsonl")
    return Toolpass(connections=[github.connection(timeout="2s")], decision_log=log)


def within_reason(work: Callable[[], Any]) -> Any:
    """What the work comes to; a budget that does not end it fails the test instead of hanging it."""
    outcome: list[Any] = []

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as error:
            outcome.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(timeout=60)
    assert not thread.is_alive(), "the budget of a check did not end it"
    return outcome[0]


def secrets_of(github: GithubStandin) -> list[str]:
    """What must not be seen anywhere: logins, minted tokens by their prefix, a line of the key."""
    key = Path(github.about["private_key_file"]).read_text().splitlines()
    return [github.token, github.about["engine_token"], "ghs_", key[1], "eyJ"]


def observed_tool(github: GithubStandin, engine: Any) -> tuple[Any, list[toolpass.AuditEvent]]:
    """A tool that declares nothing and opens a pull request."""
    events: list[toolpass.AuditEvent] = []
    toolkit = Toolkit(permissions=engine, audit=events.append)
    context = ssl.create_default_context(cafile=github.ca_file)

    @toolkit.tool()
    def propose() -> int:
        request = urllib.request.Request(
            f"{github.api}/repos/acme/shop/pulls",
            data=json.dumps({"title": "Fix", "head": "fix-typo", "base": "main"}).encode(),
            headers={"Authorization": f"Bearer {github.token}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, context=context) as answer:
            return int(answer.status)

    return propose, events


def refused_as(tool: Callable[[], Any]) -> ToolRefused:
    """Call as the administrator; how it was refused."""

    def call() -> Any:
        with Session(ADMIN).active():
            return tool()

    outcome = within_reason(call)
    assert isinstance(outcome, ToolRefused), outcome
    return outcome


def test_a_check_is_unknown_with_the_code_that_says_why(github: GithubStandin, engine: Toolpass, code: str) -> None:
    decision = within_reason(lambda: engine.check(*QUESTION))
    assert (decision.decision, decision.code) == ("unknown", code)


def test_nothing_is_kept_of_an_unknown(github: GithubStandin, engine: Toolpass, code: str) -> None:
    assert within_reason(lambda: engine.check(*QUESTION)).decision == "unknown"
    github.heal()
    if code != "upstream_rate_limited":
        assert engine.check(*QUESTION).decision == "allow", "asked anew at once"


def test_who_asked_to_be_left_alone_is(github: GithubStandin, engine: Toolpass) -> None:
    github.fail(PERMISSIONS, TROUBLES["429"][0])
    assert engine.check(*QUESTION).code == "upstream_rate_limited"
    github.reset()
    assert engine.check(*QUESTION).code == "upstream_rate_limited"
    assert github.requests() == [], "its `Retry-After` is not over"


def test_a_request_is_refused_and_never_arrives(
    github: GithubStandin, engine: Toolpass, code: str, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    caplog.set_level(logging.DEBUG)
    propose, events = observed_tool(github, engine)
    refused = refused_as(propose)
    assert refused.code == "authorization_error"
    assert code in refused.reason
    assert github.arrived() == []
    assert [event.outcome for event in events] == ["refused"]

    seen = [
        refused.reason,
        str(refused),
        repr(refused),
        "".join(traceback.format_exception(refused)),
        repr(engine),
        json.dumps(events[0].to_dict()),
        repr(events[0]),
        caplog.text,
        (tmp_path / "decisions.jsonl").read_text(),
    ]
    for secret in secrets_of(github):
        assert not any(secret in text for text in seen)

    github.heal()
    if code != "upstream_rate_limited":
        with Session(ADMIN).active():
            assert propose() == 201
        assert github.arrived() == [POST]


def test_a_declared_need_is_refused_before_the_body(github: GithubStandin, engine: Toolpass, code: str) -> None:
    ran = []
    toolkit = Toolkit(audit=None)

    @toolkit.tool(effect="write", authorize=permission_check(engine, "github", "pr.create", "repo:acme/shop"))
    def propose() -> None:
        ran.append(True)

    assert refused_as(propose).code == "authorization_error"
    assert ran == []


def test_a_token_revoked_between_two_calls(github: GithubStandin, tmp_path: Path) -> None:
    token = github.about["engine_token"]
    keys = github.connection(app_id=None, credential=None, token=toolpass.literal(token), timeout="2s")
    engine = Toolpass(connections=[keys], decision_cache_seconds=0)
    propose, _ = observed_tool(github, engine)
    with Session(ADMIN).active():
        assert propose() == 201

    github.control("POST", "revoke", {"token": token})
    assert engine.check(*QUESTION).code == "credential_rejected"
    refused = refused_as(propose)
    assert refused.code == "authorization_error"
    assert "credential_rejected" in refused.reason
    assert token not in "".join(traceback.format_exception(refused)) + repr(engine)
    assert github.arrived() == [POST]


def test_a_minted_token_that_is_revoked_is_minted_anew(github: GithubStandin) -> None:
    engine = Toolpass(connections=[github.connection()], decision_cache_seconds=0)
    assert engine.check(*QUESTION).decision == "allow"
    github.control("POST", "revoke", {})
    assert engine.check(*QUESTION).decision == "allow"


def test_an_app_that_was_uninstalled_cannot_be_asked_for(github: GithubStandin) -> None:
    engine = Toolpass(connections=[github.connection()], decision_cache_seconds=0)
    assert engine.check(*QUESTION).decision == "allow"
    github.control("PATCH", "state", {"organizations": {"acme": {"installation": None}}})
    github.control("POST", "revoke", {})
    decision = engine.check(*QUESTION)
    assert (decision.decision, decision.code) == ("unknown", "credential_rejected")


def test_nobody_listens() -> None:
    with GithubStandin() as gone:
        key = toolpass.literal(Path(gone.about["private_key_file"]).read_text())
        ca_file = Path(gone.ca_file)
        engine = Toolpass(connections=[gone.connection(credential=key, timeout="2s")])
        propose, events = observed_tool(gone, engine)
        assert ca_file.is_file()
    decision = within_reason(lambda: engine.check(*QUESTION))
    assert (decision.decision, decision.code) == ("unknown", "upstream_error")
    refused = refused_as(propose)
    assert refused.code == "authorization_error"
    assert "PRIVATE KEY" not in str(refused) + repr(engine) + json.dumps(events[0].to_dict())


def test_a_stranger_instead_of_github(github: GithubStandin) -> None:
    with GithubStandin() as stranger:
        engine = Toolpass(connections=[github.connection(ca_file=stranger.ca_file, timeout="2s")])
        decision = within_reason(lambda: engine.check(*QUESTION))
    assert (decision.decision, decision.code) == ("unknown", "upstream_error")
    assert github.requests() == [], "no credential was shown to who could not prove the name"
