"""Nearness: the similarity of texts to a query by the cosine of their vectors."""

from collections.abc import Sequence
from statistics import fmean

from ..kernel.errors import RetrievalError, StoppedError
from ..kernel.language import is_english
from ..kernel.notice import Notice
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.thread import in_thread
from .embed import Embedder, cosine, provider_embedder
from .windows import TableOfText, keep, load

DIGITS = 4  # decimal places that are recorded, so that the last digit of another processor changes nothing


def nearness(embedder: Embedder, cosine: float) -> float:
    """Return the nearness of a text to a query for their vectors' cosine: 0 for unrelated texts, 1 for equal ones."""
    return max(0.0, (cosine - embedder.unrelated) / (1 - embedder.unrelated))


def compares(settings: Settings, query: str) -> bool:
    """Return whether the local embedder can compare texts with a query, which must be in English."""
    return settings.retrieval.dense and settings.embedder.provider is None and is_english(query)


async def window_nearness(
    run: Run, embedder: Embedder, query: str, windows: Sequence[str], tables: TableOfText
) -> list[float] | None:
    """Return the nearness of each window to the query, and store the new vectors.

    Returns None, with a notice, if they could not be compared.
    """
    import numpy as np

    try:
        stored = await in_thread(load, embedder.id, tables)
        missing = [text for text in dict.fromkeys(windows) if text not in stored]
        query_vector, *vectors = await embedder.embed(run, [embedder.before_query + query, *missing])
        new = {text: np.array(vector, np.float16) for text, vector in zip(missing, vectors, strict=True)}
        await in_thread(keep, embedder.id, tables, new)
    except (RetrievalError, StoppedError) as error:
        run.notice(Notice("words_only_compared", why=error.message))
        return None
    vector_of = stored | new
    return [round(nearness(embedder, cosine(query_vector, vector_of[text].tolist())), DIGITS) for text in windows]


async def relative(
    run: Run, settings: Settings, query: str, texts: Sequence[str], before: Sequence[str]
) -> list[tuple[float, float]] | None:
    """Return each text's similarity to a query by a provider's embedder, alone and joined with the text before it.

    `before` contains the preceding text of each text. Cosines of one embedder lie between .7 and .9, of another between
    0 and .6, so each value is the cosine's deviation from the mean, divided by the range. Returns None without a
    provider's embedder. Each call is an effect of the run.
    """
    if not (texts and settings.retrieval.dense):
        return None
    try:
        if (embedder := provider_embedder(settings)) is None:
            return None
        joint = [" ".join(filter(None, pair)) for pair in zip(before, texts, strict=True)]
        distinct = list(dict.fromkeys([*texts, *joint]))
        query_vector, *vectors = await embedder.embed(run, [query, *distinct])
    except (RetrievalError, StoppedError) as error:
        run.notice(Notice("words_only_compared", why=error.message))
        return None
    cosines = {text: cosine(query_vector, vector) for text, vector in zip(distinct, vectors, strict=True)}
    wholes, joints = (_deviations([cosines[text] for text in group]) for group in (texts, joint))
    return list(zip(wholes, joints, strict=True))


def _deviations(values: Sequence[float]) -> list[float]:
    """Return the deviation of each value from the mean, divided by the range."""
    mean, range_ = fmean(values), max(values) - min(values)
    return [round((value - mean) / range_, DIGITS) if range_ else 0.0 for value in values]
