"""How near the meaning of claims is to that of their evidence."""

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from ..kernel.errors import EmbedderError
from ..kernel.language import is_english
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..rag.embed import LocalEmbedder, cosine, embedder_of

MOST_EMBEDDED: Final = 20
"""Claims of a report whose meaning is looked at: a pair costs some 0.1 CPU-seconds."""


async def make_ready(settings: Settings) -> None:
    """Load the local embedder where `cosines` would ask it: that takes a third of a second. A failure is told there."""
    with suppress(EmbedderError):
        embedder = embedder_of(settings)
        if isinstance(embedder, LocalEmbedder):
            await embedder.load()


async def cosines(run: Run, settings: Settings, pairs: Sequence[tuple[str, str]]) -> list[float | None]:
    """Return the cosine between claim and evidence for each of the first MOST_EMBEDDED pairs, to three digits.

    None where the embedder does not know the claim's language. The answer is an effect of the run, for vectors differ
    between processors in their last digits. Raises EmbedderError.
    """
    embedder = embedder_of(settings)
    known = [not embedder.english or is_english(claim) for claim, _ in pairs[:MOST_EMBEDDED]]
    asked = [pair for pair, fits in zip(pairs, known, strict=False) if fits]
    near: list[float] = []
    if asked:
        texts = list(dict.fromkeys(text for pair in asked for text in pair))

        async def embedded() -> list[float]:
            vectors = dict(zip(texts, await embedder.embed(run, texts), strict=True))
            return [round(cosine(vectors[claim], vectors[evidence]), 3) for claim, evidence in asked]

        hashes = [[hashlib.sha256(text.encode("utf-8", "replace")).hexdigest() for text in pair] for pair in asked]
        near = await run.effect("align", {"embedder": embedder.id, "pairs": hashes}, embedded)
    left = iter(near)
    return [next(left) if fits else None for fits in known]
