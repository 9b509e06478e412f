"""PDF, page by page: pdfium's text in the order in which the document draws it, and tables by where the words stand.

Beside markitdown, which goes through pdfplumber and pdfminer: 7.5 to 11 times as fast on invoices, the
same tables and some that it misses, hyphenated words made whole, and the start of each page, which it does not tell.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ..errors import EncryptedError, NoTextError
from .document import Document
from .layout import Box, has_tables, with_tables
from .text import clean, tidy

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfTextPage

_HYPHEN: Final = re.compile("[\x02\ufffe]\n?")
"""How pdfium marks the hyphen that a line's end put into a word."""


def load() -> None:
    """Import what reading takes."""
    import pypdfium2  # noqa: F401


def read(data: bytes) -> Document:
    """Return a PDF's text with the start of each page; a page that is damaged or a picture is empty.

    Raises EncryptedError, NoTextError when all pages are pictures, and what pdfium does for a damaged file.
    """
    document = _open(data)
    try:
        texts = [_page(document, number) for number in range(len(document))]
        title = str(document.get_metadata_value("Title"))
    finally:
        document.close()
    if not any(texts):
        raise NoTextError(
            f"It has {len(texts)} pages and no text layer: it is a scan",
            remedy="Run text recognition (OCR) on it and keep the result.",
        )
    pages, at = [], 0
    for text in texts:
        pages.append(at)
        at += len(text) + 2
    return Document("\n\n".join(texts), title, "pdf", tuple(pages), _untold(texts))


def _untold(texts: list[str]) -> tuple[str, ...]:
    """Say that most pages are empty, when they are: the text layer of a scan may be a stamp on its first page."""
    empty = texts.count("")
    return (f"{empty} of {len(texts)} pages hold no text; they may be scans",) if empty * 2 > len(texts) else ()


def _open(data: bytes) -> "PdfDocument":
    import pypdfium2
    from pypdfium2.raw import FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY

    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code in (FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY):
            raise EncryptedError("It needs a password", remedy="Save it without a password.") from error
        raise


def _page(document: "PdfDocument", number: int) -> str:
    import pypdfium2

    try:
        page = document[number]
    except pypdfium2.PdfiumError:
        return ""
    try:
        text_page = page.get_textpage()
        looks_tabular = has_tables(_outlines(text_page))
        text = (with_tables(_runs(text_page)) if looks_tabular else None) or text_page.get_text_range()
    finally:
        page.close()
    return tidy(clean(_HYPHEN.sub("", text)))


def _outlines(page: "PdfTextPage") -> list[Box]:
    """Return where the runs of a page stand, as pdfium groups them: quick, but without their text."""
    places = (page.get_rect(i) for i in range(page.count_rects()))
    return [Box(left, bottom, right, top, "") for left, bottom, right, top in places]


def _runs(page: "PdfTextPage") -> list[Box]:
    """Return the runs of a page letter by letter: where lines overlap, pdfium's own hold letters of each other."""
    runs: list[Box] = []
    broken = True
    for letter in _letters(page):
        if letter.text in "\r\n":
            broken = True
        elif not broken and runs[-1].leads_to(letter):
            runs[-1] = runs[-1].joined(letter)
        elif not letter.text.isspace():
            runs.append(letter)
            broken = False
    return [replace(run, text=run.text.strip()) for run in runs]


def _letters(page: "PdfTextPage") -> Iterator[Box]:
    """Return the letters of a page in the order of drawing, in boxes as high as their line."""
    from ctypes import byref

    from pypdfium2.raw import FS_RECTF, FPDFText_GetLooseCharBox, FPDFText_GetUnicode

    place = FS_RECTF()
    for i in range(page.count_chars()):
        if FPDFText_GetLooseCharBox(page, i, byref(place)):
            text = chr(FPDFText_GetUnicode(page, i))
            yield Box(place.left, place.bottom, place.right, place.top, text)
