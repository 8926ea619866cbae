"""A Strands model that says what a script says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from strands.models.model import Model

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from frameworks.support.scenario import Script


class ScriptedModel(Model):
    """Answers each turn with the script's next one, and keeps what it was shown."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._calls = 0

    def update_config(self, **model_config: Any) -> None:
        """There is nothing to configure."""

    def get_config(self) -> dict[str, Any]:
        """There is nothing to configure."""
        return {}

    def structured_output(self, *args: Any, **kwargs: Any) -> Any:
        """No test asks for it."""
        raise AssertionError("the script has no structured output")

    async def stream(self, messages: Any, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        """One turn."""
        turn = self._script.next(_results(messages))
        yield {"messageStart": {"role": "assistant"}}
        if isinstance(turn, str):
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": turn}}}
            yield {"contentBlockStop": {}}
            yield {"messageStop": {"stopReason": "end_turn"}}
            return
        for name, given in turn:
            self._calls += 1
            start = {"toolUse": {"name": name, "toolUseId": f"call-{self._calls}"}}
            yield {"contentBlockStart": {"start": start}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": _json(given)}}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use"}}


def _results(messages: Any) -> list[str]:
    """The texts of the tool results in the newest message."""
    newest = messages[-1]["content"] if messages else []
    results = [block["toolResult"] for block in newest if "toolResult" in block]
    return [item.get("text", str(item)) for result in results for item in result["content"]]


def _json(given: Any) -> str:
    import json

    return json.dumps(given)
