"""The Reporter: turns what was found into a cited report, with a model or by quoting."""

import asyncio
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from ..kernel.argument import door
from ..kernel.message import Message, terminate
from ..kernel.run import Run
from ..kernel.thread import in_thread
from ..model import Model
from ..model.asking import WHEN_ASKED, Trying
from .agent import Agent, Received

if TYPE_CHECKING:
    from ..report import Draft, SourceIndex
    from ..report.outline import Outline, OutlinedSection
    from .reporting import Reporting


@door
class Reporter(Agent):
    """Gathers what the others found and ends the run with a report, whose typed form it puts on the run.

    With a model it asks for an outline, unless the settings or the plan carry one, and has the sections written side
    by side from their sources' passages. Without one, and for a section that fails, it quotes. How is in `Reporting`,
    which is read in while others are waited for: writing and checking are a third of all that a run imports.
    """

    name = "reporter"
    description = "Writes the final report from everything that was found, with citations. Comes last, once."
    gathers = True

    def __init__(self, model: Model | None = None) -> None:
        self.model = model
        self._made: Reporting | None = None

    def attach(self, run: Run) -> None:
        """Take a new run, and forget the report of the one before."""
        super().attach(run)
        self._made = None

    def get_recv_format(self) -> type[BaseModel] | None:
        """Return the format of the house."""
        return Received

    def get_send_format(self) -> type[BaseModel] | None:
        """Return None: a report is a text, and the message's own format asks for no more."""
        return None

    async def prepare(self, question: str) -> None:  # noqa: ARG002 whatever is asked
        """Read in what writes a report, once the model has been asked for the plan: nobody needs the processor then."""
        if self.model is not None:
            await self.model.connect(self.context)
            await asyncio.sleep(WHEN_ASKED)
        await in_thread(_read_in)

    async def run(self, response: str, data: list[Any] | None = None) -> Message:  # noqa: ARG002 the run has the question
        """Write the report about the run's question from `data`; its Markdown is the data of the answer."""
        await in_thread(_read_in)
        self._made = None
        report = await self._making.report(data or [])
        self.context.report, self.context.outcome = report, report.outcome
        return terminate(report.markdown, task="")

    def data_handler(self, data: list[Any]) -> "SourceIndex":
        """Give each result its short id, S1, S2 and so on, and each of its passages a label."""
        return self._making.index(data)

    async def _planner(self, index: "SourceIndex") -> "Outline":
        """Return the outline: of the settings, of the plan, of the model, or by rules."""
        return await self._making.outline(index)

    async def _task_handler(self, outline: "Outline", index: "SourceIndex") -> "list[Draft]":
        """Return the sections, written side by side; those that no model wrote are quoted from their sources."""
        return await self._making.drafts(outline, index)

    async def report_task(
        self,
        section: "OutlinedSection",
        sections: "list[OutlinedSection]",
        index: "SourceIndex",
        trying: Trying | None = None,
    ) -> "Draft | None":
        """Return one section as the model writes it, None without a model. Raises SpyglassError."""
        return await self._making.section(section, sections, index, trying)

    @property
    def _making(self) -> "Reporting":
        """The report that is being made."""
        if self._made is None:
            from .reporting import Reporting

            self._made = Reporting(self)
        return self._made


def _read_in() -> None:
    """Import what makes a report."""
    from . import reporting as _reporting  # noqa: F401
