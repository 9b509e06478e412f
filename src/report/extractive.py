"""The extractive writer: sections of sentences verbatim from the sources, chosen for relevance and diversity."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import takewhile

from ..answer import DOCUMENTS, Ranking, is_broad, tells_fact, wanted, wants_fact, wants_overview, wants_several
from ..evidence import Relevance, roots
from ..kernel.settings import Length
from ..tree import Block, ListBlock, Paragraph
from .comparison import compared, paired, tells_apart
from .draft import Draft
from .duplicates import repeats
from .lists import about, is_lead_in, leads, led_into, steps_with, table_with
from .odds import Odds
from .quotable import Quotable, preceding, quotable
from .quoted_blocks import as_blocks, as_table, code_below
from .source_index import SourceIndex
from .subjects import Subjects

SENTENCES: dict[Length, int] = {"short": 2, "normal": 3, "long": 4}
"""Statements of the summary, without the one behind the best."""

PLACES: dict[Length, int] = {"short": 0, "normal": 1, "long": 2}
"""Where nothing surely answers, the best statements that are quoted beside the best one and the passage found first. Of
216 questions that people asked of 38 folders 151 have their answer in what is then quoted with one; 144 with the three
next best statements instead, in 90 words and not 97."""

FOLLOWING = 300
"""Characters behind a statement that are quoted with it where it is not sure to answer. Of 145 questions that
people asked of 25 folders 67 have their answer in the best statement, 78 in it or so near behind it. Where it is sure,
the next sentence of its paragraph is: of 102 such answers 90 have what was asked for instead of 88."""

WORDS: dict[Length, int] = {"short": 80, "normal": 130, "long": 220}
"""The approximate number of words of a section."""

TWIN, ALMOST = 0.75, 0.6
"""Likeness from which on two statements say the same, or would but for a number, a name or a denial."""

SAMENESS = 0.6
"""The share of its value that a statement loses when it equals a chosen one (the lambda of maximal marginal relevance,
Carbonell and Goldstein, SIGIR 1998)."""

FLOOR = 0.1
"""A statement is quoted in a section, or as one that may help, when its odds of being the answer are this share of the
best one's. Of 185 answerable questions none loses its answer by it, of the passages that may help every other goes."""

SUMMARY_FLOOR = 0.01
"""The same for the summary, whose second and third statement stand in for the first where that is beside the point."""

STEPS = 0.1
"""The same for the summary of how a thing is done, and for the statement whose list tells it."""

LISTED = 0.3
"""The same for the statement that leads into a list, where several things may answer."""

APART = 0.3
"""The same for the statement that tells two compared things apart."""


