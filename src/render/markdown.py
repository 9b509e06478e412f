"""A report as Markdown. Whatever comes from a source or a person is escaped."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..evidence.statement import shown
from ..kernel.one_line import tamed_markup
from .escape import escaped, linked
from .labels import Labels, labels
from .quote_place import place
from .source_labels import credibility, dates, same_texts

if TYPE_CHECKING:
    from ..report.report import Reference, Removed, Report, Side

MOST_LOGGED = 20
"""Lines of the search log that are shown; the report object has all."""

ROOM_FOR_QUOTES = 400
"""Characters that an entry of the references may quote beyond its first quote."""

LONGEST_ASKED = 150
"""Characters that are shown of a question or a query."""

MOST_QUERIES = 6
"""Queries and words that the list of what was searched names; the report object has all."""


def render(report: "Report") -> str:
    """Return the report as Markdown that ends with a newline; equal reports give equal bytes."""
    if report.given is not None:
        return tamed_markup(report.given)
    words = labels(report.language)
    blocks = [f"# {escaped(report.title)}", *_head(report, words)]
    if not report.sections:
        blocks += [f"## {words.nothing}", words.nothing_said]
    for section in report.sections:
        blocks += [f"## {escaped(section.title)}", section.text]
    if not report.sections:
        blocks += [f"## {words.advice}", _bullets(list(words.advised))]
    blocks += [*_disagreements(report, words), *_covered(report, words), *_removed(report, words)]
    blocks += [*_missing(report, words), *_searched(report, words), *_references(report, words)]
    return tamed_markup("\n\n".join(blocks)) + "\n"


def _head(report: "Report", words: Labels) -> list[str]:
    """What a reader should know first: how far to trust it, who wrote it, whether it is whole."""
    lines = [f"**{escaped(words.said(report.network))}**"] if report.network else []
    lines += [f"**{escaped(words.said(warning))}**" for warning in report.warnings]
    if report.confidence:
        lines.append(f"**{words.confidence}: {words.levels[report.confidence]}** · {escaped(report.date)}")
    lines += _checked(report, words)
    if report.checked:
        lines.append(f"*{words.checked_text.format(name=escaped(report.checked))}*")
    elif report.sections and not report.writer:
        lines.append(f"*{words.extractive}*")
    if report.unmentioned and report.sections:
        words_missing = ", ".join(map(escaped, report.unmentioned[:MOST_QUERIES]))
        lines.append(f"*{words.unmentioned.format(words=words_missing)}*")
    if report.outcome in ("partial", "failed"):
        said = words.partial if report.outcome == "partial" else words.failed
        lines.append(f"**{said.format(missing=words.missing)}**")
    if report.outcome == "cancelled":
        lines.append(f"**{words.stopped}**")
    return lines


def _checked(report: "Report", words: Labels) -> list[str]:
    """How many of the claims are supported, and how many went; that none was looked at, where that was wished."""
    checked = [claim for claim in report.claims if claim.verdict != "unchecked"]
    if not checked:
        return [f"**{words.unchecked}**"] if report.policy == "off" and report.sections else []
    supported = sum(claim.verdict == "supported" for claim in checked)
    gone = f" · {words.removed_count.format(n=len(report.removed))}" if report.removed else ""
    return [f"{words.support.format(n=supported, m=len(checked))}{gone}"]


def _disagreements(report: "Report", words: Labels) -> list[str]:
    """Where sources contradict each other, and what was written against its source."""
    lines = [
        f"{escaped(one.subject)}: {_side(one.first, words, newer=one.newer == 'first')} ↔ "
        f"{_side(one.second, words, newer=one.newer == 'second')}"
        for one in report.contradictions
    ]
    lines += [
        f"{words.removed}: {_gone(one)} ({words.contradicted}: “{escaped(shown(one.evidence))}”)"
        for one in _distinct(report.removed)
        if one.verdict == "contradicted"
    ]
    return [f"## {words.contradictions}", _bullets(lines)] if lines else []


def _side(side: "Side", words: Labels, *, newer: bool) -> str:
    about = [escaped(side.path or side.title), escaped(side.published) or words.undated]
    about += [words.newer] if newer else []
    if side.credibility_score is not None:
        about.append(words.credibility.format(score=side.credibility_score))
    return f"“{escaped(shown(side.quote))}” ({', '.join(about)})"


def _covered(report: "Report", words: Labels) -> list[str]:
    """What became of each sub-question, where any is not answered or there are several."""
    if all(one.verdict == "answered" for one in report.coverage) and len(report.coverage) < 2:
        return []
    rows = [f"| {_cell(_cut(one.question))} | {words.became(one)} |" for one in report.coverage]
    return [f"## {words.coverage}", "\n".join([f"| {words.sub_question} | {words.result} |", "| --- | --- |", *rows])]


def _removed(report: "Report", words: Labels) -> list[str]:
    """The sentences that nothing supports."""
    lines = [
        f"{_gone(one)}{_times(one, report)} {escaped(_why(one, words))}{_nearest(one, words)}"
        for one in _distinct(report.removed)
    ]
    return [f"## {words.removed}", words.removed_said, _bullets(lines)] if lines else []


def _times(one: "Removed", report: "Report") -> str:
    number = sum(other.text == one.text for other in report.removed)
    return f" (×{number})" if number > 1 else ""


def _why(one: "Removed", words: Labels) -> str:
    return " ".join(words.said(reason) for reason in one.reasons)


def _distinct(removed: "Sequence[Removed]") -> "list[Removed]":
    """Return what was removed, the same words of several sections once."""
    return list({one.text: one for one in reversed(removed)}.values())[::-1]


def _gone(one: "Removed") -> str:
    return f"~~{escaped(one.text)}~~"


def _nearest(one: "Removed", words: Labels) -> str:
    return f" {words.nearest}: “{escaped(shown(one.evidence))}”" if one.evidence else ""


def _cut(question: str) -> str:
    """Return a question or a query on one line, cut at a word when it is long."""
    line = " ".join(question.split())
    return line if len(line) <= LONGEST_ASKED else f"{line[:LONGEST_ASKED].rsplit(' ', 1)[0]}…"


def _cell(text: str) -> str:
    return escaped(text).replace("|", "\\|")


def _missing(report: "Report", words: Labels) -> list[str]:
    lines = []
    for why, failures in report.failures_by_reason.items():
        what = "; ".join(f"{escaped(one.who)}: {escaped(words.said(one.what))}" for one in failures)
        lines.append(f"{what} – {escaped(words.said(why))}" if why else what)
    if report.uncited:
        lines.append(words.uncited.format(n=report.uncited))
    if report.dropped_markers:
        lines.append(words.dropped.format(n=report.dropped_markers))
    return [f"## {words.missing}", _bullets(lines)] if lines else []


def _searched(report: "Report", words: Labels) -> list[str]:
    passages = sum(len(source.passages) for source in report.sources)
    unmentioned = report.unmentioned[:MOST_QUERIES]
    shown = [_cut(query) for query in report.queries[:MOST_QUERIES]]
    more = [f"(+{len(report.queries) - len(shown)})"] if len(report.queries) > len(shown) else []
    lines = [
        f"{words.questions}: {'; '.join([*map(escaped, shown), *more])}" if shown else "",
        f"{words.folders}: {', '.join(map(escaped, report.folders))}" if report.folders else words.no_files,
        "; ".join([_on_the_web(report, words), *map(escaped, report.filters)]),
        f"{words.passages.format(n=passages, m=len(report.sources))}{_cited(report, words)}",
        words.unmentioned.format(words=", ".join(map(escaped, unmentioned)))
        if unmentioned and not report.sections
        else "",
    ]
    lines += [escaped(words.said(notice)) for notice in report.remarks]
    return [f"## {words.searched}", _bullets([line for line in lines if line]), *_log(report, words)]


def _cited(report: "Report", words: Labels) -> str:
    """How many of the sources are cited, and how many of these are independent."""
    cited = len({reference.source_id for reference in report.references})
    copies = f", {words.independent.format(n=report.independent)}" if 0 < report.independent < cited else ""
    several = cited and len(report.sources) > 1
    return f"; {words.sources.format(n=cited, m=len(report.sources))}{copies}" if several else ""


def _log(report: "Report", words: Labels) -> list[str]:
    """Who was asked what, and what came of it, where a query got no answer; the report object has all of it."""
    if report.network or not any(one.error for one in report.searches):
        return []
    rows = [
        f"| {_cell(one.query)} | {_cell(words.said(one.engine))} | {_cell(words.said(one.error)) or one.results} |"
        for one in report.searches[:MOST_LOGGED]
    ]
    more = len(report.searches) - MOST_LOGGED
    rows += [f"| (+{more}) | | |"] if more > 0 else []
    head = f"| {words.query} | {words.engine} | {words.results} |"
    return ["\n".join([head, "| --- | --- | ---: |", *rows])]


def _on_the_web(report: "Report", words: Labels) -> str:
    if report.web == "no":
        return words.no_web
    if report.web == "given":
        return words.only_given
    return words.web.format(n=sum(source.kind == "web" for source in report.sources))


def _references(report: "Report", words: Labels) -> list[str]:
    if not report.references:
        return []
    quotes: dict[int, dict[str, list[str]]] = {}
    for citation in report.citations:
        quotes.setdefault(citation.number, {})[citation.quote] = citation.columns
    copies = same_texts(report, words)
    entries = [
        _reference(entry, quotes[entry.number], words, copies.get(entry.source_id, "")) for entry in report.references
    ]
    return [f"## {words.references}", "\n".join(entries)]


def _reference(entry: "Reference", quotes: dict[str, list[str]], words: Labels, copies: str) -> str:
    where = [escaped(entry.path)] if entry.path else [linked(entry.url)] if entry.url else []
    where += [escaped(said) for said in (place(entry, words),) if said]
    where += map(escaped, dates(entry.published, entry.retrieved_at, words))
    where += [*_standing(entry, words), *([escaped(copies)] if copies else [])]
    title = "" if entry.title == entry.path else f"**{escaped(entry.title)}** – "
    return f"- [{entry.number}] {title}{', '.join(where)}: “{_quoted(entry, quotes)}”"


def _standing(entry: "Reference", words: Labels) -> list[str]:
    """What kind of source it is, and how credible its domain is."""
    if entry.kind == "file":
        return [words.local] if entry.path else []
    return credibility(entry, words)


def _quoted(entry: "Reference", quotes: dict[str, list[str]]) -> str:
    """The first of the spans that sentences rest on, and the further ones as long as there is room."""
    (_, first), *others = quotes.items()
    texts = [shown(entry.quote, first)]
    for quote, columns in others:
        if sum(map(len, texts)) + len(quote) <= ROOM_FOR_QUOTES:
            texts.append(shown(quote, columns))
    return " … ".join(map(escaped, texts))


def _bullets(lines: list[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
