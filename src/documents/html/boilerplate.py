"""Detection of elements that are not content of a page, by name, role, attributes, and the words of their class."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from .markup import attributes

UNSEEN: Final = frozenset((
    "annotation", "annotation-xml", "applet", "audio", "canvas", "datalist", "dialog", "iframe", "map",
    "noembed", "noframes", "noscript", "object", "rp", "rt", "rtc", "script", "style", "svg",
    "template", "textarea", "title", "video", "xmp",
))  # fmt: skip
"""Elements whose content is not text of the page."""

FURNITURE: Final = frozenset(("nav", "select", "button", "footer", "menu"))
"""Elements that surround content, like navigation; so do a header outside an article and an aside that is no note."""

_NEVER_HIDDEN: Final = frozenset(("html", "body", "main"))
"""Elements that pages hide only until their scripts are ready."""

_CONTAINERS: Final = frozenset((
    "article", "aside", "center", "dd", "details", "div", "dl", "fieldset", "figure", "footer", "form", "header", "li",
    "main", "nav", "ol", "p", "section", "table", "td", "th", "tr", "ul",
))  # fmt: skip
"""Elements whose class and id describe their content."""

_ROLES: Final = frozenset((
    "alertdialog", "banner", "complementary", "contentinfo", "dialog", "menu", "menubar", "navigation", "search",
    "tablist", "toolbar", "tooltip",
))  # fmt: skip
ARTICLE, MAIN, DOCUMENTATION = RANKS = 1, 2, 3
"""Ranks of the certainty that an element contains the content: article, main, marked by a documentation generator."""

_DOCUMENTATION: Final = frozenset((
    # the content in pages of Sphinx, mkdocs, DocBook, AsciiDoc, MediaWiki, GitHub, Docusaurus, Docsy and DevSite
    "documentwrapper", "rst-content", "md-content__inner", "chapter", "refentry", "preface", "appendix", "sect1",
    "sectionbody", "mw-parser-output", "markdown-body", "theme-doc-markdown", "td-content", "devsite-article-body",
))  # fmt: skip

_HIDING: Final = re.compile(
    r"display\s*:\s*none|font-size\s*:\s*0?\.?0*(?:[a-z%]{1,3})?\s*(?:;|!|$)|text-indent\s*:\s*-\d{3,}|"
    r"(?:left|top|right)\s*:\s*-\d{4,}|clip\s*:\s*rect\(\s*[01]|clip-path\s*:\s*inset\(\s*(?:50|100)%",
    re.IGNORECASE,
)
_FADED: Final = re.compile(r"visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0?\.?0*\s*(?:;|!|$)", re.IGNORECASE)
_MOVING: Final = re.compile(r"transform|transition|animation|will-change", re.IGNORECASE)
"""Styles that occur together with _FADED if the element is faded in when the reader scrolls to it."""

_HIDDEN_CLASSES: Final = frozenset((
    "sr-only", "screen-reader-text", "visually-hidden", "visuallyhidden", "element-invisible", "d-none", "hidden",
    "noprint", "mw-editsection", "mw-jump-link", "headerlink", "permalink", "footnote-reference", "lineno", "linenos",
    "linenodiv", "gutter", "blob-num", "copybtn", "anchor-link", "hash-link", "anchorjs-link", "skip-link",
    "skip-to-content",
))  # fmt: skip
_SHOWN_WHEN_WIDE: Final = re.compile(r"(?:^|[\s-])(?:sm|md|lg|xl|2xl|xxl)[:-](?:block|flex|grid|inline|table|contents)")

_FURNITURE_NAMES: Final = frozenset((
    "nav", "navbar", "navigation", "navheader", "navfooter", "navbox", "docnav", "topbar", "toolbar", "sidenav",
    "sphinxsidebar", "breadcrumb", "breadcrumbs", "footer", "cookie", "cookies", "consent", "gdpr", "onetrust", "cmp",
    "share", "sharing", "social", "newsletter", "signup", "ad", "ads", "advert", "advertisement", "sponsored",
    "pagination", "pager", "modal", "popup", "catlinks", "printfooter", "searchbox", "search-form", "searchform",
    "language-switcher", "nosearch", "noindex", "nocontent", "comment", "comments", "disqus", "respond",
    "site-header", "siteheader",
))  # fmt: skip
"""Classes and ids of elements around the content."""

_DOUBTFUL_NAMES: Final = frozenset((
    "menu", "sidebar", "related", "recommended", "recommendations", "subscribe", "subscription", "promo", "promotion",
    "sponsor", "toc", "tableofcontents", "table-of-contents", "overlay", "masthead", "page-header", "feedback",
    "trending", "popular", "teaser", "teasers", "widget", "tag", "tags",
))  # fmt: skip
"""Classes and ids of elements that surround the content if they are mostly links."""

_PARTS: Final = frozenset((
    "container", "wrapper", "wrap", "inner", "outer", "left", "right", "top", "bottom", "list", "link", "links", "item",
    "items", "block", "box", "bar", "banner", "button", "buttons", "icon", "icons", "section", "area", "widget",
    "notice", "content", "primary", "secondary", "main", "desktop", "mobile", "posts", "articles", "thread",
))  # fmt: skip
"""Words at the end of a class that do not change its meaning."""

_ABOUT_ANOTHER: Final = frozenset(("has", "no", "with", "without", "is", "hide", "show"))
"""Words at the beginning of a class after which it does not describe the element itself."""

_NOTES: Final = re.compile(r"note|warning|admonition|callout|footnote|topic|caution|tip|important|aside", re.IGNORECASE)
_DETAILS: Final = re.compile(
    r"""\s(?:href|src|srcset|title|alt|id|rel|target|data-[\w-]+)=(?:"[^"]*+"|'[^']*+'|[^\s"'>]++)"""
)
"""Attributes that do not indicate the role of an element, except the id of a container."""

