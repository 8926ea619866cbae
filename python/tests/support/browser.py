"""A real browser: the machine's own Chromium, driven by Playwright's client."""

from __future__ import annotations

import contextlib
import os
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

#: Programs that are a Chromium, by the names systems give it.
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

#: A browser without a screen, a sandbox (CI runs as root) or any talk with anybody but the page.
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def program() -> str | None:
    """The browser's program: `TOOLPASS_CHROMIUM`, or the first of its names on the path."""
    named = os.environ.get("TOOLPASS_CHROMIUM")
    return named or next((found for name in NAMES if (found := shutil.which(name))), None)


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """A running browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program(), args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()
