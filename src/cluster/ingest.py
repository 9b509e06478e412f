"""An ingest whose documents the workers of a Ray cluster read."""

import asyncio
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import ray
from ray.exceptions import OutOfMemoryError, RayError, RayTaskError, WorkerCrashedError

from .. import __version__
from ..kernel.errors import DatabaseError, RunError
from ..kernel.events import IngestProgress
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.thread import in_thread
from ..rag.index import FileReading
from ..rag.ingest import IngestSummary, Keys, ingest
from ..rag.shared_texts import SharedTexts
from ..rag.store import Store
from ..rag.walk import WalkedFile
from .connection import joined
from .ingest_rows import IngestRows
from .reading import read

MOST_FILES: Final = 16
MOST_BYTES: Final = 4_000_000
"""Of the documents that a worker is given at once; a larger one is given alone. It holds no more of them in memory."""

AHEAD: Final = 2
"""Times as many tasks are handed out as there are processors: none waits, and no more than these is under way.

No more back-pressure is needed: texts and vectors go from the worker that makes them to the database, through no other
process. Ray Data would give as much, with pyarrow and pandas: 254 MB more, 217 MB for the process that begins an ingest
where it has 97, and 8.2 s for a first 50 small documents where tasks take .4.
"""

MOST_TRIES: Final = 3
"""Times that workers fail at a document by itself, or at others with it, before it is set aside."""

MOST_LOST: Final = 20
"""Tasks that may be lost with their nodes, one after the other, before the cluster is taken for gone."""

PAUSE: Final = 1.0
"""Seconds before what was lost with its node is handed out again."""


async def ingest_on_cluster(run: Run, folder: Path, settings: Settings, address: str) -> IngestSummary:
    """Bring the index of a folder in the database up to date by the workers of the Ray cluster at an address.

    Workers are given a few documents at a time, and no more than they have room for. What fails is tried again, each
    document by itself; one at which workers keep failing is set aside with the reason. Raises UsageError without a
    cluster, RunError when it is gone for good, FolderError, RetrievalError and DatabaseError.
    """
    await in_thread(joined, address)
    return await ingest(run, folder, embed=True, settings=settings, elsewhere=_Reading(run, settings).read)


class _Reading:
    """The reading of one folder's documents by workers."""

    def __init__(self, run: Run, settings: Settings) -> None:
        self._run, self._settings = run, settings
        self._task: Any = ray.remote(num_cpus=1, max_retries=0, scheduling_strategy="SPREAD")(read)
        self._lost = 0

    async def read(self, store: Store, files: list[WalkedFile]) -> None:
        """Have documents read; returns when each is in the index, or is set aside."""
        if not files:
            return  # what is told of the ingest before stays
        texts = store.texts
        assert isinstance(texts, SharedTexts)
        rows = await in_thread(IngestRows, texts.database, texts.key, files)
        waiting, reading = deque(_batches(files)), set[asyncio.Task[list[list[WalkedFile]]]]()
        whole, began, left = sum(map(_weight, files)), self._run.seconds, {file.path: file for file in files}
        try:
            while waiting or reading:
                while waiting and len(reading) < await in_thread(_room):
                    reading.add(asyncio.create_task(self._batch(store, rows, waiting.popleft(), left)))
                done, reading = await asyncio.wait(reading, return_when=asyncio.FIRST_COMPLETED)
                for one in done:
                    waiting.extend(one.result())
                through = whole - sum(map(_weight, left.values()))
                seconds = (self._run.seconds - began) / through * (whole - through) if through else None
                self._run.emit(IngestProgress("convert", len(files) - len(left), len(files), seconds))
        finally:
            for one in reading:
                one.cancel()
        await in_thread(rows.end)

    async def _batch(
        self, store: Store, rows: IngestRows, files: list[WalkedFile], left: dict[str, WalkedFile]
    ) -> list[list[WalkedFile]]:
        """Have a worker read documents, and take them from what is left; return those to be tried again, in batches."""
        paths = [file.path for file in files]
        await in_thread(rows.begun, paths)
        try:
            await self._task.remote(store.root, paths, self._settings, __version__)
        except RayTaskError as error:
            if isinstance(error.cause, RunError) and not isinstance(error.cause, DatabaseError):
                raise error.cause from None
            why = f"its worker failed: {error.cause}"
        except (WorkerCrashedError, OutOfMemoryError) as error:
            why = f"it ended its worker's process: {type(error).__name__}"
        except RayError as error:  # its node died
            self._lost += 1
            if self._lost > MOST_LOST:
                raise RunError(f"The cluster lost {self._lost} tasks, one after the other: {error}") from error
            await in_thread(rows.lost, paths)
            await asyncio.sleep(PAUSE)
            return [files]
        else:
            self._lost = 0
            await in_thread(rows.done, paths)
            for path in paths:
                left.pop(path, None)
            return []
        if await in_thread(rows.failed, paths) < MOST_TRIES or len(files) > 1:
            return [[file] for file in files]
        [file] = files
        key = (await in_thread(Keys, self._settings)).of(is_whole=False)
        reason = f"Set aside: {why}"
        await in_thread(store.texts.keep, [FileReading(file.path, file.stamp, "", key, reason=reason)])
        await in_thread(rows.set_aside, file.path, reason)
        left.pop(file.path, None)
        return []


def _room() -> int:
    """Return how many tasks may be under way."""
    resources: Callable[[], dict[str, float]] = ray.cluster_resources
    return max(1, int(resources().get("CPU", 0) * AHEAD))


def _batches(files: list[WalkedFile]) -> list[list[WalkedFile]]:
    batches: list[list[WalkedFile]] = []
    size = 0
    for file in files:
        size += file.stamp[0]
        if not batches or len(batches[-1]) == MOST_FILES or size > MOST_BYTES:
            batches.append([])
            size = file.stamp[0]
        batches[-1].append(file)
    return batches


def _weight(file: WalkedFile) -> float:
    return file.stamp[0] + 1.0
