"""The extractive writer: sections of sentences verbatim from the sources, chosen for relevance and diversity."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..settings import Length
from .catalogue import Catalogue, Entry, Labelled
from .draft import Cite, Draft
from .escape import escaped
from .outline import shown_title
from .relevance import Relevance, roots
from .statement import Statement

SENTENCES: dict[Length, int] = {"short": 2, "normal": 3, "long": 4}
"""Statements of the summary."""

WORDS: dict[Length, int] = {"short": 80, "normal": 130, "long": 220}
"""Words of a section, about."""

FLOOR = 0.35
"""A statement is worth quoting in a section when it is at least this much as relevant as the best one of all."""

SUMMARY_FLOOR = 0.5
"""The same for the summary."""

LEAST = 0.1
"""The share of the question's weight below which a statement has nothing to do with it."""

TWIN = 0.75
"""From this likeness on two statements say the same."""

SAMENESS = 0.6
"""How much of its value a statement loses for being like one that is chosen (the lambda of maximal marginal relevance,
Carbonell and Goldstein, SIGIR 1998)."""

ROW_VALUE = 0.8
"""What a table row or a line is worth beside a sentence with the same words."""

_LEANING_WORDS = (
    "this that these those it its he she we they his her their such however but and so thus therefore hence moreover "
    "furthermore also then instead otherwise our my dies diese dieser dieses es er sie aber jedoch daher dabei auch "
    "cela ceci il elle ils elles mais donc ainsi esto esta este estos estas pero además questo questa ma inoltre "
    "isso isto mas além dit deze het hij zij maar dus ook"
)
LEANING = frozenset(_LEANING_WORDS.split())
"""First words of sentences that lean on the sentence before."""

LEANING_VALUE = 0.7


@dataclass(frozen=True, slots=True)
class Candidate:
    """A statement that may be quoted, with its words and its place in the catalogue's order."""

    order: int
    entry: Entry
    passage: Labelled
    statement: Statement
    roots: frozenset[str]

    @property
    def value(self) -> float:
        """What the statement is worth by its form alone."""
        if self.statement.kind == "row":
            return ROW_VALUE
        first = self.statement.text.split(maxsplit=1)[0].strip("\"'“„«(").casefold().rstrip(",")
        return LEANING_VALUE if first in LEANING else 1.0


class Extractor:
    """Writes from a catalogue; a statement is quoted once in a report."""

    def __init__(self, catalogue: Catalogue, question: str, length: Length) -> None:
        self._candidates = _candidates(catalogue)
        self._relevance = Relevance(candidate.roots for candidate in self._candidates)
        self._question = roots(question)
        self._ids = [entry.id for entry in catalogue.entries]
        self._titles = {shown_title(entry) for entry in catalogue.entries}
        self._length = length
        self._quoted: list[Candidate] = []

    def summary(self, title: str) -> Draft | None:
        """Return the few statements that answer the question best, None when none shares a word with it."""
        return self._draft(title, self._chosen(self._question, self._ids, SUMMARY_FLOOR, most=SENTENCES[self._length]))

    def section(self, title: str, ids: Sequence[str]) -> Draft | None:
        """Return what the sources say on a title, None when they say nothing that is not quoted already."""
        query = self._question if title in self._titles else self._question | roots(title)
        return self._draft(title, self._chosen(query, ids, FLOOR, words=WORDS[self._length]))

    def _fit(self, candidate: Candidate, query: frozenset[str]) -> float:
        """Return how much a statement has of a query, from 0 to 1; its headings count a little."""
        own = self._relevance.coverage(query, candidate.roots)
        heading = roots(f"{candidate.entry.source.title} {candidate.passage.passage.heading}")
        return 0.8 * own + 0.2 * self._relevance.coverage(query, candidate.roots | heading) if own else 0.0

    def _chosen(
        self,
        query: frozenset[str],
        ids: Sequence[str],
        share: float,
        *,
        most: int | None = None,
        words: int | None = None,
    ) -> list[Candidate]:
        """Choose statements of these sources by relevance, less what is like a chosen one, until a bound is reached.

        None is chosen that is not worth `share` of what the best statement of all sources fits the query.
        """
        fits = {one.order: self._fit(one, query) for one in self._candidates}
        floor = max(share * max(fits.values(), default=0.0), LEAST)
        scores = {one.order: one.value * fits[one.order] for one in self._candidates}
        pool = [one for one in self._candidates if one.entry.id in ids and scores[one.order] >= floor]
        likeness = {one.order: max((self._like(one, other) for other in self._quoted), default=0.0) for one in pool}
        chosen: list[Candidate] = []
        while most is None or len(chosen) < most:
            values = {
                one.order: scores[one.order] * (1 - SAMENESS * likeness[one.order])
                for one in pool
                if likeness[one.order] < TWIN
            }
            best = max(values, key=lambda order: values[order], default=None)
            if best is None or values[best] < floor or (words is not None and words <= 0):
                break
            chosen.append(self._candidates[best])
            words = None if words is None else words - len(self._candidates[best].statement.text.split())
            for one in pool:
                likeness[one.order] = max(likeness[one.order], self._like(one, self._candidates[best]))
        self._quoted += chosen
        return chosen

    def _like(self, one: Candidate, other: Candidate) -> float:
        return 1.0 if one.order == other.order else self._relevance.likeness(one.roots, other.roots)

    def _draft(self, title: str, chosen: list[Candidate]) -> Draft | None:
        """Return the chosen statements in readable order: the best source first, each as its text goes, rows last."""
        if not chosen:
            return None
        sources = list(dict.fromkeys(candidate.entry.id for candidate in chosen))
        ordered = sorted(chosen, key=lambda one: (sources.index(one.entry.id), one.statement.kind == "row", one.order))
        return Draft(title, tuple(_parts(ordered)), quoted=True)


def _candidates(catalogue: Catalogue) -> list[Candidate]:
    """Return every statement of the catalogue once, in order; overlapping passages share theirs."""
    found: dict[tuple[str, int, int], Candidate] = {}
    for entry in catalogue.entries:
        for passage in entry.passages:
            for statement in passage.statements:
                key = (entry.source.snapshot, statement.start, statement.end)
                if key not in found:
                    found[key] = Candidate(len(found), entry, passage, statement, roots(statement.text))
    return list(found.values())


def _parts(candidates: list[Candidate]) -> Iterable[str | Cite]:
    """Yield a paragraph of the sentences of each source, and a list item for each row."""
    before: Candidate | None = None
    for candidate in candidates:
        row = candidate.statement.kind == "row"
        if before is not None:
            follows = before.entry.id == candidate.entry.id and before.statement.kind == candidate.statement.kind
            yield ("\n" if row else " ") if follows else "\n\n"
        yield f"{'- ' if row else ''}{escaped(candidate.statement.text)} "
        yield Cite(candidate.passage, candidate.statement.start, candidate.statement.end)
        before = candidate
