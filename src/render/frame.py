"""What a report says around its sections, as blocks: how far to trust it, what it lacks, and what it rests on."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..evidence import shown
from ..kernel.one_line import one_line, shortened_line
from ..kernel.term import terms
from ..rag.chunk import HEADINGS
from ..tree import Block, Heading, ListBlock, Paragraph, Part, Row, Sentence, Styled, TableBlock
from .labels import Labels
from .source_labels import credibility, dates, place, same_texts

if TYPE_CHECKING:
    from ..report import CheckedCitation, Coverage, Reference, Removed, Report, Side

MOST_LOGGED = 20  # lines of the search log that are shown; the report object has all
ROOM_FOR_QUOTES = 400  # characters that an entry of the references may quote beyond its first quote
LONGEST_ASKED = 150  # characters that are shown of a question or a query
MUCH = 1 / 3  # of the words of a question, which no source mentions
MOST_NEAREST = 3  # places that a report names which found no answer
MOST_QUERIES = 6  # queries and words that the list of what was searched names; the report object has all


def front(report: "Report", words: Labels) -> list[Block]:
    """Return the title and what a reader should know first; of a report without sections, that nothing was found."""
    blocks: list[Block] = [heading(report.title, 1), *_head(report, words)]
    if not report.sections:
        blocks += [heading(words.nothing), paragraph(words.nothing_said)]
        if nearest := _nearest(report):
            blocks.append(paragraph(words.nearest_places.format(names="; ".join(nearest))))
        blocks += [heading(words.advice), bullets([[one] for one in words.advised])]
    return blocks


def _nearest(report: "Report") -> list[str]:
    """Return where the passages stand that are nearest to the question and not cited, a few: one may look there."""
    cited = {(one.source_id, one.passage) for one in report.citations}
    found = [
        (source, passage)
        for source in report.sources
        for number, passage in enumerate(source.passages)
        if (source.id, number) not in cited
    ]
    places: dict[str, None] = {}
    for source, passage in sorted(found, key=lambda pair: (-pair[1].score, -pair[0].score)):
        below = [source.path or source.title or source.url, passage.heading.rpartition(HEADINGS)[2].rstrip(".?")]
        places[one_line(" › ".join(filter(None, below)))] = None
    return list(places)[:MOST_NEAREST]


def back(report: "Report", words: Labels) -> list[Block]:
    """Return what stands behind the sections, up to the heading of the references."""
    parts = (_also_near, _disagreements, _covered, _removed, _missing, _searched)
    blocks = [block for part in parts for block in part(report, words)]
    return [*blocks, heading(words.references)] if report.references or report.looked_up else blocks


def _also_near(report: "Report", words: Labels) -> list[Block]:
    """Return where one may look besides, in a report whose quotes are not sure to answer."""
    near = _nearest(report) if report.confidence is None and is_quoted(report) else []
    return [paragraph(words.also_near.format(names="; ".join(near)))] if near else []


def references(report: "Report", words: Labels) -> list[tuple[int, list[Part]]]:
    """Return the entries of the list of references, each with its number."""
    quoted, copies = quotes(report), same_texts(report, words)
    said = "\n".join(claim.text for claim in report.claims) if is_quoted(report) else ""
    entries = {one.number: _unquoted(one, words) for one in unquoted(report)}
    for one in report.references:
        more = [state(report, one, words), copies.get(one.source_id, "")]
        entries[one.number] = _reference(one, _quoted(one, quoted[one.number], said), words, more)
    return sorted(entries.items())


def state(report: "Report", entry: "Reference", words: Labels) -> str:
    """Return what became of a citation of a text of somebody else's; that this is none where we found it beside."""
    if not report.checked:
        return ""
    states = {one.number: words.citation_states[one.state] for one in report.looked_up}
    return states.get(entry.number) or words.found_by_us


def unquoted(report: "Report") -> "list[CheckedCitation]":
    """Return the citations of a text of somebody else's that nothing is quoted from, one for each number."""
    quoted = {one.number for one in report.references}
    return list({one.number: one for one in reversed(report.looked_up) if one.number not in quoted}.values())


def became(one: "CheckedCitation", words: Labels) -> str:
    """Return what became of a citation of a text of somebody else's, and why."""
    state = words.citation_states[one.state]
    return words.named(state, one.why) if one.why else state


def states(report: "Report", words: Labels) -> list[str]:
    """Return what became of how many of the citations of a text of somebody else's."""
    counted = Counter[str](one.state for one in report.looked_up)
    return [f"{counted[state]} {said}" for state, said in words.citation_states.items() if counted[state]]


def quotes(report: "Report") -> dict[int, dict[str, list[str]]]:
    """Return what is quoted under each number, each quote once, with the columns of a row."""
    found: dict[int, dict[str, list[str]]] = {}
    for one in report.citations:
        found.setdefault(one.number, {})[one.quote] = one.columns
    return found


