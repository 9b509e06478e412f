"""PubMed through NCBI's E-utilities: esearch finds the numbers, efetch the records."""

from typing import TYPE_CHECKING, Final
from xml.etree.ElementTree import Element

from ..kernel.notice import Notice
from .provider import SearchEngine
from .result import DAYS, SearchQuery, SearchResult

if TYPE_CHECKING:
    from ..net import Client

PAGES: Final = "https://pubmed.ncbi.nlm.nih.gov"
MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


class PubMed(SearchEngine):
    """Medical literature, each with its abstract as snippet. NCBI allows three requests a second without a key."""

    name = "pubmed"
    pages = True
    home = "https://eutils.ncbi.nlm.nih.gov"
    concurrency = 1

    async def search(self, client: "Client", query: SearchQuery) -> list[SearchResult]:
        """Request the articles' numbers, then the articles, ignoring region and domains."""
        params = {
            "db": "pubmed", "term": query.text, "retmax": str(query.max_results), "retmode": "json",
            "sort": "relevance",
        }  # fmt: skip
        if query.before:
            params["retstart"] = str(query.before)
        if days := DAYS.get(query.time_range):
            params |= {"reldate": str(days), "datetype": "pdat"}
        answer = self.read_json(await self.ask(client, "GET", "/entrez/eutils/esearch.fcgi", params=params))
        result = answer.get("esearchresult")
        numbers = result.get("idlist") if isinstance(result, dict) else None
        if not isinstance(numbers, list):
            raise self.broken(Notice("no_list_in_it"))
        wanted = [str(number) for number in numbers if str(number).isdigit()]
        return await self._records(client, wanted, query) if wanted else []

    async def _records(self, client: "Client", numbers: list[str], query: SearchQuery) -> list[SearchResult]:
        params = {"db": "pubmed", "id": ",".join(numbers), "retmode": "xml"}
        response = await self.ask(client, "GET", "/entrez/eutils/efetch.fcgi", params=params)
        articles = self.read_xml(response)
        by_number = {_all(article, "MedlineCitation/PMID"): article for article in articles.iter("PubmedArticle")}
        found = ((number, by_number[number]) for number in numbers if number in by_number)
        hits = (
            {"url": f"{PAGES}/{number}/", "title": _all(article, ".//ArticleTitle"),
             "snippet": _all(article, ".//Abstract"), "published": _date(article)}
            for number, article in found
        )  # fmt: skip
        return self.results(query, hits)


def _all(article: Element, path: str) -> str:
    """Return all text in the first element of a path: titles and abstracts contain markup."""
    element = article.find(path)
    return "" if element is None else " ".join(" ".join(element.itertext()).split())


def _date(article: Element) -> str:
    """Return the date of publication; "" unless it has a day."""
    year, month, day = (_all(article, f".//PubDate/{part}") for part in ("Year", "Month", "Day"))
    short = month[:3].lower()
    number = str(MONTHS.index(short) + 1) if short in MONTHS else month
    return f"{year}-{number.zfill(2)}-{day.zfill(2)}" if year and month and day else ""
