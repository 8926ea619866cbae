"""Requests of bodies, where the engine is behind a server: a real `toolpass serve` in front of the stand-in GitHub."""

from __future__ import annotations

import asyncio
import json
import ssl
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import requests
from github import Auth, Github

import toolpass
from support.remote import AGENTS, Asked, Reply, Request, through
from support.standin import ADMIN, DANA
from toolpass import Session, Toolpass, ToolRefused, as_agent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.remote import Liar
    from support.standin import GithubStandin

#: The tool's own requests, as the stand-in names them.
READ, POST = "GET /repos/acme/shop", "POST /repos/acme/shop/pulls"


@pytest.fixture(scope="module")
def server(_github: GithubStandin, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """One server for all tests."""
    running = Asked(tmp_path_factory.mktemp("server"), _github)
    yield running
    running.kill()


@pytest.fixture
def liar(server: Asked) -> Iterator[Liar]:
    """The same server, of which another version's tables are told: what a request is, it must be asked."""

    def change(request: Request, reply: Reply) -> Reply:
        if request.path != "/v1/endpoints" or reply.status != 200:
            return reply
        told = json.loads(reply.body)
        told["tables"]["github"] = "of-another-version"
        return reply._replace(body=json.dumps(told))

    with through(server, change) as running:
        yield running


@pytest.fixture(params=["the same tables", "other tables"])
def remote(request: pytest.FixtureRequest, server: Asked, github: GithubStandin) -> Toolpass:
    """The engine, whose tables are those of here, or others."""
    assert github.arrived() == []
    if request.param == "the same tables":
        return server.remote()
    liar: Liar = request.getfixturevalue("liar")
    return liar.remote()


def with_pygithub(github: GithubStandin) -> Callable[..., Any]:
    def propose(repo: str) -> str:
        auth = Auth.Token(github.token)
        client = Github(base_url=github.api, auth=auth, verify=github.ca_file, seconds_between_requests=0)
        with as_agent():
            found = client.get_repo(repo)
        made = found.create_pull(base=found.default_branch, head="fix-typo", title="Fix a typo")
        client.close()
        return made.html_url

    return propose


def with_httpx(github: GithubStandin) -> Callable[..., Any]:
    context = ssl.create_default_context(cafile=github.ca_file)
    headers = {"Authorization": f"Bearer {github.token}"}

    def propose(repo: str) -> str:
        with httpx.Client(headers=headers, verify=context, trust_env=False) as client:
            with as_agent():
                info = client.get(f"{github.api}/repos/{repo}").json()
            body = {"head": "fix-typo", "base": info["default_branch"], "title": "Fix a typo"}
            return str(client.post(f"{github.api}/repos/{repo}/pulls", json=body).json()["html_url"])

    return propose


def with_httpx_async(github: GithubStandin) -> Callable[..., Any]:
    context = ssl.create_default_context(cafile=github.ca_file)
    headers = {"Authorization": f"Bearer {github.token}"}

    async def propose(repo: str) -> str:
        async with httpx.AsyncClient(headers=headers, verify=context, trust_env=False) as client:
            with as_agent():
                info = (await client.get(f"{github.api}/repos/{repo}")).json()
            body = {"head": "fix-typo", "base": info["default_branch"], "title": "Fix a typo"}
            return str((await client.post(f"{github.api}/repos/{repo}/pulls", json=body)).json()["html_url"])

    return propose


def called(tool: Callable[..., Any], *arguments: Any) -> Any:
    """Call a tool, on a loop when it is async."""
    if asyncio.iscoroutinefunction(tool):
        return asyncio.run(tool(*arguments))
    return tool(*arguments)


def actions(event: toolpass.AuditEvent) -> list[tuple[Any, ...]]:
    """Each observed request: method, action, resource, whose authority, outcome."""
    listed: list[dict[str, Any]] = event.to_dict().get("actions", [])
    names = ("method", "action", "resource", "as_agent", "outcome")
    return [tuple(action.get(name) for name in names) for action in listed]


@pytest.mark.parametrize("client", [with_pygithub, with_httpx, with_httpx_async])
def test_what_the_user_may_not_does_not_arrive(
    client: Callable[..., Any], remote: Toolpass, github: GithubStandin
) -> None:
    events: list[toolpass.AuditEvent] = []
    toolkit = toolpass.Toolkit(permissions=remote, audit=events.append)
    propose = toolkit.tool()(client(github))
    with Session(DANA).active(), pytest.raises(ToolRefused) as refused:
        called(propose, "acme/shop")
    assert refused.value.code == "not_authorized"
    assert github.arrived() == [READ]
    assert actions(events[0]) == [
        ("GET", "github:repo.read", "repo:acme/shop", True, "allowed"),
        ("POST", "github:pr.create", "repo:acme/shop", None, "refused"),
    ]
    with Session(ADMIN).active():
        assert called(propose, "acme/shop").startswith("https://")
    assert github.arrived() == [READ, READ, POST]
    assert actions(events[1]) == [
        ("GET", "github:repo.read", "repo:acme/shop", True, "allowed"),
        ("POST", "github:pr.create", "repo:acme/shop", None, "allowed"),
    ]
    assert {action.connection for action in events[1].actions} == {"github"}


def get(github: GithubStandin, path: str, method: str = "GET", **options: Any) -> int:
    """One request with the tool's own login."""
    headers = {"Authorization": f"Bearer {github.token}"}
    url = github.api + path
    return requests.request(method, url, headers=headers, verify=github.ca_file, timeout=30, **options).status_code


@pytest.mark.parametrize(
    ("method", "path", "code"),
    [
        ("POST", "/no/such/endpoint", "unmapped_action"),
        ("PUT", "/repos/acme/shop/contents/README.md", "unresolved_resource"),
        ("DELETE", "/repos/acme/shop/git/refs/heads/main", "not_authorized"),
        ("GET", "/repos/acme/secret/issues", "authorization_error"),
        ("GET", "/repositories/1296269/issues", None),
    ],
)
def test_every_way_to_be_refused(
    method: str, path: str, code: str | None, remote: Toolpass, github: GithubStandin, engine: Toolpass
) -> None:
    """As with an engine in this process, whatever that says."""

    def outcome(permissions: Toolpass) -> str:
        toolkit = toolpass.Toolkit(permissions=permissions, audit=None)
        tool = toolkit.tool()(lambda: get(github, path, method, data=b'{"branch": 7}'))
        try:
            with Session(DANA).active():
                return str(tool())
        except ToolRefused as refused:
            return refused.code

    assert outcome(remote) == outcome(engine)
    if code is not None:
        assert outcome(remote) == code
        assert github.arrived() == []


def test_the_server_sees_no_login_of_a_tool(liar: Liar, github: GithubStandin) -> None:
    toolkit = toolpass.Toolkit(permissions=liar.remote(), audit=None)
    tool = toolkit.tool()(lambda: get(github, "/repos/acme/shop"))
    with Session(DANA).active():
        tool()
    observed = [request for request in liar.arrived if request.path == "/v1/observe"]
    assert observed
    assert github.token not in str([request.body for request in liar.arrived])
    assert "authorization" not in str(observed[0].json()["headers"])


def test_a_server_that_never_told_refuses_every_call_that_wants_the_hook(github: GithubStandin, tmp_path: Any) -> None:
    running = Asked(tmp_path / "server", github)
    running.kill()
    try:
        toolkit = toolpass.Toolkit(permissions=running.remote(), audit=None)
        tool = toolkit.tool()(lambda: get(github, "/repos/acme/shop"))

        async def later() -> int:
            return get(github, "/repos/acme/shop")

        with Session(DANA).active():
            for one in (tool, toolkit.tool()(later)):
                with pytest.raises(ToolRefused) as refused:
                    called(one)
                assert refused.value.code == "not_configured"
                assert "was not reached" in refused.value.reason
                assert AGENTS not in refused.value.reason
            assert toolkit.tool(effect="read", name="kept")(lambda: 1) is not None
            running.start()
            assert called(tool) == 200
            assert called(toolkit.tool(name="again")(later)) == 200
            running.kill()
            # What was told once is used on; who may what is not known any more.
            with pytest.raises(ToolRefused) as refused:
                called(tool)
            assert refused.value.code == "authorization_error"
            assert github.arrived() == [READ, READ]
            running.start()
            assert called(tool) == 200
    finally:
        running.kill()


def test_an_observation_that_lies_refuses(server: Asked, github: GithubStandin) -> None:
    answers = iter(
        [
            Reply(200, '{"checks":[],"effect":"read"}'),
            Reply(200, '{"checks":[],"effect":"read","unknown_host":true}'),
            Reply(201, '{"checks":[],"effect":"read","unmapped":true}'),
            Reply(200, '{"checks":[],"effect":"read","unmapped":true,"unmapped":true}'),
            Reply(200, '{"checks":[{"connection":"github","effect":"read"}],"effect":"read"}'),
            Reply(200, "[]"),
            Reply(500, ""),
        ]
    )

    def change(request: Request, reply: Reply) -> Reply:
        if request.path == "/v1/observe":
            return next(answers)
        if request.path == "/v1/endpoints" and reply.status == 200:
            told = json.loads(reply.body)
            told["connections"][0]["integration"] = "newsystem"
            return reply._replace(body=json.dumps(told))
        return reply

    with through(server, change) as lying:
        toolkit = toolpass.Toolkit(permissions=lying.remote(), audit=None)
        tool = toolkit.tool()(lambda: get(github, "/repos/acme/shop"))
        with Session(DANA).active():
            for _ in range(7):
                with pytest.raises(ToolRefused) as refused:
                    tool()
                assert refused.value.code == "authorization_error"
    assert github.arrived() == []


@pytest.mark.parametrize(
    "reply",
    [
        Reply(200, "{}"),
        Reply(200, '{"connections":[],"tables":{},"connections":[]}'),
        Reply(200, '{"connections":"none","tables":{}}'),
        Reply(304, ""),
        Reply(302, "", {"Location": "https://a.example/"}),
        Reply(403, '{"code":"unauthorized","error":"the key has no scope `check`"}'),
        Reply(404, "not found"),
        Reply(500, ""),
    ],
)
def test_endpoints_that_cannot_be_used_are_none(server: Asked, github: GithubStandin, reply: Reply) -> None:
    with through(server, lambda request, said: reply if request.path == "/v1/endpoints" else said) as lying:
        toolkit = toolpass.Toolkit(permissions=lying.remote(), audit=None)
        tool = toolkit.tool()(lambda: get(github, "/repos/acme/shop"))
        with Session(DANA).active(), pytest.raises(ToolRefused) as refused:
            tool()
    assert refused.value.code == "not_configured"
    assert github.arrived() == []


def test_connections_given_by_hand_need_no_telling(server: Asked, github: GithubStandin) -> None:
    def change(request: Request, reply: Reply) -> Reply:
        assert request.path == "/check"
        return reply

    connection = {"id": "github", "integration": "github", "url": github.about["url"]}
    with through(server, change) as running:
        toolkit = toolpass.Toolkit(permissions=running.remote(), connections=[connection], audit=None)
        tool = toolkit.tool()(lambda: get(github, "/repos/acme/shop"))
        with Session(DANA).active():
            assert tool() == 200
        assert running.arrived


def test_endpoints_are_asked_for_once(liar: Liar, github: GithubStandin) -> None:
    toolkit = toolpass.Toolkit(permissions=liar.remote(), audit=None)
    tool = toolkit.tool()(lambda: get(github, "/repos/acme/shop"))
    with Session(DANA).active():
        assert [tool() for _ in range(3)] == [200] * 3
    assert [request.path for request in liar.arrived].count("/v1/endpoints") == 1


def test_what_would_be_published_is_looked_up(remote: Toolpass, github: GithubStandin) -> None:
    """Outside text was read, and a private repository: what follows goes to no public one."""
    toolkit = toolpass.Toolkit(permissions=remote, audit=None)
    send = toolkit.tool(name="send")(lambda *request: get(github, request[1], request[0], json={"title": "x"}))
    with Session(ADMIN).active():
        assert send("GET", "/repos/acme/site/issues") == 200
        assert send("POST", "/repos/acme/site/issues") == 201
        assert send("GET", "/repos/acme/webapp") == 200
        with pytest.raises(ToolRefused) as refused:
            send("POST", "/repos/acme/site/issues")
    assert refused.value.code == "exfiltration_risk"
    assert "acme/webapp" in refused.value.reason
    assert github.arrived().count("POST /repos/acme/site/issues") == 1
