"""Detects which sentences are claims about the world, and splits a sentence into single assertions."""

import re
from collections.abc import Callable

from ..kernel.one_line import one_line
from ..kernel.term import terms
from .facts import facts
from .lexicon import GRAMMAR, table
from .relevance import roots

FEWEST_STATED = 4
"""Fewest content words with which a question or a lead-in may be a claim."""

FEWEST_TERMS = 2
"""Fewest content words of a claim."""

_SHORT_NUMBER = 2
"""Most digits of a number that may only count parts of the text: `Step 2`, `Table 12`."""

LONGEST_LABEL = 4
"""Most words of a label, a text without a full stop and a verb."""

_ANY = {
    key: f"(?:{'|'.join(word.replace('_', ' ') for word in words.split())})" for key, words in table("claim").items()
}
"""Word lists, each as a pattern that matches any of its words."""

_SOURCES = rf"(?:{_ANY['determiners']} )?(?:{_ANY['given']} )?{_ANY['sources']}"
_NOTHING_FOUND = re.compile(
    rf"{_SOURCES}\b[^.;]{{0,60}}?\b"
    rf"(?:{_ANY['no']}\b[^.;]{{0,30}}?\b{_ANY['say']}|{_ANY['say']} (?:\w+ )?{_ANY['none']})\b"
    rf"|\b{_ANY['not_any']} (?:{_ANY['of']} )?{_SOURCES}\b.{{0,20}}\b{_ANY['say']}"
    rf"|\bno (?:\w+ ){{0,2}}{_ANY['information']}\b[^.;]{{0,30}}?\b{_ANY['found']}\b"
    rf"|\bno evidence\b[^.;]{{0,80}}?\b{_ANY['found']} in {_SOURCES}"
    rf"|\b(?:not|nothing) (?:\w+ ){{0,2}}{_ANY['told']} (?:in|by) (?:the|any)\b"
    r"|\b(?:es )?(?:fand|fanden|wurden?) (?:sich )?keine?n? (?:\w+ ){0,2}(?:quellen?|stellen?|angaben|informationen)\b"
    r"|\baucune (?:source|information|donnée)\b[^.;]{0,30}?\btrouvée?\b"
    r"|\bno se (?:encontr|hall)\w+ (?:\w+ ){0,2}(?:fuentes|información|datos)\b"
    r"|\bnon (?:è|sono) stat[aei] trovat[aei]\b|\bnão (?:foi|foram) encontrad[ao]s?\b"
    r"|\ber (?:is|zijn|werd|werden) geen (?:\w+ ){0,2}(?:bronnen|informatie|gegevens)\b",
    re.IGNORECASE,
)
_ABOUT_ITSELF = re.compile(
    rf"(?:{_ANY['within']} )?{_ANY['this']} (?:\w+ )?{_ANY['itself']}\b"
    rf"|{_ANY['here']} {_ANY['follows']}\b"
    r"|(?:the following|the (?:points|sections) (?:below|above))\b[^.]{0,60}$"
    r"|(?:let us|let's|we (?:now |will |first |then )+|next, we|now we|having (?:seen|covered|looked))\b"
    r"|(?:i hope|feel free|please (?:note that you|feel|see|refer|consult|let)|see (?:also|the section|below)\b)",
    re.IGNORECASE,
)
_VERB = re.compile(rf"\b{_ANY['verbs']}\b", re.IGNORECASE)
_ANSWER = re.compile(rf"\s*{_ANY['answers']}\s*(?:[,:;!]|\.(?!\s*\d)|\s[-–—]+)\s+(?=\S+\s+\S)", re.IGNORECASE)
_ENDED = re.compile(r"[.!…。！।؟۔][\"'”’»)\]*_」』]*$")
_MARKUP = re.compile(r"https?://\S+|\[\^?\d[\d,;\s^–-]{0,24}\]|^\s*(?:[-*+•>]|\d{1,3}[.)])\s+", re.MULTILINE)
_HEADING = re.compile(r"\s*#{1,6}(?:\s|\Z)")
_TELLS = re.compile(r"\d|\b(?:that|dass|que|che|dat)\b", re.IGNORECASE)
"""A number or a content clause: a remark about the text itself has neither."""

_WORD = re.compile(r"[^\W\d_][\w'’-]*")

