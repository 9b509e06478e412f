"""What a sentence claims: whether it asserts anything about the world, and the single assertions in it."""

import re
from collections.abc import Callable

from ..kernel.one_line import one_line
from ..kernel.term import terms
from .lexicon import GRAMMAR, table
from .relevance import roots

FEWEST_STATED = 4
"""Content words from which what is no sentence states something all the same."""

FEWEST_TERMS = 2
"""Content words from which a text asserts something."""

_SHORT_NUMBER = 2
"""Digits of a number that may but count parts of the text: `Step 2`, `Table 12`."""

LONGEST_LABEL = 4
"""Words up to which a text without a full stop and without a verb is a label."""

_SOURCES = (
    r"(?:the |these |those |our |any |none of the |die |diese |den |les |ces |las |los |le |i |as |os |de |deze )?"
    r"(?:given |provided |available |cited |vorliegenden |fournies |disponibles? |disponibili |disponíveis )?"
    r"(?:sources?|passages?|documents?|excerpts?|evidence|search results|materials?|references?"
    r"|quellen?|textstellen|dokumente|unterlagen|fuentes|pasajes|documentos|fonti|passi|documenti|fontes|passagens"
    r"|bronnen|passages|documenten)"
)
_SAY = (
    r"(?:(?:say|state|mention|provide|contain|cover|report|give|include|name|answer|indicate|describe|explain|offer"
    r"|support|reveal|show|agree|disagree)s?|specif(?:y|ies)|address(?:es)?|discuss(?:es)?|sagen|nennen|erwähnen|enthalten|geben|beschreiben"
    r"|belegen|behandeln|disent|mentionnent|précisent|contiennent|indiquent|donnent|dicen|mencionan|indican|contienen"
    r"|especifican|dan|dicono|menzionano|indicano|contengono|specificano|dizem|mencionam|indicam|contêm|especificam"
    r"|zeggen|vermelden|noemen|bevatten|geven|beschrijven)"
)
_NO = r"(?:do(?:es)? not|did not|don't|doesn't|didn't|cannot|can't|ne|no|non|não|nicht|keine?n?|niet|geen)"
_NONE = r"(?:no|nothing|keine?n?|nichts|nicht|geen|niets|niet|rien|nada|nulla)"
_NOTHING_FOUND = re.compile(
    rf"{_SOURCES}\b[^.;]{{0,60}}?\b(?:{_NO}\b[^.;]{{0,30}}?\b{_SAY}|{_SAY} (?:\w+ )?{_NONE})\b"
    rf"|\b(?:none|neither|keine?r?|aucune?|ninguna|nessuna|nenhuma|geen) (?:of |der |des |de |van )?{_SOURCES}\b"
    rf".{{0,20}}\b{_SAY}"
    r"|\bno (?:\w+ ){0,2}(?:sources?|passages?|evidence(?! (?:of|for|that|against)\b)|information|documents?|answers?"
    r"|data)\b[^.;]{0,30}?"
    r"\b(?:found|available|given|provided|retrieved)\b"
    rf"|\bno evidence\b[^.;]{{0,80}}?\b(?:found|available|given|provided) in {_SOURCES}"
    r"|\b(?:not|nothing) (?:\w+ ){0,2}(?:found|stated|mentioned|specified|covered|answered) (?:in|by) (?:the|any)\b"
    r"|\b(?:es )?(?:fand|fanden|wurden?) (?:sich )?keine?n? (?:\w+ ){0,2}(?:quellen?|stellen?|angaben|informationen)\b"
    r"|\baucune (?:source|information|donnée)\b[^.;]{0,30}?\btrouvée?\b"
    r"|\bno se (?:encontr|hall)\w+ (?:\w+ ){0,2}(?:fuentes|información|datos)\b"
    r"|\bnon (?:è|sono) stat[aei] trovat[aei]\b|\bnão (?:foi|foram) encontrad[ao]s?\b"
    r"|\ber (?:is|zijn|werd|werden) geen (?:\w+ ){0,2}(?:bronnen|informatie|gegevens)\b",
    re.IGNORECASE,
)
_ITSELF = (
    r"(?:section|report|chapter|summary|overview|table|list|paragraph|comparison|answer|abschnitt|bericht|kapitel"
    r"|zusammenfassung|überblick|übersicht|tabelle|liste|rapport|chapitre|résumé|aperçu|tableau|sección|informe|capítulo"
    r"|resumen|tabla|lista|sezione|rapporto|relazione|capitolo|sintesi|tabella|elenco|seção|secção|relatório|resumo"
    r"|tabela|sectie|hoofdstuk|samenvatting|overzicht|tabel|lijst)"
)
_ABOUT_ITSELF = re.compile(
    rf"(?:in |im |in der |dans |en |nella |nel |na |no )?(?:this|the (?:following|next|previous|present|remaining)"
    rf"|diese[rsm]?|der folgende|die folgende|das folgende|ce|cette|le présent|esta?|este|la siguiente|el siguiente"
    rf"|quest[aoe]|la seguente|il seguente|a seguinte|o seguinte|deze|dit|de volgende|het volgende)"
    rf" (?:\w+ )?{_ITSELF}\b"
    r"|(?:below|above|here|hier|unten|voici|ci-dessous|a continuación|di seguito|abaixo|hieronder)"
    r" (?:is|are|you|we|sind|ist|folgt|folgen|se|sono|estão|volgt|volgen|l[ae]s?|un|une)\b"
    r"|(?:the following|the (?:points|sections) (?:below|above))\b[^.]{0,60}$"
    r"|(?:let us|let's|we (?:now |will |first |then )+|next, we|now we|having (?:seen|covered|looked))\b"
    r"|(?:i hope|feel free|please (?:note that you|feel|see|refer|consult|let)|see (?:also|the section|below)\b)",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|will|may|must|does|did|ist|sind|war|waren|hat|haben|wird|werden|wurde|est"
    r"|sont|était|ont|es|son|era|fue|ha|han|è|sono|foi|são|tem|zijn|heeft|hebben|wordt|worden|werd)\b",
    re.IGNORECASE,
)
_ENDED = re.compile(r"[.!…。！।؟۔][\"'”’»)\]*_」』]*$")
_MARKUP = re.compile(r"https?://\S+|\[\^?\d[\d,;\s^–-]{0,24}\]|^\s*(?:[-*+•>]|\d{1,3}[.)])\s+", re.MULTILINE)
_HEADING = re.compile(r"\s*#{1,6}(?:\s|\Z)")
_TELLS = re.compile(r"\d|\b(?:that|dass|que|che|dat)\b", re.IGNORECASE)
"""What a remark of a text on itself does not have: a number, or what it then says."""

