"""What every test module may use: the stand-in GitHub, and a default toolkit put back after each test."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import toolpass

sys.path.insert(0, str(Path(__file__).parent))

from support.server import Certificates, Server
from support.standin import GithubStandin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="session")
def _github() -> Iterator[GithubStandin]:
    with GithubStandin() as standin:
        yield standin


@pytest.fixture
def github(_github: GithubStandin) -> GithubStandin:
    """The stand-in GitHub in its first world, with nothing arrived yet."""
    _github.reset()
    return _github


@pytest.fixture
def engine(github: GithubStandin) -> toolpass.Toolpass:
    """An engine that asks the stand-in as its App."""
    return toolpass.Toolpass(connections=[github.connection()])


@pytest.fixture
def configure() -> Iterator[type[toolpass.configure]]:
    """`toolpass.configure`, undone afterwards."""
    yield toolpass.configure
    toolpass.configure()


@pytest.fixture(scope="session")
def certificates() -> Certificates:
    """The certificates of this run."""
    return Certificates()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One browser for all tests."""
    from support import browser

    with browser.chromium() as running:
        yield running


@pytest.fixture
def open_page(chromium: Browser) -> Iterator[Any]:
    """Opens a page in a context of its own, and holds it to saying nothing wrong."""
    contexts = []
    wrong: list[str] = []

    def opened(url: str, **options: Any) -> Page:
        context = chromium.new_context(**{"viewport": {"width": 1200, "height": 900}, **options})
        context.set_default_timeout(60_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        page.on("dialog", lambda dialog: wrong.append(dialog.message))
        page.goto(url)
        return page

    opened.wrong = wrong  # type: ignore[attr-defined]
    yield opened
    for context in contexts:
        context.close()
    # An answer that did not come is the page's to deal with, and each test says what it does then.
    assert [text for text in wrong if not text.startswith("Failed to load resource")] == []


@pytest.fixture
def server() -> Iterator[Server]:
    """A server that counts."""
    with Server() as running:
        yield running


@pytest.fixture
def tls_server(certificates: Certificates) -> Iterator[Server]:
    """A server that counts, over TLS."""
    with Server(certificates.server()) as running:
        yield running


@pytest.fixture
def elsewhere(server: Server) -> Iterator[Server]:
    """A server of nobody's, whose redirects lead to `server`."""
    with Server() as running:
        running.elsewhere = server.url
        yield running


@pytest.fixture
def proxy() -> Iterator[Server]:
    """A proxy that counts: it answers absolute targets itself and tunnels."""
    with Server() as running:
        yield running
