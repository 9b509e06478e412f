"""Text recognition (OCR): what a picture of a page says, by tesseract within this process.

tesserocr brings the library; the data of each language are a package of the system.
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

RESOLUTION: Final = 300  # dots per inch at which a page is looked at; what tesseract was trained on
MOST_PIXELS: Final = 10_000_000
"""Pixels of a page that are looked at; A4 has 9 million.

Of 30 larger pictures of two lines, tesseract misread four that were brought to 20 million, and none at 10.
"""

SURE: Final = 60
"""Percent of confidence from which what was recognised is text.

Of prints it is 70 to 95; of photographs without text, and of pages upside down, 35 to 60.
"""

RESERVE: Final = 5.0  # seconds of processor time that are kept for what comes after recognition
_LANGUAGES: Final = ("eng", "deu", "fra", "spa", "ita", "por", "nld")
"""Those of the reports, as tesseract calls them; each that is installed is looked for in words that no other knows."""

_FOLDERS: Final = (
    *("/usr/share/tesseract-ocr/5/tessdata", "/usr/share/tesseract-ocr/4.00/tessdata", "/usr/share/tessdata"),
    *("/usr/local/share/tessdata", "/opt/homebrew/share/tessdata", "C:/Program Files/Tesseract-OCR/tessdata"),
)
_DATA: Final = ".traineddata"
_HYPHEN: Final = re.compile(r"(?<=[^\W\d_])-\n(?=[a-zß-öø-ÿ])")  # the hyphen that a line's end put into a word


@dataclass(frozen=True, slots=True)
class PageText:
    """What a page says, and how sure that is on average of its words, in percent; no text where it is not SURE."""

    text: str
    confidence: int


def missing() -> Notice | None:
    """Return what is missing to read pictures, as a remedy; nothing when they can be read."""
    if find_spec("tesserocr") is None or find_spec("PIL") is None:
        return Notice("install_ocr")
    if not _installed()[1]:
        return Notice("install_ocr_data")
    return None


def version() -> str:
    """Return what identifies the recognition: the library and the languages; nothing where there is none."""
    return "" if missing() else f"tesserocr-{metadata.version('tesserocr')} {'+'.join(_installed()[1])}"


def extractor() -> str:
    """Return the name and the version of the library, for whoever cites its text."""
    return f"tesserocr {metadata.version('tesserocr')}" if find_spec("tesserocr") else "tesserocr"


def languages() -> tuple[str, ...]:
    """Return the languages that are recognised, as tesseract calls them."""
    return _installed()[1]


def load() -> None:
    """Import what reading takes, where it is there."""
    if not missing():
        import PIL.ImageOps  # noqa: F401
        import tesserocr  # noqa: F401


def read(numbers: Sequence[int], picture: Callable[[int], "Image | None"]) -> dict[int, PageText]:
    """Return what is on the pages of these numbers, from grey pictures of them, as far as the time for a file goes.

    A page without a picture is blank.
    """
    return dict(zip(numbers, _recognized(map(picture, numbers)), strict=False)) if numbers else {}


def nothing(numbers: Sequence[int], seen: Mapping[int, PageText]) -> DocumentError:
    """Return the reason why a file without any text has none: of these pages, these were looked at."""
    if numbers and not seen:
        return ConversionError(Notice("ocr_late"), remedy=Notice("raise_setting", setting="documents.deadline"))
    sure = max((page.confidence for page in seen.values()), default=0)
    return NoTextError(Notice("ocr_unsure", pages=len(numbers), sure=sure), remedy=Notice("scan_it_anew"))


def notes(numbers: Sequence[int], seen: Mapping[int, PageText]) -> tuple[Notice, ...]:
    """Say which of these pages, counted from 0, were not read, and why; one that is blank is read."""
    unsure = [number for number, page in seen.items() if page.confidence and not page.text]
    told = [Notice("page_unsure", page=one + 1, sure=seen[one].confidence) for one in unsure[:3]]
    if len(unsure) > len(told):
        told.append(Notice("further_pages_unsure", number=len(unsure) - len(told)))
    if len(seen) < len(numbers):
        first, count = numbers[len(seen)] + 1, len(numbers) - len(seen)
        told.append(Notice("pages_late", number=count, first=first, setting="documents.deadline"))
    return tuple(told)


def fitted(picture: "Image") -> "Image":
    """Return a grey picture in the size of a page at RESOLUTION: a small one doubled, a large one made smaller."""
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
    """Return the folder of the data, and the languages of ours that are in it."""
    for folder in [named] if (named := os.environ.get("TESSDATA_PREFIX")) else _FOLDERS:
        there = tuple(name for name in _LANGUAGES if Path(folder, name + _DATA).is_file())
        if there:
            return folder, there
    return "", ()


def _recognized(pictures: "Iterator[Image | None]") -> Iterator[PageText]:
    """Yield what is on each picture until the time is up."""
    from tesserocr import PyTessBaseAPI

    folder, names = _installed()
    with PyTessBaseAPI(path=f"{folder}/", lang="+".join(names)) as api:
        for picture in pictures:
            seen = PageText("", 0) if picture is None else _either_way_up(api, picture)
            if seen is None:
                return
            yield seen


def _either_way_up(api: "PyTessBaseAPI", picture: "Image") -> PageText | None:
    """Return what is on a picture as it is, or turned round: tesseract itself turns lines that run upwards, or down."""
    seen = _seen(api, picture)
    if seen is None or not seen.text or seen.confidence >= SURE:
        return seen
    turned = _seen(api, picture.rotate(180))
    if turned is None:
        return None
    best = max(seen, turned, key=lambda one: one.confidence)
    return best if best.confidence >= SURE else PageText("", best.confidence)


def _seen(api: "PyTessBaseAPI", picture: "Image") -> PageText | None:
    """Return what is on a picture, None when the time is up: that of the processor, so a busy machine loses no page."""
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
