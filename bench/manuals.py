"""Questions that a manual's own pages answer: what a command does, by the line under NAME, and what a term means.

A page is HTML: a reference page that says "name - purpose", or a glossary of terms and their definitions.
"""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from zlib import crc32

from lxml import etree, html

from answers import Case
from spyglass.kernel.term import LONGEST_TERM

_PURPOSE = re.compile(r"^(?:name\s+)?([\w.-]{2,30})(?:, [\w., -]+)? [-–—] (\S.{10,200})$", re.IGNORECASE)
_ASKED = ("What is {}?", "What does {} do?", "What is {} for?", "What does the {} command do?")
_MEANT = ("What is {}?", "What does {} mean?", "What is meant by {}?", "Define {}.")
FIRST = 4
"""Paragraphs of a page among which its purpose stands."""


def asked_of(folder: Path) -> list[Case]:
    """Return the questions that the HTML pages of a folder answer, in the order of their names."""
    return [one for path in sorted(folder.glob("*.html")) for one in _of_page(path)]


def _of_page(path: Path) -> Iterator[Case]:
    try:
        page = html.parse(str(path)).getroot()
    except etree.ParserError:
        return
    if "glossary" in path.name:
        yield from _terms(page, path.name)
        return
    for element in islice(page.iter("p"), FIRST):
        if found := _PURPOSE.match(_text(element)):
            # git-rebase is asked for as one types it, too
            name = found[1].replace("-", " ") if crc32(found[1].encode()) % 2 else found[1]
            yield Case(_question(_ASKED, name), (found[2],), found[0], path.name)
            return


def _terms(page: html.HtmlElement, name: str) -> Iterator[Case]:
    for term in page.iter("dt"):
        body = next((one for one in term.itersiblings() if one.tag == "dd"), None)
        words, meaning = re.sub(r" *\(.*", "", _text(term)), "" if body is None else _text(body)
        first = re.split(r"(?<=[.:])\s", meaning)[0]
        if len(words.split()) <= LONGEST_TERM and len(first) > 25 and not first.startswith("See "):
            yield Case(_question(_MEANT, words), (first,), meaning, name)


def _question(forms: tuple[str, ...], name: str) -> str:
    return forms[crc32(name.encode()) % len(forms)].format(name)


def _text(element: html.HtmlElement) -> str:
    return " ".join(element.text_content().replace("¶", "").split())
