"""A section as a model wrote it, read into a draft: its markers become citations, the rest of it harmless text."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from ..evidence import Relevance, roots
from ..kernel.one_line import one_line
from ..render.escape import kind_of
from ..render.labels import REFERENCE_HEADINGS
from ..tree import (
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
    spoken,
    walk,
)
from .asserting import asserts
from .draft import Draft
from .markers import find_markers, without_links
from .source_index import CitedPassage

_WRAPPED = re.compile(r"\s*```(?:markdown|md)?[ \t]*\n(.*)\n[ \t]*```\s*", re.DOTALL)
_FENCED = re.compile(
    r"^(?P<indent>[ ]{0,3})(?P<fence>`{3,}|~{3,})[ \t]*(?P<name>[\w+.#-]*)[^\n]*\n"
    r"(?P<code>.*?)(?P<end>^[ ]{0,3}(?P=fence)[`~]*[ \t]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)
_FALSE_FENCE = re.compile(r"^[ ]{0,3}(?:`{3,}|~{3,})[ \t]*(?=[^\s`]+[ \t]+\S)", re.MULTILINE)
_TITLE = re.compile(r"[ \t]{0,3}(?:#{1,6}[ \t]+|\*\*|__)?(?P<title>[^\n]*)(?:\n|\Z)")
_LIST_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)]|[\[(【^]|https?:|www\.|(?:[Ss]ource|S)\s?\d)")
_NOTE = re.compile(r"^(?P<before>[ >]{0,9})\[\^[^\]\s]{1,32}\]:[ \t]*", re.MULTILINE)
_WORDS = re.compile(r"[^\W\d_]\W+[^\W\d_]|[^\W_]{4}")
"""More than the `and` between two markers, or the number that one of an unknown form leaves behind."""


def read(title: str, text: str, passages: Sequence[CitedPassage], asked: Sequence[str] = ()) -> Draft:
    """Return the draft of a section from a model's text; see Reader."""
    return DraftParser(passages, asked).draft(title, text)


