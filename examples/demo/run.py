"""The company demo: five systems, a server, and the agents of two people, each an MCP server over stdio.

The same script as `toolpass demo`, with the tools in Python (`shop.py`) and a client that speaks MCP; both print the
same table. Everything is on loopback. It takes the package, its command, a build of the stand-ins, and the MCP SDK
(`pip install mcp`).
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import contextlib
import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp import ClientSession, StdioServerParameters, stdio_client

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from _standin import Standin  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator


class Step(NamedTuple):
    """One call of the script, and how it must end."""

    who: str
    shown: str
    tool: str
    arguments: dict[str, str]
    ends: str


STAGING = {"service": "shop-web", "version": "1.5.0", "env": "staging"}
BUG = {"title": "The basket forgets its coupons", "details": "Add a coupon, reload: it is gone."}
FIX = {"repo": "acme/shop", "branch": "fix-safari-checkout", "title": "Let Safari check out again", "issue": "SHOP-12"}
TYPO = {"repo": "acme/shop", "branch": "typo", "title": "Correct a typo", "issue": "SHOP-14"}

TOUR = [
    Step("Dana", "status SHOP-12", "status", {"issue": "SHOP-12"}, "ok"),
    Step("Dana", "open_pr fix-safari-checkout", "open_pr", FIX, "ok"),
    Step("Dana", "ship 1.5.0 to staging", "ship", STAGING, "ok"),
    Step("Dana", "ship 1.5.0 to prod", "ship", {**STAGING, "env": "prod"}, "refused"),
    Step("Dana", "report_bug", "report_bug", BUG, "ok"),
    Step("Sam", "status SHOP-12", "status", {"issue": "SHOP-12"}, "ok"),
    Step("Sam", "open_pr typo", "open_pr", TYPO, "refused"),
    Step("Sam", "ship 1.5.0 to staging", "ship", STAGING, "refused"),
    Step("Sam", "report_bug", "report_bug", BUG, "refused"),
]


class System(NamedTuple):
    """A system that runs, the connection that the server asks it by, and how the tools reach it."""

    standin: Standin
    connection: dict[str, str]
    api: dict[str, str]


def main() -> int:
    """Play the tour, print it, and say whether it is what must happen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-dashboard", action="store_true", help="end when it is over")
    wish = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="toolpass-demo-")))
        systems = {name: start(stack, name, folder) for name in STARTED}
        server = stack.enter_context(serving(folder, systems))
        came_out = asyncio.run(tour(systems, server))
        if not wish.no_dashboard:
            print(f"\nEvery call on the dashboard: {server['url']}/dashboard/#key={server['key']}\nCtrl-C ends it.")
            with contextlib.suppress(KeyboardInterrupt):
                while True:
                    time.sleep(3600)
    return 0 if came_out else 1


async def tour(systems: dict[str, System], server: dict[str, str]) -> bool:
    """Two MCP servers, one for each person, and the script as their client."""
    came_out, last = True, 0
    async with contextlib.AsyncExitStack() as stack:
        clients = {who: await stack.enter_async_context(client(who, systems, server)) for who in ("Dana", "Sam")}
        for number, step in enumerate(TOUR, start=1):
            result = await clients[step.who].call_tool(step.tool, step.arguments)
            run = await asyncio.to_thread(reported, server, last)
            last = run["seq"]
            ended = {"ran": "ok"}.get(run["outcome"], run["outcome"])
            came_out &= ended == step.ends and result.is_error == (step.ends != "ok")
            for line in lines(number, step, ended, run, systems):
                print(line)
    return came_out


@contextlib.asynccontextmanager
async def client(who: str, systems: dict[str, System], server: dict[str, str]) -> Any:
    """A session with the MCP server of a person."""
    apis = {name: system.api for name, system in systems.items()}
    environment = {
        **os.environ,
        "TOOLPASS_URL": server["url"],
        "TOOLPASS_API_KEY": server["key"],
        "TOOLPASS_SERVER_NAME": "shop",
        "SHOP_USER": f"{who.lower()}@example.com",
        "SHOP_SYSTEMS": json.dumps(apis),
    }
    shop = StdioServerParameters(command=sys.executable, args=[str(HERE / "shop.py")], env=environment)
    async with stdio_client(shop) as (reading, writing), ClientSession(reading, writing) as session:
        await session.initialize()
        tools = (await session.list_tools()).tools
        assert sorted(tool.name for tool in tools) == ["open_pr", "report_bug", "ship", "status"]
        yield session


def lines(number: int, step: Step, ended: str, run: dict[str, Any], systems: dict[str, System]) -> Iterator[str]:
    """One call as the table shows it."""
    yield f"{number:>2}  {step.who:<5} {step.shown:<32} {ended:<8} {run.get('code', '')}".rstrip()
    for seen in run.get("actions", []):
        resource = f" on {seen['resource']}" if "resource" in seen else ""
        agent = ", as the agent" if seen.get("as_agent") else ""
        yield f"      {seen.get('action', seen.get('note', '?'))}{resource}{agent}: {seen['outcome']}"
    reason = run.get("reason", "")
    for name, system in systems.items():
        reason = reason.replace(system.standin.about["url"], f"http://{name}.example")
    if reason:
        yield f"      {reason}"


