"""Which of seven languages a sentence is in, by its function words: enough to read its numerals and its denials."""

from collections import Counter
from collections.abc import Iterable

from .lexicon import table

_FREQUENT = table("tongue")
_TONGUES: dict[str, list[str]] = {}
for _code, _list in _FREQUENT.items():
    for _word in _list.split():
        _TONGUES.setdefault(_word, []).append(_code)


def tongue(folded: Iterable[str]) -> str:
    """Return the code of the language that most of the folded words speak for; `en` when none does."""
    counts: Counter[str] = Counter()
    for word in folded:
        for code in _TONGUES.get(word, ()):
            counts[code] += 1
    if not counts:
        return "en"
    most = max(counts.values())
    return next(code for code in _FREQUENT if counts[code] == most)
