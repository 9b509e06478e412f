"""Tells prose that a page shows as its author set it, as of a manual in plain text, from code."""

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from ...kernel.language import FUNCTION_WORDS
from .block import Block

LEAST_WORDS: Final = 12  # of what may be prose
SMALL_WORDS: Final = 0.25
"""The share of function words from which on it is: of 11,812 such elements of manuals 139 are, and all of 22 of these
that were looked at."""

MOST_SIGNS: Final = 0.03  # the share of characters that code is full of, in prose
MOST_SIGNS_OF_PARAGRAPH: Final = 0.08  # and in one paragraph of it; a drawing or an example has more

_WORD: Final = re.compile(r"[^\W\d_]+")
_SIGN: Final = re.compile(r"[{}();=<>|$\\\[\]_/*#&%@~^+]")
_SENTENCE: Final = re.compile(r"\w[.!?](?:\s|\Z)")
_COMMENT: Final = re.compile(r"^[ ]*(?:#|//|;|--|\$ |> )", re.MULTILINE)
_ITEM: Final = re.compile(r"[ ]*[-*•][ ]+(?=\S)")


def blocks(text: str, language: str) -> Iterator[Block]:
    """Yield what an element of preformatted text holds: paragraphs where it is prose, else its code as it stands."""
    paragraphs = re.split(r"\n(?:[ ]*\n)+", text)
    said = [one for one in paragraphs if _signs(one) <= MOST_SIGNS_OF_PARAGRAPH]
    if language or not is_prose("\n".join(said)) or 2 * sum(map(len, said)) < len(text):
        yield Block("code", text, language=language)
        return
    for paragraph in paragraphs:
        if paragraph not in said:
            yield Block("code", paragraph)
        else:
            for lines in _parts(paragraph.split("\n")):
                marker = _ITEM.match(lines[0])
                lines[0] = lines[0][marker.end() if marker else 0 :]
                yield Block("paragraph", " ".join(" ".join(lines).split()), marker="- " if marker else "")


def is_prose(text: str) -> bool:
    """Say whether a text reads as sentences: by its function words, of whatever language, and its few signs."""
    words = _WORD.findall(text.casefold())
    if len(words) < LEAST_WORDS or _COMMENT.search(text) or not _SENTENCE.search(text):
        return False
    small = sum(word in FUNCTION_WORDS for word in words)
    return small >= SMALL_WORDS * len(words) and _signs(text) <= MOST_SIGNS


def _signs(text: str) -> float:
    return len(_SIGN.findall(text)) / max(1, len("".join(text.split())))


def _parts(lines: list[str]) -> Iterator[list[str]]:
    """Yield the lines of a paragraph, apart where an item begins, or where what stands farther in explains a line."""
    while lines:
        first, *others = lines
        is_name = bool(others) and _depth(others[0]) > _depth(first) and not _ITEM.match(first)
        if is_name and not _SENTENCE.search(first):
            yield [first]
            lines = others
            continue
        own = [first, *takewhile(lambda line: not _ITEM.match(line), others)]
        yield own
        lines = lines[len(own) :]


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
