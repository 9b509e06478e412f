"""Derives the fields of a report that follow from its recorded fields; the Reporter and `verify` both use it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from ..evidence.headings import heading_above, headings_in
from ..evidence.relevance import unmentioned
from ..evidence.rows import columns
from ..kernel.outcome import Outcome, outcome_of
from ..kernel.source import Citation, Source
from ..rag.chunk import HEADINGS
from ..ranking import asking_words
from .confidence import confidence
from .copies import counted, primary_of
from .coverage import covered
from .disagreement import disagreements
from .report import Contradiction, Reference, Report, Section, Snapshot, Spent, shared, title_of
from .source_index import SourceIndex

LONGEST_QUOTE: Final = 300
"""Most characters of a quote in the list of references."""

TextOf = Callable[[str], str | None]
"""Returns the stored text of a snapshot by its hash, None if there is none."""

DERIVED: Final = (
    "snapshots", "references", "citations", "contradictions", "coverage", "independent", "confidence", "title",
    "unmentioned", "outcome", "spending",
)  # fmt: skip
"""The fields that `derive` sets."""


def derive(recorded: Report, index: SourceIndex, text_of: TextOf) -> Report:
    """Return a report in which every field of DERIVED is computed from the recorded fields. Blocks.

    The recorded fields include the sections, the removed sentences, the sources and their groups of copies, and for
    each sub-question the sources found for it and the verdict of the ranker or the model. `index` contains these
    sources. Raises LookupError if a citation names an unknown passage or a span outside its passage.
    """
    sources = {source.id: source for source in recorded.sources}
    citations = cited(recorded.sections, index, text_of)
    cited_ids = {citation.source_id for citation in citations}
    primary = primary_of(recorded.copies)
    independent = counted([source for source in recorded.sources if source.id in cited_ids], primary)
    contradictions = disagreements(index, citations, primary)
    coverage = covered(recorded.coverage, index, recorded.claims, citations)
    is_ours = recorded.given is None and not recorded.checked
    return recorded.model_copy(
        update={
            "snapshots": _snapshots(recorded, cited_ids, contradictions, text_of),
            "references": references(citations, sources),
            "citations": citations,
            "contradictions": contradictions,
            "coverage": coverage,
            "independent": len(independent),
            "confidence": None if recorded.checked else confidence(independent, coverage),
            "title": recorded.title if recorded.checked else title_of(recorded.question),
            "unmentioned": _unmentioned(recorded.question, index) if is_ours else recorded.unmentioned,
            "outcome": _outcome(recorded),
            "spending": recorded.spending if recorded.checked else _spending(recorded),
        }
    )


def cited(sections: Iterable[Section], index: SourceIndex, text_of: TextOf) -> list[Citation]:
    """Return the citations of sections; passages are numbered by first appearance, unless a citation has a number.

    Raises LookupError if a citation names an unknown passage or a span outside its passage.
    """
    citations: list[Citation] = []
    numbers: dict[str, int] = {}
    for cite in (cite for section in sections for cite in section.cites):
        passage = index.by_label[cite.passage]
        source = passage.source
        number = numbers.setdefault(cite.passage, len(numbers) + 1)
        citations.append(
            Citation(
                number=number if cite.number is None else cite.number,
                source_id=source.id,
                passage=int(cite.passage.partition(".")[2]) - 1,
                snapshot=source.snapshot,
                start=cite.start,
                end=cite.end,
                quote=passage.verbatim(cite.start, cite.end),
                columns=_columns(text_of(source.snapshot) or "", cite.start, cite.end),
            )
        )
    return citations


def _columns(text: str, start: int, end: int) -> list[str]:
    """Return the names of the columns of a span that begins a row; the cells of any other are not the first ones."""
    begins_line = not text[text.rfind("\n", 0, start) + 1 : start].strip()
    return columns(text, start, end) if begins_line else []


def references(citations: Sequence[Citation], sources: Mapping[str, Source]) -> list[Reference]:
    """Return a reference for each citation number, in order: the quote of its first citation, the lines of all."""
    of_number: dict[int, list[Citation]] = {}
    for citation in citations:
        of_number.setdefault(citation.number, []).append(citation)
    return [_reference(own, sources[own[0].source_id]) for _, own in sorted(of_number.items())]


def _reference(citations: Sequence[Citation], source: Source) -> Reference:
    first = citations[0]
    passage = source.passages[first.passage]
    path = heading_above(headings_in(passage, source.title), first.start).path
    fields = shared(Reference, passage, source, first) | {"heading": HEADINGS.join(path[1:])}
    if passage.line is not None:
        places = (min(one.start for one in citations), max(one.end for one in citations))
        line, last = (passage.line + passage.text.count("\n", 0, place - passage.start) for place in places)
        fields |= {"line": line, "last_line": last}
    return Reference(**{**fields, "quote": shortened(first.quote)})


def shortened(quote: str) -> str:
    """Return the beginning of a quote up to LONGEST_QUOTE characters, cut between words, still verbatim."""
    if len(quote) <= LONGEST_QUOTE:
        return quote
    blank = max(quote.rfind(mark, 0, LONGEST_QUOTE + 1) for mark in " \n")
    return quote[: blank if blank >= 0 else LONGEST_QUOTE].rstrip()


def _snapshots(
    recorded: Report, cited_ids: set[str], contradictions: Sequence[Contradiction], text_of: TextOf
) -> list[Snapshot]:
    """Return each text that the report uses as evidence once, in the order of the sources."""
    used = cited_ids | {side.source_id for pair in contradictions for side in (pair.first, pair.second)}
    used |= {removed.source_id for removed in recorded.removed}
    used |= {source_id for group in recorded.copies if cited_ids.intersection(group) for source_id in group}
    snapshots: dict[str, Snapshot] = {}
    for source in recorded.sources:
        if source.id in used and source.snapshot and source.snapshot not in snapshots:
            text, url = text_of(source.snapshot) or "", "" if source.kind == "file" else source.url
            fields = {**shared(Snapshot, source), "hash": source.snapshot, "text": text, "url": url}
            snapshots[source.snapshot] = Snapshot(**fields)
    return list(snapshots.values())


def _outcome(recorded: Report) -> Outcome:
    """Return how the run ended; only "cancelled" is taken from the record."""
    if recorded.outcome == "cancelled":
        return "cancelled"
    text = (recorded.given or "").strip()
    return outcome_of(has_result=bool(recorded.sections or recorded.checked or text), failed=bool(recorded.failures))


def _spending(recorded: Report) -> Spent:
    """Return the recorded spending, with the sums of the tokens of all calls to models and embedders."""
    calls = [call for call in recorded.calls if call.kind in ("model", "embed")]
    tokens = {name: sum(getattr(call, name) for call in calls) for name in ("prompt_tokens", "completion_tokens")}
    return recorded.spending.model_copy(update=tokens)


def _unmentioned(question: str, index: SourceIndex) -> list[str]:
    words = unmentioned(question, [entry.text for entry in index.entries])
    return [word for word in words if word.casefold() not in asking_words()]
