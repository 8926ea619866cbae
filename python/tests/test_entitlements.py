"""Recorded entitlements: what a run writes, and what tools are held to by it."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

import pytest
import urllib3

import toolpass
from support.kits import DANA
from support.watched import Answer, Watched
from toolpass import (
    ActionRecorder,
    ActionRefused,
    Entitlement,
    Entitlements,
    Session,
    ToolEntitlements,
    Toolkit,
    ToolRefused,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.server import Server
    from support.standin import GithubStandin

SHOP, BLOG = "/api/v3/repos/acme/shop", "/api/v3/repos/acme/blog"
EVERYTHING = ("repo:acme/shop", "repo:acme/blog")


def send(url: str, method: str = "GET") -> None:
    body = b'{"title": "a title"}' if method == "POST" else None
    with urllib3.PoolManager() as pool:
        pool.request(method, url, body=body, retries=False)


def reader(watched: Watched, url: str, method: str = "GET", tail: str = "") -> Callable[[str], None]:
    """A tool that asks for the repository it is given, and may do more."""

    @watched.toolkit.tool(name="reader")
    def reader(repo: str) -> None:
        send(f"{url}/api/v3/repos/{repo}{tail}", method)

    return reader


def call(tool: Callable[..., Any], *arguments: Any) -> Any:
    with Session(DANA).active():
        return tool(*arguments)


def mapping(*actions: tuple[str, str, str, str], hosts: tuple[str, ...] = ()) -> dict[str, Any]:
    """Entitlements of `reader`."""
    keys = ("action", "resource", "as", "effect")
    entries = [dict(zip(keys, row, strict=True)) for row in actions]
    return {"tools": {"reader": {"hosts": list(hosts), "actions": entries}}}


READ = ("github:repo.read", "repo:{repo}", "user", "read")


def test_a_recorded_run_is_what_the_tool_is_held_to(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "toolpass-tools.yaml"
    recording = Watched(server.url, EVERYTHING, record=path)
    call(reader(recording, server.url), "acme/shop")
    recorded = Entitlements.load(path)
    assert recorded.tools() == ["reader"]
    entry = recorded.for_tool("reader")
    assert entry is not None
    assert [(action.action, action.resource, action.as_, action.effect) for action in entry.actions] == [READ]
    assert path.read_text().startswith("#")

    held = Watched(server.url, EVERYTHING, entitlements=path)
    server.arrived.clear()
    call(reader(held, server.url), "acme/blog")
    assert server.seen() == [f"GET {BLOG}"]
    assert (held.events[0].entitled, held.events[0].effect) == (True, "read")
    with pytest.raises(ActionRefused) as refused:
        call(reader(held, server.url, "POST", "/issues"), "acme/shop")
    assert refused.value.code == "unentitled_action"
    assert refused.value.action.action == "github:issue.create"
    assert server.seen() == [f"GET {BLOG}"], "the refused request must not arrive"


def test_an_argument_never_widens_an_entry(server: Server) -> None:
    rows = mapping(READ, ("github:repo.read", "repo:{repo}/*", "agent", "read"))
    held = Watched(server.url, EVERYTHING, entitlements=rows)

    @held.toolkit.tool(name="reader")
    def another(repo: str) -> None:
        send(server.url + SHOP)

    for hostile in ("*", "**", "acme/*", "acme/[s]hop", "acme/shop/..", "{repo}", "acme/shop@main"):
        with pytest.raises(ToolRefused):
            call(another, hostile)
    assert server.seen() == []


def test_the_entry_decides_on_whose_authority_a_request_runs(server: Server) -> None:
    as_agent = Watched(server.url, (), entitlements=mapping(("github:repo.read", "repo:{repo}", "agent", "read")))
    call(reader(as_agent, server.url), "acme/shop")
    assert as_agent.asked == []
    assert as_agent.events[0].actions[0].as_agent
    assert server.seen() == [f"GET {SHOP}"]

    as_user_held = Watched(server.url, (), entitlements=mapping(READ))

    @as_user_held.toolkit.tool(name="reader")
    def agent(repo: str) -> None:
        with toolpass.as_agent():
            send(f"{server.url}/api/v3/repos/{repo}")

    with pytest.raises(ToolRefused, match="not_authorized"):
        call(agent, "acme/shop")
    assert as_user_held.asked == ["repo.read repo:acme/shop"], "it was asked before the body, once"
    assert server.seen() == [f"GET {SHOP}"]


def test_async_tools_are_held_and_recorded_too(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "tools.yaml"

    def of(watched: Watched) -> Callable[[str], Any]:
        @watched.toolkit.tool(name="reader")
        async def read(repo: str) -> None:
            await asyncio.to_thread(send, f"{server.url}/api/v3/repos/{repo}")

        return read

    async def run(watched: Watched) -> None:
        with Session(DANA).active():
            await of(watched)("acme/shop")

    asyncio.run(run(Watched(server.url, EVERYTHING, record=path)))
    held = Watched(server.url, EVERYTHING, entitlements=path)
    asyncio.run(run(held))
    assert held.asked == ["repo.read repo:acme/shop"], "the answer before the body serves its request"
    refusing = Watched(server.url, (), entitlements=path)
    with pytest.raises(ToolRefused, match="not_authorized"):
        asyncio.run(run(refusing))


#: Three questions known beforehand, in the order of the file.
PLANNED = mapping(*((f"github:{action}", "repo:{repo}", "user", "write") for action in ("a", "b", "c")))


class Told(Watched):
    """An engine that says of each action what it is told: an answer, or an exception. It allows the others."""

    def __init__(self, url: str, **answers: Any) -> None:
        self.answers = answers
        super().__init__(url, entitlements=PLANNED)

    def check(self, user: str, connection: str, action: str, resource: str, *_: Any, **__: Any) -> Answer:
        self.asked.append(action)
        answer = self.answers.get(action, Answer("allow", "ok"))
        if isinstance(answer, BaseException):
            raise answer
        assert isinstance(answer, Answer)
        return answer


class AsyncTold(Told):
    """The same asked asynchronously: no question is answered before all three were put."""

    def __init__(self, url: str, **answers: Any) -> None:
        super().__init__(url, **answers)
        self.all_put = asyncio.Event()

    async def acheck(self, *args: Any, **kwargs: Any) -> Answer:
        self.connections.append("put")
        if len(self.connections) == 3:
            self.all_put.set()
        await self.all_put.wait()
        return super().check(*args, **kwargs)

    def ran(self) -> list[str]:
        """Run a tool; what its body noted."""
        ran: list[str] = []

        @self.toolkit.tool(name="reader")
        async def reader(repo: str) -> None:
            ran.append(repo)

        async def main() -> None:
            with Session(DANA).active():
                await asyncio.wait_for(reader("acme/shop"), 60)

        asyncio.run(main())
        return ran


UNKNOWN, NO = Answer("unknown", "nobody knows"), Answer("deny", "no")


@pytest.mark.parametrize(
    ("answers", "code", "about"),
    [
        ({"b": UNKNOWN}, "authorization_error", "do b on"),
        ({"c": UNKNOWN}, "authorization_error", "do c on"),
        ({"c": RuntimeError("lost")}, "authorization_error", "do c on"),
        ({"a": UNKNOWN, "b": NO}, "authorization_error", "do a on"),
        ({"b": NO, "c": UNKNOWN}, "not_authorized", "do b on"),
    ],
)
def test_what_is_planned_is_asked_at_once_and_one_unknown_refuses(
    server: Server, answers: dict[str, Any], code: str, about: str
) -> None:
    told = AsyncTold(server.url, **answers)
    with pytest.raises(ToolRefused, match=about) as refused:
        told.ran()
    assert refused.value.code == code, "the first refusal in the order of the file"
    assert sorted(told.asked) == ["a", "b", "c"]
    expected = next((one for one in answers.values() if isinstance(one, Exception)), None)
    assert refused.value.__cause__ is expected
    sync = Told(server.url, **answers)
    with pytest.raises(ToolRefused, match=about):
        call(sync.toolkit.tool(name="reader")(lambda repo: pytest.fail("the body ran")), "acme/shop")
    assert sync.asked == ["a", "b", "c"][: len(sync.asked)]


def test_what_is_planned_and_allowed_lets_the_body_run(server: Server) -> None:
    assert AsyncTold(server.url).ran() == ["acme/shop"]


def test_what_is_planned_is_asked_with_the_persons_groups_and_token(server: Server) -> None:
    asked: list[tuple[Any, ...]] = []

    class Notes(Told):
        def check(self, *args: Any, **kwargs: Any) -> Answer:
            asked.append((args[4], kwargs["token"], kwargs["fresh"]))
            return super().check(*args, **kwargs)

    tool = Notes(server.url).toolkit.tool(name="reader")(lambda repo: repo)
    with Session(DANA, groups=["sre"], token="t0k3n-of-dana").active():
        tool("acme/shop")
    assert asked == [(["sre"], "t0k3n-of-dana", False)] * 3


def test_cancelling_a_call_cancels_all_that_it_asks(server: Server) -> None:
    class Endless(AsyncTold):
        async def acheck(self, *args: Any, **kwargs: Any) -> Answer:
            self.connections.append("put")
            if len(self.connections) == 3:
                self.all_put.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.connections.append("cancelled")
                raise
            raise AssertionError

    endless = Endless(server.url)

    async def main() -> None:
        @endless.toolkit.tool(name="reader", limit=1)
        async def reader(repo: str) -> str:
            return repo

        with Session(DANA).active():
            calling = asyncio.ensure_future(reader("acme/shop"))
            await asyncio.wait_for(endless.all_put.wait(), 60)
            calling.cancel()
            with pytest.raises(asyncio.CancelledError):
                await calling
            assert endless.connections == ["put"] * 3 + ["cancelled"] * 3
            endless.acheck = super(Endless, endless).acheck  # type: ignore[method-assign]
            assert await reader("acme/shop") == "acme/shop", "its slot was given back"

    asyncio.run(main())
    assert [event.outcome for event in endless.events] == ["cancelled", "ran"]


@pytest.mark.parametrize("asynchronous", [False, True])
def test_an_engine_in_this_process_answers_all_at_once(github: GithubStandin, asynchronous: bool) -> None:
    github.fail("/repos/acme/shop/collaborators", "hang")
    rows = mapping(READ, ("github:repo.read", "repo:{other}", "user", "read"))
    engine = toolpass.Toolpass(connections=[github.connection(timeout="2s")])
    toolkit = Toolkit(permissions=engine, entitlements=rows, audit=None)

    def body(repo: str, other: str) -> None:
        pytest.fail("the body ran")

    async def abody(repo: str, other: str) -> None:
        body(repo, other)

    tool = toolkit.tool(name="reader")(abody if asynchronous else body)

    async def main() -> None:
        with Session(DANA).active():
            await tool("acme/shop", "acme/gitops-shop")

    with pytest.raises(ToolRefused, match="acme/shop") as refused:
        asyncio.run(main()) if asynchronous else call(tool, "acme/shop", "acme/gitops-shop")
    assert refused.value.code == "authorization_error"
    asked = [entry["local_path"] for entry in github.requests()]
    for repo in ("shop", "gitops-shop"):
        assert any(path.startswith(f"/repos/acme/{repo}/collaborators") for path in asked), "nothing waits for another"


def test_hosts_and_unmapped_reads_are_recorded_and_held(server: Server, elsewhere: Server, tmp_path: Path) -> None:
    path = tmp_path / "tools.yaml"

    def busy(watched: Watched, elsewhere_too: str) -> None:
        @watched.toolkit.tool(name="busy")
        def busy() -> None:
            send(f"{server.url}/api/v3/no/such/route")
            send(elsewhere_too)

        call(busy)

    busy(Watched(server.url, record=path), f"{elsewhere.url}/x")
    entry = Entitlements.load(path).for_tool("busy")
    assert entry is not None
    assert entry.hosts == (f"127.0.0.1:{elsewhere.port}",)
    assert entry.find("github:unmapped.read", "path:/api/v3/no/such/route", {}) is not None
    arrived = len(elsewhere.arrived)
    busy(Watched(server.url, entitlements=path, strict=True), f"{elsewhere.url}/x")
    assert len(elsewhere.arrived) == arrived + 1
    with pytest.raises(ActionRefused) as refused:
        busy(Watched(server.url, entitlements=path), f"http://localhost:{elsewhere.port}/x")
    assert refused.value.code == "unknown_host"
    assert len(elsewhere.arrived) == arrived + 1


def test_a_tool_that_is_not_listed_is_said_once_and_refused_when_strict(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    loose = Watched(server.url, EVERYTHING, entitlements={"tools": {}})
    tool = reader(loose, server.url)
    with caplog.at_level(logging.WARNING, logger="toolpass.toolkit"):
        call(tool, "acme/shop")
        call(tool, "acme/shop")
    assert len([record for record in caplog.records if "does not list this tool" in record.getMessage()]) == 1
    assert [event.entitled for event in loose.events] == [False, False]
    strict = Watched(server.url, EVERYTHING, entitlements={"tools": {}}, strict=True)
    with pytest.raises(ToolRefused) as refused:
        call(reader(strict, server.url), "acme/shop")
    assert refused.value.code == "no_entitlements"


def test_a_trial_notes_what_the_file_lacks(server: Server) -> None:
    trial = Watched(server.url, EVERYTHING, entitlements=mapping(READ), on_missing="warn")
    call(reader(trial, server.url, "POST", "/issues"), "acme/shop")
    (action,) = trial.events[0].actions
    assert (action.outcome, action.code) == ("allowed", "unentitled_action")
    with pytest.raises(ActionRefused, match="not_authorized"):
        call(reader(Watched(server.url, (), entitlements=mapping(), on_missing="warn"), server.url), "acme/shop")


def test_only_runs_to_the_end_are_recorded_unless_asked_for(server: Server, tmp_path: Path) -> None:
    def fails(watched: Watched) -> None:
        @watched.toolkit.tool(name="fails")
        def fails(repo: str) -> None:
            send(f"{server.url}/api/v3/repos/{repo}")
            raise LookupError

        with pytest.raises(LookupError):
            call(fails, "acme/shop")

    path = tmp_path / "tools.yaml"
    fails(Watched(server.url, EVERYTHING, record=path))
    assert not path.exists()
    fails(Watched(server.url, EVERYTHING, record=path, record_partial=True, audit=None))
    assert Entitlements.load(path).tools() == ["fails"]
    assert "raised" in path.read_text(), "it is marked"


def test_a_failing_recorder_changes_nothing(server: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "tools.yaml"
    path.write_text("tools: [\n")
    watched = Watched(server.url, EVERYTHING, record=path)
    with caplog.at_level(logging.ERROR, logger="toolpass.toolkit"):
        call(reader(watched, server.url), "acme/shop")
    assert "could not be recorded" in caplog.text
    assert watched.events[0].outcome == "ran"
    assert path.read_text() == "tools: [\n"


def test_a_file_that_is_not_there_enforces_nothing_only_while_it_is_recorded(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "tools.yaml"
    with pytest.raises(FileNotFoundError, match="no such file"):
        Toolkit(entitlements=path)
    with caplog.at_level(logging.WARNING, logger="toolpass.toolkit"):
        Toolkit(entitlements=str(path), record=path)
    assert "nothing is enforced" in caplog.text


def test_the_classes() -> None:
    entry = Entitlement("github:repo.read", "repo:{owner}/{name}", effect="read")
    assert (entry.integration, entry.name, entry.is_glob, entry.as_) == ("github", "repo.read", False, "user")
    assert entry.fields() == ["owner", "name"]
    assert entry.fill({"owner": "acme", "name": "shop"}) == "repo:acme/shop"
    assert entry.fill({"owner": "acme", "name": True}) is None
    assert entry.fill({}) is None
    assert entry.matches("repo:acme/shop", {"owner": "acme", "name": "shop"})
    assert not entry.matches("repo:acme/shop", {"owner": "*", "name": "*"})
    assert entry == Entitlement("github:repo.read", "repo:{owner}/{name}", "user", "read")
    assert entry.to_dict() == {
        "action": "github:repo.read",
        "resource": "repo:{owner}/{name}",
        "as": "user",
        "effect": "read",
    }
    tool = ToolEntitlements("reader", [entry], ["ci.example.com"])
    assert tool.effect() == "read"
    assert tool.find("github:repo.read", "repo:a/b", {"owner": "a", "name": "b"}) == entry
    assert tool.find("github:repo.read", "repo:a/b", {"owner": "a", "name": "c"}) is None
    assert tool.find("github:repo.read", None, {}) == entry
    assert tool.allows_host("CI.example.com")
    assert not tool.allows_host("ci.example.com:8443")
    entitlements = Entitlements.from_mapping({"tools": {"reader": tool.to_dict(), "b": None}})
    assert (entitlements.tools(), len(entitlements)) == (["b", "reader"], 2)
    assert entitlements.for_tool("reader") == tool
    assert entitlements.for_tool("c") is None
    assert Entitlements.from_mapping(entitlements.to_mapping()) == entitlements
    for action, resource, as_, effect in (
        ("github", "", "user", "read"),
        ("github:x", "Repo:x", "user", "read"),
        ("github:x", "repo:x", "root", "read"),
        ("github:x", "repo:x", "user", "all"),
    ):
        with pytest.raises(ValueError, match="expected"):
            Entitlement(action, resource, as_, effect)  # type: ignore[arg-type]


def test_a_mapping_that_holds_itself_is_an_error() -> None:
    endless: dict[str, Any] = {}
    endless["tools"] = {"reader": {"actions": [endless]}}
    with pytest.raises(ValueError, match=r"tools\.reader"):
        Entitlements.from_mapping(endless)


def test_a_recorder_by_hand(server: Server, tmp_path: Path) -> None:
    watched = Watched(server.url, EVERYTHING)
    call(reader(watched, server.url), "acme/shop")
    path = tmp_path / "tools.yaml"
    ActionRecorder(path).record("reader", {"repo": "acme/shop"}, watched.events[0].actions)
    assert Entitlements.load(path).tools() == ["reader"]


def test_a_body_may_see_what_it_is_held_to(server: Server) -> None:
    seen: list[ToolEntitlements | None] = []
    watched = Watched(server.url, EVERYTHING, entitlements=mapping(READ))

    def look(repo: str) -> None:
        context = toolpass.current_call()
        assert context is not None
        seen.append(context.entitlements)

    call(watched.toolkit.tool(name="reader")(look), "acme/shop")
    call(watched.toolkit.tool(name="other")(look), "acme/shop")
    first, second = seen
    assert first is not None
    assert (first.tool, first.effect(), second) == ("reader", "read", None)


def test_dropping_entitlements_is_said(caplog: pytest.LogCaptureFixture, configure: Callable[..., Any]) -> None:
    configure(entitlements=mapping(READ))
    with caplog.at_level(logging.WARNING, logger="toolpass.toolkit"):
        configure()
    assert "dropped entitlements" in caplog.text


def test_a_call_is_held_to_the_settings_it_began_with(server: Server) -> None:
    kit = Watched(server.url, EVERYTHING, entitlements=mapping(READ))

    @kit.toolkit.tool(name="reader")
    def changes_its_own_rules(repo: str) -> None:
        kit.toolkit.audit = None
        send(f"{server.url}/api/v3/repos/{repo}/issues", "POST")

    with pytest.raises(ActionRefused, match="unentitled_action"):
        call(changes_its_own_rules, "acme/shop")
    assert server.seen() == []
