"""The extractive writer: builds sections of verbatim sentences of the sources, chosen for relevance and diversity."""

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from itertools import islice, takewhile

from ..evidence import Relevance, roots
from ..kernel.settings import Length
from ..markup import Block, ListBlock, Paragraph
from ..ranking import DOCUMENTS, Ranking, is_broad, tells_fact, wanted, wants_fact, wants_overview, wants_several
from .comparison import compared, contrasts, paired
from .draft import Draft
from .lists import about, is_introduction, is_unfinished, leads, list_of, listed_with, steps_with
from .odds import Odds
from .quotable import (
    Quotable,
    closes,
    differs,
    following,
    goes_on,
    in_full,
    opening,
    preceding,
    quotable,
    rows_beside,
)
from .quoted import ALMOST, QuotedSoFar
from .quoted_blocks import as_blocks, as_label, as_table, by_source, reads_on
from .source_index import SourceIndex
from .subjects import Subjects

SENTENCES: dict[Length, int] = {"short": 2, "normal": 3, "long": 4}
"""Number of statements in the summary, not counting what follows the best one."""

PLACES: dict[Length, int] = {"short": 0, "normal": 1, "long": 2}
"""Further statements that are quoted if no answer is sure, besides the best one and one of the passage found first. Of
216 questions that people asked about 38 folders, 151 have their answer in the quoted text with one further statement
(97 words); 144 with the three next best statements instead (90 words)."""

FOLLOWING = 300
"""Characters after a statement that are quoted with it if it is not sure to answer. Of 145 questions that people asked
about 25 folders, 67 have their answer in the best statement, 78 in it or within this distance after it. If it is sure,
the next sentence of its paragraph is quoted: then 90 of 102 answers contain what was asked for instead of 88."""

WORDS: dict[Length, int] = {"short": 80, "normal": 130, "long": 220}
"""The approximate number of words of a section."""

FLOOR, SUMMARY_FLOOR = 0.1, 0.01
"""The least odds, as a share of the best statement's, of a statement that is quoted in a section or as one that may
help, and of one in the summary, whose second and third make up for a first one that is off the point. None of 185
answerable questions loses its answer by the former; half of the passages that may help are left out."""

STEPS, LISTED, APART = 0.1, 0.3, 0.3
"""The same for the summary of a how-to answer and the statement whose list has the steps; for the statement that
introduces a list, if several things may answer; and for the one that names the difference of two compared things."""


