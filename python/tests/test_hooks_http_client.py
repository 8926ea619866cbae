"""`http.client` and what sits on it: every way to write a request, and the bytes that were asked about."""

from __future__ import annotations

import gzip
import http.client
import io
import json
import socket
import urllib.request
import xmlrpc.client
from typing import TYPE_CHECKING, Any

import httplib2
import pytest

from support.watched import ALLOWED, CONTENTS, REFUSED, Watched
from toolpass import ToolRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from support.server import Certificates, Server

ISSUE = json.dumps({"title": "a title"}).encode()
opened: list[http.client.HTTPConnection] = []

MAIN = json.dumps({"message": "m", "content": "aGk=", "branch": "main"}).encode()


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    """Every connection of a test, closed at its end."""
    yield
    while opened:
        opened.pop().close()


def connect(server: Server) -> http.client.HTTPConnection:
    opened.append(http.client.HTTPConnection("127.0.0.1", server.port, timeout=30))
    return opened[-1]


def finish(connection: http.client.HTTPConnection) -> int:
    with connection.getresponse() as response:
        response.read()
        return response.status


def by_request(connection: http.client.HTTPConnection, path: str, body: bytes) -> None:
    connection.request("POST", path, body)


def by_file(connection: http.client.HTTPConnection, path: str, body: bytes) -> None:
    connection.request("POST", path, io.BytesIO(body))


def by_generator(connection: http.client.HTTPConnection, path: str, body: bytes) -> None:
    connection.request("POST", path, (body[at : at + 3] for at in range(0, len(body), 3)))


def by_announced_generator(connection: http.client.HTTPConnection, path: str, body: bytes) -> None:
    connection.request("POST", path, iter([body[:5], body[5:]]), {"Content-Length": str(len(body))})


def by_steps(connection: http.client.HTTPConnection, path: str, body: bytes) -> None:
    connection.putrequest("POST", path)
    connection.putheader("Content-Length", str(len(body)))
    connection.endheaders()
    connection.send(body[:4])
    connection.send(memoryview(body)[4:])


def by_steps_with_body(connection: http.client.HTTPConnection, path: str, body: bytes) -> None:
    connection.putrequest("POST", path)
    connection.putheader("Transfer-Encoding", "chunked")
    connection.endheaders(body, encode_chunked=True)


def by_raw_bytes(connection: http.client.HTTPConnection, path: str, body: bytes) -> None:
    connection.putrequest("GET", ALLOWED)
    connection.endheaders()
    head = f"POST {path} HTTP/1.1\r\nHost: {connection.host}:{connection.port}\r\nContent-Length: {len(body)}\r\n\r\n"
    connection.send(head.encode() + body)


WAYS = [by_request, by_file, by_generator, by_announced_generator, by_steps, by_steps_with_body]


@pytest.mark.parametrize("write", [*WAYS, by_raw_bytes])
def test_a_refused_request_never_arrives(server: Server, write: Callable[..., None]) -> None:
    watched = Watched(server.url)

    def body() -> int:
        connection = connect(server)
        write(connection, REFUSED, ISSUE)
        return finish(connection)

    refused = watched.refusal(body)

    assert refused.code == "not_authorized"
    assert not [request for request in server.arrived if "secret" in request.target]
    assert f"POST {REFUSED} refused" in watched.actions()


@pytest.mark.parametrize("write", WAYS)
def test_an_allowed_request_arrives_as_it_was_written(server: Server, write: Callable[..., None]) -> None:
    watched = Watched(server.url)

    def body() -> int:
        connection = connect(server)
        write(connection, ALLOWED, ISSUE)
        return finish(connection)

    assert watched.run(body) == 200
    assert [(request.method, request.target, request.body) for request in server.arrived] == [("POST", ALLOWED, ISSUE)]
    assert watched.actions() == [f"POST {ALLOWED} allowed"]


@pytest.mark.parametrize("write", WAYS)
def test_the_body_is_read_before_it_leaves(server: Server, write: Callable[..., None]) -> None:
    watched = Watched(server.url)

    def body() -> int:
        connection = connect(server)
        original, connection.putrequest = connection.putrequest, None
        connection.putrequest = lambda _, *args, **kwargs: original("PUT", *args, **kwargs)
        write(connection, CONTENTS, MAIN)
        return finish(connection)

    assert watched.refusal(body).code == "not_authorized"
    assert watched.asked == ["repo.push repo:acme/shop@main"]
    assert server.arrived == []


def test_a_compressed_body_is_read(server: Server) -> None:
    watched = Watched(server.url)

    def body() -> None:
        connect(server).request("PUT", CONTENTS, gzip.compress(MAIN), {"Content-Encoding": "gzip"})

    assert watched.refusal(body).code == "not_authorized"
    assert watched.asked == ["repo.push repo:acme/shop@main"]


