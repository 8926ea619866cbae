"""The dashboard in a real browser at 10, 10 000 and 1 000 000 runs: `python benches/python/dashboard.py`.

Run it in the environment of the tests (`cargo xtask py` makes it, `target/venv`). A server with a SQLite file of its
own is started, runs are reported to it as toolkits do, and a headless Chromium opens the page. Milliseconds, one line a
size: the first row after the page was asked for; a run reported until its row is there; a person's runs (an index); a
word that is only in the oldest run (no index: all are looked through); the whole as a file. `--most 10000` leaves the
last size out.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python" / "tests"))

from playwright.sync_api import Page, expect, sync_playwright

from support import browser as browsers
from support.serving import Serving

PEOPLE_COUNT = 500
SYSTEMS = ("github", "jira", "slack", "linear", "kubernetes")
PATIENCE = 600_000


def run(number: int) -> dict[str, Any]:
    """A call as a toolkit reports it, with two requests."""
    system = SYSTEMS[number % len(SYSTEMS)]
    refused = number % 17 == 0
    return {
        "id": str(uuid.UUID(int=number)),
        "tool": "rarely_used" if number == 0 else f"tool_{number % 40}",
        "user": f"person{number % PEOPLE_COUNT}@example.com",
        "outcome": "refused" if refused else "ran",
        "code": "not_authorized" if refused else None,
        "reason": "not_permitted: the role is not enough" if refused else None,
        "duration_ms": number % 900,
        "actions": [
            {
                "method": method,
                "host": f"{system}.example.com",
                "path": f"/things/{number}",
                "connection": system,
                "integration": system,
                "action": f"{system}:thing.{verb}",
                "resource": f"thing:{number}",
                "outcome": "refused" if refused and verb == "write" else "allowed",
            }
            for method, verb in (("GET", "read"), ("POST", "write"))
        ],
    }


def fill(serving: Serving, have: int, want: int) -> float:
    """Report runs until there are so many; seconds."""
    began = time.monotonic()
    while have < want:
        batch = min(500, want - have)
        serving.report([{k: v for k, v in run(have + at).items() if v is not None} for at in range(batch)])
        have += batch
        if have % 50_000 == 0:
            print(f"  {have} runs, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    return time.monotonic() - began


def measure(serving: Serving, page: Page, count: int, folder: Path) -> list[float]:
    """The figures of one size, in milliseconds."""
    rows = page.locator("#list > li")
    figures = []

    def timed(began: float) -> None:
        figures.append((time.monotonic() - began) * 1000)

    began = time.monotonic()
    page.goto(serving.page)
    expect(rows.first).to_be_visible(timeout=PATIENCE)
    timed(began)
    began = time.monotonic()
    serving.report([{**run(10**9 + count), "tool": f"live_{count}"}])
    expect(rows.first.locator(".tool")).to_have_text(f"live_{count}", timeout=PATIENCE)
    timed(began)
    for address in ("user=person7@example.com", "q=rarely_used"):
        began = time.monotonic()
        page.goto(f"{serving.url}/dashboard/?{address}")
        expect(rows.first).to_be_visible(timeout=PATIENCE)
        timed(began)
    page.goto(f"{serving.url}/dashboard/")
    expect(rows.first).to_be_visible(timeout=PATIENCE)
    began = time.monotonic()
    with page.expect_download(timeout=PATIENCE) as download:
        page.locator("#jsonl").click()
    saved = folder / f"{count}.jsonl"
    download.value.save_as(saved)
    timed(began)
    with saved.open("rb") as file:
        assert sum(1 for _ in file) >= count
    return figures


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=1_000_000, help="the largest number of runs")
    most = parser.parse_args().most
    program = browsers.program()
    if program is None:
        sys.exit("no browser: install chromium or name it in TOOLPASS_CHROMIUM")
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        folder = Path(place)
        serving = Serving(folder / "serving")
        browser = playwright.chromium.launch(executable_path=str(program), args=["--no-sandbox"])
        print("| runs | reported per second | first row | live row | one person's | a rare word | saved as a file |")
        print("|---|---|---|---|---|---|---|")
        try:
            have = 0
            for count in (10, 10_000, 1_000_000):
                if count > most:
                    break
                seconds = fill(serving, have, count)
                pace, have = (count - have) / max(seconds, 1e-9), count
                with browser.new_context() as context:
                    page = context.new_page()
                    figures = measure(serving, page, count, folder)
                print(
                    f"| {count} | {pace:.0f} | " + " | ".join(f"{figure:.0f} ms" for figure in figures) + " |",
                    flush=True,
                )
        finally:
            browser.close()
            serving.kill()


if __name__ == "__main__":
    main()
