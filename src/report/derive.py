"""Everything in a report that follows from its recorded parts: the Reporter derives it, `verify` derives it again."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from ..answer import asking_words
from ..evidence.relevance import unmentioned
from ..evidence.statement import columns
from ..kernel.outcome import Outcome, outcome_of
from ..kernel.source import Citation, Source
from ..rag.chunk import HEADINGS
from .confidence import confidence
from .copies import counted, primary_of
from .coverage import covered
from .disagreement import disagreements
from .quotable import headings_in
from .report import Contradiction, Reference, Report, Section, Snapshot, Spent, shared, title_of
from .source_index import SourceIndex

LONGEST_QUOTE: Final = 300
"""Characters of a quote in the list of references."""

TextOf = Callable[[str], str | None]
"""Returns the stored text of a hash, None when it is not there."""

DERIVED: Final = (
    "snapshots", "references", "citations", "contradictions", "coverage", "independent", "confidence", "title",
    "unmentioned", "outcome", "spending",
)  # fmt: skip
"""The fields that `derive` sets."""


def derive(recorded: Report, index: SourceIndex, text_of: TextOf) -> Report:
    """Return a report in which every field of DERIVED is computed from the recorded ones. Blocks.

    Recorded are the sections, the removed sentences, the sources and which of them are copies; of each sub-question the
    sources found for it and what the ranker made of it. `index` is that of the sources. Raises LookupError when a
    citation names no passage of a source, or a span beyond it.
    """
    sources = {source.id: source for source in recorded.sources}
    citations = cited(recorded.sections, index, text_of)
    rests_on = {citation.source_id for citation in citations}
    primary = primary_of(recorded.copies)
    independent = counted([source for source in recorded.sources if source.id in rests_on], primary)
    contradictions = disagreements(index, citations, primary)
    coverage = covered(recorded.coverage, index, recorded.claims, citations)
    is_ours = recorded.given is None and not recorded.checked
    return recorded.model_copy(
        update={
            "snapshots": _snapshots(recorded, rests_on, contradictions, text_of),
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
    """Return the citations of sections; a passage has the number of its first appearance, or that of its citation.

    Raises LookupError when one names no passage, or a span beyond it.
    """
    found: list[Citation] = []
    numbers: dict[str, int] = {}
    for cite in (cite for section in sections for cite in section.cites):
        passage = index.by_label[cite.passage]
        source = passage.source
        number = numbers.setdefault(cite.passage, len(numbers) + 1)
        found.append(
            Citation(
                number=number if cite.number is None else cite.number,
                source_id=source.id,
                passage=int(cite.passage.partition(".")[2]) - 1,
                snapshot=source.snapshot,
                start=cite.start,
                end=cite.end,
                quote=passage.verbatim(cite.start, cite.end),
                columns=columns(text_of(source.snapshot) or "", cite.start, cite.end),
            )
        )
    return found


def references(citations: Sequence[Citation], sources: Mapping[str, Source]) -> list[Reference]:
    """Return an entry for each number that is cited, in the order of the numbers: that of its first citation."""
    first: dict[int, Citation] = {}
    for citation in citations:
        first.setdefault(citation.number, citation)
    return [_reference(first[number], sources[first[number].source_id]) for number in sorted(first)]


def _reference(citation: Citation, source: Source) -> Reference:
    passage = source.passages[citation.passage]
    _, _, path = max(one for one in headings_in(passage, source.title) if one[0] <= citation.start)
    known = shared(Reference, passage, source, citation)
    return Reference(**{**known, "heading": HEADINGS.join(path[1:]), "quote": shortened(citation.quote)})


def shortened(quote: str) -> str:
    """Return the beginning of a quote, whole words, still verbatim."""
    if len(quote) <= LONGEST_QUOTE:
        return quote
    blank = max(quote.rfind(mark, 0, LONGEST_QUOTE + 1) for mark in " \n")
    return quote[: blank if blank >= 0 else LONGEST_QUOTE].rstrip()


def _snapshots(
    recorded: Report, cited: set[str], contradictions: Sequence[Contradiction], text_of: TextOf
) -> list[Snapshot]:
    """Return the texts that something in the report rests on, one text once, in the order of the sources."""
    used = cited | {side.source_id for one in contradictions for side in (one.first, one.second)}
    used |= {removed.source_id for removed in recorded.removed}
    used |= {source for group in recorded.copies if cited.intersection(group) for source in group}
    found: dict[str, Snapshot] = {}
    for source in recorded.sources:
        if source.id in used and source.snapshot and source.snapshot not in found:
            text, url = text_of(source.snapshot) or "", "" if source.kind == "file" else source.url
            known = {**shared(Snapshot, source), "hash": source.snapshot, "text": text, "url": url}
            found[source.snapshot] = Snapshot(**known)
    return list(found.values())


def _outcome(recorded: Report) -> Outcome:
    """Return how the run ended; that it was stopped is recorded."""
    if recorded.outcome == "cancelled":
        return "cancelled"
    given = (recorded.given or "").strip()
    return outcome_of(found=bool(recorded.sections or recorded.checked or given), failed=bool(recorded.failures))


def _spending(recorded: Report) -> Spent:
    """Return what was spent, its tokens those of the calls of models and embedders."""
    calls = [one for one in recorded.calls if one.kind in ("model", "embed")]
    tokens = {name: sum(getattr(one, name) for one in calls) for name in ("prompt_tokens", "completion_tokens")}
    return recorded.spending.model_copy(update=tokens)


def _unmentioned(question: str, index: SourceIndex) -> list[str]:
    words = unmentioned(question, [entry.text for entry in index.entries])
    return [word for word in words if word.casefold() not in asking_words()]
