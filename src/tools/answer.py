"""What `web_search` answers."""

from typing import Any

from pydantic import BaseModel

from ..web import Rated


class WebSearch(BaseModel, frozen=True):
    """An answer with its citations, and the results behind it.

    `response` is Markdown with `<web_citation url="…" title="…">[n]</web_citation>` marks, where n is the rank of a
    source; `sources_used` are the ranks that it cites. `model` is `extractive` where no model wrote it. The numbers
    count what was searched, and what of it has a passage on the query. `execution_id` is the run's.
    """

    query: str
    response: str
    sources: list[Rated]
    sources_used: list[int]
    model: str
    reranker: str
    total_results: int
    reranked_results: int
    execution_id: str

    def to_record(self) -> dict[str, Any]:
        """Return a JSON-able record."""
        return self.model_dump(mode="json")
