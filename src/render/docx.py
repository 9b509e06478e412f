"""Renders a report as a Word document, with its citations as links to the references."""

import io
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import count
from typing import TYPE_CHECKING, Final

from ..evidence import shown
from ..kernel.one_line import one_line
from ..markup import Block, ListBlock, Mark, MarkdownParser, Part, Pointer, Styled, TableBlock, Unit, gap
from . import frame
from .escape import is_web
from .labels import labels_in, mark_of
from .links import Links
from .page.element import plain

if TYPE_CHECKING:
    from ..report import Report
    from .word_document import WordDocument

DOCUMENT_DATE: Final = (1980, 1, 1, 0, 0, 0)
"""The timestamp of every part of the file: the earliest that a zip archive allows."""

MOST_COLUMNS: Final = 63  # most columns of a table in Word


def docx(report: "Report") -> bytes:
    """Return the report as a Word document; equal reports give equal bytes.

    Headings, lists, tables, emphasis and code use Word's styles. A citation is a link to its entry in the references,
    with the quote as its tooltip; the entry of a web page links to its first quote on the page. Opening the document
    loads nothing.
    """
    from .word_document import WordDocument

    word = WordDocument(one_line(report.title), report.language, _day(report.date))
    _Writer(report, word).write()
    return _packed(word.saved())


def _day(date: str) -> datetime:
    """Return the beginning of a day in UTC; DOCUMENT_DATE for an invalid date."""
    try:
        return datetime.fromisoformat(date).replace(tzinfo=UTC)
    except ValueError:
        return datetime(*DOCUMENT_DATE, tzinfo=UTC)


