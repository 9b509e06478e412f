"""The nodes of the document tree, and functions that walk, change and filter its sentences."""

import unicodedata
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field, model_validator

from ..evidence.rows import row_text
from ..kernel.one_line import one_line
from ..kernel.source import Many, Verdict

Style = Literal["strong", "emphasis", "struck", "code"]


class Styled(BaseModel, frozen=True):
    """Text with a style; `href` is the target of a link, if links are kept."""

    text: str
    style: Many[Style] = []
    href: str = ""


class Cite(BaseModel, frozen=True):
    """A citation: `[start:end]` of a source's text is the evidence for the words before it.

    The span lies within the passage with that label: `S1.2` is the second passage of the first source that has any.
    `number` is its number in a checked text; in our own reports, numbers follow from the order.
    """

    passage: str
    start: int
    end: int
    number: int | None = None


class Pointer(BaseModel, frozen=True):
    """A citation in a checked text for which no passage was read, by its number."""

    number: int


Mark = Cite | Pointer
Part = str | Styled | Mark  # a part of a sentence: words, which may have line breaks, or a citation


class Unit(BaseModel, frozen=True):
    """A part of a text that is judged as a whole: a sentence, a heading, a table row or a code block.

    `asserts` is true if it claims something that a source can support, `rewritten` if the model rewrote it from the
    evidence. `verdict` is None unless it was judged.
    """

    asserts: bool = False
    rewritten: bool = False
    verdict: Verdict | None = None

    @property
    @abstractmethod
    def text(self) -> str:
        """The text that is judged: the visible text on one line, without citations; for code, the code."""

    @property
    @abstractmethod
    def pieces(self) -> list[Part]:
        """The words and citations, in text order."""

    @property
    def cites(self) -> list[Cite]:
        """The citations, in text order."""
        return [part for part in self.pieces if isinstance(part, Cite)]

    @property
    def pointers(self) -> list[Pointer]:
        """The citations without a passage, in text order."""
        return [part for part in self.pieces if isinstance(part, Pointer)]

    @abstractmethod
    def with_cites_changed(self, change: Callable[[Cite], Sequence[Cite]], more: Sequence[Mark] = ()) -> Self:
        """Return a copy with each citation replaced by those that `change` returns, and `more` citations at its end."""

    def citing(self, cites: Sequence[Cite]) -> Self:
        """Return a copy with only these citations: each replaces one of the same passage, others go at the end."""
        kept: dict[str, list[Cite]] = {}
        for cite in cites:
            kept.setdefault(cite.passage, []).append(cite)
        changed = self.with_cites_changed(lambda cite: kept.pop(cite.passage, []))
        return changed.with_cites_changed(lambda cite: [cite], [cite for left in kept.values() for cite in left])

    def judged(self, verdict: Verdict | None) -> Self:
        """Return a copy with this verdict."""
        return self.model_copy(update={"verdict": verdict})


class Line(Unit, frozen=True):
    """A unit of running text: a sentence or a heading."""

    parts: Many[Part] = []

    @property
    def text(self) -> str:
        """The visible text on one line, without citations."""
        return visible_text(self.parts)

    @property
    def pieces(self) -> list[Part]:
        """The words and citations, in text order."""
        return self.parts

    def with_cites_changed(self, change: Callable[[Cite], Sequence[Cite]], more: Sequence[Mark] = ()) -> Self:
        """Return a copy with each citation replaced by those that `change` returns, and `more` citations at its end."""
        return self.model_copy(update={"parts": [*_recited(self.parts, change), *more]})


class Sentence(Line, frozen=True):
    """A sentence of a paragraph."""

    kind: Literal["sentence"] = "sentence"


class Heading(Line, frozen=True):
    """A heading within a section; the section's own heading has level 2."""

    kind: Literal["heading"] = "heading"
    level: int = Field(default=3, ge=1, le=6)


class Row(Unit, frozen=True):
    """A row of a table; `columns` are the column names of the table, which its text includes."""

    kind: Literal["row"] = "row"
    cells: Many[Many[Part]] = []
    columns: Many[str] = []

    @property
    def text(self) -> str:
        """The cells on one line, each after the name of its column, if it has one."""
        return row_text(list(map(visible_text, self.cells)), self.columns)

    @property
    def pieces(self) -> list[Part]:
        """The words and citations, in text order."""
        return [part for cell in self.cells for part in cell]

    def with_cites_changed(self, change: Callable[[Cite], Sequence[Cite]], more: Sequence[Mark] = ()) -> Self:
        """Return a copy with each citation replaced by those that `change` returns, and `more` in the last cell."""
        cells = [_recited(cell, change) for cell in self.cells] or [[]]
        return self.model_copy(update={"cells": [*cells[:-1], [*cells[-1], *more]]})


class CodeBlock(Unit, frozen=True):
    """A block of code; `cited` are the citations after it."""

    kind: Literal["code"] = "code"
    code: str
    language: str = ""
    cited: Many[Mark] = []

    @property
    def text(self) -> str:
        """The code."""
        return self.code

    @property
    def pieces(self) -> list[Part]:
        """The citations after it."""
        return list(self.cited)

    def with_cites_changed(self, change: Callable[[Cite], Sequence[Cite]], more: Sequence[Mark] = ()) -> Self:
        """Return a copy with each citation replaced by those that `change` returns, and `more` citations."""
        return self.model_copy(update={"cited": [*_recited(self.cited, change), *more]})


