"""One person's MCP server `shop`: four tools over five systems. None says who may do what.

The tools log in as the agent, which may do everything. Whether the person may is asked at each request, of the server
that `TOOLPASS_URL` and `TOOLPASS_API_KEY` name. Whom it works for is fixed in its environment: no model chooses it.
"""

from __future__ import annotations

import functools
import json
import os
import urllib.request
from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations

import toolpass
from toolpass import Session, Toolpass, ToolRefused, as_agent

if TYPE_CHECKING:
    from collections.abc import Callable

SESSION = Session(os.environ["SHOP_USER"])


def unheard(event: toolpass.AuditEvent) -> None:
    """Calls are reported to the server, so nothing is logged here."""


toolpass.configure(permissions=Toolpass.remote(), session=lambda: SESSION, audit=unheard)

SYSTEMS: dict[str, dict[str, str]] = json.loads(os.environ["SHOP_SYSTEMS"])
"""Of each system, where its interface is and the header that says who the agent is."""

SHOP_DEV, RELEASES = "C0SHOPDEV1", "C0RELEASE1"
IMAGE = "registry.example.com/shop-web"
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))

mcp = MCPServer("shop")


def served(**hints: bool) -> Callable[[Callable[..., str]], Callable[..., str]]:
    """Serve a tool; a refusal is an error result with its text, which the model reads."""

    def serve(tool: Callable[..., str]) -> Callable[..., str]:
        @functools.wraps(tool)
        def called(**arguments: str) -> str:
            try:
                return tool(**arguments)
            except ToolRefused as refused:
                raise ToolError(str(refused)) from None

        mcp.tool(annotations=ToolAnnotations(**hints))(called)
        return tool

    return serve


reads = served(read_only_hint=True)
writes = served(read_only_hint=False, destructive_hint=False)


@writes
@toolpass.tool(effect="write")
def open_pr(repo: str, branch: str, title: str, issue: str) -> str:
    """Open a pull request, move its issue to review, and tell the developers."""
    with as_agent():  # the agent's own errand: what the branch is to be merged into
        base = call("github", "GET", f"/repos/{repo}")["default_branch"]
    made = call("github", "POST", f"/repos/{repo}/pulls", {"title": title, "head": branch, "base": base})
    said = f"Pull request {made['number']} of {repo} is open."
    call("jira", "POST", f"/rest/api/3/issue/{issue}/comment", {"body": document(said)})
    path = f"/rest/api/3/issue/{issue}/transitions"
    ways = call("jira", "GET", path)["transitions"]
    way = next(way for way in ways if way["to"]["name"] == "In Review")
    call("jira", "POST", path, {"transition": {"id": way["id"]}})
    post(SHOP_DEV, f"{issue}: {said}")
    return f"opened pull request {made['number']}"


@writes
@toolpass.tool(effect="write")
def ship(service: str, version: str, env: str) -> str:
    """Let an environment run another version, and announce it."""
    path = deployment(env, service)
    before = image(call("kubernetes", "GET", path))
    after = f"{IMAGE}:{version}"
    containers = [{"name": "web", "image": after}]
    patch = {"spec": {"template": {"spec": {"containers": containers}}}}
    call("kubernetes", "PATCH", path, patch, kind="application/strategic-merge-patch+json")
    said = f"{service} on {env}: {before} is now {after}"
    post(RELEASES, said)
    return said


@writes
@toolpass.tool(effect="write")
def report_bug(title: str, details: str) -> str:
    """File a bug for the developers and for support, and tell the channel."""
    given = {"teamId": SYSTEMS["linear"]["team"], "title": title, "description": details}
    query = "mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success issue { id identifier } } }"
    made = call("linear", "POST", "", {"query": query, "variables": {"input": given}})
    linear = made["data"]["issueCreate"]["issue"]["identifier"]
    fields = {"project": {"key": "SHOP"}, "issuetype": {"name": "Bug"}, "summary": title}
    body = {"fields": {**fields, "description": document(details)}}
    jira = call("jira", "POST", "/rest/api/3/issue", body)["key"]
    post(SHOP_DEV, f"New bug {jira} ({linear}): {title}")
    return f"reported as {jira} and {linear}"


@reads
@toolpass.tool(effect="read", untrusted_output=True)
def status(issue: str) -> str:
    """An issue, what is under review, and what runs where."""
    fields = call("jira", "GET", f"/rest/api/3/issue/{issue}")["fields"]
    pulls = call("github", "GET", "/repos/acme/shop/pulls?state=open")
    lines = [f"{issue} is {fields['status']['name']}: {fields['summary']}", f"{len(pulls)} pull requests are open"]
    for env in ("staging", "prod"):
        runs = image(call("kubernetes", "GET", deployment(env, "shop-web")))
        lines.append(f"{env} runs {runs.rpartition(':')[2]}")
    return "\n".join(lines)


def call(system: str, method: str, path: str, body: Any = None, kind: str = "application/json") -> Any:
    """Send a request to a system as the agent; what it is answered with."""
    about = SYSTEMS[system]
    headers = {"Authorization": about["authorization"], "User-Agent": "shop", "Content-Type": kind}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(about["base"] + path, data=data, headers=headers, method=method)
    with OPENER.open(request, timeout=30) as answer:
        text = answer.read()
    return json.loads(text) if text else None


def post(channel: str, text: str) -> None:
    """Post to a channel of Slack."""
    answer = call("slack", "POST", "/chat.postMessage", {"channel": channel, "text": text})
    if not answer["ok"]:
        raise RuntimeError(f"Slack did not take the message: {answer['error']}")


def document(text: str) -> dict[str, Any]:
    """A text as Jira's document format has it."""
    paragraph = {"type": "paragraph", "content": [{"type": "text", "text": text}]}
    return {"type": "doc", "version": 1, "content": [paragraph]}


def deployment(env: str, service: str) -> str:
    """Where a deployment is."""
    return f"/apis/apps/v1/namespaces/shop-{env}/deployments/{service}"


def image(found: Any) -> str:
    """What a deployment runs."""
    return str(found["spec"]["template"]["spec"]["containers"][0]["image"])


if __name__ == "__main__":
    mcp.run("stdio")
