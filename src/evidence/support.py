"""How far passages support claims, for whoever has claims and passages and nothing else of the house."""

from collections.abc import Sequence

from ..kernel.argument import door
from ..kernel.errors import EmbedderError
from ..kernel.language import is_english
from ..kernel.source import Passage, Verdict
from ..rag.embed import cosine, local_embedder
from .alignment import SUPPORTED
from .evidence import Evidence
from .meaning import MOST_EMBEDDED
from .statement import visible


@door
def support(claim: str, passages: Sequence[str | Passage]) -> Verdict:
    """Return how far the passages support a claim; see `support_all`."""
    return support_all([(claim, passages)])[0]


@door
def support_all(claims: Sequence[tuple[str, Sequence[str | Passage]]]) -> list[Verdict]:
    """Return for each claim how far its passages support it, in their order.

    Judges by words; at most twenty claims that words leave doubtful, the most doubtful first, are compared by meaning
    too, if the local embedder is installed: it is loaded only then. Deterministic. Raises ArgumentError for what is no
    text, and nothing else, whatever the texts.
    """
    read: dict[int, Evidence] = {}
    judges = [read.setdefault(id(passages), Evidence(passages)) for _, passages in claims]
    texts = [visible(claim) for claim, _ in claims]
    verdicts = [judge.judge(text) for judge, text in zip(judges, texts, strict=True)]
    doubtful = [at for at, one in enumerate(verdicts) if one.doubtful and is_english(texts[at])]
    chosen = sorted(doubtful, key=lambda at: abs(verdicts[at].score - SUPPORTED))[:MOST_EMBEDDED]
    pairs = [(texts[at], span.text) for at in chosen if (span := verdicts[at].span)]
    for at, near in zip(chosen, _cosines(pairs), strict=False):
        verdicts[at] = judges[at].judge(texts[at], cosine=near)
    return verdicts


def _cosines(pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Return how alike the two texts of each pair are; nothing when there is no embedder."""
    if not pairs:
        return []
    try:
        vectors = local_embedder().vectors([text for pair in pairs for text in pair])
    except EmbedderError:
        return []
    return [cosine(*vectors[at : at + 2]) for at in range(0, len(vectors), 2)]
