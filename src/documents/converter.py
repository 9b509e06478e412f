"""Files to text: small plain text here, in a thread; everything else in worker processes."""

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
from .html import EXTRACTOR
from .kind import CAPS, HEAD, kind_of, refuse
from .opening import Beneath, opened
from .pdf import Tell, silent
from .worker import Worker

if TYPE_CHECKING:
    from ..kernel.run import Run
    from ..kernel.settings import Settings

RULES: Final = 10  # raised whenever the code of this folder turns some file into another text than before
SMALL: Final = 1_000_000
"""Bytes up to which a text is decoded in this process; a larger one would hold the event loop's thread up."""

READERS: Final = 4  # files that are read from disk at once
MOST_WORKERS: Final = 8
"""Worker processes at once, however many cores there are; each may take the memory that the settings allow."""

Value = TypeVar("Value")

_READ_BY: Final = {
    "pdf": "pypdfium2",
    "xlsx": "openpyxl",
    "xls": "xlrd",
    "restructured": "docutils",
    **dict.fromkeys(("text", "json", "texinfo", "info", "manpage"), "charset-normalizer"),
}
_LIBRARIES: Final = ("markitdown", "pypdfium2", "openpyxl", "xlrd", "docutils", "charset-normalizer")


@cache
def version() -> str:
    """Return what identifies the conversion: equal versions turn equal bytes into equal text."""
    return " ".join(
        [f"rules-{RULES}", EXTRACTOR, *(f"{name}-{metadata.version(name)}" for name in _LIBRARIES), ocr.version()]
    )


def extractor(kind: str) -> str:
    """Return what makes text of files of a kind, and its version, for whoever cites that text."""
    if kind == "html":
        return EXTRACTOR
    if kind == "picture":
        return ocr.extractor()
    if kind == "scan":
        return f"{extractor('pdf')}, {ocr.extractor()}"
    name = _READ_BY.get(kind, "markitdown")
    return f"{name} {metadata.version(name)}"


class Converter:
    """Turns files into documents. Use it as `async with Converter(settings) as converter:`.

    Files may be converted concurrently; those that need a worker process take turns if there are more of them than
    cores. A process is started when all others are busy, and ended with the converter. Raises SettingsError when
    `documents.max_megabytes` names an unknown kind.
    """

    def __init__(self, settings: "Settings") -> None:
        unknown = sorted(set(settings.documents.max_megabytes) - set(CAPS))
        if unknown:
            raise SettingsError(
                f'Unknown kind of file "{unknown[0]}"',
                where="documents.max_megabytes",
                remedy=f"Known kinds: {', '.join(CAPS)}.",
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
        """Return the text of the file at `path`; of HTML with all that is on the page and with its links if `linked`.

        `tell` is called with the pages of a PDF that are read, and those that there are, while it is read. Never opens
        what is no regular file, nor what does not lie where it must. Raises DocumentError, which names the file, the
        reason and the remedy.
        """
        try:
            async with self._readers, asyncio.timeout(self._deadline):
                found = await asyncio.to_thread(_read, path, beneath, self._caps)
            if linked and not isinstance(found, Document) and found[0] == "html":
                found = reader.LINKED, found[1]
            return await self._converted(found, path.name, tell)
        except TimeoutError as error:
            late = Notice("file_late", seconds=self._deadline)
            raise UnreadableError(late, where=str(path), remedy=Notice("is_its_disk_there")) from error
        except DocumentError as error:
            error.where = str(path)
            raise

    async def convert_bytes(self, name: str, data: bytes) -> Document:
        """Return the text of a file that is in memory; its name tells what its bytes cannot. Raises DocumentError."""
        return await self._converted(await asyncio.to_thread(_take, PurePath(name), data, self._caps), name)

    async def pages(self, path: Path) -> int:
        """Return how many pages a file has, 0 for what is no PDF or cannot be read."""
        try:
            found = await asyncio.to_thread(_read, path, None, self._caps)
            if isinstance(found, Document) or found[0] != "pdf":
                return 0
            return await self._working(lambda worker: worker.count(found[1]))
        except DocumentError:
            return 0

    async def _converted(self, found: "_Found", name: str, tell: Tell = silent) -> Document:
        if isinstance(found, Document):
            return _titled(found)
        return _titled(await self._working(lambda worker: worker.convert(found[0], name, found[1], tell)))

    async def _working(self, work: Callable[[Worker], Awaitable[Value]]) -> Value:
        """Wait for an idle worker, and return what it makes."""
        worker = await self._idle.get()
        try:
            return await work(worker)
        finally:
            self._idle.put_nowait(worker)


async def converter_of(run: "Run", settings: "Settings") -> Converter:
    """Return the converter of all runs with the same limits. Raises SettingsError as the converter does."""
    caps = tuple(sorted(settings.documents.max_megabytes.items()))
    terms = ("converter", caps, settings.documents.deadline, settings.documents.memory_megabytes)
    return await run.shared(terms, lambda: Converter(settings))


_Found = Document | tuple[str, bytes]
"""The document that a small text is, or the kind and the bytes of a file that the worker must convert."""


def _read(path: Path, beneath: Beneath | None, caps: dict[str, float]) -> _Found:
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
    """Return a document whose title, and the names of what was skipped in it, are lines of plain text."""
    return replace(
        document, title=one_line(document.title), skipped=tuple(mapped(one, one_line) for one in document.skipped)
    )


def _take(name: PurePath, data: bytes, caps: dict[str, float]) -> _Found:
    return _begin(_checked_kind(name, data[:HEAD], len(data), caps), name, data)


def _begin(kind: str, name: PurePath, data: bytes) -> _Found:
    if not data.strip():
        raise NoTextError(Notice("file_empty"))
    return reader.read(kind, name, data) if kind == "text" and len(data) <= SMALL else (kind, data)


def _checked_kind(name: PurePath, head: bytes, size: int, caps: dict[str, float]) -> str:
    """Return the kind of a file. Raises DocumentError for one that gives no text or is larger than its kind may be."""
    kind = kind_of(name, head)
    refuse(name, kind)
    if size > int(caps[kind] * 1_000_000):
        setting = f"documents.max_megabytes = {{ {kind} = {-(-size // 1_000_000)} }}"
        raise TooLargeError(
            Notice("file_too_large", megabytes=f"{size / 1_000_000:,.1f}", kind=kind, most=caps[kind]),
            remedy=Notice("split_it_or_raise", setting=setting),
        )
    return kind
