"""The ledger of a run: the sources that its tools found."""

from dataclasses import dataclass, replace

SNIPPET = 200  # characters of a snippet that a record keeps
UNKNOWN_SCORE, UNKNOWN_TIER = 50, "tier3"  # the rating of a source until its domain is scored


@dataclass(frozen=True, slots=True)
class Record:
    """One source; `domain` is its host without `www.`."""

    url: str
    title: str
    domain: str
    snippet: str
    credibility_score: int = UNKNOWN_SCORE
    credibility_tier: str = UNKNOWN_TIER


class Ledger:
    """The sources of one run, unique by URL, in insertion order. Belongs to one event loop."""

    def __init__(self) -> None:
        self._records: dict[str, Record] = {}

    def add(self, url: str, title: str, domain: str, snippet: str) -> None:
        """Add a source; a known source is not changed."""
        self._records.setdefault(url, Record(url, title, domain, " ".join(snippet.split())[:SNIPPET]))

    def score(self, url: str, credibility_score: int, tier: str) -> None:
        """Set the credibility of a known source; does nothing for an unknown one."""
        if (record := self._records.get(url)) is not None:
            self._records[url] = replace(record, credibility_score=credibility_score, credibility_tier=tier)

    @property
    def records(self) -> list[Record]:
        """All records, in insertion order."""
        return list(self._records.values())