def is_quoted(report: "Report") -> bool:
    """Say whether all that a report says are its sources' own words."""
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
    """Return words that stand out."""
    return Styled(text=text, style=["strong"])


def _head(report: "Report", words: Labels) -> list[Block]:
    """What a reader should know first: how far to trust it, who wrote it, whether it is whole."""
    lines: list[list[Part]] = [[strong(words.said(report.network))]] if report.network else []
    lines += [[strong(words.said(warning))] for warning in report.warnings]
    if report.confidence:
        lines.append([strong(words.named(words.confidence, words.levels[report.confidence])), f" · {report.date}"])
    lines += _checked(report, words)
    lines += [[Styled(text=note, style=["emphasis"])] for note in notes(report, words)]
    lines += [[strong(said)]] if (said := ending(report, words)) else []
    return [paragraph(*line) for line in lines]


def ending(report: "Report", words: Labels) -> str:
    """Return how the run of a report ended, where that was not as it should."""
    said = {"partial": words.partial, "failed": words.failed, "cancelled": words.stopped}
    return said.get(report.outcome, "").format(missing=words.missing)


def _checked(report: "Report", words: Labels) -> list[list[Part]]:
    """How many of the claims have which verdict, and how many went; that none was looked at, where that was wished.

    Of a report that only quotes, nothing as long as all holds: that it quotes is said, and more is not shown by that.
    """
    doubted = sum(number for verdict, number in report.counts.items() if verdict != "supported")
    if is_quoted(report) and report.policy != "off" and not doubted and not report.removed:
        return []
    if not (tally := words.tally(report.counts, whole=bool(report.checked))):
        return [[strong(words.unchecked)]] if report.policy == "off" and report.sections else []
    tally += [words.removed_count.format(n=len(report.removed))] if report.removed else []
    lines: list[list[Part]] = [[words.named(words.checked, " · ".join(tally))]]
    return lines + ([[words.cites.format(counts=", ".join(states(report, words)))]] if report.looked_up else [])


def notes(report: "Report", words: Labels, *, whole: bool = False) -> list[str]:
    """Return whose text it is, that it quotes, and what no source mentions: all of the words, or the first few.

    These are told where they are MUCH of the question and it is not answered all the same.
    """
    told = [words.checked_text.format(name=report.checked)] if report.checked else []
    told += [words.extractive] if is_quoted(report) else []
    is_answered = report.coverage and all(one.verdict == "answered" for one in report.coverage)
    much = len(report.unmentioned) >= MUCH * len(terms(report.question))
    return told + ([_unmentioned(report, words, whole)] if report.sections and much and not is_answered else [])


def _unmentioned(report: "Report", words: Labels, whole: bool) -> str:
    return words.unmentioned.format(words=", ".join(report.unmentioned[: None if whole else MOST_QUERIES]))


def _disagreements(report: "Report", words: Labels) -> list[Block]:
    """Where sources contradict each other, and what was written against its source."""
    lines: list[list[Part]] = [
        [
            f"{one.subject}: {_side(one.first, words, newer=one.newer == 'first')} ↔ "
            f"{_side(one.second, words, newer=one.newer == 'second')}"
        ]
        for one in report.contradictions
    ]
    lines += [
        [words.named(words.removed, ""), _gone(one), f" ({words.named(words.contradicted, _mark(one.evidence))})"]
        for one in _distinct(report.removed)
        if one.verdict == "contradicted"
    ]
    return [heading(words.contradictions), bullets(lines)] if lines else []


def _side(side: "Side", words: Labels, *, newer: bool) -> str:
    about = [side.path or side.title, side.published or words.undated]
    about += [words.newer] if newer else []
    if side.credibility_score is not None:
        about.append(words.credibility.format(score=side.credibility_score))
    return f"“{shown(side.quote)}” ({', '.join(about)})"


def coverage(report: "Report") -> "Sequence[Coverage]":
    """Return the sub-questions whose end is to be told, where the head does not say it of all: that passages may help.

    Of the only one that is answered nothing is to be told either, nor of one of which nothing was found at all.
    """
    unsure = all(one.ranked == "perhaps" for one in report.coverage)
    told = len(report.coverage) < 2 and all(one.verdict == "answered" or not report.sections for one in report.coverage)
    return () if unsure or told else report.coverage


def _covered(report: "Report", words: Labels) -> list[Block]:
    """What became of each sub-question."""
    if not (covered := coverage(report)):
        return []
    rows = [(shortened_line(one.question, LONGEST_ASKED), words.became(one)) for one in covered]
    return [heading(words.coverage), table((words.sub_question, words.result), rows)]


