"""Whether a claim says of one thing what its source says of another: roles and numbers that have changed places."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from .agreement import agree
from .date import Date
from .mismatch import FactMismatch
from .quantity import Quantity
from .term import Term, sentences
from .vocabulary import vocabulary

_SHARED = 0.75
"""Share of a claim's content words that the sentence must have whose words are in another order."""

_LONGEST, _FEWEST, _MOST = 3, 3, 40
"""Content words of what changes places, and of a sentence that is compared."""

_ARTICLES = vocabulary(
    "the a an der die das den dem des ein eine einen einem einer le la les el los las il lo gli de l"
)
_FRAMES = vocabulary(
    "in on at to from of for with by into than as about over under against between after before since during through "
    "an auf aus bei fur gegen mit nach seit uber unter von vor zu zum zur vom im am als durch dans en sur a au aux du "
    "par pour avec sans des del al por para con di da per tra met van voor op te"
)
"""Words that say what part something has in a sentence: who gets it, where or when it is."""

_SEPARATORS = vocabulary("and or und oder et ou y o e , ; / & nor sowie")
_AGENTS = vocabulary("by von vom durch par por da door")
_PASSIVES = vocabulary("was were is are been being be wurde wurden wird werden worden ete est sont fue fueron werd")
_MUTUAL = vocabulary(
    "meet meets met marry married marries border borders bordered resemble resembles differ differs differed equal "
    "equals associated association linked link related relation correlated correlation connected connects connect "
    "between both together each same similar identical respectively compared joined cooperate collaborated adjacent "
    "verbunden verbindet verbinden grenzt heiratete traf gleich zwischen beide gemeinsam entspricht jeweils mutual "
    "met merged confused alongside near next like than"
)
"""Words of what is said of either side as of the other."""

_FROM, _TO = vocabulary("from von de desde da van"), vocabulary("to auf bis zu a hasta naar")
_NEAR = 2
_LITTLE = 0.3
"""Share of a claim that a sentence may have which speaks of something else."""

_ROW = 4

_MEASURES: dict[str, str] = {
    word: listed.split()[0]
    for listed in (
        "deep depth tief tiefe profond", "wide broad width breit breite large",
        "long length lang lange", "high tall height hoch hohe haut", "thick dick epais",
    )
    for word in listed.split()
}  # fmt: skip


def differing(
    claim: Sequence[Term],
    span: Sequence[Term],
    numbers: tuple[Sequence[Quantity], Sequence[Quantity]],
    dates: tuple[Sequence[Date], Sequence[Date]],
) -> Iterator[FactMismatch]:
    """Yield what of a claim stands in its source, but in the place of something else."""
    found = [*_roles(claim, span), *_exchanged(claim, span, *numbers), *_bound_to(span, numbers, dates)]
    found += [*_elsewhere(claim, span, dates), *_in_another_row(span, numbers, dates[0])]
    yield from found[:1]
    yield from _measured(claim, span, *numbers)


def _roles(claim: Sequence[Term], span: Sequence[Term]) -> Iterator[FactMismatch]:
    """Yield two things of a sentence that have changed places around what is said of them."""
    others = sentences(span)
    for one in sentences(claim):
        stems = {term.stem for term in one if term.stem}
        if len(stems) < _FEWEST:
            continue
        shares = [(len(stems.intersection(term.stem for term in other)), other) for other in others]
        most = max((share for share, _ in shares), default=0)
        if most < _SHARED * len(stems):
            continue
        found = [_swapped(one, other) for share, other in shares if share == most]
        if found and all(found):
            yield found[0][0]
            return


