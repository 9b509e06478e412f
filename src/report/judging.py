"""Asks the model that writes whether its sentences answer the question, and which of them are beside the point."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel

from ..kernel.run import Run
from ..kernel.settings import Settings
from ..markup import Unit
from ..model import Model
from ..model.structured import structured
from ..prompts import quoted, render
from .report import Ranked

MOST_JUDGED = 60
"""Most sentences in a request; further ones are taken to serve the question."""


class PartVerdict(BaseModel):
    """A model's verdict on one part of the question."""

    id: str
    verdict: Literal["answered", "partly", "not found"]
    by: list[str] = []


class Judging(BaseModel):
    """A model's answer."""

    parts: list[PartVerdict] = []
    beside: list[str] = []


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict for each part of a question that the model has judged, and the sentences that it finds beside it."""

    verdicts: dict[str, Ranked] = field(default_factory=dict)
    beside: Sequence[Unit] = ()


async def judged(
    model: Model, run: Run, settings: Settings, question: str, parts: Sequence[str], sentences: Sequence[Unit]
) -> Judged | None:
    """Return what the model says of cited sentences, None without a usable answer. Raises ModelError.

    A part is answered only by sentences that the model names; “plainly” if they cite two sources.
    """
    part_of = {f"q{number}": part for number, part in enumerate(parts, start=1)}
    sentence_of = {f"c{number}": one for number, one in enumerate(sentences[:MOST_JUDGED], start=1)}
    prompt = render(
        "judging",
        settings.models.prompts,
        question=question,
        parts="\n".join(quoted(short_id, part, "part") for short_id, part in part_of.items()),
        sentences="\n".join(quoted(short_id, one.text, "sentence") for short_id, one in sentence_of.items()),
    )
    answer = await structured(model, run, prompt, Judging, role="writer", default=Judging(), attempts=1)
    verdicts = {
        part_of[one.id]: _verdict(one, [sentence_of[short_id] for short_id in one.by if short_id in sentence_of])
        for one in answer.parts
        if one.id in part_of
    }
    beside = [one for short_id, one in sentence_of.items() if short_id in answer.beside]
    return Judged(verdicts, beside) if verdicts else None


def _verdict(one: PartVerdict, named: Sequence[Unit]) -> Ranked:
    if one.verdict == "not found" or not named:
        return "not found" if one.verdict == "not found" else "partly"
    sources = {cite.passage.partition(".")[0] for sentence in named for cite in sentence.cites}
    return "partly" if one.verdict == "partly" else "plainly" if len(sources) > 1 else "answered"
