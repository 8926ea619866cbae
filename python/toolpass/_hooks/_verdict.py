"""Asking the running call for the permit of one request, waiting for the answer or awaiting it.

Separate because every hook asks in the same two ways. While a question is on its way no call is current, so requests
that answer it (an engine written in Python, a lookup) are not taken for the body's.
INVARIANT: whoever returns from here has a permit; every other end is an exception, and the request does not leave.
"""

from __future__ import annotations

import functools
import sys
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeAlias

from toolpass._context import current_call
from toolpass._native import CALL, NoCall, Permit, no_call

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolpass._native import CallContext

Text: TypeAlias = "str | bytes"

#: Who is asked for the permit of a request.
Caller: TypeAlias = "CallContext | NoCall"

#: Scheme, host, port, method, target, headers, body, and whether there is a body that could not be read.
Parts: TypeAlias = (
    "tuple[Text, Text, int | None, Text, Text, Sequence[tuple[Text, Text]], bytes | bytearray | None, bool]"
)


class Layers:
    """Whether a request may pass more than one hook, so that the lower ones must ask what the upper one was told."""

    upper = False


def permit(call: Caller, parts: Parts) -> Permit:
    """Wait for the permit of a request. Raises what refuses it."""
    return call.observe(*parts)


async def permit_async(call: Caller, parts: Parts) -> Permit:
    """Await the permit of a request. Raises what refuses it."""
    if not _on_asyncio():
        return await _on_trio(call, parts)
    token = CALL.set(None)
    try:
        step = call.observe_async(*parts)
        while not isinstance(step, Permit):
            try:
                answer = await step.awaitable
            except BaseException as error:
                step = step.fail(error)
            else:
                step = step.resume(answer)
        return step
    finally:
        CALL.reset(token)


def admitted(call: Caller, parts: Parts) -> bool:
    """Whether an upper hook holds a permit for this very request. Uses the permit up."""
    return Layers.upper and call.admits(*parts)


def running_call() -> Caller | None:
    """The running call, if its requests are looked at; without one, whoever answers for requests of no call."""
    call: Caller | None = CALL.get(_UNSET)
    if call is _UNSET:  # a context that was made without it, or no call's
        call = current_call() or OF_SEVERAL.get() or no_call()
    return call if call is not None and call.hooked else None


def _on_asyncio() -> bool:
    asyncio: Any = sys.modules.get("asyncio")  # which nobody here needs to import
    if asyncio is None:
        return False
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def _on_trio(call: Caller, parts: Parts) -> Permit:
    trio: Any = sys.modules.get("trio")
    if trio is None:
        return permit(call, parts)
    answer: Permit = await trio.to_thread.run_sync(functools.partial(permit, call, parts))
    return answer


#: Set in threads that were born in no call while the bodies of several ran.
OF_SEVERAL: ContextVar[NoCall | None] = ContextVar("toolpass_of_several", default=None)
_UNSET: Any = object()
