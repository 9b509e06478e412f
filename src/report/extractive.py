"""The extractive writer: sections of sentences verbatim from the sources, chosen for relevance and diversity."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import takewhile
from types import MappingProxyType

from ..answer import (
    DOCUMENTS,
    Ranking,
    is_broad,
    wanted,
    wants_fact,
    wants_overview,
    wants_several,
)
from ..evidence import Relevance, roots
from ..kernel.settings import Length
from ..tree import Block, CodeBlock, ListBlock, Paragraph, Row, Sentence, Styled, TableBlock
from .comparison import Said, compared, paired, tells_apart
from .draft import Draft
from .lists import about, is_lead_in, leads, led_into, steps_with, table_with
from .odds import Odds
from .quotable import Quotable, preceding, quotable
from .source_index import SourceIndex
from .subjects import Subjects

SENTENCES: dict[Length, int] = {"short": 3, "normal": 4, "long": 5}
"""Statements of the summary."""

HELPING: dict[Length, int] = {"short": 3, "normal": 5, "long": 8}
"""Passages that may help, beside the best one, where nothing surely answers."""

FOLLOWING = 300
"""Characters behind the best statement that are quoted with it where it is not sure to answer. Of 145 questions that
people asked of 25 folders 67 have their answer in the best statement, 78 in it or so near behind it."""

WORDS: dict[Length, int] = {"short": 80, "normal": 130, "long": 220}
"""Words of a section, about."""

TWIN, ALMOST = 0.75, 0.6
"""From this likeness on two statements say the same, or would but for what decides."""

SAMENESS = 0.6
"""How much of its value a statement loses for being like one that is chosen (the lambda of maximal marginal relevance,
Carbonell and Goldstein, SIGIR 1998)."""

FLOOR = 0.1
"""A statement is worth quoting in a section when its odds of being the answer are this share of the best one's."""


SUMMARY_FLOOR = 0.01
"""The same for the summary, whose second and third statement stand in for the first where that is beside the point."""

STEPS = 0.1
"""How a thing is done is told by the list of a statement whose odds are this share of the best one's."""

LISTED = 0.3
"""The same for the list that a statement leads into, where several things may answer."""

APART = 0.3
"""The same for the statement that tells two things apart, where they are compared."""

MOST_CODE = 1_000
"""Characters of a block of code that is quoted with the statement that leads into it."""

_CODE = re.compile(
    rf"[^\S\n]*\n\s*^[ ]{{0,3}}(?P<fence>```+)\w*\n(?P<code>.{{1,{MOST_CODE}}}?)\n[ ]{{0,3}}(?P=fence)",
    re.MULTILINE | re.DOTALL,
)


