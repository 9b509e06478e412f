"""Which texts are copies of one another: a page at two addresses, a syndicated article, a page quoted whole."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain, repeat
from zlib import crc32

from ..kernel.source import Source
from ..search.consolidation import credibility

SHINGLE = 6
"""Words that are compared as one, in their order."""

COPIED = 0.8
"""The share of a text's shingles that another has of which it is a copy. Among all pairs of 2,702 pages of five sites
of documentation, those from 0.85 on are one page at two addresses, within another, or but for a release note the same;
those below 0.75 are sisters made from a template. Of 73 chapters of the Python reference, 69 of version 3.12 are copies
of those of 3.13, and 21 of 71 of version 2.7 are."""

KIN = 0.4
"""The same for two texts that a third one holds: with less of each other, they are different ones."""

FEWEST = 12
"""Shingles below which a text says too little to be told from a common phrase; it is a copy of an equal one only."""

BUDGET = 50_000
"""Words up to which every shingle counts. Of more words a sample counts, the same of equal shingles in every text."""

_WIDE = re.compile("([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f])")
_EDGES = re.compile(r"^\W+|\W+$")
_ADDRESS = re.compile(r"\]\(.*|https?://.*", re.DOTALL)

UNDATED = "9999"
"""Sorts after every date."""


def independent(texts: Sequence[str]) -> list[list[int]]:
    """Return groups of texts that are copies of one another, by their places; a text of its own is alone.

    A text is a copy of a longer one that has `COPIED` of its shingles: so is the same article among other furniture,
    and a page that another one quotes whole. Pages that share a frame are not, nor are versions of a page of which
    more has changed. A page that holds several different ones goes with the longest of them. Groups and places are in
    order, and the same texts in another order make the same groups. Linear in the length of the texts.
    """
    numbers = _Numbers()
    words = [_words(text, numbers) for text in texts]
    step = 1
    while sum(map(len, words)) > BUDGET * step:
        step *= 2
    prints = [_shingles(one, step) for one in words]
    longest_first = sorted(range(len(texts)), key=lambda place: (-len(words[place]), words[place], place))
    equal: dict[tuple[int, ...], int] = {}
    twins = {place: equal.setdefault(tuple(words[place]), place) for place in longest_first}
    groups = {leader: group for leader, *group in _parted(list(equal.values()), prints)}
    members = {place: leader for leader, group in groups.items() for place in (leader, *group)}
    grouped: dict[int, list[int]] = {}
    for place in range(len(texts)):
        grouped.setdefault(members[twins[place]], []).append(place)
    return list(grouped.values())


def originals(sources: Sequence[Source], texts: Sequence[str]) -> list[list[int]]:
    """Return the groups of `independent`, each with its primary source first and then the others in order.

    Primary is the more credible one, then the one whose domain more of the copies name, then what was published
    earlier (what has no date comes last), then the longest text.
    """
    groups = []
    for group in independent(texts):
        named = {place: _times_named(sources[place].domain, [texts[other] for other in group]) for place in group}
        primary = min(
            group,
            key=lambda place: (
                -credibility(sources[place]),
                -named[place],
                sources[place].published or UNDATED,
                -len(texts[place]),
            ),
        )
        groups.append([primary, *(place for place in group if place != primary)])
    return groups


def _times_named(domain: str, texts: Sequence[str]) -> int:
    return sum(domain in text for text in texts) if domain else 0


class _Numbers(dict[str, int]):
    """The number of each word: the same for all its spellings, 0 for what is no word, an address say."""

    def __missing__(self, word: str) -> int:
        bare = word if word.isalnum() else _EDGES.sub("", _ADDRESS.sub("", word))
        self[word] = number = crc32(bare.casefold().encode("utf-8", "surrogatepass")) if bare else 0
        return number


def _words(text: str, numbers: _Numbers) -> list[int]:
    """Return the numbers of a text's words, in order; Chinese and Japanese count by the character."""
    spaced = text if text.isascii() else _WIDE.sub(r" \1 ", text)
    return [number for number in map(numbers.__getitem__, spaced.split()) if number]


def _shingles(words: Sequence[int], step: int) -> frozenset[int]:
    """Return the shingles of a text, about one of `step`: those whose first word says so."""
    starts = (start for start, number in enumerate(words[: 1 - SHINGLE]) if not number % step)
    return frozenset(hash(tuple(words[start : start + SHINGLE])) for start in starts)


def _parted(longest_first: Sequence[int], prints: Sequence[frozenset[int]]) -> list[list[int]]:
    """Return the groups of different texts, the leader of each first.

    Where a leader holds several texts that have little of each other, it stays with the longest of them; of the others
    those are one that are copies without it.
    """
    parted = []
    for leader, *held in _led(longest_first, prints, COPIED):
        first, *others = _led(held, prints, KIN) if held else [[]]
        parted += [[leader, *first], *(group for other in others for group in _led(other, prints, COPIED))]
    return parted


def _led(longest_first: Sequence[int], prints: Sequence[frozenset[int]], share: float) -> list[list[int]]:
    """Return groups in which the first text, the longest, has at least `share` of each other one's shingles."""
    groups: dict[int, list[int]] = {}
    leaders: dict[int, list[int]] = {}
    for place in longest_first:
        own = prints[place]
        shared = Counter(chain.from_iterable(map(leaders.get, own, repeat(()))))
        best = max(shared, key=lambda leader: shared[leader], default=None)
        if best is not None and len(own) >= FEWEST and shared[best] >= share * len(own):
            groups[best].append(place)
            continue
        groups[place] = [place]
        for shingle in own:
            leaders.setdefault(shingle, []).append(place)
    return list(groups.values())
