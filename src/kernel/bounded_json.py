"""Reads JSON and compressed text from untrusted files within bounds."""

import json
import re
import zlib
from collections.abc import Sequence
from typing import Any, Final

MOST_VALUES: Final = 300_000
"""Most values of a report, or of a fact or an answer in a journal; our largest have some ten thousand."""

MOST_LISTED: Final = 3_000_000
"""Most values that a list of a journal may hold; a value takes some 100 bytes of memory."""

LONGEST: Final = 100_000_000  # characters of a decompressed text
_STRING: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
"""A string, also an unterminated one: otherwise each quotation mark in it would be tried as a beginning."""


def read_json(texts: Sequence[str], most: int = MOST_VALUES) -> list[Any]:
    """Return the values of JSON texts, together at most `most` values.

    Raises ValueError for more values, for too deep nesting, and for texts that are not JSON.
    """
    require_values(texts, most)
    try:
        return [json.loads(text) for text in texts]
    except RecursionError as error:
        raise ValueError("It is nested too deeply") from error


def require_values(texts: Sequence[str], most: int = MOST_VALUES) -> None:
    """Raise ValueError for JSON texts that may hold more values than `most`; linear, without parsing."""
    if sum(map(len, texts)) > most:
        without_strings = (_STRING.sub("", text) for text in texts)
        if sum(bare.count(sign) for bare in without_strings for sign in "[{,:") > most:
            raise ValueError(f"It holds more than {most:,} values")


def unpacked(data: bytes, most: int = LONGEST) -> str:
    """Return a decompressed text. Raises ValueError for more than `most` bytes, and for invalid data."""
    expander = zlib.decompressobj()
    try:
        text = expander.decompress(data, most + 1)
    except zlib.error as error:
        raise ValueError(f"It cannot be unpacked: {error}") from error
    if len(text) > most:
        raise ValueError(f"It expands to more than {most:,} bytes")
    if not expander.eof:
        raise ValueError("It is cut off")
    return text.decode()
