"""What a report rests on: the references, what was searched, and what did not work."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ...evidence import shown
from ...kernel.one_line import one_line
from .. import frame
from ..escape import is_web
from ..quote_place import place
from ..source_labels import same_texts
from .card import facts, known, outside
from .context import cut
from .element import Html, element, joined, table

if TYPE_CHECKING:
    from ...report import Reference, Report
    from ..labels import Labels

LONGEST_QUOTE = 400  # characters of a quote that the list of references shows


def references(report: "Report", words: "Labels") -> Html:
    """Return the cited passages with all that is known of them, and the spans that sentences rest on."""
    if not report.references:
        return Html()
    quotes, copies = frame.quotes(report), same_texts(report, words)
    entries = [
        _reference(one, quotes.get(one.number, {one.quote: []}), words, copies.get(one.source_id, ""))
        for one in report.references
    ]
    return element("ol", *entries, class_="references")


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
    log = table((words.query, words.engine, words.results), rows, words.log)
    return element("details", element("summary", f"{words.log} ({len(rows)})"), log)


def _reference(entry: "Reference", quotes: Mapping[str, Sequence[str]], words: "Labels", copies: str) -> Html:
    title = one_line(entry.title) or one_line(entry.path or entry.url)
    texts = dict.fromkeys(shown(*quote) for quote in quotes.items())
    address = element("p", outside(entry.url, one_line(entry.url)), class_="address", dir="ltr")
    return element(
        "li",
        element("p", title, class_="reference-title", dir="auto"),
        element("p", facts(*known(entry, place(entry, words), words), *filter(None, [copies]))),
        address if is_web(entry.url) else "",
        *(element("blockquote", cut(quote, LONGEST_QUOTE), dir="auto") for quote in texts),
        id=f"r{entry.number}",
    )
