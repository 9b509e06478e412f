"""The card of a citation: the quote in its context, and the facts about its source."""

from typing import TYPE_CHECKING

from ...evidence import shown
from ...kernel.one_line import one_line
from .. import frame
from ..escape import is_web
from ..links import Links
from ..source_labels import credibility, dates, place
from .context import LONGEST, Context, context, cut
from .element import Html, element, joined

if TYPE_CHECKING:
    from ...kernel.source import Citation
    from ...report import Reference, Report
    from ..labels import Labels


def known(entry: "Reference", place: str, words: "Labels") -> list[str]:
    """Return the facts about a cited passage besides its title: its kind and location, its credibility, its dates."""
    kind = words.local if entry.kind == "file" else words.web_page
    location = [text for text in (kind, one_line(entry.path or entry.domain), place) if text]
    return [*location, *credibility(entry, words), *dates(entry.published, entry.retrieved_at, words)]


def facts(*texts: str) -> Html:
    """Return short facts on one line."""
    return element("span", *(element("span", text, class_="fact", dir="auto") for text in texts), class_="facts")


LONGEST_TITLE = 160  # characters of a source's title that a card shows


class Cards:
    """The cards of a report's citations; only the cited texts of its snapshots are read."""

    def __init__(self, report: "Report", words: "Labels") -> None:
        self._words = words
        self._citations = report.citations
        self._references = {entry.number: entry for entry in report.references}
        self._looked_up = {citation.number: frame.citation_state(citation, words) for citation in report.looked_up}
        self._texts = {snapshot.hash: snapshot.text for snapshot in report.snapshots}
        self.links = Links(report)

    def citation(self, index: int) -> Html:
        """Return the marker of the citation with that index, and its card."""
        citation = self._citations[index]
        entry = self._references[citation.number]
        words = self._words
        title = cut(one_line(entry.title), LONGEST_TITLE)
        name = words.source.format(n=citation.number)
        return popover(
            f"c{index + 1}",
            element("strong", title, class_="card-title", dir="auto"),
            facts(*known(entry, self._place(citation), words)),
            self._quote(citation),
            element(
                "span",
                self._open(entry, citation),
                element("a", f"{words.references} [{citation.number}]", href=f"#r{citation.number}"),
                class_="card-links",
            ),
            label=str(citation.number),
            name=f"{name}: {title}",
            kind="marker",
            words=words,
        )

    def pointer(self, number: int) -> Html:
        """Return the marker of a citation without a quote: a link to its entry in the references."""
        name = self._words.named(self._words.source.format(n=number), self._looked_up.get(number, ""))
        return element("a", str(number), class_="marker", href=f"#r{number}", aria_label=name)

    def _place(self, citation: "Citation") -> str:
        """Return the location of a quote in its source, or that of its passage if the text is not stored."""
        entry, text = self._references[citation.number], self._texts.get(citation.snapshot, "")
        if text[citation.start : citation.end] != citation.quote:
            return place(entry, self._words)
        return place(entry, self._words, text, citation.start, citation.end)

    def _quote(self, citation: "Citation") -> Html:
        """Return a quote, highlighted in its context, or alone if the text is not stored."""
        text = self._texts.get(citation.snapshot, "")
        quote = cut(shown(citation.quote, citation.columns), LONGEST)
        parts = Context("", quote, "")
        if text[citation.start : citation.end] == citation.quote:
            parts = context(text, citation.start, citation.end)
            parts = parts._replace(quote=quote) if citation.columns else parts
        return element("span", parts.before, element("mark", parts.quote), parts.after, class_="quote", dir="auto")

    def _open(self, entry: "Reference", citation: "Citation") -> Html:
        if not is_web(entry.url):
            return Html()
        return outside(self.links.citation(citation), self._words.open_there)


def outside(url: str, text: str) -> Html:
    """Return a link to another site in a new window, since a frame that shows the report loads no other site."""
    return element("a", text, href=url, target="_blank")


def popover(anchor: str, *inside: Html, label: str, kind: str, words: "Labels", name: str | None = None) -> Html:
    """Return a button and the card that it opens; both are within a sentence, so only phrasing content may be `inside`.

    `label` is the text of the button, `name` its accessible name if that differs.
    """
    button = element("button", label, type="button", class_=kind, popovertarget=anchor, aria_label=name)
    close = element(
        "button",
        "×",
        type="button",
        class_="close",
        popovertarget=anchor,
        popovertargetaction="hide",
        aria_label=words.close,
    )
    sheet = element("span", close, *inside, class_="sheet")
    card = element("span", sheet, popover="auto", id=anchor, class_="card", role="group", aria_label=name or label)
    return element("span", joined(button, card), class_="cite")
