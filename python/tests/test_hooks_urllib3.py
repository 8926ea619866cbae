"""urllib3 2 and what sits on it: requests, requests-futures' way of using executors, botocore."""

from __future__ import annotations

import io
import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import botocore.session
import pytest
import requests
import urllib3
from botocore.config import Config

from support.watched import ALLOWED, CONTENTS, REFUSED, Watched
from toolpass import ActionRefused, ToolRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from support.server import Certificates, Server

ISSUE = json.dumps({"title": "a title"}).encode()
MAIN = json.dumps({"message": "m", "content": "aGk=", "branch": "main"}).encode()


def halves(body: bytes) -> Iterator[bytes]:
    yield body[:7]
    yield body[7:]


def urllib3_bytes(method: str, url: str, body: bytes) -> int:
    with urllib3.PoolManager() as pool:
        return pool.request(method, url, body=body, retries=False).status


def urllib3_file(method: str, url: str, body: bytes) -> int:
    with urllib3.PoolManager() as pool:
        return pool.request(method, url, body=io.BytesIO(body), retries=False).status


def urllib3_generator(method: str, url: str, body: bytes) -> int:
    with urllib3.PoolManager() as pool:
        return pool.request(method, url, body=halves(body), retries=False).status


def urllib3_chunked(method: str, url: str, body: bytes) -> int:
    with urllib3.PoolManager() as pool:
        return pool.urlopen(method, url, body=body, chunked=True, retries=False).status


def urllib3_pool(method: str, url: str, body: bytes) -> int:
    parsed = urllib3.util.parse_url(url)
    with urllib3.HTTPConnectionPool(parsed.host, parsed.port) as pool:
        return pool.urlopen(method, parsed.request_uri, body=body).status


def urllib3_connection(method: str, url: str, body: bytes) -> int:
    parsed = urllib3.util.parse_url(url)
    connection = urllib3.connection.HTTPConnection(parsed.host, parsed.port)
    try:
        connection.request(method, parsed.request_uri, body=body)
        return connection.getresponse().status
    finally:
        connection.close()


def requests_bytes(method: str, url: str, body: bytes) -> int:
    return requests.request(method, url, data=body, timeout=30).status_code


def requests_file(method: str, url: str, body: bytes) -> int:
    return requests.request(method, url, data=io.BytesIO(body), timeout=30).status_code


def requests_generator(method: str, url: str, body: bytes) -> int:
    return requests.request(method, url, data=halves(body), timeout=30).status_code


CLIENTS = [
    urllib3_bytes,
    urllib3_file,
    urllib3_generator,
    urllib3_chunked,
    urllib3_pool,
    urllib3_connection,
    requests_bytes,
    requests_file,
    requests_generator,
]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_refused_request_never_arrives(server: Server, client: Callable[..., int]) -> None:
    watched = Watched(server.url)

    refused = watched.refusal(lambda: client("POST", server.url + REFUSED, ISSUE))

    assert isinstance(refused, ActionRefused)
    assert refused.code == "not_authorized"
    assert server.arrived == []
    assert watched.actions() == [f"POST {REFUSED} refused"]


@pytest.mark.parametrize("client", CLIENTS)
def test_an_allowed_request_arrives_as_it_was_written(server: Server, client: Callable[..., int]) -> None:
    watched = Watched(server.url)

    assert watched.run(lambda: client("POST", server.url + ALLOWED, ISSUE)) == 200
    assert [(str(request), request.body) for request in server.arrived] == [(f"POST {ALLOWED}", ISSUE)]
    assert watched.actions() == [f"POST {ALLOWED} allowed"]


@pytest.mark.parametrize("client", CLIENTS)
def test_the_body_is_read_before_it_leaves(server: Server, client: Callable[..., int]) -> None:
    watched = Watched(server.url)

    assert watched.refusal(lambda: client("PUT", server.url + CONTENTS, MAIN)).code == "not_authorized"
    assert watched.asked == ["repo.push repo:acme/shop@main"]
    assert server.arrived == []


@pytest.mark.parametrize("client", CLIENTS)
def test_a_refusal_that_is_swallowed_is_still_the_outcome(server: Server, client: Callable[..., int]) -> None:
    watched = Watched(server.url)

    def body() -> str:
        for _ in range(3):
            try:
                client("POST", server.url + REFUSED, ISSUE)
            except ToolRefused:
                continue
        return "done"

    assert watched.refusal(body).code == "not_authorized"
    assert server.arrived == []
    assert watched.actions() == [f"POST {REFUSED} refused"]
    assert len(watched.asked) == 1


@pytest.mark.parametrize("code", [307, 308])
def test_urllib3_follows_no_redirect_unasked(server: Server, elsewhere: Server, code: int) -> None:
    watched = Watched(server.url)

    def body() -> int:
        with urllib3.PoolManager() as pool:
            return pool.urlopen("POST", f"{elsewhere.url}/answer/{code}{REFUSED}", body=ISSUE).status

    assert watched.refusal(body).code == "not_authorized"
    assert len(elsewhere.arrived) == 1
    assert server.arrived == []
    assert watched.actions()[-1] == f"POST {REFUSED} refused"