class Extractor:
    """Quotes statements of a source index; each is quoted once in a report.

    `rankings` say of each question how well the statements answer it; nothing is quoted for one that nothing answers.
    The statements are read when the first is asked for: most reports of a model quote nothing.
    """

    def __init__(self, index: SourceIndex, length: Length, rankings: Mapping[str, Ranking]) -> None:
        self._index = index
        self._length = length
        self._rankings = rankings
        self._quoted: list[Quotable] = []

    @cached_property
    def _candidates(self) -> list[Quotable]:
        return quotable(self._index)

    @cached_property
    def _odds(self) -> dict[str, Odds]:
        return {
            question.casefold(): Odds(question, ranking, self._candidates)
            for question, ranking in self._rankings.items()
        }

    @cached_property
    def _subjects(self) -> Subjects:
        return Subjects(self._candidates)

    @cached_property
    def _relevance(self) -> Relevance:
        return Relevance(candidate.roots for candidate in self._candidates)

    def helping(self, title: str) -> Draft | None:
        """Return the passages that may help where nothing surely answers, None when nothing does.

        The best statement comes first, then one of the passage that the search found first, and the next best; each is
        a paragraph, with what follows it, behind the place where it stands.
        """
        draft = self.summary(title, sure=False)
        if draft is None:
            return None
        blocks = [*draft.blocks]
        fits = self._fits(title)
        first = min(self._candidates, key=lambda quote: quote.candidate.rank).passage
        nearest = [quote for quote in self._candidates if quote.passage is first and not self._is_quoted(quote)]
        if nearest and all(quote.passage is not first for quote in self._quoted):
            best = max(nearest, key=lambda quote: (fits[quote.order], quote.statement.kind == "sentence"))
            self._quoted.append(best)
            blocks += self._place(best)
        for quote in self._chosen(fits, self._candidates, FLOOR, most=PLACES[self._length]):
            blocks += self._place(quote)
        return draft.model_copy(update={"blocks": blocks})

    def _place(self, quote: Quotable) -> list[Block]:
        """Return a statement with the one that it leans on and what follows it, behind the place where it stands."""
        before = self._leant_on(quote)
        quotes = [*filter(None, [before]), quote, *self._what_follows(quote, sure=False)]
        return as_blocks(quotes, {quotes[0].order: self._subjects.place(quotes[0])})

    def summary(self, title: str, *, sure: bool = True) -> Draft | None:
        """Return the few statements that answer the questions best, the best one first, None when nothing does.

        Where the ranking is not `sure`, only the best statement of each question, with the text that follows it, behind
        the document and the heading that it stands in.
        """
        if overviews := [question for question in self._odds if wanted(question) == DOCUMENTS]:
            return self._documents(title, overviews[0])
        if comparison := next(filter(None, map(self._comparison, self._odds)), None):
            return Draft(title=title, blocks=comparison, quoted=True)
        labels: dict[int, str] = {}
        quotes: list[Quotable] = []
        blocks: list[Block] = []
        code = not any(map(wants_fact, self._odds))
        for question in self._odds:
            if in_list := self._as_list(question):
                blocks += [*as_blocks(quotes, labels, code=code), *in_list]
                quotes = []
                continue
            most = max(3 if is_broad(question) else 2, SENTENCES[self._length] // max(1, len(self._odds)))
            if wants_overview(question) and (parts := self._part_by_part(question, most)):
                labels |= {quote.order: self._subjects.label(quote) for quote in parts}
                quotes += parts
                continue
            chosen, named = self._answering(question, most if sure else 1, sure=sure)
            labels |= named
            quotes += chosen
        blocks += as_blocks(quotes, labels, code=code)
        return Draft(title=title, blocks=blocks, quoted=True) if blocks else None

    def _answering(self, question: str, most: int, *, sure: bool) -> tuple[list[Quotable], dict[int, str]]:
        """Return the statements that answer a question, at most so many and what belongs to them, and their labels."""
        broad = is_broad(question)
        share = STEPS if wanted(question) == "steps" else SUMMARY_FLOOR
        chosen = self._standing(self._chosen(self._fits(question), self._candidates, share, most=most))
        if not chosen:
            return [], {}
        best = chosen[0]
        if not (sure and tells_fact(question, best.statement.text)):
            chosen += self._what_follows(best, sure=sure)
        labels = self._subjects.labels(chosen)
        labels[best.order] = self._subjects.label(best, frozenset() if broad else roots(question))
        ordered = self._in_reading_order(chosen, broad=broad)
        if not sure:
            labels[ordered[0].order] = self._subjects.place(ordered[0])
        return ordered, labels

    def section(self, title: str, ids: Sequence[str]) -> Draft | None:
        """Return what the sources say on a title, None when they say nothing that is not quoted already.

        A statement that leans on another stands behind it, or not at all ("It will run slower than usual"), unless all
        lean.
        """
        quotes = self.quotes(title, ids)
        standing = [
            quote for quote in quotes if not quote.statement.leans or preceding(quote, self._candidates) in quotes
        ]
        ordered = _by_source(standing or quotes)
        blocks = as_blocks(ordered, self._subjects.labels(ordered))
        return Draft(title=title, blocks=blocks, quoted=True) if blocks else None

    def quotes(self, title: str, ids: Sequence[str]) -> list[Quotable]:
        """Return what a section quotes from the sources of these ids, what fits the title best first."""
        pool = [candidate for candidate in self._candidates if candidate.entry.id in ids]
        return self._chosen(self._fits(title.casefold()), pool, FLOOR, words=WORDS[self._length])

    def _documents(self, title: str, question: str) -> Draft | None:
        """Return a list with a statement of each document, where it is asked which documents there are."""
        quotes = [self._candidates[order] for order in self._odds[question].every]
        self._quoted += quotes
        items = [[Paragraph(sentences=[quote.sentence(f"{quote.entry.source.title}: ")])] for quote in quotes]
        return Draft(title=title, blocks=[ListBlock(items=items)], quoted=True) if items else None

    def _comparison(self, question: str) -> list[Block]:
        """Return what tells two things apart, else the best statement, and a table of what else is said of both.

        Nothing where there is no table to make.
        """
        things = compared(self._odds[question].question)
        if not things or not self._odds[question].every:
            return []
        odds = {
            candidate.order: max(odds.every.get(candidate.order, 0.0) for odds in self._odds.values())
            for candidate in self._candidates
        }
        rows = list(paired(things, self._candidates, odds, self._relevance, lambda *pair: self._like(*pair) >= TWIN))
        if not rows:
            return []
        in_table = [row.quotable for row in rows]
        good = [quote for quote in self._good(question, APART) if not is_lead_in(quote)]
        apart = [quote for quote in good if tells_apart(quote, things)]
        opening = apart[:1] or [quote for quote in good[:1] if quote not in in_table]
        self._quoted += [*opening, *in_table]
        return [*as_blocks(opening), as_table(rows)]

    def _as_list(self, question: str) -> list[Block]:
        """Return the answer to a question that wants steps, or several things, as the list that its source has."""
        return self._stepwise(question) if wanted(question) == "steps" else self._with_its_list(question)

    def _stepwise(self, question: str) -> list[Block]:
        """Return the statement that answers best how something is done, and the numbered list that tells it.

        That is the list of this statement, or of one that is nearly as good, below the same heading or one of its own;
        nothing where none is of a list, or what is to be said is quoted already.
        """
        good = self._good(question, STEPS)
        below = [quote for quote in good if quote.entry is good[0].entry and _is_below(quote, good[0].path)]
        source_list = next(filter(None, map(steps_with, below)), None)
        steps = source_list.block(self._candidates, whole=True) if source_list else None
        if steps is None or any(quote in self._quoted for quote in [good[0], *steps[1]]):
            return []
        block, listed = steps
        self._quoted += [good[0], *listed]
        return [block] if good[0] in listed else [*as_blocks([good[0]]), block]

    def _with_its_list(self, question: str) -> list[Block]:
        """Return the best statement with the list that it leads into; nothing where it leads into none.

        Where several things may answer it is the best one that leads into a list, if it is nearly as good.
        """
        if wants_fact(question) or wants_overview(question):
            return []
        several = wants_several(question)
        good = [quote for quote in self._good(question, LISTED if several else 1.0) if quote not in self._quoted]
        leading = ((quote, led_into(quote) or (table_with(quote) if several else None)) for quote in good)
        best, source_list = next(((quote, found) for quote, found in leading if found), (None, None))
        listed = source_list.block(self._candidates) if source_list else None
        if best is None or listed is None:
            return []
        block, statements = listed
        if best in statements:
            self._quoted += statements
            return [block]
        before = self._leant_on(best)
        self._quoted += [best, *statements]
        label = self._subjects.label(best, frozenset() if before else roots(question))
        return [*as_blocks([before, best] if before else [best], {best.order: label}), block]

    def _part_by_part(self, question: str, most: int) -> list[Quotable]:
        """Return the first statement of each part of the text that is about just what an overview is wanted of.

        The parts are what stands below its headings, else its paragraphs. Of more than `most` parts the first one is
        taken and those whose first statement serves best; with them what another source says otherwise. Nothing where
        no such text has a statement that serves.
        """
        path, sentences = about(question, self._good(question, FLOOR), self._candidates, self._relevance)
        new = [quote for quote in sentences if not self._is_quoted(quote)]
        has_parts = len({quote.path[len(path) :][:1] for quote in sentences}) > 1
        first = leads(new, lambda quote: quote.path[len(path) :][:1] if has_parts else quote.paragraph)
        fits = self._odds[question].serving
        chosen = first[:1] + sorted(first[1:], key=lambda quote: -fits.get(quote.order, 0.0))[: most - 1]
        serving = [quote for quote in self._candidates if fits.get(quote.order, 0.0) >= SUMMARY_FLOOR]
        chosen += [quote for quote in serving if self._differs(quote, chosen)]
        self._quoted += chosen
        return sorted(chosen, key=lambda quote: quote.order)

    def _differs(self, quote: Quotable, chosen: Sequence[Quotable]) -> bool:
        """Whether another source says almost the same as what is chosen, but for a number, a name or a denial."""
        return any(
            quote.entry is not other.entry
            and quote.statement.decisive != other.statement.decisive
            and self._relevance.likeness(quote.roots, other.roots) >= ALMOST
            and not _contains(quote, other)
            for other in chosen
        )

    def _what_follows(self, best: Quotable, *, sure: bool) -> list[Quotable]:
        """Return the sentences behind a statement below its heading.

        Where it is `sure` to answer that is the next sentence of its paragraph, and none behind a row.
        """
        if sure and best.statement.kind == "row":
            return []
        after = self._candidates[best.order + 1 :][: 1 if sure else None]
        here = takewhile(lambda quote: (quote.entry, quote.path) == (best.entry, best.path), after)
        near = takewhile(lambda quote: quote.statement.start - best.statement.end < FOLLOWING, here)
        following = [
            quote
            for quote in near
            if quote.statement.kind == "sentence" and _reads_on(quote) and not self._is_quoted(quote)
            if quote.paragraph == best.paragraph or not sure
        ]
        self._quoted += following
        return following

    def _in_reading_order(self, chosen: list[Quotable], *, broad: bool) -> list[Quotable]:
        """Return the best of the chosen first, then those of its paragraph and the others, as their texts go.

        Where the best one leans on the statement before it, that is quoted too; a broad answer opens with it.
        """
        best, *others = chosen
        before = self._leant_on(best)
        if before and broad:
            best, others = before, [best, *others]
        elif before:
            others = [before, *others[: len(others) - 1]]
        return [best, *sorted(others, key=lambda quote: (quote.paragraph != best.paragraph, quote.order))]

    def _leant_on(self, quote: Quotable) -> Quotable | None:
        """Return the statement of its paragraph that one leans on, and quote it, where it is not quoted already."""
        before = preceding(quote, self._candidates)
        if before is None or not quote.statement.leans or self._is_quoted(before):
            return None
        self._quoted.append(before)
        return before

    def _standing(self, chosen: Sequence[Quotable]) -> list[Quotable]:
        """Return the chosen without those that lean on a statement which is not chosen, unless they repeat the best."""

        def is_independent(quote: Quotable) -> bool:
            likeness = self._relevance.likeness(quote.roots, chosen[0].roots)
            before = self._candidates[max(0, quote.order - 1)]  # in its paragraph, or at the end of the one before
            return quote is chosen[0] or not quote.statement.leans or before in chosen or likeness >= ALMOST

        return list(filter(is_independent, chosen))

    def _good(self, question: str, share: float) -> list[Quotable]:
        """Return the statements whose odds are at least a share of the best one's, best first."""
        fits = self._fits(question)
        least = share * max(fits.values(), default=0.0)
        good = [order for order, odds in fits.items() if odds and odds >= least]
        return [self._candidates[order] for order in sorted(good, key=lambda order: -fits[order])]

    def _fits(self, title: str) -> dict[int, float]:
        """Return how well each statement, by its order, fits a question, or any of them where the title is none."""
        odds = [self._odds[title]] if title in self._odds else self._odds.values()
        return {
            candidate.order: max((one.serving.get(candidate.order, 0.0) for one in odds), default=0.0)
            for candidate in self._candidates
        }

    def _chosen(
        self,
        fits: Mapping[int, float],
        pool: Sequence[Quotable],
        share: float,
        *,
        most: int | None = None,
        words: int | None = None,
    ) -> list[Quotable]:
        """Choose statements by maximal marginal relevance until `most` statements, or so many `words`, are reached.

        None is chosen that does not fit `share` as well as the best statement of all sources.
        """
        floor = share * max(fits.values(), default=0.0)
        pool = [candidate for candidate in pool if not is_lead_in(candidate)] or list(pool)
        worth = {candidate.order: fits[candidate.order] for candidate in pool}
        likeness = {
            candidate.order: max((self._like(candidate, quote) for quote in self._quoted), default=0.0)
            for candidate in pool
        }
        chosen: list[Quotable] = []
        while most is None or len(chosen) < most:
            values = {
                order: value * (1 - SAMENESS * likeness[order])
                for order, value in worth.items()
                if likeness[order] < TWIN
            }
            best = max(values, key=lambda order: values[order], default=None)
            if best is None or values[best] <= 0 or values[best] < floor or (words is not None and words <= 0):
                break
            chosen.append(self._candidates[best])
            words = None if words is None else words - len(self._candidates[best].statement.text.split())
            for candidate in pool:
                likeness[candidate.order] = max(
                    likeness[candidate.order], self._like(candidate, self._candidates[best])
                )
        self._quoted += chosen
        return chosen

    def _is_quoted(self, candidate: Quotable) -> bool:
        return any(self._like(candidate, quote) >= TWIN for quote in self._quoted)

    def _like(self, quote: Quotable, other: Quotable) -> float:
        """Return how alike two statements are: 0 where they differ in numbers, names or denial, for they may disagree.

        One that contains the other says the same, behind a heading that a text has on the same line, for instance; and
        so does one that a report would lose for repeating the other.
        """
        if quote.order == other.order or _contains(quote, other) or repeats(quote.statement, other.statement):
            return 1.0
        if quote.statement.kind == "sentence" and quote.statement.decisive != other.statement.decisive:
            return 0.0
        return self._relevance.likeness(quote.roots, other.roots)


def _is_below(quote: Quotable, path: tuple[str, ...]) -> bool:
    return quote.path[: len(path)] == path


def _contains(quote: Quotable, other: Quotable) -> bool:
    """Whether one statement has all of another's text and little else, and denies no more than that."""
    short, long = sorted((quote.statement.text, other.statement.text), key=len)
    denies = ["not" in each.statement.decisive for each in (quote, other)]
    return short in long and len(short) > len(long) / 2 and denies[0] == denies[1]


def _reads_on(quote: Quotable) -> bool:
    """Whether a statement reads on from one before it: it begins as a sentence, and leads into nothing unseen."""
    leads_on = quote.statement.text.endswith((":", "：")) and not code_below(quote)
    return not (leads_on or quote.statement.text[:1].islower())


def _by_source(quotes: Sequence[Quotable]) -> list[Quotable]:
    """Return statements by source, that of the best first; of each, those of its best one's kind first, as it goes."""
    kinds: dict[str, str] = {}
    for quote in quotes:
        kinds.setdefault(quote.entry.id, quote.statement.kind)
    rank = {id_: number for number, id_ in enumerate(kinds)}
    return sorted(
        quotes, key=lambda quote: (rank[quote.entry.id], quote.statement.kind != kinds[quote.entry.id], quote.order)
    )
