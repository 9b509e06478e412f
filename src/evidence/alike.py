"""Words that stand for one another in a paraphrase, and words that add nothing of their own."""

from importlib.resources import files

from .vocabulary import vocabulary

GRAMMAR = vocabulary(
    "about around approximately roughly nearly almost some circa just over under also only both according made make "
    "makes making take takes took taken taking come comes came coming give gives gave given giving get got go goes "
    "went put set use uses used using include includes included including become becomes became did done cannot can "
    "could may might must shall should will would ought need needs since due owing thanks because so though although "
    "while whereas however still yet already even well very much many more most less least one ones thing things way "
    "part kind sort total amount number overall altogether namely respectively additionally furthermore moreover "
    "addition besides fact indeed finally lastly firstly secondly summary conclusion general particular particularly "
    "especially specifically notably importantly interestingly generally typically usually likely possibly perhaps "
    "probably mind worth note noting noted notes sure help helps helped study studies research researchers results "
    "others argue argues theory theories suggest suggests show shows shown chief honorable honourable sir dr mr mrs "
    "ms president professor said says say states stated expression phrase term meaning refers refer involves involve "
    "different various certain type types kinds piece pieces area areas people someone person process role instance "
    "example sake whether where when why how what who called named known former formerly latter such other another "
    "same whose within among amongst between laut etwa rund ungefahr wird werden wurde hat ist sind war waren als "
    "auch nur sowie selon environ quelque ainsi meme plus est sont etait ont fait segun unos unas cerca mas esta fue "
    "ha han"
)
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
