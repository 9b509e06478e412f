"""Indexes the documents of collections, one collection at a time, and reports the progress."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..kernel.cleanup import cancel_and_wait, run_in_background
from ..kernel.errors import SpyglassError
from ..kernel.events import Event, IngestProgress
from ..kernel.journal import Journal
from ..kernel.pool import Pool
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.thread import in_thread
from ..rag import ingest
from .collection_store import CollectionStore, collections_to_index
from .limits import limited


@dataclass
class Reading:
    """Progress of a collection; `again` means that its documents changed meanwhile, so it is read once more."""

    seconds_left: float | None = None
    again: bool = False

    def __call__(self, event: Event) -> None:
        """Update the progress from an event of the run that indexes the collection."""
        if isinstance(event, IngestProgress):
            self.seconds_left = event.seconds_left


class Indexer:
    """Indexes the marked collections while it is open; the next indexer continues with the rest."""

    def __init__(self, settings: Settings, pool: Pool) -> None:
        self._settings = settings
        self._pool = pool
        self._readings: dict[Path, Reading] = {}
        self._problems: dict[Path, str] = {}
        self._lock = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    async def begin(self) -> None:
        """Start with the collections that an earlier service left marked."""
        for owner, name in await in_thread(lambda: list(collections_to_index(self._settings))):
            await self.want(CollectionStore(self._settings, owner), name)

    async def leave(self) -> None:
        """Stop indexing."""
        await cancel_and_wait(*self._tasks)

    async def want(self, store: CollectionStore, name: str) -> None:
        """Have the new, changed and removed documents of a collection indexed. Raises HTTPException."""
        folder = await in_thread(store.documents, name)
        await in_thread(store.want, name)
        if (reading := self._readings.get(folder)) is not None:
            reading.again = True
            return
        self._readings[folder] = Reading()
        run_in_background(self._tasks, self._read(store, name, folder))

    def reading(self, folder: Path) -> Reading | None:
        """Return the progress of a folder; None if it is not being indexed."""
        return self._readings.get(folder)

    def problem(self, folder: Path) -> str:
        """Return why a folder could not be read; empty if it could."""
        return self._problems.get(folder, "")

    async def _read(self, store: CollectionStore, name: str, folder: Path) -> None:
        reading = self._readings[folder]
        try:
            async with self._lock:
                while True:
                    reading.again = False
                    self._problems.pop(folder, None)
                    await self._ingest(folder, reading)
                    if not reading.again:
                        break
            await in_thread(store.have, name)
        except (SpyglassError, OSError) as error:
            self._problems[folder] = str(error)
            with suppress(OSError):
                await in_thread(store.have, name)
        finally:
            del self._readings[folder]

    async def _ingest(self, folder: Path, reading: Reading) -> None:
        settings = (await limited(self._settings)).updated(db=[folder])
        async with Run(f"ingest {folder.name}", settings, on_event=reading, journal=Journal(), pool=self._pool) as run:
            summary = await ingest(run, folder, embed=True)
            run.conclude(has_result=summary.files > 0)
