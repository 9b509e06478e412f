"""The cross-encoder with the weights that were fitted to what people ask of their files."""

from importlib.resources import files

import numpy as np
import pytest
from safetensors.numpy import load

from spyglass.rag.cross_encoder import WEIGHTS, cross_encoder

CUT = "If the line is lost, the program waits for ten minutes and dials again."
PRICE = "How often does the price of a line change?"


def test_what_answers_in_other_words_is_nearer_to_what_shares_the_words_than_in_the_model_as_it_came() -> None:
    question, same_words = "What happens when my connection drops?", "Drops of water have no connection."
    before, after = (
        one.score(question, CUT) - one.score(question, same_words)
        for one in (cross_encoder(is_fitted=False), cross_encoder(is_fitted=True))
    )
    assert before + 3 < after


def test_the_weights_are_those_of_the_models_upper_layers_and_count() -> None:
    weights = load(files("spyglass.rag").joinpath(WEIGHTS).read_bytes())
    matrices = [own for own in weights.values() if own.ndim == 2]
    assert {own.dtype for own in matrices} == {np.dtype(np.int8)}
    assert len(matrices) == 4 * 6 + 2
    as_it_came = cross_encoder(is_fitted=False)
    assert as_it_came.score(PRICE, CUT) != cross_encoder(is_fitted=True).score(PRICE, CUT)


@pytest.mark.parametrize("text", ["", CUT, "line " * 5_000])
def test_a_text_of_any_length_is_read(text: str) -> None:
    assert -20 < cross_encoder(is_fitted=True).score(PRICE, text) < 20
