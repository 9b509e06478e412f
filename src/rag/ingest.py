"""Ingest: updates a folder's index by reading new and changed files and removing deleted ones."""

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from .. import documents
from ..documents import Converter, Document
from ..documents.opening import Beneath, opened
from ..kernel.errors import DocumentError, EmbedderError, StoppedError, UnreadableError
from ..kernel.events import FileSkipped, Ingested
from ..kernel.notice import Notice, NoticeOrText, from_column, from_record, recorded, text_of, to_column
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.source import digest
from ..kernel.thread import in_thread, require_wanted
from .chunk import VERSION, Sizes, chunks
from .embed import passage_embedder
from .fill import fill
from .index import FileReading, FileRecord, VectorIndex
from .pace import Pace
from .store import Store, store_of
from .walk import Listing, Stamp, WalkedFile, found_at, parts_of_pages, walk

GROUP_FILES = 64
GROUP_BYTES = 8_000_000
"""Limits of a group, which is read while the previous one is written: they bound memory and the work lost by a kill."""

PAUSE = 1.0  # seconds before a background fill calls the provider, so that the run's searches come first
_OWN_LINES = frozenset({"text"})
"""The kinds of files whose text keeps the lines of the file; line numbers in converted text are meaningless."""


Elsewhere = Callable[[Store, list[WalkedFile]], Awaitable[None]]
"""A reader of files into a store, outside this process."""


@dataclass(frozen=True, slots=True)
class IngestSummary:
    """The result of an ingest.

    `paths` are all files found, relative to the absolute folder `base`. The counts are `files` with text, `chunks` of
    them, `unchanged` files (already indexed), `unread` files (for lack of time), chunks `embedded` now, and chunks
    `pending` without a vector. `skipped` lists files without text as (path, reason). `busy`: another process had locked
    the index, which was only read. `made_anew`: the former index was damaged or of another version.
    """

    folder: str
    base: str
    paths: list[str]
    files: int
    chunks: int
    skipped: list[tuple[str, NoticeOrText]]
    unchanged: int
    unread: int = 0
    busy: bool = False
    embedded: int = 0
    pending: int = 0
    made_anew: bool = False

    @property
    def missed(self) -> list[tuple[str, NoticeOrText]]:
        """The skipped files that may contain an answer, without those that are only parts of web pages."""
        parts = parts_of_pages([*self.paths, *(path for path, _ in self.skipped)])
        return [(path, reason) for path, reason in self.skipped if path not in parts]


async def ingest(
    run: Run,
    folder: Path,
    *,
    embed: bool,
    seconds: float | None = None,
    settings: Settings | None = None,
    elsewhere: Elsewhere | None = None,
) -> IngestSummary:
    """Update the index of a folder, or of a single file, and return what was done.

    With `embed`, every skipped file is reported, and the call waits for all vectors; without it, only `missed` files
    are reported, and a provider's vectors are made in the background until the run ends. Reading stops after `seconds`;
    the next ingest reads the rest. `elsewhere`, if given, reads the new and changed files. A notice reports a failing
    embedder or an index that another process has locked. `settings` default to the run's. Raises FolderError and
    RetrievalError.
    """
    settings = settings or run.settings
    ingestion = _Ingestion(run, settings, folder, elsewhere)
    request = {"folder": str(folder), **_settings_that_count(settings)}
    record = await run.effect("ingest", request, lambda: ingestion.read(seconds, beside=not embed))
    skipped = [(path, from_record(reason)) for path, reason in record["skipped"]]
    summary = IngestSummary(**{**record, "skipped": skipped})
    skipped = summary.skipped if embed else summary.missed
    for path, reason in skipped:
        run.emit(FileSkipped(path, text_of(reason)))
    run.emit(Ingested(str(folder), summary.files, summary.chunks, len(skipped), summary.unchanged))
    if summary.made_anew:
        run.notice(Notice("index_made_anew", folder=str(folder)))
    if summary.busy:
        run.notice(Notice("folder_busy", folder=str(folder)))
    elif settings.retrieval.dense and (embed or passage_embedder(settings).immediate):
        try:
            embedded = await run.effect("fill", request, ingestion.embed)
        except (EmbedderError, StoppedError) as error:  # the texts can still be searched by words
            run.notice(Notice("folder_without_vectors", folder=str(folder), why=error.message))
        else:
            return replace(summary, embedded=embedded, pending=0)
    return summary


