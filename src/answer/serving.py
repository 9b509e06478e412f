"""Whether statements serve a question at all, whoever wrote them: what is true may still be beside the point."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..kernel.run import Run
from ..kernel.thread import in_thread
from ..rag import Nearness
from .candidate import Candidate, Question
from .ranker import by_meaning, serves, vectors, weights

if TYPE_CHECKING:
    from ..kernel.settings import Settings


async def serving(
    run: Run, settings: "Settings", questions: Sequence[str], candidates: Sequence[Candidate]
) -> list[bool]:
    """Say of each statement whether it serves one of the questions.

    Words tell first; those that words find beside the point are looked at by meaning, too, where the local embedder
    knows the language, which is an effect of the run. The bounds lose one in a hundred of the statements that answer a
    question (`bench/fit_answers.py`).
    """
    left = list(range(len(candidates)))
    asked = [await in_thread(Question, question, candidates) for question in questions]
    for looked_at in (False, True):
        for question in asked:
            rest = [candidates[number] for number in left]
            near = await by_meaning(run, settings, question.text, rest) if looked_at else None
            if rest and (near or not looked_at):
                served = await in_thread(_served, question, rest, near)
                left = [number for number, is_served in zip(left, served, strict=True) if not is_served]
    return [number not in left for number in range(len(candidates))]


def _served(question: Question, candidates: Sequence[Candidate], near: Sequence[Nearness] | None) -> list[bool]:
    model = weights()["meaning" if near else "words"]
    rows = vectors(question, candidates, range(len(candidates)), near or ())
    return [serves(model, row) for row in rows]
