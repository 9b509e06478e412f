"""The frame of a report, which is all that surrounds its sections, as blocks: header, caveats and references."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING

from ..evidence import shown, statements, visible
from ..evidence.headings import heading_above, headings_in
from ..kernel.one_line import one_line, shortened_line
from ..kernel.source import with_date
from ..markup import Block, Heading, ListBlock, Paragraph, Part, Row, Sentence, Styled, TableBlock
from .labels import Labels
from .source_labels import credibility, dates, place, same_texts

if TYPE_CHECKING:
    from ..evidence import Statement
    from ..kernel.source import Citation, Passage
    from ..report import CheckedCitation, Coverage, Reference, Removed, Report, Side

MOST_LOGGED = 20  # lines of the search log that are shown; the report object has all of them
ROOM_FOR_QUOTES = 400  # characters that the quotes of a reference may have together; the first may be longer
APART, LEFT_OUT = " / ", " … "  # between statements
ROOM_BETWEEN = 80  # characters between two statements of an excerpt that are shown
LONGEST_QUESTION = 150  # characters shown of a question or a query
MOST_QUERIES = 6  # queries and words in the list of searches; the report object has all of them

_MARKS = re.compile(r"\|[^\n]*-{3,}[^\n]*|[|`~#]+|\n[ \t>]*(?:[-*+•]|\d{1,3}[.)])(?:\s+|\Z)")
"""The marks of tables, code, headings, and items of a list."""


def front(report: "Report", words: Labels) -> list[Block]:
    """Return the title and the header; for a report without sections, also that nothing was found, and advice."""
    blocks: list[Block] = [heading(report.title, 1), *_head(report, words)]
    if not report.sections:
        blocks += [heading(nothing_heading(report, words)), *nothing(report, words)]
        blocks += [heading(words.advice), bullets([[advice] for advice in words.advised])]
    return blocks


def nothing_heading(report: "Report", words: Labels) -> str:
    """Return the heading of a report without sections; if there are excerpts, one of them may answer after all."""
    return words.nothing_clear if report.near else words.nothing


def nothing(report: "Report", words: Labels) -> list[Block]:
    """Return the excerpts nearest to the question, or that nothing answers it."""
    return _nearest(report, words.nearest_places) or [paragraph(words.nothing_said)]


def also_near(report: "Report", words: Labels) -> list[Block]:
    """Return the nearest other excerpts, for a report whose quotes may not answer the question."""
    return _nearest(report, words.also_near) if report.confidence is None and is_quoted(report) else []


def _nearest(report: "Report", said: str) -> list[Block]:
    """Return the excerpts nearest to the question, introduced by a line."""
    lines: list[list[Part]] = [[f"{name}: “{text}”" if text else name] for name, text in _near(report).items()]
    return [paragraph(said), bullets(lines)] if lines else []


def _near(report: "Report") -> dict[str, str]:
    """Return the excerpts nearest to the question, by the names of their locations."""
    places: dict[str, str] = {}
    for one in report.near:
        if found := report.passage_of(one):
            source, passage = found
            above = heading_above(headings_in(passage, source.title), one.start).text
            path = [source.path or source.title or source.url, visible(above).rstrip(".?")]
            name = with_date(" › ".join(filter(None, path)), source.published)
            places.setdefault(one_line(name), _said(passage, one.start, one.end))
    return places


def _said(passage: "Passage", start: int, end: int) -> str:
    """Return a span of a passage as the statements in it and what is between them.

    The span is read by itself if the passage begins in a block of code; if it has no statement by itself, being a line
    that only leads to what follows, it is returned as it is.
    """
    whole = [each for each in statements(passage) if start <= each.start and each.end <= end]
    excerpt = passage.model_copy(
        update={"text": passage.text[start - passage.start : end - passage.start], "start": start, "end": end}
    )
    said = whole or statements(excerpt)
    if not said:
        return visible(excerpt.text)
    between = [_between(passage.text, passage.start, *pair) for pair in pairwise(said)]
    apart = [place for place, one in enumerate(between, 1) if one in (APART, LEFT_OUT)]
    runs = pairwise([0, *apart, len(said)])
    texts = (_run(passage, said[first:last], between[first : last - 1]) for first, last in runs)
    return "".join(chain(*zip(texts, [*(between[place - 1] for place in apart), ""], strict=True)))


def _run(passage: "Passage", said: Sequence["Statement"], between: Sequence[str]) -> str:
    """Return statements that follow each other, as a whole, since marks of emphasis may span several."""
    span = passage.text[said[0].start - passage.start : said[-1].end - passage.start]
    if len(said) > 1 and not _MARKS.search(span):
        return visible(span)
    return "".join(chain(*zip([each.text for each in said], [*between, ""], strict=True)))


def _between(text: str, offset: int, one: "Statement", two: "Statement") -> str:
    """Return what a text has between two statements, or an ellipsis; a slash between rows and items of a list."""
    raw = text[one.end - offset : two.start - offset]
    skipped = visible(_MARKS.sub(" ", raw))
    if skipped:
        return f" {skipped} " if len(skipped) <= ROOM_BETWEEN else LEFT_OUT
    is_apart = ("row" in (one.kind, two.kind) and "\n" in raw) or _MARKS.search(raw)
    return APART if is_apart else " "


def back(report: "Report", words: Labels) -> list[Block]:
    """Return the blocks after the sections, up to the heading of the references."""
    parts = (also_near, _disagreements, _covered, _removed, _missing, _searched)
    blocks = [block for part in parts for block in part(report, words)]
    return [*blocks, heading(words.references)] if report.references or report.looked_up else blocks


def references(report: "Report", words: Labels) -> list[tuple[int, list[Part]]]:
    """Return the entries of the list of references with their numbers, in order of number."""
    quoted, copies = quotes(report), same_texts(report, words)
    first = {citation.number: citation.columns for citation in reversed(report.citations)}
    claims = report.claims if is_quoted(report) else []
    claim_text = "\n".join(visible(claim.text) if claim.code else claim.text for claim in claims)
    entries = {citation.number: _unquoted(citation, words) for citation in unquoted(report)}
    for entry in report.references:
        more = [reference_state(report, entry, words), copies.get(entry.source_id, "")]
        entries[entry.number] = _reference(
            entry, _quoted(entry, quoted[entry.number], first[entry.number], claim_text), words, more
        )
    return sorted(entries.items())


def reference_state(report: "Report", entry: "Reference", words: Labels) -> str:
    """Return the state of a citation in a checked text, or that Spyglass found the source; empty for our own report."""
    if not report.checked:
        return ""
    states = {citation.number: words.citation_states[citation.state] for citation in report.looked_up}
    return states.get(entry.number) or words.found_by_us


def unquoted(report: "Report") -> "list[CheckedCitation]":
    """Return the citations of a checked text without a quote, one for each number."""
    quoted = {entry.number for entry in report.references}
    return list(
        {citation.number: citation for citation in reversed(report.looked_up) if citation.number not in quoted}.values()
    )


def citation_state(citation: "CheckedCitation", words: Labels) -> str:
    """Return the state of a citation of a checked text, and the reason."""
    state = words.citation_states[citation.state]
    return words.named(state, citation.why) if citation.why else state


def state_counts(report: "Report", words: Labels) -> list[str]:
    """Return how many citations of a checked text are in each state."""
    counted = Counter[str](citation.state for citation in report.looked_up)
    return [f"{counted[state]} {label}" for state, label in words.citation_states.items() if counted[state]]


def quotes(report: "Report") -> dict[int, dict[str, list[str]]]:
    """Return the quotes of each reference number, each with its column names if it begins a table row.

    Quotes that overlap are one, which has no column names if it has several lines.
    """
    by_number: dict[int, list[Citation]] = {}
    for citation in report.citations:
        by_number.setdefault(citation.number, []).append(citation)
    return {number: {one.quote: one.columns for one in _joined(own)} for number, own in by_number.items()}


def _joined(citations: "Sequence[Citation]") -> "list[Citation]":
    """Return citations with those that overlap joined, in the order of the first one of each."""
    joined: list[tuple[int, Citation]] = []
    by_place = sorted(enumerate(citations), key=lambda pair: (pair[1].source_id, pair[1].start, pair[1].end))
    for number, one in by_place:
        first, last = joined[-1] if joined else (number, one)
        if joined and last.source_id == one.source_id and one.start < last.end:
            quote = last.quote + one.quote[max(0, last.end - one.start) :]
            update = {"end": max(last.end, one.end), "quote": quote, "columns": [] if "\n" in quote else last.columns}
            joined[-1] = min(first, number), last.model_copy(update=update)
        else:
            joined.append((number, one))
    return [one for _, one in sorted(joined, key=itemgetter(0))]


def is_quoted(report: "Report") -> bool:
    """Whether a report consists of quotes only."""
    return bool(report.sections) and not report.writer and not report.checked


def heading(text: str, level: int = 2) -> Heading:
    """Return a heading of the frame."""
    return Heading(parts=[text], level=level)


def paragraph(*parts: Part) -> Paragraph:
    """Return a paragraph of one sentence."""
    return Paragraph(sentences=[Sentence(parts=list(parts))])


def bullets(lines: Iterable[Sequence[Part]]) -> ListBlock:
    """Return a list with bullets."""
    return ListBlock(items=[[paragraph(*line)] for line in lines])


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, right: int | None = None) -> TableBlock:
    """Return a table; `right` is the column that is aligned to the right."""
    return TableBlock(
        head=Row(cells=[[cell] for cell in head]),
        rows=[Row(cells=[[cell] for cell in row]) for row in rows],
        alignments=["right" if column == right else "" for column in range(len(head))],
    )


def strong(text: str) -> Styled:
    """Return emphasized text."""
    return Styled(text=text, style=["strong"])


def _head(report: "Report", words: Labels) -> list[Block]:
    """Return the header: how far to trust the report, who wrote it, whether it is complete."""
    lines: list[list[Part]] = [[strong(words.text_of(report.network))]] if report.network else []
    lines += [[strong(words.text_of(warning))] for warning in report.warnings]
    if report.confidence:
        lines.append([strong(words.named(words.confidence, words.levels[report.confidence])), f" · {report.date}"])
    lines += _checked(report, words)
    lines += [[Styled(text=note, style=["emphasis"])] for note in notes(report, words)]
    lines += [[strong(text)]] if (text := ending(report, words)) else []
    return [paragraph(*line) for line in lines]


def ending(report: "Report", words: Labels) -> str:
    """Return how the run of a report ended, empty if it ended normally."""
    texts = {"partial": words.partial, "failed": words.failed, "cancelled": words.stopped}
    return texts.get(report.outcome, "").format(missing=words.missing)


def _checked(report: "Report", words: Labels) -> list[list[Part]]:
    """Return the number of claims by verdict and of removed ones, or that none was checked.

    Empty for a report that only quotes if all claims are supported, since the verdicts would add nothing.
    """
    doubtful = sum(number for verdict, number in report.counts.items() if verdict != "supported")
    if is_quoted(report) and report.policy != "off" and not doubtful and not report.removed:
        return []
    if not (tally := words.tally(report.counts, whole=bool(report.checked))):
        return [[strong(words.unchecked)]] if report.policy == "off" and report.sections else []
    tally += [words.removed_count.format(n=len(report.removed))] if report.removed else []
    lines: list[list[Part]] = [[words.named(words.checked, " · ".join(tally))]]
    return lines + ([[words.cites.format(counts=", ".join(state_counts(report, words)))]] if report.looked_up else [])


def notes(report: "Report", words: Labels, *, whole: bool = False) -> list[str]:
    """Return the name of a checked text, that a report only quotes, or which part of the question it does not answer.

    And the words that no source mentions, if no answer is sure: all if `whole`, else the first few.
    """
    lines = [words.checked_text.format(name=report.checked)] if report.checked else []
    lines += [words.extractive] if is_quoted(report) else _unanswered(report, words)
    is_told = report.sources and report.unmentioned and report.confidence is None
    return lines + ([_unmentioned(report, words, whole)] if is_told else [])


def _unanswered(report: "Report", words: Labels) -> list[str]:
    """Return the sub-questions for which a model found no answer, with this result, if it found others."""
    unanswered = [item for item in coverage(report) if item.ranked == "not found"]
    if not report.sections or len(unanswered) == len(report.coverage):
        return []
    return [f"{shortened_line(item.question, LONGEST_QUESTION)} – {words.result_of(item)}" for item in unanswered]


def _unmentioned(report: "Report", words: Labels, whole: bool) -> str:
    return words.unmentioned.format(words=", ".join(report.unmentioned[: None if whole else MOST_QUERIES]))


def _disagreements(report: "Report", words: Labels) -> list[Block]:
    """Return the contradictions between sources."""
    lines = [
        [
            f"{pair.subject}: {_side(pair.first, words, newer=pair.newer == 'first')} ↔ "
            f"{_side(pair.second, words, newer=pair.newer == 'second')}"
        ]
        for pair in report.contradictions
    ]
    return [heading(words.contradictions), bullets(lines)] if lines else []


def _side(side: "Side", words: Labels, *, newer: bool) -> str:
    details = [side.path or side.title, side.published or words.undated]
    details += [words.newer] if newer else []
    if side.credibility_score is not None:
        details.append(words.credibility.format(score=side.credibility_score))
    return f"“{shown(side.quote)}” ({', '.join(details)})"


def coverage(report: "Report") -> "Sequence[Coverage]":
    """Return the sub-questions whose results are shown.

    Empty if the ranker is unsure of all of them, as the header says already, or if the only one is answered or nothing
    was found at all.
    """
    unsure = all(item.ranked == "perhaps" for item in report.coverage)
    is_obvious = len(report.coverage) < 2 and all(
        item.verdict == "answered" or not report.sections for item in report.coverage
    )
    return () if unsure or is_obvious else report.coverage


def _covered(report: "Report", words: Labels) -> list[Block]:
    """Return the table of sub-questions and their results."""
    if not (covered := coverage(report)):
        return []
    rows = [(shortened_line(item.question, LONGEST_QUESTION), words.result_of(item)) for item in covered]
    return [heading(words.coverage), table((words.sub_question, words.result), rows)]


def _removed(report: "Report", words: Labels) -> list[Block]:
    counts = Counter(removed.text for removed in report.removed)
    lines: list[list[Part]] = []
    for removed in _distinct(report.removed):
        times = f" (×{counts[removed.text]})" if counts[removed.text] > 1 else ""
        nearest = f" {words.named(words.nearest, _mark(removed.evidence))}" if removed.evidence else ""
        lines.append([_gone(removed), f"{times} {' '.join(map(words.text_of, removed.reasons))}{nearest}"])
    return [heading(words.removed), paragraph(words.removed_said), bullets(lines)] if lines else []


def _mark(evidence: str) -> str:
    return f"“{shown(evidence)}”"


def _distinct(removed: "Sequence[Removed]") -> "list[Removed]":
    """Return the removed sentences, each text once even if several sections had it."""
    return list({sentence.text: sentence for sentence in reversed(removed)}.values())[::-1]


def _gone(removed: "Removed") -> Styled:
    return Styled(text=removed.text, style=["struck"])


def _missing(report: "Report", words: Labels) -> list[Block]:
    lines = missing(report, words)
    return [heading(words.missing), bullets([line] for line in lines)] if lines else []


def missing(report: "Report", words: Labels) -> list[str]:
    """Return a line for each reason of failures, and for claims without citations and dropped markers."""
    lines = []
    for reason, failures in report.failures_by_reason.items():
        failed = "; ".join(
            words.named(words.component(failure.who), words.text_of(failure.what)) for failure in failures
        )
        lines.append(f"{failed} – {words.text_of(reason)}" if reason else failed)
    lines += [words.uncited.format(n=report.uncited)] if report.uncited else []
    return lines + ([words.dropped.format(n=report.dropped_markers)] if report.dropped_markers else [])


def _searched(report: "Report", words: Labels) -> list[Block]:
    lines = searched(report, words)
    return [heading(words.searched), bullets([line] for line in lines), *_log(report, words)]


def searched(report: "Report", words: Labels, *, whole: bool = False) -> list[str]:
    """Return lines on what was searched: all queries if `whole`, else the first few, each cut to a line."""
    passages = sum(len(source.passages) for source in report.sources)
    queries = (
        report.queries if whole else [shortened_line(text, LONGEST_QUESTION) for text in report.queries[:MOST_QUERIES]]
    )
    omitted = [f"(+{len(report.queries) - len(queries)})"] if len(report.queries) > len(queries) else []
    lines = [
        words.named(words.questions, "; ".join([*queries, *omitted])) if queries else "",
        words.named(words.folders, ", ".join(report.folders)) if report.folders else words.no_files,
        "; ".join([_on_the_web(report, words), *report.filters]),
        f"{words.passages.format(n=passages, m=len(report.sources))}{_cited(report, words)}",
        _unmentioned(report, words, whole) if report.unmentioned and not report.sections else "",
        *map(words.text_of, report.remarks),
    ]
    return list(filter(None, lines))


def _cited(report: "Report", words: Labels) -> str:
    """Return how many sources are cited, and how many of these are independent."""
    cited = len({reference.source_id for reference in report.references})
    copies = f", {words.independent.format(n=report.independent)}" if 0 < report.independent < cited else ""
    several = cited and len(report.sources) > 1
    return f"; {words.sources.format(n=cited, m=len(report.sources))}{copies}" if several else ""


def _log(report: "Report", words: Labels) -> list[Block]:
    """Return the search log if a query failed: query, engine and result; the report object has all of it."""
    if report.network or not any(search.error for search in report.searches):
        return []
    rows = [
        (search.query, words.text_of(search.engine), words.text_of(search.error) or str(search.results))
        for search in report.searches[:MOST_LOGGED]
    ]
    more = len(report.searches) - MOST_LOGGED
    rows += [(f"(+{more})", "", "")] if more > 0 else []
    return [table((words.query, words.engine, words.results), rows, right=2)]


def _on_the_web(report: "Report", words: Labels) -> str:
    if report.web == "no":
        return words.no_web
    if report.web == "given":
        return words.only_given
    return words.web.format(n=sum(source.kind == "web" for source in report.sources))


def _unquoted(citation: "CheckedCitation", words: Labels) -> list[Part]:
    state = citation_state(citation, words)
    return [strong(citation.place), f" – {state}"] if citation.place else [state]


def _reference(entry: "Reference", quoted: str, words: Labels, more: Sequence[str]) -> list[Part]:
    location: list[Part] = [entry.path] if entry.path else [Styled(text=entry.url, href=entry.url)] if entry.url else []
    local = [words.local] if entry.kind == "file" and entry.path else []
    details = [*dates(entry.published, entry.retrieved_at, words), *local, *credibility(entry, words)]
    for detail in filter(None, [place(entry, words), *details, *more]):
        location += [", ", detail] if location else [detail]
    title: list[Part] = [] if entry.title == entry.path else [strong(entry.title), " – "]
    return [*title, *location, *([f": “{quoted}”"] if quoted else [])]


def _quoted(entry: "Reference", quotes: dict[str, list[str]], first: list[str], claim_text: str) -> str:
    """Return the quote of an entry, and its further quotes as long as they fit into ROOM_FOR_QUOTES.

    `first` are the column names of its first citation. Quotes that are verbatim in `claim_text` are left out.
    """
    texts = list[str]()
    for number, (whole, names) in enumerate(quotes.items()):
        is_cut = not number and len(whole) > ROOM_FOR_QUOTES
        quote, columns = (entry.quote, first) if is_cut else (whole, names)
        text = shown(quote, columns)
        if text not in claim_text and (not texts or sum(map(len, texts)) + len(quote) <= ROOM_FOR_QUOTES):
            texts.append(text)
    return " … ".join(texts)
