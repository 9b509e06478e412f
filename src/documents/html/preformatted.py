"""Distinction between preformatted prose, for instance a manual in plain text, and code."""

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from ...kernel.language import FUNCTION_WORDS
from .block import Block

LEAST_WORDS: Final = 12  # fewest words of a text that may be prose
SMALL_WORDS: Final = 0.25
"""Smallest share of function words in prose: 139 of 11,812 preformatted elements of manuals reach it, and all 22 that
were inspected are prose."""

MOST_SIGNS: Final = 0.03  # largest share of signs (see _SIGN) in prose; code has more
MOST_SIGNS_OF_PARAGRAPH: Final = 0.08  # the same for a single paragraph; a drawing or an example has more

_WORD: Final = re.compile(r"[^\W\d_]+")
_SIGN: Final = re.compile(r"[{}();=<>|$\\\[\]_/*#&%@~^+]")
_SENTENCE: Final = re.compile(r"\w[.!?](?:\s|\Z)")
_COMMENT: Final = re.compile(r"^[ ]*(?:#|//|;|--|\$ |> )", re.MULTILINE)
_ITEM: Final = re.compile(r"[ ]*[-*•][ ]+(?=\S)")


def blocks(text: str, language: str) -> Iterator[Block]:
    """Yield the blocks of a preformatted element: paragraphs if it is prose, else its code unchanged."""
    paragraphs = re.split(r"\n(?:[ ]*\n)+", text)
    prose = [paragraph for paragraph in paragraphs if _signs(paragraph) <= MOST_SIGNS_OF_PARAGRAPH]
    if language or not is_prose("\n".join(prose)) or 2 * sum(map(len, prose)) < len(text):
        yield Block("code", text, language=language)
        return
    for paragraph in paragraphs:
        if paragraph not in prose:
            yield Block("code", paragraph)
        else:
            for lines in _parts(paragraph.split("\n")):
                marker = _ITEM.match(lines[0])
                lines[0] = lines[0][marker.end() if marker else 0 :]
                yield Block("paragraph", " ".join(" ".join(lines).split()), marker="- " if marker else "")


def is_prose(text: str) -> bool:
    """Whether a text consists of sentences: many function words, of any language, and few signs."""
    words = _WORD.findall(text.casefold())
    if len(words) < LEAST_WORDS or _COMMENT.search(text) or not _SENTENCE.search(text):
        return False
    small = sum(word in FUNCTION_WORDS for word in words)
    return small >= SMALL_WORDS * len(words) and _signs(text) <= MOST_SIGNS


def _signs(text: str) -> float:
    return len(_SIGN.findall(text)) / max(1, len("".join(text.split())))


def _parts(lines: list[str]) -> Iterator[list[str]]:
    """Yield the lines of a paragraph, split where an item begins and after a label with an indented explanation."""
    while lines:
        first, *others = lines
        is_label = bool(others) and _depth(others[0]) > _depth(first) and not _ITEM.match(first)
        if is_label and not _SENTENCE.search(first):
            yield [first]
            lines = others
            continue
        part = [first, *takewhile(lambda line: not _ITEM.match(line), others)]
        yield part
        lines = lines[len(part) :]


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
