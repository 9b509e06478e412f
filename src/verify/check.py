"""Checks a report that somebody else wrote: each sentence against what it cites, and against all that was read."""

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
from ..kernel.notice import Notice, said
from ..kernel.outcome import outcome_of
from ..kernel.pool import Pool
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.source import Judged, Source
from ..kernel.thread import in_thread
from ..model.providers import model_for
from ..render import labels_in
from ..report import CheckedCitation, CitationState, Draft, Report, Section, SourceEntry, SourceIndex, derive
from ..report.checking import Checking
from ..report.copies import copied
from ..report.report import title_of
from ..tree import Mark, Pointer, Unit, mapped
from .citation_resolver import CitationResolver, ResolvedSources
from .claim_judge import ClaimJudge, Quote
from .foreign import MOST_SENTENCES, Foreign, read_foreign
from .named import Named

LARGEST = 10_000_000
"""Bytes of a report that is checked."""

LONGEST = 5_000_000
"""Characters of its text."""

Known = Mapping[str, object]


class CheckedSentence(BaseModel, frozen=True):
    """A sentence and its verdict: `unchecked` when nothing that it cites could be read.

    `quote` is the best evidence in what it cites, or, without a citation, in all that was read. `elsewhere` supports
    a sentence that its own citations do not support.
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
    """What came of checking a report: its claims in order, and it as a report of ours."""

    claims: list[CheckedSentence]
    report: Report

    @property
    def citations(self) -> list[CheckedCitation]:
        """Its citations, each once, in the order of the text."""
        return self.report.looked_up

    def cited(self, state: CitationState) -> list[CheckedCitation]:
        """Return the citations of which this became."""
        return [cited for cited in self.citations if cited.state == state]

    @property
    def holds(self) -> bool:
        """Whether every claim is supported."""
        return all(claim.verdict == "supported" for claim in self.claims)


async def check(run: Run, path: Path, folders: Sequence[Path], *, web: bool) -> Check:
    """Check the report in a file against the pages that it cites (`web`), against the files of folders, or both.

    A sentence is judged by what it cites; without a readable citation, by what was read at all. Its text is data: no
    link in it leads anywhere but through the guard, and no file is read outside the folders. Raises ForeignReportError,
    and FolderError or RetrievalError when no folder can be read.
    """
    foreign = await _read(run, path)
    resolver = CitationResolver(run, folders, web=web)
    await resolver.open()
    await resolver.look_up(foreign.cited)
    claims = [unit.text for unit, _ in foreign.sentences if unit.asserts]
    await resolver.search(claims)
    judge = await in_thread(ClaimJudge, resolver.resolved)
    drafts = await in_thread(judge.drafts, foreign)
    sample = " ".join(claims[:50])
    is_plain = run.settings.language == "auto" and is_english(sample)
    language = "en" if is_plain else resolved(run.settings.language, sample)
    marking = run.settings.updated(report__policy="mark")
    settling = model_for(run.settings, "checker")
    checked = await Checking(run, marking, judge.checker, None, settling).checked(drafts)
    known = {"checked": path.name, "folders": list(map(str, folders)), "language": language}
    return await in_thread(_outcome, run, foreign, judge, checked.drafts, known)


async def check_text(text: str, settings: Settings, *, web: bool, pool: Pool | None = None) -> Check:
    """Check a Markdown text against the folders of the settings, as `check` does a file, in a run that is not kept."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "text.md")
        await in_thread(path.write_text, text, "utf-8")
        async with Run("Do the sources say what the text says?", settings, journal=Journal(), pool=pool) as run:
            found = await check(run, path, settings.db, web=web)
            run.conclude(found=bool(found.claims), failed=not found.holds)
            return found


async def _read(run: Run, path: Path) -> Foreign:
    """Return the report in a file. Raises ForeignReportError."""
    remedy = "Give a Markdown, text, HTML, Word or PDF file."
    try:
        if (await in_thread(path.stat)).st_size > LARGEST:
            raise ForeignReportError(f"It is larger than {LARGEST // 1_000_000} MB", where=str(path), remedy=remedy)
        converter = await converter_of(run, run.settings)
        found = await run.effect("convert", {"report": str(path)}, lambda: _converted(converter, path))
    except OSError as error:
        raise ForeignReportError(f"It cannot be read: {error.strerror}", where=str(path), remedy=remedy) from error
    except DocumentError as error:
        raise ForeignReportError(error.what, where=str(path), remedy=error.remedy or remedy) from error
    foreign = await in_thread(read_foreign, found["text"][:LONGEST], found["title"])
    if foreign.cut or len(found["text"]) > LONGEST:
        run.notice(Notice("check_cut", sentences=MOST_SENTENCES, characters=LONGEST))
    return foreign


async def _converted(converter: Converter, path: Path) -> dict[str, str]:
    document = await converter.convert(path, linked=True)
    return {"text": document.text, "title": document.title}


