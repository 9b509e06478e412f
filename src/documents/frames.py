"""Messages ("frames") between a process and its worker: a JSON header and some bytes, preceded by their lengths."""

import asyncio
import json
import struct
from typing import IO, Any, Final

Frame = tuple[dict[str, Any], bytes]

_LENGTHS: Final = struct.Struct(">IQ")


def packed(header: dict[str, Any], data: bytes = b"") -> bytes:
    """Return a frame as bytes."""
    encoded = json.dumps(header).encode()
    return _LENGTHS.pack(len(encoded), len(data)) + encoded + data


def write(stream: IO[bytes], header: dict[str, Any], data: bytes = b"") -> None:
    """Write one frame; raises OSError when the other side is gone."""
    stream.write(packed(header, data))
    stream.flush()


def read(stream: IO[bytes]) -> Frame:
    """Read one frame; raises EOFError when the other side is gone."""
    header, data = _LENGTHS.unpack(_exactly(stream, _LENGTHS.size))
    return json.loads(_exactly(stream, header)), _exactly(stream, data)


async def receive(stream: asyncio.StreamReader) -> Frame:
    """Read one frame; raises EOFError when the other side is gone."""
    header, data = _LENGTHS.unpack(await stream.readexactly(_LENGTHS.size))
    return json.loads(await stream.readexactly(header)), await stream.readexactly(data)


def _exactly(stream: IO[bytes], length: int) -> bytes:
    data = stream.read(length)
    if len(data) < length:
        raise EOFError("the other side is gone")
    return data
