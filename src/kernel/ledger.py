"""The record of every source that a run's tools touched."""

from dataclasses import asdict, dataclass, replace
from typing import Any

SNIPPET = 200  # characters of a snippet that a record keeps
UNKNOWN_SCORE, UNKNOWN_TIER = 50, "tier3"  # what a source counts for until its domain is scored


@dataclass(frozen=True, slots=True)
class Record:
    """One source; `domain` is its host without `www.`."""

    url: str
    title: str
    domain: str
    snippet: str
    credibility_score: int = UNKNOWN_SCORE
    credibility_tier: str = UNKNOWN_TIER

    def to_record(self) -> dict[str, Any]:
        """Return a JSON-able record."""
        return asdict(self)


class Ledger:
    """One run's sources, each address once, in the order in which the tools met them; never shared between runs.

    Safe under concurrent agents: they share one event loop, and no method waits.
    """

    def __init__(self) -> None:
        self._records: dict[str, Record] = {}

    def add(self, url: str, title: str, domain: str, snippet: str) -> None:
        """Note a source that a tool met; one that is known stays as it is."""
        self._records.setdefault(url, Record(url, title, domain, " ".join(snippet.split())[:SNIPPET]))

    def score(self, url: str, credibility_score: int, tier: str) -> None:
        """Set how credible a known source is; an unknown one is not added."""
        if (record := self._records.get(url)) is not None:
            self._records[url] = replace(record, credibility_score=credibility_score, credibility_tier=tier)

    @property
    def records(self) -> list[Record]:
        """All records, in order."""
        return list(self._records.values())
