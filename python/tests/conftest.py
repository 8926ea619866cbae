"""What every test module may use: the stand-in GitHub, and a default toolkit put back after each test."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import toolpass

sys.path.insert(0, str(Path(__file__).parent))

from support.server import Certificates, Server
from support.standin import GithubStandin

if TYPE_CHECKING:
    from collections.abc import Iterator


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
