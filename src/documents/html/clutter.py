"""Pages that do not say where their content is: trafilatura tells which of their blocks are an article."""

import logging
import re
from collections.abc import Iterable, Sequence
from typing import Final

from .block import Block, length

MOST_CHARACTERS: Final = 400_000
MOST_TAGS: Final = 10_000
"""What a source may have that trafilatura is shown: it takes 8 s for one with 130,000 tags."""

PROSE: Final = 800
"""Characters without links in which there may be an article; with fewer there is nothing to look for."""

MOST_LINKS: Final = 0.25
"""Share of the chosen text that may be links."""

TEASERS: Final = 5
"""Headings that are links, as many as which announce other pages."""

RUN: Final = 4
"""Words in a row by which text is found again."""

_WORD: Final = re.compile(r"\w+")


def is_cluttered(chosen: Sequence[Block]) -> bool:
    """Say whether what was taken for a page's content holds more than an article: many links, or teasers of others."""
    text, links = length(chosen), sum(block.links for block in chosen)
    teasers = sum(block.kind == "heading" and 2 * block.links > len(block.text) for block in chosen)
    return text - links >= PROSE and (links > MOST_LINKS * text or teasers >= TEASERS)


def article(blocks: Sequence[Block], source: str) -> list[Block]:
    """Return the blocks of which trafilatura keeps the text, and the headings above them; none when it finds nothing.

    Not to be called by several threads: trafilatura corrupts memory then.
    """
    if len(source) > MOST_CHARACTERS or source.count("<") > MOST_TAGS:
        return []
    known = set(_runs(_extracted(source)))
    kept = [block.kind != "heading" and _is_in(block, known) for block in blocks]
    below = False
    for place in range(len(blocks) - 1, -1, -1):
        if blocks[place].kind == "heading":
            kept[place] = below
        else:
            below = kept[place]
    return [block for block, keep in zip(blocks, kept, strict=True) if keep]


def load() -> None:
    """Import what finding an article takes."""
    import trafilatura  # noqa: F401


def _extracted(source: str) -> str:
    import trafilatura

    logging.getLogger("trafilatura").addHandler(logging.NullHandler())
    try:
        return trafilatura.extract(source, fast=True, include_comments=False) or ""
    except Exception:  # noqa: BLE001 whatever it cannot read is read without it
        return ""


def _is_in(block: Block, known: set[str]) -> bool:
    runs = list(_runs(block.text))
    return bool(runs) and 2 * sum(run in known for run in runs) >= len(runs)


def _runs(text: str) -> Iterable[str]:
    """Yield every RUN words of each line that follow each other; of a shorter line, the line."""
    for line in text.lower().split("\n"):
        words = _WORD.findall(line)
        for place in range(max(len(words) - RUN + 1, min(len(words), 1))):
            yield " ".join(words[place : place + RUN])
