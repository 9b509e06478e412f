"""What checking a report again has found, what it takes on trust, and where two reports differ."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice, takewhile
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, get_args

from pydantic import BaseModel

from ..kernel.one_line import shortened_line
from ..report import Report

ON_TRUST: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({
    "that the texts it carries are what its pages and files said: whoever writes one anew, with its hash and what is "
    "cited of it, is found by reading them again (--refetch, --folder)": (),
    "titles of sections, words that say no more than what was asked, and those that change nothing of the "
    "verdict on their sentence; which sections are quoted, where nothing in them is another's word": (
        "sections[].title", "sections[].quoted", "sections[].blocks[].sentences[].parts",
        "sections[].blocks[].sentences[].parts[]",
    ),
    "that what was left out for not serving the question does not, and how far it was supported": (
        "removed[].verdict",
    ),
    "that no removed sentence and no sub-question is left out of its list, their words, and why a sentence was taken "
    "out": (
        "removed", "removed[].section", "removed[].text", "removed[].reasons", "removed[].reasons[]",
        "coverage", "coverage[].question",
    ),
    "further reasons of a verdict, and what decided it": (
        "sections[].blocks[].sentences[].verdict.reasons", "sections[].blocks[].sentences[].verdict.reasons[]",
        "sections[].blocks[].sentences[].verdict.method", "sections[].blocks[].sentences[].rewritten",
    ),
    "notices, failures, what was searched and what it cost": (
        "outcome", "network", "notices", "notices[]", "failures[].who", "failures[].what", "failures[].why",
        "dropped_markers", "queries", "queries[]", "folders", "web", "filters", "searches", "searches[].query",
        "searches[].engine",
        "searches[].results", "searches[].error", "calls", "calls[].kind", "calls[].what", "calls[].count",
        "calls[].failed", "calls[].prompt_tokens", "calls[].completion_tokens", "calls[].cost", "spending.calls",
        "spending.cost",
    ),
    "when, in which run, in which language and by which model it was written": ("date", "run", "language", "writer"),
    "what sources are said to be that are not cited, and of those that are, author, site and summary": (
        "sources[].author", "sources[].site", "sources[].location", "sources[].summary", "sources[].brief_summary",
        "sources[].snippet", "sources[].keywords", "sources[].task", "sources[].quality", "sources[].score",
        "sources[].extractor", "sources[].published", "sources[].credibility_score", "sources[].credibility_tier",
        "sources[].domain", "sources[].url", "sources[].passages[].page", "sources[].passages[].line",
        "sources[].passages[].last_line", "sources[].passages[].heading", "sources[].passages[].end",
        "sources[].passages[].score", "sources[].passages[].ocr_confidence",
    ),
})  # fmt: skip
"""In plain words, with the fields; in lists of items too, a change of one field of one item may go unseen."""


Subject = Literal[
    "checksum", "signature", "snapshots", "sources", "references", "citations", "claims", "verdicts", "removed",
    "contradictions", "coverage", "copies", "figures", "run", "shown",
]  # fmt: skip
"""What is checked, in this order."""


class Mismatch(BaseModel, frozen=True):
    """Something in a report that does not agree with the rest of it.

    `section` and `sentence` count from 1; None where it stands in none of them.
    """

    subject: Subject
    what: str
    section: int | None = None
    sentence: int | None = None

    @property
    def where(self) -> str:
        """The place in words."""
        parts = {"section": self.section, "sentence": self.sentence}
        return ", ".join(f"{name} {number}" for name, number in parts.items() if number is not None)


class Verification(BaseModel, frozen=True):
    """How much was checked of each subject, what does not agree, and what could not be checked again.

    `on_trust` is what no file can prove of itself: see ON_TRUST. `signer` is the public key by which it is signed, all
    of it: who trusts its owner has their word for the rest. It is empty where there is no signature, or a wrong one.
    """

    checked: dict[Subject, int]
    mismatches: list[Mismatch] = []
    unchecked: list[str] = []
    on_trust: list[str] = []
    signer: str = ""

    @property
    def holds(self) -> bool:
        """Whether everything that was checked agrees."""
        return not self.mismatches


@dataclass(slots=True)
class Findings:
    """Counts what is checked, and keeps what does not agree and what cannot be checked."""

    _checked: Counter[Subject] = field(default_factory=Counter)
    _mismatches: list[Mismatch] = field(default_factory=list)
    _unchecked: dict[str, None] = field(default_factory=dict)
    signer: str = ""

    def count(self, subject: Subject, number: int = 1) -> None:
        """Say that so many of a subject are checked."""
        self._checked[subject] += number

    def wrong(self, subject: Subject, what: str, *, section: int | None = None, sentence: int | None = None) -> None:
        """Keep a mismatch; section and sentence count from 1."""
        self._mismatches.append(Mismatch(subject=subject, what=what, section=section, sentence=sentence))

    def expect(self, holds: bool, subject: Subject, what: str) -> None:
        """Keep a mismatch unless it `holds`."""
        if not holds:
            self.wrong(subject, what)

    def unchecked(self, what: str) -> None:
        """Say what could not be checked again, once."""
        self._unchecked[what] = None

    @property
    def agree(self) -> bool:
        """Whether nothing is wrong so far, but for the checksum and the signature."""
        return all(one.subject in ("checksum", "signature") for one in self._mismatches)

    @property
    def verification(self) -> Verification:
        """What was found, by subject."""
        order: tuple[Subject, ...] = get_args(Subject)
        return Verification(
            checked={subject: self._checked[subject] for subject in order if self._checked[subject]},
            mismatches=sorted(self._mismatches, key=lambda one: order.index(one.subject)),
            unchecked=list(self._unchecked),
            on_trust=list(ON_TRUST),
            signer=self.signer,
        )


MOST: Final = 20
"""Differences that are told."""

SHOWN: Final = 80  # characters of a text that a message shows


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
        pairs = zip(shown.split(b"\n"), rendered.split(b"\n"), strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        line = 1 + min(same, shown.count(b"\n"), rendered.count(b"\n"))
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
    return f"a list of {len(value)}" if isinstance(value, list) else f"“{shortened_line(str(value), SHOWN)}”"
