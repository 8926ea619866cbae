"""`watch`: the live page of a toolkit, as Python and as a browser's requests see it."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import pickle
import socket
import stat
import sys
import threading
import urllib.error
import urllib.request
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import pytest

import toolpass
from support.kits import Kit, dana, refused
from support.standin import ADMIN
from toolpass import Session, Toolkit, Watch, watch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.standin import GithubStandin


def rows(page: Watch, since: int = 0) -> list[dict[str, Any]]:
    """What a page shows."""
    return page.events(since)[0]


def fetch(page: Watch, name: str) -> Any:
    """What the page's server answers, read as JSON."""
    with urllib.request.urlopen(page.url + name, timeout=30) as answer:
        return json.loads(answer.read(), parse_constant=pytest.fail)


@pytest.fixture
def kit() -> Kit:
    """A toolkit that keeps its events."""
    return Kit()


@pytest.fixture
def page(kit: Kit) -> Iterator[Watch]:
    """Its page."""
    with watch(kit) as opened:
        yield opened


def test_a_call_is_a_row_with_its_event_and_a_number(kit: Kit, page: Watch) -> None:
    @kit.tool(effect="read")
    def stars(repo: str) -> int:
        return 3

    with dana().active():
        stars("acme/shop")
        stars("acme/docs")
    events, last = page.events()
    assert last == 2
    assert events == [{"seq": seq, **event.to_dict()} for seq, event in enumerate(kit.events, 1)]
    assert page.events(since=1) == (events[1:], 2)
    assert page.events(since=2) == ([], 2)
    assert page.events(since=-5) == page.events()
    answer = fetch(page, "events?since=1")
    assert answer["events"] == events[1:]
    assert answer["next"] == 2


def test_the_address_is_local_and_hard_to_guess(kit: Kit) -> None:
    with watch(kit) as one, watch(kit, listen="localhost:0") as other:
        for page in (one, other):
            parts = urlsplit(page.url)
            assert parts.hostname == "127.0.0.1"
            assert parts.path.startswith("/t/")
            assert parts.path.endswith("/")
            assert len(parts.path) == len("/t//") + 32
        assert one.url.split("/t/")[1] != other.url.split("/t/")[1]
        assert one.url.split("/t/")[1] not in repr(one)


@pytest.mark.skipif(not socket.has_ipv6, reason="this machine has no IPv6")
def test_an_ipv6_address_stands_in_brackets(kit: Kit) -> None:
    try:
        page = watch(kit, listen="::1:0")
    except OSError:
        pytest.skip("this machine has no IPv6 loopback")
    with page:
        assert page.url.startswith("http://[::1]:")
        assert fetch(page, "events")["events"] == []


@pytest.mark.parametrize("listen", ["0.0.0.0:0", "example.com:80", "192.168.0.1:0", "", "localhost", "[::]:0"])
def test_only_loopback_is_listened_on(listen: str) -> None:
    kit = Kit(audit=None)
    with pytest.raises(ValueError, match="loopback only"):
        watch(kit, listen=listen)
    assert not kit._core.is_watched()


def test_what_is_no_toolkit_or_number_is_refused(kit: Kit) -> None:
    with pytest.raises(TypeError, match="Toolkit"):
        Watch(object())  # type: ignore[arg-type]
    for keep in (0, -1):
        with pytest.raises(ValueError, match="keep"):
            Watch(kit, keep=keep)
    with watch(kit) as page:
        taken = urlsplit(page.url).netloc
        with pytest.raises(OSError, match="listen"):
            watch(kit, listen=taken)


def test_the_default_toolkit_is_watched_when_none_is_named(configure: Any) -> None:
    with watch() as page:
        assert page.toolkit is toolpass.default_toolkit()


