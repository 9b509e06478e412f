"""The quick searcher: searches the web for the plan's queries and reads the best pages."""

from ..search.queries import queries
from .web_agent import Web_agent


class Quick_searcher(Web_agent):
    """Searches for the plan's queries, else for those that rules make; asks no model what to search for."""

    name = "quick-searcher"
    aliases = ("searcher",)
    description = (
        "Searches the web and reads the best pages, quickly; returns the passages that bear on the task, each with its "
        "address. Give it every sub-question that the web may answer."
    )

    async def queries(self, task: str) -> list[str]:
        """Return the plan's queries for the task, or else those of the rules."""
        return self.planned(task) or queries(task)[: self.settings.max_queries] or [task]
