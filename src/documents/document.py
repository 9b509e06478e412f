"""A file as text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..kernel.notice import NoticeOrText
from ..kernel.source import Recognized
from .ocr import PageText


@dataclass(frozen=True, slots=True)
class Document:
    """A file's text, plain or Markdown, and what a citation needs to name a position in it.

    Lines end in a newline character alone. The text is not normalised beyond that: it stays what the file says, and
    every offset, in code points, refers to exactly this text. `pages` holds the start of each page or slide, in order,
    and is empty when the kind of file has none. `skipped` says which parts of the file gave no text, and why: members
    of an archive, scanned pages of a PDF. `ocr` are the parts that were read from pictures; a PDF that has such parts
    is of the kind `scan`.
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
    """Return pages as one document, with a blank line between them; `recognized` are those read by OCR."""
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
