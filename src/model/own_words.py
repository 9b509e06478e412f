"""A model's prose without its instructions repeated, and without its own repetitions."""

import re
from collections.abc import Iterator
from typing import Final

from ..kernel.sentence import sentence_spans

FEWEST_LETTERS: Final = 20
"""Letters of a sentence, or a line of the standing instructions, that is held against others: `Yes.` is said twice.

A line of theirs that ends in a colon (`Rules:`) is held against others, however short.
"""

_QUOTED = re.compile(r"<source id=.*?</source>", re.DOTALL)
_TAG = re.compile(r"</?source\b[^<>]*>")
_LABEL = re.compile(r" ?\[[^\[\]\n]{1,24}\]")
_PROSE = re.compile(r"[.!?…。！？][\"'”’»)*_]*\Z")
_BARE_ITEM = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]*(?:\n|\Z)", re.MULTILINE)


def own_words(text: str, system: str, user: str) -> tuple[str, bool]:
    """Return a text without what the prompt's instructions say or it has said before, and whether it ended so.

    Left out are whole sentences, the same but for citations when the text says them again; what the instructions say
    also as whole lines. All of `system` is instructions, and of `user` what stands around its quoted blocks, if it has
    any: a text that is nothing but citations of those has no words of its own. Headings, rows of tables and code stay.
    """
    around, blocks = _QUOTED.subn("\n", user)
    instructions = f"{system}\n\n{around}" if blocks else system
    told = {line for line in map(_one_line, system.splitlines()) if len(line) >= FEWEST_LETTERS or line.endswith(":")}
    told |= {_one_line(line) for line in around.splitlines()} - {""} if blocks else set()
    lines = (_TAG.sub("", line) if blocks else line for line in text.splitlines(keepends=True))
    own, ends = _once("".join(line for line in lines if _one_line(line) not in told).strip(), instructions)
    return ("", True) if blocks and not re.search(r"\w", _LABEL.sub("", own)) else (own, ends)


def _once(text: str, instructions: str) -> tuple[str, bool]:
    """Return a text with each sentence once, none of the instructions', and whether its last one was left out."""
    told = {piece for _, _, piece in _sentences(instructions)}
    said: set[str] = set()
    kept, position = [], 0
    for start, end, piece in _sentences(text):
        bare = _LABEL.sub("", piece)
        if piece in told or bare in said or (end == len(text) and any(one.startswith(bare) for one in said)):
            kept.append(text[position:start].rstrip(" "))
            position = end
        elif _PROSE.search(bare):
            said.add(bare)
    if not position:
        return text, False
    left = text[position:]
    return _BARE_ITEM.sub("", "".join([*kept, left])).strip(), not left.strip()


def _sentences(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where the sentences of some length are, and what they say on one line."""
    for start, end in sentence_spans(text):
        piece = _one_line(text[start:end])
        if len(_LABEL.sub("", piece)) >= FEWEST_LETTERS:
            yield start, end, piece


def _one_line(text: str) -> str:
    return " ".join(text.split())
