"""Selection of the blocks of a page that are its content, by its markup."""

from collections.abc import Sequence
from typing import Final

from .block import Block, length
from .boilerplate import ARTICLE, DOCUMENTATION, MAIN, RANKS

ENOUGH: Final = 250  # fewest characters in elements marked as content for these to be the content
SHARE: Final = {DOCUMENTATION: 0.5, MAIN: 0.25, ARTICLE: 0.3}  # or smallest share of the page's text, by rank
MUCH_CODE: Final = 0.02  # smallest share of a page's text


def content_blocks(blocks: Sequence[Block], link_lists: Sequence[tuple[int, int]]) -> list[Block]:
    """Return the blocks of the page's content, in order.

    These are the blocks of its main element or article, including a table of contents if there is nothing else; else
    the blocks outside lists of links and elements that surround content; if these have hardly any text, also lists of
    links, or all visible blocks.
    """
    inside = [block for block in blocks if not block.aside]
    rank = main_rank(blocks)
    if rank:
        candidate = [block for block in inside if block.rank >= rank]
        if all(block.kind == "heading" for block in candidate):
            candidate = [block for block in blocks if block.rank >= rank]
        return candidate
    linked = _covered(link_lists, len(blocks))
    prose = [block for block, covered in zip(blocks, linked, strict=True) if not (covered or block.aside)]
    for candidate in (prose, inside):
        if 4 * length(candidate) >= min(length(blocks), 4 * ENOUGH):
            return candidate
    return list(blocks)


def main_rank(blocks: Sequence[Block]) -> int:
    """Return the highest of `boilerplate.RANKS` whose elements have enough of the text, or 0."""
    characters = [0] * (1 + len(RANKS))
    for block in blocks:
        if not block.aside:
            characters[block.rank] += len(block.text)
    total = sum(characters)
    for rank, share in SHARE.items():
        of_rank = sum(characters[rank:])
        if of_rank and of_rank >= (share * total if rank == DOCUMENTATION else min(ENOUGH, share * total)):
            return rank
    return 0


def is_documentation(blocks: Sequence[Block]) -> bool:
    """Return whether a page is documentation: a generator marks its content, or it has code (if unmarked, much)."""
    rank = main_rank(blocks)
    code = length(block for block in blocks if block.kind == "code")
    return rank == DOCUMENTATION or (code > 0 and (rank > 0 or code > MUCH_CODE * length(blocks)))


def with_title(content: list[Block], blocks: Sequence[Block], page_title: str = "") -> list[Block]:
    """Put the page's first main heading before its content, if the content has no heading of that level.

    The heading is left out if `page_title` contains it.
    """
    title = next((block for block in blocks if block.kind == "heading" and block.level == 1), None)
    if title is None or title.text in page_title or any(b.kind == "heading" and b.level == 1 for b in content):
        return content
    return [title, *content]


def _covered(ranges: Sequence[tuple[int, int]], size: int) -> list[bool]:
    """Return for each of `size` blocks whether one of the ranges covers it."""
    changes = [0] * (size + 1)
    for first, last in ranges:
        changes[min(first, size)] += 1
        changes[min(last, size)] -= 1
    covered, depth = [], 0
    for change in changes[:size]:
        depth += change
        covered.append(depth > 0)
    return covered
