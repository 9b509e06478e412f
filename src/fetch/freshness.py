"""What HTTP says about keeping an answer (RFC 9111): whether one may, how long it stays fresh, how to ask again."""

from collections.abc import Mapping

Headers = Mapping[str, str]  # header names are in lower case


def may_keep(headers: Headers) -> bool:
    """Say whether an answer may be kept for later runs, by the same person or another."""
    said = _directives(headers)
    return not {"no-store", "private"} & set(said) and headers.get("vary", "").strip() != "*"


def is_fresh(headers: Headers, age: float, most: float) -> bool:
    """Say whether an answer kept for `age` seconds may stand for a new one; `most` is our own bound, in seconds."""
    said = _directives(headers)
    if "no-cache" in said or ("cache-control" not in headers and "no-cache" in headers.get("pragma", "")):
        return False
    asked = said.get("max-age", "")
    return age <= most and (not asked.isdecimal() or age < float(asked))


def validators(headers: Headers) -> dict[str, str]:
    """Return the headers that ask whether a kept answer still holds; none when the server gave nothing to ask by."""
    asked = {"if-none-match": headers.get("etag", ""), "if-modified-since": headers.get("last-modified", "")}
    return {name: value for name, value in asked.items() if value}


def _directives(headers: Headers) -> dict[str, str]:
    """Return the directives of Cache-Control with their arguments."""
    said: dict[str, str] = {}
    for part in headers.get("cache-control", "").split(","):
        name, _, argument = part.partition("=")
        said.setdefault(name.strip().lower(), argument.strip().strip('"'))
    return said
