"""Texts in many languages are compared by what they mean."""

import math

import numpy as np

from rag.shelf import running
from spyglass.kernel.settings import Settings
from spyglass.rag.multilingual import multilingual_model

MODEL = multilingual_model()
ASKED = "Wie viel verdient ein Arzt?"
TEXTS = ["Mediziner erhalten 90.000 Euro im Jahr.", "Los médicos ganan unos 60.000 euros al año.", "Es regnet.", ""]


async def test_what_means_the_same_is_near_in_other_words_and_in_another_language(settings: Settings) -> None:
    async with running(settings) as run:
        (query,), (like, foreign, other, empty) = await MODEL.encode(run, [ASKED], TEXTS)
    assert 1.01 > MODEL.nearness(query, query) > 0.99
    assert min(MODEL.nearness(query, one) for one in (like, foreign)) > 1.5 * MODEL.near
    assert max(MODEL.nearness(query, one) for one in (other, empty)) < MODEL.near / 2


async def test_a_vector_has_length_1_and_does_not_depend_on_its_company(settings: Settings) -> None:
    async with running(settings) as run:
        (alone,) = await MODEL.embed(run, [ASKED])
        in_company = (await MODEL.embed(run, ["Wort " * 400, ASKED, ""]))[1]
    assert len(alone) == 512
    assert math.isclose(sum(x * x for x in alone), 1, rel_tol=1e-4)
    assert np.allclose(alone, in_company, atol=1e-5)