def _removed(report: "Report", words: Labels) -> list[Block]:
    every = Counter(one.text for one in report.removed)
    lines: list[list[Part]] = []
    for one in _distinct(report.removed):
        times = f" (×{every[one.text]})" if every[one.text] > 1 else ""
        nearest = f" {words.named(words.nearest, _mark(one.evidence))}" if one.evidence else ""
        lines.append([_gone(one), f"{times} {' '.join(map(words.said, one.reasons))}{nearest}"])
    return [heading(words.removed), paragraph(words.removed_said), bullets(lines)] if lines else []


def _mark(evidence: str) -> str:
    return f"“{shown(evidence)}”"


def _distinct(removed: "Sequence[Removed]") -> "list[Removed]":
    """Return what was removed, the same words of several sections once."""
    return list({one.text: one for one in reversed(removed)}.values())[::-1]


def _gone(one: "Removed") -> Styled:
    return Styled(text=one.text, style=["struck"])


def _missing(report: "Report", words: Labels) -> list[Block]:
    lines = missing(report, words)
    return [heading(words.missing), bullets([line] for line in lines)] if lines else []


def missing(report: "Report", words: Labels) -> list[str]:
    """Return what did not work, and what was left out for it."""
    lines = []
    for why, failures in report.failures_by_reason.items():
        what = "; ".join(words.named(words.component(one.who), words.said(one.what)) for one in failures)
        lines.append(f"{what} – {words.said(why)}" if why else what)
    lines += [words.uncited.format(n=report.uncited)] if report.uncited else []
    return lines + ([words.dropped.format(n=report.dropped_markers)] if report.dropped_markers else [])


def _searched(report: "Report", words: Labels) -> list[Block]:
    lines = searched(report, words)
    return [heading(words.searched), bullets([line] for line in lines), *_log(report, words)]


def searched(report: "Report", words: Labels, *, whole: bool = False) -> list[str]:
    """Return where the answer was looked for: with all queries, or the first few, each as much as a line holds."""
    passages = sum(len(source.passages) for source in report.sources)
    queries = report.queries if whole else [shortened_line(one, LONGEST_ASKED) for one in report.queries[:MOST_QUERIES]]
    more = [f"(+{len(report.queries) - len(queries)})"] if len(report.queries) > len(queries) else []
    lines = [
        words.named(words.questions, "; ".join([*queries, *more])) if queries else "",
        words.named(words.folders, ", ".join(report.folders)) if report.folders else words.no_files,
        "; ".join([_on_the_web(report, words), *report.filters]),
        f"{words.passages.format(n=passages, m=len(report.sources))}{_cited(report, words)}",
        _unmentioned(report, words, whole) if report.unmentioned and not report.sections else "",
        *map(words.said, report.remarks),
    ]
    return list(filter(None, lines))


def _cited(report: "Report", words: Labels) -> str:
    """How many of the sources are cited, and how many of these are independent."""
    cited = len({reference.source_id for reference in report.references})
    copies = f", {words.independent.format(n=report.independent)}" if 0 < report.independent < cited else ""
    several = cited and len(report.sources) > 1
    return f"; {words.sources.format(n=cited, m=len(report.sources))}{copies}" if several else ""


def _log(report: "Report", words: Labels) -> list[Block]:
    """Who was asked what, and what came of it, where a query got no answer; the report object has all of it."""
    if report.network or not any(one.error for one in report.searches):
        return []
    rows = [
        (one.query, words.said(one.engine), words.said(one.error) or str(one.results))
        for one in report.searches[:MOST_LOGGED]
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


def _unquoted(one: "CheckedCitation", words: Labels) -> list[Part]:
    said = became(one, words)
    return [strong(one.place), f" – {said}"] if one.place else [said]


def _reference(entry: "Reference", quoted: str, words: Labels, more: Sequence[str]) -> list[Part]:
    where: list[Part] = [entry.path] if entry.path else [Styled(text=entry.url, href=entry.url)] if entry.url else []
    local = [words.local] if entry.kind == "file" and entry.path else []
    known = [*dates(entry.published, entry.retrieved_at, words), *local, *credibility(entry, words)]
    for told in filter(None, [place(entry, words), *known, *more]):
        where += [", ", told] if where else [told]
    title: list[Part] = [] if entry.title == entry.path else [strong(entry.title), " – "]
    return [*title, *where, *([f": “{quoted}”"] if quoted else [])]


def _quoted(entry: "Reference", quotes: dict[str, list[str]], said: str) -> str:
    """The first of the spans that sentences rest on, and the further ones as long as there is room.

    Without those that the report has `said`, word for word.
    """
    (_, first), *others = quotes.items()
    texts = list[str]()
    for quote, columns in [(entry.quote, first), *others]:
        text = shown(quote, columns)
        if text not in said and (not texts or sum(map(len, texts)) + len(quote) <= ROOM_FOR_QUOTES):
            texts.append(text)
    return " … ".join(texts)
