"""What a reader should doubt: where sources disagree, what was not answered, what had to go."""

from typing import TYPE_CHECKING

from ...evidence import shown
from ...kernel.one_line import one_line
from .. import frame
from ..escape import is_web
from ..source_labels import dates
from .card import Cards, facts, outside
from .context import LONGEST, cut
from .element import Html, element, joined, table

if TYPE_CHECKING:
    from ...report import Contradiction, Coverage, Removed, Report, Side
    from ..labels import Labels


def contradictions(report: "Report", cards: Cards, words: "Labels") -> Html:
    """Return what sources say that disagree, side by side."""
    return joined(*(_contradiction(one, cards, words) for one in report.contradictions))


def coverage(report: "Report", words: "Labels") -> Html:
    """Return the table of sub-questions and what became of each."""
    if not (covered := frame.coverage(report)):
        return Html()
    rows = [
        element("tr", element("th", one_line(one.question), scope="row", dir="auto"), _result(one, words))
        for one in covered
    ]
    return table((words.sub_question, words.result), rows, words.coverage)


def removed(report: "Report", words: "Labels") -> Html:
    """Return the sentences that are not in the report, folded up."""
    if not report.removed:
        return Html()
    count = words.removed_count.format(n=len(report.removed))
    entries = [_removed(one, report, words) for one in report.removed]
    return element(
        "details",
        element("summary", count),
        element("p", words.removed_said, class_="note"),
        element("ul", *entries, class_="removed"),
    )


def _contradiction(one: "Contradiction", cards: Cards, words: "Labels") -> Html:
    sides = [
        _side(one.first, cards, words, is_newer=one.newer == "first"),
        _side(one.second, cards, words, is_newer=one.newer == "second"),
    ]
    subject = element("h3", one_line(one.subject), dir="auto") if one.subject else ""
    return joined(subject, element("div", *sides, class_="sides"))


def _side(side: "Side", cards: Cards, words: "Labels", *, is_newer: bool) -> Html:
    title = one_line(side.title)
    known = [words.credibility.format(score=side.credibility_score)] if side.credibility_score is not None else []
    age = [*([] if side.published else [words.undated]), *dates(side.published, side.retrieved_at, words)]
    return element(
        "div",
        element("blockquote", cut(shown(side.quote), LONGEST), dir="auto"),
        element(
            "p",
            outside(cards.links.side(side), title) if is_web(side.url) else title,
            element("span", words.newer, class_="badge") if is_newer else "",
            class_="side-title",
            dir="auto",
        ),
        element("p", facts(*([one_line(side.path)] if side.path else []), *known, *age)),
        class_="side",
    )


def _result(one: "Coverage", words: "Labels") -> Html:
    look = {"answered": "full", "partly": "some", "not found": "none"}[one.verdict]
    return element("td", words.became(one), class_=f"result {look}")


def _removed(one: "Removed", report: "Report", words: "Labels") -> Html:
    said = words.contradicted if one.verdict == "contradicted" else words.unsupported
    source = next((source for source in report.sources if source.id == one.source_id), None)
    nearest = ""
    if one.evidence:
        whose = f" ({one_line(source.title)})" if source else ""
        quote = element("q", cut(shown(one.evidence), LONGEST), dir="auto")
        nearest = element("p", words.named(f"{words.nearest}{whose}", ""), quote, class_="nearest", dir="auto")
    return element(
        "li",
        element("p", shown(one.text), class_="gone", dir="auto"),
        element(
            "p", facts(one_line(one.section), said, *(one_line(words.said(why)) for why in one.reasons)), dir="auto"
        ),
        nearest,
    )
