"""Checks a report of any origin: each sentence against the sources it cites, and against all that were read."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import BaseModel

from ..documents import Converter, converter_of
from ..kernel.errors import DocumentError, ForeignReportError
from ..kernel.journal import Journal
from ..kernel.language import is_english, resolved
from ..kernel.notice import Notice, text_of
from ..kernel.outcome import outcome_of
from ..kernel.pool import Pool
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.source import Judged, Source
from ..kernel.thread import in_thread
from ..markup import Mark, Pointer, Unit, mapped
from ..model.providers import model_for
from ..render import labels_in
from ..report import CheckedCitation, CitationState, Draft, Report, Section, SourceEntry, SourceIndex, derive
from ..report.copies import copied
from ..report.report import title_of
from ..report.revision import Reviser
from .citation_resolver import CitationResolver, ResolvedSources
from .citation_target import CitationTarget
from .claim_judge import ClaimJudge, Quote
from .foreign import MOST_SENTENCES, Foreign, read_foreign

LARGEST = 10_000_000
"""Most bytes of a report that is checked."""

LONGEST = 5_000_000
"""Most characters of its text."""

ReportFields = Mapping[str, object]


class CheckedSentence(BaseModel, frozen=True):
    """A sentence and its verdict: `unchecked` if no source that it cites could be read.

    `quote` is the best evidence in the cited sources, or, without a citation, in all sources. `elsewhere` is a quote
    from another source that supports a sentence whose own citations do not.
    """

    section: str
    text: str
    verdict: Judged
    score: float = 0.0
    reasons: list[Notice] = []
    cites: list[CheckedCitation] = []
    quote: Quote | None = None
    elsewhere: Quote | None = None


class Check(BaseModel, frozen=True):
    """The result of checking a report: its claims in order, and the checked text as a Report."""

    claims: list[CheckedSentence]
    report: Report

    @property
    def citations(self) -> list[CheckedCitation]:
        """Its citations, each once, in the order of the text."""
        return self.report.looked_up

    def cited(self, state: CitationState) -> list[CheckedCitation]:
        """Return the citations with a given state."""
        return [citation for citation in self.citations if citation.state == state]

    @property
    def holds(self) -> bool:
        """Whether every claim is supported."""
        return all(claim.verdict == "supported" for claim in self.claims)


async def check(run: Run, path: Path, folders: Sequence[Path], *, web: bool) -> Check:
    """Check the report in a file against the pages that it cites (`web`), against the files of folders, or both.

    A sentence is judged by the sources it cites; without a readable citation, by all sources. The text is untrusted:
    links are fetched only through the guard, and no file outside the folders is read. Raises ForeignReportError, and
    FolderError or RetrievalError if no folder can be read.
    """
    foreign = await _read(run, path)
    resolver = CitationResolver(run, folders, web=web)
    await resolver.open()
    await resolver.look_up(foreign.cited)
    claims = [unit.text for unit, _ in foreign.sentences if unit.asserts]
    await resolver.search(claims)
    judge = await in_thread(ClaimJudge, resolver.resolved, run.journal.snapshot)
    drafts = await in_thread(judge.drafts, foreign)
    sample = " ".join(claims[:50])
    is_plain = run.settings.language == "auto" and is_english(sample)
    language = "en" if is_plain else resolved(run.settings.language, sample)
    marking = run.settings.updated(report__policy="mark")
    model = model_for(run.settings, "checker")
    checked = await Reviser(run, marking, judge.checker, None, model).checked(drafts)
    fields = {"checked": path.name, "folders": list(map(str, folders)), "language": language}
    return await in_thread(_outcome, run, foreign, judge, checked.drafts, fields)


async def check_text(text: str, settings: Settings, *, web: bool, pool: Pool | None = None) -> Check:
    """Check a Markdown text against the folders of the settings, like `check`, in a run that is not kept."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "text.md")
        await in_thread(path.write_text, text, "utf-8")
        async with Run("Do the sources say what the text says?", settings, journal=Journal(), pool=pool) as run:
            result = await check(run, path, settings.db, web=web)
            run.conclude(has_result=bool(result.claims), failed=not result.holds)
            return result


