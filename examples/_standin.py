"""A GitHub on loopback: the program `toolpass-standin`, which checks credentials and counts what arrives.

It ends when its standard input closes, so it never outlives the example. Everything about it is one line of JSON.
"""

from __future__ import annotations

import json
import os
import ssl
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any


class Standin:
    """A running stand-in.

    Attributes:
        about: What it says about itself: `url`, `api_url`, `ca_file`, `token`, `app_id`, `private_key_file` and more.
    """

    def __init__(self, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [str(program()), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            sys.exit("the stand-in did not start; its message is above")
        self.about: dict[str, Any] = json.loads(line)

    def __enter__(self) -> Standin:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End it and wait until it is gone."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:  # another process holds its standard input open
            self._process.terminate()
            self._process.wait()

    def tls(self) -> ssl.SSLContext | None:
        """What a client needs to trust it; nothing when it speaks plain HTTP."""
        ca_file = self.about["ca_file"]
        return ssl.create_default_context(cafile=ca_file) if ca_file else None

    def control(self, method: str, name: str, body: Any = None) -> Any:
        """Ask the stand-in itself, past the system it plays.

        Args:
            method: The HTTP method.
            name: What is asked: `requests`, `state`, `faults`, `reset`, or a command of the system.
            body: What goes along, as plain values.

        Returns:
            The answer, or `None` when it has none.
        """
        request = urllib.request.Request(
            f"{self.about['url']}/_standin/{name}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"X-Standin-Control": self.about["control_token"]},
            method=method,
        )
        with urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=self.tls())
        ).open(request, timeout=30) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def requests(self, by: str | None = None) -> list[dict[str, Any]]:
        """What arrived, in order.

        Args:
            by: Only those of this credential, such as `user:acme-agent`.
        """
        entries: list[dict[str, Any]] = self.control("GET", "requests")["requests"]
        return [entry for entry in entries if by is None or entry["credential"] == by]


def program() -> Path:
    """The stand-in's program: `TOOLPASS_STANDIN`, or what a build of this clone left."""
    named = os.environ.get("TOOLPASS_STANDIN")
    target = Path(__file__).resolve().parent.parent / "target"
    built = [target / profile / "toolpass-standin" for profile in ("release", "debug")]
    for candidate in [Path(named)] if named else built:
        if candidate.is_file():
            return candidate
    sys.exit("no stand-in: run `cargo xtask demo`, or `cargo build -p toolpass-standin` once")
