"""Words that stand for one another in a paraphrase, and words that add nothing of their own."""

from importlib.resources import files

from .lexicon import lexicon

_LISTS = lexicon("alike")

GRAMMAR = _LISTS["grammar"]
"""Words that say how a sentence is put, folded: what hedges, joins, helps a verb or stands for a noun."""


def _groups() -> dict[str, frozenset[int]]:
    lines = files(__package__).joinpath("alike.txt").read_text(encoding="utf-8").splitlines()
    found: dict[str, set[int]] = {}
    for number, line in enumerate(line for line in lines if line and not line.startswith("#")):
        for word in line.split():
            found.setdefault(word, set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


_GROUPS = _groups()
_NONE: frozenset[int] = frozenset()


def others(word: str) -> frozenset[str]:
    """Return the folded words that may stand for a folded word, itself among them."""
    groups = _GROUPS.get(word, _NONE)
    return frozenset(other for other, theirs in _GROUPS.items() if not groups.isdisjoint(theirs)) | {word}


def alike(one: str, other: str) -> bool:
    """Say whether two folded words may stand for one another."""
    return not _GROUPS.get(one, _NONE).isdisjoint(_GROUPS.get(other, _NONE))
