"""A tool that declares nothing, and what its requests are found to be.

It reads a file and opens a pull request with plain `urllib`. Its login may do both for anybody; whether the person the
agent works for may is asked of GitHub, at each request, before a byte of it leaves. GitHub is a stand-in on loopback,
laid out as GitHub Enterprise Server, over TLS; toolpass asks it with the credential of a GitHub App. Run it with
`cargo xtask demo`.
"""

from __future__ import annotations

import base64
import json
import sys
import urllib.request
from typing import Any

from _standin import Standin

from toolpass import AuditEvent, Session, Toolkit, Toolpass, ToolRefused, as_agent


def main() -> int:
    """Run the tool for two people, print what happened, and say whether it is what must happen."""
    with Standin("github", "--tls", "--ghes") as github:
        events: list[AuditEvent] = []
        toolkit = Toolkit(permissions=engine(github), audit=events.append)
        propose = toolkit.tool(proposing(github))
        outcomes = {}
        for number, who in enumerate(("dana", "admin"), start=1):
            github.control("DELETE", "requests")
            print(f"{number}  {who:<6} propose('acme/shop', 'fix-typo', 'Fix a typo')")
            with Session(f"{who}@example.com").active():
                try:
                    outcome, text = "ran", propose("acme/shop", "fix-typo", "Fix a typo")
                except ToolRefused as refused:
                    outcome, text = refused.code, refused.reason
            arrived = [f"{entry['method']} {entry['local_path']}" for entry in github.requests(by="user:acme-agent")]
            outcomes[who] = (outcome, arrived)
            print(f"            {outcome}: {text}")
            for action in events[-1].to_dict()["actions"]:
                whose = "the agent" if action.get("as_agent") else who
                what = f"{action['action']} on {action['resource']}"
                print(f"            {action['method']:<4} is {what}, as {whose}: {action['outcome']}")
            print(f"            GitHub saw: {', '.join(arrived)}\n")
    read, post = "GET /repos/acme/shop/contents/README.md", "POST /repos/acme/shop/pulls"
    if post not in outcomes["dana"][1]:
        print("The refused POST never reached the server.")
    return 0 if outcomes == {"dana": ("not_authorized", [read]), "admin": ("ran", [read, post])} else 1


def engine(github: Standin) -> Toolpass:
    """Who may do what is asked of this GitHub, as the App `app_id`."""
    return Toolpass(
        connections=[
            {
                "id": "github",
                "integration": "github",
                "url": github.about["url"],
                "organization": github.about["organization"],
                "app_id": github.about["app_id"],
                "credential": f"file:{github.about['private_key_file']}",
                "ca_file": github.about["ca_file"],
                "identity_mode": "template",
                "email_domains": "example.com",
            }
        ]
    )


def proposing(github: Standin) -> Any:
    """The tool: a plain function, as it would be without toolpass."""
    api, token = github.about["api_url"], github.about["token"]
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=github.tls())
    )

    def call(method: str, path: str, body: dict[str, str] | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        request = urllib.request.Request(api + path, data=data, headers=headers, method=method)
        with opener.open(request, timeout=30) as answer:
            return json.load(answer)

    def propose(repo: str, branch: str, title: str) -> str:
        """Open a pull request that says how the read-me begins."""
        with as_agent():  # the agent's own errand: not asked of the user
            readme = call("GET", f"/repos/{repo}/contents/README.md")
        first_line = base64.b64decode(readme["content"]).decode().splitlines()[0]
        body = {"title": title, "head": branch, "base": "main", "body": f"For {first_line}"}
        made = call("POST", f"/repos/{repo}/pulls", body)
        return f"opened pull request {made['number']}"

    return propose


if __name__ == "__main__":
    sys.exit(main())
