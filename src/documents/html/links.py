"""The links of an HTML page, with their addresses and texts, except those that the page asks not to follow."""

from dataclasses import dataclass
from itertools import islice
from typing import Final
from urllib.parse import urldefrag, urljoin

from . import plain
from .markup import Token, attributes, decoded, tokens

MOST: Final = 2_000  # most links of a page that are returned
LONGEST_ADDRESS: Final = 2_000  # characters of an address; a longer address is left out
LONGEST_TEXT: Final = 200  # characters of the text of a link
_FRAMES: Final = ("frame", "iframe")


@dataclass(frozen=True, slots=True)
class WebLink:
    """An absolute http or https address without fragment, and the text of the link."""

    url: str
    text: str = ""


def read_links(source: str, url: str, most_tags: int) -> tuple[WebLink, ...]:
    """Return the links in the first `most_tags` tags of a page at `url`, each address once; never raises.

    Links with `rel=nofollow` are left out, and all links if the page's robots meta tag contains `nofollow`.
    """
    reader = _LinkReader(url)
    for token in islice(tokens(source), most_tags):
        reader.take(token)
    return reader.links


class _LinkReader:
    """A collector of links from the tags of a page."""

    def __init__(self, url: str) -> None:
        self._base = url
        self._has_base = False
        self._href = ""
        self._words: list[str] = []
        self._texts: dict[str, str] = {}
        self._forbidden = False

    @property
    def links(self) -> tuple[WebLink, ...]:
        """The links, in the order of the page."""
        self._close()
        return () if self._forbidden else tuple(WebLink(url, text) for url, text in self._texts.items())

    def take(self, token: Token) -> None:
        """Read a tag, and the text before it."""
        text, kind, name, raw = token
        if self._href and text:
            self._words.append(text)
        if kind == "end":
            if name == "a":
                self._close()
        elif kind == "start":
            self._begin(name, raw)

    def _begin(self, name: str, raw: str) -> None:
        if name in ("a", "area"):
            self._close()
            attrs = attributes(raw)
            if "nofollow" not in attrs.get("rel", "").lower().split():
                self._href = attrs.get("href", "")
                self._words = [attrs.get("alt", ""), " "]
        elif name in _FRAMES:
            self._add(attributes(raw).get("src", ""), "")
        elif name == "img" and self._href:
            self._words += [" ", attributes(raw).get("alt", ""), " "]
        elif name == "base" and not self._has_base and (href := attributes(raw).get("href")):
            self._base, self._has_base = _absolute(self._base, href) or self._base, True
        elif name == "meta":
            attrs = attributes(raw)
            is_robots = attrs.get("name", "").lower() == "robots"
            rules = attrs.get("content", "").lower().replace(",", " ").split() if is_robots else []
            self._forbidden = self._forbidden or not {"nofollow", "none"}.isdisjoint(rules)

    def _close(self) -> None:
        href, self._href = self._href, ""
        if href:
            self._add(href, decoded("".join(self._words)))

    def _add(self, href: str, text: str) -> None:
        url = _absolute(self._base, href)
        if url and (self._texts.get(url) or len(self._texts) < MOST):
            self._texts[url] = self._texts.get(url) or plain.line(text)[:LONGEST_TEXT]


def _absolute(base: str, href: str) -> str:
    """Return the absolute address of a reference, without fragment, or "" if it is not http or https."""
    try:
        url = urldefrag(urljoin(base, href.strip())).url
    except ValueError:
        return ""
    return url if url.startswith(("http://", "https://")) and len(url) <= LONGEST_ADDRESS else ""
