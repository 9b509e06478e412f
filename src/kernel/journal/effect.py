"""The effects (external calls) in a journal: keys, requests, answers, times, and their encoding as JSON."""

import hashlib
import json
import zlib
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from pydantic_core import PydanticSerializationError, to_json

from ..bounded_json import LONGEST, unpacked

LONG = 4_000  # characters from which a fact or a message is compressed


def canonical(value: Any) -> str:
    """Return the canonical JSON of a value: sorted keys, no spaces, text unescaped unless it cannot be encoded."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which only an escape can express
        return json.dumps(value, sort_keys=True, separators=(",", ":"))
    return text


def effect_key(kind: str, request: Any) -> str:
    """Return the content address of a request: equal requests have equal keys, in whatever order they start."""
    return hashlib.sha256(f"{kind}\x1f{canonical(request)}".encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a request: a value, or the record of an error."""

    value: Any = None
    error: dict[str, Any] | None = None


class Recorded(Protocol):
    """The lookups in a journal."""

    def get(self, name: str) -> Any:
        """Return a fact about the run."""

    def find(self, key: str) -> Answer | None:
        """Return the answer to a request."""

    def holder(self) -> int | None:
        """Return the id of the process that executes the run."""


Mark: TypeAlias = tuple[str, str, int, float]
"""A name, a status, the number of the last effect before the mark, and its time in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class Timed:
    """An effect with its begin and end, in seconds since 1970; `error` is the type of its error, or empty.

    `charge` of a model call is (prompt tokens, completion tokens, US dollars if known).
    """

    kind: str
    request: Any
    error: str
    began: float
    ended: float
    charge: tuple[int, int, float | None] | None


def spelt(value: Any) -> bytes:
    """Return a value as JSON that is not canonical, eight times as fast as `canonical`."""
    try:
        return to_json(value)
    except PydanticSerializationError:  # half of a surrogate pair; or not JSON: `canonical` raises then
        return canonical(value).encode()


def packed(text: str) -> str | bytes:
    """Return a text in its stored form, compressed if it is long."""
    return text if len(text) < LONG else zlib.compress(text.encode())


def unpacked_text(stored: object, most: int = LONGEST) -> str:
    """Return the text that `packed` stored. Raises ValueError for more than `most` bytes, and for other values."""
    if isinstance(stored, str):
        return stored
    if isinstance(stored, bytes):
        return unpacked(stored, most)
    raise ValueError(f"a text is stored as {type(stored).__name__}")
