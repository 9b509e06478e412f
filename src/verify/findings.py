"""What checking a report has found so far."""

from collections import Counter
from dataclasses import dataclass, field
from typing import get_args

from .trust import ON_TRUST
from .verification import Mismatch, Subject, Verification


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

    def expect(self, holds: bool, subject: Subject, what: str) -> bool:
        """Keep a mismatch unless it `holds`, and say whether it does."""
        if not holds:
            self.wrong(subject, what)
        return holds

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
