"""The quick searcher: searches the web for the plan's queries and reads the best pages."""

from ..search.pipeline import Subtopic
from ..web import Collected, WebResearcher, researcher_of
from .web_agent import Web_agent


class Quick_searcher(Web_agent):
    """Searches for the plan's queries, or without a plan for the queries that a task is expanded into."""

    name = "quick-searcher"
    aliases = ("searcher",)
    description = (
        "Searches the web and reads the best pages, quickly; returns the passages that bear on the task, each with its "
        "address. Give it every sub-question that the web may answer."
    )

    async def prepare(self, question: str) -> None:
        """Search for the question itself while the plan is being made, so that its pages are ready with the plan."""
        (await researcher_of(self.context, self.settings)).begin(question)

    async def research(self, research: WebResearcher, task: str) -> tuple[list[str], Collected]:
        """Search for all queries concurrently and read the best pages overall; see `WebResearcher.research`."""
        queries = await research.pipeline.queries(Subtopic.of(task), self.planned(task), self.model)
        return queries, await research.research(task, queries)
