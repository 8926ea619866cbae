"""One HTTP/1.1 request, read from the bytes a client hands over for sending.

Separate because the bytes are what leaves: whoever wrote them, with whatever calls, the request is this. The reader
only finds out where the parts are and when the request is whole; what a part means is decided by the native reader.
Source: RFC 9112, sections 2 to 7.
"""

from __future__ import annotations

import enum
import re

from toolpass._hooks._body import LIMIT


class _Awaits(enum.Enum):
    """What the next line of a chunked body is."""

    SIZE = enum.auto()
    DATA_END = enum.auto()
    TRAILER = enum.auto()


class OutgoingRequest:
    """A request on its way: `feed` it until it is `whole`."""

    method = b""
    target = b""
    head: bytes | None = b""
    size = 0
    whole = False
    broken = False
    _chunked = False
    _need = 0
    _awaits = _Awaits.SIZE

    def __init__(self) -> None:
        self.headers: list[tuple[bytes, bytes]] = []
        self._chunks: list[bytes] = []
        self._line = bytearray()

    @property
    def headed(self) -> bool:
        """Whether all header lines are known."""
        return self.head is None

    @property
    def unread(self) -> bool:
        """Whether there is a body that is not all in `body`."""
        return self.size > LIMIT or not self.whole

    @property
    def body(self) -> bytes:
        """What was read of the body, up to the limit."""
        return b"".join(self._chunks)

    def feed(self, data: bytes) -> int:
        """Take what belongs to this request from the front of `data`; how many bytes that was."""
        if self.broken:
            return len(data)
        taken = 0
        if self.head is not None:
            known = len(self.head)
            head = self.head + data
            end = head.find(b"\r\n\r\n", max(0, known - 3))
            if end < 0:
                self.head = head
                self.broken = len(head) > _MAX_HEAD
                return len(data)
            taken = end + 4 - known
            self.head = None
            self._read_head(head[:end])
        if self.whole or self.broken or taken == len(data):
            return taken
        rest = data[taken:] if taken else data
        return taken + (self._feed_chunked(rest) if self._chunked else self._feed_plain(rest))

    def _read_head(self, head: bytes) -> None:
        folded = b"\r\n " in head or b"\r\n\t" in head
        # A folded line stays part of its value, line end and all, for the native reader to see.
        first, *lines = _UNFOLDED.split(head) if folded else head.split(b"\r\n")
        words = first.split(b" ")
        if len(words) != 3 or not words[2].startswith(b"HTTP/"):
            self.broken = True
            return
        self.method, self.target = words[0], words[1]
        parted = [line.partition(b":") for line in lines]
        self.headers = [(name, value.strip(b" \t")) for name, _, value in parted]
        self._read_framing([header for header in self.headers if len(header[0]) in _FRAMING_LENGTHS])

    def _read_framing(self, headers: list[tuple[bytes, bytes]]) -> None:
        """Find out how long the body is. Two answers, or one that is no number, are none."""
        lengths = {value for name, value in headers if name.lower() == b"content-length"}
        self._chunked = any(name.lower() == b"transfer-encoding" for name, _ in headers)
        if self._chunked:
            self.broken = bool(lengths)
        elif lengths:
            length = lengths.pop()
            self.broken = bool(lengths) or not length.isdigit()
            self._need = 0 if self.broken else int(length)
            self.whole = self._need == 0
        else:
            self.whole = True

    def _feed_plain(self, data: bytes) -> int:
        taken = min(self._need, len(data))
        self._keep(data[:taken] if taken < len(data) else data)
        self._need -= taken
        self.whole = self._need == 0
        return taken

    def _feed_chunked(self, data: bytes) -> int:
        at = 0
        while at < len(data) and not self.whole and not self.broken:
            if self._need:
                taken = min(self._need, len(data) - at)
                self._keep(data[at : at + taken])
                at += taken
                self._need -= taken
                self._awaits = _Awaits.DATA_END
                continue
            end = data.find(b"\n", at)
            stop = len(data) if end < 0 else end + 1
            self._line += data[at:stop]
            at = stop
            self.broken = len(self._line) > _MAX_LINE
            if end >= 0:
                self._read_line(bytes(self._line))
                self._line.clear()
        return at

    def _read_line(self, line: bytes) -> None:
        """Take a line between the chunks: the end of one, the size of the next, or a trailer after the last."""
        if not line.endswith(b"\r\n"):
            self.broken = True
        elif self._awaits is _Awaits.DATA_END:
            self.broken = line != b"\r\n"
            self._awaits = _Awaits.SIZE
        elif self._awaits is _Awaits.TRAILER:
            self.whole = line == b"\r\n"
        else:
            size = line[:-2].partition(b";")[0].strip(b" \t")
            self.broken = not _HEX(size)
            self._need = 0 if self.broken else int(size, 16)
            if not self._need:
                self._awaits = _Awaits.TRAILER

    def _keep(self, data: bytes) -> None:
        self.size += len(data)
        if self.size <= LIMIT:
            self._chunks.append(data)
        else:
            self._chunks.clear()


def absolute_target(target: bytes) -> tuple[bytes, bytes, int, bytes]:
    """Scheme, host, port and path of an absolute target, as a forwarding proxy is given it."""
    scheme, _, rest = target.partition(b"://")
    scheme = scheme.lower()
    end = min((at for at in map(rest.find, (b"/", b"?", b"#")) if at >= 0), default=len(rest))
    host, path = rest[:end], rest[end:]
    if not path.startswith(b"/"):
        path = b"/" + path
    name, colon, port = host.rpartition(b":")
    if colon and port.isdigit() and len(port) <= 5 and int(port) <= 0xFFFF:
        return scheme, name, int(port), path
    return scheme, host, 443 if scheme == b"https" else 80, path


_FRAMING_LENGTHS = (len(b"content-length"), len(b"transfer-encoding"))
_HEX = re.compile(rb"[0-9A-Fa-f]{1,15}").fullmatch
_MAX_HEAD = 1024 * 1024
_MAX_LINE = 4096
_UNFOLDED = re.compile(rb"\r\n(?![ \t])")
