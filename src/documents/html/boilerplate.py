"""Which elements of a page are not its content: by their name, role, attributes, and the words of their class."""

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
"""Elements that surround content; a header does unless it is an article's own, an aside unless it is a note."""

HEADINGS: Final = frozenset(f"h{level}" for level in range(1, 7))

_NEVER_HIDDEN: Final = frozenset(("html", "body", "main"))
"""Elements that programs show when they are ready; a page that hides these is hidden by no one else."""

_CONTAINERS: Final = frozenset((
    "article", "aside", "center", "dd", "details", "div", "dl", "fieldset", "figure", "footer", "form", "header", "li",
    "main", "nav", "ol", "p", "section", "table", "td", "th", "tr", "ul",
))  # fmt: skip
"""Elements whose class and id say what stands in them."""

_ROLES: Final = frozenset((
    "alertdialog", "banner", "complementary", "contentinfo", "dialog", "menu", "menubar", "navigation", "search",
    "tablist", "toolbar", "tooltip",
))  # fmt: skip
ARTICLE, MAIN, DOCUMENTATION = RANKS = 1, 2, 3
"""How surely an element holds the page's content: it is an article, it says so, a program for documentation says so."""

_DOCUMENTATION: Final = frozenset((
    # as Sphinx, mkdocs, DocBook, AsciiDoc, MediaWiki, GitHub, Docusaurus, Docsy and DevSite name their content
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
"""What stands beside such a style where the element is faded in when the reader comes to it."""

_HIDDEN_CLASSES: Final = frozenset((
    "sr-only", "screen-reader-text", "visually-hidden", "visuallyhidden", "element-invisible", "d-none", "hidden",
    "noprint", "mw-editsection", "mw-jump-link", "headerlink", "permalink", "footnote-reference", "lineno", "linenos",
    "linenodiv", "gutter", "blob-num", "copybtn", "anchor-link", "hash-link", "anchorjs-link", "skip-link",
    "skip-to-content",
))  # fmt: skip
_SHOWN_WHEN_WIDE: Final = re.compile(r"(?:^|[\s-])(?:sm|md|lg|xl|2xl|xxl)[:-](?:block|flex|grid|inline|table|contents)")

_SURELY: Final = frozenset((
    "nav", "navbar", "navigation", "navheader", "navfooter", "navbox", "docnav", "topbar", "toolbar", "sidenav",
    "sphinxsidebar", "breadcrumb", "breadcrumbs", "footer", "cookie", "cookies", "consent", "gdpr", "onetrust", "cmp",
    "share", "sharing", "social", "newsletter", "signup", "ad", "ads", "advert", "advertisement", "sponsored",
    "pagination", "pager", "modal", "popup", "catlinks", "printfooter", "searchbox", "search-form", "searchform",
    "language-switcher", "nosearch", "noindex", "nocontent", "comment", "comments", "disqus", "respond",
    "site-header", "siteheader",
))  # fmt: skip
"""What stands around content, as classes and ids name it."""

_PERHAPS: Final = frozenset((
    "menu", "sidebar", "related", "recommended", "recommendations", "subscribe", "subscription", "promo", "promotion",
    "sponsor", "toc", "tableofcontents", "table-of-contents", "overlay", "masthead", "page-header", "feedback",
    "trending", "popular", "teaser", "teasers", "widget", "tag", "tags",
))  # fmt: skip
"""What stands around content if it is mostly links."""

_PARTS: Final = frozenset((
    "container", "wrapper", "wrap", "inner", "outer", "left", "right", "top", "bottom", "list", "link", "links", "item",
    "items", "block", "box", "bar", "banner", "button", "buttons", "icon", "icons", "section", "area", "widget",
    "notice", "content", "primary", "secondary", "main", "desktop", "mobile", "posts", "articles", "thread",
))  # fmt: skip
"""Words at the end of a class that do not change what it names."""

_ABOUT_ANOTHER: Final = frozenset(("has", "no", "with", "without", "is", "hide", "show"))
"""Words at the beginning of a class that say that it is not the element itself that is named."""

_NOTES: Final = re.compile(r"note|warning|admonition|callout|footnote|topic|caution|tip|important|aside", re.IGNORECASE)
_DETAILS: Final = re.compile(
    r"""\s(?:href|src|srcset|title|alt|id|rel|target|data-[\w-]+)=(?:"[^"]*+"|'[^']*+'|[^\s"'>]++)"""
)
"""Attributes that say nothing of what an element is, but for the id of a container."""

_MANY: Final = 300  # characters of attributes that are not worth remembering how they were judged


class ElementScore(NamedTuple):
    """What an element and all in it is: not to be seen, aside from the content, perhaps so, and how surely in it."""

    unseen: bool = False
    aside: bool = False
    perhaps: bool = False
    rank: int = 0


class ElementVerdict(NamedTuple):
    """What an element is by itself.

    It is aside wherever it stands, or `outside` the content, or `named` so unless it is the content; `perhaps` it is.
    """

    unseen: bool = False
    aside: bool = False
    outside: bool = False
    named: bool = False
    perhaps: bool = False
    rank: int = 0


PLAIN: Final = ElementVerdict()


def judge(name: str, raw: str, within: ElementScore) -> ElementScore:
    """Judge an element by its name and its attributes as they stand in the source, and by what it stands in."""
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
    found = attributes(raw) if raw else {}
    classes = found.get("class", "").lower().split()
    if name in UNSEEN or (found and name not in _NEVER_HIDDEN and _is_hidden(found, classes)):
        return ElementVerdict(unseen=True)
    if name in ("html", "body"):
        return PLAIN
    places = _places([*classes, *found.get("id", "").lower().split()]) if name in _CONTAINERS else set()
    verdict = ElementVerdict(
        aside=_is_furniture(name, found),
        outside=name in ("header", "aside"),
        named=not places.isdisjoint(_SURELY),
        perhaps=not places.isdisjoint(_PERHAPS),
        rank=_rank(name, found, classes),
    )
    return PLAIN if verdict == PLAIN else verdict


_remembered: Final = lru_cache(maxsize=4096)(_judged)


def _is_hidden(found: dict[str, str], classes: list[str]) -> bool:
    """Say whether attributes hide an element from who looks at the page."""
    if "hidden" in found or found.get("aria-hidden", "").lower() == "true":
        return True
    style = found.get("style", "")
    if style and (_HIDING.search(style) or (_FADED.search(style) and not _MOVING.search(style))):
        return True
    return not _HIDDEN_CLASSES.isdisjoint(classes) and not _SHOWN_WHEN_WIDE.search(found["class"])


def _is_furniture(name: str, found: dict[str, str]) -> bool:
    """Say whether an element is navigation, a banner or the like, wherever it stands; notes may be asides of a text."""
    role = found.get("role", "").lower()
    if name == "aside":
        return not _NOTES.search(f"{found.get('class', '')} {role}")
    return role in _ROLES or name in FURNITURE


def _places(names: Iterable[str]) -> set[str]:
    """Return what classes and ids name: the last words of each that tell, as `sidebar` in `left-sidebar-wrapper`."""
    places: set[str] = set()
    for name in names:
        words = name.replace("_", "-").split("-")
        while len(words) > 1 and (words[-1] in _PARTS or not words[-1]):
            words.pop()
        if words[0] not in _ABOUT_ANOTHER:
            places.update((words[-1], "-".join(words[-2:]), "-".join(words)))
    return places


def _rank(name: str, found: dict[str, str], classes: list[str]) -> int:
    """Return the rank of an element, one of RANKS, or 0."""
    if not _DOCUMENTATION.isdisjoint(classes):
        return DOCUMENTATION
    role = found.get("role", "").lower()
    if name == "main" or role == "main":
        return MAIN
    return ARTICLE if "article" in (name, role) or found.get("itemprop", "").lower() == "articlebody" else 0
