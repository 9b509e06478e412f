"""Runs that may reach the loopback site, and nothing else of this machine."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from loopback import WebServer
from spyglass.kernel.events import Event
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings

RunWith = Callable[..., AbstractAsyncContextManager[Run]]


@pytest.fixture
def run_with(tmp_path: Path, web_server: WebServer, events: list[Event]) -> RunWith:
    """Open a run for a crawl without pauses and without a browser, unless a test wants them."""

    @asynccontextmanager
    async def opened(journal: Journal | None = None, **changes: Any) -> AsyncIterator[Run]:
        given = {
            "data_dir": tmp_path / "data",
            "network.allow_private": [f"127.0.0.1:{web_server.port}"],
            "browser.mode": "never",
            "cache.page_hours": 0,
            "crawl.pause": 0,
            "crawl.depth": 20,
            "crawl.pages": 1000,
            "network.read_deadline": 60,
            "fetch.page_deadline": 90,
        }
        async with Run(
            "q", Settings(**{**given, **changes}), on_event=events.append, journal=journal or Journal()
        ) as run:
            yield run

    return opened
