"""What a reader should know first: what was asked, how far to trust the answer, and whether it is whole."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...kernel.one_line import one_line
from .. import frame
from .element import Html, element

if TYPE_CHECKING:
    from ...report import Report
    from ..labels import Labels

LONG = 5  # headings from which on a report has a table of contents


def head(report: "Report", words: "Labels") -> Html:
    """Return the title, the figures of the report, and its outcome where that is not a complete report."""
    question = one_line(report.question)
    return element(
        "header",
        element("p", "Spyglass · ", element("time", one_line(report.date)), class_="brand"),
        element("h1", one_line(report.title), dir="auto"),
        element("p", question, class_="question", dir="auto")
        if question != one_line(report.title) and not report.checked
        else "",
        _figures(report, words),
        *_banners(report, words),
        *_notes(report, words),
    )


def contents(headings: Sequence[tuple[str, str]], words: "Labels") -> Html:
    """Return the table of contents of a long report; each heading is an id and a text."""
    if len(headings) < LONG:
        return Html()
    lines = [element("li", element("a", text, href=f"#{place}", dir="auto")) for place, text in headings]
    title = element("p", words.contents, class_="nav-title", id="contents")
    return element("nav", title, element("ol", *lines), aria_labelledby="contents")


def _figures(report: "Report", words: "Labels") -> Html:
    lines: list[tuple[str, list[str]]] = []
    if report.confidence:
        lines.append((words.confidence, [words.levels[report.confidence]]))
    if tally := words.tally(report.counts):
        removed = [words.removed_count.format(n=len(report.removed))] if report.removed else []
        lines.append((words.checked, [*tally, *removed]))
    if report.references:
        cited = len({reference.source_id for reference in report.references})
        value = words.sources.format(n=cited, m=len(report.sources))
        independent = [words.independent.format(n=report.independent)] if report.independent else []
        lines.append((words.references, [value, *independent]))
    figures = [
        element("div", element("dt", label), element("dd", values[0], *_aside(values[1:]))) for label, values in lines
    ]
    return element("dl", *figures, class_="figures") if figures else Html()


def _aside(values: Sequence[str]) -> list[Html]:
    return [element("span", f" · {value}", class_="aside") for value in values]


def _banners(report: "Report", words: "Labels") -> list[Html]:
    told = [words.said(one) for one in (report.network, *report.warnings) if one]
    told += [words.unchecked] if report.policy == "off" and report.sections else []
    return [*(element("p", one, class_="banner") for one in told), *_outcome(report, words)]


def _outcome(report: "Report", words: "Labels") -> list[Html]:
    if report.outcome in ("partial", "failed"):
        said = (words.partial if report.outcome == "partial" else words.failed).format(missing=words.missing)
        why = element("a", said, href="#missing") if frame.missing(report, words) else said
        return [element("p", why, class_="banner")]
    if report.outcome == "cancelled":
        return [element("p", words.stopped, class_="banner")]
    if report.outcome == "nothing_found" and report.sections:
        return [element("p", words.nothing, class_="banner")]
    return []


def _notes(report: "Report", words: "Labels") -> list[Html]:
    notes = map(one_line, frame.notes(report, words, whole=True))
    return [element("p", note, class_="note", dir="auto") for note in notes]
