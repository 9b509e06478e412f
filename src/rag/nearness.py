"""How near texts are to a query in meaning, as wholes and token by token."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from threading import Lock
from types import MappingProxyType
from typing import Any

from ..kernel.errors import RetrievalError, StoppedError
from ..kernel.language import is_english
from ..kernel.notice import Notice
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.source import digest
from ..kernel.thread import in_thread
from .embed import LocalEmbedder, ProviderEmbedder, cosine, embedder_of
from .windows import Places, keep, recalled

MOST_TOKENS = 160  # tokens of a text that are looked at; attention costs more than they tell beyond
KEPT = 400  # texts whose token vectors are remembered, some 70 kB each: a run asks several questions of the same texts
DIGITS = 4  # decimal places that are recorded, so that the last digit of another processor changes nothing


@dataclass(frozen=True, slots=True)
class Nearness:
    """How near a text is to a query, each number a cosine.

    `whole` is that of the two means. Of each token of the query the best one among the tokens of the text is taken
    (late interaction: Khattab and Zaharia, ColBERT, SIGIR 2020): `tokens` is the mean of these, `lowest` that of their
    lowest third.
    """

    whole: float
    tokens: float
    lowest: float


def compares(settings: Settings, query: str) -> bool:
    """Say whether texts can be compared with a query: by the local embedder, in a language that it knows."""
    return settings.retrieval.dense and settings.embedder.provider is None and is_english(query)


async def nearness(
    run: Run,
    settings: Settings,
    query: str,
    texts: Sequence[str],
    places: Places = MappingProxyType({}),
) -> list[Nearness] | None:
    """Return how near each text is to the query; None without the local embedder or in a language unknown to it.

    `places` say where what texts mean is kept. An effect of the run. A text of 90 tokens takes some 30
    CPU-milliseconds, on as many cores as there are.
    """
    if not texts or not compares(settings, query):
        return None
    try:
        embedder = embedder_of(settings)
        if not isinstance(embedder, LocalEmbedder):
            return None
        request = {"query": query, "texts": digest(*texts, size=64), "embedder": embedder.id}
        found = await run.effect("nearness", request, lambda: _measured(embedder, query, texts, places))
    except (RetrievalError, StoppedError) as error:
        run.notice(Notice("words_only_compared", why=error.told))
        return None
    return [Nearness(*one) for one in found]


async def cosines(
    run: Run, embedder: ProviderEmbedder, query: str, texts: Sequence[str], places: Places
) -> list[float]:
    """Return each text's nearness to the query by a provider's embedder; vectors are kept. Raises EmbedderError."""
    import numpy as np

    known = await in_thread(recalled, embedder.id, places)
    missing = [text for text in dict.fromkeys(texts) if text not in known]
    asked, *vectors = await embedder.embed(run, [query, *missing])
    made = {text: np.array([vector], np.float16) for text, vector in zip(missing, vectors, strict=True)}
    await in_thread(keep, embedder.id, places, made)
    return [cosine(asked, (known | made)[text][0].tolist()) for text in texts]


async def relative(
    run: Run, settings: Settings, query: str, texts: Sequence[str], before: Sequence[str]
) -> list[tuple[float, float]] | None:
    """Return how near each text is to the query by a provider's embedder, itself and with the one just before it.

    None where none is set. Cosines of one embedder lie between .7 and .9, of another between 0 and .6, so each is told
    as how far it is from their mean, by their range; `before` are the texts that stand just before them. Each call is
    an effect of the run.
    """
    if not (texts and settings.retrieval.dense):
        return None
    try:
        embedder = embedder_of(settings)
        if not isinstance(embedder, ProviderEmbedder):
            return None
        joint = [" ".join(filter(None, pair)) for pair in zip(before, texts, strict=True)]
        asked, *vectors = await embedder.embed(run, [query, *dict.fromkeys([*texts, *joint])])
    except (RetrievalError, StoppedError) as error:
        run.notice(Notice("words_only_compared", why=error.told))
        return None
    near = dict(zip(dict.fromkeys([*texts, *joint]), (cosine(asked, vector) for vector in vectors), strict=True))
    wholes, joints = (_apart([near[text] for text in group]) for group in (texts, joint))
    return list(zip(wholes, joints, strict=True))


def _apart(values: Sequence[float]) -> list[float]:
    """Return how far each value is from their mean, by their range."""
    mean, range_ = fmean(values), max(values) - min(values)
    return [round((value - mean) / range_, DIGITS) if range_ else 0.0 for value in values]


async def _measured(embedder: LocalEmbedder, query: str, texts: Sequence[str], places: Places) -> list[list[float]]:
    known = await in_thread(recalled, embedder.id, places)
    _STATES.put(known)
    (asked,) = await embedder.each(lambda one: _STATES.of(embedder, one), [query])
    mean, tokens = asked

    def one(text: str) -> list[float]:
        if not len(tokens):
            return [0.0] * 3
        whole, own = _STATES.of(embedder, text)
        best = (tokens @ own.T).max(axis=1) if len(own) else tokens[:, 0] * 0
        return [round(float(value), DIGITS) for value in (mean @ whole, best.mean(), _lowest(best))]

    found = await embedder.each(one, texts)
    made = {text: _STATES.kept(text) for text in places if text not in known}
    await in_thread(keep, embedder.id, places, {text: own for text, own in made.items() if own is not None})
    return found


def _lowest(values: Any) -> Any:
    """Return the mean of the lowest third of an array, of one value at least."""
    import numpy as np

    return np.sort(values)[: max(1, len(values) // 3)].mean()


class _States:
    """The texts that were looked at last: the mean of their token vectors, and these, all of length 1. Thread-safe.

    They are held in 16 bits, as an index keeps them, so that a text is as near whether it was just embedded or not.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Any] = OrderedDict()
        self._lock = Lock()

    def kept(self, text: str) -> Any | None:
        """Return the rows of a text where they are held: the mean, then the tokens."""
        key = digest(text)
        with self._lock:
            if (own := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
            return own

    def put(self, known: Mapping[str, Any]) -> None:
        """Hold the rows of texts."""
        with self._lock:
            for text, own in known.items():
                self._kept[digest(text)] = own
                if len(self._kept) > KEPT:
                    self._kept.popitem(last=False)

    def of(self, embedder: LocalEmbedder, text: str) -> tuple[Any, Any]:
        """Return the mean of a text and its tokens. Blocks."""
        import numpy as np

        own = self.kept(text)
        if own is None:
            states = embedder.states(text, MOST_TOKENS)
            rows = np.concatenate([states.mean(axis=0, keepdims=True), states[1:-1]])
            own = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)
            self.put({text: own})
        rows = own.astype(np.float32)
        return rows[0], rows[1:]


_STATES = _States()
