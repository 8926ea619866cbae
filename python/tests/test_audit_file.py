"""Audit files, and bodies that do not run without an event that says so."""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import toolpass
from support.kits import Kit, dana, refused
from toolpass import AuditEvent, Toolkit, audit_file

FULL = Path("/dev/full")

fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
full = pytest.mark.skipif(not FULL.exists(), reason="the system has no disk that is always full")
posix = pytest.mark.skipif(os.name != "posix", reason="the system has no lock or limit of this kind")


def lines(path: Path) -> list[dict[str, Any]]:
    """The events of a file, without the line that begins it."""
    first, *rest = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    assert first["audit"] == 1
    return rest


def verify(*files: Path) -> subprocess.CompletedProcess[str]:
    """What the command says of files."""
    words = [sys.executable, "-m", "toolpass", "audit", "verify", *map(str, files)]
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)


def fills(path: Path) -> None:
    """Let a file lead to a disk that is full."""
    path.unlink()
    path.symlink_to(FULL)


def test_arguments_that_are_too_long_for_a_line_do_not_keep_the_event_out(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    tool = Toolkit(audit=audit_file(path), audit_on_error="refuse").tool(name="send")(lambda to: "ran")
    rows = [["x" * 200] * 50] * 50
    with dana().active():
        assert tool([rows] * 50) == "ran"
    assert [(line["tool"], line["outcome"]) for line in lines(path)] == [("send", "started"), ("send", "ran")]
    assert all("arguments" not in line and "too long" in line["cut"] for line in lines(path))
    assert verify(path).stdout.startswith(f"{path}: ok, 3 lines\n")


def test_each_event_is_a_line_bound_to_the_one_before(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    tool = Toolkit(audit=audit_file(path)).tool(name="send")(lambda to: "ran")
    with dana(id="s1").active():
        tool("sam")
        tool("\ud800é")
    first, second = lines(path)
    assert (first["tool"], first["outcome"], first["session"]) == ("send", "ran", "s1")
    assert second["prev"] == first["hash"]
    assert list(first)[-2:] == ["prev", "hash"]
    assert os.name != "posix" or path.stat().st_mode & 0o777 == 0o600
    assert verify(path).stdout.startswith(f"{path}: ok, 3 lines\n")


def test_what_was_changed_is_found(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    tool = Toolkit(audit=audit_file(str(path), durable=True)).tool(name="send")(lambda: "ran")
    with dana().active():
        tool()
        tool()
    path.write_text(path.read_text(encoding="utf-8").replace('"ran"', '"raised"', 1), encoding="utf-8")
    found = verify(path)
    assert (found.returncode, found.stdout.partition("\n")[0].rpartition(": ")[0]) == (
        1,
        f"{path}:2: the line was altered",
    )


def test_the_sink_answers_the_hash_of_the_line(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    sink = audit_file(path)
    noted: list[str] = []
    with dana().active():
        Toolkit(audit=lambda event: noted.append(sink(event))).tool()(lambda: 1)()
    assert noted == [lines(path)[0]["hash"]]
    assert repr(sink) == f'audit_file("{path}")'


@posix
def test_a_file_moved_away_is_continued(tmp_path: Path) -> None:
    path, old, older = (tmp_path / name for name in ("audit.jsonl", "audit.1", "audit.2"))
    with dana().active():
        tool = Toolkit(audit=audit_file(path)).tool()(lambda: 1)
        tool()
        path.rename(older)
        tool()
        path.rename(old)
        Toolkit(audit=audit_file(path, after=old)).tool()(lambda: 1)()
    assert verify(older, old, path).returncode == 0
    assert verify(older, path).returncode == 1


def test_a_file_that_is_none_is_an_error(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("something else\n", encoding="utf-8")
    with pytest.raises(ValueError, match="expected an audit file"):
        audit_file(other)
    with pytest.raises(FileNotFoundError) as missing:
        audit_file(tmp_path / "no" / "where")
    assert missing.value.filename == str(tmp_path / "no" / "where")
    with pytest.raises(FileNotFoundError):
        audit_file(tmp_path / "audit.jsonl", after=tmp_path / "nowhere")
    with pytest.raises(TypeError):
        audit_file(tmp_path / "audit.jsonl")("no event")  # type: ignore[arg-type]


@fork
def test_processes_and_forks_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    text = (
        "import os, sys, toolpass\n"
        "tool = toolpass.Toolkit(audit=toolpass.audit_file(sys.argv[1])).tool()(lambda: 1)\n"
        "child = os.fork()\n"
        "with toolpass.Session('dana@example.com').active():\n"
        "    for _ in range(50): tool()\n"
        "if child: sys.exit(os.waitpid(child, 0)[1])\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", text, str(path)]) for _ in range(2)]
    assert [process.wait(timeout=60) for process in running] == [0, 0]
    assert len(lines(path)) == 200
    assert verify(path).returncode == 0


@posix
def test_a_line_that_does_not_fit_is_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    text = (
        "import errno, resource, sys, toolpass\n"
        "tool = toolpass.Toolkit(audit=toolpass.audit_file(sys.argv[1]), audit_on_error='refuse').tool()(lambda: 1)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))\n"
        "with toolpass.Session('dana@example.com').active():\n"
        "    try:\n"
        "        for _ in range(50): tool()\n"
        "    except toolpass.ToolRefused as refusal:\n"
        "        assert refusal.code == 'check_error' and refusal.__cause__.errno == errno.EFBIG\n"
        "        sys.exit(7)\n"
    )
    run = subprocess.run([sys.executable, "-c", text, str(path)], check=False, timeout=60, capture_output=True)
    assert run.returncode == 7, run.stderr
    assert verify(path).returncode == 0
    assert 1000 < path.stat().st_size <= 2000


def test_a_body_begins_after_its_event() -> None:
    kit = Kit(audit_on_error="refuse")
    seen: list[str] = []
    tool = kit.tool(effect="write", name="send", authorize=lambda call: True)(
        lambda to: seen.extend(event.outcome for event in kit.events)
    )
    with dana(id="s1").active():
        tool("sam")
    started, ran = kit.events
    assert seen == ["started"]
    assert (started.outcome, ran.outcome, started.id) == ("started", "ran", ran.id)
    assert (started.tool, started.session, started.arguments, started.authorization) == (
        "send",
        "s1",
        {"to": "sam"},
        "allow",
    )
    assert started.to_dict()["outcome"] == "started"


def test_a_body_begins_after_its_event_when_it_is_async() -> None:
    kit = Kit(audit_on_error="refuse")
    seen: list[str] = []

    async def body() -> str:
        seen.extend(event.outcome for event in kit.events)
        return "ran"

    with dana().active():
        assert asyncio.run(kit.tool()(body)()) == "ran"
    assert seen == ["started"]
    assert [event.outcome for event in kit.events] == ["started", "ran"]


def test_a_call_refused_before_its_body_has_one_event() -> None:
    kit = Kit(audit_on_error="refuse")
    with dana().active():
        assert refused(kit.tool(limit=0)(lambda: 1)).code == "limit_reached"
    assert kit.event.outcome == "refused"


def test_a_body_that_raises_closes_what_it_started() -> None:
    kit = Kit(audit_on_error="refuse")

    def body() -> None:
        raise KeyError("private")

    with dana().active(), pytest.raises(KeyError):
        kit.tool()(body)()
    assert [event.outcome for event in kit.events] == ["started", "raised"]
    assert kit.events[0].id == kit.events[1].id


def test_an_event_of_a_credential_does_not_show_it() -> None:
    kit = Kit(audit_on_error="refuse", credentials={"key": "hunter2-hunter2"})

    def body(to: str, *, credential: str) -> str:
        return "ran"

    with dana().active():
        assert kit.tool(credential="key")(body)("hunter2-hunter2") == "ran"
    assert len(kit.events) == 2
    assert all("hunter2" not in event.to_json() for event in kit.events)


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
def test_without_its_event_no_body_begins(caplog: pytest.LogCaptureFixture, asynchronous: bool) -> None:
    ran: list[bool] = []

    def sink(event: AuditEvent) -> None:
        raise ConnectionError("the collector is away")

    async def later() -> None:
        ran.append(True)

    tool = Toolkit(audit=sink, audit_on_error="refuse").tool(name="send", limit=1)
    with dana().active() as session:
        if asynchronous:
            refusal = refused(lambda: asyncio.run(tool(later)()))
        else:
            refusal = refused(tool(lambda: ran.append(True)))
        assert session.count("tool:send") == 0
    assert (refusal.code, ran) == ("check_error", [])
    assert "ConnectionError" in refusal.reason
    assert "collector" not in refusal.reason
    assert isinstance(refusal.__cause__, ConnectionError)
    assert [record.levelname for record in caplog.records] == ["ERROR"]


@full
def test_a_full_disk_refuses_and_its_end_lets_calls_run(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    tool = Toolkit(audit=audit_file(path), audit_on_error="refuse").tool()(lambda: "ran")
    with dana().active():
        assert tool() == "ran"
        fills(path)
        refusal = refused(tool)
        assert (refusal.code, getattr(refusal.__cause__, "errno", None)) == ("check_error", errno.ENOSPC)
        path.unlink()
        assert tool() == "ran"
    assert [line["outcome"] for line in lines(path)] == ["started", "ran"]


@full
def test_a_full_disk_is_logged_when_it_is_to_be_ignored(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "audit.jsonl"
    tool = Toolkit(audit=audit_file(path)).tool()(lambda: "ran")
    fills(path)
    with dana().active():
        assert tool() == "ran"
    assert [record.levelname for record in caplog.records] == ["ERROR"]


def test_the_end_of_a_body_whose_event_is_lost_is_what_it_was(caplog: pytest.LogCaptureFixture) -> None:
    events: list[str] = []

    def sink(event: AuditEvent) -> None:
        if event.outcome != "started":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        events.append(event.outcome)

    with dana().active():
        assert Toolkit(audit=sink, audit_on_error="refuse").tool()(lambda: "ran")() == "ran"
    assert events == ["started"]
    assert [record.levelname for record in caplog.records] == ["ERROR"]


def test_an_interrupt_in_a_sink_gives_the_call_up() -> None:
    ran: list[bool] = []

    def sink(event: AuditEvent) -> None:
        if event.outcome == "started":
            raise KeyboardInterrupt

    tool = Toolkit(audit=sink, audit_on_error="refuse").tool(name="send")(lambda: ran.append(True))
    with dana().active() as session, pytest.raises(KeyboardInterrupt):
        tool()
    assert (ran, session.count("tool:send")) == ([], 0)


def test_refusing_needs_a_sink_that_can_say_no() -> None:
    for settings in ({}, {"audit": None}, {"audit": toolpass.log_audit}):
        with pytest.raises(ValueError, match="audit_file"):
            Toolkit(audit_on_error="refuse", **settings)
    with pytest.raises(ValueError, match='expected `audit_on_error` to be one of "ignore", "refuse"'):
        Toolkit(audit_on_error="warn")  # type: ignore[arg-type]
    kit = Kit(audit_on_error="refuse")
    with pytest.raises(ValueError, match="audit_file"):
        kit.audit = None
    assert kit.audit_on_error == "refuse"


def test_dropping_it_is_said(configure: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "toolpass.toolkit")
    configure(audit=lambda event: None, audit_on_error="refuse")
    configure()
    assert any("audit_on_error" in record.getMessage() for record in caplog.records)
