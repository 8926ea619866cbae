"""Which library is hooked, when, and what becomes of a call when one cannot be."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from support.watched import ALLOWED, REFUSED
from toolpass import _hooks

if TYPE_CHECKING:
    from support.server import Server

HERE = Path(__file__).parent

#: The beginning of every program: a body over a server whose address comes as the first argument.
HEAD = """
import asyncio, json, sys
sys.path.insert(0, sys.argv[2])
from support.watched import Watched, ALLOWED, REFUSED
from toolpass import _hooks

server = sys.argv[1]
watched = Watched(server)

def outcome(body):
    try:
        watched.run(body)
    except Exception as error:
        return [type(error).__name__, getattr(error, "code", None), getattr(error, "reason", str(error))]
    return ["returned", None, None]
"""


def program(server: Server, code: str, *folders: Path) -> Any:
    """What a program of its own prints as JSON. `folders` come first on its path."""
    path = os.pathsep.join([*map(str, folders), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", HEAD + textwrap.dedent(code), server.url, str(HERE)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


SENDING = {
    "http.client": """
        import http.client, urllib.parse
        connection = http.client.HTTPConnection(urllib.parse.urlsplit(server).netloc)
        connection.request("POST", REFUSED, b"{}")
    """,
    "urllib.request": """
        import urllib.request
        headers = {"Content-Type": "application/json"}
        urllib.request.urlopen(urllib.request.Request(server + REFUSED, b"{}", headers))
    """,
    "urllib3": """
        import urllib3
        urllib3.PoolManager().request("POST", server + REFUSED, body=b"{}")
    """,
    "requests": """
        import requests
        requests.post(server + REFUSED, json={})
    """,
    "httpx": """
        import httpx
        httpx.post(server + REFUSED, json={})
    """,
    "httpx2": """
        import httpx2
        httpx2.post(server + REFUSED, json={})
    """,
    "httpcore": """
        import httpcore
        httpcore.request("POST", server + REFUSED, content=b"{}")
    """,
    "httpcore2": """
        import httpcore2
        httpcore2.request("POST", server + REFUSED, content=b"{}")
    """,
    "aiohttp": """
        import aiohttp
        async def send():
            async with aiohttp.ClientSession() as session:
                await session.post(server + REFUSED, json={})
        asyncio.run(send())
    """,
    "pip._vendor.urllib3": """
        import pip._vendor.urllib3 as urllib3
        urllib3.PoolManager().request("POST", server + REFUSED, body=b"{}")
    """,
}


#: Libraries that must have the shape their hook knows.
STRICT = ["aiohttp", "httpcore", "httpcore2", "httpx", "httpx2", "urllib3", "urllib3_future"]


@pytest.mark.parametrize("library", SENDING)
def test_a_library_first_imported_inside_the_body_is_hooked(server: Server, library: str) -> None:
    code = "def body():\n" + textwrap.indent(textwrap.dedent(SENDING[library]), "    ") + "\n"

    kind, refused, _ = program(server, code + "print(json.dumps(outcome(body)))")

    assert (kind, refused) == ("ActionRefused", "not_authorized")
    assert server.arrived == []


@pytest.mark.parametrize("library", SENDING)
def test_a_library_imported_before_toolpass_is_hooked(server: Server, library: str) -> None:
    code = "def body():\n" + textwrap.indent(textwrap.dedent(SENDING[library]), "    ") + "\n"

    kind, refused, _ = program(server, f"import {library}\n{code}print(json.dumps(outcome(body)))")

    assert (kind, refused) == ("ActionRefused", "not_authorized")
    assert server.arrived == []


@pytest.mark.parametrize(
    "library", ["aiohttp", "httpcore", "httpcore2", "httpx", "httpx2", "urllib3", "urllib3_future"]
)
@pytest.mark.parametrize("when", ["before", "inside"])
def test_a_library_of_unknown_shape_is_named(server: Server, tmp_path: Path, library: str, when: str) -> None:
    (tmp_path / f"{library}.py").write_text("class Client: pass\n")
    code = f"""
        {"import " + library if when == "before" else ""}
        def body():
            import {library}
        print(json.dumps([outcome(body), sorted(_hooks.unhooked())]))
    """

    (kind, refused, reason), unhooked = program(server, code, tmp_path)

    assert (kind, refused) == ("ToolRefused", "check_error")
    assert library in reason
    if when == "before":
        assert unhooked == [library]


def test_a_changed_method_is_an_unknown_shape(server: Server) -> None:
    code = """
        import httpcore
        def handle_request(self, wholly, different): ...
        httpcore.ConnectionPool.handle_request = handle_request
        print(json.dumps(outcome(lambda: None)))
    """

    kind, refused, reason = program(server, code)

    assert (kind, refused) == ("ToolRefused", "check_error")
    assert "httpcore" in reason


def test_a_library_that_is_put_among_the_modules_is_found(server: Server) -> None:
    code = """
        import types
        watched.run(lambda: None)
        sys.modules["httpx"] = types.ModuleType("httpx")
        print(json.dumps(outcome(lambda: None)))
    """

    kind, refused, reason = program(server, code)

    assert (kind, refused) == ("ToolRefused", "check_error")
    assert "httpx" in reason


def test_a_library_that_is_loaded_again_is_hooked_again(server: Server) -> None:
    code = """
        import http.client, importlib, urllib.parse
        watched.run(lambda: None)
        before = http.client.HTTPConnection
        importlib.reload(http.client)
        assert http.client.HTTPConnection is not before
        def body():
            http.client.HTTPConnection(urllib.parse.urlsplit(server).netloc).request("POST", REFUSED, b"{}")
        print(json.dumps(outcome(body)))
    """

    assert program(server, code)[:2] == ["ActionRefused", "not_authorized"]
    assert server.arrived == []


def test_copies_without_connections_are_none(server: Server) -> None:
    code = """
        import botocore.vendored.requests.packages.urllib3
        print(json.dumps(outcome(lambda: None)))
    """

    assert program(server, code)[0] == "returned"


def test_installing_names_what_is_hooked() -> None:
    assert _hooks.install() is None
    assert {"http.client", "threading"} <= _hooks.installed()
    assert _hooks.unhooked() == frozenset()
    assert [type(finder).__module__ for finder in sys.meta_path].count("toolpass._hooks._registry") == 1
    _hooks.install()
    assert [type(finder).__module__ for finder in sys.meta_path].count("toolpass._hooks._registry") == 1


def test_importing_toolpass_imports_no_library(server: Server) -> None:
    code = """
        print(json.dumps(sorted({"aiohttp", "httpcore", "httpx", "requests", "urllib3"} & set(sys.modules))))
    """

    assert program(server, code) == []


#: Sets of packages of their own: versions that exclude each other.
SITES = {
    "urllib3_1": """
        import io, requests, urllib3
        def body(path):
            assert urllib3.__version__.startswith("1.26"), urllib3.__version__
            def send():
                requests.post(server + path, data=b"{}")
                urllib3.PoolManager().request("POST", server + path, body=io.BytesIO(b"{}"))
                urllib3.PoolManager().urlopen("POST", server + path, body=iter([b"{", b"}"]), chunked=True)
            return send
    """,
    "urllib3_future": """
        import niquests, urllib3_future
        def body(path):
            def send():
                niquests.post(server + path, data=b"{}")
                niquests.post(server + path, data=iter([b"{", b"}"]))
                urllib3_future.PoolManager().request("POST", server + path, body=b"{}")
            return send
    """,
    "urllib3_future async": """
        import niquests
        async def halves():
            yield b"{"
            yield b"}"
        def body(path):
            async def send():
                async with niquests.AsyncSession() as session:
                    await session.post(server + path, data=b"{}")
                    await session.post(server + path, data=halves())
                    await session.post(server + path, json={})
            return send
    """,
    "aiohttp_3_11": """
        import aiohttp
        async def halves():
            yield b"{"
            yield b"}"
        def body(path):
            async def send():
                assert aiohttp.__version__.startswith("3.11"), aiohttp.__version__
                import io
                async with aiohttp.ClientSession() as session:
                    for data in (b"{}", io.BytesIO(b"{}"), halves()):
                        headers = {"Content-Type": "application/json"}
                        async with session.post(server + path, data=data, headers=headers) as response:
                            await response.read()
            return send
    """,
}


@pytest.mark.parametrize("name", SITES)
def test_other_versions_are_hooked(server: Server, name: str) -> None:
    sites = os.environ.get("TOOLPASS_TEST_SITES", "")
    site = Path(sites, name.partition(" ")[0])
    if not sites or not site.is_dir():
        pytest.skip("set TOOLPASS_TEST_SITES, as `cargo xtask py` does")
    end = "\nprint(json.dumps([outcome(body(ALLOWED)), outcome(body(REFUSED)), watched.actions()]))"

    allowed, refused, actions = program(server, textwrap.dedent(SITES[name]) + end, site)

    assert allowed[0] == "returned", allowed
    assert refused[:2] == ["ActionRefused", "not_authorized"]
    assert [(str(request), request.body) for request in server.arrived] == [(f"POST {ALLOWED}", b"{}")] * 3
    assert actions == [f"POST {REFUSED} refused"]
