"""Parses a section that a model wrote into a draft: its markers become citations, everything else harmless text."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from ..evidence import Relevance, roots
from ..evidence.statement import FENCED
from ..kernel.one_line import one_line
from ..markup import (
    Block,
    Cite,
    CodeBlock,
    Heading,
    MarkdownParser,
    Marker,
    Row,
    Sentence,
    TableBlock,
    Unit,
    mapped,
    visible_text,
    walk,
)
from ..render.escape import kind_of
from ..render.labels import REFERENCE_HEADINGS
from .asserting import asserts
from .draft import Draft
from .markers import find_markers, without_links
from .source_index import CitedPassage

_WRAPPED = re.compile(r"\s*```(?:markdown|md)?[ \t]*\n(.*)\n[ \t]*```\s*", re.DOTALL)
_FALSE_FENCE = re.compile(r"^[ ]{0,3}(?:`{3,}|~{3,})[ \t]*(?=[^\s`]+[ \t]+\S)", re.MULTILINE)
_TITLE = re.compile(r"[ \t]{0,3}(?:#{1,6}[ \t]+|\*\*|__)?(?P<title>[^\n]*)(?:\n|\Z)")
_LIST_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)]|[\[(【^]|https?:|www\.|(?:[Ss]ource|S)\s?\d)")
_NOTE = re.compile(r"^(?P<before>[ >]{0,9})\[\^[^\]\s]{1,32}\]:[ \t]*", re.MULTILINE)
_NONE = re.compile(r"[\[［]\s*none\s*[\]］]", re.IGNORECASE)
_BEGINS_NONE = re.compile(rf"[\s>*_`•-]*{_NONE.pattern}[*_`.:]*(?:\s*[-–—])?\s*", re.IGNORECASE)
"""What a model writes first where the passages do not have what a section is for."""

_WORDS = re.compile(r"[^\W\d_]\W+[^\W\d_]|[^\W_]{4}")
"""Matches text that is more than an `and` between two markers or the number left of a marker of unknown form."""


def read(title: str, text: str, passages: Sequence[CitedPassage], questions: Sequence[str] = ()) -> Draft:
    """Return the draft of a section from a model's text; see DraftParser."""
    return DraftParser(passages, questions).draft(title, text)


