"""A file of packed weights has a vocabulary, numbers, and matrices in blocks of 4 bits with a common scale."""

import struct

import numpy as np

from spyglass.rag.packed_weights import BLOCK, PackedWeights


def block(scale: float, *weights: int) -> bytes:
    """Return 32 weights, times a scale: the first 16 are the low halves of 16 bytes, the others the high ones."""
    low, high = weights[: BLOCK // 2], weights[BLOCK // 2 :]
    packed = bytes((one + 8) | ((other + 8) << 4) for one, other in zip(low, high, strict=True))
    return np.float16(scale).tobytes() + packed


def packed(pieces: dict[str, float], **tensors: bytes) -> bytes:
    texts = [piece.encode() for piece in pieces]
    ends = [sum(map(len, texts[:number])) for number in range(len(texts) + 1)]
    vocabulary = struct.pack("<44x5iQ", len(texts), 0, 2, 1, 3, ends[-1])
    vocabulary += np.array(ends, np.uint32).tobytes() + np.array([*pieces.values()], np.float32).tobytes()
    vocabulary += b"".join(texts) + struct.pack("<iI3x", 1, 3)
    at = len(vocabulary) + 4 + sum(2 + len(name) + 21 for name in tensors)
    entries, data = b"", b""
    for name, content in tensors.items():
        entries += (
            struct.pack("<H", len(name)) + name.encode() + struct.pack("<BIQQ", 0, 0, at + len(data), len(content))
        )
        data += content
    return vocabulary + struct.pack("<i", len(tensors)) + entries + data


def test_pieces_numbers_and_matrices_are_read_as_they_were_packed() -> None:
    first, second = [*range(-8, 8), *range(7, -9, -1)], [0] * BLOCK
    matrix = block(0.5, *first) + block(2.0, *second[:-1], -3)
    read = PackedWeights.read(
        packed({"▁a": -1.0, "é": -2.5}, bias=np.array([1.5, -2.0], np.float32).tobytes(), m=matrix)
    )
    assert read.pieces == [("▁a", -1.0), ("é", -2.5)]
    assert read.numbers("bias").tolist() == [1.5, -2.0]
    assert read.matrix("m", BLOCK).tolist() == [[0.5 * one for one in first], [*[0.0] * (BLOCK - 1), -6.0]]
    assert read.largest("m") == 16.0
