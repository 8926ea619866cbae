"""The dashboard of a real `toolpass serve` in a real browser, while runs are reported to it.

`TOOLPASS_SCREENSHOTS=FOLDER` keeps the pictures of the guide in that folder.
"""

from __future__ import annotations

import contextlib
import csv
import json
import os
import urllib.error
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

from support import browser as browsers
from support.serving import PEOPLE, Serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Locator, Page

if browsers.program() is None:
    pytest.skip(
        "NO BROWSER: the dashboard was not tested; install chromium or name it in TOOLPASS_CHROMIUM",
        allow_module_level=True,
    )

from playwright.sync_api import expect

expect.set_options(timeout=60_000)


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Serving]:
    """A server with nothing reported yet."""
    server = Serving(tmp_path / "serving")
    yield server
    server.kill()


def request(action: str, repo: str, outcome: str = "allowed", **more: Any) -> dict[str, Any]:
    return {
        "method": "POST",
        "host": "api.github.com",
        "path": f"/repos/{repo}",
        "connection": "github",
        "integration": "github",
        "action": f"github:{action}",
        "resource": f"repo:{repo}",
        "outcome": outcome,
        **more,
    }


def run(tool: str = "open_pr", user: str = "dana@acme.com", outcome: str = "ran", **more: Any) -> dict[str, Any]:
    return {
        "id": str(uuid.uuid4()),
        "tool": tool,
        "user": user,
        "outcome": outcome,
        "duration_ms": 12.5,
        "actions": [request("pr.create", "acme/shop")],
        **more,
    }


def calls(page: Page) -> Locator:
    """The rows."""
    return page.locator("#list > li")


def query(page: Page) -> dict[str, list[str]]:
    """The selection in the page's address."""
    return parse_qs(urlsplit(page.url).query)


def test_runs_of_several_servers_appear_as_they_come(serving: Serving, open_page: Any) -> None:
    serving.report([run()], server="shop")
    page = open_page(serving.page)
    expect(calls(page)).to_have_count(1)
    expect(page.locator("#subtitle")).to_have_text("dashboard")
    expect(page.locator("#state-text")).to_have_text("Live")
    assert "#" not in page.url
    assert PEOPLE not in page.url
    serving.report([run(tool="send_mail", outcome="refused", code="denied", reason="may not")], server="desk")
    expect(calls(page)).to_have_count(2)
    expect(calls(page).first.locator(".who")).to_have_text("dana@acme.com · desk")
    expect(page.locator("#n-refused")).to_have_text("1")
    expect(page.locator("#map-head")).to_contain_text("Servers")
    calls(page).nth(1).locator("summary").click()
    detail = calls(page).nth(1).locator(".detail")
    expect(detail.locator(".sentence bdi")).to_have_text("Open a pull request on acme/shop")
    expect(detail.locator("dl").last).to_contain_text("agents")


def test_a_key_is_asked_for_and_a_wrong_one_is_said(serving: Serving, open_page: Any) -> None:
    serving.report([run()])
    page = open_page(f"{serving.url}/dashboard/")
    dialog = page.locator("#key")
    expect(dialog).to_be_visible()
    expect(page.locator("#key-why")).to_have_text("")
    page.locator("#key-input").fill("wrong")
    page.keyboard.press("Enter")
    expect(page.locator("#key-why")).to_have_text("That key is not accepted.")
    page.locator("#key-input").fill((serving.folder / "agents").read_text())
    page.keyboard.press("Enter")
    expect(page.locator("#key-why")).to_contain_text("lacks the scope")
    page.locator("#key-input").fill(PEOPLE)
    page.keyboard.press("Enter")
    expect(calls(page)).to_have_count(1)
    page.reload()
    expect(calls(page)).to_have_count(1)


def test_a_filter_finds_what_is_older_than_what_the_page_holds(serving: Serving, open_page: Any) -> None:
    serving.report([run(tool="rare", user="sam@acme.com")])
    for _ in range(20):
        serving.report([run() for _ in range(500)])
    page = open_page(serving.page)
    expect(calls(page)).to_have_count(60)
    expect(page.locator("#shown")).to_have_text("500")
    page.locator("#search").fill("RARE")
    expect(calls(page)).to_have_count(1)
    expect(page.locator("#archive-state")).to_have_text("Everything that fits is shown.")
    assert query(page) == {"q": ["rare"]}
    page.keyboard.press("Escape")
    expect(calls(page)).to_have_count(60)
    assert query(page) == {}


def test_older_runs_come_page_by_page(serving: Serving, open_page: Any) -> None:
    for number in range(3):
        serving.report([run(tool=f"tool_{number}") for _ in range(300)])
    page = open_page(serving.page)
    expect(page.locator("#shown")).to_have_text("500")
    for shown in [*range(120, 500, 60), 500]:
        page.locator("#more").click()
        expect(calls(page)).to_have_count(shown)
    expect(page.locator("#more")).to_have_text("Look for older ones")
    page.locator("#more").click()
    expect(page.locator("#shown")).to_have_text("900")
    expect(page.locator("#archive-state")).to_have_text("Everything is shown.")
    expect(page.locator("#more")).to_have_text("Show 60 more")


