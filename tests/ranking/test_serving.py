"""What is true may be beside the point: a statement serves a question or it does not, whoever wrote it."""

import pytest

from spyglass.kernel.run import Run
from spyglass.ranking import serving
from spyglass.ranking.candidate import Candidate

QUESTIONS = ["How deep is the basin of the harbour of Altmere?"]
PASSAGE = "The basin of the harbour of Altmere is seven metres deep at low water. Ships of eighty metres may enter."


def claim(text: str, passage: str = PASSAGE, around: str = "harbour.md\nThe harbour of Altmere\n") -> Candidate:
    return Candidate(text, around=around, passage=passage)


@pytest.mark.parametrize("dense", [True, False], ids=["with meaning", "by words"])
async def test_claims_about_something_else_do_not_serve(run: Run, dense: bool) -> None:
    beside = "Honey bees tell each other by a dance where the flowers are."
    claims = [
        claim("The basin is seven metres deep at low water."),
        claim(beside, beside, "bees.md\nHoney bees\n"),
        claim("At low water ships find seven metres in the harbour of Altmere."),
    ]
    settings = run.settings.updated(retrieval__dense=dense)
    assert await serving(run, settings, QUESTIONS, claims) == [True, False, True]


async def test_a_claim_that_serves_one_of_several_questions_serves(run: Run) -> None:
    dance = "Honey bees tell each other by a dance where the flowers are."
    claims = [claim(dance, dance, "bees.md\nHoney bees\n")]
    questions = [*QUESTIONS, "How do honey bees tell each other where flowers are?"]
    assert await serving(run, run.settings, questions, claims) == [True]
    assert await serving(run, run.settings, questions, []) == []
