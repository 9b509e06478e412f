"""Asks the model that writes whether its sentences answer the question, and which of them are beside the point."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel

from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.source import Ranked
from ..markup import Unit
from ..model import Model
from ..model.structured import structured
from ..prompts import quoted, render

MOST_JUDGED = 200
"""Most sentences in a request; of a longer report no part is judged, since further ones may answer it."""

LONGEST_QUESTION = 1_000
"""Most characters of a question or a part of it in a prompt."""


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
    """The verdict for the question and each part, none if unknown, and the sentences that are beside the point."""

    verdicts: dict[str, Ranked] = field(default_factory=dict)
    beside: Sequence[Unit] = ()


async def judged(
    model: Model, run: Run, settings: Settings, question: str, parts: Sequence[str], sentences: Sequence[Unit]
) -> Judged | None:
    """Return what the model says of cited sentences, None without a usable answer. Raises ModelError.

    A part is answered only by sentences that the model names and that are wholly supported; “plainly” if they cite two
    sources. A part that the model leaves out is not found; without its verdict on the question itself the answer is not
    usable. Where the question as a whole is not answered at all, its parts, which a plan may have added to it, are
    answered “perhaps” at most.
    """
    several = parts if len(set(parts)) > 1 else []  # a plan's only part is the question, in other words
    part_of = {f"q{number}": part for number, part in enumerate(dict.fromkeys([question, *several]), start=1)}
    sentence_of = {f"c{number}": one for number, one in enumerate(sentences[:MOST_JUDGED], start=1)}
    prompt = render(
        "judging",
        settings.models.prompts,
        question=question[:LONGEST_QUESTION],
        parts="\n".join(quoted(short_id, part[:LONGEST_QUESTION], "part") for short_id, part in part_of.items()),
        sentences="\n".join(quoted(short_id, one.text, "sentence") for short_id, one in sentence_of.items()),
    )
    answer = await structured(model, run, prompt, Judging, role="writer", default=Judging(), attempts=1)
    told = {one.id: one for one in answer.parts}
    if "q1" not in told:
        return None
    answering = {short_id: one for short_id, one in sentence_of.items() if short_id not in answer.beside}
    verdicts = {part: _verdict(told.get(short_id), answering) for short_id, part in part_of.items()}
    verdicts = {part: verdicts.get(part, verdicts[question]) for part in (question, *parts)}
    if verdicts[question] == "not found":
        verdicts = {part: one if one == "not found" else "perhaps" for part, one in verdicts.items()}
    beside = [one for short_id, one in sentence_of.items() if short_id in answer.beside]
    return Judged(verdicts if len(sentences) <= MOST_JUDGED else {}, beside)


def _verdict(told: PartVerdict | None, answering: Mapping[str, Unit]) -> Ranked:
    """Return the verdict on a part, from the sentences by id that may answer it."""
    if told is None or told.verdict == "not found":
        return "not found"
    named = [one for one in map(answering.get, told.by) if one and one.verdict and one.verdict.verdict == "supported"]
    sources = {cite.passage.partition(".")[0] for one in named for cite in one.cites}
    return "partly" if told.verdict == "partly" or not named else "plainly" if len(sources) > 1 else "answered"
