"""Settings that reach the loopback web, and runs on them."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from spyglass.events import Event
from spyglass.journal import Journal
from spyglass.run import Run
from spyglass.settings import Settings

RunWith = Callable[..., AbstractAsyncContextManager[Run]]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """No browser and no cache unless a test wants them."""
    return Settings(
        data_dir=tmp_path / "data",
        allow_private=["127.0.0.0/8"],
        browser="never",
        page_cache_hours=0,
        read_deadline=60,
        page_deadline=90,
    )


@pytest.fixture
def run_with(settings: Settings, events: list[Event]) -> RunWith:
    """Open a run whose settings differ in these."""

    @asynccontextmanager
    async def opened(journal: Journal | None = None, **changes: Any) -> AsyncIterator[Run]:
        changed = settings.model_copy(update=changes)
        async with Run("q", changed, on_event=events.append, journal=journal or Journal()) as run:
            yield run

    return opened
