"""What came of checking a report again."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

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


class Mismatch(BaseModel):
    """Something in a report that does not agree with the rest of it.

    `section` and `sentence` count from 1; None where it stands in none of them.
    """

    model_config = ConfigDict(frozen=True)

    subject: Subject
    what: str
    section: int | None = None
    sentence: int | None = None

    @property
    def where(self) -> str:
        """The place in words."""
        parts = {"section": self.section, "sentence": self.sentence}
        return ", ".join(f"{name} {number}" for name, number in parts.items() if number is not None)


class Verification(BaseModel):
    """How much was checked of each subject, what does not agree, and what could not be checked again.

    `on_trust` is what no file can prove of itself: see ON_TRUST. `signer` is the public key by which it is signed, all
    of it: who trusts its owner has their word for the rest. It is empty where there is no signature, or a wrong one.
    """

    model_config = ConfigDict(frozen=True)

    checked: dict[Subject, int]
    mismatches: list[Mismatch] = []
    unchecked: list[str] = []
    on_trust: list[str] = []
    signer: str = ""

    @property
    def holds(self) -> bool:
        """Whether everything that was checked agrees."""
        return not self.mismatches
