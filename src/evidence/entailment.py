"""Asks a model about the claims that comparing words leaves unsettled; it must quote the evidence for its verdict."""

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
"""Most claims in one request."""

DECIDES: Final = "minicheck"
"""Part of the name of a model that classifies: given a document and a claim it answers yes or no (MiniCheck, Tang et
al., 2024; Ollama has `bespoke-minicheck`)."""

LONGEST_DECISION: Final = 16
"""Most tokens of such an answer, which is one word."""

SCORES: Final[dict[Support, float]] = {"supported": 0.9, "partial": 0.6, "unsupported": 0.1, "contradicted": 0.1}
"""The scores of a model's verdicts."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """An unsettled claim and the passages that may support it, each with its number among those of the run.

    `span` is the best evidence by words, `reasons` why words did not settle it. `before` is the sentence before the
    claim, which tells what a pronoun in it is.
    """

    claim: str
    passages: tuple[tuple[int, Passage], ...]
    reasons: tuple[Notice, ...] = ()
    span: Span | None = None
    before: str = ""


class Judgement(BaseModel):
    """A model's verdict on one claim."""

    id: str
    verdict: Literal["supported", "partial", "unsupported", "contradicted"]
    quote: str = ""


class Judgements(BaseModel):
    """A model's answer: its verdicts on the claims of one request."""

    verdicts: list[Judgement] = []


async def entailed(model: Model, run: Run, settings: Settings, doubts: Sequence[Doubt]) -> list[Verdict | None]:
    """Return a verdict for each of at most MOST_ASKED claims, None if the model gave no usable one.

    A verdict other than `unsupported` needs a quote that a passage of the claim contains verbatim, except for white
    space. All claims go into one request; a model that answers yes or no gets one request for each. Raises ModelError.
    """
    if decides(model):
        return [await _decided(model, run, doubt) for doubt in doubts]
    doubt_of = {f"c{number}": doubt for number, doubt in enumerate(doubts, start=1)}
    blocks = "\n\n".join(_block(short_id, doubt) for short_id, doubt in doubt_of.items())
    prompt = render("entailment", settings.models.prompts, claims=blocks, today=run.today.isoformat())
    answer = await structured(model, run, prompt, Judgements, role="checker", default=Judgements(), attempts=2)
    judgement_of = {judgement.id: judgement for judgement in answer.verdicts}
    return [
        _verdict(judgement_of[short_id], doubt, model.name) if short_id in judgement_of else None
        for short_id, doubt in doubt_of.items()
    ]


def decides(model: Model) -> bool:
    """Whether a model is trained only to classify single claims, by its name."""
    return DECIDES in model.name.casefold()


async def _decided(model: Model, run: Run, doubt: Doubt) -> Verdict | None:
    """Return the verdict of a model that answers yes or no, with the span found by words as its evidence."""
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
    """Return a model's verdict, with its score and reasons."""
    found = [Notice("model_reads_so", model=name)]
    reasons = [*doubt.reasons, Notice("model_finds_nothing", model=name)] if verdict == "unsupported" else found
    return Verdict(verdict=verdict, score=SCORES[verdict], span=span, reasons=reasons, method="model")


def _block(short_id: str, doubt: Doubt) -> str:
    passages = (
        quoted(f"{short_id}.{n}", passage.text, passage.heading)
        for n, (_, passage) in enumerate(doubt.passages, start=1)
    )
    before = [quoted(f"{short_id}.before", doubt.before, "before the claim")] if doubt.before else []
    return "\n".join([*before, quoted(short_id, doubt.claim, "claim"), *passages])


def _verdict(judgement: Judgement, doubt: Doubt, name: str) -> Verdict | None:
    if judgement.verdict == "unsupported":
        return _told("unsupported", doubt, name)
    spans = (find_quote(judgement.quote, number, passage) for number, passage in doubt.passages)
    span = next(filter(None, spans), None)
    return _told(judgement.verdict, doubt, name, span) if span else None


def find_quote(quote: str, number: int, passage: Passage) -> Span | None:
    """Return the span of a quote in a passage, ignoring white space; None if it is missing or has no word."""
    words = quote.split()
    if not any(char.isalnum() for char in quote):
        return None
    match = re.search(r"\s+".join(map(re.escape, words)), passage.text)
    if match is None:
        return None
    start, end = passage.start + match.start(), passage.start + match.end()
    return Span(passage=number, start=start, end=end, text=match[0])
