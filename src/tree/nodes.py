"""The nodes of the tree, in reading order, and the functions that go through all of its sentences."""

import unicodedata
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field, model_validator

from ..evidence.statement import row_text
from ..kernel.one_line import one_line
from ..kernel.source import Many, Verdict

Style = Literal["strong", "emphasis", "struck", "code"]


class Styled(BaseModel, frozen=True):
    """Words with a style of their own; `href` is the target of a link, in a text whose links are kept."""

    text: str
    style: Many[Style] = []
    href: str = ""


class Cite(BaseModel, frozen=True):
    """A citation: the words before it rest on `[start:end]` of a source's text.

    The span lies within the passage with that id: `S1.2` is the second passage of the first source that has any.
    `number` is its number in a checked text; in our own reports numbers follow from the order.
    """

    passage: str
    start: int
    end: int
    number: int | None = None


class Pointer(BaseModel, frozen=True):
    """The number of a citation in a checked text, without a passage that was read."""

    number: int


Mark = Cite | Pointer
Part = str | Styled | Mark  # of a sentence: words, which may have line breaks, or a citation


class Unit(BaseModel, frozen=True):
    """A unit of judgement: a sentence, a heading, the row of a table or a block of code.

    `asserts` says that it claims something that a source can support, `rewritten` that the model wrote it anew from the
    evidence. It has a verdict once it was judged.
    """

    asserts: bool = False
    rewritten: bool = False
    verdict: Verdict | None = None

    @property
    @abstractmethod
    def text(self) -> str:
        """The text that is judged: what a reader sees of it on one line, without citations; for code, the code."""

    @property
    @abstractmethod
    def pieces(self) -> list[Part]:
        """Its words and citations, in order of the text."""

    @property
    def cites(self) -> list[Cite]:
        """The citations, in order of the text."""
        return [part for part in self.pieces if isinstance(part, Cite)]

    @property
    def pointers(self) -> list[Pointer]:
        """The numbers of citations without a passage, in order of the text."""
        return [part for part in self.pieces if isinstance(part, Pointer)]

    @abstractmethod
    def recited(self, change: Callable[[Cite], Sequence[Cite]], more: Sequence[Mark] = ()) -> Self:
        """Return it with each of its citations changed into others or none, and `more` of them at its end."""

    def citing(self, cites: Sequence[Cite]) -> Self:
        """Return it with these citations: each in the place of one of the same passage, new ones at its end."""
        kept: dict[str, list[Cite]] = {}
        for cite in cites:
            kept.setdefault(cite.passage, []).append(cite)
        changed = self.recited(lambda cite: kept.pop(cite.passage, []))
        return changed.recited(lambda cite: [cite], [cite for left in kept.values() for cite in left])

    def judged(self, verdict: Verdict | None) -> Self:
        """Return it with this verdict."""
        return self.model_copy(update={"verdict": verdict})


class Line(Unit, frozen=True):
    """Words in a line: a sentence or a heading."""

    parts: Many[Part] = []

    @property
    def text(self) -> str:
        """What a reader sees of it on one line, without citations."""
        return spoken(self.parts)

    @property
    def pieces(self) -> list[Part]:
        """Its words and citations, in order of the text."""
        return self.parts

    def recited(self, change: Callable[[Cite], Sequence[Cite]], more: Sequence[Mark] = ()) -> Self:
        """Return it with each of its citations changed into others or none, and `more` of them at its end."""
        return self.model_copy(update={"parts": [*_recited(self.parts, change), *more]})


class Sentence(Line, frozen=True):
    """A sentence of a paragraph."""

    kind: Literal["sentence"] = "sentence"


class Heading(Line, frozen=True):
    """A heading within a section; that of a section has level 2."""

    kind: Literal["heading"] = "heading"
    level: int = Field(default=3, ge=1, le=6)


