"""The findings of verifying a report: mismatches, facts taken on trust, and differences between two reports."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, takewhile
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, get_args

from pydantic import BaseModel

from ..kernel.one_line import shortened_line
from ..report import Report


def _fields(owner: str, names: str) -> tuple[str, ...]:
    return tuple(f"{owner}.{name}" for name in names.split())


ON_TRUST: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({
    "that its texts are those of its pages and files: a replaced text, with a matching hash and matching citations, is "
    "found only by reading them again (--refetch, --folder)": (),
    "titles of sections, words that only repeat the question, and words that do not affect the verdict on their "
    "sentence; which sections are quoted, where nothing in them is another's word": (
        *_fields("sections[]", "title quoted"), *_fields("sections[].blocks[].sentences[]", "parts parts[]"),
    ),
    "that what was removed as irrelevant to the question is irrelevant, and how far it was supported": (
        "removed[].verdict",
    ),
    "that the lists of removed sentences and sub-questions are complete, their words, and why a sentence was removed": (
        "removed", *_fields("removed[]", "section text reasons reasons[]"), "coverage", "coverage[].question",
    ),
    "further reasons of a verdict, and what decided it": (
        *_fields("sections[].blocks[].sentences[]", "verdict.reasons verdict.reasons[] verdict.method rewritten"),
    ),
    "notices, failures, what was searched and what it cost": (
        "outcome", "network", "notices", "notices[]", *_fields("failures[]", "who what why"),
        "dropped_markers", "queries", "queries[]", "folders", "web", "filters", "searches",
        *_fields("searches[]", "query engine results error"), "calls",
        *_fields("calls[]", "kind what count failed prompt_tokens completion_tokens cost"),
        *_fields("spending", "calls cost"),
    ),
    "when, in which run, in which language and by which model it was written": ("date", "run", "language", "writer"),
    "the description of sources that are not cited, and author, site and summary of those that are": (
        *_fields("sources[]", "author site location summary brief_summary snippet keywords task quality score "
                 "extractor published credibility_score credibility_tier domain url"),
        *_fields("sources[].passages[]", "page line last_line heading end score ocr_confidence"),
    ),
})  # fmt: skip
"""What a file cannot prove about itself, in words, with the fields concerned. A change of one field of one list item
may go undetected too."""


Subject = Literal[
    "checksum", "signature", "snapshots", "sources", "references", "citations", "claims", "verdicts", "removed",
    "contradictions", "coverage", "copies", "figures", "run", "shown",
]  # fmt: skip
"""The subjects of the checks, in the order of reporting."""


class Mismatch(BaseModel, frozen=True):
    """An inconsistency within a report.

    `section` and `sentence` count from 1; they are None for something outside of sections.
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
    """The number of checks by subject, the mismatches, and what could not be checked again.

    `on_trust` is what no file can prove about itself, see ON_TRUST. `signer` is the public key that signed the whole
    file; its owner vouches for the facts on trust. It is empty without a valid signature.
    """

    checked: dict[Subject, int]
    mismatches: list[Mismatch] = []
    unchecked: list[str] = []
    on_trust: list[str] = []
    signer: str = ""

    @property
    def holds(self) -> bool:
        """Whether there are no mismatches."""
        return not self.mismatches


@dataclass(slots=True)
class Findings:
    """Counts checks, and collects mismatches and what cannot be checked."""

    _checked: Counter[Subject] = field(default_factory=Counter)
    _mismatches: list[Mismatch] = field(default_factory=list)
    _unchecked: dict[str, None] = field(default_factory=dict)
    signer: str = ""

    def count(self, subject: Subject, number: int = 1) -> None:
        """Add to the number of checks of a subject."""
        self._checked[subject] += number

    def wrong(self, subject: Subject, what: str, *, section: int | None = None, sentence: int | None = None) -> None:
        """Add a mismatch; section and sentence count from 1."""
        self._mismatches.append(Mismatch(subject=subject, what=what, section=section, sentence=sentence))

    def expect(self, holds: bool, subject: Subject, what: str) -> None:
        """Add a mismatch unless it `holds`."""
        if not holds:
            self.wrong(subject, what)

    def unchecked(self, what: str) -> None:
        """Add something that could not be checked again; repeated additions have no effect."""
        self._unchecked[what] = None

    @property
    def agree(self) -> bool:
        """Whether there are no mismatches so far, except of checksum and signature."""
        return all(mismatch.subject in ("checksum", "signature") for mismatch in self._mismatches)

    @property
    def verification(self) -> Verification:
        """The findings by subject."""
        order: tuple[Subject, ...] = get_args(Subject)
        return Verification(
            checked={subject: self._checked[subject] for subject in order if self._checked[subject]},
            mismatches=sorted(self._mismatches, key=lambda mismatch: order.index(mismatch.subject)),
            unchecked=list(self._unchecked),
            on_trust=list(ON_TRUST),
            signer=self.signer,
        )


MOST: Final = 20
"""Most differences that are listed."""

SHOWN: Final = 80  # characters of a text that a message shows


def compared(verification: Verification, report: Report, again: Report) -> Verification:
    """Add the fields in which a report differs from the one made again from its run; nothing remains on trust."""
    found = islice(differences(report.model_dump(mode="json"), again.model_dump(mode="json")), MOST)
    mismatches = [Mismatch(subject="run", what=f"{path} is {left}; its run gives {now}") for path, left, now in found]
    return _with(verification.model_copy(update={"on_trust": []}), "run", mismatches)


def with_shown(verification: Verification, name: str, shown: bytes, rendered: bytes) -> Verification:
    """Add a check that the file `shown` equals the `rendered` report."""
    found = []
    if shown != rendered:
        pairs = zip(shown.split(b"\n"), rendered.split(b"\n"), strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        line = 1 + min(same, shown.count(b"\n"), rendered.count(b"\n"))
        found = [
            Mismatch(subject="shown", what=f"{name} is not this report as Spyglass writes it: line {line} differs")
        ]
    return _with(verification, "shown", found)


def _with(verification: Verification, subject: Subject, found: Sequence[Mismatch]) -> Verification:
    """Return a verification with one more check of a subject, and its mismatches."""
    checked = {**verification.checked, subject: 1 + verification.checked.get(subject, 0)}
    return verification.model_copy(update={"checked": checked, "mismatches": [*verification.mismatches, *found]})


class FieldDifference(NamedTuple):
    """A field in which two JSON values differ: its path, and both values in words."""

    path: str
    left: str
    right: str


def differences(left: Any, right: Any, path: str = "") -> Iterator[FieldDifference]:
    """Yield the differences between two JSON values, except the checksum, which follows from the rest."""
    if isinstance(left, dict) and isinstance(right, dict):
        for key in dict.fromkeys([*left, *right]):
            if (path, key) != ("", "checksum"):
                yield from differences(left.get(key), right.get(key), f"{path}.{key}".lstrip("."))
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for number, pair in enumerate(zip(left, right, strict=True)):
            yield from differences(*pair, f"{path}[{number}]")
    elif left != right:
        yield FieldDifference(path, _short(left), _short(right))


def _short(value: Any) -> str:
    return f"a list of {len(value)}" if isinstance(value, list) else f"“{shortened_line(str(value), SHOWN)}”"
