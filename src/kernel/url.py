"""URLs: rejection of ambiguous ones, and their display without secrets."""

import re
import unicodedata
from typing import Final
from urllib.parse import unquote

from .one_line import sanitized, shortened

LONGEST_SHOWN: Final = 200  # characters of a URL that an error shows
MASK: Final = "***"

_AUTHORITY = re.compile(r"[^:/?#]*:?//([^/?#]*)")
_DELIMITERS = frozenset("/?#@:[]\\")
_SHOWN = re.compile(r"(?P<scheme>(?:[A-Za-z][A-Za-z0-9+.-]*:)?[/\\]*)(?P<authority>[^/\\]*)(?P<path>.*)", re.DOTALL)
_NO_PORT = re.compile(r":(?![0-9]*$).*", re.DOTALL)
_NAMES_OF_SECRETS = (
    r"(?:[\w.%-]{0,40}(?:[-_.]|%5F))?key|[\w.%-]{0,40}(?:api-?key|accesskey|token|secret|passw(?:or)?d|pwd|signature"
    r"|credentials?)|sig|auth|authorization|jwt|session_?id"
)
_MASKED = re.compile(
    rf"(?P<name>[?&;#](?:{_NAMES_OF_SECRETS})=)[^&;#\s\"'<>()\[\]]+|(?P<scheme>[a-z][a-z0-9+.-]{{0,30}}://)[^/?#@\s\"'<>]+@",
    re.IGNORECASE,
)


def require_one_reading(url: str) -> None:
    """Raise ValueError, with the reason, for a URL whose host two programs may parse differently.

    A parser may take a backslash for a slash, normalise characters that look like `/` or `@` (NFKC), decode percent
    encoding, drop control characters, or end the user name at the first `@` instead of the last.
    """
    match = _AUTHORITY.match(url.strip())
    user, _, host = (match[1] if match else "").rpartition("@")
    decoded = unquote(host)
    if "\\" in f"{user}{decoded}" or "@" in f"{user}{decoded}":
        raise ValueError("its host can be parsed in two ways")
    if any(unicodedata.category(sign) in ("Cc", "Zs", "Zl", "Zp") for sign in f"{user}{decoded}"):
        raise ValueError("its host contains white space or a control character")
    strange = [sign for sign in f"{user}{decoded}" if not sign.isascii()]
    if any(_DELIMITERS.intersection(unicodedata.normalize("NFKC", sign)) for sign in strange):
        raise ValueError("its host contains a character that only resembles a delimiter")
    if any(decoded.count(sign) != host.count(sign) for sign in _DELIMITERS):
        raise ValueError("its host contains a percent-encoded delimiter")


def shown(url: str) -> str:
    """Return a URL for errors and events: without credentials, query and fragment, printable, and shortened."""
    head, sign, _ = re.split(r"([?#]|$)", url.strip(), maxsplit=1)
    parts = _SHOWN.fullmatch(head)
    assert parts is not None
    authority = parts["authority"].rpartition("@")[2]
    if not authority.startswith("["):
        authority = _NO_PORT.sub("", authority)  # the start of a password that contains a ? or #
    bare = f"{parts['scheme']}{authority}{parts['path']}{'?…' if sign == '?' else ''}"
    short = shortened(bare, LONGEST_SHOWN)
    return short if short.isprintable() else "".join(sign if sign.isprintable() else "\ufffd" for sign in short)


def masked(text: str) -> str:
    """Return a URL, or a text with URLs, with passwords and keys in queries masked.

    The rest of a query stays, because it identifies the page: `?id=7&api_key=***`. Idempotent.
    """
    return _MASKED.sub(lambda match: f"{match['name']}{MASK}" if match["name"] else match["scheme"], text)


def cleaned(text: str) -> str:
    """Return a text `masked` and without terminal control characters."""
    return sanitized(masked(text))
