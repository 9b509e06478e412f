"""The outline of a report: section titles, and the ids of the sources that each section is written from."""

from collections.abc import Callable, Mapping, Sequence

from pydantic import BaseModel, Field

from ..evidence import Relevance, roots
from ..kernel.plan import Task
from ..kernel.settings import Length
from ..render.labels import REFERENCE_HEADINGS, SUMMARY_HEADINGS
from .source_index import SourceEntry, SourceIndex

SECTIONS: dict[Length, tuple[int, int]] = {"short": (1, 2), "normal": (3, 5), "long": (5, 8)}
"""Fewest and most sections of a report; never more than there are sources."""

KIN = 0.6
"""A source is assigned to every section that it fits at least this share as well as its best section."""

FILLED = 3
"""Sources assigned to a section that names none."""

LONGEST_TITLE = 120


class OutlinedSection(BaseModel, frozen=True):
    """A section of an outline, as a model writes it."""

    title: str = Field(min_length=1)
    sources: list[str] = []


class Outline(BaseModel, frozen=True):
    """An outline, as a model writes it."""

    sections: list[OutlinedSection]

    @classmethod
    def of(cls, sources: Mapping[str, list[str]]) -> "Outline":
        """Return an outline with a section for each title, from the sources with these ids."""
        return cls(sections=[OutlinedSection(title=title, sources=ids) for title, ids in sources.items()])

    def within(self, length: Length) -> "Outline":
        """Return the outline with the titles that `bounded` keeps for a report of this length."""
        sources = {_line(section.title): section.sources for section in reversed(self.sections)}
        titles = bounded([section.title for section in self.sections], length)
        return Outline.of({title: sources[title] for title in titles})


def bounded(titles: Sequence[str], length: Length) -> list[str]:
    """Return distinct section titles, without reserved ones (summary, references), up to the limit of the length."""
    kept: dict[str, str] = {}
    for title in titles:
        line = _line(title)
        if line and line.casefold() not in REFERENCE_HEADINGS | SUMMARY_HEADINGS:
            kept.setdefault(line.casefold(), line)
    return list(kept.values())[: SECTIONS[length][1]]


def _line(title: str) -> str:
    return " ".join(title.split()).strip("#*: ")[:LONGEST_TITLE]


def assigned(titles: Sequence[str], index: SourceIndex, question: str) -> Outline:
    """Return an outline of these titles, with each source in the sections that it fits best by shared words."""
    return completed(Outline.of({line: [] for line in map(_line, titles) if line}), index, question)


def completed(outline: Outline, index: SourceIndex, question: str) -> Outline:
    """Return the outline with existing ids only, at least one source in every section, and every source in a section.

    A section that names no source gets those that fit it best; a source that no section names goes where it fits best.
    """
    fit = _Fit(index, question)
    sources = {section.title: [i for i in section.sources if i in index.by_id] for section in outline.sections}
    named = {short_id for ids in sources.values() for short_id in ids}
    for entry in index.entries:
        if entry.id not in named:
            for title in fit.best_titles(list(sources), entry):
                sources[title].append(entry.id)
    for title, ids in sources.items():
        ids += [] if ids else fit.best_sources(title)
    return Outline.of(sources)


def retitled(
    outline: Outline,
    index: SourceIndex,
    sub_questions: Mapping[str, frozenset[str]],
    fallback: str,
    holds: Callable[[str], bool],
) -> Outline:
    """Return the outline with every title replaced that no source supports (`holds` returns false).

    The new title is the sub-question for which most of the section's sources were found, among those that are not yet
    a title, or else `fallback`. `sub_questions` maps each to its tasks; sections with the same title are merged.
    """
    sources: dict[str, list[str]] = {}
    kept = {section.title for section in outline.sections if holds(section.title)}
    for section in outline.sections:
        title = section.title
        if title not in kept:
            found_by = [entry.tasks for entry in index.chosen(section.sources)]
            free = [part for part in sub_questions if as_title(part) not in {*kept, *sources}]
            best = max(free, key=lambda part: sum(bool(tasks & sub_questions[part]) for tasks in found_by), default="")
            title = as_title(best) if best else fallback
        sources[title] = list(dict.fromkeys([*sources.get(title, []), *section.sources]))
    return Outline.of(sources)


def as_title(sub_question: str) -> str:
    """Return a sub-question as a section title."""
    line = _line(sub_question)
    return line[:1].upper() + line[1:]


def by_task(index: SourceIndex, tasks: Sequence[Task], question: str, length: Length) -> Outline | None:
    """Return an outline with a section for each sub-question of the plan, None if there is only one."""
    titles = bounded([task.sub_question for task in tasks], length)
    if len(titles) < 2:
        return None
    tasks_of = {title: {task.task for task in tasks if _line(task.sub_question) == title} for title in titles}
    sources = {
        as_title(title): [entry.id for entry in index.entries if entry.tasks & names]
        for title, names in tasks_of.items()
    }
    return completed(Outline.of(sources), index, question)


def by_source(index: SourceIndex, question: str, length: Length, further: str) -> Outline:
    """Return an outline with a section per document title, most relevant to the question first.

    Documents beyond the greatest number of sections share the last section, with the title `further`.
    """
    fit = _Fit(index, question)
    ranked = sorted(index.entries, key=lambda entry: -fit.to_question(entry))
    titles: dict[str, list[str]] = {}
    for entry in ranked:
        title = " ".join(entry.source.title.split())[:LONGEST_TITLE] or entry.id
        titles.setdefault(title, []).append(entry.id)
    most = SECTIONS[length][1]
    single = list(titles.items()) if len(titles) <= most else list(titles.items())[: most - 1]
    rest = [short_id for ids in list(titles.values())[len(single) :] for short_id in ids]
    shared = [OutlinedSection(title=further, sources=rest)] if rest else []
    return Outline(sections=[*(OutlinedSection(title=title, sources=ids) for title, ids in single), *shared])


class _Fit:
    """How well the sources of an index fit titles and the question."""

    def __init__(self, index: SourceIndex, question: str) -> None:
        self._entries = index.entries
        self._roots = {entry.id: roots(entry.text) for entry in index.entries}
        self._relevance = Relevance(self._roots.values())
        self._question = roots(question)

    def to_question(self, entry: SourceEntry) -> float:
        """Return the share of the question's weight in the best statement of a source."""
        statements = (statement for passage in entry.passages for statement in passage.statements)
        return max((self._relevance.coverage(self._question, statement.roots) for statement in statements), default=0.0)

    def best_titles(self, titles: list[str], entry: SourceEntry) -> list[str]:
        """Return the titles that a source fits best; the first title if it fits none."""
        scores = {title: self._to_title(title, entry) for title in titles}
        top = max(scores.values(), default=0.0)
        return [title for title in titles if scores[title] >= KIN * top] if top > 0 else titles[:1]

    def best_sources(self, title: str) -> list[str]:
        """Return the ids of the sources that fit a title best."""
        ranked = sorted(self._entries, key=lambda entry: (-self._to_title(title, entry), -self.to_question(entry)))
        return [entry.id for entry in ranked[:FILLED]]

    def _to_title(self, title: str, entry: SourceEntry) -> float:
        title_roots = roots(title) - self._question or roots(title)
        return self._relevance.coverage(title_roots, self._roots[entry.id])
