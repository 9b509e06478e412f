"""Nearness: the similarity of texts to a query, by models that encode each text by itself."""

from collections.abc import Sequence
from statistics import fmean
from typing import Any, Protocol

from ..kernel.errors import RetrievalError, StoppedError
from ..kernel.language import is_english
from ..kernel.notice import Notice
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.thread import in_thread
from .embed import cosine, provider_embedder
from .local_comparer import local_comparer
from .windows import TableOfText, keep, load

DIGITS = 4  # decimal places that are recorded, so that the last digit of another processor changes nothing


class Comparer(Protocol):
    """A model that compares texts with a query: arrays of vectors are made of each, and have a nearness.

    `id` names the model; an `english` one is unreliable for other languages; `near` is the nearness from which a text
    is relevant to a query.
    """

    id: str
    english: bool
    near: float

    async def encode(self, run: Run, queries: Sequence[str], texts: Sequence[str]) -> tuple[list[Any], list[Any]]:
        """Return an array for each query, and one for each text, in their order. Raises EmbedderError."""
        ...

    def nearness(self, query: Any, text: Any) -> float:
        """Return the nearness of an encoded text to an encoded query: 0 for unrelated texts, 1 for equal ones."""
        ...


def comparer(settings: Settings) -> Comparer:
    """Return what compares a few texts: the embedder of the provider in the settings, else the local model."""
    return provider_embedder(settings) or local_comparer()


def compares(settings: Settings, query: str) -> bool:
    """Return whether the local model can compare texts with a query, which must be in English."""
    return settings.retrieval.dense and settings.embedder.provider is None and is_english(query)


async def window_nearness(
    run: Run, comparer: Comparer, query: str, windows: Sequence[str], tables: TableOfText
) -> list[float] | None:
    """Return the nearness of each window to the query, and store the new arrays.

    Returns None, with a notice, if they could not be compared.
    """
    try:
        stored = await in_thread(load, comparer.id, tables)
        missing = [text for text in dict.fromkeys(windows) if text not in stored]
        (encoded_query,), arrays = await comparer.encode(run, [query], missing)
        new = dict(zip(missing, arrays, strict=True))
        await in_thread(keep, comparer.id, tables, new)
    except (RetrievalError, StoppedError) as error:
        run.notice(Notice("words_only_compared", why=error.message))
        return None
    encoded = stored | new
    return [round(comparer.nearness(encoded_query, encoded[text]), DIGITS) for text in windows]


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
