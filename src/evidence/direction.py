"""Words of which only one can hold: `rise` and `fall`, `north` and `south`, `spring` and `summer`."""

from collections.abc import Iterable
from functools import lru_cache

from .alike import others

_SETS = (
    (
        "increase increased increases increasing increasingly rise rises rose risen rising raise raised "
        "raises grow grows grew grown growing growth climbed climbs gained gains gain surged expanded expands "
        "higher greater larger rallied upward up steigt stieg stiegen gestiegen erhoht erhohte wuchs "
        "gewachsen hoher zunahme anstieg augmente augmenter augmentation hausse subio aumento aumenta crecio "
        "aumentato cresciuto aumentou subiu steeg gestegen groeide toename",
        "decrease decreased decreases decreasing fall falls fell fallen falling drop drops dropped decline "
        "declines declined declining shrank shrunk shrinks reduce reduced reduces reducing reduction lower "
        "lowered lowers smaller downward down cut cuts slumped sinkt sank sanken gesunken fiel fielen "
        "gefallen senkte gesenkt niedriger abnahme ruckgang baisse diminue diminuer diminution bajo disminuyo "
        "redujo diminuito calato ridotto diminuiu caiu daalde gedaald afname",
    ),
    ("more mehr plus mas piu mais meer", "less fewer weniger moins menos meno minder"),
    ("above over exceeds exceeded exceeding uber", "below under beneath unter"),
    (
        "before prior previously vor bevor avant antes prima voor",
        "after afterwards following nach nachdem apres despues dopo depois",
    ),
    (
        "first erste ersten erster premiere premier primera primero prima primo primeira eerste",
        "last final letzte letzten letzter derniere dernier ultima ultimo laatste",
    ),
    (
        "highest tallest largest biggest greatest hochste hochsten grosste grossten",
        "lowest shortest smallest fewest niedrigste kleinste kleinsten",
    ),
    ("oldest older earliest earlier", "newest youngest younger latest later"),
    ("longest longer", "shortest shorter"),
    ("fastest faster quicker", "slowest slower"),
    ("better best improved improves improve", "worse worst worsened worsens worsen"),
    ("maximum", "minimum"),
    ("win wins won winning victory", "lose loses lost losing defeat"),
    ("accept accepted accepts approve approved approves approval", "reject rejected rejects rejection"),
    (
        "allow allowed allows permit permitted permits",
        "forbid forbidden forbids prohibit prohibited prohibits ban banned bans",
    ),
    ("enable enabled enables", "disable disabled disables"),
    ("open opened opens", "close closed closes shut"),
    ("import imported imports importing", "export exported exports exporting"),
    ("buy bought buys buying purchased", "sell sold sells selling divest divests divested"),
    ("north northern norden nordlich nord", "south southern suden sudlich sud"),
    ("east eastern osten ostlich est", "west western westen westlich ouest"),
    ("left", "right"),
    ("positive positively", "negative negatively"),
    ("upper", "lower"),
    ("male males men", "female females women"),
    ("hot hotter hottest warm warmer", "cold colder coldest cool cooler"),
    ("strong stronger", "weak weaker"),
    ("begin began begins begun start started starts starting founded", "end ended ends ending stopped ceased"),
    ("include included includes including", "exclude excluded excludes excluding"),
    ("true", "false"),
    ("confirm confirmed confirms", "deny denied denies"),
    ("support supported supports favour favor", "oppose opposed opposes"),
    ("gain gains gained profit profits", "loss losses"),
    ("success succeeded succeeds", "failure fail failed fails"),
    ("majority", "minority"),
    ("heavier heaviest", "lighter lightest"),
    ("rich richer", "poor poorer"),
    ("always", "never"),
    ("human humans", "mice mouse rats animals monkeys"),
    ("alive", "dead died"),
    ("deep depth tief tiefe profond", "wide width breit breite", "high tall height hoch hohe haut", "thick dick epais"),
    ("same identical", "different"),
    ("public", "private"),
    ("present", "absent"),
    ("accelerate accelerated accelerates", "slow slowed slows"),
    ("strengthened strengthens", "weakened weakens"),
    ("compatible", "incompatible contrary"),
    ("backward backwards", "forward forwards"),
    ("remain remains remained stayed stays", "leaves withdrawn resigned resigns withdraw withdraws"),
    ("mandatory compulsory obligatory", "voluntary optional"),
    ("permanent permanently", "temporary temporarily preliminary"),
    ("permitio permite permitido autorizo", "prohibio prohibe prohibido"),
    ("alto altos alta altas mayor mejor", "bajo bajos baja bajas menor peor"),
    ("autorise autorisee permet permis", "interdit interdite interdits"),
    ("haut haute eleve elevee", "bas basse faible"),
    ("erlaubt erlaubte zulassig gestattet", "verboten untersagt verbot untersagte unzulassig"),
    ("offnen offnet geoffnet offnete", "schliessen schliesst geschlossen schloss"),
    ("winter", "spring", "summer", "autumn"),
    ("winters", "fruhling fruhjahr", "sommer sommers", "herbst"),
    ("hiver", "printemps", "ete", "automne"),
    ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    ("brother", "sister", "father", "mother", "son", "daughter", "wife widow", "husband"),
    ("children", "adults"),
    ("keep keeps kept retain retains retained", "sell sells sold divest divests divested spin spins spun"),
    ("survive survives survived", "die dies died"),
)
PARTICLES = (("on", "off"), ("in", "out"), ("with", "without"), ("up", "down"), ("for", "against"),
           ("into", "out of"))  # fmt: skip
"""Small words of which one between the same words as the other says the opposite; elsewhere they say nothing."""

_KNOWN: dict[str, tuple[tuple[int, int], ...]] = {}
for _number, _members in enumerate(_SETS):
    for _side, _listed in enumerate(_members):
        for _word in _listed.split():
            _KNOWN[_word] = (*_KNOWN.get(_word, ()), (_number, _side))

Pull = tuple[int, int, str]
"""The set that a word belongs to, its place there, and the word."""


def pulls(folded: Iterable[str]) -> tuple[Pull, ...]:
    """Return the directions that some folded words name, in order."""
    return tuple((pair, side, word) for word in folded for pair, side in _named(word))


@lru_cache(maxsize=20_000)
def _named(word: str) -> tuple[tuple[int, int], ...]:
    """Return the sides that a word is on; one that is in no set is where all that may stand for it are."""
    if word in _KNOWN:
        return _KNOWN[word]
    sides: dict[int, set[int]] = {}
    for other in others(word):
        for pair, side in _KNOWN.get(other, ()):
            sides.setdefault(pair, set()).add(side)
    return tuple((pair, min(found)) for pair, found in sides.items() if len(found) == 1)


def opposites(one: Iterable[Pull], other: Iterable[Pull]) -> list[tuple[str, str]]:
    """Return the words that name opposite directions; a set of which one text names several says nothing."""
    mine, theirs = _sides(one), _sides(other)
    return [
        (mine[pair][0][1], theirs[pair][0][1])
        for pair in mine
        if pair in theirs and len(mine[pair]) == len(theirs[pair]) == 1 and mine[pair][0][0] != theirs[pair][0][0]
    ]


def _sides(found: Iterable[Pull]) -> dict[int, list[tuple[int, str]]]:
    sides: dict[int, list[tuple[int, str]]] = {}
    for pair, side, word in found:
        listed = sides.setdefault(pair, [])
        if side not in [known for known, _ in listed]:
            listed.append((side, word))
    return sides
