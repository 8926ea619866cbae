"""The live page in a real browser, while tools run.

`TOOLPASS_SCREENSHOTS=FOLDER` keeps the pictures of the guide in that folder.
"""

from __future__ import annotations

import http.server
import json
import os
import re
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import pytest

from support import browser as browsers
from support.kits import dana, refused
from support.standin import ROOT, _example
from toolpass import Session, Toolkit, Watch, watch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Locator, Page

    from support.standin import GithubStandin

if browsers.program() is None:
    pytest.skip(
        "NO BROWSER: the live page was not tested; install chromium or name it in TOOLPASS_CHROMIUM",
        allow_module_level=True,
    )

from playwright.sync_api import expect

# How long a machine may take that has other work; what holds shows as soon as it does.
expect.set_options(timeout=60_000)


class Tools:
    """A watched toolkit and its tools."""

    def __init__(self) -> None:
        self.toolkit = kit = Toolkit(audit=None)
        self.go_on = threading.Event()

        @kit.tool(effect="read", scope={"repo": "acme/*"})
        def look(repo: str) -> None: ...

        @kit.tool(effect="write")
        def fail() -> None:
            raise ValueError("no")

        @kit.tool(effect="read")
        def wait() -> None:
            assert self.go_on.wait(60)

        self.look, self.fail, self.wait = look, fail, wait


@pytest.fixture
def tools() -> Tools:
    """Tools that send nothing."""
    return Tools()


@pytest.fixture
def watched(tools: Tools) -> Iterator[Watch]:
    """Their page."""
    with watch(tools.toolkit) as page:
        yield page


