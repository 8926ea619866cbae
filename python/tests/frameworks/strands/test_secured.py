"""Secured tools under Strands' own loop, without an adapter: the framework's decorator goes on top."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
import strands

import toolpass
from frameworks.strands.scripted import ScriptedModel
from frameworks.support.cases import case
from frameworks.support.scenario import ADMIN, READER, Scenario, Script

if TYPE_CHECKING:
    from collections.abc import Callable


def play(scenario: Scenario, user: str, run: Callable[[strands.Agent], object]) -> str:
    """One call of the secured tool for a user; what the model was shown."""
    script = Script([("open_pr", Scenario.INPUT)], "done")
    tool = strands.tool(scenario.kit.tool()(scenario.open_pr))
    agent = strands.Agent(model=ScriptedModel(script), tools=[tool], callback_handler=None)
    with toolpass.Session(user).active():
        run(agent)
    assert script.ended
    return script.text


def sync(agent: strands.Agent) -> object:
    return agent("open it")


def in_a_loop(agent: strands.Agent) -> object:
    return asyncio.run(agent.invoke_async("open it"))


@case("secured_allow", "secured_async")
@pytest.mark.parametrize("run", [sync, in_a_loop])
def test_what_the_user_may_do_is_done(scenario: Scenario, run: Callable[[strands.Agent], object]) -> None:
    text = play(scenario, ADMIN, run)
    assert text.startswith("opened #")
    assert scenario.arrived == list(Scenario.BOTH)


@case("secured_deny", "secured_async")
@pytest.mark.parametrize("run", [sync, in_a_loop])
def test_the_refused_write_never_leaves(scenario: Scenario, run: Callable[[strands.Agent], object]) -> None:
    """The exception of the tool becomes an error result, whose text the model reads: `on_refuse` is not needed."""
    text = play(scenario, READER, run)
    assert "pr.create" in text
    assert READER in text
    assert scenario.arrived == list(Scenario.READ)
