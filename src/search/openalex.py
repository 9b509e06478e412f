"""OpenAlex, an open catalogue of scholarly works: GET /works."""

from typing import TYPE_CHECKING, Any, Final

from .hit import LONGEST_TEXT
from .provider import SearchEngine
from .result import SearchQuery, SearchResult

if TYPE_CHECKING:
    from ..net import Client

FIELDS: Final = "id,doi,display_name,publication_date,primary_location,abstract_inverted_index"


class OpenAlex(SearchEngine):
    """Scholarly works of every field, each with its abstract as snippet and its DOI as address."""

    name = "openalex"
    pages = True
    home = "https://api.openalex.org"

    async def search(self, client: "Client", query: SearchQuery) -> list[SearchResult]:
        """Search once, ignoring region and domains."""
        params = {"search": query.text, "per-page": str(query.max_results), "select": FIELDS}
        if query.page > 1:
            params["page"] = str(query.page)
        if query.since:
            params["filter"] = f"from_publication_date:{query.since}"
        answer = self.read_json(await self.ask(client, "GET", "/works", params=params))
        return self.results(query, map(_hit, self.entries(answer.get("results"))))


def _hit(work: dict[str, Any]) -> dict[str, Any]:
    location = work.get("primary_location")
    landing = location.get("landing_page_url") if isinstance(location, dict) else None
    text_fields = {"title": work.get("display_name"), "snippet": _abstract(work.get("abstract_inverted_index"))}
    return {
        "url": work.get("doi") or landing or work.get("id"),
        **text_fields,
        "published": work.get("publication_date"),
    }


def _abstract(index: Any) -> str:
    """Return the beginning of an abstract, given as a map of words to positions."""
    if not isinstance(index, dict):
        return ""
    words = {
        position: word
        for word, positions in index.items()
        if isinstance(positions, list)
        for position in positions
        if isinstance(position, int) and position < LONGEST_TEXT
    }
    return " ".join(words[position] for position in sorted(words))
