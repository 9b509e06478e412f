"""The parser that collects the blocks of a page in one pass: headings, paragraphs, list items, tables, code."""

import re
from dataclasses import dataclass, field
from typing import Final

from . import marks, plain, preformatted
from .block import Block
from .boilerplate import DOCUMENTATION, UNSEEN, ElementScore, judge
from .grid import OpenTables
from .markup import Token, attributes, decoded, number
from .structure import BLOCK, HEADINGS, VOID, OpenElements

MOST_LINKS: Final = 0.66
"""Share of an element's characters in links above which, with FEWEST_LINKS links or more, it is a list of links."""

FEWEST_LINKS: Final = 3

MOST_LINKS_OF_DOUBTFUL: Final = 0.2
"""The same share for an element that may surround the content, judged by its class: a sidebar, related articles."""

LONGEST_ATTRIBUTES: Final = 500  # characters; longer attributes are left out of the outline
_SHOWN_AS: Final = {"dt": "p", "dd": "p"}
"""Elements whose prose trafilatura does not recognise, and the elements that replace them in the outline."""

_LISTS: Final = frozenset(("ul", "ol", "menu", "dir"))
_CODE: Final = frozenset(("pre", "listing"))
_BOLD: Final = frozenset(("b", "strong"))
_WITH_MEANING: Final = HEADINGS | _LISTS | _CODE | {"li", "table", "tr", "td", "th"}
"""Elements that determine the kind of the blocks in them."""

_WITHIN_A_LINE: Final = UNSEEN | _BOLD | {"a", "sup"}
"""Elements within a line that are handled even without attributes."""

_MEANT_ALONE: Final = HEADINGS | {"a", "br", "p", "sup"}
"""End tags that have an effect even if no element of that name is open."""

_JUDGED_BY_LINKS: Final = frozenset((
    "center", "div", "dl", "fieldset", "form", "ol", "p", "section", "table", "td", "ul",
))  # fmt: skip
_LANGUAGE: Final = re.compile(r"(?:^|[\s\"'=])(?:lang(?:uage)?-|brush:\s*)([\w+#-]{1,20})")
_ROOT: Final = re.compile(
    r"""\bid\s*=\s*["']?(?:root|app|__next|__nuxt|___gatsby|svelte|main-app|react-root)["'\s/]*(?:\s|$)"""
)
_LOADING: Final = 60  # characters below which an application's root element has not been filled by its script

_Element = tuple[str, ElementScore, int, int, int, int]
"""An open element: name, score of its parent, and the numbers of blocks, characters, linked characters and links before
it."""


@dataclass(slots=True)
class _OpenList:
    """An open list; `number` is that of the next item, 0 if unnumbered; `has_text` is true if an item has text."""

    number: int = 0
    has_text: bool = False


@dataclass(slots=True)
class ParsedBlocks:
    """The blocks of a page, the ranges of blocks that are lists of links, and further data for classifying the page.

    `characters` is the length of all blocks, `noscript` the text for readers without JavaScript; `empty_roots` counts
    the elements that no script has filled yet, `passwords` the password fields. `outline` is the page in order: the
    tags of block elements, each closed inside its parent, and the blocks, including those in table cells.
    """

    blocks: list[Block] = field(default_factory=list)
    link_lists: list[tuple[int, int]] = field(default_factory=list)
    characters: int = 0
    noscript: str = ""
    scripts: int = 0
    empty_roots: int = 0
    passwords: int = 0
    outline: list[str | Block] = field(default_factory=list)


