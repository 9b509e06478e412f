"""Runs that search the loopback server."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from loopback import SearchServer
from spyglass.kernel.events import Event
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings
from spyglass.search.chain import search
from spyglass.search.result import SearchQuery, SearchResult


@asynccontextmanager
async def run_with(
    server: SearchServer, folder: Path, *engines: str, on_event: Any = None, journal: Path | None = None, **more: Any
) -> AsyncIterator[Run]:
    """A run whose chain is these engines, asked once a query unless `more` says otherwise."""
    given = {"search.attempts": 1, "search.deadline": 60.0, "data_dir": folder, **server.settings(*engines), **more}
    async with Run("What?", Settings(**given), on_event=on_event, journal=Journal(journal)) as run:
        yield run


async def found(run: Run, text: str = "red kites", **query: Any) -> list[SearchResult]:
    return await search(run, SearchQuery(text=text, **query))


def of_kind(events: Sequence[Event], kind: type[Event]) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]
