"""The converter of files to text: small plain texts are converted in a thread, all others in worker processes."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import cache
from importlib import metadata
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Final, Self, TypeVar

from ..kernel.errors import DocumentError, NoTextError, SettingsError, TooLargeError, UnreadableError
from ..kernel.notice import Notice, mapped
from ..kernel.one_line import one_line
from . import ocr, reader
from .document import Document
from .file_kind import CAPS, HEAD, kind_of, refuse
from .html import EXTRACTOR
from .opening import Beneath, opened
from .pdf import Tell, silent
from .worker import Worker

if TYPE_CHECKING:
    from ..kernel.run import Run
    from ..kernel.settings import Settings

RULES: Final = 25  # increment this with every change in this folder that changes the text of any file
SMALL: Final = 1_000_000
"""Largest plain text, in bytes, that is decoded in this process; a larger one would delay the event loop."""

READERS: Final = 4  # files that are read from disk concurrently
MOST_WORKERS: Final = 8
"""Maximum number of worker processes, on any number of cores; each may use the memory that the settings allow."""

Value = TypeVar("Value")

_READ_BY: Final = {
    "pdf": "pypdfium2",
    "xlsx": "openpyxl",
    "xls": "xlrd",
    "restructured": "docutils",
    **dict.fromkeys(("text", "json", "texinfo", "info", "manpage"), "charset-normalizer"),
}
_LIBRARIES: Final = tuple(dict.fromkeys(("markitdown", *_READ_BY.values())))


@cache
def version() -> str:
    """Return a string that identifies the conversion: equal versions turn equal bytes into equal text."""
    return " ".join(
        [f"rules-{RULES}", EXTRACTOR, *(f"{name}-{metadata.version(name)}" for name in _LIBRARIES), ocr.version()]
    )


@cache
def extractor(kind: str) -> str:
    """Return the name and version of the library that reads a kind of file, for citations of its text."""
    if kind == "html":
        return EXTRACTOR
    if kind == "picture":
        return ocr.extractor()
    if kind == "scan":
        return f"{extractor('pdf')}, {ocr.extractor()}"
    name = _READ_BY.get(kind, "markitdown")
    return f"{name} {metadata.version(name)}"


class Converter:
    """A converter of files to documents. Use it as `async with Converter(settings) as converter:`.

    Files may be converted concurrently; there is at most one worker process per core, for which files wait. A process
    is started when all others are busy, and ended with the converter. Raises SettingsError if
    `documents.max_megabytes` names an unknown kind.
    """

    def __init__(self, settings: "Settings") -> None:
        unknown = sorted(set(settings.documents.max_megabytes) - set(CAPS))
        if unknown:
            raise SettingsError(
                f'Unknown kind of file "{unknown[0]}"',
                where="documents.max_megabytes",
                remedy=f"Supported kinds: {', '.join(CAPS)}.",
            )
        self._caps = {**CAPS, **settings.documents.max_megabytes}
        self._deadline = settings.documents.deadline
        self._readers = asyncio.Semaphore(READERS)
        self._workers = [
            Worker(settings.documents.memory_megabytes, settings.documents.deadline)
            for _ in range(min(os.cpu_count() or 1, MOST_WORKERS))
        ]
        self._idle: asyncio.LifoQueue[Worker] = asyncio.LifoQueue()
        for worker in self._workers:
            self._idle.put_nowait(worker)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exception: object) -> None:
        for worker in self._workers:
            await worker.close()

    async def convert(
        self, path: Path, *, linked: bool = False, beneath: Beneath | None = None, tell: Tell = silent
    ) -> Document:
        """Return the text of the file at `path`; with `linked`, HTML keeps its links and all of its content.

        While a PDF is read, `tell` is called with the number of pages read so far and the total number of pages. Opens
        only regular files, and only where `beneath` allows. Raises DocumentError, which names the file, the reason and
        the remedy.
        """
        try:
            async with self._readers, asyncio.timeout(self._deadline):
                loaded = await asyncio.to_thread(_read, path, beneath, self._caps)
            if linked and not isinstance(loaded, Document) and loaded[0] == "html":
                loaded = reader.LINKED, loaded[1]
            return await self._convert(loaded, path.name, tell)
        except TimeoutError as error:
            late = Notice("file_late", seconds=self._deadline)
            raise UnreadableError(late, where=str(path), remedy=Notice("is_its_disk_there")) from error
        except DocumentError as error:
            error.where = str(path)
            raise

    async def convert_bytes(self, name: str, data: bytes) -> Document:
        """Return the text of a file in memory; its name decides the kind if its bytes do not. Raises DocumentError."""
        return await self._convert(await asyncio.to_thread(_take, PurePath(name), data, self._caps), name)

    async def pages(self, path: Path) -> int:
        """Return the number of pages of a PDF, 0 for other files and unreadable ones."""
        try:
            loaded = await asyncio.to_thread(_read, path, None, self._caps)
            if isinstance(loaded, Document) or loaded[0] != "pdf":
                return 0
            return await self._with_worker(lambda worker: worker.count(loaded[1]))
        except DocumentError:
            return 0

    async def _convert(self, loaded: "_Loaded", name: str, tell: Tell = silent) -> Document:
        if isinstance(loaded, Document):
            return _titled(loaded)
        return _titled(await self._with_worker(lambda worker: worker.convert(loaded[0], name, loaded[1], tell)))

    async def _with_worker(self, work: Callable[[Worker], Awaitable[Value]]) -> Value:
        """Wait for an idle worker, and return the result of `work`."""
        worker = await self._idle.get()
        try:
            return await work(worker)
        finally:
            self._idle.put_nowait(worker)


async def converter_of(run: "Run", settings: "Settings") -> Converter:
    """Return the converter that all runs with the same limits share. Raises SettingsError as Converter does."""
    caps = tuple(sorted(settings.documents.max_megabytes.items()))
    key = ("converter", caps, settings.documents.deadline, settings.documents.memory_megabytes)
    return await run.shared(key, lambda: Converter(settings))


_Loaded = Document | tuple[str, bytes]
"""The document of a small text, or the kind and the bytes of a file that a worker must convert."""


def _read(path: Path, beneath: Beneath | None, caps: dict[str, float]) -> _Loaded:
    try:
        with opened(path, beneath) as file:
            head = file.read(HEAD)
            kind = _checked_kind(path, head, os.fstat(file.fileno()).st_size, caps)
            data = head + file.read(int(caps[kind] * 1_000_000))
    except OSError as error:
        forbidden = Notice("file_unreadable", why=str(error.strerror))
        raise UnreadableError(forbidden, remedy=Notice("check_who_may_read_it")) from error
    return _begin(kind, path, data)


def _titled(document: Document) -> Document:
    """Return a document with its title and the names of skipped parts as single lines of plain text."""
    return replace(
        document, title=one_line(document.title), skipped=tuple(mapped(notice, one_line) for notice in document.skipped)
    )


def _take(name: PurePath, data: bytes, caps: dict[str, float]) -> _Loaded:
    return _begin(_checked_kind(name, data[:HEAD], len(data), caps), name, data)


def _begin(kind: str, name: PurePath, data: bytes) -> _Loaded:
    if not data.strip():
        raise NoTextError(Notice("file_empty"))
    return reader.read(kind, name, data) if kind == "text" and len(data) <= SMALL else (kind, data)


def _checked_kind(name: PurePath, head: bytes, size: int, caps: dict[str, float]) -> str:
    """Return the kind of a file. Raises DocumentError if the kind has no text or the file is too large for it."""
    kind = kind_of(name, head)
    refuse(name, kind)
    if size > int(caps[kind] * 1_000_000):
        setting = f"documents.max_megabytes = {{ {kind} = {-(-size // 1_000_000)} }}"
        raise TooLargeError(
            Notice("file_too_large", megabytes=f"{size / 1_000_000:,.1f}", kind=kind, most=caps[kind]),
            remedy=Notice("split_it_or_raise", setting=setting),
        )
    return kind