_MANY: Final = 300  # length of attributes, in characters, from which a verdict is not cached


class ElementScore(NamedTuple):
    """The classification of an element in its context: invisible, aside (no content), perhaps aside, and its rank."""

    unseen: bool = False
    aside: bool = False
    perhaps: bool = False
    rank: int = 0


class ElementVerdict(NamedTuple):
    """The classification of an element by itself.

    `aside` applies anywhere, `outside` only outside the content, `named` and `perhaps` unless the element itself is
    marked as content.
    """

    unseen: bool = False
    aside: bool = False
    outside: bool = False
    named: bool = False
    perhaps: bool = False
    rank: int = 0


PLAIN: Final = ElementVerdict()


def judge(name: str, raw: str, within: ElementScore) -> ElementScore:
    """Classify an element by its name, its unparsed attributes, and the score of the element around it."""
    if within.unseen:
        return within
    if name == "a" or ("id=" in raw and name not in _CONTAINERS):
        raw = _DETAILS.sub("", raw)
    verdict = _remembered(name, raw) if len(raw) < _MANY else _judged(name, raw)
    if verdict is PLAIN:
        return within
    if verdict.unseen:
        return within._replace(unseen=True)
    inner = verdict.rank <= within.rank
    aside = within.aside or verdict.aside or (verdict.outside and not within.rank) or (verdict.named and inner)
    perhaps = within.perhaps or (verdict.perhaps and inner)
    return ElementScore(aside=aside, perhaps=perhaps, rank=max(within.rank, verdict.rank))


def _judged(name: str, raw: str) -> ElementVerdict:
    attrs = attributes(raw) if raw else {}
    classes = attrs.get("class", "").lower().split()
    if name in UNSEEN or (attrs and name not in _NEVER_HIDDEN and _is_hidden(attrs, classes)):
        return ElementVerdict(unseen=True)
    if name in ("html", "body"):
        return PLAIN
    described = _described([*classes, *attrs.get("id", "").lower().split()]) if name in _CONTAINERS else set()
    verdict = ElementVerdict(
        aside=_is_furniture(name, attrs),
        outside=name in ("header", "aside"),
        named=not described.isdisjoint(_FURNITURE_NAMES),
        perhaps=not described.isdisjoint(_DOUBTFUL_NAMES),
        rank=_rank(name, attrs, classes),
    )
    return PLAIN if verdict == PLAIN else verdict


_remembered: Final = lru_cache(maxsize=4096)(_judged)


def _is_hidden(attrs: dict[str, str], classes: list[str]) -> bool:
    """Whether the attributes hide an element from the viewers of the page."""
    if "hidden" in attrs or attrs.get("aria-hidden", "").lower() == "true":
        return True
    style = attrs.get("style", "")
    if style and (_HIDING.search(style) or (_FADED.search(style) and not _MOVING.search(style))):
        return True
    return not _HIDDEN_CLASSES.isdisjoint(classes) and not _SHOWN_WHEN_WIDE.search(attrs["class"])


def _is_furniture(name: str, attrs: dict[str, str]) -> bool:
    """Whether an element is navigation, a banner or the like, wherever it is; an aside may be a note of the text."""
    role = attrs.get("role", "").lower()
    if name == "aside":
        return not _NOTES.search(f"{attrs.get('class', '')} {role}")
    return role in _ROLES or name in FURNITURE


def _described(names: Iterable[str]) -> set[str]:
    """Return the last significant words of classes and ids, for instance `sidebar` of `left-sidebar-wrapper`."""
    described: set[str] = set()
    for name in names:
        words = name.replace("_", "-").split("-")
        while len(words) > 1 and (words[-1] in _PARTS or not words[-1]):
            words.pop()
        if words[0] not in _ABOUT_ANOTHER:
            described.update((words[-1], "-".join(words[-2:]), "-".join(words)))
    return described


def _rank(name: str, attrs: dict[str, str], classes: list[str]) -> int:
    """Return the rank of an element, one of RANKS, or 0."""
    if not _DOCUMENTATION.isdisjoint(classes):
        return DOCUMENTATION
    role = attrs.get("role", "").lower()
    if name == "main" or role == "main":
        return MAIN
    return ARTICLE if "article" in (name, role) or attrs.get("itemprop", "").lower() == "articlebody" else 0
