"""What changed between two answers to one question, by what their sources say: values, never wording.

Compared are two statements of the same source, then and now, or of two sources. They have changed when a number, a
date, a name or a negation of the one is opposed by the other's.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pydantic import BaseModel

from ..evidence import FactMismatch, Relevance, facts, mismatches, roots, visible
from ..kernel.one_line import one_line
from ..kernel.sentence import sentence_spans
from ..kernel.source import Source
from ..report import Report

SAME_SUBJECT: Final = 0.5  # likeness from which two statements have one subject, as in `spyglass diff`
VALUES: Final = frozenset({"number", "date", "unit"})  # kinds of mismatches in which a value is there or missing
NEW: Final = "new"  # the kind of a change that has no statement before it


class Quoted(BaseModel, frozen=True):
    """Words of a source, verbatim; `read` is an ISO time in UTC, `published` a date, where it says one."""

    text: str
    title: str
    place: str
    read: str = ""
    published: str = ""


class ValueChange(BaseModel, frozen=True):
    """What a source says now, `found`, and what it, or another one, said before, `what`."""

    kind: str
    what: str
    found: str
    before: Quoted | None
    after: Quoted


def changes(old: Report, new: Report, today: Mapping[str, str]) -> list[ValueChange]:
    """Return what has changed; `today` are texts as they are now of what `old` cites, by where they are.

    A text that is as it was changes nothing, whatever is quoted from it and however a model puts it.
    """
    found = [*_edited(old, today), *_said_anew(old, new)]
    once = {(one_line(one.before.text) if one.before else "", one_line(one.after.text)): one for one in reversed(found)}
    return list(once.values())[::-1]


def place_of(source: Source) -> str:
    """Return where a source is: the path of a file, the address of a page."""
    return source.path or source.url


def _edited(old: Report, today: Mapping[str, str]) -> Iterator[ValueChange]:
    """Yield what became of the statements that a report cites, in the sources that have another text now."""
    for source, quote in _cited(old):
        text = today.get(place_of(source))
        if text is None or _has(text, quote):
            continue
        after = _counterpart(quote, _sentences(text, beyond=_text(old, source)))
        if after and (value := _value(quote, after)):
            yield _changed(value, _quoted(source, quote), _quoted(source, after, read=""))


def _said_anew(old: Report, new: Report) -> Iterator[ValueChange]:
    """Yield what a report cites now that its sources did not say before, or whose sources were not there before."""
    before = {place_of(source): source for source in old.sources}
    cited = _cited(old)
    for source, quote in _cited(new):
        then = before.get(place_of(source))
        if then is None:
            yield from _against(quote, source, cited)
        elif then.snapshot != source.snapshot and (text := _text(old, then)) and not _has(text, quote):
            counterpart = _counterpart(quote, _sentences(text, beyond=_text(new, source)))
            if counterpart and (value := _value(counterpart, quote)):
                yield _changed(value, _quoted(then, counterpart), _quoted(source, quote))
            elif not counterpart and (added := _added(quote, text)):
                yield ValueChange(kind=NEW, what="", found=added, before=None, after=_quoted(source, quote))


def _against(quote: str, source: Source, cited: Sequence[tuple[Source, str]]) -> Iterator[ValueChange]:
    """Yield in what a statement of a source that was not there before opposes one that was cited."""
    counterpart = _counterpart(quote, [one for _, one in cited])
    if counterpart and (value := _value(counterpart, quote)) and value.opposed:
        then = next(source for source, one in cited if one == counterpart)
        yield _changed(value, _quoted(then, counterpart), _quoted(source, quote))


def _changed(value: FactMismatch, before: Quoted, after: Quoted) -> ValueChange:
    return ValueChange(kind=value.kind, what=value.what, found=value.found, before=before, after=after)


def _cited(report: Report) -> list[tuple[Source, str]]:
    """Return what supported claims quote, each quote once, source by source in the order of the text."""
    sources = {source.id: source for source in report.sources}
    quotes: dict[str, dict[str, None]] = {}
    for place in (place for claim in report.claims if claim.verdict == "supported" for place in claim.citations):
        quotes.setdefault(report.citations[place].source_id, {})[report.citations[place].quote] = None
    return [(sources[name], quote) for name, own in quotes.items() if name in sources for quote in own]


def _text(report: Report, source: Source) -> str:
    """Return the text of a cited source as a report carries it; nothing of one that is not cited."""
    return next((one.text for one in report.snapshots if one.hash == source.snapshot), "")


def _has(text: str, quote: str) -> bool:
    """Say whether a text has the words of a quote, whatever its white space and markup."""
    return _bare(quote) in _bare(text)


def _bare(text: str) -> str:
    return "".join(visible(text).split()).casefold()


def _sentences(text: str, beyond: str) -> list[str]:
    """Return the sentences of a text that another one of the same source has not."""
    other = _bare(beyond)
    return [one for start, end in sentence_spans(text) if _bare(one := text[start:end]) not in other]


def _counterpart(quote: str, sentences: Sequence[str]) -> str:
    """Return the sentence that speaks of the same as a quote, the most alike; nothing where none does."""
    own, words = roots(quote), [roots(one) for one in sentences]
    relevance = Relevance([own, *words])
    scored = [(relevance.likeness(own, those), -place) for place, those in enumerate(words)]
    likeness, place = max(scored, default=(0.0, 0))
    return sentences[-place] if likeness >= SAME_SUBJECT else ""


def _value(before: str, after: str) -> FactMismatch | None:
    """Return the value in which two statements differ, as the first has it; None where they differ in words alone."""
    one, other = facts(visible(before)), facts(visible(after))
    ways = (mismatches(one, other), mismatches(other, one))
    turned = [FactMismatch(found.kind, found.found, found.what, found.opposed) for found in ways[1]]
    opposed = [found for found in [*ways[0], *turned] if found.opposed]
    for found in opposed:
        if found.kind != "name":
            return found
    lost, gained = ([found for found in way if found.kind in VALUES] for way in ways)
    if not (lost and gained) and opposed:  # which name took whose place, the order of the words does not tell
        lost = [found for found in ways[0] if found.kind == "name" and not _has(after, found.what)]
        gained = [found for found in ways[1] if found.kind == "name" and not _has(before, found.what)]
    if lost and gained:
        return FactMismatch(lost[0].kind, lost[0].what, gained[0].what, opposed=bool(opposed))
    denied = [found for way in ways for found in way if found.kind == "negation"]
    return denied[0] if denied else None


def _added(quote: str, text: str) -> str:
    """Return a number, date or name of a statement that a text does not have anywhere; nothing where it has all."""
    found = mismatches(facts(visible(quote)), facts(visible(text)))
    return next((one.what for one in found if one.kind in VALUES | {"name"} and not one.limits), "")


def _quoted(source: Source, text: str, read: str | None = None) -> Quoted:
    read = source.retrieved_at if read is None else read
    title = source.title or place_of(source)
    return Quoted(text=text, title=title, place=place_of(source), read=read, published=source.published)
