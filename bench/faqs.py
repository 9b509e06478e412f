"""Questions that people ask, and the paragraphs that answer them: headings of FAQ pages that end in a question mark.

A reader does not ask in the words of the heading: of each question one of its longer words is left out.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

from lxml import etree, html

from answers import Case
from spyglass.kernel.sentence import sentence_spans

_NUMBER = re.compile(r"^[\d.()\s]+")
LONGER = 5
"""Letters of a word that may be left out."""

FEWEST = 4
"""Words of a question."""


def asked_of(folder: Path, part: str) -> list[Case]:
    """Return the questions of the pages of one part of a folder: of every second page for `fit`, else of the others."""
    pages = sorted(folder.glob("*.html"))[part != "fit" :: 2]
    return [one for path in pages for one in _of_page(path)]


def _of_page(path: Path) -> Iterator[Case]:
    try:
        page = html.parse(str(path)).getroot()
    except etree.ParserError:
        return
    for heading in page.iter("h2", "h3", "h4", "dt"):
        question = _NUMBER.sub("", _text(heading))
        below = next((one for one in heading.itersiblings() if one.tag in ("p", "dd", "div")), None)
        paragraph = "" if below is None else _text(below if below.tag == "p" else next(below.iter("p"), below))
        if question.endswith("?") and len(question.split()) >= FEWEST and paragraph:
            sentences = tuple(paragraph[start:end] for start, end in sentence_spans(paragraph))
            yield Case(_reworded(question), sentences, paragraph, path.name)


def _reworded(question: str) -> str:
    """Return a question without one of its longer words, behind the first two, where more than one is left."""
    words = question.rstrip("?").split()
    longer = [number for number, word in enumerate(words) if number > 1 and len(word) >= LONGER]
    if len(longer) > 1:
        del words[longer[crc32(question.encode()) % len(longer)]]
    return f"{' '.join(words)}?"


def _text(element: html.HtmlElement) -> str:
    return " ".join(element.text_content().replace("¶", "").split())
