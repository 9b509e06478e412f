"""What the agents that research the web have in common."""

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
    """Answers a task with the pages that hold its best passages, one record a page.

    The tasks of a run share their pages and search results. `db` holds every record of the run. With a model, and the
    setting `summarise`, a record's summary is the model's; otherwise it is the passages themselves.
    """

    searches = "web"

    def __init__(self, model: Model | None = None) -> None:
        self.model = model
        self.db: list[dict[str, Any]] = []

    @abstractmethod
    async def research(self, research: WebResearcher, task: str) -> tuple[list[str], Collected]:
        """Return what was searched for, for a task, and what came of it; the run is told of queries without an answer.

        Raises NoSearchError when no search engine answered, and BudgetError when a limit of the run is why.
        """

    def attach(self, run: Run) -> None:
        """Take a new run, and forget what was found in the one before."""
        super().attach(run)
        self.db = []

    def get_recv_format(self) -> type[BaseModel] | None:
        """Return the format of the house."""
        return Received

    def get_send_format(self) -> type[BaseModel] | None:
        """Return the format of the house."""
        return Sent

    async def conclude(self, data: list[Any]) -> None:
        """Tell what all tasks searched for, read and ranked."""
        (await researcher_of(self.context, self.settings)).conclude(data)

    async def run(self, response: str, data: list[Any] | None = None) -> Message:
        """Search the web for the task `response`; answer `data` with a record for each page that says something.

        Raises NoSearchError when no search engine answered.
        """
        research = await researcher_of(self.context, self.settings)
        queries, found = await self.research(research, response)
        research.note(found)
        found.tell(self.context, self.name)
        sources = await records(self.context, response, queries, found, self.settings)
        summed = await asyncio.gather(*(self._summarised(response, source) for source in sources))
        added = [source.model_dump(mode="json") for source in summed]
        self.db += added
        return {"agent": "planner", "task": response, "data": [*(data or []), *added]}

    def planned(self, task: str) -> list[str]:
        """Return the queries that the run's plan has for a task of this agent."""
        own = (one for one in self.context.plan.tasks if one.task == task and one.agent == self.name)
        return [query for one in own for query in one.queries]

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