class Paragraph(BaseModel, frozen=True):
    """A paragraph of sentences."""

    kind: Literal["paragraph"] = "paragraph"
    sentences: Many[Sentence]


class ListBlock(BaseModel, frozen=True):
    """A list; `first` is the number of its first item, None for a bulleted list."""

    kind: Literal["list"] = "list"
    items: Many[Many["Block"]]
    first: int | None = None


class QuoteBlock(BaseModel, frozen=True):
    """A block quote."""

    kind: Literal["quote"] = "quote"
    blocks: Many["Block"]


Alignment = Literal["", "left", "center", "right"]


class TableBlock(BaseModel, frozen=True):
    """A table; the head has a cell for each column, whose texts are the column names of the rows."""

    kind: Literal["table"] = "table"
    head: Row
    rows: Many[Row]
    alignments: Many[Alignment] = []

    @model_validator(mode="after")
    def _is_table(self) -> Self:
        """Check that each row has the column names of this table or none, and no cell beyond its columns."""
        columns = list(map(visible_text, self.head.cells))
        if any(row.columns not in ([], columns) or len(row.cells) > len(columns) for row in self.rows):
            raise ValueError("a row does not fit the columns of its table")
        return self

    def alignment(self, column: int) -> Alignment:
        """Return the alignment of a column, empty for none."""
        return self.alignments[column] if column < len(self.alignments) else ""


Block = Annotated[Paragraph | Heading | ListBlock | QuoteBlock | TableBlock | CodeBlock, Field(discriminator="kind")]


def visible_text(parts: Iterable[Part]) -> str:
    """Return the words of parts on one line, without citations."""
    return one_line("".join(words(part) for part in parts))


def words(part: Part) -> str:
    """Return the words of a part, empty for a citation."""
    return part if isinstance(part, str) else part.text if isinstance(part, Styled) else ""


def with_words(part: Part, text: str) -> Part:
    """Return a part with other words; a citation is returned unchanged."""
    if isinstance(part, Mark):
        return part
    return text if isinstance(part, str) else part.model_copy(update={"text": text})


def joined(parts: Iterable[Part]) -> list[Part]:
    """Return the parts without empty ones; adjacent words of one style are one part."""
    merged: list[Part] = []
    for part in parts:
        if merged and not isinstance(part, Mark) and with_words(part, "") == with_words(merged[-1], ""):
            merged[-1] = with_words(part, words(merged[-1]) + words(part))
        elif isinstance(part, Mark) or words(part):
            merged.append(part)
    return merged


def gap(before: Sentence, after: Sentence) -> str:
    """Return the separator of two sentences in a paragraph: a space, or nothing after a full-width character."""
    last = before.parts[-1] if before.parts else ""
    wide = after.text and unicodedata.east_asian_width(words(last)[-1:] or " ") in ("W", "F")
    return "" if wide else " "


def walk(blocks: Iterable[Block]) -> Iterator[Unit]:
    """Yield every unit in reading order; the head of a table comes before its rows."""
    for block in blocks:
        match block:
            case Paragraph():
                yield from block.sentences
            case ListBlock():
                for item in block.items:
                    yield from walk(item)
            case QuoteBlock():
                yield from walk(block.blocks)
            case TableBlock():
                yield block.head
                yield from block.rows
            case _:
                yield block


Change = Callable[[Unit], Unit | None]


def mapped(blocks: Iterable[Block], change: Change) -> list[Block]:
    """Return the blocks with each unit replaced by the result of `change`, or removed if that is None.

    Paragraphs, items, lists and quotes that are left empty are removed too, and tables without rows. A numbered list
    that loses an item gets bullets, since its numbers would count the steps wrongly.
    """
    return [changed for block in blocks if (changed := _mapped(block, change)) is not None]


def _mapped(block: Block, change: Change) -> Block | None:
    match block:
        case Paragraph():
            sentences = _changed(block.sentences, change)
            return block.model_copy(update={"sentences": sentences}) if sentences else None
        case ListBlock():
            items = [item for item in (mapped(blocks, change) for blocks in block.items) if item]
            first = block.first if len(items) == len(block.items) else None
            return block.model_copy(update={"items": items, "first": first}) if items else None
        case QuoteBlock():
            inner = mapped(block.blocks, change)
            return block.model_copy(update={"blocks": inner}) if inner else None
        case TableBlock():
            head, rows = change(block.head), _changed(block.rows, change)
            return block.model_copy(update={"head": head or block.head, "rows": rows}) if rows else None
        case _:
            return change(block)  # type: ignore[return-value]  # a change keeps the kind of what it changes


def _changed(units: Iterable[Unit], change: Change) -> list[Unit]:
    return [changed for unit in units if (changed := change(unit)) is not None]


def without(blocks: Sequence[Block], goes: Callable[[Unit], bool]) -> list[Block]:
    """Return the blocks without the units for which `goes` is true, and without blocks that are left empty.

    Headings with nothing below them are removed too. If `goes` is true for no unit, all blocks are kept.
    """
    if not any(map(goes, walk(blocks))):
        return list(blocks)
    kept: list[Block] = []
    has_content = False
    for block in reversed(mapped(blocks, lambda unit: None if goes(unit) else unit)):
        is_heading = isinstance(block, Heading)
        if has_content or not is_heading:
            kept.append(block)
        has_content = not is_heading
    return kept[::-1]


def _recited(parts: Iterable[Part], change: Callable[[Cite], Sequence[Cite]]) -> list[Part]:
    return [changed for part in parts for changed in (change(part) if isinstance(part, Cite) else (part,))]
