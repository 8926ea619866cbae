"""Toolkits whose events are kept, and an engine that answers what a test tells it to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from toolpass import AuditEvent, Session, Toolkit, ToolRefused

if TYPE_CHECKING:
    from collections.abc import Callable

DANA = "dana@example.com"


class Kit(Toolkit):
    """A toolkit that keeps its events."""

    __slots__ = ("events",)

    def __init__(self, **settings: Any) -> None:
        self.events: list[AuditEvent] = []
        super().__init__(**{"audit": self.events.append, **settings})

    @property
    def event(self) -> AuditEvent:
        """The only event so far."""
        (event,) = self.events
        return event


class Answer(NamedTuple):
    """What an engine of the application's own may answer."""

    decision: str
    reason: str = ""


class Engine:
    """An engine: remembers what it was asked, answers the same each time."""

    def __init__(self, answer: Any = None) -> None:
        self.answer = Answer("allow") if answer is None else answer
        self.asked: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    def check(self, *args: Any, **kwargs: Any) -> Any:
        """Answer, or raise an answer that is an exception."""
        self.asked.append((args, kwargs))
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


def refused(call: Callable[[], Any]) -> ToolRefused:
    """The refusal of a call."""
    with pytest.raises(ToolRefused) as caught:
        call()
    return caught.value


def dana(**more: Any) -> Session:
    """A new session of Dana's."""
    return Session(DANA, **more)
