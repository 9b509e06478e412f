"""What was found, under the short ids by which models and the outline speak of it."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..evidence import Relevance, Statement, roots, statements
from ..evidence.statement import FENCED
from ..kernel.journal import Journal
from ..kernel.sentence import sentence_spans
from ..kernel.source import Passage, Source, digest
from ..model.tokens import count_tokens
from ..prompts import quoted
from ..search.consolidation import consolidate
from ..tree import Cite

CONTEXT = 400
"""Characters on both sides of a passage that are looked at to tell whole sentences from cut ones."""

UNKNOWN = " x "
"""Stands around a passage of a text that is not known: a word that its sentence goes on with."""

LONGEST_PASSAGE = 1500
"""Characters of a passage that is made from a summary."""

_HEADINGS = re.compile(r"\A(?:\s*#{1,6}[ \t][^\n]*\n)+\s*")


@dataclass(frozen=True, eq=False)
class CitedPassage:
    """A passage under its label, `S1.2` say, one object an index. `before` and `after` are the text around it."""

    label: str
    source: Source
    passage: Passage
    before: str = ""
    after: str = ""

    @cached_property
    def whole(self) -> Cite:
        """A citation of all of the passage, but for white space at its ends."""
        text = self.passage.text
        start = self.passage.start + len(text) - len(text.lstrip())
        return self.cite(start, start + len(text.strip()))

    def cite(self, start: int, end: int) -> Cite:
        """Return a citation of `snapshot[start:end]`."""
        return Cite(passage=self.label, start=start, end=end)

    @cached_property
    def statements(self) -> list[Statement]:
        """The whole sentences, rows and lines of the passage, their offsets those of the snapshot."""
        return statements(self.passage, self.before, self.after)

    @cached_property
    def roots(self) -> frozenset[str]:
        """The content words of the passage, cut to their roots."""
        return roots(self.passage.text)

    @cached_property
    def block(self) -> str:
        """The passage as it enters a prompt; the headings that it begins with stand in the block's title."""
        place = titled(self.source, self.passage).heading
        return quoted(self.label, _HEADINGS.sub("", self.passage.text), place) + "\n\n"

    @property
    def above(self) -> str:
        """What stands above the passage: its file, its title and its headings, a line each."""
        return f"{self.source.path}\n{self.source.title}\n{self.passage.heading}"

    @cached_property
    def tokens(self) -> int:
        """About how many tokens the block has."""
        return count_tokens(self.block)

    def verbatim(self, start: int, end: int) -> str:
        """Return `snapshot[start:end]`; the span must lie within the passage."""
        if not self.passage.start <= start <= end <= self.passage.end:
            raise LookupError(f"the span {start}-{end} is not within the passage {self.label}")
        return self.passage.text[start - self.passage.start : end - self.passage.start]


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """A source under its short id, `S1` say, with its labelled passages, and the tasks that found it."""

    id: str
    source: Source
    passages: tuple[CitedPassage, ...]
    tasks: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        """All that the source says in this run: its title, headings and passages."""
        return "\n".join([self.source.title, *(f"{p.passage.heading}\n{p.passage.text}" for p in self.passages)])


@dataclass(frozen=True)
class SourceIndex:
    """The sources of a report, the most credible first; those that hold no text are not in it."""

    entries: tuple[SourceEntry, ...] = ()
    sources: tuple[Source, ...] = ()

    @classmethod
    def of(cls, records: Iterable[Any], journal: Journal) -> "SourceIndex":
        """Number the records, the most credible first; every passage becomes a verbatim span of a kept text.

        Those of equal content, or of the same page, are merged.

        A record without passages, or one whose passages are not what the journal keeps, is cited from its own words:
        they become the snapshot.
        """
        found = [Source.model_validate(record) for record in records]
        sources = tuple(consolidate(_anchored(source, journal) for source in _merged(found)))
        return cls(_entries(sources, lambda snapshot: journal.snapshot(snapshot) or "", found), sources)

    @classmethod
    def carried(cls, sources: Iterable[Source], texts: Mapping[str, str]) -> "SourceIndex":
        """Return the sources as a report carries them; `texts` are those that are known, by their hash.

        Of another text nobody can tell whether the first and the last sentence of a passage are whole: they are taken
        for cut ones.
        """
        kept = tuple(sources)
        return cls(_entries(kept, texts.get), kept)

    @cached_property
    def by_id(self) -> dict[str, SourceEntry]:
        """The entries by their short id."""
        return {entry.id: entry for entry in self.entries}

    @cached_property
    def by_label(self) -> dict[str, CitedPassage]:
        """Every passage by its label."""
        return {passage.label: passage for passage in self.passages}

    @cached_property
    def passages(self) -> list[CitedPassage]:
        """Every passage, in order."""
        return [passage for entry in self.entries for passage in entry.passages]

    @cached_property
    def ranks(self) -> dict[str, int]:
        """The place of each passage, by its label, among all by their scores."""
        ordered = sorted(self.passages, key=lambda one: -one.passage.score)
        return {one.label: place for place, one in enumerate(ordered)}

    @cached_property
    def relevance(self) -> Relevance:
        """How much each word weighs among the passages."""
        return Relevance(passage.roots for passage in self.passages)

    def read(self) -> None:
        """Find the statements of every passage now; the end of a report needs them, when somebody waits. It blocks."""
        for passage in self.passages:
            _ = passage.statements

    def chosen(self, ids: Sequence[str]) -> list[SourceEntry]:
        """Return the entries of these ids, in the index's order."""
        return [entry for entry in self.entries if entry.id in ids]


