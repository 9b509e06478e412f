"""HTTP caching (RFC 9111): whether a response may be stored, how long it stays fresh, how to revalidate it."""

from collections.abc import Mapping

Headers = Mapping[str, str]  # header names are in lower case


def may_keep(headers: Headers) -> bool:
    """Whether a response may be stored for later runs, of the same user or another."""
    directives = _directives(headers)
    return not {"no-store", "private"} & set(directives) and headers.get("vary", "").strip() != "*"


def is_fresh(headers: Headers, age: float, most: float) -> bool:
    """Return whether a response stored for `age` seconds may replace a request; `most` is another limit of `age`."""
    directives = _directives(headers)
    if "no-cache" in directives or ("cache-control" not in headers and "no-cache" in headers.get("pragma", "")):
        return False
    max_age = directives.get("max-age", "")
    return age <= most and (not max_age.isdecimal() or age < float(max_age))


def validators(headers: Headers) -> dict[str, str]:
    """Return the request headers that revalidate a stored response; none if the server gave no validators."""
    fields = {"if-none-match": headers.get("etag", ""), "if-modified-since": headers.get("last-modified", "")}
    return {name: value for name, value in fields.items() if value}


def _directives(headers: Headers) -> dict[str, str]:
    """Return the directives of Cache-Control with their arguments."""
    directives: dict[str, str] = {}
    for part in headers.get("cache-control", "").split(","):
        name, _, argument = part.partition("=")
        directives.setdefault(name.strip().lower(), argument.strip().strip('"'))
    return directives