def _swapped(one: Sequence[Term], other: Sequence[Term]) -> list[FactMismatch]:
    if any(term.folded in _MUTUAL for term in one) or _is_passive(one) != _is_passive(other):
        return []
    if _suffers(one) != _suffers(other):
        return []
    mine, theirs = _apart(one, other)
    sizes = _blocks([one[index].stem for index in mine], [other[index].stem for index in theirs])
    if sizes is None:
        return []
    first, last = sizes
    if _listed(one, mine, first, last) or _listed(other, theirs, last, first):
        return []
    if _commas(one[mine[0] : mine[-1]]) != _commas(other[theirs[0] : theirs[-1]]):
        return []
    if not _exchange(one, other, (mine[0], mine[-last]), (theirs[0], theirs[-first])):
        return []
    what, found = f"{one[mine[0]].text} … {one[mine[-1]].text}", f"{other[theirs[0]].text} … {other[theirs[-1]].text}"
    return [FactMismatch("quantifier", what, found, opposed=True)]


def _apart(one: Sequence[Term], other: Sequence[Term]) -> tuple[list[int], list[int]]:
    """Return the places of the common words of two sentences, from the first in which their orders differ to the last.

    Both empty where they are too few or too many.
    """
    mine, theirs = _shared(one, other), _shared(other, one)
    if not _FEWEST <= len(mine) == len(theirs) <= _MOST:
        return [], []
    low, high = 0, len(mine)
    while low < high and one[mine[low]].stem == other[theirs[low]].stem:
        low += 1
    while high > low and one[mine[high - 1]].stem == other[theirs[high - 1]].stem:
        high -= 1
    return mine[low:high], theirs[low:high]


def _blocks(left: Sequence[str], right: Sequence[str]) -> tuple[int, int] | None:
    """Return how many words at either end of one list have changed places in the other around what stays between."""
    for first in range(1, _LONGEST + 1):
        for last in range(1, min(_LONGEST + 1, len(left) - first)):
            if (left[:first], left[first:-last], left[-last:]) == (right[-first:], right[last:-first], right[:last]):
                return first, last
    return None


def _commas(terms: Sequence[Term]) -> int:
    return sum(term.folded in (",", ";") for term in terms)


def _shared(one: Sequence[Term], other: Sequence[Term]) -> list[int]:
    """Return the places of the content words that both sentences have once."""
    mine, theirs = (Counter(term.stem for term in terms) for terms in (one, other))
    return [index for index, term in enumerate(one) if term.stem and mine[term.stem] == theirs[term.stem] == 1]


def _listed(terms: Sequence[Term], places: Sequence[int], first: int, last: int) -> bool:
    """Say whether what changes places are members of a list: something sets both apart from what is between them."""
    gaps = ((places[first - 1], places[first]), (places[-last - 1], places[-last]))
    return all(any(term.folded in _SEPARATORS for term in terms[low:high]) for low, high in gaps)


def _exchange(one: Sequence[Term], other: Sequence[Term], mine: tuple[int, int], theirs: tuple[int, int]) -> bool:
    """Say whether two things have the part of one another, and were not moved with the words that say their part."""
    moved = [(_frame(one, mine[0]), _frame(other, theirs[1])), (_frame(one, mine[1]), _frame(other, theirs[0]))]
    placed = [(_frame(one, mine[0]), _frame(other, theirs[0])), (_frame(one, mine[1]), _frame(other, theirs[1]))]
    if any(frame != found for (frame, _), (found, _) in placed):
        return False
    german = any(article in ("der", "die", "das", "den", "dem") for pair in moved for _, article in pair)
    return not german or all(article != found for (_, article), (_, found) in moved)


def _frame(terms: Sequence[Term], index: int) -> tuple[str, str]:
    """Return the preposition that a word stands behind and its article, each empty where there is none."""
    owner = "'s" if terms[index].folded.endswith("'s") else ""
    article = ""
    for term in reversed(terms[max(0, index - 3) : index]):
        if term.folded in _FRAMES:
            return term.folded, article
        if term.folded in _ARTICLES:
            article = article or term.folded
        else:
            break
    return owner, article


def _is_passive(terms: Sequence[Term]) -> bool:
    folded = [term.folded for term in terms]
    acts = next((index for index, word in enumerate(folded) if word in _PASSIVES), len(folded))
    return any(word in _AGENTS for word in folded[acts:])


