"""The phases of searching, reading and ranking, told in order and each once, whoever searches."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from ..kernel.events import OutputChanged, Phase, PhaseChanged
from ..kernel.run import Run
from ..search import SearchResult

RESULTS, SOURCES = "reranked_results", "sources"  # the keys of a final result that ranking fills
SHOWN = ("title", "url", "snippet", "engine", "score")  # what the end of searching shows of a result


class Rated(BaseModel, frozen=True):
    """A result under its rank after reranking, from 1; the score goes from 0 to 1."""

    rank: int
    title: str
    url: str
    snippet: str
    rerank_score: float
    used_in_response: bool = False


class Phases:
    """Tells a run's phases of one search. A phase that completes has started; none is told twice."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._told: set[tuple[str, str]] = set()

    def search(self, query: str) -> None:
        """Say that searching for what is asked begins."""
        self._start("WEB_SEARCH", query=query)

    def searched(self, results: Sequence[SearchResult]) -> None:
        """Say what was found, best first."""
        shown = [
            {"rank": rank, **{name: getattr(result, name) for name in SHOWN}}
            for rank, result in enumerate(results, start=1)
        ]
        self._complete("WEB_SEARCH", results_count=len(results), sources=shown)

    def read(self, count: int) -> None:
        """Say that so many pages are to be read."""
        self._start("SCRAPING_URLS", url_count=count)

    def have_read(self, tried: int, came: int) -> None:
        """Say how many pages were asked for, and how many came."""
        self._complete("SCRAPING_URLS", url_count=tried, scraped_count=came)

    def rank(self) -> None:
        """Say that what was read is being ranked."""
        self._start("RERANKING")

    def ranked(self, rated: Sequence[Rated], matching: int) -> None:
        """Say in which order the results are now, and how many of them have a passage on what is asked."""
        if self._complete("RERANKING", reranked_count=matching):
            self._run.emit(OutputChanged(RESULTS, matching))
            self._run.emit(OutputChanged(SOURCES, [one.model_dump() for one in rated]))

    def write(self) -> None:
        """Say that the answer is being written."""
        self._start("GENERATION")

    def written(self, **data: Any) -> None:
        """Say that the answer is there."""
        self._complete("GENERATION", **data)

    def _start(self, phase: Phase, **data: Any) -> None:
        if (phase, "started") not in self._told:
            self._told.add((phase, "started"))
            self._run.emit(PhaseChanged(phase, "started", data))

    def _complete(self, phase: Phase, **data: Any) -> bool:
        """Tell the end of a phase that has begun and not ended; say whether it was told."""
        ends = (phase, "started") in self._told and (phase, "completed") not in self._told
        if ends:
            self._told.add((phase, "completed"))
            self._run.emit(PhaseChanged(phase, "completed", data))
        return ends
