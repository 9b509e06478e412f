"""Conversion of Office documents, e-books, mails, feeds and notebooks to Markdown by the converters of markitdown.

Its `MarkItDown` class is not used: it guesses the kind of a file with a neural network, tries one converter after
another, plain text last, and registers converters that use the network. Here the kind is known, and one is called.
"""

import io
import re
import sys
from typing import TYPE_CHECKING, Final

from .document import Document
from .html import charset
from .table import with_heads
from .text import clean, first_heading, tidy

if TYPE_CHECKING:
    from markitdown import DocumentConverter

_PICTURE: Final = re.compile(r"!\[([^\]\n]{0,1000})\]\(data:[^)\n]{0,200}\)")
_OPTIONS: Final = {"docx": {"style_map": "p[style-name='Title'] => h1:fresh\np.Title => h1:fresh"}}
"""The styles of Word are read as mammoth reads them, but for the title, which it takes for a paragraph."""

_SLIDE: Final = re.compile(r"<!-- Slide number: (\d+) -->\n?")


def load() -> None:
    """Import the libraries for converting, which takes a second, but not pandas, which is used for sheets only."""
    sys.modules.setdefault("pandas", None)  # type: ignore[arg-type] # it takes 76 MB in each worker
    import markitdown.converters  # noqa: F401


def read(kind: str, data: bytes) -> Document:
    """Return a docx, pptx, epub, msg, html, feed or notebook as Markdown; raises the errors of its library."""
    from markitdown import StreamInfo

    if kind in ("html", "notebook"):
        data = charset.decode(data, "").encode("utf-8", "replace")
    result = _converter(kind).convert(io.BytesIO(data), StreamInfo(charset="utf-8"), **_OPTIONS.get(kind, {}))
    text = tidy(_PICTURE.sub(r"\1", clean(result.markdown)))
    text = with_heads(text) if kind == "docx" else text
    text, pages = _paged(text) if kind == "pptx" else (text, ())
    return Document(text, result.title or first_heading(text), kind, pages)


def _converter(kind: str) -> "DocumentConverter":
    from markitdown import converters

    known: dict[str, type[DocumentConverter]] = {
        "docx": converters.DocxConverter,
        "pptx": converters.PptxConverter,
        "epub": converters.EpubConverter,
        "msg": converters.OutlookMsgConverter,
        "html": converters.HtmlConverter,
        "feed": converters.RssConverter,
        "notebook": converters.IpynbConverter,
    }
    return known[kind]()


def _paged(text: str) -> tuple[str, tuple[int, ...]]:
    """Remove the slide marks of a presentation; return its text and the start of each slide."""
    slides = _SLIDE.split(text)[2::2]
    pages, length = [], 0
    for slide in slides:
        pages.append(length)
        length += len(slide)
    return "".join(slides), tuple(pages)
