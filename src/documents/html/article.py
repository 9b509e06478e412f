"""Selection of the blocks of a page that belong to its article, by trafilatura."""

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
MOST_PIECES: Final = 10_000  # most blocks and tags given to trafilatura; its time is not linear in them
ENOUGH: Final = 250  # fewest characters of an article; with fewer, the page counts as having none
SHARE: Final = 1 / 3
"""Smallest share of the content's characters that trafilatura must keep; with less, it has missed the article, for
instance if paragraphs are `div` elements and something else is a `p`."""

LONG: Final = 200  # characters of a paragraph that is kept between others even if trafilatura drops it
MOST_LINKS: Final = 0.5  # share of the characters of an item or paragraph that may be links
LOWEST: Final = 7  # a level below all heading levels
_FIRST: Final = 0xF0000
"""The first of the private-use characters that mark the blocks, one per block; pages do not use them."""

_MARKS: Final = re.compile("[\U000f0000-\U000ffffd]")


def article(blocks: Sequence[Block], outline: Sequence[str | Block], title: str) -> list[Block]:
    """Return the content blocks of a page that trafilatura keeps, or all blocks if it finds no article.

    Because it drops some prose, blocks between the first and the last one that it keeps are kept as well: tables, list
    items, long paragraphs, and questions directly above a kept block, unless they are mostly links. Headings above kept
    blocks are kept, except a heading that the page's title contains. Must be called in one thread only: otherwise
    trafilatura corrupts memory.
    """
    kept = _kept(blocks, outline)
    characters = length(block for block, keep in zip(blocks, kept, strict=True) if keep and block.kind != "heading")
    if characters < max(ENOUGH, SHARE * length(blocks)):
        return list(blocks)
    first, last = kept.index(True), len(kept) - kept[::-1].index(True)
    reach = 0  # headings with a level number below this have kept blocks below them
    for i in range(len(blocks) - 1, -1, -1):
        block = blocks[i]
        if block.kind == "heading":
            in_title = i < first and block.text in title
            kept[i] = block.level < reach and not in_title
            reach = min(reach, block.level)
        elif kept[i] or (first < i < last and _is_content(block, above_kept=kept[i + 1])):
            kept[i] = True
            reach = LOWEST
    return [block for block, keep in zip(blocks, kept, strict=True) if keep]


def load() -> None:
    """Import the libraries for finding an article."""
    _options()


def _is_content(block: Block, *, above_kept: bool) -> bool:
    """Return whether a block between content blocks is content too, such as a question of an FAQ."""
    if block.kind in ("code", "table"):
        return True
    asks = above_kept and block.text.endswith(("?", "？"))
    return (bool(block.marker) or len(block.text) > LONG or asks) and block.links < MOST_LINKS * len(block.text)


def _kept(blocks: Sequence[Block], outline: Sequence[str | Block]) -> list[bool]:
    """Return for each block whether trafilatura keeps it, or a cell of it."""
    numbers = {id(piece): number for number, block in enumerate(blocks) for piece in block.cells or (block,)}
    kept = [False] * len(blocks)
    if len(blocks) > MOST_PIECES:
        return kept
    pieces = _pieces(outline, numbers)
    if len(pieces) <= MOST_PIECES and sum(map(len, pieces)) <= MOST_CHARACTERS:
        for mark in _MARKS.findall(_extracted(f"<html><body>{''.join(pieces)}</body></html>")):
            kept[ord(mark) - _FIRST] = True
    return kept


def _pieces(outline: Sequence[str | Block], numbers: dict[int, int]) -> list[str]:
    """Return the HTML of these blocks, each marked by its number, and of the elements around them.

    Text directly in the body becomes a paragraph, as browsers show it: old pages have such text below their headings.
    """
    pieces: list[str] = []
    opened: list[int] = []
    for item in outline:
        if isinstance(item, Block):
            if (number := numbers.get(id(item))) is not None:
                text = chr(_FIRST + number) + _linked(item)
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
    """Return a block's text as HTML, with as many characters in a link as are links on the page."""
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
        document = bare_extraction(source, options=_options())
    except Exception:  # noqa: BLE001 a page that trafilatura cannot read is read without it
        return ""
    return "".join(document.body.itertext()) if isinstance(document, Document) else ""
