"""The base class of the agents that research the web."""

import asyncio
from abc import abstractmethod
from typing import Any

from pydantic import BaseModel

from ..kernel.argument import door
from ..kernel.message import Message
from ..kernel.run import Run
from ..kernel.source import Source
from ..model import Model
from ..web import Collected, WebResearcher, records, researcher_of
from .agent import Agent, Received, Sent
from .summary import summary


@door
class Web_agent(Agent):
    """Answers a task with the pages that hold its best passages, one record per page.

    The tasks of a run share their pages and search results. `db` holds every record of the run. With a model and the
    setting `summarise`, the model writes each record's summary; otherwise the summary is the passages themselves.
    """

    searches = "web"

    def __init__(self, model: Model | None = None) -> None:
        self.model = model
        self.db: list[dict[str, Any]] = []

    @abstractmethod
    async def research(self, research: WebResearcher, task: str) -> tuple[list[str], Collected]:
        """Search for a task; return the queries and the results. Queries without an answer are reported on the run.

        Raises NoSearchError when no search engine answered, BudgetError when that is due to a limit of the run.
        """

    def attach(self, run: Run) -> None:
        """Attach a new run and clear the records of the previous one."""
        super().attach(run)
        self.db = []

    def get_recv_format(self) -> type[BaseModel] | None:
        """Return the format shared by the built-in agents."""
        return Received

    def get_send_format(self) -> type[BaseModel] | None:
        """Return the format shared by the built-in research agents."""
        return Sent

    async def conclude(self, data: list[Any]) -> None:
        """Report what all tasks searched for, read and ranked."""
        (await researcher_of(self.context, self.settings)).conclude(data)

    async def run(self, response: str, data: list[Any] | None = None) -> Message:
        """Search the web for the task `response`; answer `data` plus a record for each page with relevant passages.

        Raises NoSearchError when no search engine answered.
        """
        research = await researcher_of(self.context, self.settings)
        queries, collected = await self.research(research, response)
        research.note(collected)
        collected.tell(self.context, self.name)
        sources = await records(self.context, response, queries, collected, self.settings)
        summarised = await asyncio.gather(*(self._summarised(response, source) for source in sources))
        new_records = [source.model_dump(mode="json") for source in summarised]
        self.db += new_records
        return {"agent": "planner", "task": response, "data": [*(data or []), *new_records]}

    def planned(self, task: str) -> list[str]:
        """Return the queries that the run's plan has for a task of this agent."""
        tasks = (planned for planned in self.context.plan.tasks if planned.task == task and planned.agent == self.name)
        return [query for planned in tasks for query in planned.queries]

    async def _summarised(self, task: str, source: Source) -> Source:
        text = await summary(
            self.context,
            self.model,
            self.settings,
            who=self.name,
            task=task,
            title=source.title,
            passages=source.passages,
        )
        return source.model_copy(update={"summary": text})
