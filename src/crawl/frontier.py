"""The known but unread addresses of a site, the most promising first."""

import heapq
import math
from collections import Counter
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote, urlsplit

from ..kernel.term import terms
from .site import family, page_key

MOST_WAITING: Final = 50_000  # most addresses in the queue; further addresses are counted, and dropped
INHERITED: Final = 0.4
"""Weight of the linking page's relevance, compared with that of the words of the link itself."""

PER_LEVEL: Final = 0.03  # deduction for each link between the start and an address
PER_TWIN: Final = 0.05  # deduction for each doubling of the pages already read of an address's family
STEM: Final = 6  # number of first letters by which words are compared, as an approximate stem


@dataclass(frozen=True, slots=True)
class QueuedLink:
    """An address to read, `depth` links away from the start, after `redirects` redirects."""

    url: str
    depth: int
    score: float = 0.0
    redirects: int = 0


class Frontier:
    """A priority queue of links that contains each page once, whatever the spelling of its address.

    An address ranks higher the more words of the question its link and path have, the more relevant the linking page
    is, the nearer it is to the start, and the fewer pages of its `family` were read; thus a calendar's endless pages
    come last. The order depends only on the calls of `offer`, `redirected`, `give_up` and `pop`.
    """

    def __init__(self, question: str) -> None:
        self._question_stems = _stems(question)
        self._known: set[str] = set()
        self._heap: list[tuple[float, int, QueuedLink]] = []
        self._taken: Counter[str] = Counter()
        self._given_up: set[str] = set()
        self._count = 0
        self.left_out = 0

    def __len__(self) -> int:
        return len(self._heap)

    def relevance(self, text: str) -> float:
        """Return the share of the question's words that a text has, 0 for a question without words."""
        return len(self._question_stems & _stems(text)) / len(self._question_stems) if self._question_stems else 0.0

    def offer(self, url: str, text: str, depth: int, relevance: float) -> None:
        """Add a link with its text, found on a page of this relevance, unless the page that it leads to is known."""
        key = page_key(url)
        if key in self._known:
            return
        if len(self._heap) >= MOST_WAITING:
            self.left_out += 1
            return
        self._known.add(key)
        own_relevance = self.relevance(f"{text} {unquote(urlsplit(url).path)}")
        self._push(QueuedLink(url, depth, own_relevance + INHERITED * relevance - PER_LEVEL * depth))

    def redirected(self, candidate: QueuedLink, url: str) -> None:
        """Add the target of a candidate that redirects, unless the target is another known page."""
        key = page_key(url)
        if key in self._known and key != page_key(candidate.url):
            return
        self._known.add(key)
        self._push(QueuedLink(url, candidate.depth, candidate.score, candidate.redirects + 1))

    def give_up(self, url: str) -> None:
        """Return no more addresses of the family of this one."""
        self._given_up.add(family(url))

    def pop(self) -> QueuedLink | None:
        """Remove and return the best candidate, or None if the queue is empty."""
        while self._heap:
            priority, order, candidate = heapq.heappop(self._heap)
            kind = family(candidate.url)
            if kind in self._given_up:
                self.left_out += 1
                continue
            new_priority = -candidate.score + PER_TWIN * math.log2(1 + self._taken[kind])
            if new_priority > priority:  # others of its family were taken since it was added
                heapq.heappush(self._heap, (new_priority, order, candidate))
                continue
            self._taken[kind] += 1
            return candidate
        return None

    def _push(self, candidate: QueuedLink) -> None:
        self._count += 1
        heapq.heappush(self._heap, (-candidate.score, self._count, candidate))


def _stems(text: str) -> set[str]:
    return {word[:STEM] for word in terms(text)}