def titled(source: Source, passage: Passage) -> Passage:
    """Return a passage whose heading begins with the title of its source: names stand there too."""
    title, heading = source.title, passage.heading
    around = heading if heading.startswith(title) else f"{title} > {heading}" if heading else title
    return passage.model_copy(update={"heading": around})


def _merged(sources: Iterable[Source]) -> list[Source]:
    """Return each source once; equal ones, found by several tasks, bring their passages together."""
    merged: dict[tuple[str, str], Source] = {}
    for source in sources:
        known = merged.setdefault((source.id, source.snapshot), source)
        merged[source.id, source.snapshot] = joined(known, source)
    return list(merged.values())


def joined(known: Source, other: Source) -> Source:
    """Return a source with the passages of an equal one too, in text order."""
    if known is other:
        return known
    spans = {(passage.start, passage.end): passage for passage in (*other.passages, *known.passages)}
    return known.model_copy(update={"passages": [spans[span] for span in sorted(spans)]})


def _entries(
    sources: Iterable[Source], text_of: Callable[[str], str | None], found: Sequence[Source] = ()
) -> tuple[SourceEntry, ...]:
    """Return the sources that hold text under their short ids, with the tasks of those `found` that are the same."""
    entries: list[SourceEntry] = []
    for source in sources:
        if source.passages:
            short_id, snapshot = f"S{len(entries) + 1}", source.snapshot
            same = (one for one in found if one.id == source.id or (snapshot and one.snapshot == snapshot))
            labelled = _labelled(short_id, source, text_of(snapshot))
            entries.append(SourceEntry(short_id, source, labelled, frozenset(one.task for one in same)))
    return tuple(entries)


def _anchored(source: Source, journal: Journal) -> Source:
    """Return the source with passages that are spans of a text in the journal."""
    kept = journal.snapshot(source.snapshot) if source.snapshot else None
    passages = [passage for passage in source.passages if passage.text.strip()]
    if passages and kept is not None and all(kept[one.start : one.end] == one.text for one in passages):
        return source.model_copy(update={"passages": passages})
    return _of_its_own_words(source, passages, journal)


def _of_its_own_words(source: Source, passages: list[Passage], journal: Journal) -> Source:
    """Return the source with a snapshot made of its passages, or else of its summary."""
    if not passages:
        summary = next((text for text in (source.summary, source.brief_summary, source.snippet) if text.strip()), "")
        passages = [Passage(text=part, start=0, end=len(part)) for part in _parts(summary)]
    text, placed = "", []
    for passage in passages:
        words = passage.text.encode("utf-8", "replace").decode()
        start = len(text) + (2 if text else 0)
        text += ("\n\n" if text else "") + words
        placed.append(passage.model_copy(update={"text": words, "start": start, "end": start + len(words)}))
    snapshot = digest(text, size=64) if text else ""
    if text:
        journal.keep_snapshot(snapshot, text)
    return source.model_copy(update={"passages": placed, "snapshot": snapshot})


def _parts(text: str) -> list[str]:
    """Cut a text between sentences into parts of LONGEST_PASSAGE characters at most, where its sentences allow it."""
    parts: list[str] = []
    begin = end = 0
    for start, stop in sentence_spans(text):
        if end and stop - begin > LONGEST_PASSAGE:
            parts.append(text[begin:end])
            begin = start
        begin, end = (start if not end else begin), stop
    return [*parts, text[begin:end]] if end else []


def _labelled(short_id: str, source: Source, text: str | None) -> tuple[CitedPassage, ...]:
    """Return the passages of a source under their labels, with the text around each; None for one that is unknown."""
    code = [block.span() for block in FENCED.finditer(text or "")]
    return tuple(
        CitedPassage(f"{short_id}.{number}", source, passage, *_around(passage, text, code))
        for number, passage in enumerate(source.passages, start=1)
    )


def _around(passage: Passage, text: str | None, code: Sequence[tuple[int, int]]) -> tuple[str, str]:
    """Return the text before a passage, never from within a block of code on, and the text after it."""
    if text is None:
        return (UNKNOWN if passage.start else ""), UNKNOWN
    begin = max(0, passage.start - CONTEXT)
    begin = next((start for start, end in code if start < begin < end), begin)
    return text[begin : passage.start], text[passage.end : passage.end + CONTEXT]