def _settings_that_count(settings: Settings) -> dict[str, Any]:
    """Return the settings that determine a file's text and chunks."""
    return {
        "chunks": [settings.retrieval.chunk_target, settings.retrieval.chunk_max, settings.retrieval.chunk_overlap],
        "limits": [settings.documents.max_megabytes, settings.documents.deadline, settings.documents.memory_megabytes],
    }


class Keys:
    """Digests of what determines a reading besides the file: converter, chunker and, if partial, the limits."""

    def __init__(self, settings: Settings) -> None:
        counting = _settings_that_count(settings)
        self.text = digest(documents.version(), VERSION, json.dumps(counting["chunks"]))
        self.refusal = digest(self.text, json.dumps(counting["limits"], sort_keys=True))

    def fits(self, record: FileRecord) -> bool:
        """Return whether a new reading would give the same result."""
        return record.key == self.of(is_whole=record.reason is None and not record.notes)

    def of(self, *, is_whole: bool) -> str:
        """Return the key of a complete or partial reading: with other limits, a partial one may contain more."""
        return self.text if is_whole else self.refusal


@dataclass(frozen=True, slots=True)
class _Ingestion:
    """The ingest of one folder."""

    run: Run
    settings: Settings
    folder: Path
    elsewhere: Elsewhere | None

    async def read(self, seconds: float | None, *, beside: bool) -> dict[str, Any]:
        """Update the texts of the index, one run at a time; return the summary as a record."""
        store = await store_of(self.run, self.settings, self.folder)
        async with store.reading:
            return await self._read(store, seconds, beside=beside)

    async def _read(self, store: Store, seconds: float | None, *, beside: bool) -> dict[str, Any]:
        listing = await in_thread(walk, self.folder)
        unchanged = unread = pending = 0
        if store.vectors is not None:
            keys = await in_thread(Keys, self.settings)
            changed = await in_thread(_changed, listing, store, keys)
            unchanged = len(listing.files) - len(changed)
            if self.elsewhere is not None:
                await self.elsewhere(store, changed)
            else:
                reader = FileReader(self.run, self.settings, store, listing.base, keys)
                unread = await reader.read(changed, seconds)
            pending = await self._pending(store, store.vectors, beside=beside) if self.settings.retrieval.dense else 0
        record = await in_thread(_record, self.folder, listing, store)
        made_anew, store.made_anew = store.made_anew, False
        return {**record, "unchanged": unchanged, "unread": unread, "pending": pending, "made_anew": made_anew}

    async def _pending(self, store: Store, vectors: VectorIndex, *, beside: bool) -> int:
        """Return how many chunks have no vector; with `beside`, start making them in the background of the run."""
        try:
            embedder = passage_embedder(self.settings)
            pending = await in_thread(vectors.missing, embedder.id)
        except EmbedderError:  # a search reports it
            return (await in_thread(store.texts.counts))[1]
        if pending and beside and not embedder.immediate:
            await store.begin_beside(self.run, lambda: fill(self.run, store, embedder, pause=PAUSE))
        return pending

    async def embed(self) -> int:
        """Embed the chunks without a vector; return their number."""
        store = await store_of(self.run, self.settings, self.folder)
        return await fill(self.run, store, passage_embedder(self.settings))


def _record(folder: Path, listing: Listing, store: Store) -> dict[str, Any]:
    files, chunk_count = store.texts.counts()
    skipped: list[tuple[str, NoticeOrText]] = list(listing.skipped)
    for path, known in sorted(store.texts.file_records().items()):
        skipped += [(path, known.reason)] if known.reason is not None else []
        skipped += [(path, from_column(note)) for note in known.notes]
    return {
        "folder": str(folder),
        "base": str(listing.base),
        "paths": [file.path for file in listing.files],
        "files": files,
        "chunks": chunk_count,
        "skipped": [[path, recorded(reason)] for path, reason in skipped],
        "busy": store.vectors is None,
    }


