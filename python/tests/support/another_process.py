"""Another process of an application: makes the calls it is told to, and says what came of them."""

from __future__ import annotations

import json
import sys

from toolpass import Session, Toolkit, ToolRefused, literal


def main() -> None:
    """Make the calls, once told to go."""
    asked = json.loads(sys.argv[1])
    kit = Toolkit(audit=None, session_store=literal(asked["store"]), session_secret=literal(asked["secret"]))
    tool = kit.tool(
        name=asked["tool"],
        effect="write",
        limit=asked.get("limit"),
        untrusted_output=asked.get("untrusted_output", False),
        reads_private=asked.get("reads_private", False),
        sends_out=asked.get("sends_out", False),
    )(lambda text: asked.get("answer", "done"))
    outcomes = []
    with Session("dana@example.com", id=asked["conversation"]).active():
        print("ready", flush=True)
        sys.stdin.readline()
        for _ in range(asked.get("times", 1)):
            try:
                tool(asked.get("text", "x"))
                outcomes.append("ran")
            except ToolRefused as refusal:
                outcomes.append(refusal.code)
    print(json.dumps(outcomes), flush=True)


main()
