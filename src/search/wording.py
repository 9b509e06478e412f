"""A query in the words that engines take: no longer than they allow, and with its domains as operators."""

from typing import Final

from .result import SearchQuery

LONGEST: Final = 400  # characters of a query: what Tavily and Brave take
MOST_WORDS: Final = 50  # words of a query: what Brave takes
MOST_SITES: Final = 10  # domains that a query names to an engine; a longer list is left to the caller's filter


def cut(text: str, longest: int = LONGEST, most_words: int = MOST_WORDS) -> str:
    """Return the beginning of a text, in whole words where the first one is not longer than all that is allowed."""
    short = " ".join(text.split()[:most_words])
    if len(short) <= longest:
        return short
    return short[: longest + 1].rpartition(" ")[0] or short[:longest]


def with_sites(query: SearchQuery) -> str:
    """Return the query's text with its domains as `site:` operators, for which its last words make room.

    More than MOST_SITES domains, or such as leave less than half of the room, are not named.
    """
    sites = [f"site:{domain}" for domain in query.domains]
    operators = sites[0] if len(sites) == 1 else f"({' OR '.join(sites)})"
    if not sites or len(sites) > MOST_SITES or len(operators) > LONGEST // 2:
        return query.text
    return f"{cut(query.text, LONGEST - len(operators) - 1, MOST_WORDS - len(operators.split()))} {operators}"
