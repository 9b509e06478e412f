"""A picture of text becomes its text; one that is too large, damaged or of something else is refused with a reason."""

import struct
import zlib
from itertools import pairwise
from typing import Any

import pytest
from PIL import Image

from documents import files
from spyglass.documents import picture
from spyglass.kernel.errors import NoTextError, TooLargeError

pytestmark = pytest.mark.ocr

LINES = ("The harbour was built in 1871.", "It has three piers and a lighthouse.")
TEXT = "The harbour was built in 1871.\nIt has three piers and a lighthouse."


def text_of(page: Image.Image, form: str = "PNG", **options: object) -> str:
    found = picture.read(files.saved(page, form=form, **options))
    assert (found.kind, found.pages) == ("picture", ())
    (part,) = found.ocr
    assert (part.start, part.end) == (0, len(found.text))
    assert 75 <= part.confidence <= 100
    return "\n".join(filter(None, found.text.split("\n")))


def test_every_format_that_is_read_gives_the_same_text(subtests: pytest.Subtests) -> None:
    for form in picture.FORMATS:
        with subtests.test(form=form):
            assert text_of(files.drawn(*LINES), form) == TEXT


def test_a_picture_is_read_whatever_its_colours_its_size_and_the_way_it_lies(subtests: pytest.Subtests) -> None:
    page = files.drawn(*LINES)
    ink = Image.new("RGBA", page.size, (0, 0, 0, 0))
    ink.putalpha(page.point(lambda value: 255 - value))
    turned = page.getexif()
    turned[0x0112] = 6  # to be turned to the right
    cases: dict[str, tuple[Image.Image, dict[str, Any]]] = {
        "colour": (page.convert("RGB"), {}),
        "black and white": (page.convert("1"), {}),
        "light on dark": (page.point(lambda value: 255 - value), {}),
        "black on nothing": (ink, {}),
        "palette": (page.convert("P"), {}),
        "small": (files.drawn(*LINES, size=(500, 160), letters=14), {}),
        "large": (files.drawn(*LINES, size=(6000, 4000), letters=120), {}),
        "upside down": (page.rotate(180), {}),
        "on its left side": (page.rotate(90, expand=True), {}),
        "on its right side": (page.rotate(270, expand=True), {}),
        "turned by its camera": (page.rotate(90, expand=True), {"exif": turned}),
    }
    for name, (case, options) in cases.items():
        with subtests.test(name):
            assert text_of(case, **options) == TEXT


def test_each_page_of_a_tiff_starts_where_it_says() -> None:
    pages = [files.drawn("The first page"), files.drawn(), files.drawn("The third page")]
    found = picture.read(files.saved(*pages, form="TIFF", compression="tiff_deflate"))
    assert [found.text[start:end].strip() for start, end in pairwise([*found.pages, len(found.text)])] == [
        "The first page",
        "",
        "The third page",
    ]
    assert [(part.start, part.end) for part in found.ocr] == [(0, 14), (18, 32)]


def test_a_word_that_a_line_end_parts_is_made_whole() -> None:
    found = picture.read(
        files.saved(files.drawn("The western pier was de-", "stroyed by a storm in", "the year 1904."))
    )
    assert "was destroyed by a storm" in found.text


def test_a_picture_without_text_says_so() -> None:
    for page in (files.drawn(), Image.radial_gradient("L"), Image.effect_noise((800, 600), 80)):
        with pytest.raises(NoTextError, match="OCR recognises no text in it reliably"):
            picture.read(files.saved(page))


def test_a_text_that_ocr_is_not_sure_of_is_left_out_and_told() -> None:
    slanted = files.drawn(*LINES, "In 1904 a storm destroyed the western pier.").rotate(12, fillcolor=255)
    blurred = slanted.resize((160, 226)).resize(slanted.size)
    with pytest.raises(NoTextError, match="OCR recognises no text in it reliably"):
        picture.read(files.saved(blurred))


def bomb(width: int, height: int) -> bytes:
    """Return a PNG that says it is so large, and holds next to nothing."""
    parts = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(bytes(10_000))),
        (b"IEND", b""),
    ]
    chunks = (struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in parts)
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def test_a_picture_of_too_many_pixels_is_refused_before_it_is_unpacked() -> None:
    for size in ((9_000, 9_000), (10_000, 10_000), (60_000, 60_000), (2_000_000_000, 2)):
        with pytest.raises(TooLargeError, match="more than 80,000,000 pixels"):
            picture.read(bomb(*size))
    with pytest.raises(TooLargeError):
        picture.read(files.saved(files.drawn("One"), Image.new("1", (9_000, 9_000)), form="TIFF"))
