"""Conversion of the bytes of an HTML page to its text and metadata, with a check that it is the requested page."""

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
from .selection import content_blocks, is_documentation, with_title

MOST_CHARACTERS: Final = 6_000_000  # most characters of a page's source that are read; the rest is cut off
MOST_TAGS: Final = 400_000  # most tags that are read, which takes about three seconds; the rest is cut off
NOTHING: Final = 40  # characters below which a page with scripts counts as empty
LONGEST_DELAY: Final = 5  # seconds of delay up to which a refresh counts as a redirect
SHORT: Final = 600
"""Characters of text below which a page may be a redirect, or be filled by scripts."""

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
    """The text and the metadata of a page; fields without a value are empty.

    `text` is Markdown: headings, paragraphs of one line, lists, tables, fenced code; without links, inline markup, and
    invisible or control characters other than line ends. `published` is an ISO date and `language` a two-letter code.
    `wall` names the page that is shown instead of the requested one: a robot check, a cookie wall, a log-in wall or a
    paywall. `needs_browser` is true if scripts would fill the page. `refresh` is the address to which a page with
    hardly any text redirects. `cut` is true if only the beginning of the page was read. `links` are set on request.
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
    """Return the text and metadata of a page; never raises, and takes time linear in the number of bytes.

    Must always be called in the same thread of the process: otherwise trafilatura corrupts memory.
    """
    page = charset.decode(body, content_type)
    source = page[:MOST_CHARACTERS]
    if any(mark in source for mark in MARKS):
        source = source.translate(dict.fromkeys(map(ord, MARKS)))
    parser, metadata = BlockParser(), Metadata(url)
    take = parser.take
    remaining = tokens(source)
    for token in islice(remaining, MOST_TAGS):
        take(token)
        if token[2] in _ABOUT:
            metadata.take(token)
    parsed = parser.finish()
    visible = parsed.characters
    return Extract(
        text=markdown(_content(parsed, metadata)),
        title=metadata.title or next((block.text for block in parsed.blocks if block.kind == "heading"), ""),
        author=metadata.author,
        published=metadata.published,
        language=metadata.language,
        site=metadata.site,
        wall=blockers.wall(parsed, metadata.title, source),
        needs_browser=visible < SHORT and _made_by_program(parsed, visible),
        refresh=_redirect(metadata.refresh, url) if visible < SHORT else "",
        cut=len(page) > MOST_CHARACTERS or next(remaining, None) is not None,
        links=read_links(source, url, MOST_TAGS) if links else (),
    )


def _content(parsed: ParsedBlocks, metadata: Metadata) -> list[Block]:
    """Return the content blocks of a page, for documentation selected by markup only, else also by trafilatura.

    trafilatura keeps too little of documentation: on held-out manuals .91 of the words and .81 of the headings, versus
    .96 and .97 without it.
    """
    content = content_blocks(parsed.blocks, parsed.link_lists)
    if metadata.is_documentation or is_documentation(parsed.blocks):
        return with_title(content, parsed.blocks)
    return with_title(article(content, parsed.outline, metadata.title), parsed.blocks, metadata.title)


def _made_by_program(parsed: ParsedBlocks, visible: int) -> bool:
    """Return whether a page with hardly any text would be filled by its scripts."""
    if not parsed.scripts:
        return False
    if parsed.empty_roots:
        return True
    return bool(_NEEDS_PROGRAM.search(parsed.noscript)) or visible < NOTHING


def _redirect(refresh: str, url: str) -> str:
    """Return the absolute address to which a refresh redirects within LONGEST_DELAY, or ""."""
    match = _REFRESH.match(refresh)
    if not match or float(match[1].strip(".") or 0) > LONGEST_DELAY:
        return ""
    try:
        target = urljoin(url, match[2].strip())
    except ValueError:
        return ""
    return target if target.startswith(("http://", "https://")) and target != url else ""