@pytest.mark.parametrize(("code", "method"), [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")])
def test_requests_follows_no_redirect_unasked(server: Server, elsewhere: Server, code: int, method: str) -> None:
    watched = Watched(server.url)
    hop = REFUSED if method == "POST" else "/api/v3/repos/acme/secret"

    refused = watched.refusal(lambda: requests.post(f"{elsewhere.url}/answer/{code}{hop}", data=ISSUE, timeout=30))

    assert refused.code == "not_authorized"
    assert server.arrived == []
    assert watched.actions() == [f"POST /answer/{code}{hop} allowed", f"{method} {hop} refused"]


def test_every_retry_is_looked_at(server: Server) -> None:
    watched = Watched(server.url)
    server.failures = 2

    def body() -> int:
        with urllib3.PoolManager(retries=urllib3.Retry(3, allowed_methods=None, backoff_factor=0)) as pool:
            return pool.request("POST", server.url + ALLOWED, body=ISSUE).status

    assert watched.run(body) == 200
    assert len(server.arrived) == 3
    assert len(watched.actions()) == 3


def test_a_session_sends_what_it_adds(server: Server) -> None:
    """Default headers, parameters and credentials are part of what is asked about."""
    watched = Watched(server.url)

    def body() -> int:
        with requests.Session() as session:
            session.headers["X-HTTP-Method-Override"] = "DELETE"
            return session.post(server.url + ALLOWED, data=ISSUE, timeout=30).status_code

    assert watched.refusal(body).code == "unresolved_resource"
    assert server.arrived == []


def test_a_body_and_parameters_that_disagree_are_refused(server: Server) -> None:
    watched = Watched(server.url, allow=("repo:acme/shop", "repo:acme/shop@dev"))

    def body() -> int:
        return requests.put(
            server.url + CONTENTS, json={"branch": "dev"}, params={"branch": "main"}, timeout=30
        ).status_code

    refused = watched.refusal(body)
    assert refused.code in {"unresolved_resource", "not_authorized"}
    assert server.arrived == []


def test_a_forwarding_proxy_is_seen_through(server: Server, proxy: Server) -> None:
    watched = Watched(server.url)

    def body(path: str) -> int:
        return requests.post(server.url + path, data=ISSUE, proxies={"http": proxy.url}, timeout=30).status_code

    assert watched.run(lambda: body(ALLOWED)) == 200
    assert watched.refusal(lambda: body(REFUSED)).code == "not_authorized"
    assert proxy.seen() == [f"POST {server.url}{ALLOWED}"]


def test_a_tunnelling_proxy_is_seen_through(
    tls_server: Server, proxy: Server, certificates: Certificates, tmp_path: Path
) -> None:
    watched = Watched(tls_server.url)
    ca_file = certificates.file(tmp_path)

    def body(path: str) -> int:
        proxies = {"https": proxy.url}
        return requests.post(tls_server.url + path, data=ISSUE, proxies=proxies, verify=ca_file, timeout=30).status_code

    assert watched.run(lambda: body(ALLOWED)) == 200
    assert watched.refusal(lambda: body(REFUSED)).code == "not_authorized"
    assert tls_server.seen() == [f"POST {ALLOWED}"]
    assert {request.method for request in proxy.arrived} == {"CONNECT"}


def test_tls_is_seen_before_it_is_encrypted(tls_server: Server, certificates: Certificates, tmp_path: Path) -> None:
    watched = Watched(tls_server.url)
    ca_file = certificates.file(tmp_path)

    def body(path: str) -> int:
        return requests.post(tls_server.url + path, data=ISSUE, verify=ca_file, timeout=30).status_code

    assert watched.run(lambda: body(ALLOWED)) == 200
    assert watched.refusal(lambda: body(REFUSED)).code == "not_authorized"
    assert tls_server.seen() == [f"POST {ALLOWED}"]


def test_an_executors_requests_are_the_bodys(server: Server) -> None:
    watched = Watched(server.url)

    def body() -> list[Any]:
        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(lambda path: requests.post(server.url + path, data=ISSUE, timeout=30), [REFUSED] * 2))

    assert watched.refusal(body).code == "not_authorized"
    assert server.arrived == []


def s3(server: Server) -> Any:
    session = botocore.session.get_session()
    session.set_credentials("a", "b")
    settings = Config(s3={"addressing_style": "path"}, retries={"max_attempts": 1}, proxies={})
    return session.create_client("s3", region_name="us-east-1", endpoint_url=server.url, config=settings)


@pytest.mark.parametrize("content", [b"some bytes", io.BytesIO(b"some bytes")])
def test_botocore_waits_for_no_interim_response(server: Server, content: Any) -> None:
    """It sends `Expect: 100-continue` and would wait a second for an answer to a head that is still held."""
    watched = Watched("http://127.0.0.1:1", allow=())
    server.content = b""
    waited: list[float] = []
    original = urllib3.util.wait_for_read

    def wait_for_read(*args: Any, **kwargs: Any) -> bool:
        waited.append(time.monotonic())
        return original(*args, **kwargs)

    def body() -> None:
        s3(server).put_object(Bucket="bucket", Key="key", Body=content)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(urllib3.util, "wait_for_read", wait_for_read)
        watched.run(body)

    assert waited == []
    assert [request.headers["expect"] for request in server.arrived] == ["100-continue"]
    assert b"some bytes" in server.arrived[0].body
    assert watched.actions() == ["PUT /bucket/key allowed"]


def test_botocores_requests_are_refused_by_the_same_rules(server: Server) -> None:
    watched = Watched("http://127.0.0.1:1", strict=True)

    assert watched.refusal(lambda: s3(server).list_buckets()).code == "unknown_host"
    assert server.arrived == []
