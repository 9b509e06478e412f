"""Which blocks of a page are its content."""

from collections.abc import Sequence
from typing import Final

from .block import Block, length
from .boilerplate import ARTICLE, DOCUMENTATION, MAIN, RANKS

ENOUGH: Final = 250  # characters with which what calls itself the content is believed to be it
SHARE: Final = {DOCUMENTATION: 0.5, MAIN: 0.25, ARTICLE: 0.3}  # or the share of the page's text, by rank of the element
MUCH_CODE: Final = 0.02  # share of a page's text


def chosen(blocks: Sequence[Block], link_lists: Sequence[tuple[int, int]]) -> list[Block]:
    """Return the blocks of the page's content, in order.

    Those of its main element or article, its table of contents too if that is all there is; else all that stand in
    neither furniture nor lists of links; else, when that leaves hardly anything, everything that is seen.
    """
    own = [block for block in blocks if not block.aside]
    rank = main_rank(blocks)
    if rank:
        candidate = [block for block in own if block.rank >= rank]
        if all(block.kind == "heading" for block in candidate):
            candidate = [block for block in blocks if block.rank >= rank]
        return candidate
    linked = _covered(link_lists, len(blocks))
    prose = [block for block, covered in zip(blocks, linked, strict=True) if not (covered or block.aside)]
    for candidate in (prose, own):
        if 4 * length(candidate) >= min(length(blocks), 4 * ENOUGH):
            return candidate
    return list(blocks)


def main_rank(blocks: Sequence[Block]) -> int:
    """Return the highest rank whose elements hold enough of the text; 0 when there is none."""
    held = [0] * (1 + len(RANKS))
    for block in blocks:
        if not block.aside:
            held[block.rank] += len(block.text)
    total = sum(held)
    for rank, share in SHARE.items():
        within = sum(held[rank:])
        if within and within >= (share * total if rank == DOCUMENTATION else min(ENOUGH, share * total)):
            return rank
    return 0


def is_documentation(blocks: Sequence[Block]) -> bool:
    """Say whether a program for documentation marks the content, or there is code: in what else is marked, or much."""
    rank = main_rank(blocks)
    code = length(block for block in blocks if block.kind == "code")
    return rank == DOCUMENTATION or (code > 0 and (rank > 0 or code > MUCH_CODE * length(blocks)))


def with_title(chosen: list[Block], blocks: Sequence[Block], said: str = "") -> list[Block]:
    """Put the page's first heading before its content if it stands outside and the content has none of its level.

    It is left out where what is `said` of the page beside its text has it.
    """
    title = next((block for block in blocks if block.kind == "heading" and block.level == 1), None)
    if title is None or title.text in said or any(block.kind == "heading" and block.level == 1 for block in chosen):
        return chosen
    return [title, *chosen]


def _covered(ranges: Sequence[tuple[int, int]], size: int) -> list[bool]:
    """Say of each of `size` blocks whether one of the ranges covers it."""
    changes = [0] * (size + 1)
    for first, last in ranges:
        changes[min(first, size)] += 1
        changes[min(last, size)] -= 1
    covered, depth = [], 0
    for change in changes[:size]:
        depth += change
        covered.append(depth > 0)
    return covered
