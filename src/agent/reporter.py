"""The Reporter: makes a cited report from the records of the research agents, with a model or by quoting."""

import asyncio
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from ..kernel.argument import validated
from ..kernel.message import Message, terminate
from ..kernel.run import Run
from ..kernel.thread import in_thread
from ..model import Model
from ..model.asking import WHEN_ASKED, Trying
from ..rag.relevance import is_readable, load_models
from .agent import BuiltIn

if TYPE_CHECKING:
    from ..report import Draft, SourceIndex
    from ..report.outline import Outline, OutlinedSection
    from .reporting import Reporting


@validated
class Reporter(BuiltIn):
    """Makes a report from the records of the other agents and ends the run; the run stores the typed report.

    A model makes the outline, unless the settings or the plan contain one, and writes the sections concurrently from
    their sources' passages. Without a model, and for a section that fails, the Reporter quotes the sources. `Reporting`
    implements the steps; it is imported while other agents work, because writing and checking are a third of a run's
    imports.
    """

    name = "reporter"
    description = "Writes the final report from everything that was found, with citations. Comes last, once."
    gathers = True

    def __init__(self, model: Model | None = None) -> None:
        self.model = model
        self._current: Reporting | None = None

    def attach(self, run: Run) -> None:
        """Attach a new run and drop the report of the previous one."""
        super().attach(run)
        self._current = None

    def get_send_format(self) -> type[BaseModel] | None:
        """Return None: a report is text, so the format of all messages is enough."""
        return None

    async def prepare(self, question: str) -> None:
        """Import the report's modules once the model has been asked for the plan: the processor is idle then.

        Without a model, the models that rank what is quoted are loaded meanwhile, on another core.
        """
        if self.model is not None:
            await self.model.connect(self.context)
            await asyncio.sleep(WHEN_ASKED)
        ranks = self.model is None and not self.context.offline and is_readable(self.settings, question)
        await asyncio.gather(in_thread(_import_reporting), *([load_models()] if ranks else []))

    async def run(self, response: str, data: list[Any] | None = None) -> Message:  # noqa: ARG002 the run has the question
        """Write the report about the run's question from `data`; the answer's data is its Markdown."""
        await in_thread(_import_reporting)
        self._current = None
        report = await self._reporting.report(data or [])
        self.context.report, self.context.outcome = report, report.outcome
        return terminate(report.markdown, task="")

    def data_handler(self, data: list[Any]) -> "SourceIndex":
        """Assign each record a short id, S1, S2 and so on, and each of its passages a label."""
        return self._reporting.index(data)

    async def _planner(self, index: "SourceIndex") -> "Outline":
        """Return the outline from the settings, the plan or the model, else one made by rules."""
        return await self._reporting.outline(index)

    async def _task_handler(self, outline: "Outline", index: "SourceIndex") -> "list[Draft]":
        """Return the sections, written concurrently; sections without a model's text quote their sources."""
        return await self._reporting.drafts(outline, index)

    async def report_task(
        self,
        section: "OutlinedSection",
        sections: "list[OutlinedSection]",
        index: "SourceIndex",
        trying: Trying | None = None,
    ) -> "Draft | None":
        """Return one section as the model writes it, None without a model. Raises SpyglassError."""
        return await self._reporting.section(section, sections, index, trying)

    @property
    def _reporting(self) -> "Reporting":
        """The report in progress."""
        if self._current is None:
            from .reporting import Reporting

            self._current = Reporting(self)
        return self._current


def _import_reporting() -> None:
    """Import the modules that make a report."""
    from . import reporting as _reporting  # noqa: F401