def test_the_page_survives_configure_and_another_sink(configure: Any, caplog: pytest.LogCaptureFixture) -> None:
    @toolpass.tool(effect="read")
    def looked_at() -> None: ...

    with watch() as page, dana().active():
        configure(audit=None)
        looked_at()
        configure()
        toolpass.default_toolkit().audit = None
        looked_at()
        configure(audit=lambda event: None, limits={"read": 5})
        looked_at()
        assert [row["seq"] for row in rows(page)] == [1, 2, 3]
    assert "sink" not in caplog.text


def test_the_sink_gets_the_event_too_and_may_raise(caplog: pytest.LogCaptureFixture) -> None:
    def broken(event: object) -> None:
        raise OSError("disk full")

    kit = Toolkit(audit=broken)

    @kit.tool(effect="read")
    def look() -> int:
        return 1

    with watch(kit) as page, dana().active(), caplog.at_level(logging.ERROR):
        assert look() == 1
        assert rows(page)[0]["outcome"] == "ran"
    assert "the audit sink raised" in caplog.text


def test_several_pages_close_in_any_order(kit: Kit) -> None:
    @kit.tool(effect="read")
    def look() -> None: ...

    pages = [watch(kit) for _ in range(3)]
    with dana().active():
        look()
        pages[1].close()
        look()
        pages[0].close()
        pages[0].close()
        look()
        assert [len(rows(page)) for page in pages] == [0, 0, 3]
        pages[2].close()
        look()
    assert [rows(page) for page in pages] == [[], [], []]
    assert len(kit.events) == 4


def test_a_closed_page_answers_nobody(kit: Kit) -> None:
    page = watch(kit)
    assert fetch(page, "events")["events"] == []
    page.close()
    with pytest.raises(urllib.error.URLError):
        fetch(page, "events")
    assert "closed" in repr(page)


def test_nothing_is_made_while_no_page_is_open() -> None:
    kit = Kit(audit=None)
    assert not kit._core.is_watched()
    page = watch(kit)
    assert kit._core.is_watched()
    page.close()
    assert not kit._core.is_watched()


def test_a_page_shows_arguments_when_the_sink_is_off() -> None:
    kit = Toolkit(audit=None)

    @kit.tool(effect="read")
    def look(what: str) -> None: ...

    with dana().active():
        look("before")
        with watch(kit) as page:
            look("while")
            assert [row["arguments"] for row in rows(page)] == [{"what": "while"}]


def test_arguments_that_are_not_kept_are_not_shown() -> None:
    kit = Toolkit(audit=None, audit_arguments=False)

    @kit.tool(effect="read")
    def look(what: str) -> None: ...

    with watch(kit) as page, dana().active():
        look("secret")
        assert "arguments" not in rows(page)[0]


def test_secrets_are_gone_before_the_page_sees_them() -> None:
    kit = Toolkit(audit=None, credentials={"bot": "hunter2-hunter2-hunter2"})

    @kit.tool(effect="read", credential="bot")
    def look(what: str, *, credential: str) -> str:
        raise ValueError(credential)

    with watch(kit) as page, dana().active():
        with pytest.raises(toolpass.ToolError):
            look("hunter2-hunter2-hunter2")
        with urllib.request.urlopen(page.url + "events", timeout=30) as answer:
            assert b"hunter2" not in answer.read()


def test_keep_is_how_many_rows_there_are(kit: Kit) -> None:
    @kit.tool(effect="read")
    def look(n: int) -> None: ...

    with Watch(kit, keep=3) as page, dana().active():
        for n in range(5):
            look(n)
        assert [(row["seq"], row["arguments"]["n"]) for row in rows(page)] == [(3, 2), (4, 3), (5, 4)]


def test_a_refusal_and_an_exception_are_rows(kit: Kit, page: Watch) -> None:
    @kit.tool(effect="read", scope={"repo": "acme/*"})
    def look(repo: str) -> None:
        raise ValueError("no")

    with dana().active():
        refused(lambda: look("evil/x"))
        with pytest.raises(ValueError, match="no"):
            look("acme/x")
    refused(lambda: look("acme/x"))
    assert rows(page)[0]["code"] == "out_of_scope"
    assert [row["outcome"] for row in rows(page)] == ["refused", "raised", "refused"]
    assert rows(page)[2]["code"] == "no_session"


