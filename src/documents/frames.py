"""What a converter and its worker say to each other: a JSON header and some bytes, each preceded by its length."""

import json
import struct
from typing import IO, Any, Final

Frame = tuple[dict[str, Any], bytes]

_LENGTHS: Final = struct.Struct(">IQ")


def write(stream: IO[bytes], header: dict[str, Any], data: bytes = b"") -> None:
    """Write one frame; raises OSError when the other side is gone."""
    encoded = json.dumps(header).encode()
    stream.write(_LENGTHS.pack(len(encoded), len(data)) + encoded)
    stream.write(data)
    stream.flush()


def read(stream: IO[bytes]) -> Frame:
    """Read one frame; raises EOFError when the other side is gone."""
    header, data = _LENGTHS.unpack(_exactly(stream, _LENGTHS.size))
    return json.loads(_exactly(stream, header)), _exactly(stream, data)


def _exactly(stream: IO[bytes], length: int) -> bytes:
    data = stream.read(length)
    if len(data) < length:
        raise EOFError("the other side is gone")
    return data