class Extractor:
    """Writes from a catalogue; a statement is quoted once in a report.

    `rankings` say of each question how well the statements answer it; nothing is quoted for one that nothing answers.
    Nothing is read before something is asked for: most reports of a model quote nothing.
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
        return {asked.casefold(): Odds(asked, one, self._candidates) for asked, one in self._rankings.items()}

    @cached_property
    def _subjects(self) -> Subjects:
        return Subjects(self._candidates)

    @cached_property
    def _relevance(self) -> Relevance:
        return Relevance(candidate.roots for candidate in self._candidates)

    def helping(self, title: str) -> Draft | None:
        """Return the passages that may help where nothing surely answers, the best one first, None when nothing does.

        The others are lines of a list, each below its heading.
        """
        draft = self.summary(title, beside=False)
        if draft is None:
            return None
        most = HELPING[self._length]
        found = self._chosen(self._fits(title), self._candidates, SUMMARY_FLOOR, most=most)
        further = ListBlock(items=[_with_code(one, one.sentence(self._subjects.place(one))) for one in found])
        return draft.model_copy(update={"blocks": [*draft.blocks, further]}) if found else draft

    def summary(self, title: str, *, beside: bool = True) -> Draft | None:
        """Return the few statements that answer the questions best, the best one first, None when nothing does.

        Of each question only the best one with what follows it, without what stands `beside` that.
        """
        if listed := [key for key in self._odds if wanted(key) == DOCUMENTS]:
            return self._listed(title, listed[0])
        if side_by_side := next(filter(None, map(self._compared, self._odds)), None):
            return Draft(title=title, blocks=side_by_side, quoted=True)
        labels: dict[int, str] = {}
        found: list[Quotable] = []
        blocks: list[Block] = []
        code = not any(map(wants_fact, self._odds))
        for key in self._odds:
            if as_list := self._as_list(key):
                blocks += [*_blocks(found, labels, code=code), *as_list]
                found = []
                continue
            broad = is_broad(key)
            most = max(3 if broad else 2, SENTENCES[self._length] // max(1, len(self._odds)))
            if wants_overview(key) and (parts := self._part_by_part(key, most)):
                labels |= {one.order: self._subjects.label(one) for one in parts}
                found += parts
                continue
            fits = self._fits(key)
            chosen = self._chosen(fits, self._candidates, SUMMARY_FLOOR, most=most if beside else 1)
            chosen = self._standing(chosen) if beside else self._with_what_follows(chosen)
            labels |= self._subjects.labels(chosen)
            for one in chosen[:1]:
                labels[one.order] = self._subjects.label(one, frozenset() if broad else roots(key))
            found += self._read(chosen, broad=broad)
        blocks += _blocks(found, labels, code=code)
        return Draft(title=title, blocks=blocks, quoted=True) if blocks else None

    def _with_what_follows(self, chosen: list[Quotable]) -> list[Quotable]:
        """Return the chosen with the sentences that follow the last one near below its heading, one that is no row."""
        if not chosen or chosen[-1].statement.kind == "row":
            return chosen
        last = chosen[-1]
        after = self._candidates[last.order + 1 :]
        here = takewhile(lambda one: (one.entry, one.path) == (last.entry, last.path), after)
        near = takewhile(lambda one: one.statement.start - last.statement.end < FOLLOWING, here)
        own = [one for one in near if one.statement.kind == "sentence" and _reads_on(one)]
        found = [one for one in own if all(self._like(one, other) < TWIN for other in self._quoted)]
        self._quoted += found
        return [*chosen, *found]

    def _listed(self, title: str, question: str) -> Draft | None:
        chosen = [self._candidates[number] for number in self._odds[question].every]
        self._quoted += chosen
        lines = _list_of(one.sentence(f"{one.entry.source.title}: ") for one in chosen)
        return Draft(title=title, blocks=[lines], quoted=True) if chosen else None

    def _compared(self, question: str) -> list[Block]:
        """Return what tells two things apart, else the best statement, and a table with a line for each of the others.

        Nothing where there is no table to make.
        """
        things = compared(self._odds[question].question)
        if not things or not self._odds[question].every:
            return []
        odds = {
            one.order: max((found.every.get(one.order, 0.0) for found in self._odds.values()), default=0.0)
            for one in self._candidates
        }
        rows = list(paired(things, self._candidates, odds, self._relevance, lambda *pair: self._like(*pair) >= TWIN))
        if not rows:
            return []
        best = [one for one in self._good(question, APART) if not is_lead_in(one)]
        in_table = [row.quotable for row in rows]
        opening = [one for one in best if tells_apart(one, things)][:1] or [
            one for one in best[:1] if one not in in_table
        ]
        self._quoted += [*opening, *in_table]
        return [*_blocks(opening), _table(rows)]

    def _read(self, chosen: list[Quotable], *, broad: bool) -> list[Quotable]:
        """Return the best of the chosen first, then what stands beside it and the others, as their texts go.

        One that leans on the statement before it is not left without that, which opens what is told at length.
        """
        if not chosen:
            return []
        best, *others = chosen
        before = self._leant_on(best, others)
        if before and broad:
            best, others = before, [best, *others]
        elif before:
            others = [before, *others[: len(others) - 1]]
        return [best, *sorted(others, key=lambda one: (one.paragraph != best.paragraph, one.order))]

    def _part_by_part(self, question: str, most: int) -> list[Quotable]:
        """Return what the parts of a text begin with that is about just what an overview is wanted of, as it goes.

        These are what stands below its headings, else its paragraphs. Of more than `most` parts the first one, and
        those whose first statement serves best; with them what another source says otherwise. Nothing where no such
        text has a statement that serves.
        """
        path, own = self._about(question)
        has_parts = len({one.path[len(path) :][:1] for one in own}) > 1
        leads = self._leads(own, lambda one: one.path[len(path) :][:1] if has_parts else one.paragraph)
        fits = self._odds[question].serving
        chosen = leads[:1] + sorted(leads[1:], key=lambda one: -fits.get(one.order, 0.0))[: most - 1]
        chosen += [
            one for one in self._candidates if fits.get(one.order, 0.0) >= SUMMARY_FLOOR and self._differs(one, chosen)
        ]
        self._quoted += chosen
        return sorted(chosen, key=lambda one: one.order)

    def _differs(self, one: Quotable, told: Sequence[Quotable]) -> bool:
        """Say whether another source says almost the same as what is told, but for a number, a name or a denial."""
        return any(
            one.entry is not other.entry
            and one.statement.decisive != other.statement.decisive
            and self._relevance.likeness(one.roots, other.roots) >= ALMOST
            and not _has(one, other)
            for other in told
        )

    def _about(self, question: str) -> tuple[tuple[str, ...], list[Quotable]]:
        return about(question, self._good(question, FLOOR), self._candidates, self._relevance)

    def _leads(self, pool: Sequence[Quotable], part: Callable[[Quotable], object]) -> list[Quotable]:
        """Return what each part begins with, but for what is quoted already."""
        return leads([one for one in pool if all(self._like(one, other) < TWIN for other in self._quoted)], part)

    def _leant_on(self, one: Quotable, others: Sequence[Quotable]) -> Quotable | None:
        """Return the statement of its paragraph that one leans on, where it is not among the others, to be quoted."""
        before = preceding(one, self._candidates)
        if before is None or not one.statement.leans or before in others:
            return None
        self._quoted.append(before)
        return before

    def _standing(self, chosen: Sequence[Quotable]) -> list[Quotable]:
        """Return the chosen but for those that lean on a statement which is not among them, unless on the best one."""

        def stands(one: Quotable) -> bool:
            alike = self._relevance.likeness(one.roots, chosen[0].roots)
            before = self._candidates[max(0, one.order - 1)]  # in its paragraph, or at the end of the one before
            return one is chosen[0] or not one.statement.leans or before in chosen or alike >= ALMOST

        return list(filter(stands, chosen))

    def _as_list(self, question: str) -> list[Block]:
        """Return the answer to a question that wants steps, or several things, as the list that its source has."""
        if wanted(question) == "steps":
            return self._stepwise(question)
        return self._with_its_list(question)

    def _stepwise(self, question: str) -> list[Block]:
        """Return the statement that answers best how something is done, and the numbered list that tells it.

        That is the list of this statement, or of one that is nearly as good, below the same heading or one of its own;
        nothing where none is of a list, or what is to be said is quoted already.
        """
        good = self._good(question, STEPS)
        below = [one for one in good if one.entry is good[0].entry and one.path[: len(good[0].path)] == good[0].path]
        found = next(filter(None, map(steps_with, below)), None)
        steps = found.block(self._candidates, whole=True) if found else None
        if steps is None or any(one in self._quoted for one in [good[0], *steps[1]]):
            return []
        block, listed = steps
        self._quoted += [good[0], *listed]
        opening = [] if good[0] in listed else _blocks([good[0]])
        return [*opening, block]

    def _with_its_list(self, question: str) -> list[Block]:
        """Return the best statement with the list that it leads into; nothing where it leads into none.

        Where several things may answer it is the best one that does, if it is nearly as good.
        """
        if wants_fact(question) or wants_overview(question):
            return []
        several = wants_several(question)
        good = [one for one in self._good(question, LISTED if several else 1.0) if one not in self._quoted]
        found = next(((one, own) for one in good if (own := led_into(one) or (several and table_with(one)))), None)
        listed = found[1].block(self._candidates) if found else None
        if found is None or listed is None:
            return []
        best, (block, statements) = found[0], listed
        if best in statements:
            self._quoted += statements
            return [block]
        before = self._leant_on(best, ())
        self._quoted += [best, *statements]
        label = self._subjects.label(best, frozenset() if before else roots(question))
        return [*_blocks([before, best] if before else [best], {best.order: label}), block]

    def _good(self, question: str, share: float) -> list[Quotable]:
        """Return the statements whose odds are a share of the best one's, best first."""
        fits = self._fits(question)
        least = share * max(fits.values(), default=0.0)
        order = sorted((order for order, odds in fits.items() if odds and odds >= least), key=lambda one: -fits[one])
        return [self._candidates[number] for number in order]

    def section(self, title: str, ids: Sequence[str]) -> Draft | None:
        """Return what the sources say on a title, None when they say nothing that is not quoted already.

        What leans on a statement stands behind it, or not at all ("It will run slower than usual"), unless all does.
        """
        found = self.quotes(title, ids)
        standing = [one for one in found if not one.statement.leans or preceding(one, self._candidates) in found]
        chosen = _readable(standing or found)
        blocks = _blocks(chosen, self._subjects.labels(chosen))
        return Draft(title=title, blocks=blocks, quoted=True) if chosen else None

    def quotes(self, title: str, ids: Sequence[str]) -> list[Quotable]:
        """Return what a section quotes, what fits the title best first."""
        pool = [one for one in self._candidates if one.entry.id in ids]
        return self._chosen(self._fits(title.casefold()), pool, FLOOR, words=WORDS[self._length])

    def _fits(self, title: str) -> dict[int, float]:
        """Return how well each statement, by its order, fits a question, or all of them where a title is none."""
        asked = [self._odds[title]] if title in self._odds else self._odds.values()
        return {
            one.order: max((odds.serving.get(one.order, 0.0) for odds in asked), default=0.0)
            for one in self._candidates
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
        """Choose statements by how they fit, less what is like a chosen one, until a bound is reached.

        None is chosen that does not fit `share` as well as the best statement of all sources.
        """
        floor = share * max(fits.values(), default=0.0)
        pool = [one for one in pool if not is_lead_in(one)] or list(pool)
        worth = {one.order: fits[one.order] for one in pool}
        likeness = {one.order: max((self._like(one, other) for other in self._quoted), default=0.0) for one in pool}
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
            for one in pool:
                likeness[one.order] = max(likeness[one.order], self._like(one, self._candidates[best]))
        self._quoted += chosen
        return chosen

    def _like(self, one: Quotable, other: Quotable) -> float:
        """Return how alike two statements are: not at all where they differ in what decides, for they may disagree.

        One that has all of the other says the same, behind a heading that a text has on the same line, for instance.
        """
        if one.order == other.order or _has(one, other):
            return 1.0
        if one.statement.kind == "sentence" and one.statement.decisive != other.statement.decisive:
            return 0.0
        return self._relevance.likeness(one.roots, other.roots)


def _has(one: Quotable, other: Quotable) -> bool:
    """Say whether one statement has all of another's text and little else, and denies no more than that."""
    short, long = sorted((one.statement.text, other.statement.text), key=len)
    denies = ["not" in each.statement.decisive for each in (one, other)]
    return short in long and len(short) > len(long) / 2 and denies[0] == denies[1]


def _reads_on(one: Quotable) -> bool:
    """Say whether a statement reads on from one before it: it begins as a sentence, and leads into nothing unseen."""
    leads_on = one.statement.text.endswith((":", "：")) and not _code_below(one)
    return not (leads_on or one.statement.text[:1].islower())


def _readable(chosen: Sequence[Quotable]) -> list[Quotable]:
    """Return statements so that the best source comes first, in it the kind of its best one, each as its text goes."""
    best: dict[str, str] = {}
    for candidate in chosen:
        best.setdefault(candidate.entry.id, candidate.statement.kind)
    rank = {short_id: place for place, short_id in enumerate(best)}
    return sorted(chosen, key=lambda one: (rank[one.entry.id], one.statement.kind != best[one.entry.id], one.order))


def _blocks(
    candidates: Sequence[Quotable], labels: Mapping[int, str] = MappingProxyType({}), *, code: bool = False
) -> list[Block]:
    """Return a paragraph of the sentences of each source, and a list item for each row, behind their labels.

    `code` says that also code is quoted which stands right below one of them.
    """
    blocks: list[Block] = []
    entries = [*(candidate.entry.id for candidate in candidates), ""]
    for place, candidate in enumerate(candidates):
        sentence = candidate.sentence(labels.get(candidate.order, ""))
        last = blocks[-1] if blocks else None
        told = _with_code(candidate, sentence, code=code)
        if candidate.statement.kind == "row":
            items = last.items if isinstance(last, ListBlock) else []
            blocks[len(blocks) - bool(items) :] = [ListBlock(items=[*items, told])]
        elif isinstance(last, Paragraph) and entries[place - 1] == candidate.entry.id:
            blocks[-1:] = [Paragraph(sentences=[*last.sentences, sentence]), *told[1:]]
        else:
            blocks += told
    return blocks


def _with_code(one: Quotable, sentence: Sentence, *, code: bool = False) -> list[Block]:
    """Return a statement as a paragraph, and the block of code that it leads into, or with `code` any right below."""
    found = _code_below(one, code=code)
    return [Paragraph(sentences=[sentence]), *([CodeBlock(code=found, asserts=True)] if found else [])]


def _list_of(sentences: Iterable[Sentence]) -> ListBlock:
    return ListBlock(items=[[Paragraph(sentences=[one])] for one in sentences])


def _code_below(one: Quotable, *, code: bool = False) -> str:
    """Return the block of code right below a statement, whole; empty where none is, or it ends in no colon.

    It need not end in one with `code`.
    """
    if not (code and one.statement.kind == "sentence") and not one.statement.text.endswith((":", "：")):
        return ""
    passage = one.passage.passage
    found = _CODE.match(passage.text, one.statement.end - passage.start)
    return found["code"] if found else ""


def _table(rows: Sequence[Said]) -> TableBlock:
    """Return a table with what is compared in its first column, and in the second what a source says of it."""
    return TableBlock(
        head=Row(cells=[[], []]),
        rows=[
            Row(
                cells=[[Styled(text=one.side, style=["strong"])], [one.quotable.statement.text, one.quotable.cite]],
                columns=["", ""],
                asserts=True,
            )
            for one in rows
        ],
    )