def test_an_address_leads_to_one_call_and_holds_no_key(serving: Serving, open_page: Any) -> None:
    wanted = run(tool="wanted", outcome="refused", code="denied", reason="may not")
    serving.report([wanted])
    for _ in range(2):
        serving.report([run() for _ in range(300)])
    page = open_page(f"{serving.url}/dashboard/?id={wanted['id']}#key={PEOPLE}")
    expect(calls(page)).to_have_count(1)
    expect(calls(page).first.locator(".tool")).to_have_text("wanted")
    expect(calls(page).first.locator(".detail .why")).to_have_text("may not")
    link = calls(page).first.locator(".link-to")
    assert link.get_attribute("href") == f"?id={wanted['id']}"
    assert PEOPLE not in page.url
    assert PEOPLE not in page.content()


def test_a_time_range_bounds_the_list(serving: Serving, open_page: Any) -> None:
    serving.report([run()])
    page = open_page(serving.page)
    expect(calls(page)).to_have_count(1)
    page.locator("#from").fill("2020-01-01T00:00:00")
    expect(calls(page)).to_have_count(1)
    page.locator("#to").fill("2020-01-02T00:00:00")
    expect(calls(page)).to_have_count(0)
    assert query(page)["to"]
    page.locator(".chip.clear").click()
    expect(calls(page)).to_have_count(1)


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_what_fits_is_saved_as_a_file(serving: Serving, open_page: Any, tmp_path: Path, form: str) -> None:
    serving.report([run(tool="=cmd()", outcome="refused"), *(run() for _ in range(499))])
    serving.report([run() for _ in range(500)])
    page = open_page(serving.page)
    expect(page.locator("#shown")).to_have_text("500")
    for refused in (False, True):
        if refused:
            page.locator(".number[data-outcome=refused]").click()
            expect(calls(page)).to_have_count(1)
        with page.expect_download() as download:
            page.locator(f"#{form}").click()
        saved = tmp_path / f"{refused}.{form}"
        download.value.save_as(saved)
        text = saved.read_text()
        lines = text.splitlines()
        rows = list(csv.DictReader(lines)) if form == "csv" else [json.loads(one) for one in lines]
        assert len(rows) == (1 if refused else 1000)
        tool = rows[-1]["tool"]
        assert tool == ("'=cmd()" if form == "csv" else "=cmd()")


def test_a_restart_of_the_server_is_no_end(serving: Serving, open_page: Any) -> None:
    serving.report([run(tool="before")])
    page = open_page(serving.page)
    expect(calls(page)).to_have_count(1)
    serving.kill()
    expect(page.locator("#state-text")).to_have_text("Disconnected, trying again")
    serving.start()
    expect(page.locator("#state-text")).to_have_text("Live")
    serving.report([run(tool="after")])
    expect(calls(page)).to_have_count(2)
    expect(calls(page).first.locator(".tool")).to_have_text("after")


HOSTILE = '"><img src=x onerror=alert(1)><script>alert(1)</script>\u202e'


def test_nothing_that_is_reported_is_run(serving: Serving, open_page: Any) -> None:
    both = ["reason", "effect"]
    action = dict.fromkeys(["method", "host", "path", "connection", "action", "resource", "note", *both], HOSTILE)
    event = dict.fromkeys(["id", "tool", "user", "code", "session", "authorization", "time", "parent", *both], HOSTILE)
    serving.report(
        [{**event, "outcome": HOSTILE, "arguments": {HOSTILE: HOSTILE}, "actions": [{**action, "outcome": "refused"}]}],
        server=HOSTILE,
    )
    page = open_page(serving.page)
    expect(calls(page)).to_have_count(1)
    calls(page).first.locator("summary").click()
    expect(calls(page).first.locator(".detail dl").first).to_be_visible()
    assert page.locator("#list img, #list script, #map img, .chips img").count() == 0
    page.locator("#search").fill("onerror")
    expect(calls(page)).to_have_count(1)
    assert open_page.wrong == []


DECIDING = """
listen: {listen}
decision_log: none
api_keys:
  - {{name: shop-agent, key: file:agents, scopes: [check, report]}}
  - {{name: people, key: file:people, scopes: dashboard}}
server: {{{kept}, drain: 0s}}
connections:
  - {{id: warehouse, integration: fake, users: "dana@acme.com, sam@acme.com", admins: dana@acme.com}}
"""


@pytest.fixture
def deciding(tmp_path: Path) -> Iterator[Serving]:
    """A server that was asked nothing yet."""
    server = Serving(tmp_path / "deciding", config=DECIDING)
    yield server
    server.kill()


def ask(server: Serving, user: str, action: str, resource: str = "thing:1") -> dict[str, Any]:
    return server.ask("/v1/check", {"user": user, "connection": "warehouse", "action": action, "resource": resource})


