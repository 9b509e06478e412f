"""Retrieval over local files: `ingest` indexes a folder, and `retrieve` finds the passages that answer a query.

Search is lexical (BM25) and dense (vectors); the index is in files (`local_*`) or in PostgreSQL (`shared_*`). A
cluster, which runs the steps of `ingest` on its machines, imports them from `index`, `store`, `walk`, `shared_texts`
and `shared_vectors`. Other packages import functions on passages from `brief`, `chunk`, `explained`, `joining`,
`lexical`, `nearness`, `relevance` and `rerank`.
"""

from typing import TYPE_CHECKING

from ..kernel.exports import lazy_exports

if TYPE_CHECKING:
    from .embed import passage_embedder
    from .hit import Hit
    from .ingest import IngestSummary, ingest
    from .nearness import Comparer, comparer, statement_comparer, text_nearness
    from .relevance import relevance
    from .rerank import RankedPassage, rerank
    from .retrieve import retrieve
    from .store import forget_index
    from .walk import WalkedFile, walk

__all__ = [
    "Comparer",
    "Hit",
    "IngestSummary",
    "RankedPassage",
    "WalkedFile",
    "comparer",
    "forget_index",
    "ingest",
    "passage_embedder",
    "relevance",
    "rerank",
    "retrieve",
    "statement_comparer",
    "text_nearness",
    "walk",
]

__getattr__ = lazy_exports(
    __name__,
    embed="passage_embedder",
    hit="Hit",
    ingest="IngestSummary ingest",
    nearness="Comparer comparer statement_comparer text_nearness",
    relevance="relevance",
    rerank="RankedPassage rerank",
    retrieve="retrieve",
    store="forget_index",
    walk="WalkedFile walk",
)
