"""Relevance of texts to a query: the log-odds that they answer it, by two models that read differently."""

import asyncio
from collections.abc import Sequence
from typing import Literal

from ..kernel.errors import RetrievalError, StoppedError
from ..kernel.language import is_english, language_of
from ..kernel.notice import Notice
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.source import digest
from .cross_encoder import cross_encoder
from .late_interaction import late_interaction

CROSS, LATE, LEVEL = 0.6, 0.6, 0.5
"""The weights of the cross-encoder's and of the late-interaction model's log-odds, and what is added to their sum, so
that it is as high as the cross-encoder's alone where that is positive. Of 102 questions of people about manuals, which
neither was trained on, one of the three best statements answers 71; 68 if the latter counts two fifths as much."""

Reader = Literal["both", "late", "original"]
"""Which models read the texts: both fine-tuned ones, the late-interaction one, or the cross-encoder as it came."""

DIGITS = 2  # decimal places recorded: scores on different processors may differ in the last digits


async def load_models() -> list[str]:
    """Load the models concurrently, and return the names of the fine-tuned ones. Raises EmbedderError.

    On two cores without VNNI they take .6 s if they are kept from an earlier process, else 1.6 s.
    """
    fitted = (cross_encoder(is_fitted=True), late_interaction())
    await asyncio.gather(*(model.load() for model in (*fitted, cross_encoder(is_fitted=False))))
    return [model.id for model in fitted]


def is_readable(settings: Settings, query: str) -> bool:
    """Whether the models read texts for a query: English, unless the setting `retrieval.dense` is off.

    With a provider's embedder, which may know other languages, the query must be recognisably English.
    """
    is_known = is_english(query) if settings.embedder.provider is None else language_of(query) == "en"
    return settings.retrieval.dense and is_known


async def relevance(
    run: Run, settings: Settings, query: str, texts: Sequence[str], by: Reader = "both"
) -> list[float] | None:
    """Return the score of each text for a query, about -12 to 11; None unless `is_readable`.

    The fine-tuned models together are best at recognising answers, the late-interaction model alone takes a third of
    their time, and the cross-encoder as it came is best at recognising unrelated texts. Returns None also, with a
    notice, if a model cannot be used. An effect of the run.
    """
    if not (texts and is_readable(settings, query)):
        return None
    encoder, late = cross_encoder(is_fitted=by == "both"), late_interaction()
    models = [*([] if by == "late" else [encoder.id]), *([] if by == "original" else [late.id])]
    request = {"query": query, "texts": digest(*texts, size=64), "models": models}

    async def crossed() -> list[float]:
        return await encoder.each(lambda text: encoder.score(query, text), texts)

    async def compared() -> list[float]:
        (encoded_query,), encoded = await late.encode(run, [query], texts)
        return [late.score(encoded_query, text) for text in encoded]

    async def scored() -> list[float]:
        if by == "both":
            pairs = zip(await crossed(), await compared(), strict=True)
            scores = [CROSS * one + LATE * other + LEVEL for one, other in pairs]
        else:
            scores = await (compared() if by == "late" else crossed())
        return [round(score, DIGITS) for score in scores]

    try:
        scores: list[float] = await run.effect("relevance", request, scored)
    except (RetrievalError, StoppedError) as error:
        run.notice(Notice("words_only_compared", why=error.message))
        return None
    return scores