def _changed(listing: Listing, store: Store, keys: Keys) -> list[WalkedFile]:
    """Return the new and changed files, by stamp, then by content; update stamps and delete files that are gone."""
    known = store.texts.file_records()
    changed: list[WalkedFile] = []
    restamped: list[tuple[str, Stamp]] = []
    for file in listing.files:
        require_wanted()
        previous = known.pop(file.path, None)
        if previous is None or not keys.fits(previous):
            changed.append(file)
        elif previous.stamp != file.stamp:
            is_same_size = previous.stamp[0] == file.stamp[0]
            if previous.sha256 and is_same_size and _sha256(listing.base, file) == previous.sha256:
                restamped.append((file.path, file.stamp))
            else:
                changed.append(file)
    if restamped:
        store.texts.restamp(restamped)
    if known:
        store.texts.remove(known)
    return changed


def _sha256(base: Path, walked: WalkedFile) -> str:
    """Return the SHA-256 of a file; "" when it cannot be read."""
    try:
        with opened(base / walked.path, Beneath(base, walked.identity)) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, UnreadableError):
        return ""


class FileReader:
    """A reader of files into a store: a group is written while the next is read."""

    def __init__(self, run: Run, settings: Settings, store: Store, base: Path, keys: Keys) -> None:
        self._run, self._settings, self._store, self._base, self._keys = run, settings, store, base, keys
        self._sizes = Sizes(
            min(settings.retrieval.chunk_target, settings.retrieval.chunk_max),
            settings.retrieval.chunk_max,
            settings.retrieval.chunk_overlap,
        )

    async def read(self, files: list[WalkedFile], seconds: float | None) -> int:
        """Read files for at most `seconds`; return how many are left."""
        done = 0
        if not files:
            return 0
        pace = Pace(self._run, files)
        async with Converter(self._settings) as converter:
            writing: asyncio.Task[None] | None = None
            try:
                async with asyncio.timeout(seconds):
                    for group in _groups(files):
                        readings = await asyncio.gather(*(self._reading(converter, file, pace) for file in group))
                        if writing is not None:
                            await writing
                        writing = asyncio.create_task(in_thread(self._store.texts.keep, readings))
                        done += len(group)
                        pace.tell()
            except TimeoutError:
                pass  # written groups are kept; the others count as unread
            finally:
                if writing is not None:
                    await writing
        return len(files) - done

    async def _reading(self, converter: Converter, file: WalkedFile, pace: Pace) -> FileReading:
        try:
            return await self._read(converter, file, pace)
        finally:
            pace.read(file)

    async def _read(self, converter: Converter, file: WalkedFile, pace: Pace) -> FileReading:
        beneath = Beneath(self._base, file.identity)
        try:
            document = await converter.convert(self._base / file.path, beneath=beneath, tell=partial(pace.at, file))
        except DocumentError as error:
            return FileReading(file.path, file.stamp, "", self._keys.of(is_whole=False), reason=error.message)
        return await in_thread(self._chunked, file, document)

    def _chunked(self, file: WalkedFile, document: Document) -> FileReading:
        sha256 = _sha256(self._base, file)
        # a file that changed while it was read is read again by the next ingest
        settled = sha256 and found_at(self._base, file.path) == file
        pieces = chunks(document.text, document.pages, self._sizes, lines=document.kind in _OWN_LINES)
        return FileReading(
            file.path,
            file.stamp if settled else (file.stamp[0], 0, 0),
            sha256 if settled else "",
            self._keys.of(is_whole=not document.skipped),
            document.title,
            document.kind,
            document.text,
            tuple(pieces),
            notes=tuple(map(to_column, document.skipped)),
            ocr=document.ocr,
        )


def _groups(files: list[WalkedFile]) -> Iterator[list[WalkedFile]]:
    """Yield files in groups limited by GROUP_FILES and GROUP_BYTES."""
    group: list[WalkedFile] = []
    size = 0
    for file in files:
        if group and (len(group) == GROUP_FILES or size + file.stamp[0] > GROUP_BYTES):
            yield group
            group, size = [], 0
        group.append(file)
        size += file.stamp[0]
    if group:
        yield group
