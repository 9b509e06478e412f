"""What a claim says and the span of a source does not."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["number", "date", "unit", "name", "negation", "quantifier", "quote", "word"]


@dataclass(frozen=True, slots=True)
class FactMismatch:
    """One thing in which a claim and a span disagree.

    `what` is as the claim has it, `found` what the span has instead, empty where it has nothing. `opposed` says that
    the span says something else in the same place (5 ms for 7 ms), and does not merely lack it. `limits` says that the
    span says less than the claim (most for all, may for does): the claim is supported in part.
    """

    kind: Kind
    what: str
    found: str = ""
    opposed: bool = False
    limits: bool = False
