"""Which of very many passages may have to do with a claim, by their words."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from ..evidence.relevance import Relevance, roots

COMMON = 0.2
"""Share of the passages from which on a word brings none of them to mind, where there are more than FEW."""

FEW = 500


class Shortlist:
    """The words of many passages. Making one costs some 0.2 ms a passage, a question a fraction of that; it blocks."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._words = [roots(text) for text in texts]
        self._relevance = Relevance(self._words)
        self._holders: dict[str, list[int]] = defaultdict(list)
        for number, words in enumerate(self._words):
            for word in words:
                self._holders[word].append(number)

    def best(self, claim: str, most: int, among: Collection[int] | None = None) -> list[int]:
        """Return the passages, or those `among` them, that have most of a claim by weight, the best first.

        None that has no word of it.
        """
        words = roots(claim)
        shares = self._of(words, among) if among is not None else self._of_all(words)
        return sorted(shares, key=lambda number: (-shares[number], number))[:most]

    def _of(self, words: frozenset[str], among: Collection[int]) -> dict[int, float]:
        found = {number: self._relevance.coverage(words, self._words[number]) for number in among}
        return {number: share for number, share in found.items() if share > 0}

    def _of_all(self, words: frozenset[str]) -> dict[int, float]:
        shares: dict[int, float] = defaultdict(float)
        for word in sorted(words):
            holders = self._holders.get(word, ())
            if len(self._words) <= FEW or len(holders) <= COMMON * len(self._words):
                weight = self._relevance.weight(word)
                for number in holders:
                    shares[number] += weight
        return shares
