"""Which blocks of a page are its article: trafilatura tells."""

import logging
import re
from collections.abc import Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Final

from .block import Block, length

if TYPE_CHECKING:
    from trafilatura.settings import Extractor

MOST_CHARACTERS: Final = 400_000
MOST_PIECES: Final = 10_000  # blocks and tags that trafilatura is shown at most; its time is not linear in them
ENOUGH: Final = 250  # characters of an article; with fewer there was none to find
SHARE: Final = 1 / 3
"""Share of what the page's own marks say is content; with less, trafilatura has missed it, as where every paragraph is
a `div` and something else is a `p`."""

LONG: Final = 200  # characters of a paragraph that is kept between others although trafilatura leaves it out
MOST_LINKS: Final = 0.5  # share of the characters of an item or paragraph that may be links
LOWEST: Final = 7  # a level below those of all headings
_FIRST: Final = 0xF0000
"""Where the characters begin by which blocks are found again; they are for private use and mean nothing on a page."""

_MARKS: Final = re.compile("[\U000f0000-\U000ffffd]")


def article(blocks: Sequence[Block], outline: Sequence[str | Block], title: str) -> list[Block]:
    """Return those of a page's content blocks that trafilatura keeps, all of them where it finds no article.

    It takes less for prose than is: between the first and the last block that it keeps, tables, items and long
    paragraphs stay as well, unless they are links. Headings stay above what is kept, but for one that the page's title
    has.
    Not to be called by several threads: trafilatura corrupts memory then.
    """
    kept = _kept(blocks, outline)
    found = length(block for block, keep in zip(blocks, kept, strict=True) if keep and block.kind != "heading")
    if found < max(ENOUGH, SHARE * length(blocks)):
        return list(blocks)
    first, last = kept.index(True), len(kept) - kept[::-1].index(True)
    reach = 0  # headings of lower levels have something below them that is kept
    for place in range(len(blocks) - 1, -1, -1):
        block = blocks[place]
        if block.kind == "heading":
            said = place < first and block.text in title
            kept[place] = block.level < reach and not said
            reach = min(reach, block.level)
        elif kept[place] or (first < place < last and _is_content(block)):
            kept[place] = True
            reach = LOWEST
    return [block for block, keep in zip(blocks, kept, strict=True) if keep]


def load() -> None:
    """Import what finding an article takes."""
    _options()


def _is_content(block: Block) -> bool:
    """Say whether a block is content where it stands between content."""
    if block.kind in ("code", "table"):
        return True
    return (bool(block.marker) or len(block.text) > LONG) and block.links < MOST_LINKS * len(block.text)


def _kept(blocks: Sequence[Block], outline: Sequence[str | Block]) -> list[bool]:
    """Say of each block whether trafilatura keeps it, or a cell of it."""
    places = {id(piece): place for place, block in enumerate(blocks) for piece in block.cells or (block,)}
    kept = [False] * len(blocks)
    if len(blocks) > MOST_PIECES:
        return kept
    pieces = _pieces(outline, places)
    if len(pieces) <= MOST_PIECES and sum(map(len, pieces)) <= MOST_CHARACTERS:
        for mark in _MARKS.findall(_extracted(f"<html><body>{''.join(pieces)}</body></html>")):
            kept[ord(mark) - _FIRST] = True
    return kept


def _pieces(outline: Sequence[str | Block], places: dict[int, int]) -> list[str]:
    """Return the HTML of these blocks, each marked by its place, and of the elements around them.

    Text that stands in nothing but the page is a paragraph, as it is shown: old pages have it below their headings.
    """
    pieces: list[str] = []
    opened: list[int] = []
    for item in outline:
        if isinstance(item, Block):
            if (place := places.get(id(item))) is not None:
                text = chr(_FIRST + place) + _linked(item)
                is_loose = not opened or pieces[opened[-1]].startswith("<body")
                pieces.append(f"<p>{text}</p>" if is_loose else text)
        elif item[1] != "/":
            opened.append(len(pieces))
            pieces.append(item)
        elif opened.pop() == len(pieces) - 1:
            pieces.pop()
        else:
            pieces.append(item)
    return pieces


def _linked(block: Block) -> str:
    """Return a block's text as HTML, as many of its characters in a link as are links on the page."""
    text = _MARKS.sub("", block.text)
    if not block.links:
        return escape(text)
    return f"<a href=x>{escape(text[: block.links])}</a>{escape(text[block.links :])}"


@cache
def _options() -> "Extractor":
    from trafilatura.settings import Extractor

    logging.getLogger("trafilatura").addHandler(logging.NullHandler())
    return Extractor(output_format="xml", fast=True, comments=False)


def _extracted(source: str) -> str:
    from trafilatura import bare_extraction
    from trafilatura.settings import Document

    try:
        found = bare_extraction(source, options=_options())
    except Exception:  # noqa: BLE001 whatever it cannot read is read without it
        return ""
    return "".join(found.body.itertext()) if isinstance(found, Document) else ""
