"""`session_from_header`: for whom a request to the application's own server runs."""

from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING, Any

import httpx
import pytest

import toolpass
from support.kits import Kit, dana, refused
from toolpass import (
    GROUPS_HEADER,
    KEY_HEADER,
    SESSION_HEADER,
    TOKEN_HEADER,
    USER_HEADER,
    Session,
    current_session,
    session_from_header,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

KEY = "k3y-of-the-front"


class Application:
    """An application that notes the session each request ran under."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.seen: list[Session | None] = []
        self.error = error

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.seen.append(current_session())
        if self.error is not None:
            raise self.error
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"ran"})


def scope(
    *headers: tuple[str, str | bytes],
    kind: str = "http",
    method: str = "POST",
    client: Sequence[Any] | None = ("127.0.0.1", 5000),
) -> dict[str, Any]:
    """A raw scope, as a server would make it."""
    values = [(name.lower().encode(), v.encode() if isinstance(v, str) else v) for name, v in headers]
    made: dict[str, Any] = {"type": kind, "headers": values, "client": client}
    return {**made, "method": method} if kind == "http" else made


def serve(app: Any, *scopes: dict[str, Any]) -> list[dict[str, Any]]:
    """What the application and its wrapper send."""
    sent: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        raise AssertionError("nothing is read before the application runs")

    async def main() -> None:
        for each in scopes:
            await app(each, receive, send)

    asyncio.run(main())
    return sent


def status(app: Any, *headers: tuple[str, str | bytes], **more: Any) -> int:
    """The status of one request."""
    answered: int = serve(app, scope(*headers, **more))[0]["status"]
    return answered


def sessions(app: Application, wrapped: Any, *scopes: dict[str, Any]) -> list[Any]:
    """The sessions that requests ran under."""
    app.seen.clear()
    serve(wrapped, *scopes)
    return app.seen


def test_the_headers_are_named_as_documented() -> None:
    assert (USER_HEADER, GROUPS_HEADER, SESSION_HEADER, KEY_HEADER, TOKEN_HEADER) == (
        "X-Toolpass-User",
        "X-Toolpass-Groups",
        "X-Toolpass-Session",
        "X-Toolpass-Key",
        "X-Toolpass-Token",
    )


def test_a_request_runs_for_its_person() -> None:
    app = Application()
    person = scope((USER_HEADER, " dana@example.com "), (GROUPS_HEADER, "sre,, ops"), (TOKEN_HEADER, "t0k3n"))
    (session,) = sessions(app, session_from_header(app), person)
    assert (session.user, session.groups, session.token) == ("dana@example.com", ("sre", "ops"), "t0k3n")
    assert current_session() is None


@pytest.mark.parametrize(
    ("client", "expected"),
    [
        (("127.0.0.1", 1), 200),
        (["::1", 1], 200),
        (("::ffff:127.0.0.1", 1), 200),
        (("localhost", 1), 200),
        (None, 200),
        (("::1234", 1), 403),
        (("127.evil.example", 1), 403),
        (("10.0.0.7", 1), 403),
    ],
)
def test_without_a_key_only_this_machine_is_let_in(client: Any, expected: int) -> None:
    app = Application()
    assert status(session_from_header(app), (USER_HEADER, "dana@example.com"), client=client) == expected
    assert len(app.seen) == (expected == 200)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ([(KEY_HEADER, KEY)], 200),
        ([], 403),
        ([(KEY_HEADER, KEY + "x")], 403),
        ([(KEY_HEADER, b"\xff")], 403),
        ([(KEY_HEADER, KEY), (KEY_HEADER, KEY)], 403),
    ],
)
def test_with_a_key_only_who_knows_it_is_let_in(headers: Any, expected: int) -> None:
    app = Application()
    wrapped = session_from_header(app, key=KEY)
    assert status(wrapped, (USER_HEADER, "dana@example.com"), *headers, client=("10.0.0.7", 1)) == expected
    assert len(app.seen) == (expected == 200)


@pytest.mark.parametrize(
    "headers",
    [
        [(USER_HEADER, "dana@example.com"), ("Authorization", "Bearer t")],
        [(USER_HEADER, "")],
        [(USER_HEADER, b"dan\xe9@example.com")],
        [(USER_HEADER, "dana@example.com"), (USER_HEADER, "sam@example.com")],
        [(USER_HEADER, "dana@example.com"), (TOKEN_HEADER, "a"), (TOKEN_HEADER, "b")],
        [("X-Toolpass-Authority", "chain"), (USER_HEADER, "dana@example.com")],
        [("X-Toolpass-Proof", "proof")],
        [("X_Toolpass_User", "sam@example.com")],
    ],
)
def test_doubtful_headers_never_reach_the_application(headers: Any) -> None:
    app = Application()
    start, body = serve(session_from_header(app), scope(*headers))
    assert (start["status"], app.seen) == (400, [])
    assert dict(start["headers"])[b"content-type"] == b"text/plain; charset=utf-8"
    assert int(dict(start["headers"])[b"content-length"]) == len(body["body"])
    assert b"X-Toolpass" in body["body"]
    assert b"example.com" not in body["body"]


def test_a_handoffs_headers_are_refused_aloud() -> None:
    _, body = serve(session_from_header(Application()), scope(("X-Toolpass-Authority", "chain")))
    assert b"not supported" in body["body"]


def test_a_refused_websocket_is_closed() -> None:
    app = Application()
    wrapped = session_from_header(app)
    assert serve(wrapped, scope(kind="websocket", client=("10.0.0.7", 1)))[0]["code"] == 4403
    (close,) = serve(wrapped, scope((USER_HEADER, ""), kind="websocket"))
    assert (close["type"], close["code"], app.seen) == ("websocket.close", 4400, [])


def test_a_websocket_runs_for_its_person() -> None:
    app = Application()
    (session,) = sessions(
        app, session_from_header(app), scope((USER_HEADER, "dana@example.com"), kind="websocket", client=None)
    )
    assert session.user == "dana@example.com"


def test_a_request_for_nobody_has_no_session_though_one_is_current() -> None:
    app = Application()
    wrapped = session_from_header(app)
    with dana().active() as around:
        assert sessions(app, wrapped, scope(), scope(("Authorization", "Bearer t"))) == [None, None]
        assert current_session() is around


def test_the_session_before_is_restored_when_the_application_raises() -> None:
    app = Application(KeyError("broken"))
    wrapped = session_from_header(app)

    async def main() -> None:
        with dana().active() as around:
            with pytest.raises(KeyError, match="broken"):
                await wrapped(scope((USER_HEADER, "sam@example.com")), None, None)
            assert current_session() is around

    asyncio.run(main())
    assert [session and session.user for session in app.seen] == ["sam@example.com"]


def test_other_scopes_pass_through() -> None:
    app = Application()
    with dana().active() as around:
        assert sessions(app, session_from_header(app, key=KEY), {"type": "lifespan"}) == [around]


def test_a_conversation_keeps_its_session() -> None:
    app = Application()
    wrapped = session_from_header(app)
    user = (USER_HEADER, "dana@example.com")
    for name in (SESSION_HEADER, "Mcp-Session-Id"):
        first, again, other_name, other_user, other_groups = sessions(
            app,
            wrapped,
            scope(user, (name, "c1")),
            scope(user, (name, " c1 ")),
            scope(user, (name, "c2")),
            scope((USER_HEADER, "sam@example.com"), (name, "c1")),
            scope(user, (name, "c1"), (GROUPS_HEADER, "sre")),
        )
        assert first is again
        assert len({id(each) for each in (first, other_name, other_user, other_groups)}) == 4
    one, two = sessions(app, wrapped, scope(user), scope(user))
    assert one is not two


def test_a_conversation_the_caller_names_has_that_id_and_the_protocols_is_hidden() -> None:
    app = Application()
    user = (USER_HEADER, "dana@example.com")
    named, hidden = sessions(
        app, session_from_header(app), scope(user, (SESSION_HEADER, "c1")), scope(user, ("Mcp-Session-Id", "c1"))
    )
    assert named.id == "c1"
    assert len(hidden.id) == 32


def test_a_new_token_replaces_the_old_one_and_state_is_kept() -> None:
    app = Application()
    wrapped = session_from_header(app)
    kit = Kit()
    read = kit.tool(name="read", limit=9, untrusted_output=True)(lambda: "x")
    named = [(USER_HEADER, "dana@example.com"), (SESSION_HEADER, "c1")]
    (session,) = sessions(app, wrapped, scope(*named, (TOKEN_HEADER, "old")))
    with session.active():
        read()
    for headers, token in (([(TOKEN_HEADER, "new")], "new"), ([], "new"), ([(TOKEN_HEADER, " ")], "new")):
        assert sessions(app, wrapped, scope(*named, *headers)) == [session]
        assert (session.token, session.saw_untrusted, session.count("tool:read")) == (token, True, 1)


def test_deleting_ends_the_protocols_session_only() -> None:
    app = Application()
    wrapped = session_from_header(app)
    user = (USER_HEADER, "dana@example.com")
    for name, ended in (("Mcp-Session-Id", True), (SESSION_HEADER, False)):
        named = scope(user, (name, "c1"))
        first, last, after = sessions(app, wrapped, named, {**named, "method": "DELETE"}, named)
        assert last is first
        assert (after is not first) is ended


def test_a_delete_of_what_is_unknown_remembers_nothing() -> None:
    app = Application()
    named = scope((USER_HEADER, "dana@example.com"), ("Mcp-Session-Id", "c1"), method="DELETE")
    first, second = sessions(app, session_from_header(app), named, named)
    assert first is not second


def test_the_least_recently_used_session_is_forgotten() -> None:
    app = Application()
    wrapped = session_from_header(app)

    def named(n: int) -> dict[str, Any]:
        return scope((USER_HEADER, "dana@example.com"), (SESSION_HEADER, f"c{n}"))

    first, second, *_ = list(sessions(app, wrapped, *map(named, range(4096))))
    again, _new, forgotten, kept = sessions(app, wrapped, named(0), named(4096), named(1), named(0))
    assert again is first
    assert forgotten is not second
    assert kept is first
    app.seen.clear()
    gc.collect()


def test_a_forgotten_session_that_goes_on_has_seen_what_it_had_seen() -> None:
    app, kit = Application(), Kit()
    wrapped = session_from_header(app)
    read = kit.tool(name="read", effect="read", untrusted_output=True, reads_private=True)(
        lambda: "a page of a stranger"
    )
    write = kit.tool(name="write", effect="write")(lambda text: "written")

    def named(name: str) -> dict[str, Any]:
        return scope((USER_HEADER, "dana@example.com"), (SESSION_HEADER, name))

    tainted, clean = sessions(app, wrapped, named("tainted"), named("clean"))
    with tainted.active():
        read()
    sessions(app, wrapped, *(named(str(n)) for n in range(4096)))
    after, innocent = sessions(app, wrapped, named("tainted"), named("clean"))
    assert after is not tainted
    assert (after.saw_untrusted, after.read_private) == (True, True)
    assert innocent is not clean
    assert (innocent.saw_untrusted, innocent.read_private) == (False, False)
    with after.active():  # what the page said is not known any more, so nobody can tell what repeats it
        refusal = refused(lambda: write("hello"))
    assert refusal.code == "untrusted_input"
    assert "start a new session" in refusal.reason
    with innocent.active():
        assert write("hello") == "written"
    del tainted, clean, after, innocent
    app.seen.clear()
    gc.collect()


@pytest.mark.parametrize("key", ["", " ", "k3y ", toolpass.env("TOOLPASS_TEST_UNSET_KEY")])
def test_a_key_that_can_match_nothing_is_an_error(key: Any) -> None:
    with pytest.raises(ValueError):
        session_from_header(Application(), key=key)


@pytest.mark.parametrize("key", [7, b"bytes", [KEY]])
def test_a_key_of_another_type_is_an_error(key: Any) -> None:
    with pytest.raises(TypeError, match="`key`"):
        session_from_header(Application(), key=key)


def test_a_key_is_read_at_every_request(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    app = Application()
    monkeypatch.setenv("TOOLPASS_TEST_KEY", "first")
    wrapped = session_from_header(app, key=toolpass.env("TOOLPASS_TEST_KEY"))
    assert status(wrapped, (KEY_HEADER, "first")) == 200
    monkeypatch.setenv("TOOLPASS_TEST_KEY", "second")
    assert (status(wrapped, (KEY_HEADER, "first")), status(wrapped, (KEY_HEADER, "second"))) == (403, 200)
    monkeypatch.delenv("TOOLPASS_TEST_KEY")
    app.seen.clear()
    with pytest.raises(ValueError, match="TOOLPASS_TEST_KEY"):
        serve(wrapped, scope((KEY_HEADER, "second")))
    assert app.seen == []
    (tmp_path / "key").write_text(KEY + "\n")
    wrapped = session_from_header(app, key=toolpass.file(tmp_path / "key"))
    assert status(wrapped, (KEY_HEADER, KEY)) == 200


def test_the_key_is_not_shown() -> None:
    wrapped: Any = session_from_header(Application(), key=KEY)
    shown = [repr(cell.cell_contents) for cell in wrapped.__closure__]
    assert KEY not in "".join(shown)


@pytest.mark.asyncio
async def test_two_people_at_once_never_see_each_others_session() -> None:
    turn = asyncio.Barrier(2) if hasattr(asyncio, "Barrier") else None
    kit = Kit()

    @kit.tool(name="who")
    async def who() -> str:
        call = toolpass.current_call()
        assert call is not None
        assert call.session is not None
        return call.session.user

    async def app(scope: Any, receive: Any, send: Any) -> None:
        users = []
        for _ in range(3):
            if turn is not None:
                await turn.wait()
            await asyncio.sleep(0)
            users.append(await who())
        assert len(set(users)) == 1
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": users[0].encode()})

    transport = httpx.ASGITransport(app=session_from_header(app, key=KEY), client=("10.0.0.7", 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://app.example") as client:

        async def ask(user: str) -> list[str]:
            headers = {USER_HEADER: user, KEY_HEADER: KEY, SESSION_HEADER: "the same name"}
            return [(await client.get("/", headers=headers)).text for _ in range(20)]

        people = ["dana@example.com", "sam@example.com"]
        assert await asyncio.gather(*map(ask, people)) == [[user] * 20 for user in people]
        assert (await client.get("/", headers={USER_HEADER: "eve@example.com"})).status_code == 403
    assert {(event.user, event.session) for event in kit.events} == {(user, "the same name") for user in people}


@pytest.mark.asyncio
async def test_requests_of_one_conversation_at_once_share_a_session() -> None:
    app = Application()
    transport = httpx.ASGITransport(app=session_from_header(app))
    headers = {USER_HEADER: "dana@example.com", SESSION_HEADER: "c1"}
    async with httpx.AsyncClient(transport=transport, base_url="http://app.example", headers=headers) as client:
        await asyncio.gather(*(client.get("/") for _ in range(8)))
    assert len(app.seen) == 8
    assert len({id(session) for session in app.seen}) == 1
