"""Whether two reports are one, field by field, and whether a file that a person reads is a report."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final, NamedTuple

from ..report.report import Report
from .verification import Mismatch, Verification, shortened

MOST: Final = 20
"""Differences that are told."""


def compared(verification: Verification, report: Report, again: Report) -> Verification:
    """Return a verification with each field in which a report is not what its run gives; nothing is taken on trust."""
    found = islice(differences(report.model_dump(mode="json"), again.model_dump(mode="json")), MOST)
    mismatches = [Mismatch(subject="run", what=f"{one.place} is {one.one}; its run gives {one.other}") for one in found]
    return verification.model_copy(
        update={
            "checked": {**verification.checked, "run": 1},
            "mismatches": [*verification.mismatches, *mismatches],
            "on_trust": [],
        }
    )


def with_shown(verification: Verification, name: str, shown: bytes, rendered: bytes) -> Verification:
    """Return a verification that says too whether what a file shows is what the report is rendered to."""
    found = []
    if shown != rendered:
        line = 1 + next(
            (number for number, (one, other) in enumerate(zip(shown.split(b"\n"), rendered.split(b"\n"), strict=False))
             if one != other),
            min(shown.count(b"\n"), rendered.count(b"\n")),
        )  # fmt: skip
        found = [Mismatch(subject="shown", what=f"{name} is not this report as it is written: line {line} is another")]
    checked = {**verification.checked, "shown": 1 + verification.checked.get("shown", 0)}
    return verification.model_copy(update={"checked": checked, "mismatches": [*verification.mismatches, *found]})


class FieldDifference(NamedTuple):
    """A field of which two JSON values have different ones, in words."""

    place: str
    one: str
    other: str


def differences(one: Any, other: Any, place: str = "") -> Iterator[FieldDifference]:
    """Yield where two JSON values differ; what follows from the rest, the checksum, is left out."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in dict.fromkeys([*one, *other]):
            if (place, key) != ("", "checksum"):
                yield from differences(one.get(key), other.get(key), f"{place}.{key}".lstrip("."))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from differences(left, right, f"{place}[{number}]")
    elif one != other:
        yield FieldDifference(place, _short(one), _short(other))


def _short(value: Any) -> str:
    return f"a list of {len(value)}" if isinstance(value, list) else f"“{shortened(str(value))}”"