def test_a_running_call_is_shown_and_completed_by_its_id(kit: Kit, page: Watch) -> None:
    @kit.tool(effect="read")
    def look() -> dict[str, Any]:
        (row,) = rows(page)
        return row

    with dana().active():
        during = look()
    (after,) = rows(page)
    assert during["outcome"] == "started"
    assert after["outcome"] == "ran"
    assert (during["id"], during["seq"]) == (after["id"], after["seq"])


def test_a_running_call_shows_its_requests_so_far(github: GithubStandin, engine: toolpass.Toolpass) -> None:
    kit = Toolkit(permissions=engine, audit=None)
    page = watch(kit)

    @kit.tool()
    def read() -> tuple[list[Any], list[Any]]:
        before = rows(page)[0].get("actions", [])
        request = urllib.request.Request(
            f"{github.api}/repos/acme/shop", headers={"Authorization": f"Bearer {github.token}"}
        )
        with urllib.request.urlopen(request, context=github.tls(), timeout=30):
            pass
        return before, rows(page)[0]["actions"]

    with page, Session(ADMIN).active():
        before, after = read()
        assert before == []
        assert [one["action"] for one in after] == ["github:repo.read"]
        assert fetch(page, "events")["phrases"] == {"github:repo.read": "read"}
        (row,) = rows(page)
        assert (row["outcome"], row["actions"]) == ("ran", after)


def test_nested_and_parallel_calls_are_rows_of_their_own(kit: Kit, page: Watch) -> None:
    begun, go_on = threading.Semaphore(0), threading.Event()

    @kit.tool(effect="read")
    def inner() -> None:
        begun.release()
        assert go_on.wait(60)

    @kit.tool(effect="read")
    def outer() -> None:
        inner()

    def run() -> None:
        with dana().active():
            outer()

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in threads:
        assert begun.acquire(timeout=60)
    assert [row["outcome"] for row in rows(page)] == ["started"] * 6
    go_on.set()
    for thread in threads:
        thread.join()
    shown = rows(page)
    assert [row["seq"] for row in shown] == list(range(1, 7))
    assert {row["outcome"] for row in shown} == {"ran"}
    outers = {row["id"] for row in shown if row["tool"] == "outer"}
    assert {row["parent"] for row in shown if row["tool"] == "inner"} == outers


def test_an_async_call_runs_and_ends(kit: Kit, page: Watch) -> None:
    async def main() -> None:
        begun, go_on = asyncio.Event(), asyncio.Event()

        @kit.tool(effect="read")
        async def look() -> None:
            begun.set()
            await go_on.wait()

        task = asyncio.create_task(look())
        await begun.wait()
        assert [row["outcome"] for row in rows(page)] == ["started"]
        go_on.set()
        await task

    with dana().active():
        asyncio.run(main())
    assert [row["outcome"] for row in rows(page)] == ["ran"]


def test_a_call_that_is_cancelled_or_thrown_away_does_not_run_forever(kit: Kit, page: Watch) -> None:
    async def main() -> None:
        begun = asyncio.Event()

        @kit.tool(effect="read")
        async def look() -> None:
            begun.set()
            await asyncio.Event().wait()

        task = asyncio.create_task(look())
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        coroutine = look()
        coroutine.send(None)
        del coroutine
        gc.collect()

    with dana().active():
        asyncio.run(main())
    assert len(rows(page)) == 2
    assert all(row["outcome"] in {"cancelled", "raised"} for row in rows(page))