def _suffers(terms: Sequence[Term]) -> bool:
    """Say whether a sentence has a verb in the passive, with or without who acts."""
    return any(one.folded in _PASSIVES and two.folded.endswith("ed") for one, two in pairwise(terms))


def _exchanged(
    claim: Sequence[Term], span: Sequence[Term], mine: Sequence[Quantity], theirs: Sequence[Quantity]
) -> Iterator[FactMismatch]:
    """Yield two numbers of one kind each of which has in the source the neighbours of the other."""
    held = {one.first: [other for other in theirs if agree(one, other)] for one in mine}
    single = [(one, held[one.first][0]) for one in mine if len(held[one.first]) == 1]
    inside = {at for one in mine for at in range(one.first, one.last + 1)}
    within = {at for one in theirs for at in range(one.first, one.last + 1)}
    for (one, its), (two, other) in combinations(single[:12], 2):
        together = claim[one.first].sentence == claim[two.first].sentence
        if not together or span[its.first].sentence != span[other.first].sentence or its.first == other.first:
            continue
        if (one.dimension and two.dimension and one.dimension != two.dimension) or one.raw == two.raw:
            continue
        around = [_around(claim, quantity, inside) for quantity in (one, two)]
        found = [_around(span, quantity, within) for quantity in (its, other)]
        straight = _fits(around[0], found[0]) + _fits(around[1], found[1])
        crossed = _fits(around[0], found[1]) + _fits(around[1], found[0])
        ways = [_way(claim, one), _way(claim, two)], [_way(span, its), _way(span, other)]
        turned = all(all(way) for way in ways) and ways[0] == ways[1][::-1] and ways[0][0] != ways[0][1]
        mutual = any(term.folded in _MUTUAL for term in claim[max(0, one.first - 3) : two.last + 3])
        if turned or (not mutual and not straight and crossed > 1):
            yield FactMismatch("quantifier", f"{one.text} … {two.text}", f"{other.text} … {its.text}", opposed=True)
            return


def _around(terms: Sequence[Term], one: Quantity, inside: set[int]) -> tuple[set[str], set[str]]:
    """Return the words just before and just behind a number, of its sentence, without those of other numbers."""
    sides = range(max(0, one.first - _NEAR), one.first), range(one.last + 1, min(len(terms), one.last + 1 + _NEAR))
    sentence = terms[one.first].sentence
    before, after = (
        {
            terms[at].stem or terms[at].folded
            for at in side
            if at not in inside and terms[at].sentence == sentence and terms[at].text.isalpha()
        }
        - _ARTICLES
        - {"and", "und"}
        for side in sides
    )
    return before, after


def _fits(one: tuple[set[str], set[str]], other: tuple[set[str], set[str]]) -> int:
    return len(one[0] & other[0]) + len(one[1] & other[1])


def _way(terms: Sequence[Term], one: Quantity) -> str:
    """Return whether a number is where a change begins or where it ends."""
    before = terms[one.first - 1].folded if one.first else ""
    return "from" if before in _FROM else "to" if before in _TO else ""


def _bound_to(
    span: Sequence[Term],
    numbers: tuple[Sequence[Quantity], Sequence[Quantity]],
    dates: tuple[Sequence[Date], Sequence[Date]],
) -> Iterator[FactMismatch]:
    """Yield a number and a year of a claim that in the source go with another year and another number."""
    if len(numbers[0]) != 1 or len(dates[0]) != 1 or any(term.folded == "respectively" for term in span):
        return
    one, day = numbers[0][0], dates[0][0]
    pieces = _pieces(span)
    held: list[tuple[list[Quantity], list[int | None]]] = []
    for low, high in pieces:
        counted = [other for other in numbers[1] if low <= other.first < high and other.dimension == one.dimension]
        held.append((counted, [other.year for other in dates[1] if low <= other.first < high]))
    if day.year is None or any(len(years) > 1 or len(counted) > 1 for counted, years in held):
        return
    both = [(counted[0], years[0]) for counted, years in held if counted and years]
    fits = [(other, year) for other, year in both if agree(one, other)]
    rival = next((other for other, year in both if year == day.year and not agree(one, other)), None)
    if rival and fits and all(year != day.year for _, year in fits):
        yield FactMismatch("quantifier", f"{one.text} … {day.text}", f"{rival.text} … {day.text}", opposed=True)


