"""Decoding of a response's body as it arrives, in small pieces, so that no bomb takes more memory than its limit."""

import zlib
from typing import TYPE_CHECKING, Final

from ..kernel.errors import PageTooLargeError, UnreachableError
from ..kernel.notice import Notice

if TYPE_CHECKING:
    from zlib import _Decompress

ACCEPTED: Final = "gzip, deflate"  # the requested encodings: those whose output the standard library can limit
PIECE: Final = 65_536  # bytes that are inflated at once
MOST_MEMBERS: Final = 1_024
"""Maximum number of gzip streams in a body; empty ones would take time without ever reaching the limit of bytes."""

_GZIP: Final = b"\x1f\x8b"
_CONTROLS: Final = frozenset(range(0x20)) - frozenset(b"\t\n\f\r\x1b")
_LOOKED_AT: Final = 256


class Body:
    """A decoder of one body, whose bytes are fed in order.

    The header is not trusted: data that begins like gzip is gzip, and data that looks like text is not decoded. Raises
    PageTooLargeError as soon as the output exceeds `most` bytes, UnreachableError for a broken encoding.
    """

    def __init__(self, encoding: str, most: int) -> None:
        encodings = {name.strip().lower() for name in encoding.split(",")} - {"", "identity", "none"}
        self._encoding = ", ".join(sorted(encodings))[:40]
        self._most = most
        self._parts: list[bytes] = []
        self._size = 0
        self._head = b""
        self._inflater: _Decompress | None = None
        self._ended = False
        self._members = 1
        self._plain = not encodings

    def feed(self, data: bytes) -> None:
        """Decode the next bytes."""
        if self._plain:
            self._append(data)
        elif self._inflater is not None:
            self._inflate(data)
        elif len(self._head + data) < 2:
            self._head += data
        else:
            self._choose_decoder(self._head + data)

    def whole(self) -> bytes:
        """Return the body; raises UnreachableError when its encoded stream is incomplete."""
        if self._inflater is None:
            self._append(self._head if not self._plain else b"")
        elif not self._ended:
            raise UnreachableError(Notice("body_broke_off"))
        return b"".join(self._parts)

    def _choose_decoder(self, data: bytes) -> None:
        """Choose the decoder by the first bytes, at least two."""
        is_text = _CONTROLS.isdisjoint(data[:_LOOKED_AT])
        if data.startswith(_GZIP):
            self._inflater = zlib.decompressobj(16 + zlib.MAX_WBITS)
        elif self._encoding == "deflate" and _has_zlib_header(data):
            self._inflater = zlib.decompressobj()
        elif self._encoding == "deflate" and not is_text:
            self._inflater = zlib.decompressobj(-zlib.MAX_WBITS)  # without a header, as some servers send it
        elif is_text:
            self._plain = True
        else:
            raise UnreachableError(Notice("body_of_other_encoding", encoding=self._encoding))
        self._head = b""
        self.feed(data)

    def _inflate(self, data: bytes) -> None:
        assert self._inflater is not None
        piece = b""
        while data or len(piece) == PIECE:  # after a full piece, output may remain although all input is consumed
            if self._ended and not self._next_member(data):
                return
            try:
                piece = self._inflater.decompress(self._head + data, PIECE)
            except zlib.error as error:
                raise UnreachableError(Notice("body_damaged")) from error
            self._head = b""
            self._append(piece)
            self._ended = self._inflater.eof
            data = self._inflater.unused_data if self._ended else self._inflater.unconsumed_tail

    def _next_member(self, data: bytes) -> bool:
        """Start the next of several gzip streams; anything else after a stream is padding, which browsers ignore."""
        start = self._head + data
        if not start.startswith(_GZIP):
            self._head = data if start == _GZIP[:1] else b""
            return False
        self._members += 1
        if self._members > MOST_MEMBERS:
            raise UnreachableError(Notice("body_of_too_many_parts"))
        self._inflater, self._ended = zlib.decompressobj(16 + zlib.MAX_WBITS), False
        return True

    def _append(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._most:
            raise PageTooLargeError(Notice("body_too_large", most=self._most))
        self._parts.append(piece)


def _has_zlib_header(data: bytes) -> bool:
    return data[0] & 0x0F == 8 and int.from_bytes(data[:2], "big") % 31 == 0
