"""JSON and compressed text from files that anybody may have made, read within bounds."""

import json
import re
import zlib
from collections.abc import Sequence
from typing import Any, Final

MOST_VALUES: Final = 300_000
"""Values of a report, or of a fact or an answer in a journal; the largest of ours have some ten thousand."""

MOST_LISTED: Final = 3_000_000
"""Values that are read of a journal at once, of all that it lists; one takes some 100 bytes of memory."""

LONGEST: Final = 100_000_000  # characters of a text that comes out of a compressed one
_STRING: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
"""A string, also one that does not end: else each quotation mark in it would be looked at as a beginning."""


def read_json(texts: Sequence[str], most: int = MOST_VALUES) -> list[Any]:
    """Return what JSON texts hold, all of them together no more values than `most`.

    Raises ValueError for more, for what is nested too deeply, and for what is no JSON.
    """
    require_values(texts, most)
    try:
        return [json.loads(text) for text in texts]
    except RecursionError as error:
        raise ValueError("It is nested too deeply") from error


def require_values(texts: Sequence[str], most: int = MOST_VALUES) -> None:
    """Raise ValueError for JSON texts that may hold more values than `most`; linear, and without parsing them."""
    if sum(map(len, texts)) > most:
        without_strings = (_STRING.sub("", text) for text in texts)
        if sum(bare.count(sign) for bare in without_strings for sign in "[{,:") > most:
            raise ValueError(f"It holds more than {most:,} values")


def unpacked(data: bytes, most: int = LONGEST) -> str:
    """Return a text that was compressed. Raises ValueError for one of more bytes than `most`, and for none."""
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
