"""What checking a report again has found so far, and what came of it."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal, get_args

from pydantic import BaseModel

from .trust import ON_TRUST

Subject = Literal[
    "checksum",
    "signature",
    "snapshots",
    "sources",
    "references",
    "citations",
    "claims",
    "verdicts",
    "removed",
    "contradictions",
    "coverage",
    "copies",
    "figures",
    "run",
    "shown",
]
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


def shortened(text: str, most: int = 80) -> str:
    """Return a text on one line, as much of it as a message shows."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
