"""Finds what changed between two reports on a question, by comparing values in their sources, never wording.

It compares two statements, either of one source before and now, or of two sources. A change is a number, a date, a
name or a negation in one statement that the other contradicts.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pydantic import BaseModel

from ..evidence import FactMismatch, Relevance, facts, mismatches, roots, visible
from ..kernel.one_line import one_line
from ..kernel.sentence import sentence_spans
from ..kernel.source import Source
from ..report import Report

SAME_SUBJECT: Final = 0.5  # least likeness of two statements with the same subject, as in `spyglass diff`
VALUES: Final = frozenset({"number", "date", "unit"})  # kinds of mismatches in which a value is present or missing
NEW: Final = "new"  # the kind of a change without an earlier statement


class Quoted(BaseModel, frozen=True):
    """A verbatim quote of a source; `read` is an ISO time in UTC, `published` a date if the source has one."""

    text: str
    title: str
    place: str
    read: str = ""
    published: str = ""


class ValueChange(BaseModel, frozen=True):
    """The value `found` in a source now, and `what` it or another source stated before."""

    kind: str
    what: str
    found: str
    before: Quoted | None
    after: Quoted


def changes(old: Report, new: Report, today: Mapping[str, str]) -> list[ValueChange]:
    """Return what has changed; `today` maps the place (`place_of`) of each source that `old` cites to its current text.

    An unchanged text yields no change, whichever parts of it are quoted or paraphrased.
    """
    every = reversed([*_edited(old, today), *_newly_stated(old, new)])
    unique = {(one_line(item.before.text) if item.before else "", one_line(item.after.text)): item for item in every}
    return list(unique.values())[::-1]


def place_of(source: Source) -> str:
    """Return the place of a source: the path of a file, the address of a page."""
    return source.path or source.url


def _edited(old: Report, today: Mapping[str, str]) -> Iterator[ValueChange]:
    """Yield the changes of cited statements in sources whose text has changed."""
    for source, quote in _cited(old):
        text = today.get(place_of(source))
        if text is None or _has(text, quote):
            continue
        after = _counterpart(quote, _sentences(text, beyond=_text(old, source)))
        if after and (value := _value(quote, after)):
            yield _changed(value, _quoted(source, quote), _quoted(source, after, read=""))


def _newly_stated(old: Report, new: Report) -> Iterator[ValueChange]:
    """Yield statements cited by the new report that its sources did not state before, or that contradict them."""
    old_sources = {place_of(source): source for source in old.sources}
    cited = _cited(old)
    for source, quote in _cited(new):
        old_source = old_sources.get(place_of(source))
        if old_source is None:
            yield from _contradictions(quote, source, cited)
        elif old_source.snapshot != source.snapshot and (text := _text(old, old_source)) and not _has(text, quote):
            counterpart = _counterpart(quote, _sentences(text, beyond=_text(new, source)))
            if counterpart and (value := _value(counterpart, quote)):
                yield _changed(value, _quoted(old_source, counterpart), _quoted(source, quote))
            elif not counterpart and (added := _added(quote, text)):
                yield ValueChange(kind=NEW, what="", found=added, before=None, after=_quoted(source, quote))


def _contradictions(quote: str, source: Source, cited: Sequence[tuple[Source, str]]) -> Iterator[ValueChange]:
    """Yield the contradictions between a statement of a new source and statements cited before."""
    counterpart = _counterpart(quote, [cited_quote for _, cited_quote in cited])
    if counterpart and (value := _value(counterpart, quote)) and value.opposed:
        old_source = next(source for source, cited_quote in cited if cited_quote == counterpart)
        yield _changed(value, _quoted(old_source, counterpart), _quoted(source, quote))


def _changed(value: FactMismatch, before: Quoted, after: Quoted) -> ValueChange:
    return ValueChange(kind=value.kind, what=value.what, found=value.found, before=before, after=after)


def _cited(report: Report) -> list[tuple[Source, str]]:
    """Return the quotes of supported claims, each once, source by source in the order of the text."""
    sources = {source.id: source for source in report.sources}
    quotes: dict[str, dict[str, None]] = {}
    for index in (index for claim in report.claims if claim.verdict == "supported" for index in claim.citations):
        citation = report.citations[index]
        quotes.setdefault(citation.source_id, {})[citation.quote] = None
    return [(sources[name], quote) for name, quoted in quotes.items() if name in sources for quote in quoted]


def _text(report: Report, source: Source) -> str:
    """Return the text of a cited source as stored in the report; empty for a source that is not cited."""
    return next((snapshot.text for snapshot in report.snapshots if snapshot.hash == source.snapshot), "")


def _has(text: str, quote: str) -> bool:
    """Return whether a text contains the words of a quote, ignoring white space and markup."""
    return _bare(quote) in _bare(text)


def _bare(text: str) -> str:
    return "".join(visible(text).split()).casefold()


def _sentences(text: str, beyond: str) -> list[str]:
    """Return the sentences of a text that are not in `beyond`, another text of the same source."""
    other = _bare(beyond)
    sentences = (text[start:end] for start, end in sentence_spans(text))
    return [sentence for sentence in sentences if _bare(sentence) not in other]


def _counterpart(quote: str, sentences: Sequence[str]) -> str:
    """Return the sentence most similar to a quote, at least SAME_SUBJECT; empty if there is none."""
    quote_words, words = roots(quote), [roots(sentence) for sentence in sentences]
    relevance = Relevance([quote_words, *words])
    scored = [(relevance.likeness(quote_words, sentence), -index) for index, sentence in enumerate(words)]
    likeness, negated = max(scored, default=(0.0, 0))
    return sentences[-negated] if likeness >= SAME_SUBJECT else ""


def _value(before: str, after: str) -> FactMismatch | None:
    """Return the value in which two statements differ, as the first states it; None if only the wording differs."""
    old, new = facts(visible(before)), facts(visible(after))
    missing, added = mismatches(old, new), mismatches(new, old)
    turned = [FactMismatch(item.kind, item.found, item.what, item.opposed) for item in added]
    opposed = [item for item in [*missing, *turned] if item.opposed]
    for item in opposed:
        if item.kind != "name":
            return item
    lost, gained = ([item for item in items if item.kind in VALUES] for items in (missing, added))
    if not (lost and gained) and opposed:  # word order does not tell which name replaced which
        lost = [item for item in missing if item.kind == "name" and not _has(after, item.what)]
        gained = [item for item in added if item.kind == "name" and not _has(before, item.what)]
    if lost and gained:
        return FactMismatch(lost[0].kind, lost[0].what, gained[0].what, opposed=bool(opposed))
    return next((item for item in [*missing, *added] if item.kind == "negation"), None)


def _added(quote: str, text: str) -> str:
    """Return the first number, date or name of a quote that the text lacks; empty if it has all."""
    missing = mismatches(facts(visible(quote)), facts(visible(text)))
    return next((item.what for item in missing if item.kind in VALUES | {"name"} and not item.limits), "")


def _quoted(source: Source, text: str, read: str | None = None) -> Quoted:
    read = source.retrieved_at if read is None else read
    title = source.title or place_of(source)
    return Quoted(text=text, title=title, place=place_of(source), read=read, published=source.published)
