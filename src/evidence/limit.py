"""Whether a claim says more than its source: all for most, is for may be, because for and."""

from collections.abc import Iterator, Sequence

from .mismatch import FactMismatch
from .term import Term
from .vocabulary import vocabulary

_QUANTIFIERS = {
    "all": "all every each alle jeder jede jedes tous toutes todos todas tutti tutte allen",
    "most": "most meisten plupart mayoria",
    "some": "some few several many einige manche wenige viele mehrere quelques algunos alcuni sommige",
    "none": "no kein keine keinen keiner keinem keines aucun aucune ningun ninguna nessun nessuna geen",
    "only": "only nur",
}
_RANK = {word: rank for rank, listed in _QUANTIFIERS.items() for word in listed.split()}
_STRONGER = {
    "all": {"most", "some", "none", "only"}, "most": {"some", "none"}, "none": {"all", "most", "some", "only"},
    "only": {"all", "most", "some", "none"}, "": {"none"},
}  # fmt: skip
"""What a source may not say of the same noun of which a claim says the first."""

_ALWAYS = vocabulary("always never immer nie niemals toujours jamais siempre nunca sempre mai altijd nooit")
_OFTEN = vocabulary(
    "often usually sometimes generally mostly typically normally frequently mainly occasionally oft meist meistens "
    "manchmal haufig gelegentlich souvent parfois veces spesso vaak soms"
)
_ONLY = vocabulary("only nur solely exclusively ausschliesslich lediglich seulement solamente soltanto slechts")
_MAINLY = vocabulary("most mostly mainly mainly largely primarily chiefly meisten meist vorwiegend hauptsachlich")

_LIMITS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "modal": (
        vocabulary("may might perhaps possibly allegedly supposedly reportedly angeblich vielleicht konnte konnten"),
        vocabulary(
            "may might could can cannot perhaps possible possibly potential potentially probably likely allowed allow "
            "allows permits permitted risk would should must suggest suggests suggested if unclear allegedly "
            "supposedly reportedly said says reported according kann konnen konnte "
            "konnten durfen darf vielleicht moglich "
            "moglicherweise angeblich wohl laut soll sollen up capable able chance danger threat threaten threatens "
            "expected hypothesis thought believed considered permission optional optionally"
        ),
    ),
    "plan": (
        vocabulary(
            "expected expects expect plan plans planned planning intends intended intend aims aimed aim hopes hoped "
            "proposed proposes scheduled wants wanted seeks sought recommended recommends recommend forecast projected "
            "predicted promised pledged vowed considering geplant plant planen vorgeschlagen soll sollen wollte will "
            "beabsichtigt empfohlen empfahl prevu prevue prevoit vise propose planea preve previsto propuso"
        ),
        vocabulary(
            "expected expects expect expectation plan plans planned planning intends intended intend intention aims "
            "aimed aim hopes hoped hope proposed proposes proposal propose scheduled schedule wants wanted want seeks "
            "sought seek recommended recommends recommend recommendation advised advises advise forecast forecasts "
            "projected predicted predicts promised pledged vowed considering would will should could may might must "
            "shall due goal target objective likely set suggested suggests put called urged "
            "geplant plant planen vorgeschlagen soll sollen sollte will wollte wird werde beabsichtigt empfohlen "
            "empfahl vorhaben plante prevu prevue prevoit vise propose objectif planea preve previsto propuso objetivo"
        ),
    ),
    "view": (
        vocabulary("argued argues claimed claims alleged alleges contended contends speculated denied denies"),
        vocabulary(
            "argued argues argue argument claimed claims claim alleged alleges allegedly contended contends speculated "
            "said says say according believed believes believe thought thinks view opinion maintained insisted insists "
            "stated states asserted asserts suggested suggests proposed held called described criticised criticized "
            "denied denies considered regarded saw sees warned told reported denying maintain maintains attributed "
            "blamed accused charged complained felt see because defended opposed eyes"
        ),
    ),
    "refusal": (
        vocabulary("refused refuses declined failed fails"),
        vocabulary(
            "refused refuses refuse refusal declined declines decline failed fails failure fail not no never without "
            "n't unable did didn't rejected rejects would could nobody none nor neither"
        ),
    ),
    "link": (
        vocabulary("associated correlated correlates correlation"),
        vocabulary(
            "associated association linked link links correlated correlates correlation related relationship tied tend "
            "tends tended connected connection together among had have has showed"
        ),
    ),
    "some": (
        vocabulary("some few einige manche wenige certain"),
        vocabulary(
            "some few several many certain number part partly partially sometimes minority half other others einige "
            "manche wenige mehrere viele most majority group groups various not a an one two three four five handful "
            "little any no none selected"
        ),
    ),
}  # fmt: skip
"""Words that limit what a source says, by kind, and those by which a claim says that it is limited."""

