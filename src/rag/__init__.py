"""Retrieval over local files: `ingest` indexes a folder, and `retrieve` finds the passages that answer a query.

Search is lexical (BM25) and dense (vectors); the index is in files (`local_*`) or in PostgreSQL (`shared_*`). A
cluster, which runs the steps of `ingest` on its machines, imports them from `index`, `store`, `walk`, `shared_texts`
and `shared_vectors`. Other packages import functions on passages from `brief`, `chunk`, `cross_encoder`, `explained`,
`lexical`, `nearness` and `rerank`.
"""

from typing import TYPE_CHECKING

from ..kernel.exports import lazy_exports

if TYPE_CHECKING:
    from .cross_encoder import relevance
    from .embed import passage_embedder, window_embedder
    from .hit import Hit
    from .ingest import IngestSummary, ingest
    from .nearness import relative
    from .rerank import RankedPassage, rerank
    from .retrieve import retrieve
    from .store import forget_index
    from .walk import WalkedFile, walk

__all__ = [
    "Hit",
    "IngestSummary",
    "RankedPassage",
    "WalkedFile",
    "forget_index",
    "ingest",
    "passage_embedder",
    "relative",
    "relevance",
    "rerank",
    "retrieve",
    "walk",
    "window_embedder",
]

__getattr__ = lazy_exports(
    __name__,
    cross_encoder="relevance",
    embed="passage_embedder window_embedder",
    hit="Hit",
    ingest="IngestSummary ingest",
    nearness="relative",
    rerank="RankedPassage rerank",
    retrieve="retrieve",
    store="forget_index",
    walk="WalkedFile walk",
)
