"""A server on loopback that counts what arrives, with or without TLS, and a proxy that does the same.

Separate from the stand-in GitHub because it is no system: it takes anything, and the tests of hooks ask only whether a
request arrived and with which bytes. Paths that begin with `/answer/CODE/` are answered with that status and, for
redirects, sent to the rest of the path at `elsewhere`.
"""

from __future__ import annotations

import http.server
import select
import socket
import ssl
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import trustme

if TYPE_CHECKING:
    from pathlib import Path

    from typing_extensions import Self


@dataclass(frozen=True)
class Arrived:
    """One request, as it arrived."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def path(self) -> str:
        """The target without a query, or without a host when it came to a proxy."""
        return self.target.partition("?")[0]

    def __str__(self) -> str:
        return f"{self.method} {self.target}"


@dataclass
class Certificates:
    """What makes and trusts the certificates of one test run."""

    authority: trustme.CA = field(default_factory=trustme.CA)

    def server(self) -> ssl.SSLContext:
        """For a server named `localhost` or by its address."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.authority.issue_cert("localhost", "127.0.0.1").configure_cert(context)
        return context

    def client(self) -> ssl.SSLContext:
        """For a client of such a server."""
        context = ssl.create_default_context()
        self.authority.configure_trust(context)
        return context

    def file(self, folder: Path) -> str:
        """The authority's certificate as a file."""
        path = folder / "ca.pem"
        self.authority.cert_pem.write_to_path(str(path))
        return str(path)


class Server:
    """A running server. `failures` requests are answered by closing the connection, before any other is answered."""

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        self.arrived: list[Arrived] = []
        self.failures = 0
        self.elsewhere = ""
        self.redirects: dict[str, tuple[int, str]] = {}
        self.content = b'{"ok": true}'
        self._server = _Listener(("127.0.0.1", 0), _Handler)
        self._server.owner = self
        if context is not None:
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.scheme = "http" if context is None else "https"
        self.port: int = self._server.server_address[1]
        self.url = f"{self.scheme}://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def seen(self) -> list[str]:
        """What arrived, as `METHOD target`."""
        return [str(request) for request in self.arrived]


class _Listener(http.server.ThreadingHTTPServer):
    daemon_threads = True
    owner: Server

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no news."""


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Listener

    def handle_one_request(self) -> None:
        self.raw_requestline = self.rfile.readline(65537)
        if not self.raw_requestline or not self.parse_request():
            self.close_connection = True
            return
        self._answer()
        self.wfile.flush()

    def _answer(self) -> None:
        owner = self.server.owner
        body = self._body()
        headers = {name.lower(): value for name, value in self.headers.items()}
        owner.arrived.append(Arrived(self.command, self.path, headers, body))
        if owner.failures:
            owner.failures -= 1
            self.close_connection = True
            return
        if self.command == "CONNECT":
            self._tunnel()
            return
        path = self.path.partition("?")[0]
        if path in owner.redirects:
            code, location = owner.redirects[path]
            self._send(code, {"Location": location})
        elif path.startswith("/answer/"):
            _, _, status, rest = path.split("/", 3)
            self._send(int(status), {"Location": f"{owner.elsewhere}/{rest}"})
        else:
            self._send(200, {})

    def _send(self, status: int, headers: dict[str, str]) -> None:
        content = self.server.owner.content
        self.send_response(status)
        for name, value in {**headers, "Content-Type": "application/json", "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def _body(self) -> bytes:
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            body = b""
            while size := int(self.rfile.readline().partition(b";")[0], 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            while self.rfile.readline().strip():
                pass
            return body
        return self.rfile.read(int(self.headers.get("Content-Length", "0")))

    def _tunnel(self) -> None:
        host, _, port = self.path.rpartition(":")
        with socket.create_connection((host, int(port))) as there:
            self.send_response(200)
            self.end_headers()
            self.wfile.flush()
            here = self.connection
            ends = {here: there, there: here}
            while True:
                for end in select.select(list(ends), [], [])[0]:
                    data = end.recv(65536)
                    if not data:
                        self.close_connection = True
                        return
                    ends[end].sendall(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """The tests print what they want to say."""
