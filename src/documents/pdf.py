"""PDF, page by page: pdfium's text in the order in which the document draws it, and tables by where the words stand.

Beside markitdown, which goes through pdfplumber and pdfminer: 7.5 to 11 times as fast on invoices, the
same tables and some that it misses, hyphenated words made whole, and the start of each page, which it does not tell.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from ctypes import byref, c_double, sizeof
from dataclasses import replace
from itertools import compress, islice, pairwise, repeat
from statistics import median
from struct import iter_unpack
from typing import TYPE_CHECKING, Final

from ..kernel.errors import EncryptedError, NoTextError
from ..kernel.notice import Notice
from . import ocr
from .document import Document, of_pages
from .layout import Piece, has_tables, runs, with_tables
from .text import clean, tidy

if TYPE_CHECKING:
    from PIL.Image import Image
    from pypdfium2 import PdfDocument, PdfTextPage

_HYPHEN: Final = re.compile("[\x02\ufffe]\n?")  # how pdfium marks the hyphen that a line's end put into a word


MOST_HEADINGS: Final = 5_000
"""Entries of a document's outline that are looked for on its pages."""

_COMMENT: Final = re.compile(r"^(?=#{1,6}\s)", re.MULTILINE)
"""Where a line would read as a heading of Markdown, as a comment in a listing does."""

_OWN_NUMBER: Final = r"(?:(?:[^\W\d_]+[ \t]+)?(?-i:[A-Z\d]{1,3})(?:\.\d{1,3})*[.:]?\s+)?"
"""What may stand before the title of a part: "3.2", "Chapter 3" in a line of its own."""

_LINE: Final = re.compile(r"\S(?:[^\r\n]*\S)?")

APART: Final = 1.18
"""The space between two lines that begins a paragraph, as a share of the usual one of the page."""

NAMED: Final = 0.6
"""The share of the width of a text that a line has at most which names what is told, farther in, below it."""

FEWEST_GROUPED: Final = 3
"""Letters that a group of pdfium's has on average at least, for the groups to be read before the letters."""

Tell = Callable[[int, int], None]  # is told how many pages of a document are read, and how many there are


def silent(_done: int, _total: int) -> None:
    """Tell nobody."""


def count(data: bytes) -> int:
    """Return how many pages a PDF has. Raises EncryptedError, and what pdfium does for a damaged file."""
    document = _open(data)
    try:
        return len(document)
    finally:
        document.close()


def read(data: bytes, tell: Tell = silent) -> Document:
    """Return a PDF's text with the start of each page; a page that is a picture is read by OCR if it is there.

    `tell` is called after each page. A page that is damaged is empty. Raises EncryptedError, NoTextError when no page
    has text, ConversionError, and what pdfium does for a damaged file.
    """
    document = _open(data)
    try:
        texts = list[str]()
        outline = _outline(document)
        for number in range(len(document)):
            texts.append(_headed(_page(document, number), outline.get(number, ())))
            tell(sum(map(bool, texts)), len(document))
        title = str(document.get_metadata_value("Title"))
        empty = [number for number, text in enumerate(texts) if not text]
        missing = ocr.missing()
        rest = {number: len(texts) - len(empty) + place for place, number in enumerate(empty)}

        def picture(number: int) -> "Image | None":
            tell(rest[number], len(texts))
            return _picture(document, number)

        seen = {} if missing else ocr.read(empty, picture)
    finally:
        document.close()
    unread = () if missing else ocr.notes(empty, seen)
    blank = len(empty) if missing else sum(not page.confidence for page in seen.values())
    notes = (*_untold(blank, len(texts), missing), *unread)
    found = of_pages(texts, title, "pdf", seen, notes)
    if not found.text.strip():
        what = Notice("file_scanned", pages=len(texts))
        raise NoTextError(what, remedy=missing) if missing else ocr.nothing(empty, seen)
    return replace(found, kind="scan") if found.ocr else found


def _outline(document: "PdfDocument") -> dict[int, list[tuple[int, str]]]:
    """Return the headings of a document's outline by the number of their page, each with its level, in order."""
    import pypdfium2

    found: dict[int, list[tuple[int, str]]] = {}
    try:
        for entry in islice(document.get_toc(), MOST_HEADINGS):
            target, title = entry.get_dest(), " ".join(entry.get_title().split())
            if title and target is not None and (page := target.get_index()) is not None:
                found.setdefault(page, []).append((entry.level, title))
    except pypdfium2.PdfiumError:
        return found
    return found


def _headed(text: str, outline: Iterable[tuple[int, str]]) -> str:
    """Return the text of a page with the lines marked as headings that its document's outline names, in their order.

    An entry is looked for behind the one before it, in one line or in two, with or without the number of its section;
    one that is not there, so or otherwise, marks nothing.
    """
    text = _COMMENT.sub(r"\\", text)
    at = 0
    for level, title in outline:
        words = r"\s+".join(map(re.escape, title.split()))
        line = re.compile(rf"^[ \t]*({_OWN_NUMBER}{words})[ \t]*$", re.MULTILINE | re.IGNORECASE)
        if found := line.search(text, at):
            mark = f"{'#' * min(6, level + 2)} {' '.join(found[1].split())}"
            before, after = text[: found.start()].rstrip("\n"), text[found.end() :].lstrip("\n")
            before = f"{before}\n\n{mark}" if before else mark
            text, at = f"{before}\n\n{after}".rstrip("\n"), len(before)
    return text