def test_a_body_over_the_limit_is_unread_and_not_empty(server: Server) -> None:
    watched = Watched(server.url, allow=("repo:acme/shop", "repo:acme/shop@main"))
    block = b" " * 1024 * 1024

    def endless() -> Iterator[bytes]:
        yield MAIN
        for _ in range(9):
            yield block

    refused = watched.refusal(lambda: connect(server).request("PUT", CONTENTS, endless()))

    assert refused.code == "unresolved_resource"
    assert server.arrived == []


def test_a_large_body_to_an_unknown_host_arrives_whole(server: Server) -> None:
    watched = Watched("http://127.0.0.1:1", allow=())
    blocks = [bytes([at]) * 1024 * 1024 for at in range(10)]

    def body() -> int:
        connection = connect(server)
        connection.request("POST", "/upload", iter(blocks))
        return finish(connection)

    assert watched.run(body) == 200
    assert server.arrived[0].body == b"".join(blocks)


def test_a_connection_asks_for_each_of_its_requests(server: Server) -> None:
    watched = Watched(server.url)

    def body() -> None:
        connection = connect(server)
        for path in (ALLOWED, REFUSED, ALLOWED):
            try:
                connection.request("POST", path, ISSUE)
            except ToolRefused:
                continue
            finish(connection)

    assert watched.refusal(body).code == "not_authorized"
    assert server.seen() == [f"POST {ALLOWED}", f"POST {ALLOWED}"]
    assert watched.actions() == [f"POST {ALLOWED} allowed", f"POST {REFUSED} refused", f"POST {ALLOWED} allowed"]


def test_bytes_beyond_the_announced_body_are_refused(server: Server) -> None:
    watched = Watched(server.url)

    def body() -> int:
        connection = connect(server)
        connection.putrequest("POST", ALLOWED)
        connection.putheader("Content-Length", str(len(ISSUE)))
        connection.endheaders(ISSUE + b"and more")
        return finish(connection)

    watched.refusal(body)
    assert [request.body for request in server.arrived] in ([], [ISSUE])


@pytest.mark.parametrize(
    "framing",
    [
        [("Content-Length", "3"), ("Content-Length", "5")],
        [("Content-Length", "3"), ("Transfer-Encoding", "chunked")],
        [("Content-Length", "three")],
    ],
)
def test_a_body_framed_in_two_ways_is_refused(server: Server, framing: list[tuple[str, str]]) -> None:
    watched = Watched(server.url)

    def body() -> int:
        connection = connect(server)
        connection.putrequest("POST", ALLOWED)
        for name, value in framing:
            connection.putheader(name, value)
        connection.endheaders(b"3\r\nabc\r\n0\r\n\r\n")
        return finish(connection)

    watched.refusal(body)
    assert server.arrived == []


def test_a_body_that_ends_early_is_unread(server: Server) -> None:
    watched = Watched(server.url, allow=("repo:acme/shop", "repo:acme/shop@main"))

    def body() -> int:
        connection = connect(server)
        connection.putrequest("PUT", CONTENTS)
        connection.putheader("Content-Length", str(len(MAIN) + 1))
        connection.endheaders(MAIN)
        return finish(connection)

    assert watched.refusal(body).code == "unresolved_resource"
    assert server.arrived == []


def test_a_body_whose_generator_fails_leaves_nothing(server: Server) -> None:
    watched = Watched(server.url)

    def failing() -> Iterator[bytes]:
        yield b"half"
        raise KeyError("no more")

    def body() -> int:
        connection = connect(server)
        with pytest.raises(KeyError):
            connection.request("POST", ALLOWED, failing())
        connection.close()
        connection.request("POST", ALLOWED, ISSUE)
        return finish(connection)

    assert watched.run(body) == 200
    assert [request.body for request in server.arrived] == [ISSUE]


def test_requests_made_while_a_body_is_written_are_their_own(server: Server) -> None:
    watched = Watched(server.url)

    def parts() -> Iterator[bytes]:
        yield ISSUE[:5]
        connection = connect(server)
        connection.request("POST", REFUSED, ISSUE)
        yield ISSUE[5:]

    def body() -> None:
        connect(server).request("POST", ALLOWED, parts())

    assert watched.refusal(body).code == "not_authorized"
    assert server.arrived == []


def test_an_absolute_target_names_the_host(server: Server, proxy: Server) -> None:
    watched = Watched(server.url)

    def body() -> None:
        connect(proxy).request("POST", server.url + REFUSED, ISSUE)

    assert watched.refusal(body).code == "not_authorized"
    assert proxy.arrived == []


