"""Settings that reach the loopback web, and runs on them."""

import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from fetch.processes import left_in
from spyglass.kernel.events import Event
from spyglass.kernel.journal import Journal
from spyglass.kernel.run import Run
from spyglass.kernel.settings import Settings

RunWith = Callable[..., AbstractAsyncContextManager[Run]]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """No browser and no cache unless a test wants them."""
    return Settings(
        data_dir=tmp_path / "data",
        network__allow_private=["127.0.0.0/8"],
        browser__mode="never",
        cache__page_hours=0,
        network__read_deadline=60,
        fetch__page_deadline=90,
    )


@pytest.fixture
def folders(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where this test's browsers keep their temporary folders; nothing is left in it."""
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setenv("TMPDIR", folder)
        monkeypatch.setattr(tempfile, "tempdir", None)
        yield Path(folder)
        assert left_in(Path(folder)) == []


@pytest.fixture
def run_with(settings: Settings, events: list[Event]) -> RunWith:
    """Open a run whose settings differ in these."""

    @asynccontextmanager
    async def opened(journal: Journal | None = None, **changes: Any) -> AsyncIterator[Run]:
        changed = settings.updated(**changes)
        async with Run("q", changed, on_event=events.append, journal=journal or Journal()) as run:
            yield run

    return opened
