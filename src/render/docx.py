"""A report as a Word document: the Markdown of the report, with its citations as links to the references."""

import io
import re
import zipfile
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from ..evidence.statement import shown
from ..kernel.one_line import one_line
from .citation import SIGNS, TAGGED, cited, edited
from .links import Links
from .markdown import render
from .page.element import plain

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

    from ..report.report import Report
    from .word_document import WordDocument

DOCUMENT_DATE: Final = (1980, 1, 1, 0, 0, 0)
"""The time of every part of the file: the earliest that a zip archive knows."""

MOST_COLUMNS: Final = 63
"""Columns that a table of Word's may have."""

_WEB: Final = re.compile(r"https?://", re.IGNORECASE)


def docx(report: "Report") -> bytes:
    """Return the report as a Word document; equal reports give equal bytes.

    Headings, lists, tables, emphasis and code are Word's own. A citation is a link to its entry among the references,
    with the quote as its tip; an entry of a web page links to the page, at the first quote. Nothing is loaded from
    anywhere when it is opened.
    """
    from .word_document import WordDocument

    word = WordDocument(one_line(report.title), report.language, _day(report.date))
    _Writer(report, word).write()
    return _packed(word.saved())


def _day(date: str) -> datetime:
    """Return the midnight at which a day begins; that of 1980 for what is no day."""
    try:
        return datetime.fromisoformat(date).replace(tzinfo=UTC)
    except ValueError:
        return datetime(*DOCUMENT_DATE, tzinfo=UTC)


def _packed(saved: bytes) -> bytes:
    """Return the archive without the time at which it was made."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(saved)) as made, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in made.namelist():
            archive.writestr(zipfile.ZipInfo(name, DOCUMENT_DATE), made.read(name), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


@dataclass(slots=True)
class _DocxList:
    """An open list; `numbering` is that of a numbered one, `is_new` that an item has begun and nothing stands in it."""

    numbering: int | None
    is_new: bool = False


class _Writer:
    """Goes through the Markdown of a report once and writes it down."""

    def __init__(self, report: "Report", word: "WordDocument") -> None:
        self._report = report
        self._word = word
        self._numbers = {reference.number for reference in report.references} if report.given is None else set()
        self._addresses = _addresses(report)
        self._lists: list[_DocxList] = []
        self._quotes = 0
        self._titled = False
        self._columns = 0
        self._in_head = False
        self._lists_references = False

    def write(self) -> None:
        """Write the whole report."""
        tokens = _parser(self._numbers).parse(plain(_tagged(self._report)))
        headings = [number for number, token in enumerate(tokens) if token.type == "heading_open"]
        references = headings[-1] if self._numbers and headings else len(tokens)
        for number, token in enumerate(tokens):
            self._lists_references = number >= references
            if handle := _BLOCKS.get(token.type):
                handle(self, token)
            elif token.type == "table_open":
                self._begin_table(tokens[number:])
            elif token.type == "inline":
                self._inline(token.children or [])

    # Blocks

    def _heading(self, token: "Token") -> None:
        level = int(token.tag[1])
        style = f"Heading {max(1, level - 1)}" if self._titled else "Title"
        self._titled = True
        self._word.paragraph(style)

    def _paragraph(self, _token: "Token") -> None:
        depth = min(len(self._lists), 3)
        if not depth or self._lists_references:
            self._word.paragraph("List Paragraph" if depth else "Quote" if self._quotes else "Normal")
            return
        within = self._lists[-1]
        kind = "Continue" if not within.is_new else "Bullet" if within.numbering is None else "Number"
        self._word.paragraph(
            f"List {kind}{f' {depth}' if depth > 1 else ''}", within.numbering if within.is_new else None
        )
        within.is_new = False

    def _end_paragraph(self, _token: "Token") -> None:
        self._word.end_paragraph()

    def _begin_list(self, token: "Token") -> None:
        numbered = token.type == "ordered_list_open"
        self._lists.append(_DocxList(self._word.numbering(int(token.attrGet("start") or 1)) if numbered else None))

    def _item(self, _token: "Token") -> None:
        self._lists[-1].is_new = True

    def _end_list(self, _token: "Token") -> None:
        self._lists.pop()

    def _begin_quote(self, _token: "Token") -> None:
        self._quotes += 1

    def _end_quote(self, _token: "Token") -> None:
        self._quotes -= 1

    def _code(self, token: "Token") -> None:
        self._word.paragraph("Code")
        for number, line in enumerate(token.content.rstrip("\n").split("\n")):
            if number:
                self._word.line_break()
            self._word.text(line)

    def _begin_table(self, tokens: Sequence["Token"]) -> None:
        """Begin a table; one that is wider than Word allows becomes a line for each cell."""
        end = next(number for number, token in enumerate(tokens) if token.type == "thead_close")
        self._columns = sum(token.type == "th_open" for token in tokens[:end])
        if self._columns <= MOST_COLUMNS:
            self._word.begin_table(self._columns)

    def _row(self, _token: "Token") -> None:
        if self._columns <= MOST_COLUMNS:
            self._word.row()

    def _cell(self, token: "Token") -> None:
        self._in_head = token.type == "th_open"
        if self._columns <= MOST_COLUMNS:
            self._word.cell(str(token.attrGet("style") or "").removeprefix("text-align:"))
        else:
            self._word.paragraph("Normal")

    def _end_table(self, _token: "Token") -> None:
        self._in_head = False
        self._word.paragraph("Normal")  # keeps a table from growing together with the next

    # What stands in a line

    def _inline(self, tokens: Sequence["Token"]) -> None:
        marks = {"strong": 0, "em": 0, "s": 0}
        listed = ""
        for number, token in enumerate(tokens):
            name, _, kind = token.type.rpartition("_")
            if name in marks:
                marks[name] += 1 if kind == "open" else -1
            elif token.type == "citation" and self._lists_references and number == 0:
                listed = token.content
                self._word.bookmark(f"[{listed}]", f"reference{listed}")
            elif token.type == "citation":
                self._cite(int(token.content), token.meta.get("index"))
            elif token.type == "link_open":
                self._begin_link(str(token.attrGet("href") or ""), listed)
            elif token.type == "link_close":
                self._word.end_link()
            elif token.type == "hardbreak":
                self._word.line_break()
            else:
                text = " " if token.type == "softbreak" else token.content
                self._word.text(
                    text,
                    bold=self._in_head or marks["strong"] > 0,
                    italic=marks["em"] > 0,
                    strike=marks["s"] > 0,
                    code=token.type == "code_inline",
                )

    def _cite(self, number: int, index: int | None) -> None:
        """Write a citation; its tip is the quote, where it is known which of the report's it is."""
        citation = self._report.citations[index] if index is not None else None
        tip = plain(shown(citation.quote, citation.columns)) if citation else ""
        self._word.mark(f"[{number}]", f"reference{number}", tip)

    def _begin_link(self, address: str, listed: str) -> None:
        """Begin a link: that of an entry of the references leads to its first quote; a text of another's to the web."""
        target = self._addresses.get(listed, "") if self._report.given is None else address
        if _WEB.match(target):
            self._word.begin_link(target)


