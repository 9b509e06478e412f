"""Nearness: the similarity of texts to a query, by models that encode each text by itself."""

from collections.abc import Sequence
from typing import Any, Protocol

from ..kernel.errors import RetrievalError, StoppedError
from ..kernel.language import is_english
from ..kernel.notice import Notice
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.source import digest
from ..kernel.thread import in_thread
from .embed import provider_embedder
from .local_comparer import local_comparer
from .multilingual import multilingual_model
from .windows import TableOfText, keep, load

DIGITS = 4  # decimal places that are recorded, so that the last digit of another processor changes nothing


class Comparer(Protocol):
    """A model that compares texts with a query: arrays of vectors are made of each, and have a nearness.

    `id` names the model; with `own_language`, passages in the language of the query are preferred; `near` is the
    nearness from which a text is relevant to a query; `unrelated` is the median nearness of a query and an unrelated
    text, None if it is not known; `share` is the weight of its window's nearness in a passage's score, beside
    the former one.
    """

    id: str
    own_language: bool
    near: float
    unrelated: float | None
    share: float

    async def encode(self, run: Run, queries: Sequence[str], texts: Sequence[str]) -> tuple[list[Any], list[Any]]:
        """Return an array for each query, and one for each text, in their order. Raises EmbedderError."""
        ...

    def nearness(self, query: Any, text: Any) -> float:
        """Return the nearness of an encoded text to an encoded query: 0 for unrelated texts, 1 for equal ones."""
        ...


def comparer(settings: Settings, query: str) -> Comparer:
    """Return what compares a few texts with a query: the embedder of the provider in the settings, else a local one."""
    return provider_embedder(settings) or (local_comparer() if is_english(query) else multilingual_model())


def compares(settings: Settings, query: str) -> bool:
    """Return whether the local model can compare texts with a query, which must be in English."""
    return settings.retrieval.dense and settings.embedder.provider is None and is_english(query)


async def window_nearness(
    run: Run, comparer: Comparer, query: str, windows: Sequence[str], tables: TableOfText
) -> list[float] | None:
    """Return the nearness of each window to the query, and store the new arrays.

    Returns None, with a notice, if they could not be compared, or not in the time of the run.
    """
    try:
        stored = await in_thread(load, comparer.id, tables)
        missing = [text for text in dict.fromkeys(windows) if text not in stored]
        async with run.budget.in_time("nearness"):
            (encoded_query,), arrays = await comparer.encode(run, [query], missing)
        new = dict(zip(missing, arrays, strict=True))
        await in_thread(keep, comparer.id, tables, new)
    except (RetrievalError, StoppedError) as error:
        run.notice(Notice("words_only_compared", why=error.message))
        return None
    encoded = stored | new
    return [round(comparer.nearness(encoded_query, encoded[text]), DIGITS) for text in windows]


def statement_comparer(settings: Settings, query: str) -> Comparer | None:
    """Return what compares statements with a query: a provider's embedder; else, unless in English, a local one."""
    if not settings.retrieval.dense:
        return None
    return provider_embedder(settings) or (None if is_english(query) else multilingual_model())


async def text_nearness(run: Run, comparer: Comparer, query: str, texts: Sequence[str]) -> list[float] | None:
    """Return the nearness of each text to a query; None, with a notice, if it fails. An effect of the run."""

    async def compared() -> list[float]:
        distinct = list(dict.fromkeys(texts))
        (encoded_query,), encoded = await comparer.encode(run, [query], distinct)
        pairs = zip(distinct, encoded, strict=True)
        found = {text: round(comparer.nearness(encoded_query, one), DIGITS) for text, one in pairs}
        return [found[text] for text in texts]

    request = {"query": query, "texts": digest(*texts, size=64), "model": comparer.id}
    try:
        found: list[float] = await run.effect("nearness", request, compared)
    except (RetrievalError, StoppedError) as error:
        run.notice(Notice("words_only_compared", why=error.message))
        return None
    return found
