"""The blocks of a page's text, and their conversion to one Markdown text."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

_LOOKS_LIKE_MARKUP: Final = re.compile(r"#{1,6}\s|~~~")
_SIGNS: Final = re.compile(r"\\(?=[!-/:-@\[-`{-~])|[*`]|(?<!\w)_(?=[^\s_])|<(?=[a-zA-Z/!])")
"""Characters that Markdown would treat as markup; of underscores only those that begin emphasis."""

_FENCE: Final = re.compile(r"^ {0,3}(?=```|~~~)", re.MULTILINE)


@dataclass(slots=True)
class Block:
    """A piece of a page's text and its kind.

    `marker` precedes the text of a list item, and `group` is the number of its list in the page; `level` is the level
    of a heading, from 1; `language` the programming language of code. `links` counts the characters in links. `rank` is
    the certainty that the block is content, see `boilerplate.RANKS`; `aside` is true if it is in an element that
    surrounds content. `cells` are the blocks from which a table was made.
    """

    kind: Literal["paragraph", "heading", "code", "table"]
    text: str
    marker: str = ""
    group: int = 0
    level: int = 0
    language: str = ""
    links: int = 0
    rank: int = 0
    aside: bool = False
    cells: tuple["Block", ...] = ()

    @property
    def markdown(self) -> str:
        """The block as Markdown."""
        if self.kind == "heading":
            return f"{'#' * self.level} {self.text}"
        if self.kind == "code":
            return f"```{self.language}\n{_FENCE.sub('    ', self.text)}\n```"
        text = self.text if self.kind == "table" else escaped(self.text)
        if self.kind == "paragraph" and not self.marker and _LOOKS_LIKE_MARKUP.match(text):
            return "\\" + text
        return self.marker + text


def escaped(text: str) -> str:
    """Return text escaped for Markdown, so that asterisks, angle brackets and the like are shown unchanged."""
    return _SIGNS.sub(lambda sign: "\\" + sign[0], text)


def markdown(blocks: Iterable[Block]) -> str:
    """Return blocks as Markdown: a blank line between them, but none between the items of a list."""
    return "".join(_joined(blocks))


def _joined(blocks: Iterable[Block]) -> Iterator[str]:
    before: Block | None = None
    for block in blocks:
        if before is not None:
            yield "\n" if before.marker and block.marker and before.group == block.group else "\n\n"
        yield block.markdown
        before = block


def length(blocks: Iterable[Block]) -> int:
    """Count the characters of blocks."""
    return sum(len(block.text) for block in blocks)
