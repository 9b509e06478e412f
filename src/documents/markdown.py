"""Documents that markitdown converts to Markdown, each by exactly one of its converters.

Its `MarkItDown` class is not used: it guesses what a file is with a neural network, tries one converter after another
down to plain text, and registers converters that use the network. The kind is known here, so one converter is called.
"""

import io
import re
import sys
from typing import TYPE_CHECKING, Final

from .document import Document
from .html import charset
from .text import clean, first_heading, tidy

if TYPE_CHECKING:
    from markitdown import DocumentConverter

_PICTURE: Final = re.compile(r"!\[([^\]\n]{0,1000})\]\(data:[^)\n]{0,200}\)")
_SLIDE: Final = re.compile(r"<!-- Slide number: (\d+) -->\n?")


def load() -> None:
    """Import the libraries for converting, which takes a second, but not pandas, which is used for sheets only."""
    sys.modules.setdefault("pandas", None)  # type: ignore[arg-type] # 76 MB of each process that converts
    import markitdown.converters  # noqa: F401


def read(kind: str, data: bytes) -> Document:
    """Return a docx, pptx, epub, msg, html, feed or notebook as Markdown; raises the errors of its library."""
    from markitdown import StreamInfo

    if kind in ("html", "notebook"):
        data = charset.decode(data, "").encode("utf-8", "replace")
    result = _converter(kind).convert(io.BytesIO(data), StreamInfo(charset="utf-8"))
    text = tidy(_PICTURE.sub(r"\1", clean(result.markdown)))
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
    """Take the slide marks out of a presentation; return its text and where each slide starts."""
    slides = _SLIDE.split(text)[2::2]
    pages, length = [], 0
    for slide in slides:
        pages.append(length)
        length += len(slide)
    return "".join(slides), tuple(pages)