async def _read(run: Run, path: Path) -> Foreign:
    """Return the report in a file. Raises ForeignReportError."""
    remedy = "Choose a Markdown, text, HTML, Word or PDF file."
    try:
        if (await in_thread(path.stat)).st_size > LARGEST:
            raise ForeignReportError(f"It is larger than {LARGEST // 1_000_000} MB", where=str(path), remedy=remedy)
        converter = await converter_of(run, run.settings)
        document = await run.effect("convert", {"report": str(path)}, lambda: _converted(converter, path))
    except OSError as error:
        raise ForeignReportError(f"It cannot be read: {error.strerror}", where=str(path), remedy=remedy) from error
    except DocumentError as error:
        raise ForeignReportError(error.what, where=str(path), remedy=error.remedy or remedy) from error
    foreign = await in_thread(read_foreign, document["text"][:LONGEST], document["title"])
    if foreign.cut or len(document["text"]) > LONGEST:
        run.notice(Notice("check_cut", sentences=MOST_SENTENCES, characters=LONGEST))
    return foreign


async def _converted(converter: Converter, path: Path) -> dict[str, str]:
    document = await converter.convert(path, linked=True)
    return {"text": document.text, "title": document.title}


def _outcome(run: Run, foreign: Foreign, judge: ClaimJudge, drafts: Sequence[Draft], fields: ReportFields) -> Check:
    """Return the check of a text whose sentences have been judged; `fields` are known fields of its report."""
    claims: list[CheckedSentence] = []
    cited_by_unit, language = iter(foreign.named), str(fields["language"])
    numbers = _CitationNumbers(foreign.cited, judge)
    items = numbers.by_citation.items()
    citations = {named: _cited(named, number, judge.resolved, language) for named, number in items}

    def checked(section: str, unit: Unit) -> Unit:
        named = next(cited_by_unit)
        if unit.asserts:
            claims.append(_checked(section, {name: citations[name] for name in named}, unit, judge, language))
            reasons = {"reasons": claims[-1].reasons}
            unit = unit.judged(unit.verdict and unit.verdict.model_copy(update=reasons))
        return numbers.numbered(unit, named)

    sections = [
        draft.model_copy(update={"blocks": mapped(draft.blocks, partial(checked, draft.title))}).section
        for draft in drafts
    ]
    for cited in citations.values():
        if cited.state in ("dead", "invented", "unreadable"):
            what = cited.spelled if cited.spelled == cited.place else f"{cited.spelled} {cited.place}".strip()
            run.fail("check", what, cited.why)
    fields = {**fields, "title": title_of(foreign.title), "looked_up": list(citations.values())}
    return Check(claims=claims, report=_report(run, judge, sections, fields))


class _CitationNumbers:
    """Numbers a text's citations: they keep their own numbers; citations without one get the next free ones."""

    def __init__(self, citations: Sequence[CitationTarget], judge: ClaimJudge) -> None:
        self._judge = judge
        spelled = ((named, re.fullmatch(r"\[\^?(\d{1,6})\]", named.spelled)) for named in citations)
        self.by_citation = {named: int(number[1]) for named, number in spelled if number}
        self._free = count(max(self.by_citation.values(), default=0) + 1)
        self._of_place: dict[str, int] = {}
        for named, number in self.by_citation.items():
            self._of_place.setdefault(self._place(named), number)
        self.by_citation = {
            named: self.by_citation.get(named, self._number_at(self._place(named))) for named in citations
        }

    def _place(self, named: CitationTarget) -> str:
        return self._judge.resolved.read[named].source or named.url or named.words or named.spelled

    def _number_at(self, place: str) -> int:
        if place not in self._of_place:
            self._of_place[place] = next(self._free)
        return self._of_place[place]

    def numbered(self, unit: Unit, named: Sequence[CitationTarget]) -> Unit:
        """Return a sentence with the numbers of its citations, in order, and of the passages found for it."""
        marks: dict[int, list[Mark]] = {self.by_citation[citation]: [] for citation in named}
        numbers = {self._place(citation): self.by_citation[citation] for citation in reversed(named)}
        for cite in unit.cites:
            source = self._judge.by_label[cite.passage].source.id
            number = numbers[source] if source in numbers else self._number_at(source)
            marks.setdefault(number, []).append(cite.model_copy(update={"number": number}))
        return unit.with_cites_changed(
            lambda _: [],
            [citation for number, cites in marks.items() for citation in cites or [Pointer(number=number)]],
        )


