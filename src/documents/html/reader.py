"""The bytes of an HTML page, read: its text, what it says of itself, and whether it is the page that was asked for."""

import re
from dataclasses import dataclass
from itertools import islice
from typing import Final
from urllib.parse import urljoin

from . import blockers, charset
from .article import article
from .block import Block, markdown
from .links import WebLink, read_links
from .marks import MARKS
from .markup import tokens
from .metadata import Metadata
from .parser import BlockParser, ParsedBlocks
from .selection import chosen, is_documentation, with_title

MOST_CHARACTERS: Final = 6_000_000  # characters of a page's source that are read; the text of a longer page ends there
MOST_TAGS: Final = 400_000  # tags that are read, about three seconds' work; the text of a page with more ends there
NOTHING: Final = 40  # characters of text that are none, beside scripts
LONGEST_DELAY: Final = 5  # seconds after which a refresh still is the page's way of leading on
SHORT: Final = 600
"""Characters of text below which a page may be a wall, lead on to another page, or be made by a program."""

_ABOUT: Final = frozenset(("html", "meta", "title", "script", "svg", "time"))
_REFRESH: Final = re.compile(r"\s*(\d{0,4}\.?\d{0,4})\s*[;,]\s*(?:url\s*=)?\s*[\"']?([^\"']*)", re.IGNORECASE)
_NEEDS_PROGRAM: Final = re.compile(
    r"(?:enable|activate|turn on|requires?|needs?|without|supports?)\W+(?:\w+\W+){0,4}?java\s?script|"
    r"java\s?script\W+(?:\w+\W+){0,4}?(?:enabled?|activ|requis|required|disabled|aktivieren|activer|activar|habilitar)|"
    r"(?:aktivieren|activez|active|habilite|attivare)\W+(?:\w+\W+){0,3}?java\s?script",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Extract:
    """What a page says.

    `text` is Markdown: headings, paragraphs of one line, lists, tables, fenced code; no links, no markup in a line, no
    invisible or control characters but line ends. `published` is an ISO date and `language` a two-letter code. `wall`
    names what stands in place of the page: a robot check, a cookie wall, a log-in wall or a paywall. `refresh` is the
    address that a page with hardly any text of its own leads on to. All are empty when there is none. `cut` says that
    the page is longer than what was read of it. `links` are there when they were asked for.
    """

    text: str
    title: str
    author: str = ""
    published: str = ""
    language: str = ""
    site: str = ""
    wall: str = ""
    needs_browser: bool = False
    refresh: str = ""
    cut: bool = False
    links: tuple[WebLink, ...] = ()


def read_html(body: bytes, url: str, content_type: str = "", *, links: bool = False) -> Extract:
    """Read a page; never raises, whatever the bytes are, and takes time linear in them.

    To be called by one thread at a time, the same for the whole process: the library that reads cluttered pages
    corrupts memory otherwise.
    """
    whole = charset.decode(body, content_type)
    source = whole[:MOST_CHARACTERS]
    if any(mark in source for mark in MARKS):
        source = source.translate(dict.fromkeys(map(ord, MARKS)))
    walker, metadata = BlockParser(), Metadata(url)
    take = walker.take
    reading = tokens(source)
    for token in islice(reading, MOST_TAGS):
        take(token)
        if token[2] in _ABOUT:
            metadata.take(token)
    walk = walker.finish()
    visible = walk.characters
    return Extract(
        text=markdown(_content(walk, metadata)),
        title=metadata.title or next((block.text for block in walk.blocks if block.kind == "heading"), ""),
        author=metadata.author,
        published=metadata.published,
        language=metadata.language,
        site=metadata.site,
        wall=blockers.wall(walk, metadata.title, source),
        needs_browser=visible < SHORT and _made_by_program(walk, visible),
        refresh=_leads_to(metadata.refresh, url) if visible < SHORT else "",
        cut=len(whole) > MOST_CHARACTERS or next(reading, None) is not None,
        links=read_links(source, url, MOST_TAGS) if links else (),
    )


def _content(walk: ParsedBlocks, metadata: Metadata) -> list[Block]:
    """Return the blocks of the page's content, as documentation marks it, else as trafilatura tells.

    Of documentation trafilatura keeps too little: .91 of the words of manuals that nothing was chosen by and .81 of the
    headings, where .96 and .97 are kept without it.
    """
    content = chosen(walk.blocks, walk.link_lists)
    if metadata.is_documentation or is_documentation(walk.blocks):
        return with_title(content, walk.blocks)
    return with_title(article(content, walk.outline, metadata.title), walk.blocks, metadata.title)


def _made_by_program(walk: ParsedBlocks, visible: int) -> bool:
    """Say whether a page with hardly any text is one that a program in it would fill."""
    if not walk.scripts:
        return False
    if walk.empty_roots:
        return True
    return bool(_NEEDS_PROGRAM.search(walk.noscript)) or visible < NOTHING


def _leads_to(refresh: str, url: str) -> str:
    """Return the absolute address to which a refresh leads within LONGEST_DELAY, or nothing."""
    found = _REFRESH.match(refresh)
    if not found or float(found[1].strip(".") or 0) > LONGEST_DELAY:
        return ""
    try:
        target = urljoin(url, found[2].strip())
    except ValueError:
        return ""
    return target if target.startswith(("http://", "https://")) and target != url else ""
