"""Fitted weights replace those of a packaged model, and give the same scores on every processor."""

import numpy as np
import onnxruntime
import pytest

from rag.test_cross_encoder import CUT, PRICE
from spyglass.rag.cross_encoder import MODEL, cross_encoder
from spyglass.rag.onnx_weights import with_weights


@pytest.fixture(scope="module")
def model() -> bytes:
    return MODEL.content()


def output(model: bytes) -> float:
    ids = np.array([[101, 2040, 102, 2054, 102]], np.int64)
    feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    return float(onnxruntime.InferenceSession(model).run(None, feed)[0][0][0])


@pytest.mark.parametrize(
    ("question", "text", "score"),
    [
        (PRICE, CUT, -3.23),
        ("Who built the harbour?", "The harbour was built in 1880 by Ada Lund of Altmere.", 8.34),
        ("What do I pay for a berth?", "A berth costs ten crowns a night, and a shed twelve crowns a week.", 4.57),
    ],
)
def test_scores_are_those_of_exact_products_on_every_processor(question: str, text: str, score: float) -> None:
    assert cross_encoder(is_fitted=True).score(question, text) == pytest.approx(score, abs=0.1)


def test_a_model_without_new_weights_is_as_it_was(model: bytes) -> None:
    assert output(with_weights(model, {})) == output(model)


def test_weights_may_have_another_shape_but_not_another_type_or_name(model: bytes) -> None:
    words, bias = "bert.embeddings.word_embeddings.weight_quantized", "bert.encoder.layer.10.attention.self.value.bias"
    fewer = np.zeros((2055, 384), np.uint8)
    assert np.isfinite(output(with_weights(model, {words: fewer, bias: np.zeros(384, np.float32)})))
    with pytest.raises(ValueError, match="are of another type: float64"):
        with_weights(model, {bias: np.zeros(384, np.float64)})
    with pytest.raises(ValueError, match="no weights elsewhere"):
        with_weights(model, {"elsewhere": np.zeros(384, np.float32)})