def _packed(saved: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(saved)) as source, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in source.namelist():
            archive.writestr(zipfile.ZipInfo(name, DOCUMENT_DATE), source.read(name), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


class _Writer:
    """Walks the tree of a report once and writes it."""

    def __init__(self, report: "Report", word: "WordDocument") -> None:
        self._report = report
        self._word = word
        self._labels = labels_in(report.language)
        self._citations = count()
        self._framing = False
        self._lists: list[int | None] = []
        self._begins_item = False
        self._quotes = 0

    def write(self) -> None:
        """Write the whole report; the text of a custom reporter may have links."""
        if self._report.given is not None:
            self._frame(MarkdownParser(links=True).blocks(self._report.given))
            return
        self._frame(frame.front(self._report, self._labels))
        for section in self._report.sections:
            self._frame([frame.heading(section.title)])
            self._blocks(section.blocks)
        self._frame(frame.back(self._report, self._labels))
        addresses = _addresses(self._report)
        for number, parts in frame.references(self._report, self._labels):
            self._word.paragraph("List Paragraph")
            self._word.bookmark(f"[{number}]", f"reference{number}")
            for part in [" ", *parts]:
                self._words(part, address=addresses.get(number, "") if isinstance(part, Styled) else "")
            self._word.end_paragraph()

    def _frame(self, blocks: Sequence[Block]) -> None:
        """Write blocks outside the sections, which may have links, and the headings of the title and of sections."""
        self._framing = True
        self._blocks(blocks)
        self._framing = False

    # Blocks

    def _blocks(self, blocks: Sequence[Block]) -> None:
        for block in blocks:
            match block.kind:
                case "paragraph":
                    self._begin_paragraph()
                    for index, sentence in enumerate(block.sentences):
                        self._word.text(gap(block.sentences[index - 1], sentence) if index else "")
                        self._unit(sentence, sentence.parts)
                    self._word.end_paragraph()
                case "heading":
                    level = block.level if self._framing else max(3, block.level)
                    self._word.paragraph("Title" if level == 1 else f"Heading {level - 1}")
                    self._unit(block, block.parts)
                    self._word.end_paragraph()
                case "list":
                    self._list(block)
                case "quote":
                    self._quotes += 1
                    self._blocks(block.blocks)
                    self._quotes -= 1
                case "table":
                    self._table(block)
                case "code":
                    self._word.paragraph("Code")
                    self._lines(block.code)
                    if block.cites:
                        self._word.paragraph("Normal")
                        self._unit(block, block.cites)

    def _begin_paragraph(self) -> None:
        if not self._lists:
            self._word.paragraph("Quote" if self._quotes else "Normal")
            return
        numbering, depth = self._lists[-1], min(len(self._lists), 3)
        kind = "Continue" if not self._begins_item else "Bullet" if numbering is None else "Number"
        level = f" {depth}" if depth > 1 else ""
        self._word.paragraph(f"List {kind}{level}", numbering if self._begins_item else None)
        self._begins_item = False

    def _list(self, block: ListBlock) -> None:
        self._lists.append(None if block.first is None else self._word.numbering(block.first))
        for item in block.items:
            self._begins_item = True
            self._blocks(item)
        self._begins_item = False
        self._lists.pop()

    def _table(self, block: TableBlock) -> None:
        """Write a table, or a paragraph for each cell if it has more columns than Word allows."""
        columns = max(len(row.cells) for row in (block.head, *block.rows))
        if fits := columns <= MOST_COLUMNS:
            self._word.begin_table(columns)
        for row in (block.head, *block.rows):
            if fits:
                self._word.row()
            for column, cell in enumerate(row.cells):
                if fits:
                    self._word.cell(block.alignment(column))
                else:
                    self._word.paragraph("Normal")
                self._parts(cell, bold=row is block.head)
                if column == len(row.cells) - 1:
                    self._mark(row)
                self._word.end_paragraph()
        self._word.paragraph("Normal")  # keeps the table from merging with the next

    # Parts of a line

    def _unit(self, unit: Unit, parts: Sequence[Part]) -> None:
        self._parts(parts)
        self._mark(unit)

    def _mark(self, unit: Unit) -> None:
        if label := mark_of(self._labels, unit):
            self._word.text(" ")
            self._word.text(f"({label})", italic=True)

    def _parts(self, parts: Sequence[Part], *, bold: bool = False) -> None:
        before: Part | None = None
        for part in parts:
            if isinstance(part, Mark):
                self._word.text("" if before is None or isinstance(before, Mark) else " ")
                self._point(part.number) if isinstance(part, Pointer) else self._cite()
            else:
                self._words(part, bold=bold)
            before = part

    def _words(self, part: Part, *, bold: bool = False, address: str = "") -> None:
        """Write words; a link leads to `address` if given, else to its own target, and only to the web."""
        if not isinstance(part, Styled):
            self._lines(str(part), bold=bold)
            return
        target = (address or part.href) if part.href else ""
        if linked := is_web(target):
            self._word.begin_link(target)
        self._lines(
            part.text,
            bold=bold or "strong" in part.style,
            italic="emphasis" in part.style,
            strike="struck" in part.style,
            code="code" in part.style,
        )
        if linked:
            self._word.end_link()

    def _lines(self, text: str, **looks: bool) -> None:
        for number, line in enumerate(plain(text).split("\n")):
            if number:
                self._word.line_break()
            self._word.text(line, **looks)

    def _cite(self) -> None:
        citation = self._report.citations[next(self._citations)]
        tip = plain(shown(citation.quote, citation.columns))
        self._word.mark(f"[{citation.number}]", f"reference{citation.number}", tip)

    def _point(self, number: int) -> None:
        """Write the number of a citation without a quote."""
        cited = next((citation for citation in self._report.looked_up if citation.number == number), None)
        tip = plain(frame.citation_state(cited, self._labels)) if cited else ""
        self._word.mark(f"[{number}]", f"reference{number}", tip)


def _addresses(report: "Report") -> dict[int, str]:
    """Return the address of the first quote of each reference, by its number."""
    links = Links(report)
    addresses: dict[int, str] = {}
    for citation in report.citations:
        if citation.number not in addresses and (address := links.citation(citation)):
            addresses[citation.number] = address
    return addresses
