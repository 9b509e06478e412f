"""Writes a Word document: paragraphs, runs of text, links, bookmarks, numbered lists and tables."""

import io
import unicodedata
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from docx import Document
from docx.enum.style import WD_STYLE_TYPE
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml.ns import qn
from docx.oxml.parser import OxmlElement
from docx.shared import Pt, RGBColor
from docx.table import Table
from docx.text.paragraph import Paragraph

from ..kernel.one_line import sanitized

LONGEST_PROPERTY: Final = 255  # most characters of a document property
LONGEST_TIP: Final = 250  # most characters of a link's tooltip; Word shows at most 260
CODE: Final = "Code"
CODE_WITHIN: Final = "Code Char"
LINK: Final = "Hyperlink"
MONOSPACE: Final = "Courier New"
LINK_COLOUR: Final = RGBColor(0x05, 0x63, 0xC1)

ALIGNMENTS: Final = {
    "left": WD_ALIGN_PARAGRAPH.LEFT,
    "center": WD_ALIGN_PARAGRAPH.CENTER,
    "right": WD_ALIGN_PARAGRAPH.RIGHT,
}


class WordDocument:
    """A Word document that is written from start to end: text goes to the paragraph or table cell begun last.

    Texts must not contain characters that XML does not allow.
    """

    def __init__(self, title: str, language: str, date: datetime) -> None:
        self._document = Document()
        about = self._document.core_properties
        about.title, about.language = title[:LONGEST_PROPERTY], language[:LONGEST_PROPERTY]
        about.author = about.last_modified_by = "Spyglass"
        about.comments = ""
        about.created = about.modified = date
        self._add_styles()
        # Looking a style up by its name takes python-docx milliseconds.
        self._styles = {style.name: style.style_id for style in self._document.styles}
        self._paragraph: Paragraph
        self._link: Any = None
        self._table: Table
        self._cells: Iterator[Any]
        self._bookmarks = 0

    def paragraph(self, style: str, numbering: int | None = None) -> None:
        """Begin a paragraph with a named style; `numbering` is the id of the numbered list it is an item of."""
        self._paragraph = self._document.add_paragraph()
        self._paragraph._p.style = self._styles[style]
        if numbering is not None:
            number = self._paragraph._p.get_or_add_pPr().get_or_add_numPr()
            number.get_or_add_ilvl().val = 0
            number.get_or_add_numId().val = numbering

    def text(
        self, text: str, *, bold: bool = False, italic: bool = False, strike: bool = False, code: bool = False
    ) -> None:
        """Add text to the paragraph."""
        if not text:
            return
        run = self._paragraph.add_run(sanitized(text))
        if code or self._link is not None:
            run._r.style = self._styles[CODE_WITHIN if code else LINK]
        run.bold, run.italic, run.font.strike = bold or None, italic or None, strike or None
        if any(unicodedata.bidirectional(char) in ("R", "AL") for char in text):
            run.font.rtl = True
        if self._link is not None:
            self._link.append(run._r)

    def line_break(self) -> None:
        """Add a line break to the paragraph."""
        self._paragraph.add_run().add_break()

    def begin_link(self, address: str) -> None:
        """Begin a link to a web address; it contains the text added until `end_link`."""
        relation = self._document.part.relate_to(address, RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
        self._begin_hyperlink({"r:id": relation})

    def _begin_hyperlink(self, attributes: dict[str, str]) -> None:
        self._link = OxmlElement("w:hyperlink", attrs={qn(name): value for name, value in attributes.items()})
        self._paragraph._p.append(self._link)

    def end_link(self) -> None:
        """End the link."""
        self._link = None

    def mark(self, text: str, bookmark: str, tip: str) -> None:
        """Add a superscript text that links to a bookmark, with a tooltip."""
        self._begin_hyperlink({"w:anchor": bookmark} | ({"w:tooltip": tip[:LONGEST_TIP]} if tip else {}))
        run = self._paragraph.add_run(text)
        run._r.style = self._styles[LINK]
        run.font.superscript = True
        self._link.append(run._r)
        self._link = None

    def bookmark(self, text: str, name: str) -> None:
        """Add a text with a bookmark that `mark` can link to."""
        self._bookmarks += 1
        start, end = OxmlElement("w:bookmarkStart"), OxmlElement("w:bookmarkEnd")
        for element in (start, end):
            element.set(qn("w:id"), str(self._bookmarks))
        start.set(qn("w:name"), name)
        self._paragraph._p.append(start)
        self.text(text)
        self._paragraph._p.append(end)

    def numbering(self, first: int) -> int:
        """Return the id of a new numbered list that begins with the number `first`."""
        style = self._document.styles["List Number"].element
        numbers = self._document.part.numbering_part.element
        known = numbers.num_having_numId(style.pPr.numPr.numId.val)
        number = numbers.add_num(known.abstractNumId.val)
        number.add_lvlOverride(ilvl=0).add_startOverride(first)
        return int(number.numId)

    def begin_table(self, columns: int) -> None:
        """Begin a table; its rows and cells follow."""
        self._table = self._document.add_table(rows=0, cols=columns, style="Table Grid")

    def row(self) -> None:
        """Begin a row of the table; the first one is the header, repeated on each page."""
        is_first = not self._table._tbl.tr_lst
        row: Any = self._table.add_row()._tr  # type: ignore[no-untyped-call]
        self._cells = iter(row.tc_lst)
        if is_first:
            row.get_or_add_trPr().append(OxmlElement("w:tblHeader"))

    def cell(self, alignment: str) -> None:
        """Begin the next cell of the row."""
        self._paragraph = Paragraph(next(self._cells).p_lst[0], self._document._body)
        if alignment in ALIGNMENTS:
            self._paragraph.alignment = ALIGNMENTS[alignment]

    def end_paragraph(self) -> None:
        """End the paragraph, and set its text direction by its first letter."""
        directions = (unicodedata.bidirectional(char) for char in self._paragraph.text)
        if next((direction for direction in directions if direction in ("L", "R", "AL")), "L") != "L":
            self._paragraph._p.get_or_add_pPr().insert_element_before(OxmlElement("w:bidi"), *_AFTER_BIDI)

    def saved(self) -> bytes:
        """Return the document as a file."""
        file = io.BytesIO()
        self._document.save(file)
        return file.getvalue()

    def _add_styles(self) -> None:
        """Add the styles that the template of python-docx lacks."""
        styles: Any = self._document.styles
        for name, kind in ((CODE, WD_STYLE_TYPE.PARAGRAPH), (CODE_WITHIN, WD_STYLE_TYPE.CHARACTER)):
            styles.add_style(name, kind).font.name = MONOSPACE
            styles[name].font.size = Pt(9.5)
        link = styles.add_style(LINK, WD_STYLE_TYPE.CHARACTER)
        link.font.color.rgb, link.font.underline = LINK_COLOUR, True


_AFTER_BIDI: Final = (
    "w:adjustRightInd", "w:snapToGrid", "w:spacing", "w:ind", "w:contextualSpacing", "w:mirrorIndents",
    "w:suppressOverlap", "w:jc", "w:textDirection", "w:textAlignment", "w:textboxTightWrap", "w:outlineLvl", "w:divId",
    "w:cnfStyle", "w:rPr", "w:sectPr", "w:pPrChange",
)  # fmt: skip
"""The paragraph properties that must come after the text direction: Word requires this order."""
