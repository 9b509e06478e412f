"""The addresses of a site that are known and not read yet, the most promising one first."""

import heapq
import math
from collections import Counter
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote, urlsplit

from ..kernel.term import terms
from .site import family, page_key

MOST_WAITING: Final = 50_000  # addresses that may wait; further ones are counted, and left
INHERITED: Final = 0.4
"""What a page that answers the question is worth to those that it links to, against the words of the link itself."""

PER_LEVEL: Final = 0.03  # what a link is worth less with each step from the beginning
PER_TWIN: Final = 0.05  # what an address is worth less with each doubling of the pages that were read of its family
STEM: Final = 6  # letters by which two words are compared: of one stem, mostly


@dataclass(frozen=True, slots=True)
class QueuedLink:
    """An address to read: how many links away from the beginning, and how many `redirects` led to it."""

    url: str
    depth: int
    score: float = 0.0
    redirects: int = 0


class Frontier:
    """Takes what pages link to, each page once however its address is written, and gives the best one next.

    An address is better the more its link and its path say of the question, the better the page that links to it, the
    nearer it is to the beginning, and the fewer of its family were read: what a calendar makes without end comes last.
    The order depends on nothing but what was offered and taken, and in which order.
    """

    def __init__(self, question: str) -> None:
        self._wanted = _stems(question)
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
        return len(self._wanted & _stems(text)) / len(self._wanted) if self._wanted else 0.0

    def offer(self, url: str, text: str, depth: int, relevance: float) -> None:
        """Take a link with its words, on a page of that relevance; one of a page that is known is dropped."""
        key = page_key(url)
        if key in self._known:
            return
        if len(self._heap) >= MOST_WAITING:
            self.left_out += 1
            return
        self._known.add(key)
        said = self.relevance(f"{text} {unquote(urlsplit(url).path)}")
        self._push(QueuedLink(url, depth, said + INHERITED * relevance - PER_LEVEL * depth))

    def redirected(self, candidate: QueuedLink, url: str) -> None:
        """Take where a candidate has led to in place of a page, unless that page is known as another one."""
        key = page_key(url)
        if key in self._known and key != page_key(candidate.url):
            return
        self._known.add(key)
        self._push(QueuedLink(url, candidate.depth, candidate.score, candidate.redirects + 1))

    def give_up(self, url: str) -> None:
        """Read no more of the family of an address."""
        self._given_up.add(family(url))

    def pop(self) -> QueuedLink | None:
        """Return the best candidate, which waits no longer; None when none is left."""
        while self._heap:
            kept, order, candidate = heapq.heappop(self._heap)
            kind = family(candidate.url)
            if kind in self._given_up:
                self.left_out += 1
                continue
            now = -candidate.score + PER_TWIN * math.log2(1 + self._taken[kind])
            if now > kept:  # others of its family were taken since it was put there
                heapq.heappush(self._heap, (now, order, candidate))
                continue
            self._taken[kind] += 1
            return candidate
        return None

    def _push(self, candidate: QueuedLink) -> None:
        self._count += 1
        heapq.heappush(self._heap, (-candidate.score, self._count, candidate))


def _stems(text: str) -> set[str]:
    return {word[:STEM] for word in terms(text)}