def test_a_decision_shows_how_it_was_made(deciding: Serving, open_page: Any, tmp_path: Path) -> None:
    allowed = ask(deciding, "dana@acme.com", "thing.read")
    page = open_page(deciding.page)
    expect(page.locator("#state-text")).to_have_text("Live")
    # It leads nowhere, and takes no focus, until the page knows what it shows.
    expect(page.locator("#view-decisions")).to_have_attribute("href", "decisions/")
    expect(page.locator("#view-decisions")).to_be_visible()
    page.locator("#view-decisions").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_title("toolpass: decisions")
    expect(calls(page)).to_have_count(1)
    denied = ask(deciding, "sam@acme.com", "thing.admin")
    expect(calls(page)).to_have_count(2)
    expect(calls(page).first.locator(".word").first).to_have_text("Denied")
    expect(calls(page).last.locator(".word").first).to_have_text("Allowed")
    expect(page.locator("#n-calls")).to_have_text("2")
    page.locator(".number[data-outcome=refused]").click()
    expect(calls(page)).to_have_count(1)
    calls(page).first.locator("summary").click()
    detail = calls(page).first.locator(".detail")
    expect(detail).to_contain_text("fake:thing.admin on thing:1")
    expect(detail).to_contain_text("sam@acme.com")
    expect(detail).to_contain_text("stored decision")
    expect(detail).to_contain_text("shop-agent")
    assert detail.locator(".link-to").get_attribute("href") == f"?id={denied['id']}"
    folder = Path(os.environ.get("TOOLPASS_SCREENSHOTS", tmp_path))
    page.screenshot(path=folder / "dashboard-decisions.png")
    with page.expect_download() as download:
        page.locator("#csv").click()
    assert download.value.suggested_filename == "decisions.csv"
    rows = list(csv.DictReader(Path(download.value.path()).read_text().splitlines()))
    assert [row["outcome"] for row in rows] == ["deny"]
    page.goto(f"{deciding.url}/dashboard/decisions/?id={allowed['id']}")
    expect(calls(page)).to_have_count(1)
    expect(calls(page).first.locator(".detail")).to_contain_text("How it was decided")
    page.locator("#view-calls").click()
    expect(page).to_have_title("toolpass")
    expect(calls(page)).to_have_count(0)
    assert open_page.wrong == []


def test_nothing_that_is_asked_is_run(deciding: Serving, open_page: Any) -> None:
    for user, action, resource in [
        (HOSTILE, "thing.read", "thing:1"),
        ("dana@acme.com", HOSTILE, "thing:1"),
        ("dana@acme.com", "thing.read", f"thing:{HOSTILE}"),
    ]:
        # Some of it is no question, which is an answer too.
        with contextlib.suppress(urllib.error.HTTPError):
            ask(deciding, user, action, resource)
    page = open_page(f"{deciding.url}/dashboard/decisions/#key={PEOPLE}", viewport={"width": 390, "height": 844})
    expect(calls(page)).to_have_count(3)
    for number in range(3):
        calls(page).nth(number).locator("summary").click()
        expect(calls(page).nth(number).locator(".detail")).to_contain_text("How it was decided")
    assert page.locator("#list img, #list script, #map img, .chips img").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert open_page.wrong == []


def test_the_pictures_of_the_guide(serving: Serving, open_page: Any, tmp_path: Path) -> None:
    folder = Path(os.environ.get("TOOLPASS_SCREENSHOTS", tmp_path))
    people = ["dana@acme.com", "robin@acme.com", "sam@acme.com", "kim@acme.com"]
    for number in range(24):
        server, tool, action, repo = [
            ("shop-agent", "open_pull_request", "pr.create", "acme/shop"),
            ("support-desk", "answer_issue", "issue.create", "acme/support"),
            ("release-bot", "tag_release", "repo.push", "acme/shop"),
        ][number % 3]
        is_refused = number % 5 == 3
        reason = "the account has read access to acme/shop, and this needs write"
        refusal = {"code": "permission_denied", "reason": reason} if is_refused else {}
        verdict = refusal or {"sends_out": True}
        one = run(
            tool,
            people[number % 4],
            "refused" if is_refused else "ran",
            duration_ms=20 + 7 * number,
            actions=[
                {**request("repo.read", repo), "method": "GET"},
                request(action, repo, "refused" if is_refused else "allowed", **verdict),
            ],
            **refusal,
        )
        serving.report([one], server=server)
    for name, options, opened in [
        ("light", {"viewport": {"width": 1200, "height": 1010}}, False),
        ("dark", {"viewport": {"width": 1200, "height": 1010}, "color_scheme": "dark"}, True),
        ("phone", {"viewport": {"width": 390, "height": 844}}, True),
    ]:
        page = open_page(serving.page, **options)
        expect(calls(page)).to_have_count(24)
        if opened:
            row = page.locator("#list > li[data-kind=refused]").first
            row.locator("summary").click()
            row.scroll_into_view_if_needed()
        page.screenshot(path=folder / f"dashboard-{name}.png")
        assert (folder / f"dashboard-{name}.png").stat().st_size > 10_000
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= options["viewport"]["width"]
