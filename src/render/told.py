"""What the house tells in English while a run goes on, in the language of its report: known by its pattern."""

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .labels import Labels

_PLACE = re.compile(r"\\{(\w+)\\}")

DEEPEST = 3
"""What is told may quote what was told before, so many times."""


def told(text: str, words: "Labels", depth: int = DEEPEST) -> str:
    """Return a notice, a failure or a reason in the language of the words; in English what they do not know."""
    for template, pattern in _compiled(tuple(words.told)):
        if depth and (match := pattern.fullmatch(text)):
            return words.told[template].format(**{n: told(v, words, depth - 1) for n, v in match.groupdict().items()})
    return text


@cache
def _compiled(templates: tuple[str, ...]) -> list[tuple[str, re.Pattern[str]]]:
    """Return each template with the pattern of what it becomes, those with more words of their own first."""
    longest_first = sorted(templates, key=lambda template: -len(re.sub(r"{\w+}", "", template)))
    return [(one, re.compile(_PLACE.sub(r"(?P<\1>.+?)", re.escape(one)), re.DOTALL)) for one in longest_first]