def _elsewhere(
    claim: Sequence[Term], span: Sequence[Term], dates: tuple[Sequence[Date], Sequence[Date]]
) -> Iterator[FactMismatch]:
    """Yield a year of a claim that the source gives for something else, and has another for what the claim says."""
    years = {str(one.year) for one in dates[0] if one.year}
    if len(years) != 1 or len({term.sentence for term in claim if term.stem}) != 1:
        return
    year = years.pop()
    stems = {term.stem for term in claim if term.stem} - {year}
    others = {str(one.year) for one in dates[1] if one.year} - {year}
    there, here = -1.0, 0.0
    found = ""
    for sentence in sentences(span):
        said = {term.stem for term in sentence}
        share = len(stems & said) / max(1, len(stems))
        if year in said:
            there = max(there, share)
        elif share > here:
            here, found = share, min(others & said, default="")
    if found and here >= _SHARED and 0 <= there <= _LITTLE:
        yield FactMismatch("date", year, found, opposed=True)


def _in_another_row(
    span: Sequence[Term], numbers: tuple[Sequence[Quantity], Sequence[Quantity]], days: Sequence[Date]
) -> Iterator[FactMismatch]:
    """Yield a number that a table in plain text has in the row of another year only."""
    rows = _rows(span)
    years = {str(day.year) for day in days}
    if not rows or len(years) != 1:
        return
    of_year = [row for row in rows if years.intersection(span[at].text for at in row)]
    cells = {at for row in rows for at in row}
    for one in numbers[0]:
        places = [other.first for other in numbers[1] if agree(one, other)]
        if of_year and places and cells.issuperset(places) and not any(at in row for row in of_year for at in places):
            yield FactMismatch("number", one.text, "", opposed=True)


def _rows(terms: Sequence[Term]) -> list[range]:
    """Return the runs of at least three figures with a comma or semicolon between each and the next."""
    found: list[range] = []
    start = 0
    while start < len(terms):
        end = start
        while (
            end + 2 < len(terms)
            and terms[end + 1].text in ",;"
            and _is_figure(terms[end])
            and _is_figure(terms[end + 2])
        ):
            end += 2
        if end - start >= _ROW:
            found.append(range(start, end + 1))
        start = end + 1
    return found


def _is_figure(term: Term) -> bool:
    return term.text[0].isdecimal()


def _pieces(terms: Sequence[Term]) -> list[tuple[int, int]]:
    """Return the ranges of words between commas, semicolons, conjunctions and sentences."""
    cuts = [0]
    for index in range(1, len(terms)):
        apart = terms[index].folded in (",", ";", "and", "und", "while", "whereas", "but")
        if apart or terms[index].sentence != terms[index - 1].sentence:
            cuts.append(index)
    return [(low, high) for low, high in zip(cuts, [*cuts[1:], len(terms)], strict=True) if high > low]


def _measured(
    claim: Sequence[Term], span: Sequence[Term], mine: Sequence[Quantity], theirs: Sequence[Quantity]
) -> Iterator[FactMismatch]:
    """Yield a length that is the depth in the claim and the width in the source."""
    for one in mine:
        what = _measure(claim, one)
        found = [_measure(span, other) for other in theirs if agree(one, other)]
        if what and found and all(found) and all(_MEASURES[what] != _MEASURES[other] for other in found):
            yield FactMismatch("quantifier", what, found[0], opposed=True)


def _measure(terms: Sequence[Term], one: Quantity) -> str:
    behind = terms[one.last + 1].folded if one.last + 1 < len(terms) else ""
    return behind if behind in _MEASURES and one.dimension else ""
