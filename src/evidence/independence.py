"""Groups texts that are copies of each other: a page at two addresses, a syndicated article, a page quoted whole."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain, repeat
from zlib import crc32

from ..kernel.source import Source
from ..search.consolidation import credibility

SHINGLE = 6
"""Words of a shingle, a sequence of words that is compared as one unit."""

COPIED = 0.8
"""Share of a text's shingles that another text must have for it to be a copy. Of all pairs of 2,702 pages of five
documentation sites, those from 0.85 up are one page at two addresses, within another page, or equal except for a
release note; those below 0.75 are siblings made from a template. Of 73 chapters of the Python reference, 69 of version
3.12 are copies of those of 3.13, and 21 of 71 of version 2.7 are."""

KIN = 0.4
"""Share of common shingles below which two texts that are both contained in a third are different texts."""

FEWEST = 12
"""Shingles below which a text may be a common phrase; such a text is a copy only of an equal text."""

BUDGET = 50_000
"""Total words up to which every shingle counts; of more, a sample, which selects the same shingles in every text."""

_WIDE = re.compile("([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f])")
_EDGES = re.compile(r"^\W+|\W+$")
_ADDRESS = re.compile(r"\]\(.*|https?://.*", re.DOTALL)

UNDATED = "9999"
"""Sorts after every date."""


def independent(texts: Sequence[str]) -> list[list[int]]:
    """Return groups of texts that are copies of one another, by index; a text without copies is a group of its own.

    A text is a copy of a longer one that has `COPIED` of its shingles: the same article in another page layout, or a
    page that another quotes in full. Pages that share only a layout are not copies, nor are versions with larger
    changes. A page that contains several different pages is grouped with the longest of them. Groups and indexes are in
    order, and the groups do not depend on the order of the texts. Linear in the length of the texts.
    """
    numbers = _Numbers()
    words = [_words(text, numbers) for text in texts]
    step = 1
    while sum(map(len, words)) > BUDGET * step:
        step *= 2
    prints = [_shingles(text_words, step) for text_words in words]
    longest_first = sorted(range(len(texts)), key=lambda index: (-len(words[index]), words[index], index))
    equal: dict[tuple[int, ...], int] = {}
    twins = {index: equal.setdefault(tuple(words[index]), index) for index in longest_first}
    groups = {leader: group for leader, *group in _grouped(list(equal.values()), prints)}
    members = {index: leader for leader, group in groups.items() for index in (leader, *group)}
    grouped: dict[int, list[int]] = {}
    for index in range(len(texts)):
        grouped.setdefault(members[twins[index]], []).append(index)
    return list(grouped.values())


def originals(sources: Sequence[Source], texts: Sequence[str]) -> list[list[int]]:
    """Return the groups of `independent`, each with its primary source first and then the others in order.

    The primary source is the most credible one; of several, the one whose domain most copies name, then the web page
    published first (a source without a date and a file come last), then the one with the longest text.
    """
    groups = []
    for group in independent(texts):
        named = {index: _times_named(sources[index].domain, [texts[other] for other in group]) for index in group}
        primary = min(
            group,
            key=lambda index: (
                -credibility(sources[index]),
                -named[index],
                (sources[index].kind == "web" and sources[index].published) or UNDATED,
                -len(texts[index]),
            ),
        )
        groups.append([primary, *(index for index in group if index != primary)])
    return groups


def _times_named(domain: str, texts: Sequence[str]) -> int:
    return sum(domain in text for text in texts) if domain else 0


class _Numbers(dict[str, int]):
    """Maps each token to a hash of its word, ignoring case and punctuation; 0 for a token without a word (a URL)."""

    def __missing__(self, word: str) -> int:
        bare = word if word.isalnum() else _EDGES.sub("", _ADDRESS.sub("", word))
        self[word] = number = crc32(bare.casefold().encode("utf-8", "surrogatepass")) if bare else 0
        return number


def _words(text: str, numbers: _Numbers) -> list[int]:
    """Return the hashes of a text's words, in order; each Chinese or Japanese character is a word."""
    spaced = text if text.isascii() else _WIDE.sub(r" \1 ", text)
    return [number for number in map(numbers.__getitem__, spaced.split()) if number]


def _shingles(words: Sequence[int], step: int) -> frozenset[int]:
    """Return about one in `step` of the shingles of a text, chosen by their first word."""
    starts = (start for start, number in enumerate(words[: 1 - SHINGLE]) if not number % step)
    return frozenset(hash(tuple(words[start : start + SHINGLE])) for start in starts)


def _grouped(longest_first: Sequence[int], prints: Sequence[frozenset[int]]) -> list[list[int]]:
    """Return the groups of distinct texts, the leader (the longest text) of each first.

    If a leader contains several texts that share little with each other, it stays with the longest of them; the others
    are grouped again without it.
    """
    groups = []
    for leader, *members in _led_groups(longest_first, prints, COPIED):
        first, *others = _led_groups(members, prints, KIN) if members else [[]]
        groups += [[leader, *first], *(group for other in others for group in _led_groups(other, prints, COPIED))]
    return groups


def _led_groups(longest_first: Sequence[int], prints: Sequence[frozenset[int]], share: float) -> list[list[int]]:
    """Return groups in which the first text, the longest, has at least `share` of the shingles of every other text."""
    groups: dict[int, list[int]] = {}
    leaders: dict[int, list[int]] = {}
    for index in longest_first:
        shingles = prints[index]
        shared = Counter(chain.from_iterable(map(leaders.get, shingles, repeat(()))))
        best = max(shared, key=lambda leader: shared[leader], default=None)
        if best is not None and len(shingles) >= FEWEST and shared[best] >= share * len(shingles):
            groups[best].append(index)
            continue
        groups[index] = [index]
        for shingle in shingles:
            leaders.setdefault(shingle, []).append(index)
    return list(groups.values())
