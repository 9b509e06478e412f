"""Ingest on a Ray cluster: its workers read the documents, in a Ray Data pipeline."""

import logging
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import ray.data
from ray.data.exceptions import ExecutionTimeoutError
from ray.exceptions import RayError, RayTaskError

from ..kernel.errors import RunError, SpyglassError
from ..kernel.events import IngestProgress
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.thread import in_daemon, in_thread
from ..rag import IngestSummary, WalkedFile, ingest
from ..rag.shared_texts import SharedTexts
from ..rag.store import Store
from .connection import joined
from .ingest_rows import IngestRows
from .reading import MOST_TRIES, Batch, Reader

MOST_FILES: Final = 16
MOST_BYTES: Final = 4_000_000
"""Limits of a batch, which a worker processes at once and holds in memory; a larger document is a batch by itself.

There are at most as many batches in progress as processors. The pipeline has only their paths: a worker writes texts
and vectors directly to the database.
"""

AT_ONCE: Final = 32
"""Batches per processor in one pipeline: Ray Data keeps a record of each, and takes 3 ms to start it."""


async def ingest_on_cluster(run: Run, folder: Path, settings: Settings, address: str) -> IngestSummary:
    """Update the index of a folder in the database with the workers of the Ray cluster at an address.

    If a batch fails or its worker dies, its documents are retried one by one; one that keeps failing is set aside with
    the reason. Raises UsageError without a cluster, RunError if the cluster is lost or a worker failed, FolderError,
    RetrievalError and DatabaseError.
    """
    await in_thread(joined, address)
    return await ingest(run, folder, embed=True, settings=settings, elsewhere=partial(_read, run, settings))


async def _read(run: Run, settings: Settings, store: Store, files: list[WalkedFile]) -> None:
    """Have the workers read documents; return once each is in the index or set aside."""
    if not files:
        return  # keeps the rows of the earlier ingest
    texts = store.texts
    assert isinstance(texts, SharedTexts)
    rows = await in_thread(IngestRows.of, texts.database, texts.key, files)
    batches = _pipeline(Reader(store.root, settings, rows.number), files)
    weights = {file.path: file.stamp[0] + 1.0 for file in files}
    total, began, done, read = sum(weights.values()), run.seconds, 0, 0.0
    while batch := await in_daemon(lambda: next(batches, None), "spyglass-ingest"):
        done += len(batch["paths"])
        read += sum(weights[path] for path in batch["paths"])
        run.emit(IngestProgress("convert", done, len(files), (run.seconds - began) / read * (total - read)))
    await in_thread(rows.end)


def _pipeline(reader: Reader, files: list[WalkedFile]) -> Iterator[Batch]:
    """Yield batches of documents as the pipeline finishes them. Blocks."""
    logging.getLogger("ray.data").setLevel(logging.CRITICAL)  # we report failures and progress ourselves
    os.environ.setdefault("RAY_DATA_USAGE_DISABLED", "1")  # without usage reports, the cluster needs one process less
    batches = list(_batches(files))
    resources: Callable[[], dict[str, float]] = ray.cluster_resources
    size = AT_ONCE * max(1, int(resources().get("CPU", 0)))
    try:
        for group in (batches[first : first + size] for first in range(0, len(batches), size)):
            paths: list[Any] = [{"paths": [file.path for file in batch]} for batch in group]
            pipeline: ray.data.Dataset = ray.data.from_items(paths, override_num_blocks=len(paths))
            context = pipeline.context  # this pipeline's own
            context.enable_progress_bars, context.raise_original_map_exception = False, True
            longest = MOST_FILES * (1 + MOST_TRIES) * reader.settings.documents.deadline
            context.execution_no_progress_timeout_s += longest
            pipeline = pipeline.map(reader.convert, num_cpus=1)
            if reader.settings.retrieval.dense:
                pipeline = pipeline.map(reader.embed, num_cpus=1)
            yield from pipeline.iter_rows()
    except RayTaskError as error:
        if isinstance(error.cause, SpyglassError):
            raise error.cause from None
        raise RunError(f"A worker failed: {error.cause}") from error
    except (RayError, ExecutionTimeoutError) as error:
        raise RunError(f"The cluster cannot be reached any more: {error}") from error


def _batches(files: list[WalkedFile]) -> Iterator[list[WalkedFile]]:
    batch: list[WalkedFile] = []
    size = 0
    for file in files:
        size += file.stamp[0]
        if batch and (len(batch) == MOST_FILES or size > MOST_BYTES):
            yield batch
            batch, size = [], file.stamp[0]
        batch.append(file)
    if batch:
        yield batch
