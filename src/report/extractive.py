"""The extractive writer: sections of sentences verbatim from the sources, chosen for relevance and diversity."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..evidence.relevance import Relevance, roots
from ..evidence.statement import Statement
from ..render.escape import escaped
from ..settings import Length
from .catalogue import Catalogue, Entry, Labelled
from .draft import Cite, Draft, Sentence
from .outline import shown_title

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

MANY_WORDS = 4
"""Content words of a query from which one in common is chance."""

OWN_SHARE = 0.6
"""How much of a statement's relevance is in its own words; the rest is in those and its headings' together."""

TWIN = 0.75
"""From this likeness on two statements say the same."""

SAMENESS = 0.6
"""How much of its value a statement loses for being like one that is chosen (the lambda of maximal marginal relevance,
Carbonell and Goldstein, SIGIR 1998)."""

ROW_VALUE = 0.8
"""What a table row or a line is worth beside a sentence with the same words."""

LEANING_VALUE = 0.7
"""What a sentence is worth that leans on the one before it."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A statement that may be quoted, with its place in the catalogue's order.

    `around` are its content words and those of the headings above it.
    """

    order: int
    entry: Entry
    passage: Labelled
    statement: Statement
    around: frozenset[str]

    @property
    def roots(self) -> frozenset[str]:
        """The statement's content words."""
        return self.statement.roots

    @property
    def value(self) -> float:
        """What the statement is worth by its form alone."""
        if self.statement.kind == "row":
            return ROW_VALUE
        return LEANING_VALUE if self.statement.leans else 1.0


class Extractor:
    """Writes from a catalogue; a statement is quoted once in a report.

    `questions` are the sub-questions of the plan, or the question alone. Nothing is read before something is asked for:
    most reports of a model quote nothing.
    """

    def __init__(self, catalogue: Catalogue, questions: Sequence[str], length: Length) -> None:
        self._catalogue = catalogue
        self._queries = {question.casefold(): roots(question) for question in questions}
        self._titles = {shown_title(entry) for entry in catalogue.entries}
        self._length = length
        self._quoted: list[Candidate] = []

    @cached_property
    def _candidates(self) -> list[Candidate]:
        return _candidates(self._catalogue)

    @cached_property
    def _relevance(self) -> Relevance:
        return Relevance(candidate.roots for candidate in self._candidates)

    def summary(self, title: str) -> Draft | None:
        """Return the few statements that answer the questions best, None when none shares a word with them."""
        most = max(1, SENTENCES[self._length] // len(self._queries))
        chosen = []
        for query in self._queries.values():
            pool = [one for one in self._candidates if query & one.roots]
            chosen += self._chosen(query, pool, SUMMARY_FLOOR, most=most)
        return self._draft(title, chosen)

    def section(self, title: str, ids: Sequence[str]) -> Draft | None:
        """Return what the sources say on a title, None when they say nothing that is not quoted already."""
        return self._draft(title, self.quotes(title, ids))

    def quotes(self, title: str, ids: Sequence[str]) -> list[Candidate]:
        """Return what a section quotes, what fits the title best first."""
        pool = [one for one in self._candidates if one.entry.id in ids]
        return self._chosen(self._query(title), pool, FLOOR, words=WORDS[self._length])

    def _query(self, title: str) -> frozenset[str]:
        """Return the words of a section: a sub-question's own, else the questions' and those of a title of ours."""
        every = frozenset[str]().union(*self._queries.values())
        return self._queries.get(title.casefold()) or (every if title in self._titles else every | roots(title))

    def _fit(self, candidate: Candidate, query: frozenset[str]) -> float:
        """Return how much of a query a statement has, from 0 to 1; its headings count as well."""
        if len(query) >= MANY_WORDS and len(query & candidate.around) < 2:
            return 0.0
        own = self._relevance.coverage(query, candidate.roots)
        return OWN_SHARE * own + (1 - OWN_SHARE) * self._relevance.coverage(query, candidate.around)

    def _chosen(
        self,
        query: frozenset[str],
        pool: Sequence[Candidate],
        share: float,
        *,
        most: int | None = None,
        words: int | None = None,
    ) -> list[Candidate]:
        """Choose statements by relevance, less what is like a chosen one, until a bound is reached.

        None is chosen that is not worth `share` of what the best statement of all sources fits the query.
        """
        fits = {one.order: self._fit(one, query) for one in self._candidates}
        floor = max(share * max(fits.values(), default=0.0), LEAST)
        worth = {one.order: one.value * fits[one.order] for one in pool}
        likeness = {one.order: max((self._like(one, other) for other in self._quoted), default=0.0) for one in pool}
        chosen: list[Candidate] = []
        while most is None or len(chosen) < most:
            values = {
                order: value * (1 - SAMENESS * likeness[order])
                for order, value in worth.items()
                if likeness[order] < TWIN
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
        """Return how alike two statements are: not at all where they differ in what decides, for they may disagree."""
        if one.order == other.order:
            return 1.0
        if one.statement.kind == "sentence" and one.statement.decisive != other.statement.decisive:
            return 0.0
        return self._relevance.likeness(one.roots, other.roots)

    def _draft(self, title: str, chosen: list[Candidate]) -> Draft | None:
        """Return the chosen statements in readable order.

        The best source comes first, in it the kind of its best statement, and each kind as its text goes.
        """
        if not chosen:
            return None
        best: dict[str, str] = {}
        for candidate in chosen:
            best.setdefault(candidate.entry.id, candidate.statement.kind)
        rank = {short_id: place for place, short_id in enumerate(best)}
        ordered = sorted(
            chosen, key=lambda one: (rank[one.entry.id], one.statement.kind != best[one.entry.id], one.order)
        )
        return Draft(title, tuple(_parts(ordered)), quoted=True)


def _candidates(catalogue: Catalogue) -> list[Candidate]:
    """Return every statement of the catalogue once, in order; overlapping passages share theirs."""
    found: dict[tuple[str, int, int], Candidate] = {}
    for entry in catalogue.entries:
        for passage in entry.passages:
            heading = roots(f"{entry.source.title} {passage.passage.heading}")
            for statement in passage.statements:
                key = (entry.source.snapshot, statement.start, statement.end)
                if key not in found:
                    found[key] = Candidate(len(found), entry, passage, statement, statement.roots | heading)
    return list(found.values())


def _parts(candidates: list[Candidate]) -> Iterable[str | Sentence]:
    """Yield a paragraph of the sentences of each source, and a list item for each row."""
    before: Candidate | None = None
    for candidate in candidates:
        row = candidate.statement.kind == "row"
        if before is not None:
            follows = before.entry.id == candidate.entry.id and before.statement.kind == candidate.statement.kind
            yield ("\n" if row else " ") if follows else "\n\n"
        if row:
            yield "- "
        cite = Cite(candidate.passage, candidate.statement.start, candidate.statement.end)
        yield Sentence((f"{escaped(candidate.statement.text)} ", cite), asserts=True, quoted=True)
        before = candidate
