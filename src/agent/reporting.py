"""One report: what was found is turned into cited sections, with a model or by quoting, and checked."""

import asyncio
from collections import Counter
from collections.abc import Coroutine
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ..answer import DOCUMENTS, wanted
from ..kernel.errors import DeadlineError, EmptyAnswerError, OutputCutError, SpyglassError
from ..kernel.events import PhaseChanged, SectionDrafted, SectionWritten
from ..kernel.notice import Notice, Told
from ..kernel.outcome import outcome_of
from ..kernel.thread import in_thread
from ..model import Model
from ..model.asking import IN_VAIN, WHEN_ASKED, Trying
from ..render import Labels, labels_in
from ..report import Composer, Draft, Report, SourceIndex, derive
from ..report.checking import Revised
from ..report.comparison import compared
from ..report.copies import copied_in
from ..report.coverage import asked as asked_of
from ..report.duplicates import once
from ..report.extractive import Extractor
from ..report.outline import Outline, OutlinedSection, assigned, bounded, by_source, by_task, mended, retitled
from ..report.report import told
from ..report.side_by_side import side_by_side
from ..report.tally import KINDS, calls, searches
from ..report.writer import Writer
from ..tree import Paragraph, Sentence

if TYPE_CHECKING:
    from .reporter import Reporter

Asked = TypeVar("Asked")

OUTLINE_SHARE, WRITING_SHARE, CHECKING_SHARE = 0.3, 0.85, 0.95
"""Shares of the agent's deadline after which the rules make the outline, sections still unwritten are quoted, and what
was judged by words stays as it was judged."""

USELESS = (EmptyAnswerError, OutputCutError)
"""What is wrong with an answer that came: the report is whole without it, and asking again would bring it again."""