def _outcome(run: Run, foreign: Foreign, judge: ClaimJudge, drafts: Sequence[Draft], known: Known) -> Check:
    """Return what came of it all; the report says what is `known` of it besides."""
    claims: list[CheckedSentence] = []
    cited, numbers, language = iter(foreign.named), _Numbers(foreign.cited, judge), str(known["language"])
    citations = {named: _cited(named, number, judge.resolved, language) for named, number in numbers.own.items()}

    def told(section: str, unit: Unit) -> Unit:
        named = next(cited)
        if unit.asserts:
            claims.append(_checked(section, {one: citations[one] for one in named}, unit, judge, language))
            reasons = {"reasons": claims[-1].reasons}
            unit = unit.judged(unit.verdict and unit.verdict.model_copy(update=reasons))
        return numbers.numbered(unit, named)

    sections = [
        draft.model_copy(update={"blocks": mapped(draft.blocks, partial(told, draft.title))}).section
        for draft in drafts
    ]
    for one in citations.values():
        if one.state in ("dead", "invented", "unreadable"):
            what = one.spelled if one.spelled == one.place else f"{one.spelled} {one.place}".strip()
            run.fail("check", what, one.why)
    known = {**known, "title": title_of(foreign.title), "looked_up": list(citations.values())}
    return Check(claims=claims, report=_report(run, judge, sections, known))


class _Numbers:
    """The numbers of a text's citations: those that it has, and the next free ones where it cites without a number."""

    def __init__(self, cited: Sequence[Named], judge: ClaimJudge) -> None:
        self._judge = judge
        spelled = ((named, re.fullmatch(r"\[\^?(\d{1,6})\]", named.spelled)) for named in cited)
        self.own = {named: int(number[1]) for named, number in spelled if number}
        self._free = count(max(self.own.values(), default=0) + 1)
        self._of_place: dict[str, int] = {}
        for named, number in self.own.items():
            self._of_place.setdefault(self._place(named), number)
        self.own = {named: self.own.get(named, self._at(self._place(named))) for named in cited}

    def _place(self, named: Named) -> str:
        return self._judge.resolved.read[named].source or named.url or named.words or named.spelled

    def _at(self, place: str) -> int:
        if place not in self._of_place:
            self._of_place[place] = next(self._free)
        return self._of_place[place]

    def numbered(self, unit: Unit, named: Sequence[Named]) -> Unit:
        """Return a sentence that cites by all numbers that it had, in their order, and by those of what was found."""
        marks: dict[int, list[Mark]] = {self.own[one]: [] for one in named}
        numbers = {self._place(one): self.own[one] for one in reversed(named)}
        for cite in unit.cites:
            source = self._judge.by_label[cite.passage].source.id
            number = numbers[source] if source in numbers else self._at(source)
            marks.setdefault(number, []).append(cite.model_copy(update={"number": number}))
        return unit.recited(
            lambda _: [], [one for number, cites in marks.items() for one in cites or [Pointer(number=number)]]
        )


def _checked(
    section: str, cited: Mapping[Named, CheckedCitation], unit: Unit, judge: ClaimJudge, language: str
) -> CheckedSentence:
    verdict, words = unit.verdict, labels_in(language)
    supported = verdict is not None and verdict.verdict == "supported"
    states = judge.states(cited)
    looked = not supported and bool(states & {"read", "dead", "invented"})
    elsewhere = judge.elsewhere(cited, unit.text, words) if looked else None
    reasons = [*(verdict.reasons if verdict else ()), *_in_the_way(cited, judge.resolved)]
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


def _in_the_way(cited: Iterable[Named], resolved: ResolvedSources) -> list[Notice]:
    """Say which citations of a sentence could not be looked at, and why."""
    return [
        Notice("place_unread", place=named.spelled, why=resolved.read[named].why)
        for named in cited
        if resolved.read[named].state not in ("read", "not followed")
    ]


def _cited(named: Named, number: int, resolved: ResolvedSources, language: str) -> CheckedCitation:
    read = resolved.read[named]
    source = resolved.sources.get(read.source)
    place = named.url or (source.path if source else named.words)
    why = said(read.why, language)
    return CheckedCitation(number=number, spelled=named.spelled, place=place, state=read.state, why=why)


def _report(run: Run, judge: ClaimJudge, checked: Sequence[Section], known: Known) -> Report:
    """Return the checked report as one of ours, in which every claim carries its verdict."""
    sources, sections = _cited_only(judge.entries, checked)
    texts = {source.snapshot: run.journal.snapshot(source.snapshot) or "" for source in sources}
    recorded = Report.of(
        run,
        outcome_of(found=True, failed=bool(run.failures)),
        policy="mark",
        sections=sections,
        sources=sources,
        copies=copied(sources, [texts[source.snapshot] for source in sources]),
        web="given" if any(source.kind == "web" for source in sources) else "no",
        **known,
    )
    return derive(recorded, SourceIndex.carried(sources, texts), texts.get)


def _cited_only(entries: Iterable[SourceEntry], sections: Sequence[Section]) -> tuple[list[Source], list[Section]]:
    """Return the sources that are cited, with no passages but the cited ones, and the sections that cite these."""
    cited = {cite.passage for section in sections for cite in section.cites}
    sources: list[Source] = []
    labels: dict[str, str] = {}
    for entry in entries:
        if own := [one for one in entry.passages if one.label in cited]:
            sources.append(entry.source.model_copy(update={"passages": [one.passage for one in own]}))
            labels |= {one.label: f"S{len(sources)}.{place}" for place, one in enumerate(own, 1)}

    def relabelled(unit: Unit) -> Unit:
        return unit.recited(lambda cite: [cite.model_copy(update={"passage": labels[cite.passage]})])

    return sources, [one.model_copy(update={"blocks": mapped(one.blocks, relabelled)}) for one in sections]
