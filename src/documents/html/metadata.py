"""The metadata of a page: title, author, date, language, site.

`htmldate` is not used: it would add a third to the time per page, takes 3.5 s for a tag with 30,000 attributes, accepts
days that do not exist, and takes 65 µs for a date instead of 9.
"""

import json
import re
from collections import deque
from collections.abc import Iterator
from datetime import date
from typing import Any, Final
from urllib.parse import urlsplit

from . import plain
from .markup import Token, attributes, decoded

LONGEST: Final = 300  # characters of a title or a name; the rest is cut off
MOST_JSON: Final = 200_000
MOST_SCRIPTS: Final = 8
MOST_NODES: Final = 500
MOST_METAS: Final = 300

_TITLES: Final = ("og:title", "citation_title", "dc.title", "dcterms.title", "twitter:title")
_AUTHORS: Final = (
    "author", "article:author", "citation_author", "dc.creator", "dcterms.creator", "parsely-author", "sailthru.author",
    "byl", "twitter:creator",
)  # fmt: skip
_DATES: Final = (
    "article:published_time", "og:published_time", "datepublished", "citation_publication_date", "citation_online_date",
    "citation_date", "dc.date.issued",
    "dcterms.issued", "dc.date", "dcterms.date", "dcterms.created", "dc.date.created",
    "parsely-pub-date", "sailthru.date", "pubdate", "publishdate", "publish-date", "publish_date", "publication_date",
    "article.published", "date", "originalpublicationdate", "cxenseparse:recs:publishtime", "datecreated",
)  # fmt: skip
_SITES: Final = ("og:site_name", "application-name", "citation_journal_title", "dc.publisher", "al:ios:app_name")
_DOCUMENTATION: Final = re.compile(
    r"docbook|publican|docutils|sphinx|asciidoc|makeinfo|texi2(?:any|html)|doxygen|gtk-doc|mkdocs|mdbook|docusaurus|"
    r"vitepress|antora|latex|hevea|groff|pod2html|gitbook|javadoc",
    re.IGNORECASE,
)
"""Documentation generators, by the names that they give in a page's generator field."""

_TYPOGRAPHY: Final = re.compile(r"</?(?:b|br|code|em|font|i|small|span|strong|tt|u)(?:\s[^<>]*)?/?>", re.IGNORECASE)
"""Tags that some generators leave in a title, where a browser shows them as text."""

_ARTICLE: Final = re.compile(r"article|posting|report|page|book|dataset|blog", re.IGNORECASE)
_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "jan january januar janvier enero gennaio janeiro",
            "feb february februar février febrero febbraio fevereiro",
            "mar march märz mars marzo março",
            "apr april avril abril aprile",
            "may mai mayo maggio maio",
            "jun june juni juin junio giugno junho",
            "jul july juli juillet julio luglio julho",
            "aug august août agosto",
            "sep sept september septembre septiembre settembre setembro",
            "oct october oktober octobre octubre ottobre outubro",
            "nov november novembre noviembre novembro",
            "dec december dezember décembre diciembre dicembre dezembro",
        ),
        1,
    )
    for name in names.split()
}
_ISO: Final = re.compile(r"(?<!\d)((?:19|20)\d\d)[-/.年]\s?(\d{1,2})[-/.月]\s?(\d{1,2})(?!\d)")
_COMPACT: Final = re.compile(r"\s*((?:19|20)\d\d)(\d\d)(\d\d)(?:T?\d{4,6}Z?)?\s*")
_DAY_FIRST: Final = re.compile(
    r"(?<!\d)(\d{1,2})(?:st|nd|rd|th|\.)?\s+(?:de\s+)?([^\W\d_]{3,10})\.?,?\s+(?:de\s+)?((?:19|20)\d\d)"
)
_MONTH_FIRST: Final = re.compile(r"([^\W\d_]{3,10})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+((?:19|20)\d\d)")
_IN_PATH: Final = re.compile(r"/((?:19|20)\d\d)[/-](\d{1,2})[/-](\d{1,2})(?:[/_-]|$)")
_LANGUAGE: Final = re.compile(r"\s*([a-zA-Z]{2})(?:[-_][\w-]*)?\s*")


