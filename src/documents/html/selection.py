"""Which blocks of a page are its content."""

from collections.abc import Sequence
from typing import Final

from .block import Block, length
from .walk import Walk

ENOUGH: Final = 250
"""Characters with which what calls itself the content is believed to be it."""

SHARE: Final = {3: 0.25, 2: 0.3, 1: 0.5}
"""Or the share of the page's text, by rank of the element."""


def chosen(walk: Walk) -> list[Block]:
    """Return the blocks of the page's content, in order.

    Those of its main element or article, its table of contents too if that is all there is; else all that stand in
    neither furniture nor lists of links; else, when that leaves hardly anything, everything that is seen.
    """
    blocks = walk.blocks
    own = [block for block in blocks if not block.aside]
    rank = main_rank(blocks)
    if rank:
        candidate = [block for block in own if block.rank >= rank]
        if all(block.kind == "heading" for block in candidate):
            candidate = [block for block in blocks if block.rank >= rank]
        return with_title(candidate, blocks)
    linked = _covered(walk.link_lists, len(blocks))
    prose = [block for block, covered in zip(blocks, linked, strict=True) if not (covered or block.aside)]
    for candidate in (prose, own):
        if 4 * length(candidate) >= min(length(blocks), 4 * ENOUGH):
            return with_title(candidate, blocks)
    return list(blocks)


def main_rank(blocks: Sequence[Block]) -> int:
    """Return the highest rank whose elements hold enough of the text; 0 when there is none."""
    held = [0] * 4
    for block in blocks:
        if not block.aside:
            held[block.rank] += len(block.text)
    total = sum(held)
    for rank, share in SHARE.items():
        within = sum(held[rank:])
        if within and within >= (share * total if rank == 1 else min(ENOUGH, share * total)):
            return rank
    return 0


def with_title(chosen: list[Block], blocks: Sequence[Block]) -> list[Block]:
    """Put the page's first heading before its content if it stands outside and the content has none of its level."""
    title = next((block for block in blocks if block.kind == "heading" and block.level == 1), None)
    if title is None or any(block.kind == "heading" and block.level == 1 for block in chosen):
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