_CAUSES = vocabulary(
    "because caused causes causing due led leads wegen verursacht verursachte verursachten verursachen aufgrund owing"
)
_DUE = frozenset({"due"})
"""What also says that something is planned: `due to open`."""

_CAUSAL = _CAUSES | vocabulary(
    "cause lead leading result resulted results resulting made make makes making as since so therefore thus hence "
    "after reason reasons why by weil da denn durch infolge dank fuhrte fuhrt fuhren fuhrten consequence consequently "
    "consequences effect effects affected affects attributable attributed thanks trigger triggered triggers produce "
    "produces produced drove drives driven forced if when contributed contributes contributing helped helps prevented "
    "prevents through without means allow allows allowed left responsible blame blamed meant "
    "until once ursache grund grunde folge folgen deshalb daher darum um damit nachdem lassen liess "
    "creates created creating explain explains explained brought brings gave gives giving blaming source wenn sodass "
    "car parce cause grace suite porque por debido causa gracias perche poiche causato doordat omdat want door"
)
_RATES = {
    word: listed.split()[0]
    for listed in (
        "year annually annual yearly jahr jahrlich jahrliche jahrlichen annuel annuelle an ano anual",
        "month monthly monat monatlich monatliche mensuel mois mes mensual",
        "week weekly woche wochentlich semaine hebdomadaire semana",
        "day daily tag taglich tagliche jour quotidien dia diario",
        "hour hourly stunde stundlich heure hora",
        "minute minuten minuto", "second sekunde seconde segundo",
    )
    for word in listed.split()
}  # fmt: skip
"""Periods and the words for what there is in each, by the English noun."""

_ADVERBS = frozenset(_RATES) - vocabulary(
    "year jahr an ano month monat mois mes week woche semaine semana day tag jour dia "
    "hour stunde heure hora minute minuten minuto second sekunde seconde segundo"
)
_EACH = vocabulary("per each every pro par por /")
_WITH = vocabulary("with mit avec con com met including having")
_WITHOUT = vocabulary("without ohne sans sin senza sem zonder lacking")
_SKIPPED = vocabulary(
    "of the a an der die das den dem des any these those this that its their his her our von unter de la le les du el "
    "los las such all"
)
_REACH = 4
_THAT = vocabulary("that dass que che dat")
_THAT_REACH = 16
_BUT = vocabulary("but while whereas aber wahrend mais pero")
_LEAST_SHARED = 2


def differing(claim: Sequence[Term], span: Sequence[Term], context: Sequence[Term]) -> Iterator[FactMismatch]:
    """Yield where a claim says more than the source, which limits it, or the opposite of it."""
    mine, theirs = {term.folded for term in claim}, {term.folded for term in span}
    stems = {term.stem for term in claim if term.stem}
    yield from _quantified(claim, span)
    yield from _accompanied(claim, span)
    always, often = mine & _ALWAYS, theirs & _OFTEN
    if always and often and not theirs & _ALWAYS and not mine & _OFTEN:
        yield FactMismatch("quantifier", min(always), min(often), limits=True)
    if mine & _ONLY and theirs & _MAINLY and not theirs & _ONLY and not mine & _MAINLY:
        yield FactMismatch("quantifier", min(mine & _ONLY), min(theirs & _MAINLY), limits=True)
    yield from _limited(mine, stems, span)
    yield from _rated(claim, span)
    caused = mine & _CAUSES - (_DUE if theirs & _LIMITS["plan"][0] else frozenset())
    if caused and not (theirs | {term.folded for term in context}) & _CAUSAL:
        yield FactMismatch("quantifier", min(caused), limits=True)


def _rated(claim: Sequence[Term], span: Sequence[Term]) -> Iterator[FactMismatch]:
    """Yield what a claim says of each period and the source of another, or of none."""
    mine, theirs = _rates(claim), _rates(span)
    if mine and theirs and mine.keys().isdisjoint(theirs):
        yield FactMismatch("unit", next(iter(mine.values())), next(iter(theirs.values())), opposed=True)
    elif (
        mine.keys() - {"second", "minute"}
        and not theirs
        and not any(term.folded in _RATES or term.folded in _EACH for term in span)
    ):
        yield FactMismatch("quantifier", next(iter(mine.values())), limits=True)


def _rates(terms: Sequence[Term]) -> dict[str, str]:
    """Return the periods of which a text says what there is in each, and how: `200 litres a day`, `per year`."""
    found: dict[str, str] = {}
    for index, term in enumerate(terms):
        period = _RATES.get(term.folded)
        if period is None:
            continue
        before = [one.folded for one in terms[max(0, index - 4) : index]]
        counted = any(word[0].isdecimal() for word in before)
        if term.folded in _ADVERBS or (before[-1:] == ["a"] and counted) or set(before[-2:]) & _EACH:
            found.setdefault(period, term.text)
    return found


