"""Relevance of texts to a query: the log-odds that they answer it, by two models that read differently."""

from collections.abc import Sequence

from ..kernel.errors import RetrievalError, StoppedError
from ..kernel.language import is_english, language_of
from ..kernel.notice import Notice
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.source import digest
from .cross_encoder import cross_encoder
from .late_interaction import late_interaction

READ_TWICE = 8
"""Number of texts, the best by the cross-encoder, that the late-interaction model scores too; the others get the lowest
of these scores. As many best statements answer as if it scored all 48."""

CROSS, LATE, LEVEL = 0.75, 0.3, 0.6
"""The weights of the cross-encoder's and of the late-interaction model's log-odds, and what is added to their sum, so
that it is as high as the cross-encoder's alone. Of 160 questions about manuals that neither was trained on, 58 have an
answer for their best statement, of 199 about articles 165; by the cross-encoder alone it is 55 and 160."""

DIGITS = 2  # decimal places recorded: scores on different processors may differ in the last digits


async def load_models() -> list[str]:
    """Load the fine-tuned models, and return their names. Raises EmbedderError."""
    models = (cross_encoder(is_fitted=True), late_interaction())
    for model in models:
        await model.load()
    return [model.id for model in models]


async def relevance(
    run: Run, settings: Settings, query: str, texts: Sequence[str], *, is_fitted: bool = True
) -> list[float] | None:
    """Return the score of each text for a query, about -12 to 11; None unless the query is in English.

    The fine-tuned models together (`is_fitted`) are better at recognising answers, the original cross-encoder at
    recognising unrelated texts. Returns None also if the setting `retrieval.dense` is off, and, with a notice, if a
    model cannot be used. With a provider's embedder, which may know other languages, the query must be recognisably
    English. An effect of the run.
    """
    is_readable = is_english(query) if settings.embedder.provider is None else language_of(query) == "en"
    if not (texts and settings.retrieval.dense and is_readable):
        return None
    encoder = cross_encoder(is_fitted=is_fitted)
    models = [encoder.id, *([late_interaction().id] if is_fitted else [])]
    request = {"query": query, "texts": digest(*texts, size=64), "models": models}

    async def scored() -> list[float]:
        scores = await encoder.each(lambda text: encoder.score(query, text), texts)
        if is_fitted:
            best = sorted(range(len(texts)), key=lambda place: -scores[place])[:READ_TWICE]
            (encoded_query,), encoded = await late_interaction().encode(run, [query], [texts[place] for place in best])
            judged = [late_interaction().score(encoded_query, text) for text in encoded]
            late, lowest = dict(zip(best, judged, strict=True)), min(judged)
            scores = [CROSS * one + LATE * late.get(place, lowest) + LEVEL for place, one in enumerate(scores)]
        return [round(score, DIGITS) for score in scores]

    try:
        scores: list[float] = await run.effect("relevance", request, scored)
    except (RetrievalError, StoppedError) as error:
        run.notice(Notice("words_only_compared", why=error.message))
        return None
    return scores
