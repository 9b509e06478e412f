"""The base class of the agents that research the web."""

import asyncio
from abc import abstractmethod
from typing import Any

from ..kernel.argument import validated
from ..kernel.message import Message
from ..kernel.source import Source
from ..web import Collected, WebResearcher, records, researcher_of
from .research_agent import ResearchAgent


@validated
class Web_agent(ResearchAgent):
    """An agent that answers a task with the pages that contain its best passages, one record per page.

    The tasks of a run share their pages and search results.
    """

    searches = "web"

    @abstractmethod
    async def research(self, research: WebResearcher, task: str) -> tuple[list[str], Collected]:
        """Search for a task; return the queries and the results. Queries without an answer are reported on the run.

        Raises NoSearchError if no search engine answered, BudgetError if that is due to a limit of the run.
        """

    async def conclude(self, data: list[Any]) -> None:
        """Report what all tasks searched for, read and ranked."""
        (await researcher_of(self.context, self.settings)).conclude(data)

    async def run(self, response: str, data: list[Any] | None = None) -> Message:
        """Search the web for the task `response`; return `data` plus a record for each page with relevant passages.

        Raises NoSearchError if no search engine answered.
        """
        research = await researcher_of(self.context, self.settings)
        queries, collected = await self.research(research, response)
        research.note(collected)
        collected.tell(self.context, self.name)
        sources = await records(self.context, response, queries, collected, self.settings)
        summarised = await asyncio.gather(*(self._summarised(response, source) for source in sources))
        return self.answer(response, data, summarised)

    async def _summarised(self, task: str, source: Source) -> Source:
        text = await self.summary_of(task, source.title, source.passages)
        return source.model_copy(update={"summary": text})
