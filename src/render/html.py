"""Renders a report as one self-contained HTML page."""

import base64
import hashlib
from importlib import resources
from typing import TYPE_CHECKING, Final

from ..kernel.notice import LANGUAGES
from ..kernel.one_line import one_line, sanitized
from ..markup import MarkdownParser
from .frame import also_near, nothing, nothing_heading
from .labels import Labels, labels_in
from .page import frame
from .page.card import Cards
from .page.element import Html, element, joined
from .page.prose import Prose

if TYPE_CHECKING:
    from ..report import Report

_TAGS = (
    "a blockquote br button code dd details div dl dt em footer h1 h2 h3 h4 h5 h6 header hr li main mark nav ol p pre "
    "q s section span strong summary table tbody td th thead time tr ul"
)
TAGS: Final = frozenset(_TAGS.split())
"""The elements allowed in the body of a page; none of them loads, runs or sends anything."""

ATTRIBUTES: Final = {
    "*": {"aria-label", "aria-labelledby", "class", "dir", "id", "lang", "popover", "role", "tabindex"},
    "a": {"href", "target"},
    "button": {"popovertarget", "popovertargetaction", "type"},
    "li": {"value"},
    "ol": {"start"},
    "th": {"scope"},
}

ICON: Final = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16' fill='none' stroke='%230f6076' "
    "stroke-width='2'%3E%3Ccircle cx='7' cy='7' r='5'/%3E%3Cpath d='m11 11 4 4'/%3E%3C/svg%3E"
)


def html(report: "Report") -> str:
    """Return the report as a page that loads nothing, runs no script, and can be opened from a disk.

    Equal reports give equal bytes. Each citation opens a card with the quote in its context, by pointer, touch or key;
    the page has no more of a source's text than the cards show. What sources, models and people wrote is escaped.
    """
    import nh3

    words = labels_in(report.language)
    body = nh3.clean(_body(report, words), tags=set(TAGS), attributes=ATTRIBUTES, url_schemes={"http", "https"})
    title = one_line(report.title)
    style = _style(title)
    page = "\n".join(
        [
            "<!DOCTYPE html>",
            f'<html lang="{report.language if report.language in LANGUAGES else LANGUAGES[0]}">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_policy(style)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            '<meta name="referrer" content="no-referrer">',
            '<meta name="generator" content="Spyglass">',
            element("title", title),
            f'<link rel="icon" href="{ICON}">',
            f"<style>{style}</style>",
            "</head>",
            f"<body>\n{body}\n</body>",
            "</html>\n",
        ]
    )
    return sanitized(page)  # Markdown may contain control characters as character references


def _body(report: "Report", words: Labels) -> Html:
    if report.given is not None:
        text = Prose(words, top=1).blocks(MarkdownParser(links=True).blocks(report.given))
        return element("main", text, class_="given")
    sections = _sections(report, words)
    headings = [(anchor, title) for anchor, title, _ in sections]
    parts = [_part(anchor, title, text, _language(report, anchor)) for anchor, title, text in sections]
    footer = element("footer", element("p", "Spyglass · ", element("code", report.run)))
    return element("main", frame.head(report, words), parts[0], frame.contents(headings, words), *parts[1:], footer)


def _sections(report: "Report", words: Labels) -> list[tuple[str, str, Html]]:
    cards = Cards(report, words)
    prose = Prose(words, cards)
    parts = [(f"s{k}", section.title, prose.section(section, str(k))) for k, section in enumerate(report.sections, 1)]
    if not parts:
        parts = [
            ("nothing", nothing_heading(report, words), prose.blocks(nothing(report, words))),
            ("advice", words.advice, frame.lines(words.advised)),
        ]
    elif near := also_near(report, words):
        anchor, title, text = parts[-1]
        folded = element("details", element("summary", words.also_near), prose.blocks(near[1:]))
        parts[-1] = (anchor, title, joined(text, folded))
    appendices = [
        ("contradictions", words.contradictions, frame.contradictions(report, cards, words)),
        ("coverage", words.coverage, frame.coverage(report, words)),
        ("removed", words.removed, frame.removed(report, words)),
        ("missing", words.missing, frame.missing(report, words)),
        ("searched", words.searched, frame.searched(report, words)),
        ("references", words.references, frame.references(report, words)),
    ]
    return [*parts, *((anchor, title, text) for anchor, title, text in appendices if text)]


def _part(anchor: str, title: str, text: Html, language: str | None) -> Html:
    name = f"{anchor}-title"
    heading = element("h2", one_line(title), id=name, dir="auto")
    return element("section", heading, text, id=anchor, aria_labelledby=name, lang=language)


def _language(report: "Report", anchor: str) -> str | None:
    """Return the language of a section if it differs from the page's: the report's, if there are no labels in it."""
    known = report.language in LANGUAGES or not report.language.isalpha() or len(report.language) > 3
    return None if known or not anchor[1:].isdigit() else report.language


def _style(title: str) -> str:
    """Return the style sheet of a page; printed pages have the title at the bottom."""
    text = resources.files(f"{__package__}.page").joinpath("style.css").read_text(encoding="utf-8")
    shown = "".join(char if char.isalnum() or char == " " else f"\\{ord(char):x} " for char in title)
    return f'{text}@page {{ @bottom-left {{ content: "{shown}"; }} }}\n'


def _policy(style: str) -> str:
    """Return the Content-Security-Policy of a page with that style: nothing is loaded, run or sent."""
    allowed = f"sha256-{base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()}"
    return f"default-src 'none'; style-src '{allowed}'; img-src data:; base-uri 'none'; form-action 'none'"
