"""Conversion of an engine's hit into a result: clean text, a web address, a score."""

import html
import re
from typing import Any, Final
from urllib.parse import urlsplit

from .result import SearchResult, score_of_rank

LONGEST_TEXT: Final = 500  # characters of a title or a snippet
LONGEST_URL: Final = 4_000

_MARKUP: Final = re.compile(
    r"<(script|style)\b.*?</\1\s*>|<!--.*?-->"
    r"|</?(?:jats:[a-z-]+|mml:[a-z-]+|a|abbr|article|b|blockquote|br|button|center|cite|code|dd|div|dl|dt|em|font|form|h[1-6]"
    r"|hr|i|iframe|img|input|kbd|label|li|link|mark|meta|nav|object|ol|p|pre|q|s|samp|scp|script|section|small|span"
    r"|strong|style|sub|sup|svg|table|tbody|td|th|thead|time|tr|tt|u|ul|var|video|wbr)(?:\s[^<>]*)?/?>",
    re.IGNORECASE | re.DOTALL,
)
"""Elements of HTML and of publishers' abstracts; `vector<int>` and `x < 5 > y` are text."""

_BLANK: Final = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029]+")
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


def hit(
    engine: str, rank: int, url: Any, title: Any, snippet: Any = "", *, score: Any = None, published: Any = ""
) -> SearchResult | None:
    """Return an engine's hit at `rank`, from 1, as a result; None without a web address.

    A numeric `score` is clipped to 0 to 1; without one, the score depends on the rank. Without a title, the address is
    the title. `published` is used if it begins with an ISO date.
    """
    address = web_address(url)
    if not address:
        return None
    date = _DATE.match(published) if isinstance(published, str) else None
    return SearchResult(
        url=address,
        title=plain(title) or address,
        snippet=plain(snippet),
        score=_score(score, rank),
        engine=engine,
        published=date[0] if date else "",
    )


def plain(text: Any) -> str:
    """Return text without markup, entities and control characters, on one line, LONGEST_TEXT characters at most."""
    if not isinstance(text, str):
        return ""
    bare = html.unescape(_MARKUP.sub(" " if "<br" in text or "<p" in text else "", text[: LONGEST_TEXT * 20]))
    one_line = " ".join(_BLANK.sub(" ", bare).encode("utf-8", "replace").decode().split())
    return one_line if len(one_line) <= LONGEST_TEXT else f"{one_line[: LONGEST_TEXT - 1].rstrip()}…"


def web_address(url: Any) -> str:
    """Return an http or https address with a host, else ""."""
    if not isinstance(url, str) or len(url) > LONGEST_URL:
        return ""
    address = url.strip()
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and not _BLANK.search(address)
        address.encode()
    except ValueError:  # a bracket that does not close, or half of a surrogate pair
        return ""
    return address if usable else ""


def _score(score: Any, rank: int) -> float:
    if isinstance(score, bool) or not isinstance(score, int | float) or not score >= 0:
        return score_of_rank(rank)
    return min(1.0, float(score)) if score < 1e6 else 1.0
