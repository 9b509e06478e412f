"""Where and in which language results are wanted, in the codes that each engine has for it."""

import re
from dataclasses import dataclass

_CODES = re.compile(r"([A-Za-z]{2})(?:[-_]([A-Za-z]{2}))?")


@dataclass(frozen=True, slots=True)
class Region:
    """A country (ISO 3166) and a language (ISO 639-1), both in lower case; "" where it is not said."""

    country: str = ""
    language: str = ""

    @property
    def locale(self) -> str:
        """The language tag: `de-AT`, `de`, or "" without a language."""
        return f"{self.language}-{self.country.upper()}" if self.country and self.language else self.language


def region_of(text: str) -> Region:
    """Read a region as people write it; what is none reads as nowhere.

    `de-AT` is language and country as browsers write them, `at-de` country and language as DuckDuckGo does: the upper
    case tells. A code alone is a country in upper case and a language in lower case.
    """
    found = _CODES.fullmatch(text.strip())
    if not found:
        return Region()
    one, other = found[1], found[2] or ""
    if other:
        return _region(other, one) if other.isupper() and not one.isupper() else _region(one, other)
    return _region(one, "") if one.isupper() else _region("", one)


def _region(country: str, language: str) -> Region:
    country = country.lower()
    return Region("gb" if country == "uk" else country, language.lower())
