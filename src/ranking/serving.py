"""Decides whether statements of any origin serve a question: a true statement may still be beside the point."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..kernel.run import Run
from ..kernel.thread import in_thread
from ..rag import relevance
from .candidate import Candidate, Question
from .features import UNSCORED, ModelScores
from .ranker import serves, vectors, weights

if TYPE_CHECKING:
    from ..kernel.settings import Settings


async def serving(
    run: Run, settings: "Settings", questions: Sequence[str], candidates: Sequence[Candidate]
) -> list[bool]:
    """Return for each statement whether it serves one of the questions.

    Statements are first judged by words; those found beside the point are also scored by the local models, an effect
    of the run, if it supports the language. The thresholds lose one in a hundred of the statements that answer a
    question (`bench/fit_answers.py`).
    """
    left = list(range(len(candidates)))
    asked = [await in_thread(Question, question, candidates) for question in questions]
    for kind in ("words", "relevance"):
        for question in asked:
            rest = [candidates[number] for number in left]
            read: Sequence[ModelScores] = [UNSCORED] * len(rest)
            if kind == "relevance":
                texts = [one.below_headings for one in rest]
                read = [ModelScores(one) for one in await relevance(run, settings, question.text, texts) or ()]
            if read:
                served = await in_thread(_served, question, rest, kind, read)
                left = [number for number, is_served in zip(left, served, strict=True) if not is_served]
    return [number not in left for number in range(len(candidates))]


def _served(question: Question, candidates: Sequence[Candidate], kind: str, read: Sequence[ModelScores]) -> list[bool]:
    rows = vectors(question, candidates, range(len(candidates)), read)
    return [serves(weights()[kind], row) for row in rows]
