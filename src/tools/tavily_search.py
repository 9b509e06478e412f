"""`tavily_search`: one question to Tavily, in the shape that a model's tool calling gets."""

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

UNAVAILABLE = "Search temporarily unavailable"  # the error of a call that the circuit breaker let nothing through for


class TavilyResult(TypedDict):
    """One hit; `score` goes from 0 to 1."""

    title: str
    url: str
    content: str
    score: float


class TavilyAnswer(TypedDict):
    """Results, or none and an `error`; `circuit_breaker` says whether Tavily was not even asked."""

    results: list[TavilyResult]
    query: NotRequired[str]
    error: NotRequired[str]
    circuit_breaker: NotRequired[bool]


def anywhere(decorated: Tool[P, Coroutine[Any, Any, T]]) -> Tool[P, Any]:
    """Let a tool be called from plain synchronous code too: where no event loop runs, it runs to its end."""

    @functools.wraps(decorated)
    def called(*args: P.args, **kwargs: P.kwargs) -> Any:
        asked = decorated(*args, **kwargs)
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(asked)
        return asked

    return cast("Tool[P, Any]", called)


@anywhere
@tool
async def tavily_search(  # noqa: D417 what the caller's code gives is none of a model's business
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
        async with Run(query, settings or Settings.load(), journal=Journal()) as own:
            return await _searched(own, own.settings, query, max_results)
    return await _searched(run, settings or run.settings, query, max_results)


async def _searched(run: Run, settings: Settings, query: str, max_results: int) -> TavilyAnswer:
    asked = SearchQuery.of(query, settings).model_copy(update={"max_results": max_results})
    try:
        found = await ask(run, Tavily(settings), asked)
    except SearchPausedError:
        return {"results": [], "error": UNAVAILABLE, "circuit_breaker": True}
    except SearchError as error:
        return {"results": [], "error": str(error), "circuit_breaker": False}
    results: list[TavilyResult] = [
        {"title": one.title, "url": one.url, "content": one.snippet, "score": one.score} for one in found
    ]
    return {"results": results, "query": query}
