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
        """Ask once; region and domains mean nothing here."""
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
    about = {"title": work.get("display_name"), "snippet": _abstract(work.get("abstract_inverted_index"))}
    return {"url": work.get("doi") or landing or work.get("id"), **about, "published": work.get("publication_date")}


def _abstract(index: Any) -> str:
    """Return the beginning of an abstract that is kept as word → places."""
    if not isinstance(index, dict):
        return ""
    places = {
        place: word
        for word, found in index.items()
        if isinstance(found, list)
        for place in found
        if isinstance(place, int) and place < LONGEST_TEXT
    }
    return " ".join(places[place] for place in sorted(places))
