"""The main job through the whole stack: unchanged user code, real clients, a GitHub over TLS that checks credentials.

A client of `CLIENTS` is a function that makes the tool's two requests. Nothing in it knows toolpass but `as_agent()`.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import ssl
import urllib.request
from typing import TYPE_CHECKING, Any

import aiohttp
import httpx
import pytest
import requests
from github import Auth, Github

import toolpass
from support.standin import ADMIN, AGENT, APP, DANA, ENGINE, GithubStandin
from toolpass import Session, Toolpass, ToolRefused, as_agent, permission_check

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

READ, POST = "GET /repos/acme/shop", "POST /repos/acme/shop/pulls"


def with_urllib(api: str, ca_file: str, token: str) -> Callable[..., Any]:
    context = ssl.create_default_context(cafile=ca_file)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context))
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def propose(repo: str, branch: str, title: str) -> str:
        with as_agent(), opener.open(urllib.request.Request(f"{api}/repos/{repo}", headers=headers)) as answer:
            info = json.load(answer)
        body = json.dumps({"head": branch, "base": info["default_branch"], "title": title}).encode()
        with opener.open(urllib.request.Request(f"{api}/repos/{repo}/pulls", body, headers)) as answer:
            return str(json.load(answer)["html_url"])

    return propose


def with_requests(api: str, ca_file: str, token: str) -> Callable[..., Any]:
    headers = {"Authorization": f"Bearer {token}"}

    def propose(repo: str, branch: str, title: str) -> str:
        with as_agent():
            info = requests.get(f"{api}/repos/{repo}", headers=headers, verify=ca_file, timeout=30).json()
        body = {"head": branch, "base": info["default_branch"], "title": title}
        made = requests.post(f"{api}/repos/{repo}/pulls", json=body, headers=headers, verify=ca_file, timeout=30)
        return str(made.json()["html_url"])

    return propose


def with_pygithub(api: str, ca_file: str, token: str) -> Callable[..., Any]:
    def propose(repo: str, branch: str, title: str) -> str:
        client = Github(base_url=api, auth=Auth.Token(token), verify=ca_file, seconds_between_requests=0)
        with as_agent():
            found = client.get_repo(repo)
        made = found.create_pull(base=found.default_branch, head=branch, title=title)
        client.close()
        return made.html_url

    return propose


def with_httpx(api: str, ca_file: str, token: str) -> Callable[..., Any]:
    context = ssl.create_default_context(cafile=ca_file)

    def propose(repo: str, branch: str, title: str) -> str:
        with httpx.Client(headers={"Authorization": f"Bearer {token}"}, verify=context, trust_env=False) as client:
            with as_agent():
                info = client.get(f"{api}/repos/{repo}").json()
            body = {"head": branch, "base": info["default_branch"], "title": title}
            return str(client.post(f"{api}/repos/{repo}/pulls", json=body).json()["html_url"])

    return propose


def with_httpx_async(api: str, ca_file: str, token: str) -> Callable[..., Any]:
    context = ssl.create_default_context(cafile=ca_file)
    headers = {"Authorization": f"Bearer {token}"}

    async def propose(repo: str, branch: str, title: str) -> str:
        async with httpx.AsyncClient(headers=headers, verify=context, trust_env=False) as client:
            with as_agent():
                info = (await client.get(f"{api}/repos/{repo}")).json()
            body = {"head": branch, "base": info["default_branch"], "title": title}
            return str((await client.post(f"{api}/repos/{repo}/pulls", json=body)).json()["html_url"])

    return propose


def with_aiohttp(api: str, ca_file: str, token: str) -> Callable[..., Any]:
    context = ssl.create_default_context(cafile=ca_file)
    headers = {"Authorization": f"Bearer {token}"}

    async def propose(repo: str, branch: str, title: str) -> str:
        connector = aiohttp.TCPConnector(ssl=context)
        async with aiohttp.ClientSession(headers=headers, connector=connector) as client:
            with as_agent():
                async with client.get(f"{api}/repos/{repo}") as answer:
                    info = await answer.json()
            body = {"head": branch, "base": info["default_branch"], "title": title}
            async with client.post(f"{api}/repos/{repo}/pulls", json=body) as answer:
                return str((await answer.json())["html_url"])

    return propose


CLIENTS = {
    "urllib": with_urllib,
    "requests": with_requests,
    "PyGithub": with_pygithub,
    "httpx": with_httpx,
    "httpx-async": with_httpx_async,
    "aiohttp": with_aiohttp,
}


@pytest.fixture(params=CLIENTS)
def client(request: pytest.FixtureRequest, github: GithubStandin) -> Callable[..., Any]:
    """The plain function, as a user wrote it with one of the libraries."""
    make: Callable[..., Callable[..., Any]] = CLIENTS[request.param]
    return make(github.api, github.ca_file, github.token)


def called(tool: Callable[..., Any], *arguments: Any) -> Any:
    """Call a tool, on a loop when it is async."""
    if inspect.iscoroutinefunction(tool):
        return asyncio.run(tool(*arguments))
    return tool(*arguments)


def actions(event: toolpass.AuditEvent) -> list[tuple[Any, ...]]:
    """Each observed request: method, action, resource, whose authority, outcome."""
    listed: list[dict[str, Any]] = event.to_dict().get("actions", [])
    names = ("method", "action", "resource", "as_agent", "outcome")
    return [tuple(action.get(name) for name in names) for action in listed]


def test_the_snippet_as_written(
    client: Callable[..., Any],
    github: GithubStandin,
    configure: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "toolpass.yaml").write_text(github.config())
    monkeypatch.chdir(tmp_path)
    events: list[toolpass.AuditEvent] = []
    configure(permissions=Toolpass.from_config("toolpass.yaml"), audit=events.append)
    propose = toolpass.tool()(client)

    with Session(DANA).active(), pytest.raises(ToolRefused) as refused:
        called(propose, "acme/shop", "fix-typo", "Fix a typo")
    assert refused.value.code == "not_authorized"
    assert github.arrived() == [READ], "the refused request must not arrive"
    assert [event.outcome for event in events] == ["refused"]
    assert actions(events[0]) == [
        ("GET", "github:repo.read", "repo:acme/shop", True, "allowed"),
        ("POST", "github:pr.create", "repo:acme/shop", None, "refused"),
    ]

    with Session(ADMIN).active():
        assert called(propose, "acme/shop", "fix-typo", "Fix a typo").startswith("https://")
    assert github.arrived() == [READ, READ, POST]
    assert actions(events[1]) == [
        ("GET", "github:repo.read", "repo:acme/shop", True, "allowed"),
        ("POST", "github:pr.create", "repo:acme/shop", None, "allowed"),
    ]

    asked_as = {entry["credential"] for entry in github.requests()}
    assert asked_as == {AGENT, APP, ENGINE}, "toolpass asks with its App's login, never with the tool's"
    assert {entry["status"] for entry in github.requests(by=APP)} <= {200, 201}


def test_a_request_as_agent_is_not_asked_of_the_user(github: GithubStandin) -> None:
    toolkit = toolpass.Toolkit(permissions=Toolpass(connections=[github.connection()]), audit=None)
    context = ssl.create_default_context(cafile=github.ca_file)

    @toolkit.tool()
    def look() -> int:
        request = urllib.request.Request(
            f"{github.api}/repos/acme/shop", headers={"Authorization": f"Bearer {github.token}"}
        )
        with as_agent(), urllib.request.urlopen(request, context=context) as answer:
            return int(answer.status)

    with Session("nobody@example.com").active():
        assert look() == 200
    assert [entry["credential"] for entry in github.requests()] == [AGENT], "nobody was asked about anybody"


def test_the_declared_form(github: GithubStandin, configure: Callable[..., Any]) -> None:
    engine = Toolpass(connections=[github.connection()])
    events: list[toolpass.AuditEvent] = []
    configure(credentials={"github": github.token}, permissions=engine, audit=events.append)

    @toolpass.tool(
        effect="write",
        scope={"repo": "acme/sh*"},
        authorize=permission_check(engine, "github", "pr.create", "repo:{repo}"),
        credential="github",
    )
    def open_pr(repo: str, branch: str, title: str, *, credential: str) -> str:
        made = requests.post(
            f"{github.api}/repos/{repo}/pulls",
            json={"head": branch, "base": "main", "title": title},
            headers={"Authorization": f"Bearer {credential}"},
            verify=github.ca_file,
            timeout=30,
        )
        return f"{made.status_code} with {credential}"

    def outcome(user: str, *arguments: str) -> str:
        with Session(user).active():
            try:
                return open_pr(*arguments)
            except ToolRefused as refused:
                return refused.code

    assert outcome(DANA, "acme/shop", "fix-typo", "Fix") == "not_authorized"
    assert github.arrived() == [], "a declared need is checked before the body"
    assert outcome(ADMIN, "acme/webapp", "fix-typo", "Fix") == "out_of_scope"
    assert outcome(ADMIN, "acme/shop", "fix-typo", "Fix") == "201 with [REDACTED]"
    assert github.arrived() == [POST]
    assert [event.outcome for event in events] == ["refused", "refused", "ran"]
    assert all(github.token not in json.dumps(event.to_dict()) for event in events)


def test_a_wrong_key_of_the_app_is_no_answer_about_the_user(client: Callable[..., Any], github: GithubStandin) -> None:
    wrong = github.connection(credential=f"file:{github.about['wrong_private_key_file']}")
    toolkit = toolpass.Toolkit(permissions=Toolpass(connections=[wrong]), audit=None)
    propose = toolkit.tool()(client)
    with Session(ADMIN).active(), pytest.raises(ToolRefused) as refused:
        called(propose, "acme/shop", "fix-typo", "Fix a typo")
    assert refused.value.code == "authorization_error"
    assert github.arrived() == [READ]
    assert [entry["status"] for entry in github.requests(by=ENGINE)] == []
