"""The stand-in cluster for tests: Dana deploys to staging, Sam looks, nobody changes production."""

from __future__ import annotations

import os
from typing import Any

from .standin import Standin

#: How the journal names the tools' own login.
AGENT = "system:serviceaccount:apps:agent"

_TOKEN = "TOOLPASS_TEST_KUBERNETES_TOKEN"


class KubernetesStandin(Standin):
    """A stand-in API server over TLS."""

    def __init__(self) -> None:
        super().__init__("kubernetes", "--tls")
        os.environ[_TOKEN] = str(self.about["engine_token"])

    @property
    def url(self) -> str:
        """Its address."""
        return str(self.about["url"])

    @property
    def ca_file(self) -> str:
        """The certificate a client must trust."""
        return str(self.about["ca_file"])

    @property
    def token(self) -> str:
        """The tools' own token, an administrator's."""
        return str(self.about["token"])

    def reset(self) -> None:
        """Forget what arrived, what was to fail, and what changed."""
        self.control("POST", "reset")

    def arrived(self) -> list[str]:
        """The requests of the tools' token, as `METHOD /path`."""
        return [f"{entry['method']} {entry['local_path']}" for entry in self.requests(by=AGENT)]

    def objects(self) -> dict[str, Any]:
        """What there is, by path."""
        objects: dict[str, Any] = self.control("GET", "state")["objects"]
        return objects

    def connection(self, **changes: Any) -> dict[str, Any]:
        """A connection to it, with the token that may only ask.

        Args:
            changes: Keys to set; `None` leaves one out.
        """
        keys = {
            "id": "kubernetes",
            "integration": "kubernetes",
            "url": self.url,
            "credential": f"env:{_TOKEN}",
            "username_template": self.about["username_template"],
            "ca_file": self.ca_file,
            "timeout": "20s",
            **changes,
        }
        return {key: value for key, value in keys.items() if value is not None}
