"""The query to a search engine, and its results."""

from typing import Final, Self

from pydantic import BaseModel, Field

from ..kernel.argument import validated
from ..kernel.settings import SafeSearch, Settings, TimeRange
from .urls import domain_entry

DAYS: Final = {"day": 1, "week": 7, "month": 31, "year": 366}  # the days of each range of time


@validated
class SearchQuery(BaseModel, frozen=True):
    """A query to a search engine; `domains`, if not empty, restrict it to these domains and their subdomains.

    `since` is the ISO date at which `time_range` begins, for engines that need a date; `chain.search` sets it. `page`
    counts from 1: the second page contains the `max_results` hits after those of the first.
    """

    text: str
    max_results: int = 10
    depth: str = "advanced"
    time_range: TimeRange = "none"
    region: str = ""
    safesearch: SafeSearch = "moderate"
    domains: tuple[str, ...] = ()
    since: str = ""
    page: int = 1

    @property
    def before(self) -> int:
        """The number of hits on the pages before this one."""
        return (self.page - 1) * self.max_results

    @classmethod
    def of(cls, text: str, settings: Settings, *, page: int = 1) -> Self:
        """Return a query with the conditions of the settings. Raises SettingsError if an entry is not a domain."""
        return cls(
            text=text,
            max_results=settings.max_results,
            depth=settings.search_depth,
            time_range=settings.search.time_range,
            region=settings.search.region,
            safesearch=settings.search.safesearch,
            domains=tuple(dict.fromkeys(map(domain_entry, settings.search.domains))),
            page=page,
        )


@validated
class SearchResult(BaseModel, frozen=True):
    """One hit; `score` is from 0 to 1, higher is better; `engine` is the name of the engine that found it.

    `published` is an ISO date if the engine gives one; `subtopic_id` is set by the pipeline; `age`, in seconds, is that
    of a cached result.
    """

    url: str
    title: str
    snippet: str = ""
    score: float = Field(default=0.0, ge=0, le=1)
    engine: str = ""
    published: str = ""
    subtopic_id: str = ""
    age: int = 0


@validated
def score_of_rank(rank: int) -> float:
    """Return the score of the hit at `rank`, from 1, for an engine without scores: 1.0, 0.95, … never below 0.35."""
    return max(0.35, round(1.05 - 0.05 * rank, 2))
