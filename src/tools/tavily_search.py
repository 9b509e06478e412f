"""`tavily_search`: one search with Tavily, whose result has a form suited to a model's tool calls."""

import asyncio
import functools
from collections.abc import Coroutine
from typing import Annotated, Any, NotRequired, ParamSpec, TypedDict, TypeVar, cast

from pydantic import Field

from ..kernel.errors import SearchError, SearchPausedError
from ..kernel.journal import Journal
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.tool import GIVEN, Tool, tool
from ..search import SearchQuery
from ..search.chain import ask
from ..search.tavily import Tavily

P = ParamSpec("P")
T = TypeVar("T")

UNAVAILABLE = "Search temporarily unavailable"  # the error of a call that the circuit breaker blocked


class TavilyResult(TypedDict):
    """One hit; `score` is from 0 to 1."""

    title: str
    url: str
    content: str
    score: float


class TavilyAnswer(TypedDict):
    """Results, or none and an `error`; `circuit_breaker` is true if Tavily was not called."""

    results: list[TavilyResult]
    query: NotRequired[str]
    error: NotRequired[str]
    circuit_breaker: NotRequired[bool]


def anywhere(decorated: Tool[P, Coroutine[Any, Any, T]]) -> Tool[P, Any]:
    """Make a tool callable from synchronous code too: without a running event loop, the call blocks until done."""

    @functools.wraps(decorated)
    def call(*args: P.args, **kwargs: P.kwargs) -> Any:
        pending = decorated(*args, **kwargs)
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(pending)
        return pending

    return cast("Tool[P, Any]", call)


@anywhere
@tool
async def tavily_search(  # noqa: D417 a model does not pass `run` and `settings`
    query: str,
    max_results: Annotated[int, Field(ge=1, le=20)] = 5,
    *,
    run: Annotated[Run | None, GIVEN] = None,
    settings: Annotated[Settings | None, GIVEN] = None,
) -> TavilyAnswer:
    """Search the web with Tavily and return the best hits, each with title, address, a piece of its text and a score.

    Args:
        query: What to search for.
        max_results: How many hits to return, at most 20.

    A failure is told in the answer. After three failures in a row Tavily is left alone for a minute, and every call
    answers at once that search is temporarily unavailable. Where an event loop runs, the answer is to be awaited.
    """
    if run is None:
        async with Run(query, settings or Settings.load(), journal=Journal()) as search_run:
            return await _search(search_run, search_run.settings, query, max_results)
    return await _search(run, settings or run.settings, query, max_results)


async def _search(run: Run, settings: Settings, query: str, max_results: int) -> TavilyAnswer:
    search_query = SearchQuery.of(query, settings).model_copy(update={"max_results": max_results})
    try:
        hits = await ask(run, Tavily(settings), search_query)
    except SearchPausedError:
        return {"results": [], "error": UNAVAILABLE, "circuit_breaker": True}
    except SearchError as error:
        return {"results": [], "error": str(error), "circuit_breaker": False}
    results: list[TavilyResult] = [
        {"title": hit.title, "url": hit.url, "content": hit.snippet, "score": hit.score} for hit in hits
    ]
    return {"results": results, "query": query}