class BlockParser:
    """A parser to which the tags of a page and the text between them are passed in order.

    The source must not contain any of `marks.MARKS`.
    """

    def __init__(self) -> None:
        self._page = ParsedBlocks()
        self._open = OpenElements()
        self._elements: list[_Element] = []
        self._judgement = ElementScore()
        self._pieces: list[str] = []
        self._ignorable: set[str] = set()
        self._roots_open: list[int] = []
        self._lists: list[_OpenList] = []
        self._tables = OpenTables()
        self._in_link = False
        self._in_code = 0
        self._heading = 0
        self._piece_links = 0
        self._linked = self._links = 0
        self._marker = ""
        self._group = 0
        self._language = ""

    def take(self, token: Token) -> None:
        """Read the next tag and the text before it."""
        text, kind, name, value = token
        if text:
            if self._judgement.unseen:
                self._keep_noscript(text)
            elif self._pieces or self._in_code or not text.isspace():
                self._pieces.append(text)
                if self._in_link and "://" not in text:  # a link that shows its address is a reference, not navigation
                    self._piece_links += len(text)
        if kind == "start":
            if name in BLOCK:
                self._start_block(name, value)
            elif name in VOID:
                self._void(name, value)
            elif name in _WITHIN_A_LINE or self._open.depths[name] or (value and value not in self._ignorable):
                self._start_within(name, value)
        elif kind == "end" and (self._open.depths[name] or name in _MEANT_ALONE):
            self._end(name)

    def finish(self) -> ParsedBlocks:
        """End the page, and return its blocks."""
        self._close_down_to(0)
        if self._pieces:
            self._break()
        return self._page

    def _keep_noscript(self, text: str) -> None:
        if self._open.names[-1] == "noscript" and len(self._page.noscript) < 2_000:
            self._page.noscript += decoded(text)

    def _void(self, name: str, raw: str) -> None:
        if name == "input":
            self._page.passwords += "password" in raw.lower()
        elif self._judgement.unseen:
            return
        elif name == "br":
            self._pieces.append("\n" if self._in_code else marks.BREAK)
        elif name == "hr":
            self._close_down_to(self._open.ended_by(name))
            self._end_line()
        elif name == "img" and "math" in raw:
            self._pieces.append(attributes(raw).get("alt", ""))

    # Elements that open

    def _start_block(self, name: str, raw: str) -> None:
        depth = self._open.ended_by(name)
        if depth < len(self._elements):
            self._close_down_to(depth)
        if self._pieces:
            self._end_line()
        self._push(name, judge(name, raw, self._judgement))
        if self._judgement.unseen:
            return
        tag = _SHOWN_AS.get(name, name)
        self._page.outline.append(f"<{tag}{raw}>" if len(raw) < LONGEST_ATTRIBUTES else f"<{tag}>")
        if name in _WITH_MEANING:
            self._open_element(name, raw)
        elif raw and _ROOT.search(raw):
            self._roots_open.append(len(self._elements))

    def _open_element(self, name: str, raw: str) -> None:
        if name in HEADINGS:
            self._heading = int(name[1])
        elif name in _LISTS:
            self._group += not self._lists
            numbered = name == "ol"
            first = number(raw, "start", 10**9) if numbered and "start" in raw else int(numbered)
            self._lists.append(_OpenList(first))
        elif name in _CODE:
            self._in_code += 1
            self._language = _language(raw)
        elif name == "li":
            self._open_item()
        elif name == "table":
            self._tables.open(raw, len(self._page.blocks))
        elif name == "tr":
            self._tables.open_row()
        else:
            self._tables.open_cell(name, raw, len(self._page.blocks))

    def _open_item(self) -> None:
        open_list = self._lists[-1] if self._lists else _OpenList()
        indent = "  " * min(sum(outer.has_text for outer in self._lists[:-1]), 8)
        if open_list.number:
            self._marker = f"{indent}{open_list.number}. "
            open_list.number += 1
        else:
            self._marker = f"{indent}- "

    def _start_within(self, name: str, raw: str) -> None:
        """Begin an inline element; it is pushed on the stack of open elements only if it is invisible."""
        parent = self._judgement
        judgement = judge(name, raw, parent)
        self._page.scripts += name == "script"
        if judgement.unseen:
            if judgement is not parent or self._open.depths[name]:
                self._push(name, judgement)
        elif name == "a":
            self._in_link = "href" in raw
            self._links += self._in_link
            if self._in_link and self._pieces and self._pieces[-1] == marks.RAISED:
                self._pieces.append(marks.LINK)
        elif name == "sup":
            self._pieces.append(marks.RAISED)
        elif name in _BOLD:
            if not self._pieces:
                self._tables.begin_bold(len(self._page.blocks))
            if "".join(self._pieces[-2:]).rstrip().endswith(marks.BREAK):
                self._pieces.append(marks.BREAK)  # a line that begins with a label: "Default: 600 seconds"
        elif name == "code" and self._in_code:
            self._language = self._language or _language(raw)
        else:
            self._ignorable.add(raw)

    def _push(self, name: str, judgement: ElementScore) -> None:
        page = self._page
        self._elements.append((name, self._judgement, len(page.blocks), page.characters, self._linked, self._links))
        self._judgement = judgement
        self._open.push(name)

    # Elements that close

    def _end(self, name: str) -> None:
        if self._open.depths[name] or name in HEADINGS:
            self._close_down_to(self._open.ended_by_end_tag(name))
        elif self._judgement.unseen:
            return
        elif name == "a":
            self._in_link = False
        elif name == "sup":
            self._pieces.append(marks.LOWERED)
        elif name in ("p", "br"):
            self._void("br", "")

    def _close_down_to(self, depth: int) -> None:
        while len(self._elements) > depth:
            self._close()

    def _close(self) -> None:
        name, parent, first, characters, linked, links = self._elements[-1]
        if self._pieces and name in BLOCK:
            if name in _CODE:
                self._break()
            else:
                self._end_line()
        judgement, self._judgement = self._judgement, parent
        if not judgement.unseen:
            if name in BLOCK:
                self._page.outline.append(f"</{_SHOWN_AS.get(name, name)}>")
            if name in _WITH_MEANING:
                self._close_element(name)
            if self._roots_open and self._roots_open[-1] == len(self._elements):
                self._roots_open.pop()
                self._page.empty_roots += self._page.characters - characters < _LOADING
            if judgement.perhaps and not parent.perhaps:
                self._judge_doubtful(first, characters, linked)
            elif self._links - links >= FEWEST_LINKS and name in _JUDGED_BY_LINKS:
                self._judge_links(first, characters, linked)
        self._elements.pop()
        self._open.pop()

    def _judge_doubtful(self, first: int, characters: int, linked: int) -> None:
        """Mark the blocks of an element as aside if too many characters are in links; documentation may have more."""
        most = MOST_LINKS if self._judgement.rank == DOCUMENTATION else MOST_LINKS_OF_DOUBTFUL
        if self._linked - linked > most * (self._page.characters - characters):
            for block in self._page.blocks[first:]:
                block.aside = True

    def _judge_links(self, first: int, characters: int, linked: int) -> None:
        """Record an element that is a list of links; see MOST_LINKS."""
        if self._linked - linked > MOST_LINKS * (self._page.characters - characters):
            self._page.link_lists.append((first, len(self._page.blocks)))

    def _close_element(self, name: str) -> None:
        if name in HEADINGS:
            self._heading = 0
        elif name in _LISTS:
            self._lists.pop()
        elif name in _CODE:
            self._in_code -= 1
        elif name == "li":
            self._marker = ""
        elif name == "table":
            first = self._tables.close(self._page.blocks)
            ranges = self._page.link_lists
            while ranges and ranges[-1][1] > first:
                ranges.pop()
        elif name != "tr":
            self._tables.close_cell(len(self._page.blocks))

    # Blocks

    def _end_line(self) -> None:
        """End the block; within code, only its line."""
        if not self._in_code:
            self._break()
        elif self._pieces and not self._pieces[-1].endswith("\n"):
            self._pieces.append("\n")

    def _break(self) -> None:
        """Make blocks of the pieces of text read so far."""
        raw = decoded("".join(self._pieces))
        links = self._piece_links
        self._pieces.clear()
        self._piece_links = 0
        if self._in_code:
            for block in preformatted.blocks(plain.verbatim(raw), self._language):
                self._add(block, links)
                links = 0
            return
        for text in marks.lines(raw):
            if self._heading:
                self._add(Block("heading", text, level=self._heading), links)
            else:
                self._add(Block("paragraph", text, marker=self._marker, group=self._group), links)
                if text and self._marker and self._lists:
                    self._lists[-1].has_text = True
                self._marker = ""
            links = 0

    def _add(self, block: Block, links: int) -> None:
        if not block.text:
            return
        block.links = min(links, len(block.text))
        block.rank, block.aside = self._judgement.rank, self._judgement.aside
        self._page.characters += len(block.text)
        self._linked += block.links
        self._page.blocks.append(block)
        self._page.outline.append(block)


def _language(raw: str) -> str:
    """Return the programming language in the class of a code element, or ""."""
    match = _LANGUAGE.search(raw)
    return match[1].lower() if match else ""
