"""The stand-ins for tests: started once a module, put back to their first world for each test.

Starting and asking it is the examples' own helper, `examples/_standin.py`; here is what only tests need.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any

import toolpass

ROOT = Path(__file__).resolve().parents[3]


def _example(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if TYPE_CHECKING:
    from examples._standin import Standin
else:
    Standin = _example("_standin").Standin

#: The world's people: `admin` owns the organization, `dana` and `sam` may read `acme/shop` and change nothing.
ADMIN, DANA, SAM = "admin@example.com", "dana@example.com", "sam@example.com"

#: How the journal names the tools' own login, and toolpass's.
AGENT, ENGINE, APP = "user:acme-agent", "installation:acme", "app"


class GithubStandin(Standin):
    """A stand-in GitHub Enterprise Server over TLS."""

    def __init__(self) -> None:
        super().__init__("github", "--tls", "--ghes")

    @property
    def api(self) -> str:
        """The base of its REST API."""
        return str(self.about["api_url"])

    @property
    def ca_file(self) -> str:
        """The certificate a client must trust."""
        return str(self.about["ca_file"])

    @property
    def token(self) -> str:
        """The tools' own login, which may do everything."""
        return str(self.about["token"])

    def reset(self) -> None:
        """Forget what arrived, what was to fail, and what changed."""
        self.control("POST", "reset")

    def fail(self, prefix: str, fault: Any, **rule: Any) -> None:
        """Let requests below `prefix` meet a fault, as `crates/toolpass-standin/src/faults.rs` spells it."""
        self.control("POST", "faults", {"prefix": prefix, "fault": fault, **rule})

    def heal(self) -> None:
        """No more faults."""
        self.control("DELETE", "faults")

    def arrived(self, by: str = AGENT) -> list[str]:
        """The requests of one credential, as `METHOD /path`."""
        return [f"{entry['method']} {entry['local_path']}" for entry in self.requests(by=by)]

    def connection(self, **changes: Any) -> dict[str, Any]:
        """A connection to it, with the App's credential.

        Args:
            changes: Keys to set; `None` leaves one out.
        """
        keys = {
            "id": "github",
            "integration": "github",
            "url": self.about["url"],
            "organization": self.about["organization"],
            "app_id": self.about["app_id"],
            "credential": f"file:{self.about['private_key_file']}",
            "ca_file": self.ca_file,
            "identity_mode": "template",
            "email_domains": "example.com",
            "timeout": "20s",
            **changes,
        }
        return {key: value for key, value in keys.items() if value is not None}

    def config(self, **changes: Any) -> str:
        """The same as the text of a `toolpass.yaml`."""
        lines = [f"    {key}: {value}" for key, value in self.connection(**changes).items()]
        return "decision_log: none\nconnections:\n  -\n" + "\n".join(lines) + "\n"


class JiraStandin(Standin):
    """A stand-in site of Jira Cloud over TLS."""

    def __init__(self) -> None:
        super().__init__("jira", "--tls")

    @property
    def url(self) -> str:
        """The site."""
        return str(self.about["url"])

    @property
    def ca_file(self) -> str:
        """The certificate a client must trust."""
        return str(self.about["ca_file"])

    @property
    def login(self) -> tuple[str, str]:
        """The tools' own login, which may do everything: an e-mail and a token."""
        return str(self.about["username"]), str(self.about["token"])

    def writes(self) -> list[str]:
        """What arrived that was no read, as `METHOD /path`; toolpass's own look-ups left out."""
        return [
            f"{entry['method']} {entry['local_path']}"
            for entry in self.requests()
            if entry["method"] != "GET" and entry["local_path"] != "/rest/api/3/permissions/check"
        ]

    def connection(self, **changes: Any) -> dict[str, Any]:
        """A connection to it.

        Args:
            changes: Keys to set; `None` leaves one out.
        """
        keys = {
            "id": "jira",
            "integration": "jira",
            "url": self.url,
            "username": self.about["username"],
            "credential": f"file:{self.about['engine_token_file']}",
            "ca_file": self.ca_file,
            "timeout": "20s",
            **changes,
        }
        return {key: value for key, value in keys.items() if value is not None}


class SlackStandin(Standin):
    """A stand-in workspace of Slack."""

    #: How the journal names the tools' own token, and toolpass's.
    AGENT, ENGINE = "bot:U0AGENT001", "bot:U0ENGINE01"

    def __init__(self) -> None:
        super().__init__("slack")

    @property
    def api(self) -> str:
        """The base of its Web API, as clients take it."""
        return f"{self.about['api_url']}/"

    @property
    def token(self) -> str:
        """The tools' own token, which may write."""
        return str(self.about["token"])

    def channel(self, name: str) -> str:
        """The id of a channel."""
        return str(self.about["channels"][name])

    def reset(self) -> None:
        """Forget what arrived, what was to fail, and what changed."""
        self.control("POST", "reset")

    def arrived(self) -> list[str]:
        """The methods the tools' token called, and the uploads, which show none."""
        return [entry["local_path"] for entry in self.requests() if entry["credential"] != self.ENGINE]

    def connection(self, **changes: Any) -> dict[str, Any]:
        """A connection to it, with toolpass's own token."""
        return {
            "id": "slack",
            "integration": "slack",
            "url": self.about["api_url"],
            "credential": toolpass.literal(self.about["engine_token"]),
            "timeout": "20s",
            **changes,
        }