class Reporting:
    """One report of a Reporter. The steps that a reporter may have of its own are called through it."""

    def __init__(self, reporter: "Reporter") -> None:
        self.reporter = reporter
        self.name, self.model = reporter.name, reporter.model
        self.context, self.settings = reporter.context, reporter.settings
        self._began = asyncio.get_running_loop().time()
        self._composer: Composer
        self._preparing: asyncio.Task[None] | None = None

    async def report(self, data: list[Any]) -> Report:
        """Return the report about the run's question from `data`."""
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
        asked = await self._tally()
        return await asyncio.to_thread(self._report, index, checked, asked)

    def index(self, data: list[Any]) -> SourceIndex:
        """Give each result its short id, S1, S2 and so on, and each of its passages a label."""
        return SourceIndex.of(data, self.context.journal)

    async def outline(self, index: SourceIndex) -> Outline:
        """Return the outline: of the settings, of the plan, of the model, or by rules."""
        self.context.emit(PhaseChanged("OUTLINE", "started"))
        titles = self._own_sections
        if not titles and self.settings.report.outline == "plan":
            titles = bounded(self.context.plan.sections, self.settings.report.length)
        model = None if titles or self.settings.effort == "quick" else self.model
        asked = None if model is None else await self._asked(model, index)
        outline = await asyncio.to_thread(self._ruled, titles, index) if asked is None else asked
        shown = [section.title for section in outline.sections]
        self.context.emit(PhaseChanged("OUTLINE", "completed", {"sections": shown}))
        return outline

    async def _asked(self, model: Model, index: SourceIndex) -> Outline | None:
        """Return the model's outline, None when there is no usable answer."""
        writer = Writer(model, self.context, self.settings, index)
        answer = await self._in_time(writer.outline(), OUTLINE_SHARE, "outline")
        if isinstance(answer, SpyglassError):
            self.context.fail(self.name, Notice("of_outline"), answer.told)
            return None
        sections = answer.within(self.settings.report.length)
        if not sections.sections:
            return None
        outline = mended(sections, index, self.context.question)
        return outline if self.settings.report.policy == "off" else await in_thread(self._retitled, outline, index)

    def _retitled(self, outline: Outline, index: SourceIndex) -> Outline:
        """Return the outline without the titles that say what no source does."""
        tasks, checker = self.context.plan.tasks, self._composer.checker
        asked = {one: frozenset(task.task for task in tasks if task.sub_question == one) for one in self._questions}
        known = [self.context.question, *asked]
        found = retitled(outline, index, asked, self._words.findings, lambda title: checker.entitles(title, known))
        if {section.title for section in outline.sections} - {section.title for section in found.sections}:
            self.context.notice(Notice("headings_replaced"))
        return found

    def _ruled(self, titles: list[str], index: SourceIndex) -> Outline:
        """Return an outline of these titles, else by the plan's sub-questions, else of one section.

        What is to be quoted only has a section a document; a document's title never becomes an instruction for a model.
        Where nothing surely answers, what may help stands in the summary alone; so do the two sides of a comparison.
        """
        question, length = self.context.question, self.settings.report.length
        if titles:
            return assigned(titles, index, question)
        if self.model is None and self._composer.is_unsure:
            return Outline(sections=[])
        if outline := by_task(index, self.context.plan.tasks, question, length):
            sides = self.model is None and compared(question)
            return Outline(sections=outline.sections[:1]) if sides else outline
        if self.model is not None:
            return assigned([self._words.findings], index, question)
        return by_source(index, question, length, self._words.further)

    async def drafts(self, outline: Outline, index: SourceIndex) -> list[Draft]:
        """Return the sections, written side by side; those that no model wrote are quoted from their sources."""
        self.context.emit(PhaseChanged("WRITING", "started"))
        self._preparing = preparing = asyncio.create_task(self._prepare(index))
        sections = list(outline.sections)
        if not self._own_sections:
            sections.insert(0, OutlinedSection(title=self._words.summary, sources=list(index.by_id)))
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
        """Write side by side; a section of which the call fails in vain is not waited for when all others are there."""

        def writing(section: OutlinedSection, trying: Trying) -> Coroutine[Any, Any, Draft | SpyglassError | None]:
            return self._in_time(
                self.reporter.report_task(section, sections, index, trying), WRITING_SHARE, section.title
            )

        asking = [partial(writing, section) for section in sections]
        written = await side_by_side(asking, lambda result: isinstance(result, Draft))
        return [
            written[number] if number in written else self._given_up(section) for number, section in enumerate(sections)
        ]

    def _given_up(self, section: OutlinedSection) -> SpyglassError:
        """Return why a section was not waited for, which is on record: a replay does not wait for it either."""
        late = DeadlineError(Notice("failed_in_vain", times=IN_VAIN))
        self.context.record_late(late, agent=self.name, what=section.title)
        return late

    async def _prepare(self, index: SourceIndex) -> None:
        """Read the sources for what comes after the writing, and tell copies from primaries, while the model writes."""
        await asyncio.sleep(0 if self.model is None else WHEN_ASKED)
        self._composer.checker.copies = await in_thread(copied_in, index, self.context.journal)
        await in_thread(index.read)

    async def _checked(self, drafts: list[Draft], outline: Outline) -> Revised:
        """Return the sections as the report has them: what their sources do not support is mended, marked or gone."""
        self.context.emit(PhaseChanged("CHECKING", "started"))
        answer = await self._in_time(self._composer.checked(drafts), CHECKING_SHARE, "checking")
        if isinstance(answer, SpyglassError):
            self.context.fail(self.name, Notice("of_checking"), answer.told)
            answer = await asyncio.to_thread(self._composer.checking.settled, drafts)
        if not all(draft.cites or draft.quoted for draft in answer.drafts):
            await self._composer.rank_parts()
        full = await asyncio.to_thread(self._filled, answer.drafts, outline)
        for draft in full:
            self.context.emit(SectionWritten(draft.title, len(draft.cites), draft.dropped))
        told = Counter[str](one.verdict.verdict for draft in full for one in draft.units if one.verdict)
        told["removed"] = len(answer.removed)
        self.context.emit(PhaseChanged("CHECKING", "completed", dict(told)))
        return replace(answer, drafts=full, dropped=sum(draft.dropped for draft in drafts))

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
        writer = Writer(self.model, self.context, self.settings, index)
        draft = await writer.section(section, others, summary=self._opens(section), trying=trying)
        if self._preparing is not None:
            await asyncio.shield(self._preparing)
        judged = await in_thread(self._composer.checker.judged, draft)
        if not judged.cites:
            raise EmptyAnswerError(Notice("model_cited_nothing"))
        self.context.emit(SectionDrafted(judged.title, " ".join(one.text for one in judged.units)))
        return judged

    async def _in_time(self, asking: Coroutine[Any, Any, Asked], share: float, what: str) -> Asked | SpyglassError:
        """Return what is asked for, or why it did not come: one that fails never loses the others."""
        deadline = share * self.settings.research.agent_deadline
        left = self._began + deadline - asyncio.get_running_loop().time()
        late = DeadlineError(Notice("not_in_time", seconds=deadline))
        try:
            return await self.context.within(left, asking, late, agent=self.name, what=what)
        except SpyglassError as error:
            return error

    def _note_failures(self, sections: list[OutlinedSection], written: list[Draft | SpyglassError | None]) -> None:
        """Tell the run, in the order of the sections, what the model did not write."""
        for section, result in zip(sections, written, strict=True):
            if isinstance(result, USELESS):
                self._note_useless(section.title, result.told)
            elif isinstance(result, SpyglassError):
                self.context.fail(self.name, Notice("of_section", title=section.title), result.told)
            elif result is not None and result.cut:
                self.context.notice(Notice("section_cut", title=section.title))

    def _note_useless(self, title: str, why: Told) -> None:
        """Tell the run that a section is quoted since its model wrote nothing of use: asking again gives the same."""
        self.context.notice(Notice("section_quoted", title=title, why=why))

    def _completed(self, sections: list[OutlinedSection], written: list[Draft | SpyglassError | None]) -> list[Draft]:
        """Quote the sections that are missing; one for which there is nothing to quote says so."""
        extractor = self._composer.extractor()
        drafts = []
        for section, result in zip(sections, written, strict=True):
            draft = result if isinstance(result, Draft) else self._quoted(section, extractor)
            drafts.append(draft or self._nothing(section.title))
        return drafts

    def _filled(self, drafts: list[Draft], outline: Outline) -> list[Draft]:
        """Quote from their sources the sections that checking left nothing of, and say nothing twice.

        The user's own sections stay whatever comes.
        """
        filled = self._once(self._quoted_instead(drafts, outline, Notice("used_nothing")))
        filled = self._once(self._quoted_instead(filled, outline))  # what is left of some says what others say
        filled = [draft if draft.cites else self._nothing(draft.title) for draft in filled]
        full = [draft for draft in filled if draft.cites]
        return filled if self._own_sections and full else full

    def _quoted_instead(self, drafts: list[Draft], outline: Outline, why: Told = "") -> list[Draft]:
        """Quote what the model wrote nothing for that is left, and tell why, if that is to be told."""
        extractor = self._composer.extractor()
        sections = {section.title: section for section in outline.sections}
        filled = []
        for draft in drafts:
            if draft.cites or draft.quoted:
                filled.append(draft)
                continue
            if why:
                self._note_useless(draft.title, why)
            section = sections.get(draft.title, OutlinedSection(title=draft.title))
            quoted = self._quoted(section, extractor) or self._nothing(draft.title)
            filled.append(quoted.model_copy(update={"dropped": draft.dropped}))
        return filled

    def _once(self, drafts: list[Draft]) -> list[Draft]:
        """Return the drafts with nothing claimed twice; but each document has a line, whatever it says."""
        return drafts if wanted(self.context.question) == DOCUMENTS else once(drafts)

    def _nothing(self, title: str) -> Draft:
        """Return a section that says that nothing was found for it."""
        said = Sentence(parts=[self._words.no_passage])
        return Draft(title=title, blocks=[Paragraph(sentences=[said])], quoted=True)

    def _quoted(self, section: OutlinedSection, extractor: Extractor) -> Draft | None:
        title = section.title
        if not self._opens(section):
            draft = extractor.section(title, section.sources)
        elif self._composer.is_unsure:
            draft = extractor.helping(self._words.may_help)
        else:
            draft = extractor.summary(title)
        return draft and self._composer.checker.judged(draft)

    def _opens(self, section: OutlinedSection) -> bool:
        """Say whether a section is the summary that opens a report; one with the user's own sections has none."""
        return section.title == self._words.summary and not self._own_sections

    async def _tally(self) -> Any:
        """Return the search log, the calls and what was told so far: an effect, for what comes late may add to it."""
        if self.context.stopped:
            return await self._asked_of_others()
        return await self.context.effect("tally", {"question": self.context.question}, self._asked_of_others)

    async def _asked_of_others(self) -> dict[str, Any]:
        journal, plan = self.context.journal, self.context.plan
        log = searches(journal.effects(*KINDS), self.context.question, plan.tasks)
        counted = calls(journal.requests(), self.context.spending.each)
        return {
            "searches": [one.model_dump() for one in log],
            "calls": [one.model_dump() for one in counted],
            **told(self.context),
        }

    def _report(self, index: SourceIndex, checked: Revised, asked: dict[str, Any]) -> Report:
        sections = [draft.section for draft in checked.drafts]
        writer = self.model.name if self.model and not all(draft.quoted for draft in checked.drafts) else ""
        ranked = {} if writer else self._composer.verdicts
        recorded = Report.of(
            self.context,
            outcome_of(found=bool(sections), failed=bool(asked["failures"])),
            language=self._composer.language,
            copies=self._composer.checker.copies,
            writer=writer,
            sections=sections,
            policy=self.settings.report.policy,
            removed=checked.removed,
            coverage=asked_of(self.context.question, self.context.plan.tasks, index, ranked),
            sources=list(index.sources),
            dropped_markers=checked.dropped,
            **asked,
        )
        return derive(recorded, index, self.context.journal.snapshot)

    @property
    def _own_sections(self) -> list[str]:
        """The sections that the user wants."""
        return [title for title in self.settings.report.sections if title.strip()]

    @property
    def _questions(self) -> list[str]:
        """The sub-questions of the plan, or the question alone."""
        asked = dict.fromkeys(task.sub_question for task in self.context.plan.tasks)
        return list(asked) or [self.context.question]

    @property
    def _words(self) -> Labels:
        return labels_in(self._composer.language)