@pytest.fixture
def office(github: GithubStandin, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The agent of `examples/watch_agent.py`, and its page as `page`."""
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    example = _example("watch_agent")
    server, chat = example.chat_server()
    made = example.Office(github, chat)
    made.work = lambda: example.work(made, 0)
    with watch(made.toolkit) as made.page:
        yield made
    server.shutdown()
    server.server_close()


def calls(page: Page) -> Locator:
    """The rows."""
    return page.locator("#list > li")


def number(page: Page, name: str) -> Locator:
    """A number of the head."""
    return page.locator(f"#n-{name}")


def test_rows_appear_while_tools_run(tools: Tools, watched: Watch, open_page: Any) -> None:
    page = open_page(watched.url)
    expect(page.locator("#state-text")).to_have_text("Live")
    expect(page.locator("#empty-title")).to_have_text("No calls yet")

    def run() -> None:
        with dana().active():
            tools.wait()

    thread = threading.Thread(target=run)
    thread.start()
    expect(calls(page)).to_have_count(1)
    row = calls(page).first
    expect(row.locator(".outcome")).to_contain_text("Running")
    expect(row.locator(".where")).to_have_text("No request so far")
    expect(number(page, "calls-note")).to_have_text("by 1 person, 1 running")
    row.locator("summary").click()
    row.evaluate("node => { node.marked = true }")
    tools.go_on.set()
    thread.join()
    expect(row.locator(".outcome")).to_contain_text("Went through")
    assert row.evaluate("node => node.marked"), "the row was made anew"
    expect(row.locator("details")).to_have_attribute("open", "")
    with dana().active():
        tools.look("acme/shop")
    expect(calls(page)).to_have_count(2)
    expect(calls(page).first.locator(".tool")).to_have_text("look")
    expect(number(page, "ran")).to_have_text("2")
    expect(page.locator("#said")).to_contain_text("new call")


def test_numbers_chips_and_search_narrow_the_list(tools: Tools, watched: Watch, open_page: Any) -> None:
    with dana().active():
        tools.look("acme/shop")
        refused(lambda: tools.look("evil/shop"))
        with pytest.raises(ValueError, match="no"):
            tools.fail()
    with Session("sam@example.com").active():
        tools.look("acme/docs")
    page = open_page(watched.url)
    expect(calls(page)).to_have_count(4)
    for name, value in [("calls", 4), ("ran", 2), ("refused", 1)]:
        expect(number(page, name)).to_have_text(str(value))
    expect(number(page, "refused-note")).to_have_text("1 before the tool ran")
    page.get_by_role("button", name="Refused").first.click()
    expect(calls(page)).to_have_count(1)
    expect(page.locator(".number[aria-pressed=true]")).to_contain_text("Refused")
    expect(page.locator("#shown")).to_have_text("1 of 4")
    page.locator(".number").first.click()
    expect(calls(page)).to_have_count(4)
    page.locator(".chip.person", has_text="sam@").click()
    expect(calls(page)).to_have_count(1)
    page.locator(".chip.clear").click()
    expect(calls(page)).to_have_count(4)
    page.locator(".chip.failed").click()
    expect(calls(page)).to_have_count(1)
    expect(calls(page).locator(".where")).to_have_text("The tool raised ValueError")
    page.keyboard.press("Escape")
    for said, count in [
        ("DOCS", 1),
        ("sam@example", 1),
        ("fail", 1),
        ("outside what", 1),
        ("nothing fits", 0),
        ("", 4),
    ]:
        page.locator("#search").fill(said)
        expect(calls(page)).to_have_count(count)


def test_a_refused_request_shows_why_and_that_it_was_never_sent(office: Any, open_page: Any) -> None:
    assert "not_authorized" in office.work()
    page = open_page(office.page.url)
    row = page.locator("#list > li[data-kind=refused]", has_text="propose_fix")
    expect(row.locator(".where")).to_have_text("Stopped at github: open a pull request on acme/shop")
    row.locator("summary").click()
    expect(row.locator(".stop .below code")).to_have_text("not_authorized")
    expect(row.locator(".stop")).to_contain_text("The refused request was never sent.")
    first, second = row.locator(".request").all()
    expect(first).to_contain_text("Read acme/shop")
    expect(first).to_contain_text("as the agent")
    expect(first.locator(".verdict")).to_contain_text("Allowed")
    expect(second).to_contain_text("Open a pull request on acme/shop")
    expect(second).to_contain_text("sends out")
    expect(second).to_contain_text("github:pr.create")
    expect(second.locator(".line")).to_contain_text("POST")
    expect(second.locator(".verdict")).to_contain_text("Refused")
    expect(second.locator(".never")).to_have_text("Never sent.")
    expect(row.locator(".facts")).to_contain_text("Fix the checkout in Safari")
    unknown = page.locator("#list > li", has_text="post_message").first
    unknown.locator("summary").click()
    expect(unknown.locator(".verdict")).to_contain_text("Not checked")
    expect(unknown).to_contain_text("unknown host")


def test_a_running_call_shows_its_requests_as_they_are_made(office: Any, open_page: Any) -> None:
    page = open_page(office.page.url)
    steps = [threading.Event(), threading.Event()]

    @office.toolkit.tool(effect="read")
    def tour() -> None:
        for step, repo in zip(steps, ("acme/shop", "acme/site"), strict=True):
            office._api("GET", f"/repos/{repo}")
            assert step.wait(60)

    def run() -> None:
        with Session("admin@example.com").active():
            tour()

    thread = threading.Thread(target=run)
    thread.start()
    row = calls(page).first
    row.locator("summary").click()
    expect(row.locator(".request .sentence")).to_have_text(["Read acme/shop outside text"])
    expect(row.locator(".outcome")).to_contain_text("Running")
    expect(page.locator("[data-node='2:github']")).to_contain_text("1 request")
    steps[0].set()
    expect(row.locator(".request")).to_have_count(2)
    expect(row.locator(".outcome")).to_contain_text("Running")
    steps[1].set()
    thread.join()
    expect(row.locator(".outcome")).to_contain_text("Went through")
    expect(calls(page)).to_have_count(1)


def test_the_map_leads_from_tools_to_systems(office: Any, open_page: Any) -> None:
    office.work()
    page = open_page(office.page.url)
    github = page.locator("[data-node='2:github']")
    expect(github).to_contain_text("refused")
    expect(page.locator(".link.refused").last).to_be_attached()
    page.locator("[data-node='1:merge']").hover()
    expect(page.locator("#map-body")).to_have_class(re.compile("lit"))
    expect(github).to_have_class(re.compile(r"\bon\b"))
    expect(page.locator("[data-node^='2:localhost']")).not_to_have_class(re.compile(r"\bon\b"))
    page.locator("[data-node^='2:localhost']").click()
    expect(calls(page)).to_have_count(2)
    expect(page.locator(".chip.system")).to_contain_text("system: localhost")
    page.locator("[data-node^='2:localhost']").click()
    page.locator("[data-node='1:merge']").click()
    expect(calls(page)).to_have_count(1)
    page.locator(".chip.tool").click()
    expect(calls(page)).to_have_count(14)


def test_everything_is_reached_with_the_keyboard(office: Any, open_page: Any) -> None:
    office.work()
    page = open_page(office.page.url)
    expect(calls(page)).to_have_count(14)
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    seen = []
    for _ in range(60):
        page.keyboard.press("Tab")
        seen.append(
            page.evaluate(
                "document.activeElement.className || document.activeElement.id || document.activeElement.tagName"
            )
        )
    for wanted in ["number", "node", "search", "SUMMARY"]:
        assert any(wanted in one for one in seen), (wanted, seen)
    page.locator("h1").click()
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_focused()
    page.keyboard.type("merge")
    expect(calls(page)).to_have_count(1)
    page.keyboard.press("Escape")
    expect(calls(page)).to_have_count(14)
    first, second = calls(page).locator("summary").nth(0), calls(page).locator("summary").nth(1)
    first.focus()
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    page.keyboard.press("ArrowDown")
    expect(second).to_be_focused()
    page.keyboard.press("Enter")
    expect(calls(page).nth(1).locator("details")).to_have_attribute("open", "")
    page.keyboard.press("ArrowUp")
    expect(first).to_be_focused()
    node = page.locator("[data-node='1:merge']")
    node.focus()
    page.keyboard.press("Enter")
    expect(calls(page)).to_have_count(1)
    expect(node).to_be_focused()
    expect(node).to_have_attribute("aria-pressed", "true")


def test_a_screen_reader_finds_names_and_states(tools: Tools, watched: Watch, open_page: Any) -> None:
    with dana().active():
        tools.look("acme/shop")
    page = open_page(watched.url)
    expect(calls(page)).to_have_count(1)
    expect(page.get_by_role("banner")).to_be_attached()
    expect(page.get_by_role("main")).to_be_attached()
    expect(page.get_by_role("status").first).to_have_text("Live")
    expect(page.get_by_role("searchbox", name=re.compile("Search tool"))).to_be_attached()
    expect(page.get_by_role("button", name=re.compile("Went through"), pressed=False).first).to_be_attached()
    expect(page.get_by_role("heading", name=re.compile("Calls"))).to_be_attached()
    expect(page.get_by_role("list")).to_have_count(1)
    assert page.evaluate("document.documentElement.lang") == "en"
    nameless = """[...document.querySelectorAll("button, summary, input, a")].filter(
        (one) => one.checkVisibility() && !(one.innerText || one.ariaLabel || one.labels?.length))"""
    assert page.evaluate(f"{nameless}.length") == 0


def luminance(colour: str) -> float:
    """How light a colour is, as WCAG counts it."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


COLOURS = """() => [...document.querySelectorAll(
    ".label, .value, .note, .tool, .who, .where, .outcome, .when, .chip, .name, .numbers-of, .bad, " +
    ".why, .below, .never, .verdict, .sentence, .tag, .line code, dt, dd"
)].filter((one) => one.checkVisibility()).map((one) => {
    let behind = one;
    while (behind && getComputedStyle(behind).backgroundColor === "rgba(0, 0, 0, 0)") behind = behind.parentElement;
    const ground = getComputedStyle(behind ?? document.body).backgroundColor;
    return [one.className || one.tagName, getComputedStyle(one).color, ground];
})"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_text_stands_out_in_both_schemes(office: Any, open_page: Any, scheme: str) -> None:
    office.work()
    page = open_page(office.page.url, color_scheme=scheme)
    expect(calls(page)).to_have_count(14)
    page.locator("#list > li[data-kind=refused] summary").first.click()
    expect(page.locator(".stop").first).to_be_visible()
    is_dark = luminance(page.evaluate("getComputedStyle(document.body).backgroundColor")) < 0.2
    assert is_dark == (scheme == "dark")
    for name, ink, ground in page.evaluate(COLOURS):
        light, dark = sorted((luminance(ink), luminance(ground)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, (name, ink, ground)


@pytest.mark.parametrize("width", [360, 390, 760])
def test_a_narrow_page_does_not_scroll_sideways(office: Any, open_page: Any, width: int) -> None:
    office.work()
    page = open_page(office.page.url, viewport={"width": width, "height": 800})
    expect(calls(page)).to_have_count(14)
    for summary in page.locator("#list > li[data-kind=refused] summary").all():
        summary.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    first = calls(page).first
    assert first.locator(".where").bounding_box()["y"] > first.locator(".what").bounding_box()["y"]  # type: ignore[index]


ATTACKS = [
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "</script><svg onload=alert(1)>",
    "javascript:alert(1)",
    "{{constructor.constructor('alert(1)')()}}",
    "\"><iframe srcdoc='<script>alert(1)</script>'>",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_field_can_put_anything_but_text_on_the_page(attack: str, open_page: Any) -> None:
    kit = Toolkit(audit=None, unknown_hosts="allow")

    @kit.tool(name=attack)
    def look(value: object) -> None:
        raise type(attack.replace("\0", ""), (ValueError,), {})

    hostile = {attack: [attack, {attack: attack}], "__proto__": {"polluted": attack}}
    session = Session("dana@example.com", id=attack)
    with watch(kit) as watched, session.active():
        with pytest.raises(ValueError):
            look(hostile)
        page = open_page(watched.url)
        expect(calls(page)).to_have_count(1)
        calls(page).locator("summary").click()
        expect(page.locator(".tool")).to_have_text(attack)
        expect(page.locator(".facts")).to_contain_text(attack)
        page.locator("#search").fill(attack)
        expect(calls(page)).to_have_count(1)
        assert page.locator("#list img, #list iframe, #list script, #list [onload], #list [onerror]").count() == 0
        assert page.evaluate("({}).polluted") is None
        assert open_page.wrong == []


def test_the_policy_stops_what_would_get_in_all_the_same(watched: Watch, open_page: Any) -> None:
    page = open_page(watched.url)
    got = page.evaluate(
        """() => new Promise((done) => {
            const got = [];
            addEventListener("securitypolicyviolation", (event) => {
                got.push(event.effectiveDirective);
                if (got.length === 2) done(got);
            });
            const script = document.createElement("script");
            script.textContent = "window.ran = true";
            document.body.append(script);
            const picture = document.createElement("img");
            picture.src = "/x.png";
            document.body.append(picture);
        })"""
    )
    assert page.evaluate("window.ran") is None
    assert {one.removesuffix("-elem") for one in got} == {"script-src", "img-src"}
    open_page.wrong.clear()


def test_what_cannot_be_seen_is_written_out(tools: Tools, watched: Watch, open_page: Any) -> None:
    with dana().active():
        refused(lambda: tools.look("acme/\u202egpj\u200b\ud800"))
    page = open_page(watched.url)
    calls(page).locator("summary").click()
    expect(page.locator(".facts")).to_contain_text("acme/\\u{202e}gpj\\u{200b}\ufffd")


def test_many_calls_are_shown_sixty_at_a_time(tools: Tools, watched: Watch, open_page: Any) -> None:
    with dana().active():
        for _ in range(130):
            tools.look("acme/shop")
    page = open_page(watched.url)
    expect(calls(page)).to_have_count(60)
    expect(page.locator("#shown")).to_have_text("130")
    page.get_by_role("button", name="Show 60 more").click()
    expect(calls(page)).to_have_count(120)
    page.get_by_role("button", name="Show 10 more").click()
    expect(calls(page)).to_have_count(130)
    expect(page.locator("#more")).to_be_hidden()


def test_odd_rows_do_not_break_the_page(open_page: Any) -> None:
    odd = [
        {},
        None,
        7,
        {"seq": 3, "tool": None, "outcome": None, "actions": "no list", "time": "never", "duration_ms": "x"},
        {"seq": 4, "tool": {"a": 1}, "outcome": "strange", "actions": [None, 1, {}, {"outcome": "refused"}], "user": 5},
        {"seq": 5, "tool": "x" * 100_000, "outcome": "ran", "arguments": [[[1]]], "reason": {"deep": [1]}},
    ]
    with Dashboard(lambda _: odd) as server:
        page = open_page(server.url)
        expect(calls(page)).to_have_count(4)
        for summary in calls(page).locator("summary").all():
            summary.click()
        expect(calls(page).locator("text=strange")).to_have_count(1)


class Dashboard:
    """A server that answers as a dashboard does: with a key, of several servers, without a stream."""

    def __init__(self, rows: Any, key: str | None = None) -> None:
        self.rows, self.key, self.epoch = rows, key, "one"
        self.assets = ROOT / "crates" / "toolpass-page" / "assets"
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                owner.answer(self)

            def log_message(self, *_: object) -> None: ...

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/dashboard/"

    def __enter__(self) -> Dashboard:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, request: http.server.BaseHTTPRequestHandler) -> None:
        """A file, or the rows."""
        name, _, query = request.path.removeprefix("/dashboard/").partition("?")
        kinds = {"js": "text/javascript", "css": "text/css", "": "text/html"}
        if name == "events":
            if self.key and request.headers["Authorization"] != f"Bearer {self.key}":
                return self.send(request, 401, "{}", "application/json")
            since = int(parse_qs(query).get("since", ["0"])[0])
            rows = self.rows(since)
            last = max([since, *(row["seq"] for row in rows if isinstance(row, dict) and "seq" in row)])
            answer = {"kind": "dashboard", "title": "toolpass", "epoch": self.epoch, "events": rows, "next": last}
            return self.send(request, 200, json.dumps(answer), "application/json")
        file = self.assets / (name or "page.html")
        if "/" in name or not file.is_file():
            return self.send(request, 404, "", "text/plain")
        return self.send(request, 200, file.read_text(), kinds[name.rpartition(".")[2] if name else ""])

    def send(self, request: http.server.BaseHTTPRequestHandler, status: int, text: str, kind: str) -> None:
        """Send an answer."""
        body = text.encode()
        request.send_response(status)
        request.send_header("Content-Type", f"{kind}; charset=utf-8")
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)


def reported(server: str, seq: int, **more: Any) -> dict[str, Any]:
    """A run as a server keeps it."""
    return {"seq": seq, "server": server, "at": 1_790_000_000 + seq, "tool": "look", "outcome": "ran", **more}


def test_a_dashboard_asks_for_its_key_and_shows_servers(open_page: Any) -> None:
    runs = [reported("shop", 1, id="a"), reported("desk", 2, id="b", outcome="handoff"), reported("desk", 3, id="c")]
    with Dashboard(lambda since: [run for run in runs if run["seq"] > since], key="k-123") as server:
        page = open_page(server.url)
        dialog = page.get_by_role("dialog", name="API key")
        expect(dialog).to_be_visible()
        page.get_by_label("Key", exact=True).fill("wrong")
        page.keyboard.press("Enter")
        expect(dialog).to_be_visible()
        page.get_by_label("Key", exact=True).fill("k-123")
        page.keyboard.press("Enter")
        expect(calls(page)).to_have_count(3)
        expect(page.locator("#subtitle")).to_have_text("dashboard")
        expect(number(page, "calls")).to_have_text("2")
        expect(page.locator(".map-head")).to_contain_text("Servers")
        page.locator("[data-node='0:shop']").click()
        expect(calls(page)).to_have_count(1)
        page.reload()
        # The address of a dashboard keeps what was selected.
        expect(calls(page)).to_have_count(1)
        page.keyboard.press("Escape")
        expect(calls(page)).to_have_count(3)


def test_a_key_in_the_address_is_used_and_removed(open_page: Any) -> None:
    with Dashboard(lambda since: [reported("shop", 1)][since:], key="k-123") as server:
        page = open_page(f"{server.url}#key=k-123")
        expect(calls(page)).to_have_count(1)
        assert "key" not in page.url


def test_a_server_that_began_anew_is_followed_from_its_start(open_page: Any) -> None:
    before, after = [reported("shop", seq, id=f"b{seq}") for seq in range(1, 6)], [reported("shop", 1, id="a1")]
    current = {"rows": before}
    with Dashboard(lambda since: [row for row in current["rows"] if row["seq"] > since]) as server:
        page = open_page(server.url)
        expect(calls(page)).to_have_count(5)
        current["rows"] = after
        server.epoch = "two"
        expect(calls(page)).to_have_count(1)


def test_the_page_says_that_it_is_disconnected_and_comes_back(tools: Tools, open_page: Any) -> None:
    with watch(tools.toolkit) as watched:
        page = open_page(watched.url)
        with dana().active():
            tools.look("acme/shop")
        expect(calls(page)).to_have_count(1)
        page.context.set_offline(True)
        address = re.compile(r"/events")
        page.route(address, lambda route: route.abort())
    expect(page.locator("#state-text")).to_have_text("Disconnected, trying again")
    expect(page.locator("#state")).to_have_attribute("data-state", "lost")
    expect(calls(page)).to_have_count(1)
    page.unroute(address)
    page.context.set_offline(False)
    rows = [{"seq": 1, "id": "n", "tool": "anew", "outcome": "ran"}]
    answer = {"kind": "toolkit", "title": "toolpass", "epoch": "other", "events": rows, "next": 1}
    page.route(re.compile("/events/stream"), lambda route: route.fulfill(status=404))
    page.route(re.compile(r"/events\?"), lambda route: route.fulfill(json=answer))
    expect(page.locator("#state-text")).to_have_text("Live")
    expect(calls(page).locator(".tool")).to_have_text("anew")


def test_pictures_for_the_guide(office: Any, open_page: Any, tmp_path: Path) -> None:
    folder = Path(os.environ.get("TOOLPASS_SCREENSHOTS", tmp_path))
    office.work()
    go_on = threading.Event()
    running = office.toolkit.tool(name="weekly_report", effect="read")(lambda: go_on.wait(60))

    def run() -> None:
        with Session("admin@example.com").active():
            running()

    thread = threading.Thread(target=run)
    thread.start()
    for name, options, selector in [
        ("light", {"viewport": {"width": 1200, "height": 1010}}, None),
        ("dark", {"viewport": {"width": 1200, "height": 1010}, "color_scheme": "dark"}, "propose_fix"),
        ("phone", {"viewport": {"width": 390, "height": 844}}, "propose_fix"),
    ]:
        page = open_page(office.page.url, **options)
        expect(calls(page)).to_have_count(15)
        if selector:
            row = page.locator("#list > li[data-kind=refused]", has_text=selector)
            row.locator("summary").click()
            row.evaluate("(node) => scrollTo(0, node.getBoundingClientRect().top + scrollY - 130)")
        picture = page.screenshot(path=folder / f"watch-{name}.png", animations="disabled")
        assert 10_000 < len(picture) < 200_000
    go_on.set()
    thread.join()