def reported(server: dict[str, str], last: int) -> dict[str, Any]:
    """The call after the last one, once the server was told of it."""
    deadline = time.monotonic() + 30
    while True:
        runs = ask(server, f"/dashboard/events?since={last}")["events"]
        runs = [run for run in runs if run["outcome"] != "started"]
        if runs:
            run: dict[str, Any] = runs[0]
            return run
        if time.monotonic() > deadline:
            sys.exit("the server was not told of a call")
        time.sleep(0.05)


def ask(server: dict[str, str], path: str) -> Any:
    """What the server answers at a path."""
    headers = {"Authorization": f"Bearer {server['key']}"}
    request = urllib.request.Request(server["url"] + path, headers=headers)
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30) as answer:
        return json.load(answer)


@contextlib.contextmanager
def serving(folder: Path, systems: dict[str, System]) -> Iterator[dict[str, str]]:
    """A server with a connection to each system, and a key that nobody can guess."""
    key = secrets.token_hex(16)
    (folder / "key").write_text(key)
    connections = [{"id": name, "integration": name, **system.connection} for name, system in systems.items()]
    # JSON is YAML too.
    config = {
        "listen": "127.0.0.1:0",
        "api_key": "file:key",
        "decision_log": "none",
        "decision_cache_seconds": 2,
        "connections": connections,
    }
    (folder / "toolpass.yaml").write_text(json.dumps(config))
    command = ["toolpass", "serve", "-config", str(folder / "toolpass.yaml"), "-data", str(folder / "runs")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        for line in process.stderr:
            said = json.loads(line)
            if said.get("msg") == "listening":
                yield {"url": f"http://{said['addr']}", "key": key}
                break
        else:
            sys.exit("the server did not start")
    finally:
        process.terminate()
        process.communicate()


def start(stack: contextlib.ExitStack, name: str, folder: Path) -> System:
    """Start a system, laid out as the company has it."""
    return STARTED[name](stack.enter_context(Standin(name, *FLAGS.get(name, ()))), folder)


def secret(folder: Path, name: str, value: str) -> str:
    """Put what the server logs in with into a file; how the configuration names it."""
    (folder / name).write_text(value)
    return f"file:{name}"


def github(standin: Standin, folder: Path) -> System:
    """Dana's team may write on the repository."""
    about = standin.about
    team = {"members": {"dana": {}}, "repositories": {"acme/shop": "write"}}
    branches = {name: {"files": {"README.md": "# Hello\n"}} for name in ("fix-safari-checkout", "typo")}
    standin.control(
        "PATCH",
        "state",
        {
            "organizations": {"acme": {"teams": {"shop": team}}},
            "repositories": {"acme/shop": {"branches": branches}},
        },
    )
    connection = {
        "url": about["url"],
        "organization": "acme",
        "app_id": about["app_id"],
        "credential": f"file:{about['private_key_file']}",
    }
    return System(standin, connection, {"base": about["api_url"], "authorization": f"Bearer {about['token']}"})


def jira(standin: Standin, folder: Path) -> System:
    """Dana develops in project SHOP, Sam may browse."""
    about = standin.about
    login = base64.b64encode(f"{about['username']}:{about['token']}".encode()).decode()
    connection = {
        "url": about["url"],
        "username": about["username"],
        "credential": secret(folder, "jira", about["engine_token"]),
    }
    return System(standin, connection, {"base": about["url"], "authorization": f"Basic {login}"})


def kubernetes(standin: Standin, folder: Path) -> System:
    """Dana may patch on staging, nobody on prod."""
    about = standin.about
    connection = {
        "url": about["url"],
        "username_template": "oidc:{email}",
        "credential": secret(folder, "kubernetes", about["engine_token"]),
    }
    return System(standin, connection, {"base": about["url"], "authorization": f"Bearer {about['token']}"})


def linear(standin: Standin, folder: Path) -> System:
    """Dana is a member of team ENG, Sam is not."""
    about = standin.about
    connection = {"url": about["api_url"], "credential": secret(folder, "linear", about["engine_token"])}
    api = {"base": about["api_url"], "authorization": about["token"], "team": about["teams"]["ENG"]}
    return System(standin, connection, api)


def slack(standin: Standin, folder: Path) -> System:
    """Sam is not in the private channel of releases."""
    about = standin.about
    connection = {"url": about["api_url"], "credential": secret(folder, "slack", about["engine_token"])}
    return System(standin, connection, {"base": about["api_url"], "authorization": f"Bearer {about['token']}"})


STARTED = {"github": github, "jira": jira, "kubernetes": kubernetes, "linear": linear, "slack": slack}
FLAGS = {"github": ["--ghes"]}


if __name__ == "__main__":
    sys.exit(main())
