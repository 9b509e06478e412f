"""The source index: the sources of a report and their passages, with the short ids that prompts and citations use."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..evidence import Relevance, Statement, roots, statements
from ..evidence.rows import columns_above
from ..evidence.statement import FENCED
from ..kernel.journal import Journal
from ..kernel.sentence import sentence_spans
from ..kernel.source import Passage, Source, digest, with_date
from ..markup import Cite
from ..model.tokens import count_tokens
from ..prompts import quoted
from ..search.consolidation import consolidate

BEFORE, AFTER = 400, 1000
"""Characters read on each side of a passage to tell whole sentences from cut ones, and to see the end of a list."""

UNKNOWN = " x "
"""The context of a passage of an unknown text: a word, so that a sentence at the edge counts as cut."""

LONGEST_PASSAGE = 1500
"""Most characters of a passage made from a summary."""

_HEADINGS = re.compile(r"\A(?:\s*#{1,6}[ \t][^\n]*\n)+\s*")


ITEM = re.compile(r"[ \t>]*(?:[-*+•‣◦▪]|\d{1,3}[.)]|[a-z][.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
"""The mark of an item of a list, at the beginning of a line."""


@dataclass(frozen=True, eq=False)
class CitedPassage:
    """A passage with its label, such as `S1.2`, one object per index. `before` and `after` are the text around it."""

    label: str
    source: Source
    passage: Passage
    before: str = ""
    after: str = ""

    @cached_property
    def whole(self) -> Cite:
        """A citation of the whole passage, without white space at its ends."""
        text = self.passage.text
        start = self.passage.start + len(text) - len(text.lstrip())
        return self.cite(start, start + len(text.strip()))

    def before_in_line(self, start: int) -> str:
        """Return the text between the beginning of its line and an offset in the snapshot."""
        return (self.before + self.passage.text[: start - self.passage.start]).rpartition("\n")[2]

    def cite(self, start: int, end: int) -> Cite:
        """Return a citation of `snapshot[start:end]`."""
        return Cite(passage=self.label, start=start, end=end)

    @cached_property
    def statements(self) -> list[Statement]:
        """The whole sentences, rows and lines of the passage, with offsets in the snapshot."""
        return statements(self.passage, self.before, self.after)

    @cached_property
    def roots(self) -> frozenset[str]:
        """The roots (stems) of the content words in the passage."""
        return roots(self.passage.text)

    @cached_property
    def block(self) -> str:
        """The passage as it enters a prompt; headings at its beginning and its date are in the block's title."""
        heading = with_date(titled(self.source, self.passage).heading, self.source.published, in_full=True)
        return quoted(self.label, _HEADINGS.sub("", self.passage.text), heading) + "\n\n"

    @property
    def above(self) -> str:
        """The context above the passage: its file, title and headings, one per line."""
        return f"{self.source.path}\n{self.source.title}\n{self.passage.heading}"

    @cached_property
    def tokens(self) -> int:
        """The approximate number of tokens of the block."""
        return count_tokens(self.block)

    def verbatim(self, start: int, end: int) -> str:
        """Return `snapshot[start:end]`; the span must lie within the passage."""
        if not self.passage.start <= start <= end <= self.passage.end:
            raise LookupError(f"the span {start}-{end} is not within the passage {self.label}")
        return self.passage.text[start - self.passage.start : end - self.passage.start]


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """A source with its short id, such as `S1`, its labelled passages, and the tasks that found it."""

    id: str
    source: Source
    passages: tuple[CitedPassage, ...]
    tasks: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        """All text of the source in this run: its title, headings and passages."""
        return "\n".join([self.source.title, *(f"{p.passage.heading}\n{p.passage.text}" for p in self.passages)])


@dataclass(frozen=True)
class SourceIndex:
    """The sources of a report, the most credible first; `entries` omits sources without text."""

    entries: tuple[SourceEntry, ...] = ()
    sources: tuple[Source, ...] = ()

    @classmethod
    def of(cls, records: Iterable[Any], journal: Journal) -> "SourceIndex":
        """Return the index of the records; every passage becomes a verbatim span of a text in the journal.

        Records with equal content, or of the same page, are merged. A record without passages, or with passages that
        differ from the text in the journal, is cited from its own text, which becomes the snapshot.
        """
        parsed = [Source.model_validate(record) for record in records]
        sources = tuple(consolidate(_anchored(source, journal) for source in _merged(parsed)))
        return cls(_entries(sources, lambda snapshot: journal.snapshot(snapshot) or "", parsed), sources)

    @classmethod
    def carried(cls, sources: Iterable[Source], texts: Mapping[str, str]) -> "SourceIndex":
        """Return the index of the sources in a finished report; `texts` are the known snapshots by their hash.

        In an unknown text, the first and the last sentence of a passage count as cut.
        """
        known = ((source, texts.get(source.snapshot)) for source in sources)
        in_order = tuple(source if text is None else _in_tables(source, text) for source, text in known)
        return cls(_entries(in_order, texts.get), in_order)

    @cached_property
    def by_id(self) -> dict[str, SourceEntry]:
        """The entries by short id."""
        return {entry.id: entry for entry in self.entries}

    @cached_property
    def by_label(self) -> dict[str, CitedPassage]:
        """Every passage by label."""
        return {passage.label: passage for passage in self.passages}

    @cached_property
    def passages(self) -> list[CitedPassage]:
        """Every passage, in order."""
        return [passage for entry in self.entries for passage in entry.passages]

    @cached_property
    def ranks(self) -> dict[str, int]:
        """The rank of each passage by score, from 0, by label."""
        by_score = sorted(self.passages, key=lambda cited: -cited.passage.score)
        return {cited.label: rank for rank, cited in enumerate(by_score)}

    @cached_property
    def relevance(self) -> Relevance:
        """The weights of words among the passages."""
        return Relevance(passage.roots for passage in self.passages)

    def find_statements(self) -> None:
        """Compute the statements of every passage in advance, since the report's last steps need them. Blocks."""
        for passage in self.passages:
            _ = passage.statements

    def chosen(self, ids: Sequence[str]) -> list[SourceEntry]:
        """Return the entries with these ids, in the index's order."""
        return [entry for entry in self.entries if entry.id in ids]


