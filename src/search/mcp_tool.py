"""The search tool of an MCP server as a search engine, and its fetch tool for results without an address."""

import asyncio
import importlib.util
import json
import shlex
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, ClassVar, Final
from urllib.parse import urlsplit

from ..kernel import errors
from ..kernel.notice import Notice
from ..kernel.settings import Settings
from ..kernel.thread import in_thread
from ..net.session import open_tls
from .hit import web_address
from .mcp_program import Program
from .provider import LARGEST_ANSWER, Lack, SearchEngine
from .result import SearchQuery, SearchResult

if TYPE_CHECKING:
    from mcp_types import CallToolResult, Tool

    from mcp import Client as Assistant

    from ..net import Client, Visit

MOST_FETCHED: Final = 5  # first results whose document may be fetched for a missing address


class McpTool(SearchEngine):
    """The search tool of one MCP server."""

    lacks: ClassVar[frozenset[Lack]] = frozenset({"range_of_time", "strict_safe_search", "chosen_domains"})

    @property
    def base(self) -> str:
        """The address of the server, or the command that starts it."""
        return self.settings.search.mcp[self.name]

    @property
    def usable(self) -> bool:
        """Whether the extra `mcp` is installed."""
        return importlib.util.find_spec("mcp") is not None

    async def _results(self, server: "Assistant", query: SearchQuery) -> list[SearchResult]:
        """Call the search tool, and the fetch tool for results without an address. Raises SearchBrokenError."""
        tools = (await server.list_tools()).tools
        tool = _search_tool(tools)
        if tool is None:
            raise self.broken(Notice("no_tool_that_searches"))
        entries = self._entries(await server.call_tool(tool.name, {_argument(tool): query.text}))
        if any(tool.name == "fetch" for tool in tools):
            entries = [
                await _addressed(server, entry) if position < MOST_FETCHED else entry
                for position, entry in enumerate(entries)
            ]
        hits = ({**entry, "text": entry.get("snippet") or entry.get("text")} for entry in entries)
        return self.results(query, hits, url="url", title="title", snippet="text")

    def _entries(self, answer: "CallToolResult") -> list[dict[str, Any]]:
        """Return the results in an answer: a list, or the list under `results`. Raises SearchBrokenError."""
        if answer.is_error:
            raise self.broken(Notice("its_tool_failed"))
        value: Any = answer.structured_content
        if value is None:
            text = "".join(getattr(part, "text", "") for part in answer.content)
            try:
                value = json.loads(text)
            except ValueError as error:
                raise self.broken(Notice("not_of_format", format="JSON")) from error
        if isinstance(value, dict):
            value = value.get("results", value.get("result"))
        return self.entries(value)

    def _failed(self, error: BaseException) -> errors.SearchError:
        if isinstance(error, TimeoutError):
            return self.connection_error(
                errors.FetchDeadlineError(Notice("took_too_long", seconds=self.settings.search.deadline))
            )
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if isinstance(error, errors.SearchError):
            return error
        return self.connection_error(errors.UnreachableError(Notice("session_failed", error=type(error).__name__)))


class McpServer(McpTool):
    """The search tool of an MCP server at a URL, whose password is sent as a bearer token.

    Each search has its own session, through a filter proxy that also allows the server itself.
    """

    async def search(self, client: "Client", query: SearchQuery) -> list[SearchResult]:
        """Search once."""
        deadline = self.settings.search.deadline
        try:
            async with client.visit(self.settings, configured=self.base) as visit:
                try:
                    async with asyncio.timeout(deadline), self._session(visit) as server:
                        return await self._results(server, query)
                except errors.SearchError:
                    raise
                except Exception as error:  # the SDK's exceptions have no common base
                    raise (self.connection_error(visit.failed) if visit.failed else self._failed(error)) from error
        except errors.FetchError as error:  # the address in search.mcp is invalid
            raise self.connection_error(error) from error

    @asynccontextmanager
    async def _session(self, visit: "Visit") -> "AsyncIterator[Assistant]":
        import httpx2
        from mcp.client.streamable_http import streamable_http_client

        from mcp import Client as Assistant

        parts = urlsplit(self.base)
        headers = {"Authorization": f"Bearer {parts.password}"} if parts.password else {}
        tls = await in_thread(open_tls, self.settings.network.ca_file)
        http = await in_thread(
            lambda: httpx2.AsyncClient(proxy=visit.url, verify=tls, headers=headers, trust_env=False)
        )
        url = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
        async with (
            http,
            Assistant(streamable_http_client(url, http_client=http, max_sse_event_size=LARGEST_ANSWER)) as server,
        ):
            yield server


class McpCommand(McpTool):
    """The search tool of an MCP server program, which is started at the run's first search and ends with the run.

    When a session fails or is too slow, the program is ended, and the next attempt starts it again.
    """

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        try:
            self._command = shlex.split(self.base)
        except ValueError as error:
            raise errors.SettingsError(
                f"The command of {self.name} cannot be read: {error}", where="search.mcp"
            ) from error
        self._program = Program(self._command, settings)

    @property
    def place(self) -> str:
        """The program without its arguments, which may be secret."""
        return self._command[0] if self._command else ""

    @property
    def usable(self) -> bool:
        """Whether there is a command, and the extra `mcp` is installed."""
        return bool(self._command) and super().usable

    async def search(self, client: "Client", query: SearchQuery) -> list[SearchResult]:
        """Search once."""
        try:
            async with asyncio.timeout(self.settings.search.deadline):
                return await self._results(await self._program.session(client), query)
        except errors.SearchError:
            raise
        except asyncio.CancelledError:  # it was too slow
            self._program.end()
            raise
        except (FileNotFoundError, PermissionError) as error:
            self._program.end()
            notice = Notice("engine_unstarted", engine=self.name, why=str(error.strerror))
            remedy = Notice("check_setting", setting="search.mcp")
            raise errors.SearchRequestError(notice, where=self.place, remedy=remedy) from error
        except Exception as error:  # the SDK's exceptions have no common base
            self._program.end()
            raise self._failed(error) from error

    async def close(self) -> None:
        """End the program."""
        await self._program.close()


def tool_of(name: str, settings: Settings) -> McpTool:
    """Return the engine for the server of that name in `search.mcp`. Raises SettingsError for an invalid command."""
    kind: type[McpTool] = McpServer if "://" in settings.search.mcp[name].partition(" ")[0] else McpCommand
    named: type[McpTool] = type(name, (kind,), {"name": name})
    return named(settings)


def _search_tool(tools: "list[Tool]") -> "Tool | None":
    """Return the tool named `search`, else the first with `search` in its name that takes a text."""
    candidates = sorted(
        (tool for tool in tools if "search" in tool.name.lower()), key=lambda tool: tool.name != "search"
    )
    return next((tool for tool in candidates if _argument(tool)), None)


def _argument(tool: "Tool") -> str:
    """Return the name of a tool's text parameter: `query`, or the first required text; "" without one."""
    properties = tool.input_schema.get("properties", {})
    if "query" in properties:
        return "query"
    return next(
        (name for name in tool.input_schema.get("required", []) if properties.get(name, {}).get("type") == "string"), ""
    )


async def _addressed(server: "Assistant", entry: dict[str, Any]) -> dict[str, Any]:
    """Return an entry with the address and the text of its document, if it has an id and no web address."""
    if web_address(entry.get("url")) or not isinstance(entry.get("id"), str):
        return entry
    document = (await server.call_tool("fetch", {"id": entry["id"]})).structured_content
    return {**entry, **{name: document[name] for name in ("url", "text") if name in document}} if document else entry
