"""The Reporter: turns what was found into a cited report, with a model or by quoting."""

import asyncio
import math
from collections.abc import Awaitable
from typing import Any, TypeVar

from pydantic import BaseModel

from ..errors import DeadlineError, SpyglassError
from ..events import PhaseChanged, SectionWritten
from ..evidence.relevance import unmentioned
from ..language import resolved
from ..message import Message, terminate
from ..model.model import Model
from ..report.catalogue import Catalogue
from ..report.confidence import confidence
from ..report.draft import Draft, Numbering
from ..report.extractive import Extractor
from ..report.labels import Labels, labels
from ..report.outline import Outline, OutlinedSection, assigned, bounded, by_source, by_task, mended
from ..report.report import Outcome, Report
from ..report.writer import Writer
from .agent import Agent, Received

Asked = TypeVar("Asked")

OUTLINE_SHARE, WRITING_SHARE = 0.3, 0.9
"""Shares of the agent's deadline after which the rules make the outline, and sections still unwritten are quoted."""


class Reporter(Agent):
    """Gathers what the others found and ends the run with a report, whose typed form it puts on the run.

    With a model it asks for an outline, unless the settings or the plan carry one, and has the sections written side
    by side from their sources' passages. Without one, and for a section that fails, it quotes.
    """

    name = "reporter"
    description = "Writes the final report from everything that was found, with citations. Comes last, once."
    gathers = True

    def __init__(self, model: Model | None = None) -> None:
        self.model = model
        self._began = math.inf

    def get_recv_format(self) -> type[BaseModel] | None:
        """Return the format of the house."""
        return Received

    def get_send_format(self) -> type[BaseModel] | None:
        """Return None: a report is a text, and the message's own format asks for no more."""
        return None

    async def run(self, response: str, data: list[Any] | None = None) -> Message:  # noqa: ARG002 the run has the question
        """Write the report about the run's question from `data`; its Markdown is the data of the answer."""
        self._began = asyncio.get_running_loop().time()
        catalogue = await asyncio.to_thread(self.data_handler, data or [])
        drafts: list[Draft] = []
        if catalogue.entries:
            outline = await self._planner(catalogue)
            drafts = await self._task_handler(outline, catalogue)
        report = self._report(catalogue, drafts)
        self.context.report, self.context.outcome = report, report.outcome
        return terminate(report.markdown, task="")

    def data_handler(self, data: list[Any]) -> Catalogue:
        """Give each result its short id, S1, S2 and so on, and each of its passages a label."""
        return Catalogue.of(data, self.context.journal)

    async def _planner(self, catalogue: Catalogue) -> Outline:
        """Return the outline: of the settings, of the plan, of the model, or by rules."""
        self.context.emit(PhaseChanged("OUTLINE", "started"))
        titles = self._own_sections
        if not titles and self.settings.outline == "plan":
            titles = bounded(self.context.plan.sections, self.settings.length)
        asked = None if titles or self.model is None else await self._asked(self.model, catalogue)
        outline = await asyncio.to_thread(self._ruled, titles, catalogue) if asked is None else asked
        shown = [section.title for section in outline.sections]
        self.context.emit(PhaseChanged("OUTLINE", "completed", {"sections": shown}))
        return outline

    async def _asked(self, model: Model, catalogue: Catalogue) -> Outline | None:
        """Return the model's outline, None when there is no usable answer."""
        writer = Writer(model, self.context, self.settings, catalogue)
        answer = await self._in_time(writer.outline(), OUTLINE_SHARE)
        if isinstance(answer, SpyglassError):
            self.context.fail(self.name, "the outline by the model; rules made it", str(answer))
            return None
        sections = answer.within(self.settings.length)
        return mended(sections, catalogue, self.context.question) if sections.sections else None

    def _ruled(self, titles: list[str], catalogue: Catalogue) -> Outline:
        """Return an outline of these titles, else by the plan's sub-questions, else of one section.

        What is to be quoted only has a section a document; a document's title never becomes an instruction for a model.
        """
        question, length = self.context.question, self.settings.length
        if titles:
            return assigned(titles, catalogue, question)
        if outline := by_task(catalogue, self.context.plan.tasks, question, length):
            return outline
        if self.model is not None:
            return assigned([self._words.findings], catalogue, question)
        return by_source(catalogue, question, length, self._words.further)

    async def _task_handler(self, outline: Outline, catalogue: Catalogue) -> list[Draft]:
        """Return the sections, written side by side; those that no model wrote are quoted from their sources."""
        self.context.emit(PhaseChanged("WRITING", "started"))
        sections = list(outline.sections)
        if not self._own_sections:
            sections.insert(0, OutlinedSection(title=self._words.summary, sources=list(catalogue.by_id)))
        tasks = (self.report_task(section, sections, catalogue) for section in sections)
        written = await asyncio.gather(*(self._in_time(task, WRITING_SHARE) for task in tasks))
        self._note_failures(sections, written)
        drafts = await asyncio.to_thread(self._completed, sections, written, catalogue)
        for draft in drafts:
            self.context.emit(SectionWritten(draft.title, len(draft.cites), draft.dropped))
        self.context.emit(PhaseChanged("WRITING", "completed"))
        return drafts

    async def report_task(
        self, section: OutlinedSection, sections: list[OutlinedSection], catalogue: Catalogue
    ) -> Draft | None:
        """Return one section as the model writes it, None without a model. Raises SpyglassError."""
        if self.model is None:
            return None
        others = [other.title for other in sections if other is not section]
        writer = Writer(self.model, self.context, self.settings, catalogue)
        return await writer.section(section, others, summary=self._opens(section))

    async def _in_time(self, asking: Awaitable[Asked], share: float) -> Asked | SpyglassError:
        """Return what is asked for, or why it did not come: one that fails never loses the others."""
        deadline = share * self.settings.agent_deadline
        try:
            async with asyncio.timeout_at(self._began + deadline):
                return await asking
        except TimeoutError:
            return DeadlineError(f"It was not there after {deadline:g} s", remedy="Raise agent_deadline.")
        except SpyglassError as error:
            return error

    def _note_failures(self, sections: list[OutlinedSection], written: list[Draft | SpyglassError | None]) -> None:
        """Tell the run, in the order of the sections, what the model did not write."""
        for section, result in zip(sections, written, strict=True):
            if isinstance(result, SpyglassError):
                self.context.fail(self.name, f'the section "{section.title}", quoted from its sources', str(result))
            elif result is not None and result.cut:
                self.context.notice(f'The section "{section.title}" ends where the model\'s output limit cut it.')

    def _completed(
        self, sections: list[OutlinedSection], written: list[Draft | SpyglassError | None], catalogue: Catalogue
    ) -> list[Draft]:
        """Quote the sections that are missing; the user's own sections stay even when there is nothing to say."""
        extractor = Extractor(catalogue, self._questions, self.settings.length)
        drafts = []
        for section, result in zip(sections, written, strict=True):
            draft = result if isinstance(result, Draft) else self._quoted(section, extractor)
            drafts.append(draft or Draft(section.title, (self._words.no_passage,), quoted=True))
        full = [draft for draft in drafts if draft.cites]
        return drafts if self._own_sections and full else full

    def _quoted(self, section: OutlinedSection, extractor: Extractor) -> Draft | None:
        if self._opens(section):
            return extractor.summary(section.title)
        return extractor.section(section.title, section.sources)

    def _opens(self, section: OutlinedSection) -> bool:
        """Say whether a section is the summary that opens a report; one with the user's own sections has none."""
        return section.title == self._words.summary and not self._own_sections

    def _report(self, catalogue: Catalogue, drafts: list[Draft]) -> Report:
        numbering = Numbering()
        sections = numbering.sections(drafts)
        cited = {citation.source_id for citation in numbering.citations}
        outcome: Outcome = "partial" if self.context.failures else "complete"
        return Report.of(
            self.context,
            outcome if sections or self.context.failures else "nothing_found",
            language=self._language,
            confidence=confidence([source for source in catalogue.sources if source.id in cited]),
            writer=self.model.name if self.model and not all(draft.quoted for draft in drafts) else "",
            sections=sections,
            references=numbering.references,
            citations=numbering.citations,
            sources=list(catalogue.sources),
            unmentioned=unmentioned(self.context.question, [entry.text for entry in catalogue.entries]),
            dropped_markers=sum(draft.dropped for draft in drafts),
            uncited_sentences=sum(draft.uncited for draft in drafts),
        )

    @property
    def _own_sections(self) -> list[str]:
        """The sections that the user wants."""
        return [title for title in self.settings.sections if title.strip()]

    @property
    def _questions(self) -> list[str]:
        """The sub-questions of the plan, or the question alone."""
        asked = dict.fromkeys(task.sub_question for task in self.context.plan.tasks)
        return list(asked) or [self.context.question]

    @property
    def _words(self) -> Labels:
        return labels(self._language)

    @property
    def _language(self) -> str:
        return resolved(self.settings.language, self.context.question)
