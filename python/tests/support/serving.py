"""A `toolpass serve` on loopback, as a process: its folder, its keys, and what it keeps."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

CONFIG = """
listen: {listen}
decision_log: none
api_keys:
  - {{name: agents, key: file:agents, scopes: report}}
  - {{name: people, key: file:people, scopes: dashboard}}
server: {{{kept}, drain: 0s}}
connections:
  - {{id: github, integration: github, organization: acme, token: file:agents, url: "http://127.0.0.1:9"}}
"""

#: The keys' values.
AGENTS, PEOPLE = "agents-key-0123456789", "people-key-0123456789"

#: How long a machine may take that has other work.
PATIENCE = 60.0


class Serving:
    """A running server. Started again on its port after `kill`."""

    def __init__(self, folder: Path, kept: str = "data: kept", config: str = CONFIG) -> None:
        folder.mkdir(exist_ok=True)
        self.folder, self.kept, self.config = folder, kept, config
        (folder / "agents").write_text(AGENTS)
        (folder / "people").write_text(PEOPLE)
        self.address = "127.0.0.1:0"
        self.start()

    @property
    def url(self) -> str:
        """Its base address."""
        return f"http://{self.address}"

    @property
    def page(self) -> str:
        """The page's address, with the key in its fragment."""
        return f"{self.url}/dashboard/#key={PEOPLE}"

    def configuration(self) -> str:
        """The text of its file."""
        return self.config.format(listen=self.address, kept=self.kept)

    def start(self) -> None:
        """Start it, on the port it had."""
        (self.folder / "toolpass.yaml").write_text(self.configuration())
        self.process = subprocess.Popen(
            [sys.executable, "-m", "toolpass", "serve", "-config", "toolpass.yaml"],
            cwd=self.folder,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if "addr" in (said := json.loads(line)) and said.get("message", said.get("msg")) == "listening":
                self.address = said["addr"]
                break
        else:
            raise AssertionError(f"the server ended: {self.process.wait()}")
        self.log: list[str] = []
        self._reader = threading.Thread(target=self.log.extend, args=(self.process.stderr,))
        self._reader.start()

    def kill(self) -> None:
        """SIGKILL; once more changes nothing."""
        if self.process.poll() is not None and not self._reader.is_alive():
            return
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self._reader.join()
        assert self.process.stderr is not None
        self.process.stderr.close()

    def report(self, runs: Sequence[Mapping[str, Any]], server: str = "shop") -> dict[str, Any]:
        """Report runs, as a toolkit does."""
        body = json.dumps({"server": server, "runs": runs}).encode()
        return self._ask("/runs", AGENTS, body)

    def runs(self, query: str = "") -> list[dict[str, Any]]:
        """What the page is told."""
        rows: list[dict[str, Any]] = self.events(query)["events"]
        return rows

    def events(self, query: str = "") -> dict[str, Any]:
        """The whole of it."""
        return self._ask(f"/dashboard/events{query}", PEOPLE)

    def decisions(self) -> list[dict[str, Any]]:
        """The decisions that are kept."""
        rows: list[dict[str, Any]] = self._ask("/dashboard/decisions/events", PEOPLE)["events"]
        return rows

    def ask(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """What a path answers to an object, with the agents' key."""
        return self._ask(path, AGENTS, json.dumps(body).encode())

    def text(self, path: str) -> str:
        """What a path answers without a key."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(self.url + path, timeout=PATIENCE) as answer:
            said: str = answer.read().decode()
            return said

    def wait_for(self, count: int, query: str = "") -> list[dict[str, Any]]:
        """The runs, once there are so many."""
        until = time.monotonic() + PATIENCE
        while len(rows := self.runs(query)) < count:
            assert time.monotonic() < until, f"{len(rows)} of {count} runs came"
            time.sleep(0.05)
        return rows

    def environment(self) -> dict[str, str]:
        """The environment of a process that reports to it."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("TOOLPASS_")}
        return {**kept, "TOOLPASS_DASHBOARD": self.url, "TOOLPASS_API_KEY": AGENTS}

    def _ask(self, path: str, key: str, body: bytes | None = None) -> dict[str, Any]:
        request = urllib.request.Request(self.url + path, data=body, headers={"Authorization": f"Bearer {key}"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=PATIENCE) as answer:
            said: dict[str, Any] = json.load(answer)
            return said