def test_an_absolute_target_is_what_a_server_makes_of_it_too(server: Server, proxy: Server) -> None:
    """Nothing says whether `server` is a proxy; one that is none looks at the path alone."""
    watched = Watched(server.url)

    assert watched.refusal(lambda: connect(server).request("POST", proxy.url + REFUSED, ISSUE)).code == "not_authorized"
    assert server.arrived == []

    def body() -> int:
        connection = connect(proxy)
        connection.request("POST", server.url + ALLOWED, ISSUE)
        return finish(connection)

    assert watched.run(body) == 200
    assert [action.note for action in watched.events[-1].actions] == [None, "unknown_host"]


def test_a_tunnel_is_opened_and_its_request_asked_for(
    tls_server: Server, proxy: Server, certificates: Certificates
) -> None:
    watched = Watched(tls_server.url)

    def connection() -> http.client.HTTPSConnection:
        made = http.client.HTTPSConnection("127.0.0.1", proxy.port, context=certificates.client(), timeout=30)
        opened.append(made)
        made.set_tunnel("127.0.0.1", tls_server.port)
        return made

    def allowed() -> int:
        made = connection()
        made.request("POST", ALLOWED, ISSUE)
        return finish(made)

    assert watched.run(allowed) == 200
    assert watched.refusal(lambda: connection().request("POST", REFUSED, ISSUE)).code == "not_authorized"
    assert tls_server.seen() == [f"POST {ALLOWED}"]


def test_a_connect_of_the_bodys_own_is_refused(server: Server, proxy: Server) -> None:
    watched = Watched(server.url)

    watched.refusal(lambda: connect(proxy).request("CONNECT", f"127.0.0.1:{server.port}"))
    assert proxy.arrived == []


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_urllib_asks_for_every_hop(server: Server, elsewhere: Server, code: int) -> None:
    watched = Watched(server.url)
    hop = "/api/v3/repos/acme/secret"
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def body() -> None:
        opener.open(f"{elsewhere.url}/answer/{code}{hop}", timeout=30).close()

    assert watched.refusal(body).code == "not_authorized"
    assert elsewhere.seen() == [f"GET /answer/{code}{hop}"]
    assert server.arrived == []


def test_xmlrpc_is_asked_for(server: Server) -> None:
    watched = Watched(server.url)

    refused = watched.refusal(lambda: xmlrpc.client.ServerProxy(server.url + REFUSED).delete())

    assert refused.code in {"not_authorized", "unresolved_resource"}
    assert server.arrived == []


def test_httplib2_is_asked_for(server: Server) -> None:
    watched = Watched(server.url)

    refused = watched.refusal(lambda: httplib2.Http(proxy_info=None).request(server.url + REFUSED, "POST", ISSUE))

    assert refused.code == "not_authorized"
    assert server.arrived == []


def test_outside_a_body_nothing_is_asked_for(server: Server) -> None:
    watched = Watched(server.url)
    watched.run(lambda: None)
    connection = connect(server)
    connection.request("POST", REFUSED, ISSUE)

    assert finish(connection) == 200
    assert watched.asked == []


def test_a_unix_socket_is_known_by_its_nominal_host(server: Server, tmp_path: Path) -> None:
    watched = Watched(server.url)

    class OverUnixSocket(http.client.HTTPConnection):
        def connect(self) -> None:
            self.sock = socket.socket(socket.AF_UNIX)
            self.sock.connect(str(tmp_path / "socket"))

    assert watched.refusal(lambda: OverUnixSocket("127.0.0.1", server.port).request("POST", REFUSED, ISSUE))
    assert watched.actions() == [f"POST {REFUSED} refused"]


def test_a_refused_connection_can_be_used_again(server: Server) -> None:
    watched = Watched(server.url)
    connection = connect(server)
    watched.refusal(lambda: connection.request("POST", REFUSED, ISSUE))

    connection.request("POST", ALLOWED, ISSUE)
    assert finish(connection) == 200
    assert server.seen() == [f"POST {ALLOWED}"]


def test_an_engine_that_sends_requests_itself_is_not_asked_about_them(server: Server, elsewhere: Server) -> None:
    watched = Watched(server.url)
    answered = watched.check

    def check(*args: Any, **kwargs: Any) -> Any:
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(elsewhere.url, timeout=30).close()
        return answered(*args, **kwargs)

    watched.check = check

    def body() -> int:
        connection = connect(server)
        connection.request("POST", ALLOWED, ISSUE)
        return finish(connection)

    assert watched.run(body) == 200
    assert watched.actions() == [f"POST {ALLOWED} allowed"]
    assert len(elsewhere.arrived) == 1
