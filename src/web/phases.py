"""Reports the phases of a web search (searching, reading, ranking, writing) in order, each once."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from ..kernel.events import OutputChanged, Phase, PhaseChanged
from ..kernel.run import Run
from ..search import SearchResult

RESULTS, SOURCES = "reranked_results", "sources"  # the keys of a final result that ranking fills
SHOWN = ("title", "url", "snippet", "engine", "score")  # the fields of a result that are reported after searching


class Rated(BaseModel, frozen=True):
    """A result with its rank after reranking, from 1, and a score from 0 to 1."""

    rank: int
    title: str
    url: str
    snippet: str
    rerank_score: float
    used_in_response: bool = False


class Phases:
    """Reports the phases of one search of a run. Only a started phase can complete; none is reported twice."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._reported: set[tuple[str, str]] = set()

    def search(self, query: str) -> None:
        """Report that the search for `query` starts."""
        self._start("WEB_SEARCH", query=query)

    def searched(self, results: Sequence[SearchResult]) -> None:
        """Report the results, best first."""
        shown = [
            {"rank": rank, **{name: getattr(result, name) for name in SHOWN}}
            for rank, result in enumerate(results, start=1)
        ]
        self._complete("WEB_SEARCH", results_count=len(results), sources=shown)

    def read(self, count: int) -> None:
        """Report that `count` pages are to be read."""
        self._start("SCRAPING_URLS", url_count=count)

    def have_read(self, tried: int, read: int) -> None:
        """Report how many pages were requested, and how many were read."""
        self._complete("SCRAPING_URLS", url_count=tried, scraped_count=read)

    def rank(self) -> None:
        """Report that ranking starts."""
        self._start("RERANKING")

    def ranked(self, rated: Sequence[Rated], matching: int) -> None:
        """Report the ranked results, and how many of them have a passage about the question."""
        if self._complete("RERANKING", reranked_count=matching):
            self._run.emit(OutputChanged(RESULTS, matching))
            self._run.emit(OutputChanged(SOURCES, [result.model_dump() for result in rated]))

    def write(self) -> None:
        """Report that the answer is being written."""
        self._start("GENERATION")

    def written(self) -> None:
        """Report that the answer is complete, with the failures and notices of the run."""
        failures = [failure.to_record() for failure in self._run.failures]
        self._complete("GENERATION", failures=failures, notices=list(map(str, self._run.notices)))

    def _start(self, phase: Phase, **data: Any) -> None:
        if (phase, "started") not in self._reported:
            self._reported.add((phase, "started"))
            self._run.emit(PhaseChanged(phase, "started", data))

    def _complete(self, phase: Phase, **data: Any) -> bool:
        """Report the end of a phase that has started and not ended; return whether it was reported."""
        ends = (phase, "started") in self._reported and (phase, "completed") not in self._reported
        if ends:
            self._reported.add((phase, "completed"))
            self._run.emit(PhaseChanged(phase, "completed", data))
        return ends
