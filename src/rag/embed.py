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
from .local_model import PackagedFile

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
    """A model that embeds the passages of an index; `id` names the vector space.

    An `english` embedder is unreliable for other languages; `near` is the cosine from which a text is relevant to a
    query, over 1 if the embedder only proposes texts for another model to judge; `batch` is the best number of texts to
    embed before storing their vectors. An `immediate` embedder takes less time than reading the files.
    """

    id: str
    english: bool
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


def provider_embedder(settings: Settings) -> "ProviderEmbedder | None":
    """Return the embedder of the provider in the settings; None if none is set."""
    model = model_for(settings, "embedder")
    return None if model is None else ProviderEmbedder(model)


class ProviderEmbedder:
    """An embedding model of a provider."""

    english = False
    own_language = False
    near = 0.3
    unrelated: float | None = None
    share = 5 / 6
    batch = EMBED_BATCH
    immediate = False

    def __init__(self, model: Model) -> None:
        self._model = model
        self.id = f"{model.provider}/{model.name}"

    async def embed(self, run: Run, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text; every call is an effect of the run. Raises EmbedderError."""
        return await self._model.embed(run, list(texts))

    async def encode(self, run: Run, queries: Sequence[str], texts: Sequence[str]) -> tuple[list[Any], list[Any]]:
        """Return the vectors of the queries and those of the texts, as arrays in 16 bits. Raises EmbedderError."""
        import numpy as np

        arrays = [np.array(vector, np.float16) for vector in await self.embed(run, [*queries, *texts])]
        return arrays[: len(queries)], arrays[len(queries) :]

    def nearness(self, query: Any, text: Any) -> float:
        """Return the cosine of two vectors; 0 if it is negative."""
        return max(0.0, cosine(query.tolist(), text.tolist()))


class StaticEmbedder:
    """The mean of the vectors of a text's tokens: 256 dimensions, .2 ms of CPU time per passage, 20 MB of memory.

    It proposes passages worded differently from the query, which the late-interaction model then compares. Of 154
    questions about 14 folders of manuals, in the askers' own words, 103 have their passage among 48 by words, 108 by
    these vectors, and 130 in either.
    """

    id = "wordllama-l2-supercat-256"
    english = True
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
