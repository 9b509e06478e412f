"""The result of a conversion: a file's text, title and page offsets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..kernel.notice import NoticeOrText
from ..kernel.source import Recognized
from .ocr import PageText


@dataclass(frozen=True, slots=True)
class Document:
    """The text of a file, plain or Markdown, and the data that a citation needs to locate a position in it.

    Line ends are single newline characters. The text is not normalised otherwise, and all offsets are in code points of
    exactly this text. `pages` holds the start of each page or slide, in order; it is empty for a kind of file without
    pages. `skipped` lists the parts of the file that gave no text, with the reasons: members of an archive, scanned
    pages of a PDF. `ocr` lists the parts that were recognised in pictures; a PDF with such parts has the kind `scan`.
    """

    text: str
    title: str
    kind: str
    pages: tuple[int, ...] = ()
    skipped: tuple[NoticeOrText, ...] = ()
    ocr: tuple[Recognized, ...] = ()


def of_pages(
    texts: Sequence[str], title: str, kind: str, recognized: Mapping[int, PageText], skipped: tuple[NoticeOrText, ...]
) -> Document:
    """Return pages as one document, separated by blank lines; `recognized` maps page numbers to their OCR results."""
    parts, pages, ocr, at = [], [], [], 0
    for number, text in enumerate(texts):
        page = recognized.get(number)
        part = page.text if page else text
        pages.append(at)
        parts.append(part)
        if page and part:
            ocr.append(Recognized(at, at + len(part), page.confidence))
        at += len(part) + 2
    return Document("\n\n".join(parts), title, kind, tuple(pages), skipped, tuple(ocr))
