"""What a report says around its sections, as HTML: what to know first, what to doubt, and what it rests on."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ...evidence import shown
from ...kernel.one_line import one_line
from .. import frame
from ..escape import is_web
from ..source_labels import dates, place, same_texts
from .card import Cards, facts, known, outside
from .context import LONGEST, cut
from .element import Html, element, heads, joined, table

if TYPE_CHECKING:
    from ...report import CheckedCitation, Contradiction, Coverage, Reference, Removed, Report, Side
    from ..labels import Labels

LONG = 5  # headings from which on a report has a table of contents
LONGEST_QUOTE = 400  # characters of a quote that the list of references shows


# What to know first


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
        *(element("p", one_line(note), class_="note", dir="auto") for note in frame.notes(report, words, whole=True)),
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
    if tally := words.tally(report.counts, whole=bool(report.checked)):
        removed = [words.removed_count.format(n=len(report.removed))] if report.removed else []
        lines.append((words.checked, [*tally, *removed]))
    if report.looked_up:
        lines.append((words.references, frame.states(report, words)))
    elif report.references:
        cited = len({reference.source_id for reference in report.references})
        value = words.sources.format(n=cited, m=len(report.sources))
        independent = [words.independent.format(n=report.independent)] if report.independent else []
        lines.append((words.references, [value, *independent]))
    figures = []
    for label, (first, *others) in lines:
        aside = (element("span", f" · {other}", class_="aside") for other in others)
        figures.append(element("div", element("dt", label), element("dd", first, *aside)))
    return element("dl", *figures, class_="figures") if figures else Html()


def _banners(report: "Report", words: "Labels") -> list[Html]:
    told: list[str] = [words.said(one) for one in (report.network, *report.warnings) if one]
    told += [words.unchecked] if report.policy == "off" and report.sections else []
    if said := frame.ending(report, words):
        leads = report.outcome != "cancelled" and frame.missing(report, words)
        told.append(element("a", said, href="#missing") if leads else said)
    elif report.outcome == "nothing_found" and report.sections:
        told.append(words.nothing)
    return [element("p", one, class_="banner") for one in told]


# What to doubt


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
    return table(heads(words.sub_question, words.result), rows, words.coverage)


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
    subject = element("h3", one_line(one.subject), dir="auto") if one.subject else ""
    first = _side(one.first, cards, words, is_newer=one.newer == "first")
    second = _side(one.second, cards, words, is_newer=one.newer == "second")
    return joined(subject, element("div", first, second, class_="sides"))


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


# What it rests on


def references(report: "Report", words: "Labels") -> Html:
    """Return the cited passages with all that is known of them, and the spans that sentences rest on."""
    quotes, copies = frame.quotes(report), same_texts(report, words)
    entries = {one.number: _unquoted(one, words) for one in frame.unquoted(report)}
    for one in report.references:
        more = [frame.state(report, one, words), copies.get(one.source_id, "")]
        entries[one.number] = _reference(one, quotes.get(one.number, {one.quote: []}), words, more)
    return element("ol", *(entries[number] for number in sorted(entries)), class_="references") if entries else Html()


def missing(report: "Report", words: "Labels") -> Html:
    """Return what did not work, and what was left out for it."""
    return lines(frame.missing(report, words))


def searched(report: "Report", words: "Labels") -> Html:
    """Return where the answer was looked for, and the search log, folded up."""
    return joined(lines(frame.searched(report, words, whole=True)), _log(report, words))


def lines(texts: Iterable[str]) -> Html:
    """Return a list with a line for each text; nothing without any."""
    items = [element("li", one_line(text), dir="auto") for text in texts]
    return element("ul", *items) if items else Html()


def _log(report: "Report", words: "Labels") -> Html:
    if not report.searches:
        return Html()
    rows = [
        element(
            "tr",
            element("td", one_line(search.query), dir="auto"),
            element("td", one_line(words.said(search.engine))),
            element("td", one_line(words.said(search.error)), class_="failed", dir="auto")
            if search.error
            else element("td", str(search.results)),
        )
        for search in report.searches
    ]
    log = table(heads(words.query, words.engine, words.results), rows, words.log)
    return element("details", element("summary", f"{words.log} ({len(rows)})"), log)


def _unquoted(one: "CheckedCitation", words: "Labels") -> Html:
    place = element("p", one_line(one.place), class_="reference-title", dir="auto") if one.place else ""
    said = element("p", one_line(frame.became(one, words)), class_="became", dir="auto")
    return element("li", place, said, id=f"r{one.number}", value=one.number)


def _reference(entry: "Reference", quotes: Mapping[str, Sequence[str]], words: "Labels", more: Iterable[str]) -> Html:
    title = one_line(entry.title) or one_line(entry.path or entry.url)
    texts = dict.fromkeys(shown(*quote) for quote in quotes.items())
    address = element("p", outside(entry.url, one_line(entry.url)), class_="address", dir="ltr")
    return element(
        "li",
        element("p", title, class_="reference-title", dir="auto"),
        element("p", facts(*known(entry, place(entry, words), words), *filter(None, more))),
        address if is_web(entry.url) else "",
        *(element("blockquote", cut(quote, LONGEST_QUOTE), dir="auto") for quote in texts),
        id=f"r{entry.number}",
        value=entry.number,
    )
