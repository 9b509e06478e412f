"""The wording of queries for engines: length, domains as operators, region as country and language."""

import re
from dataclasses import dataclass
from typing import Final

from .result import SearchQuery

LONGEST: Final = 400  # characters of a query: the limit of Tavily and Brave
MOST_WORDS: Final = 50  # words of a query: the limit of Brave
MOST_SITES: Final = 10  # domains that a query names at most; the caller filters by a longer list

_CODES = re.compile(r"([A-Za-z]{2})(?:[-_]([A-Za-z]{2}))?")


def cut(text: str, longest: int = LONGEST, most_words: int = MOST_WORDS) -> str:
    """Return the first whole words of a text within the limits; a first word that is too long is cut."""
    short = " ".join(text.split()[:most_words])
    if len(short) <= longest:
        return short
    return short[: longest + 1].rpartition(" ")[0] or short[:longest]


def with_sites(query: SearchQuery) -> str:
    """Return the query's text with its domains as `site:` operators, cut at the end to make room for them.

    More than MOST_SITES domains, or domains that take more than half of the room, are omitted.
    """
    sites = [f"site:{domain}" for domain in query.domains]
    operators = sites[0] if len(sites) == 1 else f"({' OR '.join(sites)})"
    if not sites or len(sites) > MOST_SITES or len(operators) > LONGEST // 2:
        return query.text
    return f"{cut(query.text, LONGEST - len(operators) - 1, MOST_WORDS - len(operators.split()))} {operators}"


@dataclass(frozen=True, slots=True)
class Region:
    """A country (ISO 3166) and a language (ISO 639-1), both in lower case; "" if unknown."""

    country: str = ""
    language: str = ""

    @property
    def locale(self) -> str:
        """The language tag: `de-AT`, `de`, or "" without a language."""
        return f"{self.language}-{self.country.upper()}" if self.country and self.language else self.language


def region_of(text: str) -> Region:
    """Parse a region as people write it; an invalid one gives an empty Region.

    `de-AT` is language and country as browsers write them, `at-de` country and language as DuckDuckGo does: upper case
    decides. A code alone is a country in upper case and a language in lower case.
    """
    match = _CODES.fullmatch(text.strip())
    if not match:
        return Region()
    first, second = match[1], match[2] or ""
    if second:
        return _region(second, first) if second.isupper() and not first.isupper() else _region(first, second)
    return _region(first, "") if first.isupper() else _region("", first)


def _region(country: str, language: str) -> Region:
    country = country.lower()
    return Region("gb" if country == "uk" else country, language.lower())