class Extractor:
    """Quotes statements of a source index, each at most once in a report.

    `rankings` rank the statements as answers to each question; nothing is quoted for a question without an answer. The
    statements are found on first use, since most reports that a model writes quote nothing. `before` is the label of a
    statement whose successor in the text is quoted first.
    """

    def __init__(self, index: SourceIndex, length: Length, rankings: Mapping[str, Ranking], before: str = "") -> None:
        self._index, self._length, self._rankings = index, length, rankings
        self._as_blocks = partial(as_blocks, before=before)

    @cached_property
    def _candidates(self) -> list[Quotable]:
        return quotable(self._index)

    @cached_property
    def _quoted(self) -> QuotedSoFar:
        return QuotedSoFar(self._relevance)

    @cached_property
    def _odds(self) -> dict[str, Odds]:
        return {asked: Odds(asked, one, self._candidates) for asked, one in self._rankings.items()}

    @property
    def _wants_code(self) -> bool:
        return not any(map(wants_fact, self._odds))

    @cached_property
    def _subjects(self) -> Subjects:
        return Subjects(self._candidates)

    @cached_property
    def _relevance(self) -> Relevance:
        return Relevance(candidate.roots for candidate in self._candidates)

    def helping(self, title: str) -> Draft | None:
        """Return a draft of statements that may help if no answer is sure, None if there are none.

        The best statement comes first, then one of the passage that the search found first, then the next best. Each is
        a paragraph with the text that follows it, labelled with its document and heading.
        """
        if (draft := self.summary(title, sure=False)) is None:
            return None
        blocks = [*draft.blocks]
        fits, first = self._fits(title), min(self._candidates, key=lambda quote: quote.candidate.rank).passage
        nearest = [quote for quote in self._candidates if quote.passage is first and not self._quoted.has(quote)]
        if nearest and all(quote.passage is not first for quote in self._quoted):
            best = max(nearest, key=lambda quote: (fits[quote.order], quote.statement.kind == "sentence"))
            self._quoted.append(best)
            blocks += self._place(best)
        for quote in self._quoted.chosen(fits, self._candidates, FLOOR, most=PLACES[self._length]):
            blocks += self._place(quote)
        return draft.model_copy(update={"blocks": blocks})

    def _place(self, quote: Quotable) -> list[Block]:
        """Return a statement in its context, or the numbered list that it is in, labelled with its place."""
        steps = steps_with(quote) if self._wants_code else None
        listed = steps.block(self._candidates) if steps and steps.has(quote) else None
        if listed is None or any(one in self._quoted for one in listed[1] if one is not quote):
            return self._as_blocks(*self._in_context(quote), code=self._wants_code, whole=True)
        self._quoted += listed[1]
        return [*self._above(quote, sure=False), listed[0]]

    def _in_context(self, quote: Quotable, *, first: bool = False) -> tuple[list[Quotable], dict[int, str]]:
        """Return a statement behind at most two that it depends on, or before one if it is `first`; and its label."""
        above = [one for one in [opening(quote, self._candidates)] if one and not self._quoted.has(one)]
        self._quoted += above
        leant_on = [*filter(None, [self._leant_on(quote, sure=False)])]
        chain = [*([] if first else filter(None, map(self._leant_on, leant_on))), *leant_on, quote]
        quotes = [*above, *(chain[::-1] if first else chain), *self._what_follows(quote, sure=False)]
        return quotes, {quotes[0].order: self._subjects.place(quotes[0])}

    def summary(self, title: str, *, sure: bool = True) -> Draft | None:
        """Return a draft of the few statements that best answer the questions, best first, None if there are none.

        If the ranking is not `sure`, it has only the best statement of each question and the text that follows it,
        labelled with its document and heading.
        """
        if overviews := [question for question in self._odds if wanted(question) == DOCUMENTS]:
            return self._documents(title, overviews[0])
        if comparison := next(filter(None, map(self._comparison, self._odds)), None):
            return Draft(title=title, blocks=comparison, quoted=True)
        labels: dict[int, str] = {}
        quotes: list[Quotable] = []
        blocks: list[Block] = []
        for question in self._odds:
            if in_list := self._as_list(question, sure=sure):
                blocks += [*self._as_blocks(quotes, labels, code=self._wants_code), *in_list]
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
        blocks += self._as_blocks(quotes, labels, code=self._wants_code, whole=not any(map(wants_overview, self._odds)))
        return Draft(title=title, blocks=blocks, quoted=True) if blocks else None

    def _answering(self, question: str, most: int, *, sure: bool) -> tuple[list[Quotable], dict[int, str]]:
        """Return at most `most` statements that answer a question, with those that belong to them, and their labels."""
        broad = is_broad(question)
        share = STEPS if wanted(question) == "steps" else SUMMARY_FLOOR
        quoted = [*self._quoted]
        chosen = self._standing(self._quoted.chosen(self._fits(question), self._candidates, share, most=most))
        if not chosen:
            return [], {}
        best = chosen[0]
        whole = in_full(best, self._candidates, WORDS[self._length]) if wanted(question) == "steps" else []
        if whole and not any(one in quoted for one in whole):
            ordered = [*whole, *(one for one in chosen if one not in whole)]
            self._quoted += whole
            label = (self._subjects.label if sure else self._subjects.place)(whole[0])
            return ordered, self._subjects.labels(ordered) | {whole[0].order: label}
        opens = broad or closes(best, self._candidates)
        if not sure:
            return self._in_context(best, first=not opens)
        if not tells_fact(question, best.statement.text) or goes_on(best, self._candidates):
            chosen += self._what_follows(best, sure=True)
        labels = self._subjects.labels(chosen)
        label = self._subjects.label(best, frozenset() if broad else roots(question))
        ordered = self._in_reading_order(chosen, opens=opens)
        return ordered, labels | {best.order: "", ordered[0].order: label} | self._subjects.of_updates(ordered)

    def section(self, title: str, ids: Sequence[str]) -> Draft | None:
        """Return a draft of what the sources with these ids say on a title, None if nothing unquoted is left.

        A statement that depends on the one before it ("It will run slower than usual") is left out unless that is
        quoted too, or all statements depend on others.
        """
        quotes = self.quotes(title, ids)
        standing = [
            quote for quote in quotes if not quote.statement.leans or preceding(quote, self._candidates) in quotes
        ]
        ordered = by_source(standing or quotes)
        labels = self._subjects.labels(ordered)
        labels |= {quote.order: self._subjects.place(quote) for quote in ordered[:1] if quote.begins_item}
        blocks = self._as_blocks(ordered, labels)
        return Draft(title=title, blocks=blocks, quoted=True) if blocks else None

    def quotes(self, title: str, ids: Sequence[str]) -> list[Quotable]:
        """Return the statements that a section quotes from the sources with these ids, best fit to the title first."""
        pool = [candidate for candidate in self._candidates if candidate.entry.id in ids]
        return self._quoted.chosen(self._fits(title), pool, FLOOR, words=WORDS[self._length])

    def _documents(self, title: str, question: str) -> Draft | None:
        """Return a list with a statement of each document, for a question that asks which documents there are."""
        quotes = [self._candidates[order] for order in self._odds[question].every]
        self._quoted += quotes
        items = [[Paragraph(sentences=[quote.sentence(f"{quote.entry.source.title}: ")])] for quote in quotes]
        return Draft(title=title, blocks=[ListBlock(items=items)], quoted=True) if items else None

    def _comparison(self, question: str) -> list[Block]:
        """Return the statement that names the difference of two things, or else the best one, and a table about both.

        Empty if the question compares nothing, or no table can be made.
        """
        things = compared(question)
        if not things or not self._odds[question].every:
            return []
        odds = {
            candidate.order: max(odds.every.get(candidate.order, 0.0) for odds in self._odds.values())
            for candidate in self._candidates
        }
        rows = list(paired(things, self._candidates, odds, self._relevance, self._quoted.alike))
        if not rows:
            return []
        in_table, good = [row.quotable for row in rows], self._good(question, APART)
        telling = [quote for quote in good if not is_introduction(quote)]
        apart = [quote for quote in telling if contrasts(quote, things)]
        opening = apart[:1] or [quote for quote in telling[:1] if quote not in in_table]
        self._quoted += [*opening, *in_table]
        return [*self._as_blocks(opening), as_table(rows)]

    def _as_list(self, question: str, *, sure: bool) -> list[Block]:
        """Return the answer to a question as the list of steps or of things in its source, empty if it is in none."""
        found = self._stepwise(question, sure=sure) if is_broad(question) else []
        introduced = [] if found or wanted(question) == "steps" else self._with_its_list(question, sure=sure)
        return found or introduced or self._several_items(question, sure=sure)

    def _several_items(self, question: str, *, sure: bool) -> list[Block]:
        """Return the list of which several items answer a broad question, whole and in order; empty if none has them.

        It is in the source of the best statement, and has this one unless steps are wanted; or, if this one is in no
        list, it is below the same heading, and one of its items answers. Unless `sure`, its place is its label.
        """
        steps = wanted(question) == "steps"
        good = self._good(question, STEPS if steps else LISTED)
        if not good or not (is_broad(question) or wants_several(question)):
            return []
        best, own = good[0], [quote for quote in good if quote.entry is good[0].entry]
        beside = [] if best.begins_item else [quote for quote in own if quote.path == best.path]
        source_list = list_of(own) or list_of(beside, fewest=1)
        label = self._subjects.place(best) if source_list and source_list.has(best) and not sure else ""
        listed = source_list.block(self._candidates, whole=steps, label=label) if source_list else None
        if listed is None or any(quote in self._quoted for quote in listed[1]):
            return []
        block, statements = listed
        if not steps and best not in statements and not any(quote in beside for quote in statements):
            return []
        around = [] if best in statements or best in self._quoted else [best]
        self._quoted += [*around, *statements]
        is_below = statements[-1].order < best.order and best in beside
        return [block, *self._as_blocks(around)] if is_below else [*self._labelled(around, question, sure=sure), block]

    def _stepwise(self, question: str, *, sure: bool) -> list[Block]:
        """Return the statement that best answers a broad question, and the numbered list that it is in or introduces.

        If steps are wanted, also that of one nearly as good below the same heading or its subheadings. Empty if there
        is no such list, or any of it is quoted already.
        """
        good = self._good(question, STEPS)
        own = [quote for quote in good if quote.entry is good[0].entry]
        below = [quote for quote in own if quote.path[: len(good[0].path)] == good[0].path]
        looked_at = below if wanted(question) == "steps" else below[:1]
        source_list = next(filter(None, map(steps_with, looked_at)), None)
        steps = source_list.block(self._candidates) if source_list else None
        if steps is None or any(quote in self._quoted for quote in [good[0], *steps[1]]):
            return []
        block, listed = steps
        self._quoted += [good[0], *listed]
        if good[0] in listed:
            return [*self._above(good[0], sure=sure), block]
        return [*self._labelled(good[:1], question, sure=sure), block]

    def _above(self, quote: Quotable, *, sure: bool) -> list[Block]:
        """Return the place of a statement to stand above the list that it is in; nothing if it is `sure` to answer."""
        return [] if sure else as_label(self._subjects.place(quote))

    def _labelled(self, quotes: Sequence[Quotable], question: str, *, sure: bool) -> list[Block]:
        """Return statements above a list, the first one labelled with its subject, or with its place unless `sure`."""
        subject = self._subjects.label
        labels = {one.order: subject(one, roots(question)) if sure else self._subjects.place(one) for one in quotes[:1]}
        return self._as_blocks(quotes, labels)

    def _with_its_list(self, question: str, *, sure: bool) -> list[Block]:
        """Return the best statement with the list that it introduces, empty if it introduces none.

        If several things may answer, take the best statement that introduces a list and is nearly as good.
        """
        several = wants_several(question)
        is_told = wants_fact(question) or (wants_overview(question) and sure and not several)
        if is_told and not any(map(is_unfinished, self._good(question, 1.0))):
            return []
        good = [quote for quote in self._good(question, LISTED if several else 1.0) if quote not in self._quoted]
        others = [] if sure else self._good(question, FLOOR)
        leading = ((quote, listed_with(quote, others, several=several)) for quote in good)
        best, source_list = next(((quote, found) for quote, found in leading if found), (None, None))
        listed = source_list.block(self._candidates) if source_list else None
        if best is None or listed is None:
            return []
        block, statements = listed
        before = None if best in statements else self._leant_on(best)
        self._quoted += [best, *statements]
        if best in statements:
            return [*self._above(best, sure=sure), block]
        return [*self._labelled([*filter(None, [before]), best], question, sure=sure), block]

    def _part_by_part(self, question: str, most: int) -> list[Quotable]:
        """Return the first statement of each part of the text whose heading names the subject of an overview.

        The parts are its subsections, or else its paragraphs. Of more than `most` parts, the first is taken and those
        whose first statement answers best; statements of other sources that differ from these in a detail are added.
        Empty if there is no such text with a statement that answers.
        """
        path, sentences = about(question, self._good(question, FLOOR), self._candidates, self._relevance)
        new = [quote for quote in sentences if not self._quoted.has(quote)]
        has_parts = len({quote.path[len(path) :][:1] for quote in sentences}) > 1
        first = leads(new, lambda quote: quote.path[len(path) :][:1] if has_parts else quote.paragraph)
        fits = self._odds[question].serving
        chosen = first[:1] + sorted(first[1:], key=lambda quote: -fits.get(quote.order, 0.0))[: most - 1]
        serving = [quote for quote in self._candidates if fits.get(quote.order, 0.0) >= SUMMARY_FLOOR]
        chosen += [quote for quote in serving if differs(quote, chosen, self._relevance, ALMOST)]
        self._quoted += chosen
        return sorted(chosen, key=lambda quote: quote.order)

    def _what_follows(self, best: Quotable, *, sure: bool) -> list[Quotable]:
        """Return the sentences that follow a statement below its heading, up to FOLLOWING characters.

        If it is `sure` to answer, only the next sentence or the last line of its paragraph, and none after a table row;
        otherwise, after a row, the other rows of a small table instead: models hardly tell rows from each other.
        """
        is_row = best.statement.kind == "row"
        if not sure and is_row and (rows := rows_beside(best, self._candidates, WORDS[self._length])):
            rows = [row for row in rows if row not in self._quoted]
            self._quoted += rows
            return rows
        after = islice(following(best, self._candidates), int(not is_row) if sure else None)
        near = takewhile(lambda quote: quote.statement.start - best.statement.end < FOLLOWING, after)
        quotes = [
            quote
            for quote in near
            if closes(quote, self._candidates)
            or (quote.begins_item and (best.begins_item or not sure))
            or (quote.statement.kind == "sentence" and reads_on(quote))
            if not self._quoted.has(quote) and (quote.paragraph == best.paragraph or not sure)
        ]
        self._quoted += quotes
        return quotes

    def _in_reading_order(self, chosen: list[Quotable], *, opens: bool) -> list[Quotable]:
        """Return the best of the chosen statements, then those of its paragraph, then the others, in text order.

        If the best one depends on the statement before it, that is quoted too, first if it `opens` the answer.
        """
        best, *others = chosen
        before = self._leant_on(best)
        if before and opens:
            best, others = before, [best, *others]
        elif before:
            others = [before, *others[: len(others) - 1]]
        return [best, *sorted(others, key=lambda quote: (quote.paragraph != best.paragraph, quote.order))]

    def _leant_on(self, quote: Quotable, *, sure: bool = True) -> Quotable | None:
        """Return the preceding statement that one depends on, and mark it as quoted; None if none is left to quote.

        If it is not `sure` to answer, it also depends on one with a word of the question that its own text lacks.
        """
        before = preceding(quote, self._candidates)
        lacking = frozenset() if sure else roots(" ".join(self._odds)) - quote.roots - roots(quote.candidate.around)
        depends = quote.statement.leans or closes(quote, self._candidates) or (before and lacking & before.roots)
        if before is None or not depends or self._quoted.has(before):
            return None
        self._quoted.append(before)
        return before

    def _standing(self, chosen: Sequence[Quotable]) -> list[Quotable]:
        """Return the chosen without those that depend on one that is not chosen, unless they nearly repeat the best."""

        def is_independent(quote: Quotable) -> bool:
            likeness = self._relevance.likeness(quote.roots, chosen[0].roots)
            before = self._candidates[max(0, quote.order - 1)]  # in its paragraph, or at the end of the one before
            return quote is chosen[0] or not quote.statement.leans or before in chosen or likeness >= ALMOST

        return list(filter(is_independent, chosen))

    def _good(self, question: str, share: float) -> list[Quotable]:
        """Return the statements whose odds are at least `share` of the best one's, best first."""
        fits = self._fits(question)
        least = share * max(fits.values(), default=0.0)
        good = [order for order, odds in fits.items() if odds and odds >= least]
        return [self._candidates[order] for order in sorted(good, key=lambda order: -fits[order])]

    def _fits(self, title: str) -> dict[int, float]:
        """Return the odds of each statement by `order` for a question, or the best for any if the title is not one."""
        own = [odds for question, odds in self._odds.items() if question.casefold() == title.casefold()]
        odds = own or self._odds.values()
        return {
            candidate.order: max((one.serving.get(candidate.order, 0.0) for one in odds), default=0.0)
            for candidate in self._candidates
        }
