"""A file as text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..kernel.notice import Told
from ..kernel.source import Recognized
from .ocr import PageText


@dataclass(frozen=True, slots=True)
class Document:
    """A file's text, plain or Markdown, and what a citation needs to name a place in it.

    Lines end in a newline character alone. The text is not normalised beyond that: it stays what the file says, and
    every offset, in code points, refers to exactly this text. `pages` holds the start of each page or slide, in order,
    and is empty when the kind of file has none. `skipped` says what of the file gave no text, and why: the members
    of an archive, the scanned pages of a PDF. `ocr` are the parts that were read from pictures; a PDF that has some is
    of the kind `scan`.
    """

    text: str
    title: str
    kind: str
    pages: tuple[int, ...] = ()
    skipped: tuple[Told, ...] = ()
    ocr: tuple[Recognized, ...] = ()


def of_pages(
    texts: Sequence[str], title: str, kind: str, seen: Mapping[int, PageText], skipped: tuple[Told, ...]
) -> Document:
    """Return pages as one document, with a blank line between them; `seen` are those without a text of their own."""
    parts, pages, ocr, at = [], [], [], 0
    for number, own in enumerate(texts):
        page = seen.get(number)
        part = page.text if page else own
        pages.append(at)
        parts.append(part)
        if page and part:
            ocr.append(Recognized(at, at + len(part), page.confidence))
        at += len(part) + 2
    return Document("\n\n".join(parts), title, kind, tuple(pages), skipped, tuple(ocr))