def _ranked(terms: Sequence[Term]) -> dict[str, tuple[str, str]]:
    """Return how many of a noun are meant, by the word before it: its rank and the word; an empty rank for no word."""
    found: dict[str, tuple[str, str]] = {}
    for index, term in enumerate(terms):
        rank = _RANK.get(term.folded, "")
        before = terms[index - 1].folded if index else ""
        if not rank or before == "at" or (rank == "only" and before in _SKIPPED):
            continue
        meant = False
        for behind in terms[index + 1 : index + 1 + _REACH]:
            if behind.stem and behind.folded not in _RANK and not behind.text[0].isdigit():
                found.setdefault(behind.stem, (rank, term.folded))
                if meant or rank == "most":
                    break
                meant = True  # the word behind it may be the noun, and this its adjective
            elif meant or behind.folded not in _SKIPPED:
                break
    return found


def _quantified(claim: Sequence[Term], span: Sequence[Term]) -> Iterator[FactMismatch]:
    """Yield a quantifier that says more of a noun than the one of the source: `all dams` for `most dams`."""
    mine, theirs = _ranked(claim), _ranked(span)
    stems = {term.stem for term in claim}
    for stem, (rank, word) in mine.items():
        found = theirs.get(stem)
        if found and found[0] in _STRONGER.get(rank, ()):
            opposed = "none" in (rank, found[0])
            shared = stems & {term.stem for term in span} - {""}
            if len(shared) >= _LEAST_SHARED:
                yield FactMismatch("quantifier", word, found[1], opposed=opposed, limits=not opposed)
                return
        bare = not found and rank == "most"
        if bare and any(term.stem == stem for term in span) and not _counts(span):
            yield FactMismatch("quantifier", word, limits=True)
            return


def _counts(span: Sequence[Term]) -> bool:
    """Say whether a text has any word for how many there are."""
    return any(term.folded in _RANK or term.text in ("%", "½") or term.folded in _SHARES for term in span)


_SHARES = vocabulary(
    "percent prozent half majority mostly mainly largely predominantly usually two-thirds three-quarters per mehrheit "
    "vor hauptsachlich more mehr out largest greater bulk chiefly primarily generally overwhelmingly"
)


def _accompanied(claim: Sequence[Term], span: Sequence[Term]) -> Iterator[FactMismatch]:
    """Yield `without` before what the source has `with`, or the other way round; not where either has both."""
    if any(
        {term.folded for term in terms} & _WITHOUT and {term.folded for term in terms} & _WITH
        for terms in (claim, span)
    ):
        return
    for ours, others in ((_WITH, _WITHOUT), (_WITHOUT, _WITH)):
        mine, theirs = _behind(claim, ours), _behind(span, others)
        for stem in mine.keys() & theirs.keys() - _behind(span, ours).keys() - _behind(claim, others).keys():
            yield FactMismatch("negation", mine[stem], theirs[stem], opposed=True)
            return


def _behind(terms: Sequence[Term], words: frozenset[str]) -> dict[str, str]:
    """Return the content word right behind each of some words, and which of them."""
    found: dict[str, str] = {}
    for index, term in enumerate(terms):
        if term.folded in words:
            stem = next((one.stem for one in terms[index + 1 : index + 1 + _REACH] if one.stem), "")
            if stem:
                found[stem] = term.folded
    return found


def _limited(mine: set[str], stems: set[str], span: Sequence[Term]) -> Iterator[FactMismatch]:
    """Yield a word of the source that limits what the claim says without it."""
    for words, excused in _LIMITS.values():
        if mine & excused:
            continue
        for index, term in enumerate(span):
            if term.folded not in words or (term.text[0].isupper() and term.folded == "may"):
                continue
            ahead = _ahead(span, index)
            if ahead and stems.issuperset(ahead[: 1 + (len(stems) > _LEAST_SHARED)]):
                yield FactMismatch("quantifier", "", term.folded, limits=True)
                return


def _ahead(span: Sequence[Term], index: int) -> list[str]:
    """Return the first two content words that a word limits, those behind `that` where it follows; one of a clause."""
    that = range(index + 1, min(len(span), index + _THAT_REACH))
    start = next((at for at in that if span[at].folded in _THAT), index)
    found: list[str] = []
    for term in span[start + 1 : start + 1 + 2 * _REACH]:
        if found and (term.text in ",;:" or term.folded in _BUT):
            break
        if term.stem:
            found.append(term.stem)
    return found[:2]
