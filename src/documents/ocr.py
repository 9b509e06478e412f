"""Text recognition (OCR) of pictures of pages, by tesseract within this process.

The package tesserocr includes the library; the data of each language are a separate system package.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..kernel import host
from ..kernel.errors import ConversionError, DocumentError, NoTextError
from ..kernel.notice import Notice
from .text import clean, tidy

if TYPE_CHECKING:
    from PIL.Image import Image
    from tesserocr import PyTessBaseAPI

RESOLUTION: Final = 300  # dots per inch at which a page is rendered; tesseract was trained on it
MOST_PIXELS: Final = 10_000_000
"""Maximum size, in pixels, of a picture given to tesseract; A4 has 9 million.

Of 30 larger pictures of two lines, tesseract misread four when scaled to 20 million pixels, and none at 10 million.
"""

SURE: Final = 60
"""Minimum confidence, in percent, for recognised text to be accepted.

Printed text has 70 to 95; photographs without text and pages upside down have 35 to 60.
"""

RESERVE: Final = 5.0  # seconds of processor time that are reserved for the work after recognition
_LANGUAGES: Final = ("eng", "deu", "fra", "spa", "ita", "por", "nld")
"""The languages of the reports, by tesseract's codes; all installed ones are recognised together."""

_FOLDERS: Final = (
    *("/usr/share/tesseract-ocr/5/tessdata", "/usr/share/tesseract-ocr/4.00/tessdata", "/usr/share/tessdata"),
    *("/usr/local/share/tessdata", "/opt/homebrew/share/tessdata", "C:/Program Files/Tesseract-OCR/tessdata"),
)
_DATA: Final = ".traineddata"
_HYPHEN: Final = re.compile(r"(?<=[^\W\d_])-\n(?=[a-zß-öø-ÿ])")  # a hyphen at the end of a line, within a word


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of a page and the mean confidence of its words in percent; below SURE, the text is empty."""

    text: str
    confidence: int


def missing() -> Notice | None:
    """Return a notice of what to install for OCR, or None if it is installed."""
    if find_spec("tesserocr") is None or find_spec("PIL") is None:
        return Notice("install_ocr")
    if not _installed()[1]:
        return Notice("install_ocr_data")
    return None


def version() -> str:
    """Return the library and the languages as one string, which identifies the recognition; "" without OCR."""
    return "" if missing() else f"tesserocr-{metadata.version('tesserocr')} {'+'.join(_installed()[1])}"


def extractor() -> str:
    """Return the name and the version of the library, for citations of its text."""
    return f"tesserocr {metadata.version('tesserocr')}" if find_spec("tesserocr") else "tesserocr"


def languages() -> tuple[str, ...]:
    """Return the languages that are recognised, by tesseract's codes."""
    return _installed()[1]


def load() -> None:
    """Import the libraries for reading, if they are installed."""
    if not missing():
        import PIL.ImageOps  # noqa: F401
        import tesserocr  # noqa: F401


def read(numbers: Sequence[int], picture: Callable[[int], "Image | None"]) -> dict[int, PageText]:
    """Return the text of the pages with these numbers that can be read in the processor time left for the file.

    `picture` returns the grey picture of a page, or None, which counts as a blank page.
    """
    return dict(zip(numbers, _recognized(map(picture, numbers)), strict=False)) if numbers else {}


def no_text_error(numbers: Sequence[int], pages: Mapping[int, PageText]) -> DocumentError:
    """Return the error for a file without text; `numbers` are its pages, `pages` the results of the pages read."""
    if numbers and not pages:
        return ConversionError(Notice("ocr_late"), remedy=Notice("raise_setting", setting="documents.deadline"))
    confidence = max((page.confidence for page in pages.values()), default=0)
    return NoTextError(Notice("ocr_unsure", pages=len(numbers), sure=confidence), remedy=Notice("scan_it_anew"))


def notices(numbers: Sequence[int], pages: Mapping[int, PageText]) -> tuple[Notice, ...]:
    """Return notices about the unread pages among `numbers`, counted from 0; blank pages count as read."""
    unsure = [number for number, page in pages.items() if page.confidence and not page.text]
    result = [Notice("page_unsure", page=number + 1, sure=pages[number].confidence) for number in unsure[:3]]
    if len(unsure) > len(result):
        result.append(Notice("further_pages_unsure", number=len(unsure) - len(result)))
    if len(pages) < len(numbers):
        first, count = numbers[len(pages)] + 1, len(numbers) - len(pages)
        result.append(Notice("pages_late", number=count, first=first, setting="documents.deadline"))
    return tuple(result)


def fitted(picture: "Image") -> "Image":
    """Return a grey picture scaled to about a page at RESOLUTION: doubled if it is small, reduced if it is large."""
    from PIL.Image import Resampling

    area = picture.width * picture.height
    if area * 4 <= MOST_PIXELS:
        return picture.resize((2 * picture.width, 2 * picture.height), Resampling.LANCZOS)
    if area > MOST_PIXELS:
        share = (MOST_PIXELS / area) ** 0.5
        size = max(1, int(picture.width * share)), max(1, int(picture.height * share))
        return picture.resize(size, Resampling.BOX)
    return picture


def _installed() -> tuple[str, tuple[str, ...]]:
    """Return the folder of the language data, and those of _LANGUAGES in it; both are empty without data."""
    for folder in [named] if (named := os.environ.get("TESSDATA_PREFIX")) else _FOLDERS:
        languages = tuple(name for name in _LANGUAGES if Path(folder, name + _DATA).is_file())
        if languages:
            return folder, languages
    return "", ()


def _recognized(pictures: "Iterator[Image | None]") -> Iterator[PageText]:
    """Yield the text of each picture until the processor time is used up."""
    from tesserocr import PyTessBaseAPI

    folder, names = _installed()
    with PyTessBaseAPI(path=f"{folder}/", lang="+".join(names)) as api:
        for picture in pictures:
            page = PageText("", 0) if picture is None else _either_way_up(api, picture)
            if page is None:
                return
            yield page


def _either_way_up(api: "PyTessBaseAPI", picture: "Image") -> PageText | None:
    """Return the text of a picture, which may be upside down, or None if the time is used up.

    tesseract itself detects lines that run up or down.
    """
    upright = _recognize(api, picture)
    if upright is None or not upright.text or upright.confidence >= SURE:
        return upright
    turned = _recognize(api, picture.rotate(180))
    if turned is None:
        return None
    best = max(upright, turned, key=lambda page: page.confidence)
    return best if best.confidence >= SURE else PageText("", best.confidence)


def _recognize(api: "PyTessBaseAPI", picture: "Image") -> PageText | None:
    """Return the text of a picture, or None if the time is used up: processor time, so a busy machine loses no page."""
    left = host.time_left() - RESERVE
    if left <= 0:
        return None
    api.SetImage(picture)
    api.SetSourceResolution(RESOLUTION)
    try:
        with host.within_time(left):
            api.Recognize()
    except TimeoutError:
        return None
    text = tidy(clean(_HYPHEN.sub("", api.GetUTF8Text())))
    return PageText(text, api.MeanTextConf() if text else 0)
