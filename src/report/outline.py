"""The outline of a report: section titles, and the ids of the sources that each is written from."""

from collections.abc import Callable, Mapping, Sequence

from pydantic import BaseModel, Field

from ..evidence import Relevance, roots
from ..kernel.plan import Task
from ..kernel.settings import Length
from ..render.labels import REFERENCE_HEADINGS, SUMMARY_HEADINGS
from .source_index import SourceEntry, SourceIndex

SECTIONS: dict[Length, tuple[int, int]] = {"short": (1, 2), "normal": (3, 5), "long": (5, 8)}
"""Fewest and most sections of a report; there are never more than sources to write them from."""

KIN = 0.6
"""A source also serves a section when it fits that section at least this much as well as the source's best one."""

FILLED = 3
"""Sources that a section gets from the code when nobody gave it any."""

LONGEST_TITLE = 120


class OutlinedSection(BaseModel, frozen=True):
    """A section of an outline, as a model writes it."""

    title: str = Field(min_length=1)
    sources: list[str] = []


class Outline(BaseModel, frozen=True):
    """An outline, as a model writes it."""

    sections: list[OutlinedSection]

    def within(self, length: Length) -> "Outline":
        """Return the outline with titles that a report of this length can have, each once."""
        sources = {_line(section.title): section.sources for section in reversed(self.sections)}
        titles = bounded([section.title for section in self.sections], length)
        return Outline(sections=[OutlinedSection(title=title, sources=sources[title]) for title in titles])


def bounded(titles: Sequence[str], length: Length) -> list[str]:
    """Return section titles each once, without those that the code writes itself, at most as many as fit."""
    kept: dict[str, str] = {}
    for title in titles:
        line = _line(title)
        if line and line.casefold() not in REFERENCE_HEADINGS | SUMMARY_HEADINGS:
            kept.setdefault(line.casefold(), line)
    return list(kept.values())[: SECTIONS[length][1]]


def _line(title: str) -> str:
    return " ".join(title.split()).strip("#*: ")[:LONGEST_TITLE]


def assigned(titles: Sequence[str], index: SourceIndex, question: str) -> Outline:
    """Return an outline of these titles: each source in the sections that it fits best, by the words they share."""
    lines = [line for title in titles if (line := _line(title))]
    return mended(Outline(sections=[OutlinedSection(title=line) for line in lines]), index, question)


def mended(outline: Outline, index: SourceIndex, question: str) -> Outline:
    """Return the outline with ids that exist only, every section with a source, and every source in a section.

    A section that names none gets those that fit it best; a source that no section names goes where it fits best.
    """
    fit = _Fit(index, question)
    given = {section.title: [i for i in section.sources if i in index.by_id] for section in outline.sections}
    named = {short_id for ids in given.values() for short_id in ids}
    for entry in index.entries:
        if entry.id not in named:
            for title in fit.best_titles(list(given), entry):
                given[title].append(entry.id)
    for title, ids in given.items():
        ids += [] if ids else fit.best_sources(title)
    return Outline(sections=[OutlinedSection(title=title, sources=ids) for title, ids in given.items()])


def retitled(
    outline: Outline,
    index: SourceIndex,
    asked: Mapping[str, frozenset[str]],
    otherwise: str,
    holds: Callable[[str], bool],
) -> Outline:
    """Return the outline with titles that hold only: what no source says must not stand above a section.

    Another title becomes the sub-question for which most of the section's sources were found, which no other section
    has, or `otherwise`. `asked` are the sub-questions with the tasks that serve each; sections of one title are one.
    """
    given: dict[str, list[str]] = {}
    kept = {section.title for section in outline.sections if holds(section.title)}
    for section in outline.sections:
        title = section.title
        if title not in kept:
            own = [entry.tasks for entry in index.chosen(section.sources)]
            free = [one for one in asked if entitled(one) not in {*kept, *given}]
            best = max(free, key=lambda one: sum(bool(tasks & asked[one]) for tasks in own), default="")
            title = entitled(best) if best else otherwise
        given[title] = list(dict.fromkeys([*given.get(title, []), *section.sources]))
    return Outline(sections=[OutlinedSection(title=title, sources=ids) for title, ids in given.items()])


def entitled(sub_question: str) -> str:
    """Return a sub-question as the title of a section."""
    line = _line(sub_question)
    return line[:1].upper() + line[1:]


def by_task(index: SourceIndex, tasks: Sequence[Task], question: str, length: Length) -> Outline | None:
    """Return an outline with a section for each sub-question of the plan, None when there is but one."""
    titles = bounded([task.sub_question for task in tasks], length)
    if len(titles) < 2:
        return None
    found_by = {title: {task.task for task in tasks if _line(task.sub_question) == title} for title in titles}
    sections = [
        OutlinedSection(
            title=entitled(title),
            sources=[entry.id for entry in index.entries if entry.tasks & found_by[title]],
        )
        for title in titles
    ]
    return mended(Outline(sections=sections), index, question)


def by_source(index: SourceIndex, question: str, length: Length, further: str) -> Outline:
    """Return an outline by documents, first those that have most to do with the question.

    Documents beyond the number of sections share the last one, under the title `further`.
    """
    fit = _Fit(index, question)
    ranked = sorted(index.entries, key=lambda entry: -fit.to_question(entry))
    titles: dict[str, list[str]] = {}
    for entry in ranked:
        title = " ".join(entry.source.title.split())[:LONGEST_TITLE] or entry.id
        titles.setdefault(title, []).append(entry.id)
    most = SECTIONS[length][1]
    own = list(titles.items()) if len(titles) <= most else list(titles.items())[: most - 1]
    rest = [short_id for ids in list(titles.values())[len(own) :] for short_id in ids]
    shared = [OutlinedSection(title=further, sources=rest)] if rest else []
    return Outline(sections=[*(OutlinedSection(title=title, sources=ids) for title, ids in own), *shared])


class _Fit:
    """How well the sources of an index fit titles and the question."""

    def __init__(self, index: SourceIndex, question: str) -> None:
        self._entries = index.entries
        self._roots = {entry.id: roots(entry.text) for entry in index.entries}
        self._relevance = Relevance(self._roots.values())
        self._question = roots(question)

    def to_question(self, entry: SourceEntry) -> float:
        """Return how much of the question the best statement of a source has."""
        said = (statement.roots for passage in entry.passages for statement in passage.statements)
        return max((self._relevance.coverage(self._question, one) for one in said), default=0.0)

    def best_titles(self, titles: list[str], entry: SourceEntry) -> list[str]:
        """Return the titles that a source fits best; the first one when it fits none."""
        scores = {title: self._to_title(title, entry) for title in titles}
        top = max(scores.values(), default=0.0)
        return [title for title in titles if scores[title] >= KIN * top] if top > 0 else titles[:1]

    def best_sources(self, title: str) -> list[str]:
        """Return the ids of the sources that fit a title best."""
        ranked = sorted(self._entries, key=lambda entry: (-self._to_title(title, entry), -self.to_question(entry)))
        return [entry.id for entry in ranked[:FILLED]]

    def _to_title(self, title: str, entry: SourceEntry) -> float:
        own = roots(title) - self._question or roots(title)
        return self._relevance.coverage(own, self._roots[entry.id])
