"""Texts are compared with a query by the vectors of their tokens."""

from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load

from rag.shelf import running
from spyglass.kernel.settings import Settings
from spyglass.rag.late_interaction import STEPS, WEIGHTS, late_interaction

QUESTION = "How do I throw away a whole folder?"
ANSWER = "With -r, rm deletes directories and all that is in them."
SAME_WORDS = ("A folder is a whole sheet that is folded once.", "Throw the ball away.")
MODEL = late_interaction()


async def test_like_texts_are_near_and_unlike_ones_are_not(settings: Settings) -> None:
    async with running(settings) as run:
        texts = ["A cat sleeps.", "A kitten is asleep.", "Interest rates rose."]
        (query,), (equal, like, other) = await MODEL.encode(run, texts[:1], texts)
    assert query.shape[1] == equal.shape[1] == 384
    assert 1.01 > MODEL.similarity(query, equal) > MODEL.similarity(query, like) > 0.78 > 0.56
    assert MODEL.similarity(query, other) < 0.56


async def test_an_encoded_text_does_not_depend_on_its_company(settings: Settings) -> None:
    async with running(settings) as run:
        _, (alone,) = await MODEL.encode(run, [], ["A cat sleeps."])
        _, in_company = await MODEL.encode(run, [], ["word " * 400, "A cat sleeps.", ""])
    assert np.array_equal(in_company[1], alone)


def test_the_end_of_a_long_text_counts() -> None:
    start = "A plain sentence that says very little about anything. " * 24
    query = MODEL.query_vectors("Which mountains erupt?")
    one, other = (MODEL.text_vectors(start + end) for end in ("Volcanoes erupt.", "Tax law is dull."))
    assert MODEL.similarity(query, one) > MODEL.similarity(query, other)


def test_what_answers_in_other_words_scores_above_what_shares_the_words() -> None:
    assert scored(ANSWER) > max(map(scored, SAME_WORDS))


def test_the_weights_are_those_of_the_models_upper_layers_and_of_the_score() -> None:
    weights = load(files("spyglass.rag").joinpath(WEIGHTS).read_bytes())
    matrices = [own for own in weights.values() if own.ndim == 2]
    assert {own.dtype for own in matrices} == {np.dtype(np.int8)}
    assert len(matrices) == 4 * 6
    assert {name: weights[name].shape for name in MODEL.beside} == {"gate": (384,), "scale": (1,), "shift": (1,)}


@given(st.text(max_size=400))
def test_any_text_is_encoded_as_vectors_of_about_length_1(text: str) -> None:
    lengths = np.linalg.norm(MODEL.text_vectors(text).astype(float) / STEPS, axis=1)
    assert np.allclose(lengths, 1, atol=0.05)


@pytest.mark.parametrize("text", ["", ANSWER, "line " * 5_000])
def test_a_text_of_any_length_is_scored(text: str) -> None:
    assert -40 < scored(text) < 40


def scored(text: str) -> float:
    return MODEL.score(MODEL.query_vectors(QUESTION), MODEL.text_vectors(text))
