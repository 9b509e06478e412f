"""Renders a report as Markdown; all text of sources and people is escaped."""

from collections.abc import Callable, Sequence
from itertools import count
from typing import TYPE_CHECKING

from ..kernel.one_line import sanitized_markup
from ..markup import (
    Block,
    Cite,
    CodeBlock,
    ListBlock,
    Mark,
    Paragraph,
    Part,
    Pointer,
    Row,
    Sentence,
    Styled,
    TableBlock,
    Unit,
    gap,
    joined,
)
from . import frame
from .escape import at_start, fence, linked, within
from .labels import Labels, labels_in, mark_of

if TYPE_CHECKING:
    from ..report import Report

OPENING = ("(", "[", "（", "［", " ")  # no space is put between these and a citation
BREAKS_CITE = ("(", ":")  # must not follow `[n]` directly: it would become a link or the definition of one
_MARKS = {"strong": "**", "emphasis": "*", "struck": "~~"}
_RULERS = {"": "---", "left": ":---", "center": ":---:", "right": "---:"}

TOP = 3  # the highest level of a heading in a section


def markdown(report: "Report") -> str:
    """Return the report as Markdown that ends with a newline; equal reports give equal bytes."""
    if report.given is not None:
        return sanitized_markup(report.given)
    labels = labels_in(report.language)
    writer = MarkdownWriter(labels, numbers(report))
    writer.write(frame.front(report, labels), framing=True)
    for section in report.sections:
        writer.write([frame.heading(section.title)], framing=True)
        writer.write(section.blocks)
    writer.write(frame.back(report, labels), framing=True)
    entries = [f"- [{number}] {_entry(parts, labels)}" for number, parts in frame.references(report, labels)]
    text = "\n\n".join(filter(None, [writer.text, "\n".join(entries)]))
    return sanitized_markup(text) + "\n"


def numbers(report: "Report") -> Callable[[Cite], str]:
    """Return a function that renders the citations of the sections as `[n]`; call it once for each, in order."""
    places = count()
    return lambda _cite: f"[{report.citations[next(places)].number}]"


def _entry(parts: Sequence[Part], labels: Labels) -> str:
    writer = MarkdownWriter(labels, lambda _cite: "")
    writer.write([frame.paragraph(*parts)], framing=True)
    return writer.text


