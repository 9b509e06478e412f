"""Asks a model about the claims that words do not settle; it must quote what its verdict rests on."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import BaseModel

from ..kernel.notice import Notice
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.source import Passage, Span, Verdict
from ..model.model import Model
from ..model.structured import structured
from ..prompts import quoted, render

MOST_ASKED: Final = 20
"""Claims that one question holds."""

SUPPORTED, PARTIAL, REFUTED = 0.9, 0.6, 0.1
"""The scores of a model's verdicts: it was asked since words did not settle it."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A claim, and the passages (their number among those of the run, and they themselves) that may support it."""

    claim: str
    passages: tuple[tuple[int, Passage], ...]
    reasons: tuple[Notice, ...] = ()


class Judgement(BaseModel):
    """A model's verdict on one claim."""

    id: str
    verdict: Literal["supported", "partial", "unsupported", "contradicted"]
    quote: str = ""


class Judgements(BaseModel):
    """A model's answer."""

    verdicts: list[Judgement] = []


async def entailed(model: Model, run: Run, settings: Settings, doubts: Sequence[Doubt]) -> list[Verdict | None]:
    """Return a verdict for each of at most MOST_ASKED claims, None where the model gave no usable one.

    A verdict counts only with a quote that stands verbatim, white space aside, in a passage of the claim; `unsupported`
    needs none. One question is asked for all. Raises ModelError.
    """
    asked = {f"c{number}": doubt for number, doubt in enumerate(doubts, start=1)}
    blocks = "\n\n".join(_block(short_id, doubt) for short_id, doubt in asked.items())
    prompt = render("entailment", settings.models.prompts, claims=blocks)
    answer = await structured(model, run, prompt, Judgements, role="checker", default=Judgements(), attempts=2)
    given = {judgement.id: judgement for judgement in answer.verdicts}
    return [
        _verdict(given[short_id], doubt, model.name) if short_id in given else None for short_id, doubt in asked.items()
    ]


def _block(short_id: str, doubt: Doubt) -> str:
    passages = (quoted(f"{short_id}.{n}", one.text, one.heading) for n, (_, one) in enumerate(doubt.passages, start=1))
    return "\n".join([quoted(short_id, doubt.claim, "claim"), *passages])


def _verdict(judgement: Judgement, doubt: Doubt, name: str) -> Verdict | None:
    """Return the verdict that a model's judgement comes to, None when its quote is not the source's."""
    if judgement.verdict == "unsupported":
        reasons = [*doubt.reasons, Notice("model_finds_nothing", model=name)]
        return Verdict(verdict="unsupported", score=REFUTED, reasons=reasons, method="model")
    span = next((span for number, one in doubt.passages if (span := found(judgement.quote, number, one))), None)
    if span is None:
        return None
    score = {"supported": SUPPORTED, "partial": PARTIAL, "contradicted": REFUTED}[judgement.verdict]
    reasons = [Notice("model_reads_so", model=name)]
    return Verdict(verdict=judgement.verdict, score=score, span=span, reasons=reasons, method="model")


def found(quote: str, number: int, passage: Passage) -> Span | None:
    """Return where a passage has a quote, white space aside; None when it has not, or the quote has no word."""
    words = quote.split()
    if not any(char.isalnum() for char in quote):
        return None
    match = re.search(r"\s+".join(map(re.escape, words)), passage.text)
    if match is None:
        return None
    start, end = passage.start + match.start(), passage.start + match.end()
    return Span(passage=number, start=start, end=end, text=match[0])
