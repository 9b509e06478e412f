"""The sentences of a section that their sources do not wholly support: where they are, and what is said of them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...kernel.one_line import one_line
from ..labels import mark
from .card import popover
from .element import Html, element, joined

if TYPE_CHECKING:
    from ...report.report import Claim, Report
    from ..labels import Labels

_FLAGGED = ("partial", "unsupported", "contradicted")
_BULLET = re.compile(r"(?:[ \t]*(?:[-*+>]|#{1,6}|\d{1,9}[.)])[ \t]+)*")


@dataclass(frozen=True, slots=True)
class Replacement:
    """HTML that takes the place of `text[start:end]` of a section."""

    start: int
    end: int
    html: Html


def flags(report: "Report", section: int, words: "Labels") -> list[Replacement]:
    """Return what begins and ends the flagged sentences of a section, in order and apart.

    The words in italics that such a sentence has behind it become a button that says why.
    """
    text = report.sections[section].text
    replacements: list[Replacement] = []
    claims = [(index, claim) for index, claim in enumerate(report.claims) if claim.section == section]
    for index, claim in sorted(claims, key=lambda pair: pair[1].start):
        before = replacements[-1].end if replacements else 0
        if claim.verdict in _FLAGGED and before <= claim.start < claim.end <= len(text):
            replacements += _around(index, claim, text, words)
    return replacements


def _around(index: int, claim: "Claim", text: str, words: "Labels") -> Iterator[Replacement]:
    said = mark(words, claim.verdict, cited=bool(claim.citations))
    chip = joined(" ", _chip(index, claim, said, words))
    found = re.compile(rf"[ ]?\*\({re.escape(said)}\)\*").search(text, claim.start, claim.end + len(f" *({said})*"))
    place = found.span() if found else (claim.end, claim.end)
    if claim.code:
        yield Replacement(*place, chip)
        return
    if text.startswith("|", claim.start):  # a row of a table: its cells are not one phrase
        end = text.rfind("|", claim.start + 1, claim.end)
        yield Replacement(*(place if found or end < 0 else (end, end)), chip)
        return
    start = _start(text, claim)
    yield Replacement(start, start, Html(f'<span class="claim {claim.verdict}">'))
    yield Replacement(max(start, place[0]), max(start, place[1]), joined(Html("</span>"), chip))


def _chip(index: int, claim: "Claim", said: str, words: "Labels") -> Html:
    """Return what is said, as a button that opens the reasons where there are any."""
    kind = f"flag {claim.verdict}"
    if not claim.reasons:
        return element("span", said, class_=kind)
    why = [element("span", one_line(words.said(reason)), class_="reason", dir="auto") for reason in claim.reasons]
    title = element("strong", said, class_="card-title")
    return popover(f"w{index + 1}", title, *why, label=said, kind=kind, words=words)


def _start(text: str, claim: "Claim") -> int:
    """Return where the words of a sentence begin: behind the bullet, where it has one."""
    match = _BULLET.match(text, claim.start, claim.end)
    at_start = not text[text.rfind("\n", 0, claim.start) + 1 : claim.start].strip()
    return match.end() if match and at_start else claim.start
