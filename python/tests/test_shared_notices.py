"""Two servers with one PostgreSQL tell each other what is to be forgotten: what was taken away counts on both."""

from __future__ import annotations

import time
import urllib.error
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from support.serving import PATIENCE, Serving
from support.stores import opened

if TYPE_CHECKING:
    from pathlib import Path


ASKED = """
listen: {listen}
decision_log: none
decision_cache_seconds: 1h
api_keys:
  - {{name: all, key: file:agents, scopes: [check, admin]}}
server: {{{kept}, drain: 0s, shutdown_grace: 0s}}
connections:
  - {{id: main, integration: fake, users: "dana@example.com, ada@example.com"}}
"""


def is_stored(server: Serving, user: str) -> bool:
    """Whether a server answers from what it keeps."""
    question = {"user": user, "connection": "main", "action": "thing.read", "resource": "thing:1"}
    answer = server.ask("/v1/check", question)
    assert answer["decision"] == "allow", answer
    return bool(answer["cached"])


def test_what_one_server_forgets_the_other_forgets_too(tmp_path: Path) -> None:
    with ExitStack() as stack:
        database = stack.enter_context(opened("postgresql", tmp_path / "database"))
        servers = []
        for name in ("one", "other"):
            folder = tmp_path / name
            folder.mkdir()
            (folder / "database").write_text(database.given)
            servers.append(Serving(folder, kept="runs_store: file:database", config=ASKED))
            stack.callback(servers[-1].kill)
        one, other = servers
        for user in ("dana@example.com", "ada@example.com"):
            assert not is_stored(other, user)
            assert is_stored(other, user)
        assert one.ask("/v1/invalidate", {"user": "Dana@Example.com"}) == {"invalidated": True}
        until = time.monotonic() + PATIENCE
        while is_stored(other, "dana@example.com"):
            assert time.monotonic() < until, "the other server was not told"
            time.sleep(0.05)
        # Nobody else is forgotten, and a server that starts later is not told of it again.
        assert is_stored(other, "ada@example.com")
        other.kill()
        other.start()
        assert not is_stored(other, "dana@example.com")
        assert is_stored(other, "dana@example.com")

        # Without the database only the one that is asked forgets, and says so.
        assert is_stored(one, "ada@example.com") or is_stored(one, "ada@example.com")
        assert database.kill is not None
        database.kill()
        with pytest.raises(urllib.error.HTTPError) as refused:
            one.ask("/v1/invalidate", {})
        assert refused.value.code == 503
        assert "the other servers could not be told" in refused.value.read().decode()
        assert not is_stored(one, "ada@example.com")