def titled(source: Source, passage: Passage) -> Passage:
    """Return a passage with its source's title at the start of its heading, since titles have names too.

    The date that a file gives itself stands there, too; that of a page may be a search engine's.
    """
    title, heading = source.title, passage.heading
    full_heading = heading if heading.startswith(title) else f"{title} > {heading}" if heading else title
    if source.kind == "file":
        full_heading = with_date(full_heading, source.published, in_full=True)
    return passage.model_copy(update={"heading": full_heading})


def _merged(sources: Iterable[Source]) -> list[Source]:
    """Return each source once, with the passages of all equal sources, which several tasks may find."""
    merged: dict[tuple[str, str], Source] = {}
    for source in sources:
        first = merged.setdefault((source.id, source.snapshot), source)
        merged[source.id, source.snapshot] = joined(first, source)
    return list(merged.values())


def joined(source: Source, other: Source) -> Source:
    """Return a source with its passages and those of an equal source, in text order."""
    if source is other:
        return source
    spans = {(passage.start, passage.end): passage for passage in (*other.passages, *source.passages)}
    return source.model_copy(update={"passages": [spans[span] for span in sorted(spans)]})


def _entries(
    sources: Iterable[Source], text_of: Callable[[str], str | None], records: Sequence[Source] = ()
) -> tuple[SourceEntry, ...]:
    """Return an entry for each source with passages; its tasks are those of all equal `records`."""
    entries: list[SourceEntry] = []
    for source in sources:
        if source.passages:
            short_id, snapshot = f"S{len(entries) + 1}", source.snapshot
            equal = (other for other in records if other.id == source.id or (snapshot and other.snapshot == snapshot))
            labelled = _labelled(short_id, source, text_of(snapshot))
            entries.append(SourceEntry(short_id, source, labelled, frozenset(other.task for other in equal)))
    return tuple(entries)


def _anchored(source: Source, journal: Journal) -> Source:
    """Return the source with passages that are spans of a text in the journal."""
    text = journal.snapshot(source.snapshot) if source.snapshot else None
    passages = [passage for passage in source.passages if passage.text.strip()]
    if passages and text is not None and all(text[passage.start : passage.end] == passage.text for passage in passages):
        return _in_tables(source.model_copy(update={"passages": passages}), text)
    return _with_own_snapshot(source, passages, journal)


def _in_tables(source: Source, text: str) -> Source:
    """Return the source, each passage that begins in a table with the names of the columns above it in the text."""
    names = [tuple(columns_above(text, passage.start)) for passage in source.passages]
    pairs = list(zip(source.passages, names, strict=True))
    if all(one.columns == above for one, above in pairs):
        return source
    return source.model_copy(update={"passages": [one.model_copy(update={"columns": above}) for one, above in pairs]})


def _with_own_snapshot(source: Source, passages: list[Passage], journal: Journal) -> Source:
    """Return the source with a snapshot made of its passages, or of its summary if it has none."""
    if not passages:
        summary = next((text for text in (source.summary, source.brief_summary, source.snippet) if text.strip()), "")
        passages = [Passage(text=part, start=0, end=len(part)) for part in _parts(summary)]
    text, placed = "", []
    for passage in passages:
        valid = passage.text.encode("utf-8", "replace").decode()
        start = len(text) + (2 if text else 0)
        text += ("\n\n" if text else "") + valid
        placed.append(passage.model_copy(update={"text": valid, "start": start, "end": start + len(valid)}))
    snapshot = digest(text, size=64) if text else ""
    if text:
        journal.keep_snapshot(snapshot, text)
    return _in_tables(source.model_copy(update={"passages": placed, "snapshot": snapshot}), text)


def _parts(text: str) -> list[str]:
    """Cut a text between sentences into parts of at most LONGEST_PASSAGE characters, unless a sentence is longer."""
    parts: list[str] = []
    begin = end = 0
    for start, stop in sentence_spans(text):
        if end and stop - begin > LONGEST_PASSAGE:
            parts.append(text[begin:end])
            begin = start
        begin, end = (start if not end else begin), stop
    return [*parts, text[begin:end]] if end else []


def _labelled(short_id: str, source: Source, text: str | None) -> tuple[CitedPassage, ...]:
    """Return the labelled passages of a source with the text around each; `text` is None if it is unknown."""
    code = [block.span() for block in FENCED.finditer(text or "")]
    return tuple(
        CitedPassage(f"{short_id}.{number}", source, passage, *_around(passage, text, code))
        for number, passage in enumerate(source.passages, start=1)
    )


def _around(passage: Passage, text: str | None, code: Sequence[tuple[int, int]]) -> tuple[str, str]:
    """Return the text before a passage, not beginning inside a block of code, and the text after it."""
    if text is None:
        return (UNKNOWN if passage.start else ""), UNKNOWN
    begin = max(0, passage.start - BEFORE)
    begin = next((start for start, end in code if start < begin < end), begin)
    return text[begin : passage.start], text[passage.end : passage.end + AFTER]