_CLAUSE = re.compile(
    r"\s*;\s+|,?\s+(?=whereas\b|wohingegen\b|tandis que\b|mientras que\b)"
    r"|,\s+(?=(?:and |und |et |y |e |en )?(?:but|while|although|though|yet|which|aber|während|obwohl|mais|alors que"
    r"|pero|mientras|aunque|ma|mentre|mas|enquanto|embora|maar|terwijl|hoewel)\b)"
    r"|,\s+(?=(?:und|et)\s)"
    r"|,?\s+and\s+(?=(?:(?:it|they|he|she|this|these|there|we)\s|(?:(?:the|a|an|its|their|his|her)\s+)?"
    r"(?:[\w'’-]+\s+){0,4}?(?:is|are|was|were|has|have|had|can|will|may|must|does|did)\s))"
)
"""The boundary between two assertions of a sentence; a relative clause is an assertion of its own."""

_MEMBER = re.compile(r"\s*,\s+(?:and\s+|und\s+|et\s+|y\s+|e\s+|en\s+)?|\s+(?:and|und|et)\s+")


_FURNITURE = roots(" ".join([*table("heading_words").values(), *GRAMMAR]))
"""Roots of words without content of their own in a heading, question, caption or lead-in, in seven languages."""


def without_answer(text: str) -> str:
    """Return a claim without the “No:” before a denial, of which a source has only the latter.

    A “No” before what does not deny stays: whether it is the answer cannot be told from the source's words.
    """
    found = _ANSWER.match(text)
    return text[found.end() :] if found and facts(text[found.end() :]).denies else text


def is_claim(text: str) -> bool:
    """Whether a sentence asserts something about the world, which a source must support.

    Not claims: questions, headings, labels, remarks about the text itself or about gaps in its sources, and courtesies,
    in English, German, French, Spanish, Italian, Portuguese and Dutch. Unclear cases are claims; so is a question or a
    lead-in to a list that states a number.
    """
    plain = one_line(_MARKUP.sub(" ", text[:10_000])).strip("*_~ ")
    if _HEADING.match(text) or len(terms(plain)) < FEWEST_TERMS:
        return False
    if plain.endswith(("?", "？", "؟", ":", "：")):
        return any(char.isdigit() for char in plain) and len(terms(plain)) >= FEWEST_STATED
    clauses = [part for part in _CLAUSE.split(plain) if len(terms(part)) >= FEWEST_TERMS] or [plain]
    return not _is_label(plain) and not all(map(_says_nothing, clauses))


def beyond(text: str, known: frozenset[str] = frozenset()) -> frozenset[str]:
    """Return the roots of a text's words that are not `known`, without remarks that nothing was found."""
    plain = _NOTHING_FOUND.sub(" ", one_line(_MARKUP.sub(" ", text[:10_000]))).strip("*_~ ")
    remark = _ABOUT_ITSELF.match(plain)
    new = roots(plain[remark.end() :] if remark else plain) - known - _FURNITURE
    return frozenset(root for root in new if len(root) > _SHORT_NUMBER or not root.isdigit())


def atoms(text: str) -> list[str]:
    """Return the single assertions of a sentence, verbatim and in order; the text itself if it is only one.

    These are its clauses, and list members that each have a number of their own (`5 ms for A, 7 ms for B`).
    """
    clauses = _split(text, _CLAUSE, lambda part: len(terms(part)) >= FEWEST_TERMS + 1)
    return [member for clause in clauses for member in _split(clause, _MEMBER, _has_own_number)]


def _is_label(plain: str) -> bool:
    """Whether a text without a full stop is a heading or a label: no number, no verb, short or in title case."""
    if _ENDED.search(plain) or any(char.isdigit() for char in plain) or _VERB.search(plain):
        return False
    words = _WORD.findall(plain)
    titled = all(word[0].isupper() or len(word) <= LONGEST_LABEL for word in words)
    return bool(words) and plain.isascii() and (len(words) <= LONGEST_LABEL or titled)


def _says_nothing(plain: str) -> bool:
    return bool(_NOTHING_FOUND.search(plain) or (_ABOUT_ITSELF.match(plain) and not _TELLS.search(plain)))


def _split(text: str, separator: re.Pattern[str], is_complete: Callable[[str], bool]) -> list[str]:
    """Return the parts between the separators; an incomplete part is joined to the one before it."""
    spans: list[tuple[int, int]] = []
    start = 0
    for end, following in [*(match.span() for match in separator.finditer(text)), (len(text), len(text))]:
        if spans and not (is_complete(text[start:end]) and is_complete(text[slice(*spans[-1])])):
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
        start = following
    return [text[first:last] for first, last in spans]


def _has_own_number(part: str) -> bool:
    words = terms(part)
    return any(word[0].isdigit() for word in words) and sum(word[0].isalpha() for word in words) >= 2
