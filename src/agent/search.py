"""The search agent: plans its own searches with the model and reads the pages found."""

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, RootModel, field_validator

from ..kernel.errors import ModelError, StoppedError
from ..kernel.notice import Notice
from ..kernel.settings import Settings
from ..kernel.tool import GIVEN, Tool, tool
from ..model.structured import structured
from ..prompts import render
from ..search.pipeline import Subtopic
from ..search.queries import normalised
from ..web import Browsing, Collected, WebResearcher, researcher_of
from .crawl import by_crawl4ai
from .web_agent import Web_agent

PREVIOUS: Final = "Previous URLs"  # the default `keyword` of `page_content`: read the collected addresses
MOST_READINGS: Final = 3  # calls of `page_content` carried out per plan


@tool
async def url_search(
    keyword: Annotated[str, "Words as one types them into a search engine."],
    *,
    browsing: Annotated[Browsing, GIVEN],
) -> None:
    """Search the web for words, and collect the addresses that are found."""
    await browsing.search(keyword)


@tool
async def page_content(
    keyword: Annotated[str, "What the links should be about, or one address that the task names."] = PREVIOUS,
    *,
    browsing: Annotated[Browsing, GIVEN],
) -> None:
    """Read the pages whose addresses were collected; once these are read, follow their links."""
    await browsing.read("" if normalised(keyword) == normalised(PREVIOUS) else keyword)


TOOLS: Final[dict[str, Tool[..., Any]]] = {"url_search": url_search, "page_content": page_content}


class ToolCall(BaseModel, extra="ignore"):
    """One step of a search plan, as a model writes it."""

    tool: Literal["url_search", "page_content"]
    keyword: str = PREVIOUS


class ToolCalls(RootModel[list[ToolCall]]):
    """A search plan, as a model writes it; calls of tools that nobody has are left out."""

    @field_validator("root", mode="before")
    @classmethod
    def _known(cls, value: Any) -> Any:
        calls = value if isinstance(value, list) else [value]
        return [call for call in calls if not isinstance(call, dict) or call.get("tool") in TOOLS]


READ_COLLECTED = ToolCall(tool="page_content")


class Search_agent(Web_agent):
    """Executes a plan of tool calls in order: `url_search` for keywords, `page_content` for the pages found.

    If the run's plan has queries for the task, the calls are made from these, unless effort is `deep`. Otherwise the
    model makes the plan, with native tool calls if its provider has them, or rules do without a model. A plan without
    `url_search` does not search. Pages that were found but not read are read at the end. The model chooses the
    keywords, and only among addresses that `Browsing` allows.
    """

    name = "search-agent"
    aliases = ("search_agent",)
    description = (
        "Searches the web thoroughly: plans its own searches, reads the pages, with a browser where a page needs one. "
        "Slower than a quick search; give it the sub-questions that are hard to answer."
    )

    @property
    def settings(self) -> Settings:
        """The settings of this agent: crawl4ai, if installed, renders pages that need a browser."""
        return by_crawl4ai(super().settings)

    async def prepare(self, question: str) -> None:  # noqa: ARG002 the plan says what to search for
        """Start reading the pages that the user named while the plan is being made."""
        (await researcher_of(self.context, self.settings)).user_pages()

    async def research(self, research: WebResearcher, task: str) -> tuple[list[str], Collected]:
        """Execute the plan for a task; return its queries and the pages collected."""
        browsing = research.browsing(task)
        for call in self._feasible(await self._plan(research, task)):
            await TOOLS[call.tool].call({"keyword": call.keyword}, browsing=browsing)
        await browsing.read_waiting()
        research.pipeline.tell(Subtopic.of(task), browsing.collected.unanswered, error=browsing.error)
        if browsing.error is not None:
            raise browsing.error
        return browsing.queries or [task], browsing.collected

    def _feasible(self, calls: list[ToolCall]) -> list[ToolCall]:
        """Return the calls without empty or repeated searches, and without any search if the web is off.

        It has at most as many searches as the settings allow, and MOST_READINGS calls of `page_content`.
        """
        remaining = {"url_search": self.settings.search.max_queries if self.settings.web is not False else 0}
        remaining["page_content"] = MOST_READINGS
        feasible, searched = list[ToolCall](), {""}
        for call in calls:
            query = normalised(call.keyword) if call.tool == "url_search" else None
            if remaining[call.tool] and query not in searched:
                feasible.append(call)
                remaining[call.tool] -= 1
                searched |= set() if query is None else {query}
        return feasible

    async def _plan(self, research: WebResearcher, task: str) -> list[ToolCall]:
        """Return the tool calls for a task: the model's, or one search per query that the pipeline makes for it."""
        planned = self.planned(task)
        uses_model = self.model is not None and (not planned or self.settings.effort == "deep")
        calls = await self._by_model(task) if uses_model else []
        if calls:
            return calls
        queries = await research.pipeline.queries(Subtopic.of(task), planned)
        return [*(ToolCall(tool="url_search", keyword=query) for query in queries), READ_COLLECTED]

    async def _by_model(self, task: str) -> list[ToolCall]:
        """Return the model's tool calls; none if the model failed, which is reported on the run."""
        assert self.model is not None
        prompt = render(
            "search",
            self.settings.models.prompts,
            task=task,
            today=self.context.today.isoformat(),
            number=str(self.settings.search.max_queries),
        )
        nothing = ToolCalls([])
        schemas = [tool.schema for tool in TOOLS.values()]
        try:
            answer = await structured(
                self.model, self.context, prompt, ToolCalls, role="planner", default=nothing, tools=schemas
            )
        except (ModelError, StoppedError) as error:
            self.context.fail(self.name, Notice("of_planning_searches", task=task), error.message)
            return []
        return answer.root
