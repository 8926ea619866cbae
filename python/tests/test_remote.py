"""An engine behind a server: a real `toolpass serve` as a process in front of the stand-in GitHub."""

from __future__ import annotations

import asyncio
import os
import pickle
import sys
from typing import TYPE_CHECKING, Any

import pytest

import toolpass
from support.remote import AGENTS, Asked
from support.standin import ADMIN, DANA
from toolpass import PermissionDenied, Session, Toolpass, ToolRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.standin import GithubStandin

QUESTION = (ADMIN, "github", "repo.read", "repo:acme/shop")
DENIED = (DANA, "github", "pr.create", "repo:acme/shop")


@pytest.fixture(scope="module")
def server(_github: GithubStandin, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """One server for the tests that leave it as it was."""
    running = Asked(tmp_path_factory.mktemp("server"), _github)
    yield running
    running.kill()


@pytest.fixture
def remote(server: Asked, github: GithubStandin) -> Toolpass:
    """The engine behind it."""
    assert github.arrived() == []
    return server.remote()


def refused(call: Callable[[], Any]) -> ToolRefused:
    """What a call was refused with."""
    with pytest.raises(ToolRefused) as caught:
        call()
    return caught.value


@pytest.mark.parametrize(
    "url",
    [
        "http://a.example",
        "http://localhost.a.example",
        "ftp://a.example",
        "a.example",
        "",
        "https://",
        "https://user:hunter2@a.example",
        "https://a.example?key=hunter2",
        "https://a.example#key=hunter2",
        "https://a.example ",
        "https://a.exa\tmple",
    ],
)
def test_an_address_that_gives_the_key_away_is_none(url: str) -> None:
    with pytest.raises(ValueError, match="`url`") as caught:
        Toolpass.remote(url, "a-key")
    assert "hunter2" not in str(caught.value)
    assert "a-key" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "error", "named"),
    [
        ({"api_key": ""}, ValueError, "api_key"),
        ({"api_key": "  "}, ValueError, "api_key"),
        ({"api_key": "a key"}, ValueError, "api_key"),
        ({"api_key": "k\n"}, None, ""),
        ({"api_key": "schlüssel"}, ValueError, "api_key"),
        ({"api_key": 7}, TypeError, "api_key"),
        ({"api_key": "k", "url": 7}, TypeError, "url"),
        ({"api_key": "k", "timeout": 0}, ValueError, "timeout"),
        ({"api_key": "k", "timeout": -1}, ValueError, "timeout"),
        ({"api_key": "k", "timeout": float("nan")}, ValueError, "timeout"),
        ({"api_key": "k", "timeout": float("inf")}, ValueError, "timeout"),
        ({"api_key": "k", "timeout": "10"}, TypeError, "timeout"),
        ({"api_key": "k", "ca_file": "/nowhere"}, ValueError, "ca_file"),
        ({"api_key": "k", "ca_file": __file__}, ValueError, "ca_file"),
        ({"api_key": "k", "logger": 7}, TypeError, "logger"),
        ({"api_key": "k", "retries": 7}, TypeError, "retries"),
    ],
)
def test_wrong_arguments_are_named(
    arguments: dict[str, Any], error: type[Exception] | None, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TOOLPASS_API_KEY", raising=False)
    if error is None:
        Toolpass.remote(**arguments)
        return
    with pytest.raises(error, match=named) as caught:
        Toolpass.remote(**arguments)
    assert "schlüssel" not in str(caught.value)


def test_what_is_not_given_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOOLPASS_URL", raising=False)
    monkeypatch.delenv("TOOLPASS_API_KEY", raising=False)
    with pytest.raises(ValueError, match="TOOLPASS_API_KEY"):
        Toolpass.remote()
    monkeypatch.setenv("TOOLPASS_API_KEY", "from-the-environment")
    assert Toolpass.remote().server == ("http://localhost:8080", "from-the-environment")
    monkeypatch.setenv("TOOLPASS_URL", "https://checks.acme.example/")
    assert Toolpass.remote().server == ("https://checks.acme.example", "from-the-environment")
    assert Toolpass.remote("https://b.example//", "own").server == ("https://b.example", "own")
    monkeypatch.setenv("TOOLPASS_URL", "http://checks.acme.example")
    with pytest.raises(ValueError, match="TOOLPASS_URL"):
        Toolpass.remote()


def test_a_key_comes_from_where_secrets_come_from(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "key").write_text("of-a-file\n")
    monkeypatch.setenv("OTHER_KEY", "of-a-variable")
    for given, expected in [
        (toolpass.file(str(tmp_path / "key")), "of-a-file"),
        (toolpass.env("OTHER_KEY"), "of-a-variable"),
    ]:
        assert Toolpass.remote("https://a.example", given).server == ("https://a.example", expected)
    with pytest.raises(ValueError, match="api_key"):
        Toolpass.remote("https://a.example", toolpass.env("SURELY_UNSET"))


def test_what_it_is() -> None:
    remote = Toolpass.remote("https://checks.acme.example", "a-secret-key")
    assert remote.local is False
    assert repr(remote) == 'Toolpass(remote, url="https://checks.acme.example")'
    assert "a-secret-key" not in repr(remote) + str(remote)
    for method in ("probe", "connections", "invalidate"):
        with pytest.raises(TypeError, match=method):
            getattr(remote, method)()


def test_it_answers_as_the_engine_in_this_process_does(remote: Toolpass, engine: Toolpass) -> None:
    for question in [
        QUESTION,
        DENIED,
        (DANA, "github", "repo.read", "repo:acme/shop"),
        ("nobody@example.com", "github", "repo.read", "repo:acme/shop"),
        (DANA, "github", "repo.read", "repo:acme/nothing"),
        (DANA, "nowhere", "repo.read", "repo:acme/shop"),
        (DANA, "github", "no.such", "repo:acme/shop"),
        (DANA, "github", "repo.read", "Repo:x"),
        ("", "github", "repo.read", "repo:acme/shop"),
    ]:
        here, there = engine.check(*question), remote.check(*question)
        assert there == here
        assert (there.status, there.identity, there.code) == (here.status, here.identity, here.code)
        assert pickle.loads(pickle.dumps(there)) == there
    with pytest.raises(TypeError, match="groups"):
        remote.check(*QUESTION, "acme")
    with pytest.raises(TypeError, match=r"keyword|by name"):
        remote.check(*QUESTION, None, True)  # type: ignore[misc]


def test_everything_that_can_be_asked(server: Asked, remote: Toolpass) -> None:
    before = len(server.decisions())
    plain = remote.check(*QUESTION)
    assert (plain.id, plain.as_of) == (None, None)
    dated = remote.check(*QUESTION, max_age=60)
    assert dated.allowed
    assert dated.id
    assert dated.as_of
    assert remote.check(*QUESTION, ["b", "a"], fresh=True, token="t.o.k").decision
    assert remote.check(*QUESTION, facts={"draft": "true"}).decision
    assert remote.allowed(*QUESTION)
    assert not remote.allowed(*DENIED)
    assert remote.require(*QUESTION).allowed
    with pytest.raises(PermissionDenied) as denied:
        remote.require(*DENIED)
    assert denied.value.decision.code == "denied"
    asked = server.decisions()[before:]
    assert sorted(asked[2]["groups"]) == ["a", "b"]
    assert [line.get("fresh", False) for line in asked[:3]] == [False, False, True]


@pytest.mark.asyncio
async def test_async_checks_answer_the_same(remote: Toolpass) -> None:
    assert await remote.acheck(*QUESTION) == remote.check(*QUESTION)
    assert (await remote.arequire(*QUESTION)).allowed
    with pytest.raises(PermissionDenied):
        await remote.arequire(*DENIED)


def test_many_questions_at_once(remote: Toolpass) -> None:
    items = [QUESTION, DENIED, {"user": DANA, "connection": "github", "action": "x y", "resource": "repo:a/b"}]
    answers = remote.check_many(items)
    assert [answer.decision for answer in answers] == ["allow", "deny", "unknown"]
    assert [answer.status for answer in answers] == [200, 200, 400]
    assert asyncio.run(_many(remote, items)) == answers
    assert remote.check_many([]) == []
    assert len(remote.check_many([QUESTION] * 100, timeout=30)) == 100
    with pytest.raises(ValueError, match="100"):
        remote.check_many([QUESTION] * 101)


async def _many(remote: Toolpass, items: list[Any]) -> list[Any]:
    return await remote.acheck_many(items)


def test_tools_and_functions_ask_it(remote: Toolpass, configure: Any) -> None:
    configure(permissions=remote, audit=None)
    check = toolpass.permission_check(remote, "github", "pr.create", "repo:{repo}")
    tool = toolpass.tool(authorize=check, effect="write", name="open_pr")(lambda repo: "opened")
    with Session(ADMIN).active():
        assert tool("acme/shop") == "opened"
    with Session(DANA).active():
        assert refused(lambda: tool("acme/shop")).code == "not_authorized"

    @toolpass.guarded(remote, "github", "pr.create", "repo:{repo}", user=DANA)
    def plain(*, repo: str) -> str:
        return repo

    with pytest.raises(PermissionDenied):
        plain(repo="acme/shop")


@pytest.mark.asyncio
async def test_two_hundred_checks_wait_on_no_thread_each(server: Asked, remote: Toolpass) -> None:
    def threads() -> int:
        return len(os.listdir("/proc/self/task")) if sys.platform == "linux" else 0

    await remote.acheck(*QUESTION)
    before, most = threads(), 0

    async def ask(number: int) -> str:
        nonlocal most
        waiting = asyncio.ensure_future(remote.acheck(DANA, "github", "repo.read", f"repo:acme/none-{number}"))
        await asyncio.sleep(0)
        most = max(most, threads())
        return (await waiting).decision

    answers = await asyncio.gather(*(ask(number) for number in range(200)))
    assert len(answers) == 200
    assert "allow" not in answers
    assert most - before <= 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_asks_on_connections_of_its_own(remote: Toolpass, configure: Any) -> None:
    configure(permissions=remote, audit=None)
    tool = toolpass.tool(name="nothing")(lambda: "done")
    with Session(DANA).active():
        assert tool() == "done"
        child = os.fork()
        if child == 0:
            status = 1
            try:
                fine = remote.check(*QUESTION).allowed and tool() == "done"
                status = 0 if fine and asyncio.run(_acheck(remote)) else 2
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert tool() == "done"
    assert remote.check(*QUESTION).allowed


async def _acheck(remote: Toolpass) -> bool:
    return (await _decision(remote)).allowed


async def _decision(remote: Toolpass) -> toolpass.Decision:
    return await remote.acheck(*QUESTION)


def test_over_tls_with_an_authority_of_ones_own(
    github: GithubStandin, tmp_path: Any, certificates: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    issued = certificates.authority.issue_cert("127.0.0.1")
    folder = tmp_path / "server"
    folder.mkdir()
    issued.private_key_pem.write_to_path(str(folder / "key"))
    (folder / "cert").write_bytes(b"".join(blob.bytes() for blob in issued.cert_chain_pems))
    running = Asked(folder, github, tls_cert_file="cert", tls_key="file:key")
    try:
        # No proxy is asked about this machine.
        monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
        assert running.remote(ca_file=certificates.file(tmp_path)).check(*QUESTION).allowed
        unknown = running.remote().check(*QUESTION)
        assert (unknown.code, unknown.status) == ("client_error", 0)
        plain = running.remote(url=running.url.replace("https", "http")).check(*QUESTION)
        assert plain.code == "client_error"
    finally:
        running.kill()


def test_a_server_that_is_gone_refuses_and_one_that_is_back_is_asked(
    github: GithubStandin, tmp_path: Any, configure: Any
) -> None:
    running = Asked(tmp_path / "server", github)
    try:
        remote = running.remote()
        configure(permissions=remote, audit=None)
        check = toolpass.permission_check(remote, "github", "repo.read", "repo:{repo}")
        ran = []
        tool = toolpass.tool(authorize=check, effect="read", name="look")(lambda repo: ran.append(repo))
        with Session(DANA).active():
            tool("acme/shop")
            running.kill()
            refusal = refused(lambda: tool("acme/shop"))
            assert refusal.code == "authorization_error"
            assert AGENTS not in str(refusal)
            gone = remote.check(*QUESTION)
            assert (gone.decision, gone.code, gone.status) == ("unknown", "client_error", 0)
            assert running.address in gone.reason
            assert [one.code for one in remote.check_many([QUESTION] * 2)] == ["client_error"] * 2
            assert asyncio.run(_decision(remote)).code == "client_error"
            running.start()
            tool("acme/shop")
        assert ran == ["acme/shop"] * 2
        (running.folder / "agents").write_text("another-key-0123456789")
        _until(lambda: remote.check(*QUESTION).code == "unauthorized")
        revoked = remote.check(*QUESTION)
        assert (revoked.decision, revoked.status) == ("unknown", 401)
        with Session(DANA).active():
            assert refused(lambda: tool("acme/shop")).code == "not_configured"
        assert [one.code for one in remote.check_many([QUESTION])] == ["unauthorized"]
    finally:
        running.kill()


def _until(holds: Callable[[], bool]) -> None:
    """A file is looked at once a second."""
    import time

    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)
