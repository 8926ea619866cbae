"""Reading a request's body before it leaves, up to a limit, and handing the client the same chunks again.

Separate because every client takes iterators as bodies. A body over the limit is not read on: it counts as unread, and
the client gets what was taken followed by the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

#: As many bytes of a body as the native reader looks at.
LIMIT = 8 * 1024 * 1024


class Replay:
    """The chunks that were taken from a body, then its rest."""

    def __init__(self, chunks: list[bytes], rest: Any = None) -> None:
        self._chunks = chunks
        self._rest = rest

    def __iter__(self) -> Iterator[bytes]:
        yield from self._chunks
        if self._rest is not None:
            yield from self._rest

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            yield chunk
        if self._rest is not None:
            async for chunk in self._rest:
                yield chunk

    def seen(self) -> tuple[bytes | None, bool]:
        """The body if all of it was taken, and whether it was not."""
        if self._rest is not None:
            return None, True
        return b"".join(self._chunks) or None, False


def read(stream: Any, replay: type[Replay] = Replay) -> Replay:
    """Take a body from an iterable of bytes."""
    chunks: list[bytes] = []
    size = 0
    iterator = iter(stream)
    for chunk in iterator:
        chunks.append(bytes(chunk))  # a copy, where it is one that could be changed
        size += len(chunk)
        if size > LIMIT:
            return replay(chunks, iterator)
    return replay(chunks)


async def read_async(stream: Any, replay: type[Replay] = Replay) -> Replay:
    """Take a body from an async iterable of bytes."""
    chunks: list[bytes] = []
    size = 0
    iterator = stream.__aiter__()
    async for chunk in iterator:
        chunks.append(bytes(chunk))  # a copy, where it is one that could be changed
        size += len(chunk)
        if size > LIMIT:
            return replay(chunks, iterator)
    return replay(chunks)