_BLOCKS: Final[dict[str, Callable[[_Writer, "Token"], None]]] = {
    "heading_open": _Writer._heading,
    "heading_close": _Writer._end_paragraph,
    "paragraph_open": _Writer._paragraph,
    "paragraph_close": _Writer._end_paragraph,
    "bullet_list_open": _Writer._begin_list,
    "ordered_list_open": _Writer._begin_list,
    "list_item_open": _Writer._item,
    "bullet_list_close": _Writer._end_list,
    "ordered_list_close": _Writer._end_list,
    "blockquote_open": _Writer._begin_quote,
    "blockquote_close": _Writer._end_quote,
    "fence": _Writer._code,
    "tr_open": _Writer._row,
    "th_open": _Writer._cell,
    "td_open": _Writer._cell,
    "th_close": _Writer._end_paragraph,
    "td_close": _Writer._end_paragraph,
    "table_close": _Writer._end_table,
}


def _addresses(report: "Report") -> dict[str, str]:
    """Return the address of the first quote of each reference, by its number."""
    links = Links(report)
    addresses: dict[str, str] = {}
    for citation in report.citations:
        if str(citation.number) not in addresses and (address := links.citation(citation)):
            addresses[str(citation.number)] = address
    return addresses


def _tagged(report: "Report") -> str:
    """Return the Markdown of a report, the markers of its sections with the index of their citation in them."""
    tag = min(SIGNS.difference(report.markdown), default="")
    if not tag:
        return report.markdown
    sections = []
    for section, own in zip(report.sections, cited(report), strict=True):
        places = [(one.start, one.end, one.tagged(tag, index)) for one, index in own]
        sections.append(section.model_copy(update={"text": edited(section.text, places)}))
    return render(report.model_copy(update={"sections": sections}))


def _parser(numbers: Collection[int]) -> "MarkdownIt":
    """Return a parser for which `[n]` is a citation where n is one of the numbers, and never a link."""
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    markdown.disable(["image", "code"])
    if numbers:
        markdown.disable(["link", "reference"])

    def citation(state: "StateInline", silent: bool) -> bool:
        match = TAGGED.match(state.src, state.pos)
        if not match or int(match["number"]) not in numbers:
            return False
        if not silent:
            token = state.push("citation", "", 0)
            token.content = match["number"]
            token.meta = {"index": int(match["index"])} if match["index"] else {}
        state.pos = match.end()
        return True

    markdown.inline.ruler.before("emphasis", "citation", citation)
    return markdown
