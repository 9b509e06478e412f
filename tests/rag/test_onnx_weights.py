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
    same, beside = with_weights(model, {})
    assert (output(same), beside) == (output(model), {})


def test_weights_of_another_shape_are_left_and_those_of_another_name_refused(model: bytes) -> None:
    name = "bert.encoder.layer.10.attention.self.value.bias"
    same_shape, other_shape = np.zeros(384, np.float32), np.zeros(3, np.float32)
    assert not with_weights(model, {name: same_shape})[1]
    assert with_weights(model, {name: other_shape})[1].keys() == {name}
    with pytest.raises(ValueError, match="are of another type: float64"):
        with_weights(model, {name: same_shape.astype(np.float64)})
    with pytest.raises(ValueError, match="no weights elsewhere"):
        with_weights(model, {"elsewhere": other_shape})
