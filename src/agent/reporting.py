"""The steps of one report: outline, sections written by a model or quoted, and the check of every sentence."""

import asyncio
from collections import Counter
from collections.abc import Coroutine
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ..kernel.errors import DeadlineError, EmptyAnswerError, OutputCutError, SpyglassError
from ..kernel.events import PhaseChanged, SectionDrafted, SectionWritten
from ..kernel.notice import Notice, NoticeOrText
from ..kernel.outcome import outcome_of
from ..kernel.thread import in_thread
from ..markup import Paragraph, Sentence
from ..model import Model
from ..model.asking import IN_VAIN, WHEN_ASKED, Trying
from ..ranking import DOCUMENTS, wanted
from ..render import Labels, labels_in
from ..report import Composer, Draft, Report, SourceIndex, derive
from ..report.comparison import compared
from ..report.copies import copied_in
from ..report.coverage import planned_coverage
from ..report.duplicates import deduplicated
from ..report.extractive import Extractor
from ..report.outline import Outline, OutlinedSection, assigned, bounded, by_source, by_task, completed, retitled
from ..report.report import run_state
from ..report.revision import Revised
from ..report.side_by_side import side_by_side
from ..report.tally import KINDS, calls, searches
from ..report.writer import Writer

if TYPE_CHECKING:
    from .reporter import Reporter

Answer = TypeVar("Answer")

OUTLINE_SHARE, WRITING_SHARE, CHECKING_SHARE = 0.3, 0.85, 0.95
"""Shares of the agent's deadline after which rules make the outline, unwritten sections are quoted, and no model
changes the verdicts of the word-based check."""

USELESS = (EmptyAnswerError, OutputCutError)
"""Errors of an answer that did arrive: the report is complete without it, and a retry would give the same."""


