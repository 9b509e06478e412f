"""Texts are compared with a query by one vector of each and token by token, and both count the same."""

import math

import numpy as np
import pytest

from rag.shelf import running
from spyglass.kernel.settings import Settings
from spyglass.rag.late_interaction import late_interaction
from spyglass.rag.local_comparer import UNRELATED, local_comparer

MODEL = local_comparer()
TEXTS = ["A cat sleeps.", "A kitten is asleep.", "Interest rates rose."]


async def test_like_texts_are_near_and_unlike_ones_are_not(settings: Settings) -> None:
    async with running(settings) as run:
        (query,), (equal, like, other) = await MODEL.encode(run, TEXTS[:1], TEXTS)
    assert 1.01 > MODEL.nearness(query, equal) > MODEL.nearness(query, like) > 0.6 > 0.2
    assert MODEL.nearness(query, other) < 0.2


async def test_the_nearness_is_the_mean_of_both_models(settings: Settings) -> None:
    async with running(settings) as run:
        (query,), texts = await MODEL.encode(run, TEXTS[:1], TEXTS)
        (late_query,), late_texts = await late_interaction().encode(run, TEXTS[:1], TEXTS)
    assert np.allclose(query[1:], late_query)
    assert math.isclose(float(query[0] @ query[0]), 1, rel_tol=1e-5)
    cosine = float(query[0] @ texts[1][0]) / float(np.linalg.norm(texts[1][0]))
    mean = (cosine + late_interaction().similarity(late_query, late_texts[1])) / 2
    assert MODEL.nearness(query, texts[1]) == pytest.approx((mean - UNRELATED) / (1 - UNRELATED), abs=0.01)


async def test_the_end_of_a_long_text_counts_for_the_embedder_too(settings: Settings) -> None:
    start = "A plain sentence that says very little about anything. " * 24
    async with running(settings) as run:
        _, (one, other) = await MODEL.encode(run, [], [start + "Volcanoes erupt.", start + "Tax law is dull."])
    assert not np.array_equal(one[0], other[0])


async def test_an_encoded_text_does_not_depend_on_its_company(settings: Settings) -> None:
    async with running(settings) as run:
        _, (alone,) = await MODEL.encode(run, [], ["A cat sleeps."])
        _, in_company = await MODEL.encode(run, [], ["word " * 400, "A cat sleeps.", ""])
    assert np.array_equal(in_company[1], alone)