class DraftParser(MarkdownParser):
    """Reads what a model wrote from these passages. Making one takes longer than reading; it blocks.

    What repeats the words of the questions that were `asked` asserts nothing by that, unless it is a sentence.
    """

    def __init__(self, passages: Sequence[CitedPassage], asked: Sequence[str] = ()) -> None:
        super().__init__()
        self._passages = passages
        self._known = roots("\n".join(asked))
        self._by_label = {passage.label: passage for passage in passages}
        self._labels = {*self._by_label, *(label.partition(".")[0] for label in self._by_label)}
        self._relevance = Relevance(passage.roots for passage in passages)
        self._dropped = 0

    def draft(self, title: str, text: str) -> Draft:
        """Return the draft of a section from a model's text; a citation is a whole passage as yet.

        A marker of a source means its passage that is most like the sentence. Markers that name neither are dropped
        and counted. Addresses are removed and the texts of links kept; the section's own heading and a list of
        references go; headings stay below the section's.
        """
        self._dropped = 0
        text = without_links(_fences_closed("\n".join(text.splitlines())))
        blocks = self.blocks(_NOTE.sub(r"\g<before>", _body(text, title)))
        return Draft(title=title, blocks=self.read(blocks), dropped=self._dropped)

    def sentence(self, text: str) -> Sentence | None:
        """Return the one sentence that a text is, None where it is anything else."""
        units = list(walk(self.read(self.blocks(text))))
        return units[0] if len(units) == 1 and isinstance(units[0], Sentence) else None

    def read(self, blocks: Sequence[Block]) -> list[Block]:
        """Return blocks in which it is known which passages are cited, and what asserts something.

        A citation that stands alone belongs to what stands before it.
        """
        more: dict[int, list[Cite]] = {}
        before: Unit | None = None
        for unit in walk(blocks):
            if before is not None and unit.cites and not isinstance(unit, Row) and not _WORDS.search(unit.text):
                more.setdefault(id(before), []).extend(unit.cites)
                more[id(unit)] = []
            else:
                before = unit

        def read(unit: Unit) -> Unit | None:
            if more.get(id(unit)) == [] or not (unit.text.strip(" .:") or isinstance(unit, Row)):
                return None
            said = roots(unit.text) if unit.cites or id(unit) in more else frozenset()

            def whole(cite: Cite) -> list[Cite]:
                return [self._passage(cite.passage, said).whole]

            cited = unit.recited(whole, [one for cite in more.get(id(unit), ()) for one in whole(cite)])
            return cited.model_copy(update={"asserts": asserts(cited, self._known)})

        return mapped(blocks, read)

    def markers(self, source: str) -> Iterator[Marker]:
        """Yield the citations in the Markdown of a paragraph, as the labels that a model wrote."""
        for marker in find_markers(source, self._labels):
            self._dropped += len(marker.unknown)
            yield Marker(marker.start, marker.end, [Cite(passage=label, start=0, end=0) for label in marker.labels])

    def heading(self, source: str, level: int) -> Heading:
        """Return a heading below that of the section."""
        return super().heading(source, max(3, level))

    def code(self, code: str, language: str) -> CodeBlock | None:
        """Return a block of code, None of an empty one."""
        return CodeBlock(code=code, language=kind_of(language)) if code.strip() else None

    def table(self, block: TableBlock) -> TableBlock:
        """Return a table that names those columns only whose names a row says with its cell.

        Rows are judged with the names of their columns; of another name nobody would know what it claims.
        """
        rows = [row.text for row in block.rows]
        said = [any(f"{spoken(cell).rstrip(': ')}: " in row for row in rows) for cell in block.head.cells]
        head = [cell if is_said else [] for cell, is_said in zip(block.head.cells, said, strict=True)]
        columns = list(map(spoken, head))
        return block.model_copy(
            update={
                "head": block.head.model_copy(update={"cells": head}),
                "rows": [row.model_copy(update={"columns": columns}) for row in block.rows],
            }
        )

    def _passage(self, label: str, claim: frozenset[str]) -> CitedPassage:
        """Return the passage of a label; of a source's label, its passage that has most of the claim."""
        if label in self._by_label:
            return self._by_label[label]
        own = [passage for passage in self._passages if passage.label.startswith(f"{label}.")]
        return max(own, key=lambda passage: self._relevance.coverage(claim, passage.roots))


def _fences_closed(text: str) -> str:
    """Return the text without the fences that open no block of code: with words behind them, or never closed."""
    text = _FALSE_FENCE.sub("", text)
    for match in _FENCED.finditer(text):
        if not match["end"]:
            return text[: match.start()] + match["code"]
    return text


def _body(text: str, title: str) -> str:
    """Return what the model wrote for the section itself, without its heading and its references."""
    wrapped = _WRAPPED.fullmatch(text)
    text = _without_references((wrapped[1] if wrapped else text).strip())
    first = _TITLE.match(text)
    if first and _same(first["title"], title):
        text = text[first.end() :].lstrip("\n")
    return text


def _same(written: str, title: str) -> bool:
    bare = re.sub(r"(?i)^\s*section\s*(?:\d+\s*)?[:.]\s*", "", written)
    return one_line(bare).strip("#*_:. ").casefold() == one_line(title).strip("#*_:. ").casefold()


def _without_references(text: str) -> str:
    """Return the text up to a list of references that the model made at its end."""
    lines = text.split("\n")
    is_listed = (not line.strip() or _LIST_ITEM.match(line) for line in reversed(lines))
    opens = len(lines) - 1 - sum(1 for _ in takewhile(bool, is_listed))
    for number, line in enumerate(lines):
        if number >= opens and line.strip(" \t#*_:").casefold() in REFERENCE_HEADINGS:
            return "\n".join(lines[:number]).rstrip()
    return text
