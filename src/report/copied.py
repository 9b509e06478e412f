"""What a small model copies from its prompt instead of answering: the example's words, and sentences of the rules."""

import re
from collections.abc import Callable
from typing import Final

from ..model import Prompt
from ..search.queries import normalised

FEWEST_COPIED: Final = 3
"""Words that a text and the prompt must have in common, one behind the other, for the text to be copied from it."""

_EXAMPLE = re.compile(r'"([^"\n]+)"')


def copied_from(prompt: Prompt, question: str) -> Callable[[str], bool]:
    """Return what says whether a text is copied from a prompt: from its example, or some words that it says.

    The prompt is rendered without what is asked and what was found; what the question says is no copy.
    """
    examples = {"string", *map(normalised, _EXAMPLE.findall(f"{prompt.system}\n{prompt.user}"))}
    said, asked = (f" {normalised(text)} " for text in (f"{prompt.system} {prompt.user}", question))

    def copied(text: str) -> bool:
        words = normalised(text)
        inside = len(words.split()) >= FEWEST_COPIED and f" {words} " in said
        example = not words or words.rstrip(" 0123456789") in examples
        return (inside or example) and not (words and f" {words} " in asked)

    return copied