class Reporting:
    """Makes one report for a Reporter. Steps that a subclass of Reporter may override are called on the reporter."""

    def __init__(self, reporter: "Reporter") -> None:
        self.reporter = reporter
        self.name, self.model = reporter.name, reporter.model
        self.context, self.settings = reporter.context, reporter.settings
        self._started_at = asyncio.get_running_loop().time()
        self._composer: Composer
        self._preparing: asyncio.Task[None] | None = None

    async def report(self, data: list[Any]) -> Report:
        """Return the report about the run's question, made from the records `data`."""
        index = await asyncio.to_thread(self.reporter.data_handler, data)
        checked = Revised([])
        self._composer = composer = Composer(
            self.context, self.settings, index, self.context.question, parts=self._questions, model=self.model
        )
        await composer.rank()
        if index.entries and composer.finds:
            outline = await self.reporter._planner(index)
            drafts = await self.reporter._task_handler(outline, index)
            checked = await self._checked(drafts, outline)
        tally = await self._tally()
        return await asyncio.to_thread(self._report, index, checked, tally)

    def index(self, data: list[Any]) -> SourceIndex:
        """Assign each record a short id, S1, S2 and so on, and each of its passages a label."""
        return SourceIndex.of(data, self.context.journal)

    async def outline(self, index: SourceIndex) -> Outline:
        """Return the outline from the settings, the plan or the model, else one made by rules.

        The model is asked only if the settings want it, or there is no plan.
        """
        self.context.emit(PhaseChanged("OUTLINE", "started"))
        titles, is_planned = self._user_sections, False
        if not titles and self.settings.report.outline == "plan":
            is_planned = bool(self.context.plan.tasks)
            titles = bounded(self.context.plan.sections, self.settings.report.length)
        model = None if titles or is_planned or self.settings.effort == "quick" else self.model
        outline = None if model is None else await self._outline_by_model(model, index)
        if outline is None:
            outline = await asyncio.to_thread(self._outline_by_rules, titles, index)
        section_titles = [section.title for section in outline.sections]
        self.context.emit(PhaseChanged("OUTLINE", "completed", {"sections": section_titles}))
        return outline

    async def _outline_by_model(self, model: Model, index: SourceIndex) -> Outline | None:
        """Return the model's outline, None without a usable answer."""
        writer = Writer(model, self.context, self.settings, index)
        answer = await self._in_time(writer.outline(), OUTLINE_SHARE, "outline")
        if isinstance(answer, SpyglassError):
            self.context.fail(self.name, Notice("of_outline"), answer.message)
            return None
        shortened = answer.within(self.settings.report.length)
        if not shortened.sections:
            return None
        outline = completed(shortened, index, self.context.question)
        return outline if self.settings.report.policy == "off" else await in_thread(self._retitled, outline, index)

    def _retitled(self, outline: Outline, index: SourceIndex) -> Outline:
        """Return the outline with replacements for titles that no source supports."""
        plan, checker = self.context.plan.tasks, self._composer.checker
        tasks = {part: frozenset(task.task for task in plan if task.sub_question == part) for part in self._questions}
        questions = [self.context.question, *tasks]
        checked = retitled(
            outline, index, tasks, self._labels.findings, lambda title: checker.supports_title(title, questions)
        )
        if {section.title for section in outline.sections} - {section.title for section in checked.sections}:
            self.context.notice(Notice("headings_replaced"))
        return checked

    def _outline_by_rules(self, titles: list[str], index: SourceIndex) -> Outline:
        """Return an outline of these titles; else none with a model, and without one of sub-questions or of documents.

        Without titles all that a model writes is in the summary, which a section would repeat. So are, without a model,
        passages that may help (if no answer is certain) and the sides of a comparison.
        """
        question, length = self.context.question, self.settings.report.length
        if titles:
            return assigned(titles, index, question)
        if self.model is not None or self._composer.is_unsure:
            return Outline(sections=[])
        if outline := by_task(index, self.context.plan.tasks, question, length):
            return Outline(sections=outline.sections[:1]) if compared(question) else outline
        return by_source(index, question, length, self._labels.further)

    async def drafts(self, outline: Outline, index: SourceIndex) -> list[Draft]:
        """Return the sections, written concurrently; sections without a model's text quote their sources."""
        self.context.emit(PhaseChanged("WRITING", "started"))
        self._preparing = preparing = asyncio.create_task(self._prepare(index))
        sections = list(outline.sections)
        if not self._user_sections:
            sections.insert(0, OutlinedSection(title=self._labels.summary, sources=list(index.by_id)))
        try:
            written = await self._written(sections, index)
            await preparing
        finally:
            preparing.cancel()
        self._note_failures(sections, written)
        if not all(isinstance(result, Draft) for result in written):
            await self._composer.rank_parts()
        drafts = await asyncio.to_thread(self._completed, sections, written)
        self.context.emit(PhaseChanged("WRITING", "completed"))
        return drafts

    async def _written(self, sections: list[OutlinedSection], index: SourceIndex) -> list[Draft | SpyglassError | None]:
        """Write sections concurrently; give up one whose calls keep failing once all others are done."""

        def write(section: OutlinedSection, trying: Trying) -> Coroutine[Any, Any, Draft | SpyglassError | None]:
            return self._in_time(
                self.reporter.report_task(section, sections, index, trying), WRITING_SHARE, section.title
            )

        calls = [partial(write, section) for section in sections]
        written = await side_by_side(calls, lambda result: isinstance(result, Draft))
        return [
            written[number] if number in written else self._given_up(section) for number, section in enumerate(sections)
        ]

    def _given_up(self, section: OutlinedSection) -> SpyglassError:
        """Return the error of a section that was given up, and record it, so that a replay does not wait for it."""
        late = DeadlineError(Notice("failed_in_vain", times=IN_VAIN))
        self.context.record_late(late, agent=self.name, what=section.title)
        return late

    async def _prepare(self, index: SourceIndex) -> None:
        """Detect copied sources and extract the statements for the checks while the model writes."""
        await asyncio.sleep(0 if self.model is None else WHEN_ASKED)
        self._composer.checker.copies = await in_thread(copied_in, index, self.context.journal)
        await in_thread(index.find_statements)

    async def _checked(self, drafts: list[Draft], outline: Outline) -> Revised:
        """Return the checked sections, with unsupported sentences rewritten, marked or removed."""
        self.context.emit(PhaseChanged("CHECKING", "started"))
        answer = await self._in_time(self._composer.checked(drafts), CHECKING_SHARE, "checking")
        if isinstance(answer, SpyglassError):
            self.context.fail(self.name, Notice("of_checking"), answer.message)
            answer = await asyncio.to_thread(self._composer.checking.settled, drafts)
        if not all(draft.cites or draft.quoted or draft.absent for draft in answer.drafts):
            await self._composer.rank_parts()
        filled = await asyncio.to_thread(self._filled, answer.drafts, outline)
        for draft in filled:
            self.context.emit(SectionWritten(draft.title, len(draft.cites), draft.dropped))
        counts = Counter[str](unit.verdict.verdict for draft in filled for unit in draft.units if unit.verdict)
        counts["removed"] = len(answer.removed)
        self.context.emit(PhaseChanged("CHECKING", "completed", dict(counts)))
        return replace(answer, drafts=filled, dropped=sum(draft.dropped for draft in drafts))

    async def section(
        self,
        section: OutlinedSection,
        sections: list[OutlinedSection],
        index: SourceIndex,
        trying: Trying | None = None,
    ) -> Draft | None:
        """Return one section as the model writes it, None without a model. Raises SpyglassError."""
        if self.model is None:
            return None
        others = [other for other in sections if other is not section]
        writer = Writer(self.model, self.context, self.settings, index, self._composer.passages_by_rank)
        draft = await writer.section(section, others, summary=self._is_summary(section), trying=trying)
        if self._preparing is not None:
            await asyncio.shield(self._preparing)
        judged = await in_thread(self._composer.checker.judged, draft)
        if not judged.cites and not judged.absent:
            raise EmptyAnswerError(Notice("model_cited_nothing"))
        self.context.emit(SectionDrafted(judged.title, " ".join(unit.text for unit in judged.units)))
        return judged

    async def _in_time(self, call: Coroutine[Any, Any, Answer], share: float, what: str) -> Answer | SpyglassError:
        """Return the answer of a call, or its error, so that a failed call does not lose the answers of others."""
        deadline = share * self.settings.research.agent_deadline
        seconds_left = self._started_at + deadline - asyncio.get_running_loop().time()
        late = DeadlineError(Notice("not_in_time", seconds=deadline))
        try:
            return await self.context.within(seconds_left, call, late, agent=self.name, what=what)
        except SpyglassError as error:
            return error

    def _note_failures(self, sections: list[OutlinedSection], written: list[Draft | SpyglassError | None]) -> None:
        """Report on the run, in the order of the sections, which sections the model did not write."""
        for section, result in zip(sections, written, strict=True):
            if isinstance(result, USELESS):
                self._note_useless(section.title, result.message)
            elif isinstance(result, SpyglassError):
                self.context.fail(self.name, Notice("of_section", title=section.title), result.message)
            elif result is not None and result.cut:
                self.context.notice(Notice("section_cut", title=section.title))

    def _note_useless(self, title: str, why: NoticeOrText) -> None:
        """Issue the notice that a section is quoted because the model wrote nothing usable."""
        self.context.notice(Notice("section_quoted", title=title, why=why))

    def _completed(self, sections: list[OutlinedSection], written: list[Draft | SpyglassError | None]) -> list[Draft]:
        """Fill the missing sections with quotes, or with the statement that nothing was found."""
        extractor = self._composer.extractor()
        drafts = []
        for section, result in zip(sections, written, strict=True):
            draft = result if isinstance(result, Draft) else self._quoted(section, extractor)
            drafts.append(draft or self._nothing_found(section.title))
        return drafts

    def _filled(self, drafts: list[Draft], outline: Outline) -> list[Draft]:
        """Quote the sources of sections that checking left empty, remove repeated claims, and drop empty sections.

        Sections that the user asked for are kept even if empty, unless all are empty. A section that only comes near to
        what it is for is left out, unless all do; the title of the first then says that there is no clear answer.
        """
        filled = self._deduplicated(self._quoted_instead(drafts, outline, Notice("used_nothing")))
        filled = self._deduplicated(self._quoted_instead(filled, outline))  # deduplication may have emptied a section
        cited = [draft for draft in filled if draft.cites]
        found = [] if self._composer.is_unanswered else [draft for draft in cited if not draft.absent]
        if self._user_sections and found:
            return [draft if draft in found else self._nothing_found(draft.title) for draft in filled]
        near = [draft.model_copy(update={"title": self._labels.nothing_clear}) for draft in cited[:1]]
        return found or [*near, *cited[1:]]

    def _quoted_instead(self, drafts: list[Draft], outline: Outline, why: NoticeOrText = "") -> list[Draft]:
        """Replace the model's drafts without citations by quotes of their sources; issue a notice if `why` is given."""
        extractor = self._composer.extractor()
        sections = {section.title: section for section in outline.sections}
        filled = []
        for draft in drafts:
            if draft.cites or draft.quoted or draft.absent:
                filled.append(draft)
                continue
            if why:
                self._note_useless(draft.title, why)
            section = sections.get(draft.title, OutlinedSection(title=draft.title))
            quoted = self._quoted(section, extractor) or self._nothing_found(draft.title)
            filled.append(quoted.model_copy(update={"dropped": draft.dropped}))
        return filled

    def _deduplicated(self, drafts: list[Draft]) -> list[Draft]:
        """Return the drafts without repeated claims; a list of documents keeps a line for each document."""
        return drafts if wanted(self.context.question) == DOCUMENTS else deduplicated(drafts)

    def _nothing_found(self, title: str) -> Draft:
        """Return a section that says that nothing was found for it."""
        sentence = Sentence(parts=[self._labels.no_passage])
        return Draft(title=title, blocks=[Paragraph(sentences=[sentence])], quoted=True)

    def _quoted(self, section: OutlinedSection, extractor: Extractor) -> Draft | None:
        title = section.title
        if not self._is_summary(section):
            draft = extractor.section(title, section.sources)
        elif self._composer.is_unsure:
            draft = extractor.helping(self._labels.may_help)
        else:
            draft = extractor.summary(title)
        return draft and self._composer.checker.judged(draft)

    def _is_summary(self, section: OutlinedSection) -> bool:
        """Return whether a section is the report's opening summary; a report with the user's sections has none."""
        return section.title == self._labels.summary and not self._user_sections

    async def _tally(self) -> Any:
        """Return the search log, the calls and the run's messages so far; recorded, because late events may follow."""
        if self.context.stopped:
            return await self._current_tally()
        return await self.context.effect("tally", {"question": self.context.question}, self._current_tally)

    async def _current_tally(self) -> dict[str, Any]:
        journal, plan = self.context.journal, self.context.plan
        log = searches(journal.effects(*KINDS), self.context.question, plan.tasks)
        counted = calls(journal.requests(), self.context.spending.each)
        return {
            "searches": [search.model_dump() for search in log],
            "calls": [call.model_dump() for call in counted],
            **run_state(self.context),
        }

    def _report(self, index: SourceIndex, checked: Revised, tally: dict[str, Any]) -> Report:
        sections = [draft.section for draft in checked.drafts]
        writer = self.model.name if self.model and not all(draft.quoted for draft in checked.drafts) else ""
        ranked = self._composer.verdicts(checked.drafts)
        recorded = Report.of(
            self.context,
            outcome_of(has_result=bool(sections), failed=bool(tally["failures"])),
            language=self._composer.language,
            copies=self._composer.checker.copies,
            writer=writer,
            sections=sections,
            policy=self.settings.report.policy,
            removed=checked.removed,
            near=self._composer.near(checked.drafts),
            coverage=planned_coverage(self.context.question, self.context.plan.tasks, index, ranked),
            sources=list(index.sources),
            dropped_markers=checked.dropped,
            **tally,
        )
        return derive(recorded, index, self.context.journal.snapshot)

    @property
    def _user_sections(self) -> list[str]:
        """The titles of the sections that the user asked for."""
        return [title for title in self.settings.report.sections if title.strip()]

    @property
    def _questions(self) -> list[str]:
        """The sub-questions of the plan, or the question alone."""
        questions = dict.fromkeys(task.sub_question for task in self.context.plan.tasks)
        return list(questions) or [self.context.question]

    @property
    def _labels(self) -> Labels:
        return labels_in(self._composer.language)