_WORD = re.compile(r"[^\W\d_][\w'’-]*")

_CLAUSE = re.compile(
    r"\s*;\s+|,?\s+(?=whereas\b|wohingegen\b|tandis que\b|mientras que\b)"
    r"|,\s+(?=(?:and |und |et |y |e |en )?(?:but|while|although|though|yet|which|aber|während|obwohl|mais|alors que"
    r"|pero|mientras|aunque|ma|mentre|mas|enquanto|embora|maar|terwijl|hoewel)\b)"
    r"|,\s+(?=(?:und|et)\s)"
    r"|,?\s+and\s+(?=(?:(?:it|they|he|she|this|these|there|we)\s|(?:(?:the|a|an|its|their|his|her)\s+)?"
    r"(?:[\w'’-]+\s+){0,4}?(?:is|are|was|were|has|have|had|can|will|may|must|does|did)\s))"
)
"""Where one assertion of a sentence ends and the next begins; a relative clause is one of its own."""

_MEMBER = re.compile(r"\s*,\s+(?:and\s+|und\s+|et\s+|y\s+|e\s+|en\s+)?|\s+(?:and|und|et)\s+")


_FURNITURE = roots(" ".join([*table("furniture").values(), *GRAMMAR]))
"""Words that say nothing of their own in a heading, a question, a caption or a lead-in: roots, in seven languages."""


def is_claim(text: str) -> bool:
    """Say whether a sentence asserts something about the world, so that a source must support it.

    Questions, headings, labels, remarks about the text itself or about what its sources lack, and courtesies assert
    nothing; in English, German, French, Spanish, Italian, Portuguese and Dutch. What is unclear is a claim, and so is a
    question or what leads to a list when it states a number in passing.
    """
    plain = one_line(_MARKUP.sub(" ", text[:10_000])).strip("*_~ ")
    if _HEADING.match(text) or len(terms(plain)) < FEWEST_TERMS:
        return False
    if plain.endswith(("?", "？", "؟", ":", "：")):
        return any(char.isdigit() for char in plain) and len(terms(plain)) >= FEWEST_STATED
    clauses = [part for part in _CLAUSE.split(plain) if len(terms(part)) >= FEWEST_TERMS] or [plain]
    return not _is_label(plain) and not all(map(_says_nothing, clauses))


def beyond(text: str, known: frozenset[str] = frozenset()) -> frozenset[str]:
    """Return the roots of the words by which a text says more than what is known, and than that nothing was found."""
    plain = _NOTHING_FOUND.sub(" ", one_line(_MARKUP.sub(" ", text[:10_000]))).strip("*_~ ")
    remark = _ABOUT_ITSELF.match(plain)
    found = roots(plain[remark.end() :] if remark else plain) - known - _FURNITURE
    return frozenset(root for root in found if len(root) > _SHORT_NUMBER or not root.isdigit())


def atoms(text: str) -> list[str]:
    """Return the single assertions of a sentence, verbatim and in order; the text itself when it is one.

    They are its clauses, and the members of a list each of which has a number of its own (`5 ms for A, 7 ms for B`).
    """
    clauses = _split(text, _CLAUSE, lambda part: len(terms(part)) >= FEWEST_TERMS + 1)
    return [member for clause in clauses for member in _split(clause, _MEMBER, _has_own_number)]


def _is_label(plain: str) -> bool:
    """Say whether a text without a full stop is a heading or a label: no number, no verb, short or in title case."""
    if _ENDED.search(plain) or any(char.isdigit() for char in plain) or _VERB.search(plain):
        return False
    words = _WORD.findall(plain)
    titled = all(word[0].isupper() or len(word) <= LONGEST_LABEL for word in words)
    return bool(words) and plain.isascii() and (len(words) <= LONGEST_LABEL or titled)


def _says_nothing(plain: str) -> bool:
    return bool(_NOTHING_FOUND.search(plain) or (_ABOUT_ITSELF.match(plain) and not _TELLS.search(plain)))


def _split(text: str, separator: re.Pattern[str], stands: Callable[[str], bool]) -> list[str]:
    """Return the parts between the separators, those that do not stand alone joined to the part before."""
    found: list[tuple[int, int]] = []
    start = 0
    for end, following in [*(match.span() for match in separator.finditer(text)), (len(text), len(text))]:
        if found and not (stands(text[start:end]) and stands(text[slice(*found[-1])])):
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
        start = following
    return [text[first:last] for first, last in found]


def _has_own_number(part: str) -> bool:
    words = terms(part)
    return any(word[0].isdigit() for word in words) and sum(word[0].isalpha() for word in words) >= 2