def _untold(empty: int, count: int, missing: Notice | None) -> tuple[Notice, ...]:
    """Say that most pages are empty, when they are: the text layer of a scan may be a stamp on its first page."""
    why = Notice("perhaps_scans", remedy=missing) if missing else Notice("by_ocr_neither")
    return (Notice("pages_empty", empty=empty, pages=count, why=why),) if empty * 2 > count else ()


def _picture(document: "PdfDocument", number: int) -> "Image | None":
    """Return a page as a grey picture; nothing of one that is damaged."""
    import pypdfium2

    try:
        page = document[number]
        try:
            width, height = page.get_size()
            scale = min(ocr.RESOLUTION / 72, (ocr.MOST_PIXELS / max(width * height, 1)) ** 0.5)
            picture: Image = page.render(scale=scale, grayscale=True).to_pil()
            return picture
        finally:
            page.close()
    except pypdfium2.PdfiumError:
        return None


def _open(data: bytes) -> "PdfDocument":
    import pypdfium2
    from pypdfium2.raw import FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY

    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code in (FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY):
            raise EncryptedError(Notice("file_locked"), remedy=Notice("unlock_it")) from error
        raise


def _page(document: "PdfDocument", number: int) -> str:
    import pypdfium2

    try:
        page = document[number]
    except pypdfium2.PdfiumError:
        return ""
    try:
        text_page = page.get_textpage()
        text = _with_tables(text_page) or _in_paragraphs(text_page)
    finally:
        page.close()
    return tidy(clean(_HYPHEN.sub("", text)))


def _in_paragraphs(page: "PdfTextPage") -> str:
    """Return the text of a page, with an empty line before each paragraph and below each name of what is told below it.

    A paragraph begins where more space is above it than usual, or a new column; a name is a short line that begins one,
    with the next line farther in. Where pdfium has not a sign for each character, the text is as it gives it.
    """
    text: str = page.get_text_range()
    found = list(_LINE.finditer(text))
    if len(text) != page.count_chars() or len(found) < 2:
        return text
    lines = [(*_origin(page, line.start()), _origin(page, line.end() - 1)[0]) for line in found]
    drops = [above - below for (_, above, _), (_, below, _) in pairwise(lines)]
    usual = median([drop for drop in drops if drop > 0] or [0.0])
    widest = max(right for *_, right in lines)
    parts, begins = [found[0][0]], True
    for line, drop, (left, _, right), (inner, _, _) in zip(found[1:], drops, lines, lines[1:], strict=False):
        is_name = begins and inner - left > usual and right - left <= NAMED * (widest - left)
        begins = is_name or not 0 <= drop <= APART * usual
        parts += ["\n\n" if begins else "\n", line[0]]
    return "".join(parts)


def _origin(page: "PdfTextPage", number: int) -> tuple[float, float]:
    """Return where a character stands on its line."""
    from pypdfium2.raw import FPDFText_GetCharOrigin

    across, up = c_double(), c_double()
    FPDFText_GetCharOrigin(page.raw, number, byref(across), byref(up))
    return across.value, up.value


def _with_tables(page: "PdfTextPage") -> str | None:
    """Return the text of a page that has tables; its letters, which take time, are looked at only if it may have some.

    Where pdfium groups hardly any of them, they are as quick to read as its groups.
    """
    is_grouped = page.count_rects() * FEWEST_GROUPED < page.count_chars()
    if is_grouped and not has_tables(runs(_outlines(page))):
        return None
    return with_tables(runs(_letters(page)))


def _outlines(page: "PdfTextPage") -> Iterator[Piece]:
    """Return where the letters of a page stand, as pdfium groups them: quick, but without their text."""
    from pypdfium2.raw import FPDFText_GetRect

    place = (c_double * 4)()
    corners = [byref(c_double.from_buffer(place, i * sizeof(c_double))) for i in range(4)]
    for i in range(page.count_rects()):
        if FPDFText_GetRect(page, i, *corners):
            left, top, right, bottom = place
            yield left, bottom, right, top, ""


def _letters(page: "PdfTextPage") -> Iterator[Piece]:
    """Return the letters of a page in the order of drawing, in boxes as high as their line.

    pdfium's own groups have text, too, but where lines overlap they hold letters of each other.
    """
    from pypdfium2.raw import FS_RECTF, FPDFText_GetLooseCharBox

    count = page.count_chars()
    places = (FS_RECTF * count)()
    known = list(map(FPDFText_GetLooseCharBox, repeat(page.raw), range(count), map(byref, places)))
    boxes = compress(iter_unpack("4f", places), known)
    for (left, top, right, bottom), text in zip(boxes, compress(_texts(page, count), known), strict=True):
        yield left, bottom, right, top, text


def _texts(page: "PdfTextPage", count: int) -> Iterable[str]:
    """Return the text of each letter of a page: at once, unless some have none."""
    from pypdfium2.raw import FPDFText_GetUnicode

    text = page.get_text_range(errors="surrogatepass")
    return text if len(text) == count else map(chr, map(FPDFText_GetUnicode, repeat(page.raw), range(count)))