class DraftParser(MarkdownParser):
    """Parses what a model wrote from these passages. Blocks the thread; the constructor takes longer than parsing.

    A unit that only repeats words of the `questions` asserts nothing, unless it is a sentence.
    """

    def __init__(self, passages: Sequence[CitedPassage], questions: Sequence[str] = ()) -> None:
        super().__init__()
        self._passages = passages
        self._question_roots = roots("\n".join(questions))
        self._by_label = {passage.label: passage for passage in passages}
        self._labels = {*self._by_label, *(label.partition(".")[0] for label in self._by_label)}
        self._relevance = Relevance(passage.roots for passage in passages)
        self._dropped = 0

    def draft(self, title: str, text: str) -> Draft:
        """Return the draft of a section from a model's text; each citation is still of a whole passage.

        A marker that names a source cites the passage of it that is most similar to the sentence. Markers that name
        neither a source nor a passage are dropped and counted. Addresses are removed and link texts kept; the section's
        own heading and a list of references are removed; other headings get a level below the section's. A text that
        begins with [none] is `absent`.
        """
        self._dropped = 0
        text = without_links(_fences_closed("\n".join(text.splitlines())))
        body = _body(text, title)
        absent = _BEGINS_NONE.match(body)
        blocks = self.blocks(_NOTE.sub(r"\g<before>", body[absent.end() :] if absent else body))
        return Draft(title=title, blocks=self.read(blocks), dropped=self._dropped, absent=absent is not None)

    def sentence(self, text: str) -> Sentence | None:
        """Return the sentence if a text consists of exactly one, otherwise None."""
        units = list(walk(self.read(self.blocks(text))))
        return units[0] if len(units) == 1 and isinstance(units[0], Sentence) else None

    def read(self, blocks: Sequence[Block]) -> list[Block]:
        """Return blocks in which each citation is resolved to a passage and `asserts` of each unit is set.

        A citation on its own is moved to the unit before it.
        """
        moved: dict[int, list[Cite]] = {}
        previous: Unit | None = None
        for unit in walk(blocks):
            if previous is not None and unit.cites and not isinstance(unit, Row) and not _WORDS.search(unit.text):
                moved.setdefault(id(previous), []).extend(unit.cites)
                moved[id(unit)] = []
            else:
                previous = unit

        def resolved(unit: Unit) -> Unit | None:
            if moved.get(id(unit)) == [] or not (unit.text.strip(" .:") or isinstance(unit, Row)):
                return None
            claim_roots = roots(unit.text) if unit.cites or id(unit) in moved else frozenset()

            def whole(cite: Cite) -> list[Cite]:
                return [self._passage(cite.passage, claim_roots).whole]

            cited = unit.with_cites_changed(
                whole, [cite for marker in moved.get(id(unit), ()) for cite in whole(marker)]
            )
            return cited.model_copy(update={"asserts": asserts(cited, self._question_roots)})

        return mapped(blocks, resolved)

    def markers(self, source: str) -> Iterator[Marker]:
        """Yield the citation markers in the Markdown of a paragraph, with the labels that the model wrote."""
        markers = find_markers(source, self._labels)
        self._dropped += sum(len(marker.unknown) for marker in markers)
        cites = [(one.start, one.end, [Cite(passage=label, start=0, end=0) for label in one.labels]) for one in markers]
        cites += [
            (*found.span(), []) for found in _NONE.finditer(source) if source[: found.start()].count("`") % 2 == 0
        ]
        yield from (Marker(*cite) for cite in sorted(cites, key=lambda cite: cite[0]))

    def heading(self, source: str, level: int) -> Heading:
        """Return a heading below that of the section."""
        return super().heading(source, max(3, level))

    def code(self, code: str, language: str) -> CodeBlock | None:
        """Return a block of code, None if it is empty."""
        return CodeBlock(code=code, language=kind_of(language)) if code.strip() else None

    def table(self, block: TableBlock) -> TableBlock:
        """Return a table without column names that are in no row's text.

        Column names are judged as part of the rows' texts, so one that is in none of them could not be judged.
        """
        rows = [row.text for row in block.rows]
        used = [any(f"{visible_text(cell).rstrip(': ')}: " in row for row in rows) for cell in block.head.cells]
        head = [cell if is_used else [] for cell, is_used in zip(block.head.cells, used, strict=True)]
        columns = list(map(visible_text, head))
        return block.model_copy(
            update={
                "head": block.head.model_copy(update={"cells": head}),
                "rows": [row.model_copy(update={"columns": columns}) for row in block.rows],
            }
        )

    def _passage(self, label: str, claim_roots: frozenset[str]) -> CitedPassage:
        """Return the passage of a label; for a source's label, its passage that covers most of the claim."""
        if label in self._by_label:
            return self._by_label[label]
        candidates = [passage for passage in self._passages if passage.label.startswith(f"{label}.")]
        return max(candidates, key=lambda passage: self._relevance.coverage(claim_roots, passage.roots))


def _fences_closed(text: str) -> str:
    """Return the text without fences that open no code block: those followed by words, or never closed."""
    text = _FALSE_FENCE.sub("", text)
    for match in FENCED.finditer(text):
        if not match["close"]:
            return text[: match.start()] + match["code"]
    return text


def _body(text: str, title: str) -> str:
    """Return the model's text without a fence around it, the section's heading, and a list of references."""
    wrapped = _WRAPPED.fullmatch(text)
    text = _without_references((wrapped[1] if wrapped else text).strip())
    first = _TITLE.match(text)
    if first and _is_title(first["title"], title):
        text = text[first.end() :].lstrip("\n")
    return text


def _is_title(written: str, title: str) -> bool:
    bare = re.sub(r"(?i)^\s*section\s*(?:\d+\s*)?[:.]\s*", "", written)
    return one_line(bare).strip("#*_:. ").casefold() == one_line(title).strip("#*_:. ").casefold()


def _without_references(text: str) -> str:
    """Return the text without a list of references at its end."""
    lines = text.split("\n")
    is_item = (not line.strip() or _LIST_ITEM.match(line) for line in reversed(lines))
    earliest = len(lines) - 1 - sum(1 for _ in takewhile(bool, is_item))
    for number, line in enumerate(lines):
        if number >= earliest and line.strip(" \t#*_:").casefold() in REFERENCE_HEADINGS:
            return "\n".join(lines[:number]).rstrip()
    return text
