"""The frame of a report, which is all that surrounds its sections, as HTML: header, caveats and references."""

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

LONG = 5  # fewest headings of a report with a table of contents
LONGEST_QUOTE = 400  # characters of a quote that the list of references shows


# Header


def head(report: "Report", words: "Labels") -> Html:
    """Return the title, the figures of the report, and its outcome unless it is complete."""
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
        lines.append((words.references, frame.state_counts(report, words)))
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
    banners: list[str] = [words.text_of(warning) for warning in (report.network, *report.warnings) if warning]
    banners += [words.unchecked] if report.policy == "off" and report.sections else []
    if text := frame.ending(report, words):
        leads = report.outcome != "cancelled" and frame.missing(report, words)
        banners.append(element("a", text, href="#missing") if leads else text)
    elif report.outcome == "nothing_found" and report.sections:
        banners.append(words.nothing)
    return [element("p", banner, class_="banner") for banner in banners]


# Caveats


def contradictions(report: "Report", cards: Cards, words: "Labels") -> Html:
    """Return the contradictions between sources, both sides next to each other."""
    return joined(*(_contradiction(pair, cards, words) for pair in report.contradictions))


def coverage(report: "Report", words: "Labels") -> Html:
    """Return the table of sub-questions and their results."""
    if not (covered := frame.coverage(report)):
        return Html()
    rows = [
        element("tr", element("th", one_line(item.question), scope="row", dir="auto"), _result(item, words))
        for item in covered
    ]
    return table(heads(words.sub_question, words.result), rows, words.coverage)


def removed(report: "Report", words: "Labels") -> Html:
    """Return the sentences that were removed from the report, collapsed."""
    if not report.removed:
        return Html()
    count = words.removed_count.format(n=len(report.removed))
    entries = [_removed(sentence, report, words) for sentence in report.removed]
    return element(
        "details",
        element("summary", count),
        element("p", words.removed_said, class_="note"),
        element("ul", *entries, class_="removed"),
    )


def _contradiction(pair: "Contradiction", cards: Cards, words: "Labels") -> Html:
    subject = element("h3", one_line(pair.subject), dir="auto") if pair.subject else ""
    first = _side(pair.first, cards, words, is_newer=pair.newer == "first")
    second = _side(pair.second, cards, words, is_newer=pair.newer == "second")
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


def _result(item: "Coverage", words: "Labels") -> Html:
    kind = {"answered": "full", "partly": "some", "not found": "none"}[item.verdict]
    return element("td", words.result_of(item), class_=f"result {kind}")


def _removed(sentence: "Removed", report: "Report", words: "Labels") -> Html:
    verdict = words.contradicted if sentence.verdict == "contradicted" else words.unsupported
    source = next((source for source in report.sources if source.id == sentence.source_id), None)
    nearest = ""
    if sentence.evidence:
        whose = f" ({one_line(source.title)})" if source else ""
        quote = element("q", cut(shown(sentence.evidence), LONGEST), dir="auto")
        nearest = element("p", words.named(f"{words.nearest}{whose}", ""), quote, class_="nearest", dir="auto")
    return element(
        "li",
        element("p", shown(sentence.text), class_="gone", dir="auto"),
        element(
            "p",
            facts(one_line(sentence.section), verdict, *(one_line(words.text_of(why)) for why in sentence.reasons)),
            dir="auto",
        ),
        nearest,
    )


# Sources


def references(report: "Report", words: "Labels") -> Html:
    """Return the list of references: the cited passages with all known facts and their quotes."""
    quotes, copies = frame.quotes(report), same_texts(report, words)
    entries = {citation.number: _unquoted(citation, words) for citation in frame.unquoted(report)}
    for entry in report.references:
        more = [frame.reference_state(report, entry, words), copies.get(entry.source_id, "")]
        entries[entry.number] = _reference(entry, quotes.get(entry.number, {entry.quote: []}), words, more)
    return element("ol", *(entries[number] for number in sorted(entries)), class_="references") if entries else Html()


def missing(report: "Report", words: "Labels") -> Html:
    """Return a list of what failed, and of what was left out."""
    return lines(frame.missing(report, words))


def searched(report: "Report", words: "Labels") -> Html:
    """Return what was searched, and the search log, collapsed."""
    return joined(lines(frame.searched(report, words, whole=True)), _log(report, words))


def lines(texts: Iterable[str]) -> Html:
    """Return a list with an item for each text, empty without texts."""
    items = [element("li", one_line(text), dir="auto") for text in texts]
    return element("ul", *items) if items else Html()


def _log(report: "Report", words: "Labels") -> Html:
    if not report.searches:
        return Html()
    rows = [
        element(
            "tr",
            element("td", one_line(search.query), dir="auto"),
            element("td", one_line(words.text_of(search.engine))),
            element("td", one_line(words.text_of(search.error)), class_="failed", dir="auto")
            if search.error
            else element("td", str(search.results)),
        )
        for search in report.searches
    ]
    log = table(heads(words.query, words.engine, words.results), rows, words.log)
    return element("details", element("summary", f"{words.log} ({len(rows)})"), log)


def _unquoted(citation: "CheckedCitation", words: "Labels") -> Html:
    place = element("p", one_line(citation.place), class_="reference-title", dir="auto") if citation.place else ""
    state = element("p", one_line(frame.citation_state(citation, words)), class_="became", dir="auto")
    return element("li", place, state, id=f"r{citation.number}", value=citation.number)


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