@pytest.mark.parametrize(
    "odd",
    [
        float("nan"),
        float("inf"),
        "\ud800 lone",
        "\udfff",
        b"\xff\xfe",
        "x" * 3_000_000,
        ["y" * 500] * 5000,
        {"k" * 1000: {"deep": [[[[["z"]]]]]}},
        "</script><script>alert(1)</script>",
        "\u2028\u2029\x00\x1b[31m",
        {"__proto__": {"polluted": 1}},
        10**400,
        object(),
        complex("nan+infj"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_odd_values_never_break_the_page(kit: Kit, page: Watch, odd: Any) -> None:
    @kit.tool(effect="read", name="odd")
    def look(value: Any) -> None: ...

    with dana().active():
        look(odd)
        look(1)
    answer = fetch(page, "events")
    assert [row["seq"] for row in answer["events"]] == [1, 2]
    assert len(json.dumps(answer)) < 400_000
    assert rows(page) == answer["events"]


def test_a_person_and_a_session_of_odd_letters(kit: Kit, page: Watch) -> None:
    @kit.tool(effect="read", name="<img src=x onerror=alert(1)>")
    def look() -> None:
        raise type("\u202eE<b>", (ValueError,), {})

    with Session("d\u00e4na+x@example.com", id="<s>\u2028").active(), pytest.raises(ValueError):
        look()
    with urllib.request.urlopen(page.url + "events", timeout=30) as answer:
        text = answer.read().decode()
    assert "<" not in text
    assert json.loads(text)["events"][0]["tool"] == "<img src=x onerror=alert(1)>"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_records_nothing_and_opens_its_own(kit: Kit, page: Watch) -> None:
    @kit.tool(effect="read")
    def look() -> None: ...

    with dana().active():
        look()
        child = os.fork()
        if child == 0:
            try:
                look()
                assert not kit._core.is_watched()
                with pytest.raises(RuntimeError, match="process"):
                    page.events()
                page.close()
                with watch(kit) as own:
                    look()
                    assert [row["seq"] for row in rows(own)] == [1]
                    assert len(fetch(own, "events")["events"]) == 1
            except BaseException:
                sys.excepthook(*sys.exc_info())
                os._exit(1)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        look()
    assert [row["seq"] for row in rows(page)] == [1, 2]
    assert len(fetch(page, "events")["events"]) == 2


def test_a_page_that_nobody_holds_stays_open(kit: Kit) -> None:
    url = watch(kit).url
    gc.collect()
    with urllib.request.urlopen(url + "events", timeout=30) as answer:
        assert answer.status == 200
    for page in [one for one in gc.get_objects() if isinstance(one, Watch)]:
        page.close()


def test_a_page_cannot_be_pickled(page: Watch) -> None:
    with pytest.raises(TypeError):
        pickle.dumps(page)


class Browser:
    """What `webbrowser.open` was given, and what stood there."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.opened: list[str] = []
        self.text = ""
        monkeypatch.setattr(webbrowser, "open", self.open)

    def open(self, address: str) -> bool:
        """What a browser would do."""
        self.opened.append(address)
        self.text = self.file.read_text()
        return True

    @property
    def file(self) -> Path:
        """The one file that was opened."""
        (address,) = self.opened
        parts = urlsplit(address)
        assert parts.scheme == "file"
        path = unquote(parts.path)
        return Path(path.lstrip("/") if sys.platform == "win32" else path)


def test_a_browser_gets_a_file_that_forwards(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    from toolpass import _watch

    real = threading.Timer

    def timer(seconds: float, call: Any) -> threading.Timer:
        assert seconds == _watch.FORGET_AFTER == 30.0
        waits.append(call)
        return real(3600, lambda: None)

    waits: list[Any] = []
    monkeypatch.setattr(threading, "Timer", timer)
    browser = Browser(monkeypatch)
    with watch(kit, open_browser=True) as page:
        token = page.url.split("/t/")[1].strip("/")
        assert token not in browser.opened[0]
        assert f'content="0;url={page.url}"' in browser.text
        if sys.platform != "win32":
            assert stat.S_IMODE(browser.file.stat().st_mode) == 0o600
            assert stat.S_IMODE(browser.file.parent.stat().st_mode) == 0o700
        (forget,) = waits
        forget()
        assert not browser.file.exists()
        assert not browser.file.parent.exists()
        forget()
