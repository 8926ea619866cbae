"""Lines of the decision log reach an OpenTelemetry collector too: all of them, masked alike, also after it was away."""

from __future__ import annotations

import json
import signal
import time
from typing import TYPE_CHECKING, Any

import pytest

from support.serving import PATIENCE, Serving

if TYPE_CHECKING:
    from pathlib import Path

    from support.server import Server

CONFIG = """
listen: {listen}
decision_log: none
decision_log_mask: user
decision_log_otlp: COLLECTOR
api_keys:
  - {{name: all, key: file:agents, scopes: [check]}}
server: {{{kept}, drain: 0s, metrics: open}}
connections:
  - {{id: main, integration: fake, users: dana@example.com}}
"""


def ask(server: Serving) -> None:
    question = {"user": "dana@example.com", "connection": "main", "action": "thing.read", "resource": "thing:1"}
    assert server.ask("/v1/check", question)["decision"] == "allow"


def records(collector: Server) -> list[dict[str, Any]]:
    """The records of all that arrived."""
    found = []
    for request in list(collector.arrived):
        assert str(request) == "POST /base/v1/logs"
        assert request.headers["content-type"] == "application/json"
        (resource,) = json.loads(request.body)["resourceLogs"]
        (scope,) = resource["scopeLogs"]
        found += scope["logRecords"]
    return found


def wait_for(collector: Server, count: int) -> list[dict[str, Any]]:
    until = time.monotonic() + PATIENCE
    while len(rows := records(collector)) < count:
        assert time.monotonic() < until, f"{len(rows)} of {count} records came"
        time.sleep(0.02)
    return rows


@pytest.fixture
def serving(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Serving:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20collector-key")
    return Serving(tmp_path / "serving", config=CONFIG.replace("COLLECTOR", f"{server.url}/base"))


def test_every_line_is_copied_and_none_names_the_person(server: Server, serving: Serving) -> None:
    try:
        for _ in range(3):
            ask(serving)
        rows = wait_for(server, 3)
        assert {request.headers["authorization"] for request in server.arrived} == {"Bearer collector-key"}
        for row in rows:
            assert row["eventName"] == "toolpass.decision"
            assert int(row["timeUnixNano"]) > 1_700_000_000 * 10**9
            line = json.loads(row["body"]["stringValue"])
            assert (line["decision"], line["caller"], line["user"]) == ("allow", "all", "[REDACTED]")
            assert row.get("traceId") == line.get("trace_id")
        assert "dana" not in json.dumps(rows)
        assert "toolpass_decision_log_otlp_lost_total 0\n" in serving.text("/metrics")
    finally:
        serving.kill()


def test_what_a_collector_did_not_take_is_sent_again_and_the_rest_at_the_end(server: Server, serving: Serving) -> None:
    server.failures = 1
    ask(serving)
    # The one that failed, and its repetition.
    failed, again = wait_for(server, 2)
    assert failed == again
    ask(serving)
    serving.process.send_signal(signal.SIGTERM)
    assert serving.process.wait(PATIENCE) == 0
    serving._reader.join()
    assert serving.process.stderr is not None
    serving.process.stderr.close()
    # And what was left when the server stopped.
    assert len(records(server)) == 3
    assert sum("takes no lines now" in line for line in serving.log) == 1