class Metadata:
    """A collector of metadata from the tags of a page."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._metas: dict[str, str] = {}
        self._title = ""
        self._language = ""
        self._time = ""
        self._scripts: list[str] = []
        self._in_json = False
        self._in_picture = False
        self.refresh = ""

    def take(self, token: Token) -> None:
        """Read the next tag."""
        _, kind, name, value = token
        if name == "svg":
            self._in_picture = kind == "start"
        elif kind == "start":
            self._open(name, value)
        elif kind == "raw":
            if name == "title" and not self._in_picture:
                self._title = self._title or _shortened(decoded(_TYPOGRAPHY.sub("", value[: 10 * LONGEST])))
            elif name == "script" and self._in_json and len(value) <= MOST_JSON and len(self._scripts) < MOST_SCRIPTS:
                self._scripts.append(value)

    def _open(self, name: str, raw: str) -> None:
        if name == "meta":
            self._meta(attributes(raw))
        elif name == "html":
            attrs = attributes(raw)
            self._language = self._language or _language(attrs.get("lang") or attrs.get("xml:lang", ""))
        elif name == "time" and not self._time:
            self._time = iso_date(attributes(raw).get("datetime", ""))
        elif name == "script":
            self._in_json = "ld+json" in raw

    def _meta(self, attrs: dict[str, str]) -> None:
        content = attrs.get("content", "")
        if attrs.get("http-equiv", "").lower() == "refresh":
            self.refresh = self.refresh or content[:3_000]
        for key in ("property", "name", "itemprop", "http-equiv"):
            if key in attrs and content and len(self._metas) < MOST_METAS:
                self._metas.setdefault(attrs[key].lower(), _shortened(content[: 10 * LONGEST]))

    @property
    def is_documentation(self) -> bool:
        """Whether the page names a documentation generator as its generator."""
        return bool(_DOCUMENTATION.search(self._first(("generator",))))

    @property
    def title(self) -> str:
        """The title, from the metadata of an article or of the page."""
        return self._first(_TITLES) or self._title or self._in_article("headline")

    @property
    def author(self) -> str:
        """The authors, separated by commas."""
        names = self._in_article("author") or self._first(_AUTHORS)
        return "" if names.startswith(("http:", "https:", "//")) else names

    @property
    def published(self) -> str:
        """The day of publication, an ISO date."""
        declared = (iso_date(self._metas[name]) for name in _DATES if name in self._metas)
        return (
            next(filter(None, declared), "")
            or iso_date(self._in_article("datePublished") or self._in_article("dateCreated"))
            or _date_in_path(self._url)
            or self._time
        )

    @property
    def language(self) -> str:
        """A two-letter code."""
        tags = (self._metas.get(name, "") for name in ("content-language", "og:locale", "dc.language", "language"))
        return (
            self._language or next(filter(None, map(_language, tags)), "") or _language(self._in_article("inLanguage"))
        )

    @property
    def site(self) -> str:
        """The name of the site."""
        return self._first(_SITES) or self._in_article("publisher")

    def _first(self, names: tuple[str, ...]) -> str:
        return next((self._metas[name] for name in names if self._metas.get(name)), "")

    def _in_article(self, key: str) -> str:
        """Return a field of the article in the page's structured data."""
        for node in _nodes(self._scripts):
            if _ARTICLE.search(str(node.get("@type", ""))) and (text := _names(node.get(key))):
                return text
        return ""


def iso_date(text: str) -> str:
    """Return the first date in a text (ISO, compact, or with the name of the month) as an ISO date, or ""."""
    text = text[:200]
    if match := _ISO.search(text) or _COMPACT.fullmatch(text):
        return _day(int(match[1]), int(match[2]), int(match[3]))
    if match := _DAY_FIRST.search(text):
        return _day(int(match[3]), _MONTHS.get(match[2].lower(), 0), int(match[1]))
    if match := _MONTH_FIRST.search(text):
        return _day(int(match[3]), _MONTHS.get(match[1].lower(), 0), int(match[2]))
    return ""


def _day(year: int, month: int, day: int) -> str:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return ""


def _date_in_path(url: str) -> str:
    match = _IN_PATH.search(urlsplit(url).path[:2_000])
    return _day(int(match[1]), int(match[2]), int(match[3])) if match else ""


def _language(text: str) -> str:
    match = _LANGUAGE.fullmatch(text[:40])
    return match[1].lower() if match else ""


def _shortened(text: str) -> str:
    return plain.line(text)[:LONGEST].rstrip()


def _names(value: Any) -> str:
    """Return the text or the names in a value of structured data."""
    values = value[:10] if isinstance(value, list) else [value]
    names = (item.get("name", "") if isinstance(item, dict) else item for item in values)
    return _shortened(", ".join(dict.fromkeys(name for name in names if isinstance(name, str) and name)))


def _nodes(scripts: list[str]) -> Iterator[dict[str, Any]]:
    """Yield the objects of structured data, outer ones first, at most MOST_NODES."""
    waiting: deque[Any] = deque()
    for script in scripts:
        try:
            waiting.append(json.loads(script, strict=False))
        except (ValueError, RecursionError):
            continue
    for _ in range(MOST_NODES):
        if not waiting:
            return
        node = waiting.popleft()
        if isinstance(node, dict):
            yield node
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)
