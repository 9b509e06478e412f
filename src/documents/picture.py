"""Conversion of pictures to text by OCR; a TIFF may have several pages."""

import io
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ..kernel.errors import TooLargeError
from ..kernel.notice import Notice
from . import ocr
from .document import Document, of_pages

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS: Final = ("PNG", "JPEG", "TIFF", "WEBP")

MOST_PIXELS: Final = 80_000_000
"""Maximum size of a picture, in pixels: twice an A4 page at 600 dots per inch. Above 89 million, Pillow warns of an
attack."""


def read(data: bytes) -> Document:
    """Return the text of a picture. Raises DocumentError, and Pillow's errors for a damaged picture."""
    with _opened(data) as picture:
        numbers = range(getattr(picture, "n_frames", 1) if picture.format == "TIFF" else 1)
        pages = ocr.read(numbers, lambda number: _page(picture, number))
    if not any(page.text for page in pages.values()):
        raise ocr.no_text_error(numbers, pages)
    document = of_pages([""] * len(numbers), "", "picture", pages, ocr.notices(numbers, pages))
    return document if len(numbers) > 1 else replace(document, pages=())


def _opened(data: bytes) -> "Image":
    from PIL import Image

    with warnings.catch_warnings():
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        try:
            return Image.open(io.BytesIO(data), formats=FORMATS)
        except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
            raise _too_large() from error


def _page(picture: "Image", number: int) -> "Image":
    """Return a page in grey and upright, with white for transparent parts."""
    from PIL import Image, ImageOps

    picture.seek(number)
    if picture.width * picture.height > MOST_PIXELS:
        raise _too_large()
    ImageOps.exif_transpose(picture, in_place=True)
    if not picture.has_transparency_data:
        return ocr.fitted(picture.convert("L"))
    page = ocr.fitted(picture.convert("RGBA"))
    return Image.alpha_composite(Image.new("RGBA", page.size, "white"), page).convert("L")


def _too_large() -> TooLargeError:
    return TooLargeError(Notice("picture_too_large", most=f"{MOST_PIXELS:,}"), remedy=Notice("make_it_smaller"))
