"""Checks a report that somebody else wrote: each sentence against what it cites, and against all that was read."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ..documents import Converter, converter_of
from ..kernel.errors import DocumentError, ForeignReportError
from ..kernel.language import resolved
from ..kernel.notice import Notice
from ..kernel.outcome import outcome_of
from ..kernel.run import Run
from ..kernel.source import Citation, Source
from ..kernel.thread import in_thread
from ..report.checking import Checking
from ..report.copies import copied
from ..report.derive import derive
from ..report.draft import Draft, Numbering, Sentence
from ..report.report import Report, title_of
from ..report.source_index import SourceIndex
from .checked import Check, CheckedCitation, CheckedSentence
from .citation_resolver import CitationResolver, ResolvedSources
from .claim_judge import ClaimJudge
from .foreign import MOST_SENTENCES, Foreign, ForeignSentence, read_foreign
from .named import Named

LARGEST = 10_000_000
"""Bytes of a report that is checked."""

LONGEST = 5_000_000
"""Characters of its text."""

Known = Mapping[str, object]


async def check(run: Run, path: Path, folders: Sequence[Path], *, web: bool) -> Check:
    """Check the report in a file against the pages that it cites (`web`), against the files of folders, or both.

    A sentence is judged by what it cites; without a readable citation, by what was read at all. Its text is data: no
    link in it leads anywhere but through the guard, and no file is read outside the folders. Raises ForeignReportError,
    and FolderError or RetrievalError when no folder can be read.
    """
    foreign = await _read(run, path)
    resolver = CitationResolver(run, folders, web=web)
    await resolver.open()
    await resolver.look_up(foreign.named)
    claims = [sentence for sentence in foreign.sentences if sentence.asserts]
    await resolver.search(_words(sentence) for sentence in claims)
    judge = await in_thread(ClaimJudge, resolver.resolved)
    drafts = await in_thread(judge.drafts, foreign)
    language = resolved(run.settings.language, " ".join(_words(sentence) for sentence in claims[:50]))
    marking = run.settings.updated(report__policy="mark")
    checked = await Checking(run, marking, judge.checker, None, language).checked(drafts)
    known = {"checked": path.name, "folders": list(map(str, folders)), "language": language}
    return await in_thread(_outcome, run, foreign, judge, checked.drafts, known)


async def _read(run: Run, path: Path) -> Foreign:
    """Return the report in a file. Raises ForeignReportError."""
    remedy = "Give a Markdown, text, HTML, Word or PDF file."
    try:
        size = await in_thread(_size, path)
        if size > LARGEST:
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


def _size(path: Path) -> int:
    return path.stat().st_size


def _words(sentence: ForeignSentence) -> str:
    return Sentence((sentence.text,), head=sentence.head).text


def _outcome(run: Run, foreign: Foreign, judge: ClaimJudge, drafts: Sequence[Draft], known: Known) -> Check:
    """Return what came of it all; the report says what is `known` of it besides."""
    claims: list[CheckedSentence] = []
    told: list[Draft] = []
    strangers = iter(foreign.sentences)
    for draft in drafts:
        parts: list[str | Sentence] = []
        for part in draft.parts:
            if isinstance(part, str):
                parts.append(part)
                continue
            stranger = next(strangers)
            if stranger.asserts:
                claims.append(_checked(draft.title, stranger, part, judge))
                part = _reasoned(part, claims[-1].reasons)
            parts.append(part)
        told.append(replace(draft, parts=tuple(parts)))
    citations = [_cited(named, judge.resolved) for named in foreign.named]
    for cited in citations:
        if cited.state in ("dead", "invented", "unreadable"):
            run.fail(
                "check",
                cited.spelled if cited.spelled == cited.place else f"{cited.spelled} {cited.place}".strip(),
                cited.why,
            )
    return Check(claims=claims, citations=citations, report=_report(run, foreign, judge, told, known))


def _checked(section: str, foreign: ForeignSentence, sentence: Sentence, judge: ClaimJudge) -> CheckedSentence:
    verdict = sentence.verdict
    supported = verdict is not None and verdict.verdict == "supported"
    states = judge.states(foreign)
    looked = not supported and bool(states & {"read", "dead", "invented"})
    elsewhere = judge.elsewhere(foreign, sentence.text) if looked else None
    reasons = [*(verdict.reasons if verdict else ()), *_in_the_way(foreign, judge.resolved)]
    if elsewhere:
        reasons.append(Notice("said_elsewhere", source=elsewhere.source))
    elif supported and "read" not in states:
        reasons.append(Notice("found_beside"))
    return CheckedSentence(
        section=section,
        text=sentence.text,
        verdict=verdict.verdict if verdict else "unchecked",
        score=verdict.score if verdict else 0.0,
        reasons=list(dict.fromkeys(reasons)),
        cites=[_cited(named, judge.resolved) for named in foreign.named],
        quote=judge.quote(verdict),
        elsewhere=elsewhere,
    )


def _in_the_way(foreign: ForeignSentence, resolved: ResolvedSources) -> list[Notice]:
    """Say which citations of a sentence could not be looked at, and why."""
    found = [(named, resolved.read[named]) for named in foreign.named]
    return [
        Notice("place_unread", place=named.spelled, why=read.why)
        for named, read in found
        if read.state not in ("read", "not followed")
    ]


def _reasoned(sentence: Sentence, reasons: Sequence[Notice]) -> Sentence:
    if sentence.verdict is None:
        return sentence
    return replace(sentence, verdict=sentence.verdict.model_copy(update={"reasons": list(reasons)}))


def _cited(named: Named, resolved: ResolvedSources) -> CheckedCitation:
    read = resolved.read[named]
    source = resolved.sources.get(read.source)
    place = named.url or (source.path if source else named.words)
    return CheckedCitation(spelled=named.spelled, place=place, state=read.state, why=read.why)


def _own_numbers(foreign: Foreign, resolved: ResolvedSources) -> dict[str, int]:
    """Return the numbers that a text gives to the sources that were read; of two for one source the first."""
    numbers: dict[str, int] = {}
    for named in foreign.named:
        number, source = re.fullmatch(r"\[\^?(\d{1,6})\]", named.spelled), resolved.read[named].source
        if number and source and int(number[1]) > 0 and int(number[1]) not in numbers.values():
            numbers.setdefault(source, int(number[1]))
    return numbers


def _report(run: Run, foreign: Foreign, judge: ClaimJudge, drafts: Sequence[Draft], known: Known) -> Report:
    """Return the checked report as one of ours, in which every claim carries its verdict."""
    numbering = Numbering(_own_numbers(foreign, judge.resolved))
    sections = numbering.sections(drafts)
    sources, citations = _cited_only(judge.resolved.sources.values(), numbering.citations)
    texts = {source.snapshot: run.journal.snapshot(source.snapshot) or "" for source in sources}
    recorded = Report.of(
        run,
        outcome_of(found=True, failed=bool(run.failures)),
        title=title_of(foreign.title),
        policy="mark",
        sections=sections,
        claims=numbering.claims,
        citations=citations,
        sources=sources,
        copies=copied(sources, [texts[source.snapshot] for source in sources]),
        web="given" if any(source.kind == "web" for source in sources) else "no",
        dropped_markers=sum(read.state == "invented" for read in judge.resolved.read.values()),
        **known,
    )
    return derive(recorded, SourceIndex.carried(sources, texts), texts.get)


def _cited_only(sources: Iterable[Source], citations: Sequence[Citation]) -> tuple[list[Source], list[Citation]]:
    """Return the sources that are cited, with no passages but the cited ones, and the citations of these."""
    cited: dict[str, list[int]] = {}
    for one in sorted(citations, key=lambda one: one.passage):
        places = cited.setdefault(one.source_id, [])
        places += [] if one.passage in places else [one.passage]
    kept = [
        source.model_copy(update={"passages": [source.passages[place] for place in cited[source.id]]})
        for source in sources
        if source.id in cited
    ]
    moved = [one.model_copy(update={"passage": cited[one.source_id].index(one.passage)}) for one in citations]
    return kept, moved
