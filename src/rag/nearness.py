"""How near texts are to a query in meaning, as wholes and token by token."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

from ..errors import RetrievalError, StoppedError
from ..language import is_english
from ..run import Run
from ..source import digest
from .embed import LocalEmbedder, embedder_of

if TYPE_CHECKING:
    from ..settings import Settings

MOST_TOKENS = 160
"""Tokens of a text that are looked at; attention costs more than they tell beyond."""

KEPT = 400
"""Texts whose token vectors are remembered, some 60 kB each: a run asks several questions of the same texts."""

DIGITS = 4
"""Decimal places that are recorded, so that the last digit of another processor changes nothing."""


@dataclass(frozen=True, slots=True)
class Nearness:
    """How near a text is to a query, each number a cosine.

    `whole` is that of the two means. Of each token of the query the best one among the tokens of the text is taken
    (late interaction: Khattab and Zaharia, ColBERT, SIGIR 2020): `tokens` is the mean of these, `lowest` that of their
    lowest third. `before` is the mean for the text just before it, `joint` and `joint_lowest` are those of both.
    """

    whole: float
    tokens: float
    lowest: float
    before: float
    joint: float
    joint_lowest: float


def compares(settings: "Settings", query: str) -> bool:
    """Say whether texts can be compared with a query: by the local embedder, in a language that it knows."""
    return settings.dense and settings.embedder.provider is None and is_english(query)


async def nearness(
    run: Run, settings: "Settings", query: str, texts: Sequence[str], before: Sequence[str] = ()
) -> list[Nearness] | None:
    """Return how near each text is to the query; None without the local embedder or in a language unknown to it.

    `before` are the texts that stand just before them, none or one each. An effect of the run. A text of 90 tokens
    takes some 30 CPU-milliseconds, on as many cores as there are.
    """
    if not texts or not compares(settings, query):
        return None
    try:
        embedder = embedder_of(settings)
        if not isinstance(embedder, LocalEmbedder):
            return None
        before = before or [""] * len(texts)
        request = {"query": query, "texts": digest(*texts, *before, size=64), "embedder": embedder.id}
        found = await run.effect("nearness", request, lambda: _measured(embedder, query, texts, before))
    except (RetrievalError, StoppedError) as error:
        run.notice(f"Only words were compared, not meaning. {error}")
        return None
    return [Nearness(*one) for one in found]


async def _measured(
    embedder: LocalEmbedder, query: str, texts: Sequence[str], before: Sequence[str]
) -> list[list[float]]:
    tokens, mean = await _states(embedder, query)
    import numpy as np

    def best(text: str) -> Any:
        own, _ = _STATES.of(embedder, text)
        return (tokens @ own.T).max(axis=1) if text and len(own) else np.zeros(len(tokens))

    def one(pair: tuple[str, str]) -> list[float]:
        text, preceding = pair
        if not len(tokens):
            return [0.0] * 6
        own, earlier = best(text), best(preceding)
        joint = np.maximum(own, earlier)
        numbers = (mean @ _STATES.of(embedder, text)[1], own.mean(), _lowest(own), earlier.mean(), joint.mean())
        return [round(float(value), DIGITS) for value in (*numbers, _lowest(joint))]

    return await embedder.each(one, list(zip(texts, before, strict=True)))


def _lowest(values: Any) -> Any:
    """Return the mean of the lowest third of an array, of one value at least."""
    import numpy as np

    return np.sort(values)[: max(1, len(values) // 3)].mean()


async def _states(embedder: LocalEmbedder, text: str) -> tuple[Any, Any]:
    (found,) = await embedder.each(lambda one: _STATES.of(embedder, one), [text])
    return found


class _States:
    """The token vectors of the texts that were looked at last, and their means, all of length 1. Thread-safe."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[Any, Any]] = OrderedDict()
        self._lock = Lock()

    def of(self, embedder: LocalEmbedder, text: str) -> tuple[Any, Any]:
        """Return those of a text. Blocks."""
        import numpy as np

        key = digest(text)
        with self._lock:
            if (kept := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
                return kept
        states = embedder.states(text, MOST_TOKENS)
        mean, tokens = states.mean(axis=0), states[1:-1]
        found = (
            (tokens / np.linalg.norm(tokens, axis=1, keepdims=True)).astype(np.float32),
            (mean / np.linalg.norm(mean)).astype(np.float32),
        )
        with self._lock:
            self._kept[key] = found
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return found


_STATES = _States()
