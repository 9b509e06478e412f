"""Compares two reports: their claims, verdicts and cited sources."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from pydantic import BaseModel

from ..evidence import Relevance, roots
from ..kernel.one_line import one_line
from ..kernel.sentence import sentence_spans
from ..report import Report
from ..search.urls import normalize_url

SAME_SUBJECT = 0.5
"""Likeness from which two sentences are two wordings of one claim: about two in three words are the same."""

MOST_SHARED = 200
"""Most sentences that contain a word by which two of them are paired; more frequent words are ignored."""


class ComparedClaim(BaseModel, frozen=True):
    """A claim of a report and its verdict."""

    text: str
    verdict: str


class Change(BaseModel, frozen=True):
    """A claim in both reports; `likeness` of the words, from 0 to 1, is 1 if only the verdict differs."""

    before: ComparedClaim
    after: ComparedClaim
    likeness: float


class CitedSource(BaseModel, frozen=True):
    """A cited source: its address or path (`place`), its title, and the snapshot that was cited."""

    place: str
    title: str
    snapshot: str


class Difference(BaseModel, frozen=True):
    """The claims and sources only in the second report (`added`), only in the first (`dropped`), and changed ones.

    `changed` claims differ in words or numbers, `verdicts` only in their verdict. `updated` sources are cited by both
    reports, from different snapshots.
    """

    added: list[ComparedClaim] = []
    dropped: list[ComparedClaim] = []
    changed: list[Change] = []
    verdicts: list[Change] = []
    sources_added: list[CitedSource] = []
    sources_dropped: list[CitedSource] = []
    sources_updated: list[CitedSource] = []
    same: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether there are no differences."""
        claims = (self.added, self.dropped, self.changed, self.verdicts)
        return not any((*claims, self.sources_added, self.sources_dropped, self.sources_updated))


def diff(a: Report, b: Report) -> Difference:
    """Return how `b` differs from `a`, in the order of the texts.

    Claims with equal words are the same; of the others, the most similar are paired first, each at most once.
    """
    before, after = _claims(a), _claims(b)
    pairs = dict(_equal(before, after))
    verdicts = [
        Change(before=before[i], after=after[j], likeness=1.0)
        for i, j in sorted(pairs.items())
        if before[i].verdict != after[j].verdict
    ]
    like = _alike(before, after, pairs)
    changed = [Change(before=before[i], after=after[j], likeness=score) for i, (j, score) in sorted(like.items())]
    taken = {*pairs.values(), *(j for j, _ in like.values())}
    older, newer = _cited(a), _cited(b)
    return Difference(
        added=[claim for j, claim in enumerate(after) if j not in taken],
        dropped=[claim for i, claim in enumerate(before) if i not in pairs and i not in like],
        changed=changed,
        verdicts=verdicts,
        sources_added=[cited for place, cited in newer.items() if place not in older],
        sources_dropped=[cited for place, cited in older.items() if place not in newer],
        sources_updated=[
            cited for place, cited in newer.items() if place in older and older[place].snapshot != cited.snapshot
        ],
        same=len(pairs) - len(verdicts),
    )


def _claims(report: Report) -> list[ComparedClaim]:
    if report.given is None:
        return [ComparedClaim(text=claim.text, verdict=claim.verdict) for claim in report.claims]
    spans = sentence_spans(report.given)
    return [ComparedClaim(text=one_line(report.given[start:end]), verdict="unchecked") for start, end in spans]


def _equal(before: Sequence[ComparedClaim], after: Sequence[ComparedClaim]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of claims with equal words, by index, in order."""
    indexes: dict[str, list[int]] = defaultdict(list)
    for j in reversed(range(len(after))):
        indexes[_key(after[j])].append(j)
    for i, claim in enumerate(before):
        if same := indexes[_key(claim)]:
            yield i, same.pop()


def _key(claim: ComparedClaim) -> str:
    return one_line(claim.text).casefold()


def _alike(
    before: Sequence[ComparedClaim], after: Sequence[ComparedClaim], pairs: dict[int, int]
) -> dict[int, tuple[int, float]]:
    """Return pairs of the remaining claims that are two wordings of one, by index, with their likeness."""
    taken = set(pairs.values())
    old = {i: roots(claim.text) for i, claim in enumerate(before) if i not in pairs}
    new = {j: roots(claim.text) for j, claim in enumerate(after) if j not in taken}
    relevance = Relevance([*old.values(), *new.values()])
    scored = ((relevance.likeness(old[i], new[j]), i, j) for i, j in _sharing(old, new))
    matches: dict[int, tuple[int, float]] = {}
    used: set[int] = set()
    alike = (pair for pair in scored if pair[0] >= SAME_SUBJECT)
    for score, i, j in sorted(alike, key=lambda pair: (-pair[0], *pair[1:])):
        if i not in matches and j not in used:
            matches[i] = (j, round(score, 3))
            used.add(j)
    return matches


def _sharing(old: dict[int, frozenset[str]], new: dict[int, frozenset[str]]) -> set[tuple[int, int]]:
    """Return the pairs of claims, by index, that share a rare word."""
    holders: dict[str, list[int]] = defaultdict(list)
    for j, words in new.items():
        for word in words:
            holders[word].append(j)
    rare = {word: indexes for word, indexes in holders.items() if len(indexes) <= MOST_SHARED}
    return {(i, j) for i, words in old.items() for word in words for j in rare.get(word, ())}


def _cited(report: Report) -> dict[str, CitedSource]:
    """Return the cited sources by path or address, in the order of their numbers."""
    snapshots = {citation.source_id: citation.snapshot for citation in report.citations}
    sources: dict[str, CitedSource] = {}
    for reference in report.references:
        place = reference.path or reference.url or reference.title
        key = place if reference.path else normalize_url(reference.url) if reference.url else place
        snapshot = snapshots.get(reference.source_id, "")
        sources.setdefault(key, CitedSource(place=place, title=reference.title, snapshot=snapshot))
    return sources
