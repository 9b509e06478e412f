"""Extracts and compares labels, numbers that are not amounts: versions, times of day, telephone and book numbers."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from .lexicon import lexicon
from .reason import FactMismatch
from .word import TokenizedText, Word, aligned

if TYPE_CHECKING:
    from .facts import Facts

_CLOCK = re.compile(r"(\d{1,2})(?::(\d\d))?(?::(\d\d))?\s?([ap])?", re.IGNORECASE)
_VERSION_WORDS = lexicon("identifier")["version_words"]


class Label(NamedTuple):
    """A number that names something: its parts in order, and the words near it."""

    text: str
    kind: str
    parts: tuple[str, ...]
    near: frozenset[str]
    first: int


def labels(reading: TokenizedText) -> list[Label]:
    """Return the versions, times of day and codes of a text in order."""
    found: list[Label] = []
    for index, word in enumerate(reading.words):
        parts: tuple[str, ...] = ()
        kind = word.kind
        if kind in ("version", "release"):
            kind, parts = "version", tuple(word.text.lstrip("vV").split("."))
        elif kind == "number" and _is_version(reading, index):
            kind, parts = "version", tuple(word.text.split("."))
        elif kind == "clock":
            parts = _time(word)
        elif kind == "code":
            parts = (re.sub(r"[^0-9xX]", "", word.text),)
        if parts:
            found.append(Label(word.text, kind, parts, reading.near(index, index), index))
    return found


def _is_version(reading: TokenizedText, index: int) -> bool:
    """Whether a number with a decimal point is the version of the name before it: `Python 3.10`, `version 2.1`."""
    whole, point, rest = reading.words[index].text.partition(".")
    if not (point and whole.isdecimal() and rest.isdecimal() and len(whole) < 4):
        return False
    before = reading.words[index - 1] if index else None
    return before is not None and before.folded in _VERSION_WORDS


def _time(word: Word) -> tuple[str, ...]:
    match = _CLOCK.match(word.text)
    assert match is not None
    hour = int(match[1])
    if match[4]:
        hour = hour % 12 + (12 if match[4] in "pP" else 0)
    return str(hour), match[2] or "00", match[3] or "00"


def differing(claim: "Facts", span: "Facts", _: "Facts") -> Iterator[FactMismatch]:
    """Yield the labels of a claim that the span has neither as a label nor as a plain number."""
    numbers = [number.text for number in span.quantities]
    for label in claim.labels:
        if any(_fits(label, other) for other in span.labels) or ".".join(label.parts) in numbers:
            continue
        rivals = [other for other in span.labels if other.kind == label.kind and aligned(label.near, other.near)]
        yield FactMismatch("number", label.text, rivals[0].text if rivals else "", bool(rivals))


def _fits(claimed: Label, stated: Label) -> bool:
    """Whether a claim's label equals the span's, or is a less precise form of it: `3.11` for `3.11.2`."""
    return claimed.kind == stated.kind and claimed.parts == stated.parts[: len(claimed.parts)]
