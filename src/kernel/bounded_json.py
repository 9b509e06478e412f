"""Parsing of JSON and compressed text from untrusted files, with limits on their size."""

import json
import re
import zlib
from collections.abc import Sequence
from typing import Any, Final

MOST_VALUES: Final = 300_000
"""Maximum number of values in a report, or in a fact or an answer of a journal; our largest have some ten thousand."""

MOST_LISTED: Final = 3_000_000
"""Maximum number of values in a list of a journal; a value takes some 100 bytes of memory."""

LONGEST: Final = 100_000_000  # characters of a decompressed text
_STRING: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
"""A string, terminated or not: otherwise the match would be retried at each quotation mark of an unterminated one."""


def read_json(texts: Sequence[str], most: int = MOST_VALUES) -> list[Any]:
    """Parse JSON texts that have at most `most` values together.

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
            raise ValueError(f"It contains more than {most:,} values")


def unpacked(data: bytes, most: int = LONGEST) -> str:
    """Decompress a text (zlib, UTF-8). Raises ValueError for more than `most` bytes, and for invalid data."""
    expander = zlib.decompressobj()
    try:
        text = expander.decompress(data, most + 1)
    except zlib.error as error:
        raise ValueError(f"It cannot be decompressed: {error}") from error
    if len(text) > most:
        raise ValueError(f"It expands to more than {most:,} bytes")
    if not expander.eof:
        raise ValueError("It is truncated")
    return text.decode()
