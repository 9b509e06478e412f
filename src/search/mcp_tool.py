"""The search tool of an MCP server as a search engine, and its fetch tool for what it finds without an address."""

import asyncio
import importlib.util
import json
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, ClassVar, Final
from urllib.parse import urlsplit

from ..kernel.errors import FetchDeadlineError, FetchError, SearchBrokenError, SearchError, UnreachableError
from ..kernel.settings import Settings
from ..kernel.thread import in_thread
from ..net.session import open_tls
from .hit import hit, web_address
from .provider import LARGEST_ANSWER, Lack, SearchEngine
from .result import SearchQuery, SearchResult

if TYPE_CHECKING:
    from mcp_types import CallToolResult, Tool

    from mcp import Client as Assistant

    from ..net.client import Client
    from ..net.filter_proxy import Visit

MOST_FETCHED: Final = 5
"""Results without an address whose document is asked for one."""


class McpTool(SearchEngine):
    """The search tool of one server; what stands as the password of its address is shown as a bearer token.

    Each search is a session of its own, through the filter proxy: the tool leads nowhere but to its server. What it
    finds are pages, which are read as those of any engine are.
    """

    lacks: ClassVar[frozenset[Lack]] = frozenset({"a range of time", "strict safe search", "chosen domains"})

    @property
    def base(self) -> str:
        """The address of the server."""
        return self.settings.search.mcp[self.name]

    @property
    def usable(self) -> bool:
        """Whether the extra `mcp` is installed."""
        return importlib.util.find_spec("mcp") is not None

    async def search(self, client: "Client", query: SearchQuery) -> list[SearchResult]:
        """Ask once."""
        deadline = self.settings.search.deadline
        try:
            async with client.visit(self.settings, configured=self.base) as visit:
                try:
                    async with asyncio.timeout(deadline):
                        return await self._found(visit, query)
                except SearchError:
                    raise
                except Exception as error:  # a stranger's edge: what the SDK raises has no common ancestor
                    raise self._failed(visit, error) from error
        except FetchError as error:  # the address in search.mcp is none
            raise self.unasked(error) from error

    async def _found(self, visit: "Visit", query: SearchQuery) -> list[SearchResult]:
        async with AsyncExitStack() as stack:
            server = await self._connected(stack, visit)
            tools = (await server.list_tools()).tools
            tool = _search_tool(tools)
            if tool is None:
                raise self.broken("the server has no tool that searches")
            answer = await server.call_tool(tool.name, {_argument(tool): query.text})
            entries = self._entries(answer)
            if any(one.name == "fetch" for one in tools):
                entries = [
                    await _addressed(server, one) if at < MOST_FETCHED else one for at, one in enumerate(entries)
                ]
            found = (
                hit(self.name, rank, one.get("url"), one.get("title"), one.get("snippet") or one.get("text"))
                for rank, one in enumerate(entries, start=1)
            )
            return self.kept(found, query)

    async def _connected(self, stack: AsyncExitStack, visit: "Visit") -> "Assistant":
        import httpx2
        from mcp.client.streamable_http import streamable_http_client

        from mcp import Client as Assistant

        parts = urlsplit(self.base)
        headers = {"Authorization": f"Bearer {parts.password}"} if parts.password else {}
        tls = await in_thread(open_tls, self.settings.network.ca_file)
        http = await in_thread(
            lambda: httpx2.AsyncClient(proxy=visit.url, verify=tls, headers=headers, trust_env=False)
        )
        await stack.enter_async_context(http)
        url = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
        transport = streamable_http_client(url, http_client=http, max_sse_event_size=LARGEST_ANSWER)
        return await stack.enter_async_context(Assistant(transport))

    def _entries(self, answer: "CallToolResult") -> list[dict[str, Any]]:
        """Return the results in an answer: a list, or one named `results`. Raises SearchBrokenError."""
        if answer.is_error:
            raise self.broken("its tool failed")
        value: Any = answer.structured_content
        if value is None:
            text = "".join(getattr(part, "text", "") for part in answer.content)
            try:
                value = json.loads(text)
            except ValueError as error:
                raise self.broken("it is not JSON") from error
        if isinstance(value, dict):
            value = value.get("results", value.get("result"))
        return self.entries(value)

    def _failed(self, visit: "Visit", error: Exception) -> SearchError:
        if visit.failed is not None:
            return self.unasked(visit.failed)
        if isinstance(error, TimeoutError):
            return self.unasked(FetchDeadlineError("It took too long"))
        while isinstance(error, ExceptionGroup):
            error = error.exceptions[0]
        if isinstance(error, SearchBrokenError):
            return error
        return self.unasked(UnreachableError(f"The session failed: {type(error).__name__}"))


def tool_of(name: str, settings: Settings) -> McpTool:
    """Return the engine for the server of that name in `search.mcp`."""
    named: type[McpTool] = type(name, (McpTool,), {"name": name})
    return named(settings)


def _search_tool(tools: "list[Tool]") -> "Tool | None":
    """Return the tool that is called search, else the first whose name says so and that takes a text."""
    named = sorted((one for one in tools if "search" in one.name.lower()), key=lambda one: one.name != "search")
    return next((one for one in named if _argument(one)), None)


def _argument(tool: "Tool") -> str:
    """Return the name of the text that a tool wants to be given: `query`, or the one that it requires."""
    taken = tool.input_schema.get("properties", {})
    if "query" in taken:
        return "query"
    return next(
        (one for one in tool.input_schema.get("required", []) if taken.get(one, {}).get("type") == "string"), ""
    )


async def _addressed(server: "Assistant", entry: dict[str, Any]) -> dict[str, Any]:
    """Return an entry with the address and the text of its document, where it has an id and no address of the web."""
    if web_address(entry.get("url")) or not isinstance(entry.get("id"), str):
        return entry
    document = (await server.call_tool("fetch", {"id": entry["id"]})).structured_content
    return {**entry, **{name: document[name] for name in ("url", "text") if name in document}} if document else entry