def _checked(
    section: str, cited: Mapping[CitationTarget, CheckedCitation], unit: Unit, judge: ClaimJudge, language: str
) -> CheckedSentence:
    verdict, words = unit.verdict, labels_in(language)
    supported = verdict is not None and verdict.verdict == "supported"
    states = judge.states(cited)
    may_be_elsewhere = not supported and bool(states & {"read", "dead", "invented"})
    elsewhere = judge.elsewhere(cited, unit.text, words) if may_be_elsewhere else None
    reasons = [*(verdict.reasons if verdict else ()), *_unread_notices(cited, judge.resolved)]
    if elsewhere:
        reasons.append(Notice("said_elsewhere", source=elsewhere.source))
    elif supported and "read" not in states:
        reasons.append(Notice("found_beside"))
    return CheckedSentence(
        section=section,
        text=unit.text,
        verdict=verdict.verdict if verdict else "unchecked",
        score=verdict.score if verdict else 0.0,
        reasons=list(dict.fromkeys(reasons)),
        cites=list(cited.values()),
        quote=judge.quote(unit.text, verdict, words),
        elsewhere=elsewhere,
    )


def _unread_notices(cited: Iterable[CitationTarget], resolved: ResolvedSources) -> list[Notice]:
    """Return notices of the citations of a sentence that could not be read, and why."""
    return [
        Notice("place_unread", place=named.spelled, why=resolved.read[named].why)
        for named in cited
        if resolved.read[named].state not in ("read", "not followed")
    ]


def _cited(named: CitationTarget, number: int, resolved: ResolvedSources, language: str) -> CheckedCitation:
    read = resolved.read[named]
    source = resolved.sources.get(read.source)
    place = named.url or (source.path if source else named.words)
    why = text_of(read.why, language)
    return CheckedCitation(number=number, spelled=named.spelled, place=place, state=read.state, why=why)


def _report(run: Run, judge: ClaimJudge, sections: Sequence[Section], fields: ReportFields) -> Report:
    """Return the checked text as a Report in which every claim has its verdict."""
    sources, cited_sections = _cited_only(judge.entries, sections)
    texts = {source.snapshot: run.journal.snapshot(source.snapshot) or "" for source in sources}
    recorded = Report.of(
        run,
        outcome_of(has_result=True, failed=bool(run.failures)),
        policy="mark",
        sections=cited_sections,
        sources=sources,
        copies=copied(sources, [texts[source.snapshot] for source in sources]),
        web="given" if any(source.kind == "web" for source in sources) else "no",
        **fields,
    )
    return derive(recorded, SourceIndex.carried(sources, texts), texts.get)


def _cited_only(entries: Iterable[SourceEntry], sections: Sequence[Section]) -> tuple[list[Source], list[Section]]:
    """Return the cited sources with only their cited passages, and the sections, relabelled accordingly."""
    cited = {cite.passage for section in sections for cite in section.cites}
    sources: list[Source] = []
    labels: dict[str, str] = {}
    for entry in entries:
        if passages := [passage for passage in entry.passages if passage.label in cited]:
            sources.append(entry.source.model_copy(update={"passages": [passage.passage for passage in passages]}))
            labels |= {passage.label: f"S{len(sources)}.{number}" for number, passage in enumerate(passages, 1)}

    def relabelled(unit: Unit) -> Unit:
        return unit.with_cites_changed(lambda cite: [cite.model_copy(update={"passage": labels[cite.passage]})])

    return sources, [section.model_copy(update={"blocks": mapped(section.blocks, relabelled)}) for section in sections]
