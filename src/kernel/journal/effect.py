"""The effects of a run as its journal has them: requests, answers, times, and how these are spelt."""

import hashlib
import json
import zlib
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from pydantic_core import PydanticSerializationError, to_json

from ..bounded_json import LONGEST, unpacked

LONG = 4_000  # characters of a fact or a message from which it is compressed


def canonical(value: Any) -> str:
    """Return the one JSON spelling of a value: sorted keys, no spaces, text as it is unless it cannot be encoded."""
    spelt = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    try:
        spelt.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which only an escape can spell
        return json.dumps(value, sort_keys=True, separators=(",", ":"))
    return spelt


def effect_key(kind: str, request: Any) -> str:
    """Return the content address of a request: equal requests have equal keys, whatever their order of starting."""
    return hashlib.sha256(f"{kind}\x1f{canonical(request)}".encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request got: a value, or the record of the error it ended in."""

    value: Any = None
    error: dict[str, Any] | None = None


class Recorded(Protocol):
    """What one looks up of a run in its journal."""

    def get(self, name: str) -> Any:
        """Return a fact about the run."""

    def find(self, key: str) -> Answer | None:
        """Return the answer to a request."""

    def holder(self) -> int | None:
        """Return the process that is at the run."""


Mark: TypeAlias = tuple[str, str, int, float]
"""A name, a status, the number of the last effect before it, and its time in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class Timed:
    """An effect and when it was under way, in seconds since 1970; `error` is the type of the one that it ended in.

    `charge` is what a call of a model came to: tokens of its prompt and of its answer, US dollars if they are known.
    """

    kind: str
    request: Any
    error: str
    began: float
    ended: float
    charge: tuple[int, int, float | None] | None


def spelt(value: Any) -> bytes:
    """Return a value as JSON in any spelling, in an eighth of the time of `canonical`."""
    try:
        return to_json(value)
    except PydanticSerializationError:  # half of a surrogate pair; or no JSON, and `canonical` says so
        return canonical(value).encode()


def packed(text: str) -> str | bytes:
    """Return a text as it is kept: compressed where it is long."""
    return text if len(text) < LONG else zlib.compress(text.encode())


def unpacked_text(kept: object, most: int = LONGEST) -> str:
    """Return a text that `packed` made. Raises ValueError for one of more bytes than `most`, and for no text."""
    if isinstance(kept, str):
        return kept
    if isinstance(kept, bytes):
        return unpacked(kept, most)
    raise ValueError(f"a text is a {type(kept).__name__}")
