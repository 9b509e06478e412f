"""Both fine-tuned models score how well texts answer a query."""

import pytest

from rag.shelf import running
from spyglass.kernel.settings import Settings
from spyglass.rag import relevance
from spyglass.rag.cross_encoder import cross_encoder
from spyglass.rag.late_interaction import late_interaction
from spyglass.rag.relevance import CROSS, LATE, LEVEL

QUESTION = "How long does the program wait before it dials again?"
TEXTS = ["If the line is lost, the program waits for ten minutes and dials again.", "Bees live in hives."]


async def test_the_score_is_the_weighted_sum_of_both_models(settings: Settings) -> None:
    async with running(settings) as run:
        scores = await relevance(run, settings, QUESTION, TEXTS)
        as_it_came = await relevance(run, settings, QUESTION, TEXTS, by="original")
        likeness = await relevance(run, settings, QUESTION, TEXTS, by="late")
    assert scores is not None
    assert as_it_came is not None
    assert likeness is not None
    query = late_interaction().query_vectors(QUESTION)
    crossed = [cross_encoder(is_fitted=True).score(QUESTION, text) for text in TEXTS]
    late = [late_interaction().score(query, late_interaction().text_vectors(text)) for text in TEXTS]
    expected = [CROSS * one + LATE * other + LEVEL for one, other in zip(crossed, late, strict=True)]
    assert scores == pytest.approx(expected, abs=0.01)
    assert as_it_came == pytest.approx([cross_encoder(is_fitted=False).score(QUESTION, t) for t in TEXTS], abs=0.01)
    assert likeness == pytest.approx(late, abs=0.01)
    assert scores[0] > 0 > scores[1]


async def test_queries_in_other_languages_and_without_meaning_are_not_scored(settings: Settings) -> None:
    async with running(settings) as run:
        assert await relevance(run, settings, "Wie lange wartet das Programm vor dem Wählen?", TEXTS) is None
        assert await relevance(run, settings.updated(retrieval__dense=False), QUESTION, TEXTS) is None
        assert await relevance(run, settings, QUESTION, []) is None
