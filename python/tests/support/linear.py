"""The stand-in Linear for tests: a workspace with a private team that Dana is in and Sam is not."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from .standin import Standin

if TYPE_CHECKING:
    from collections.abc import Mapping

#: How the journal names the tools' own login.
AGENT = "user:agent"

_KEY = "TOOLPASS_TEST_LINEAR_KEY"


class LinearStandin(Standin):
    """A stand-in Linear over TLS."""

    def __init__(self) -> None:
        super().__init__("linear", "--tls")
        os.environ[_KEY] = str(self.about["engine_token"])

    @property
    def url(self) -> str:
        """The address of its API."""
        return str(self.about["api_url"])

    @property
    def ca_file(self) -> str:
        """The certificate a client must trust."""
        return str(self.about["ca_file"])

    @property
    def key(self) -> str:
        """The tools' own key, which may do everything."""
        return str(self.about["token"])

    @property
    def teams(self) -> Mapping[str, str]:
        """The ids of the teams by their keys."""
        teams: dict[str, str] = self.about["teams"]
        return teams

    def reset(self) -> None:
        """Forget what arrived, what was to fail, and what changed."""
        self.control("POST", "reset")

    def ran(self) -> list[str]:
        """The mutations that were run, in order."""
        ran: list[str] = self.control("GET", "state")["ran"]
        return ran

    def arrived(self, by: str | None = AGENT) -> int:
        """How many requests of the tools' key arrived."""
        return len(self.requests(by=by))

    def connection(self, **changes: Any) -> dict[str, Any]:
        """A connection to it, with the key that only reads.

        Args:
            changes: Keys to set; `None` leaves one out.
        """
        keys = {
            "id": "linear",
            "integration": "linear",
            "url": self.url,
            "credential": f"env:{_KEY}",
            "ca_file": self.ca_file,
            "timeout": "20s",
            **changes,
        }
        return {key: value for key, value in keys.items() if value is not None}
