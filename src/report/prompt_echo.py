"""Recognises text that a small model copied from its prompt: words of the example, and sentences of the rules."""

import re
from collections.abc import Callable
from typing import Final

from ..model import Prompt
from ..search.queries import normalised

FEWEST_COPIED: Final = 3
"""The fewest consecutive words in common with the prompt that make a text a copy."""

_EXAMPLE = re.compile(r'"([^"\n]+)"')


def echoes_prompt(prompt: Prompt, question: str) -> Callable[[str], bool]:
    """Return a predicate for whether a text is copied from a prompt: an example of it, or FEWEST_COPIED words or more.

    The prompt is rendered without the question and the sources; text that occurs in the question is no copy.
    """
    examples = {"string", *map(normalised, _EXAMPLE.findall(f"{prompt.system}\n{prompt.user}"))}
    prompt_words, question_words = (f" {normalised(text)} " for text in (f"{prompt.system} {prompt.user}", question))

    def is_copied(text: str) -> bool:
        words = normalised(text)
        in_prompt = len(words.split()) >= FEWEST_COPIED and f" {words} " in prompt_words
        is_example = not words or words.rstrip(" 0123456789") in examples
        return (in_prompt or is_example) and not (words and f" {words} " in question_words)

    return is_copied
