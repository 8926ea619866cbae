"""What a remote toolkit is tested against: a real server in front of the stand-in GitHub, and servers that lie."""

from __future__ import annotations

import http.server
import json
import threading
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any, NamedTuple

import toolpass
from support.serving import AGENTS, PATIENCE, PEOPLE, Serving

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable
    from pathlib import Path

    from typing_extensions import Self

    from support.standin import GithubStandin


class Asked(Serving):
    """A server that is asked about a GitHub. Its keys: `agents` may ask and report, `people` may look."""

    def __init__(self, folder: Path, github: GithubStandin, **settings: str) -> None:
        self.github, self.settings = github, {"data": "kept", "drain": "0s", **settings}
        super().__init__(folder)

    @property
    def url(self) -> str:
        """Its base address."""
        return super().url.replace("http:", "https:" if "tls_key" in self.settings else "http:")

    def configuration(self) -> str:
        """The text of its file."""
        connection = "".join(f"\n    {key}: {value}" for key, value in self.github.connection().items())
        server = ", ".join(f"{key}: {value}" for key, value in self.settings.items())
        return (
            f"listen: {self.address}\ndecision_log: decisions.log\napi_keys:\n"
            "  - {name: agents, key: file:agents, scopes: [check, report]}\n"
            "  - {name: people, key: file:people, scopes: dashboard}\n"
            f"server: {{{server}}}\nconnections:\n  -{connection}\n"
        )

    def remote(self, **changes: Any) -> toolpass.Toolpass:
        """The engine behind it."""
        return toolpass.Toolpass.remote(**{"url": self.url, "api_key": AGENTS, **changes})

    def environment(self) -> dict[str, str]:
        """The environment of a process that asks it, and knows nothing else."""
        kept = super().environment()
        del kept["TOOLPASS_DASHBOARD"]
        return {**kept, "TOOLPASS_URL": self.url}

    def decisions(self) -> list[dict[str, Any]]:
        """What it was asked."""
        return [json.loads(line) for line in (self.folder / "decisions.log").read_text().splitlines()]

    def asked(self) -> list[str]:
        """The same, as `action resource`."""
        return [f"{line['action']} {line['resource']}" for line in self.decisions()]


class Reply(NamedTuple):
    """What a made-up server answers."""

    status: int
    body: bytes | str
    headers: dict[str, str] = {}  # noqa: RUF012 - a tuple's default, changed by nobody


class Request(NamedTuple):
    """What it was asked."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        """The body."""
        return json.loads(self.body)


class Liar:
    """A server that answers what `say` makes of a request."""

    def __init__(self, say: Callable[[Request], Reply], context: ssl.SSLContext | None = None) -> None:
        self.say = say
        self.arrived: list[Request] = []
        self.connections = 0
        self._server = _Listener(("127.0.0.1", 0), _Handler)
        self._server.owner = self
        if context is not None:
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.url = f"{'http' if context is None else 'https'}://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def remote(self, **changes: Any) -> toolpass.Toolpass:
        """The engine it claims to have."""
        return toolpass.Toolpass.remote(**{"url": self.url, "api_key": AGENTS, **changes})


def through(server: Asked, change: Callable[[Request, Reply], Reply]) -> Liar:
    """What a server answers, changed on its way."""

    def say(request: Request) -> Reply:
        headers = {name: value for name, value in request.headers.items() if name in PASSED}
        asked = urllib.request.Request(
            server.url + request.path, data=request.body or None, headers=headers, method=request.method
        )
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(asked, timeout=PATIENCE) as answer:
                reply = Reply(answer.status, answer.read(), _kept(answer.headers))
        except urllib.error.HTTPError as error:
            reply = Reply(error.code, error.read(), _kept(error.headers))
        return change(request, reply)

    return Liar(say)


#: Headers that matter to the server, and of its answers.
PASSED = ("authorization", "content-type", "if-none-match")


def _kept(headers: Any) -> dict[str, str]:
    return {name: headers[name] for name in ("ETag", "Retry-After") if name in headers}


class _Listener(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256
    owner: Liar

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no news."""


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Listener

    def setup(self) -> None:
        super().setup()
        self.server.owner.connections += 1

    def do_GET(self) -> None:
        owner = self.server.owner
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.command, self.path, headers, body)
        owner.arrived.append(request)
        status, content, more = owner.say(request)
        content = content.encode() if isinstance(content, str) else content
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(content)), **more}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    do_POST = do_GET  # noqa: N815 - the base class's name

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """The tests print what they want to say."""


__all__ = ["AGENTS", "PEOPLE", "Asked", "Liar", "Reply", "Request", "through"]
