"""Asks a model about the claims that words do not settle; it must quote the evidence for its verdict."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import BaseModel

from ..kernel.notice import Notice
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.source import Passage, Span, Support, Verdict
from ..model import Model, Prompt
from ..model.structured import structured
from ..prompts import quoted, render

MOST_ASKED: Final = 20
"""Most claims in one question."""

DECIDES: Final = "minicheck"
"""Part of the name of a model that only decides: given a document and a claim it says yes or no (MiniCheck, Tang et
al., 2024; Ollama has `bespoke-minicheck`)."""

LONGEST_DECISION: Final = 16
"""Most tokens of such an answer, which is a word."""

SCORES: Final[dict[Support, float]] = {"supported": 0.9, "partial": 0.6, "unsupported": 0.1, "contradicted": 0.1}
"""The scores of a model's verdicts; it is asked only where words do not settle the claim."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A claim, and the passages that may support it, each with its number among those of the run.

    `span` is the nearest evidence by words.
    """

    claim: str
    passages: tuple[tuple[int, Passage], ...]
    reasons: tuple[Notice, ...] = ()
    span: Span | None = None


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
    needs none. All claims are in one question; a model trained to decide is asked about each claim. Raises ModelError.
    """
    if decides(model):
        return [await _decided(model, run, doubt) for doubt in doubts]
    doubt_of = {f"c{number}": doubt for number, doubt in enumerate(doubts, start=1)}
    blocks = "\n\n".join(_block(short_id, doubt) for short_id, doubt in doubt_of.items())
    prompt = render("entailment", settings.models.prompts, claims=blocks)
    answer = await structured(model, run, prompt, Judgements, role="checker", default=Judgements(), attempts=2)
    judgement_of = {judgement.id: judgement for judgement in answer.verdicts}
    return [
        _verdict(judgement_of[short_id], doubt, model.name) if short_id in judgement_of else None
        for short_id, doubt in doubt_of.items()
    ]


def decides(model: Model) -> bool:
    """Whether a model is trained to decide on single claims, and can do nothing else."""
    return DECIDES in model.name.casefold()


async def _decided(model: Model, run: Run, doubt: Doubt) -> Verdict | None:
    """Return the verdict of a model that says yes or no; its evidence is the span found by words."""
    document = "\n\n".join(f"{passage.heading}\n{passage.text}".strip() for _, passage in doubt.passages)
    answer = await model.complete(
        run, Prompt("", f"Document: {document}\nClaim: {doubt.claim}"), role="checker", max_tokens=LONGEST_DECISION
    )
    match answer.strip().casefold()[:3].strip(".,! "):
        case "yes":
            return _told("supported", doubt, model.name, doubt.span)
        case "no":
            return _told("unsupported", doubt, model.name)
    return None


def _told(verdict: Support, doubt: Doubt, name: str, span: Span | None = None) -> Verdict:
    """Return the verdict that a model gives, with its reasons."""
    found = [Notice("model_reads_so", model=name)]
    reasons = [*doubt.reasons, Notice("model_finds_nothing", model=name)] if verdict == "unsupported" else found
    return Verdict(verdict=verdict, score=SCORES[verdict], span=span, reasons=reasons, method="model")


def _block(short_id: str, doubt: Doubt) -> str:
    passages = (
        quoted(f"{short_id}.{n}", passage.text, passage.heading)
        for n, (_, passage) in enumerate(doubt.passages, start=1)
    )
    return "\n".join([quoted(short_id, doubt.claim, "claim"), *passages])


def _verdict(judgement: Judgement, doubt: Doubt, name: str) -> Verdict | None:
    if judgement.verdict == "unsupported":
        return _told("unsupported", doubt, name)
    spans = (find_quote(judgement.quote, number, passage) for number, passage in doubt.passages)
    span = next(filter(None, spans), None)
    return _told(judgement.verdict, doubt, name, span) if span else None


def find_quote(quote: str, number: int, passage: Passage) -> Span | None:
    """Return where a passage has a quote, ignoring white space; None without it, or if the quote has no word."""
    words = quote.split()
    if not any(char.isalnum() for char in quote):
        return None
    match = re.search(r"\s+".join(map(re.escape, words)), passage.text)
    if match is None:
        return None
    start, end = passage.start + match.start(), passage.start + match.end()
    return Span(passage=number, start=start, end=end, text=match[0])