class Row(Unit, frozen=True):
    """A row of a table; `columns` are the names of the table's columns, with which it is read."""

    kind: Literal["row"] = "row"
    cells: Many[Many[Part]] = []
    columns: Many[str] = []

    @property
    def text(self) -> str:
        """Its cells on one line, each with the name of its column before it where that has one."""
        return row_text(list(map(spoken, self.cells)), self.columns)

    @property
    def pieces(self) -> list[Part]:
        """Its words and citations, in order of the text."""
        return [part for cell in self.cells for part in cell]

    def recited(self, change: Callable[[Cite], Sequence[Cite]], more: Sequence[Mark] = ()) -> Self:
        """Return it with each of its citations changed into others or none, and `more` of them in its last cell."""
        cells = [_recited(cell, change) for cell in self.cells] or [[]]
        return self.model_copy(update={"cells": [*cells[:-1], [*cells[-1], *more]]})


class CodeBlock(Unit, frozen=True):
    """A block of code; `cited` are the citations behind it."""

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
        """The citations behind it."""
        return list(self.cited)

    def recited(self, change: Callable[[Cite], Sequence[Cite]], more: Sequence[Mark] = ()) -> Self:
        """Return it with each of its citations changed into others or none, and `more` of them."""
        return self.model_copy(update={"cited": [*_recited(self.cited, change), *more]})


class Paragraph(BaseModel, frozen=True):
    """Sentences side by side."""

    kind: Literal["paragraph"] = "paragraph"
    sentences: Many[Sentence]


class ListBlock(BaseModel, frozen=True):
    """A list; `first` is the number of the first item of a numbered one."""

    kind: Literal["list"] = "list"
    items: Many[Many["Block"]]
    first: int | None = None


class QuoteBlock(BaseModel, frozen=True):
    """Blocks that are set off as somebody's words."""

    kind: Literal["quote"] = "quote"
    blocks: Many["Block"]


Alignment = Literal["", "left", "center", "right"]


class TableBlock(BaseModel, frozen=True):
    """A table; the head has a cell for each column, and its names are those of the rows' columns."""

    kind: Literal["table"] = "table"
    head: Row
    rows: Many[Row]
    alignments: Many[Alignment] = []

    @model_validator(mode="after")
    def _is_table(self) -> Self:
        """Check that the rows are read with the names of this table's columns, and have no cell beyond them."""
        columns = list(map(spoken, self.head.cells))
        if any(row.columns not in ([], columns) or len(row.cells) > len(columns) for row in self.rows):
            raise ValueError("a row is not one of its table")
        return self

    def alignment(self, column: int) -> Alignment:
        """Return the alignment of a column, empty for none."""
        return self.alignments[column] if column < len(self.alignments) else ""


Block = Annotated[Paragraph | Heading | ListBlock | QuoteBlock | TableBlock | CodeBlock, Field(discriminator="kind")]


def spoken(parts: Iterable[Part]) -> str:
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
    """Return what separates two sentences of a paragraph: nothing behind a full-width full stop."""
    last = before.parts[-1] if before.parts else ""
    wide = after.text and unicodedata.east_asian_width(words(last)[-1:] or " ") in ("W", "F")
    return "" if wide else " "


def walk(blocks: Iterable[Block]) -> Iterator[Unit]:
    """Yield every unit that is judged, in reading order; the head of a table before its rows."""
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
    """Return the blocks with each sentence, heading, row and block of code changed; those that become None are removed.

    So is what is left empty: a paragraph, an item, a list, a quote, a table without rows.
    """
    return [changed for block in blocks if (changed := _mapped(block, change)) is not None]


def _mapped(block: Block, change: Change) -> Block | None:
    match block:
        case Paragraph():
            sentences = _changed(block.sentences, change)
            return block.model_copy(update={"sentences": sentences}) if sentences else None
        case ListBlock():
            items = [item for item in (mapped(blocks, change) for blocks in block.items) if item]
            return block.model_copy(update={"items": items}) if items else None
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
    """Return the blocks without some of their sentences, and without the blocks that these leave empty.

    A heading with nothing below it goes too. All are kept where no sentence goes.
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