class MarkdownWriter:
    """Renders blocks as Markdown; `cite` renders a citation. `claims` are the spans of the claims in `text`."""

    def __init__(self, labels: Labels, cite: Callable[[Cite], str]) -> None:
        self.claims: list[tuple[int, int]] = []
        self._labels = labels
        self._cite = cite
        self._pieces: list[str] = []
        self._length = 0
        self._indents: list[str] = []
        self._in_cell = self._framing = False

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._pieces)

    def write(self, blocks: Sequence[Block], *, framing: bool = False) -> None:
        """Write blocks; with `framing` they are outside the sections, and may have links and headings of any level."""
        self._framing = framing
        if blocks and self._length:
            self._put("\n\n")
        self._blocks(blocks)

    def say(self, markdown: str) -> None:
        """Write escaped words or a line of code; a subclass may override it to change them."""
        self._put(markdown)

    def _put(self, text: str) -> None:
        text = text.replace("|", "\\|") if self._in_cell else text
        self._pieces.append(text)
        self._length += len(text)

    def _next_line(self, *, blank: bool = False) -> None:
        indent = "".join(self._indents)
        self._put(f"\n{indent.rstrip()}\n{indent}" if blank else f"\n{indent}")

    def _blocks(self, blocks: Sequence[Block], *, in_item: bool = False) -> None:
        for number, block in enumerate(blocks):
            if number:
                self._next_line(blank=not (in_item and block.kind == "list"))
            self._block(block)

    def _block(self, block: Block) -> None:
        match block.kind:
            case "paragraph":
                self._paragraph(block)
            case "heading":
                self._put(f"{'#' * (block.level if self._framing else max(TOP, block.level))} ")
                self._unit(block, block.parts)
            case "list":
                self._list(block)
            case "quote":
                self._put("> ")
                self._indented("> ", block.blocks)
            case "table":
                self._table(block)
            case "code":
                self._code(block)

    def _paragraph(self, block: Paragraph) -> None:
        before: Sentence | None = None
        for sentence in block.sentences:
            if before is not None:
                self._put(" " if mark_of(self._labels, before) else gap(before, sentence))
            self._unit(sentence, sentence.parts, begins=before is None)
            before = sentence

    def _indented(self, indent: str, blocks: Sequence[Block], *, in_item: bool = False) -> None:
        self._indents.append(indent)
        self._blocks(blocks, in_item=in_item)
        self._indents.pop()

    def _list(self, block: ListBlock) -> None:
        for index, item in enumerate(block.items):
            if index:
                self._next_line()
            bullet = "- " if block.first is None else f"{block.first + index}. "
            self._put(bullet)
            self._indented(" " * len(bullet), item, in_item=True)

    def _code(self, block: CodeBlock) -> None:
        start = self._length
        for index, line in enumerate(fence(block.code, block.language).split("\n")):
            if index:
                self._next_line()
            self.say(line)
        if block.cited or mark_of(self._labels, block):
            self._next_line()
        self._unit(block, block.cited)
        if block.asserts:
            self.claims[-1] = (start, self.claims[-1][1])

    def _table(self, block: TableBlock) -> None:
        self._row(block.head)
        self._next_line()
        self._put("".join(f"| {_RULERS[block.alignment(column)]} " for column in range(len(block.head.cells))) + "|")
        for row in block.rows:
            self._next_line()
            self._row(row)

    def _row(self, row: Row) -> None:
        start = self._length
        for column, cell in enumerate(row.cells):
            self._put("| ")
            self._in_cell = True
            self._parts(cell)
            if column == len(row.cells) - 1:
                self._mark(row)
            self._in_cell = False
            self._put(" " if cell else "")
        self._put("|")
        if row.asserts:
            self.claims.append((start, self._length))

    def _unit(self, unit: Unit, parts: Sequence[Part], *, begins: bool = False) -> None:
        start = self._length
        self._parts(parts, begins=begins)
        if unit.asserts:
            self.claims.append((start, self._length))
        self._mark(unit)

    def _mark(self, unit: Unit) -> None:
        if label := mark_of(self._labels, unit):
            self._put(f"{'' if self._ends_with((' ', chr(10))) else ' '}*({label})*")

    def _ends_with(self, ends: tuple[str, ...]) -> bool:
        return bool(self._pieces) and self._pieces[-1].endswith(ends)

    def _parts(self, parts: Sequence[Part], *, begins: bool = False) -> None:
        before: Part | None = None
        for part in joined(parts):
            if isinstance(part, Mark):
                is_separated = before is None or isinstance(before, Mark) or self._ends_with(OPENING)
                shown = f"[{part.number}]" if isinstance(part, Pointer) else self._cite(part)
                self._put(f"{'' if is_separated else ' '}{shown}")
            else:
                text = part if isinstance(part, str) else part.text
                if isinstance(before, Mark) and text.startswith(BREAKS_CITE):
                    self._put(" ")
                for number, line in enumerate(text.split("\n")):
                    if number and not self._in_cell:
                        self._put("\\")
                        self._next_line()
                    elif number:
                        self._put(" ")
                    self.say(self._line(part, line, begins=number > 0 or (begins and before is None)))
            before = part

    def _line(self, part: Part, line: str, *, begins: bool) -> str:
        if isinstance(part, Styled):
            return self._styled(part, line)
        return at_start(within(line)) if begins else within(line)

    def _styled(self, part: Styled, line: str) -> str:
        if part.href and self._framing:
            return linked(part.href)
        inside = line.strip()
        if not inside:
            return " " if line else ""
        text = _code_within(inside) if "code" in part.style else within(inside)
        marks = "".join(_MARKS[style] for style in part.style if style != "code")
        return f"{line[: -len(line.lstrip())]}{marks}{text}{marks[::-1]}{line[len(line.rstrip()) :]}"


def _code_within(text: str) -> str:
    """Return inline code, between runs of backticks of a length that does not occur in it."""
    runs = {len(run) for run in "".join(char if char == "`" else " " for char in text).split()}
    ticks = "`" * next(number for number in count(1) if number not in runs)
    blank = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{blank}{text}{blank}{ticks}"
