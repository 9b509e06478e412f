"""Removal of repeated instructions and repeated sentences from a model's prose."""

import re
from collections.abc import Iterator
from typing import Final

from ..kernel.sentence import sentence_spans

FEWEST_LETTERS: Final = 20
"""The minimum length of a sentence or a line of instructions that is checked: a short `Yes.` may repeat.

An instruction line that ends in a colon (`Rules:`) is checked at any length.
"""

_QUOTED = re.compile(r"<source id=.*?</source>", re.DOTALL)
_TAG = re.compile(r"</?source\b[^<>]*>")
_LABEL = re.compile(r" ?\[(?!none\])[^\[\]\n]{1,24}\]", re.IGNORECASE)
_PROSE = re.compile(r"[.!?…。！？][\"'”’»)*_]*\Z")
_BARE_ITEM = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]*(?:\n|\Z)", re.MULTILINE)


def own_words(text: str, system: str, user: str) -> tuple[str, bool]:
    """Return a text without repetitions of the instructions or of itself, and whether it ended in one.

    Whole sentences are removed (repetitions within the text may differ in citations), and whole lines of the
    instructions. The instructions are all of `system` and, if `user` has quoted blocks, the text around these; a text
    that consists only of citations of those blocks, other than [none], counts as empty. Headings, table rows and code
    are kept.
    """
    around, blocks = _QUOTED.subn("\n", user)
    instructions = f"{system}\n\n{around}" if blocks else system
    excluded = {
        line for line in map(_one_line, system.splitlines()) if len(line) >= FEWEST_LETTERS or line.endswith(":")
    }
    excluded |= {_one_line(line) for line in around.splitlines()} - {""} if blocks else set()
    lines = (_TAG.sub("", line) if blocks else line for line in text.splitlines(keepends=True))
    answer, repeats = _once("".join(line for line in lines if _one_line(line) not in excluded).strip(), instructions)
    return ("", True) if blocks and not re.search(r"\w", _LABEL.sub("", answer)) else (answer, repeats)


def _once(text: str, instructions: str) -> tuple[str, bool]:
    """Return a text without repeated sentences and those of the instructions, and whether its last one was removed."""
    instructed = {sentence for _, _, sentence in _sentences(instructions)}
    earlier: set[str] = set()
    parts, position = [], 0
    for start, end, sentence in _sentences(text):
        bare = _LABEL.sub("", sentence)
        if (
            sentence in instructed
            or bare in earlier
            or (end == len(text) and any(other.startswith(bare) for other in earlier))
        ):
            parts.append(text[position:start].rstrip(" "))
            position = end
        elif _PROSE.search(bare):
            earlier.add(bare)
    if not position:
        return text, False
    rest = text[position:]
    return _BARE_ITEM.sub("", "".join([*parts, rest])).strip(), not rest.strip()


def _sentences(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and one-line text of each sentence that is long enough to check."""
    for start, end in sentence_spans(text):
        sentence = _one_line(text[start:end])
        if len(_LABEL.sub("", sentence)) >= FEWEST_LETTERS:
            yield start, end, sentence


def _one_line(text: str) -> str:
    return " ".join(text.split())
