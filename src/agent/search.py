"""The search agent: plans its own searches with the model and reads the pages that they find."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, RootModel

from ..errors import ModelError, StoppedError
from ..model.structured import structured
from ..prompts import render
from ..search.expansion import by_rules
from ..search.queries import normalised
from ..settings import Settings
from .crawl import by_crawl4ai
from .web_agent import Web_agent


class ToolCall(BaseModel):
    """One step of a search plan, as a model writes it."""

    model_config = ConfigDict(extra="ignore")

    tool: Literal["url_search", "page_content"]
    keyword: str = ""


class ToolCalls(RootModel[list[ToolCall]]):
    """A search plan, as a model writes it."""


READ = ToolCall(tool="page_content", keyword="Previous URLs")


class Search_agent(Web_agent):
    """Searches as a plan of tool calls says: `url_search` for words, then `page_content` of what was found.

    The plan comes from the run's plan when that has queries for the task, unless effort is `deep`; else from the model,
    and without one from rules. A model chooses words only, never an address.
    """

    name = "search-agent"
    aliases = ("search_agent",)
    description = (
        "Searches the web thoroughly: plans its own searches, reads the pages, with a browser where a page needs one. "
        "Slower than a quick search; give it the sub-questions that are hard to answer."
    )

    @property
    def settings(self) -> Settings:
        """The settings that this agent goes by: pages that need a browser are rendered by crawl4ai where it is."""
        return by_crawl4ai(super().settings)

    async def queries(self, task: str) -> list[str]:
        """Return the words that the tool calls search for."""
        calls = await self._plan(task)
        words = {normalised(call.keyword): call.keyword.strip() for call in calls if call.tool == "url_search"}
        return [keyword for form, keyword in words.items() if form][: self.settings.max_queries] or [task]

    async def _plan(self, task: str) -> list[ToolCall]:
        """Return the tool calls that serve a task."""
        planned = self.planned(task)
        asks = self.model is not None and (not planned or self.settings.effort == "deep")
        calls = await self._by_model(task) if asks else []
        if calls:
            return calls
        words = planned or by_rules(task)[: self.settings.max_queries]
        return [*(ToolCall(tool="url_search", keyword=one) for one in words), READ]

    async def _by_model(self, task: str) -> list[ToolCall]:
        """Return the model's tool calls; none when it failed, which the run then says."""
        assert self.model is not None
        prompt = render(
            "search",
            self.settings.prompts,
            task=task,
            today=self.context.today.isoformat(),
            number=str(self.settings.max_queries),
        )
        nothing = ToolCalls([])
        try:
            answer = await structured(self.model, self.context, prompt, ToolCalls, role="planner", default=nothing)
        except (ModelError, StoppedError) as error:
            self.context.fail(self.name, f"planning the searches for {task}; rules planned them", str(error))
            return []
        return answer.root
