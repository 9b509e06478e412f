"""Checks whether the pages and files that a report cites still exist and still contain its quotes."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Literal, TypeVar
from urllib.parse import urlsplit
from urllib.request import url2pathname

from pydantic import BaseModel

from ..documents import converter_of
from ..evidence import visible
from ..fetch import fetch
from ..kernel.errors import AddressError, DocumentError, FetchError, StoppedError, UnreadableError
from ..kernel.notice import Notice
from ..kernel.run import Run
from ..kernel.source import Source, digest
from ..kernel.thread import in_thread
from ..kernel.url import MASK
from ..report import Report

T = TypeVar("T")
Cited = list[tuple[Source, list[str]]]
State = Literal["unchanged", "changed", "quote gone", "gone", "unreadable"]

AT_ONCE = 8
"""Most pages and files that are read concurrently."""

GONE = (404, 410)
"""HTTP status codes for a page that does not exist."""


class Today(BaseModel, frozen=True):
    """The current state of a cited source.

    `changed` means that its text differs but still has every quote, `gone` that the page or file no longer exists,
    `unreadable` that it could not be read now, which proves nothing. `lost` are the quotes that it no longer has; `why`
    is the error.
    """

    place: str
    title: str
    state: State
    lost: list[str] = []
    why: str = ""


async def refetch(
    run: Run, report: Report, folder: Path | None = None, *, web: bool = True, is_own: bool = False
) -> list[Today]:
    """Read every cited source again, bypassing the cache, and return its state, in the order of the numbers.

    Pages are fetched through the guard, unless `web` is false. A file is converted by the same reader as before. It is
    read only from its path within `folder`; without a folder, from its recorded path if the report is the user's own
    (`is_own`), since a foreign report could name any file on this machine.
    """
    locate = _recorded_path if is_own and folder is None else partial(_path_in, folder)
    cited = [(source, quotes) for source, quotes in _cited(report) if web or source.kind == "file"]
    return await _each(partial(_today, run, locate), cited)


async def texts_today(run: Run, report: Report, *, is_own: bool = False) -> list[tuple[Source, str]]:
    """Return the cited sources that can be read now, each with its text; files are read as in `refetch`."""
    locate = _recorded_path if is_own else partial(_path_in, None)

    async def read(source: Source, _: list[str]) -> list[tuple[Source, str]]:
        with suppress(FetchError, DocumentError, StoppedError):
            return [(source, await _text(run, source, locate))]
        return []

    return [pair for pairs in await _each(read, _cited(report)) for pair in pairs]


async def _each(read: Callable[[Source, list[str]], Awaitable[T]], cited: Cited) -> list[T]:
    """Return the results of `read` for each cited source, AT_ONCE at a time, in their order."""
    limit = asyncio.Semaphore(AT_ONCE)

    async def limited(source: Source, quotes: list[str]) -> T:
        async with limit:
            return await read(source, quotes)

    return await asyncio.gather(*(limited(source, quotes) for source, quotes in cited))


def _cited(report: Report) -> Cited:
    """Return the cited sources in the order of their first number, each with its quotes."""
    sources = {source.id: source for source in report.sources}
    quotes: dict[str, dict[str, None]] = {}
    for citation in sorted(report.citations, key=lambda citation: citation.number):
        quotes.setdefault(citation.source_id, {})[citation.quote] = None
    return [(sources[source_id], list(texts)) for source_id, texts in quotes.items() if source_id in sources]


async def _today(run: Run, locate: Callable[[Source], Path], source: Source, quotes: list[str]) -> Today:
    place = source.path or source.url

    def result(state: State, lost: list[str] | None = None, why: str = "") -> Today:
        return Today(place=place, title=source.title, state=state, lost=lost or [], why=why)

    try:
        text = await _text(run, source, locate)
    except (FetchError, DocumentError) as error:
        return result("gone" if is_gone(error) else "unreadable", why=str(error))
    except StoppedError as error:
        return result("unreadable", why=str(error))
    if digest(text, size=64) == source.snapshot:
        return result("unchanged")
    lost = await in_thread(_lost, text, quotes)
    return result("quote gone" if lost else "changed", lost)


async def _text(run: Run, source: Source, locate: Callable[[Source], Path]) -> str:
    return await (_page(run, source) if source.kind == "web" else _file(run, source, locate))


async def _page(run: Run, source: Source) -> str:
    if f"={MASK}" in source.url:
        raise AddressError(Notice("address_held_a_key"), where=source.url)
    fresh = run.settings.updated(cache__page_hours=0.0)
    return (await fetch(run, source.url, settings=fresh)).text


async def _file(run: Run, source: Source, locate: Callable[[Source], Path]) -> str:
    """Return the current text of a source's file. Raises DocumentError."""
    converter = await converter_of(run, run.settings)
    path = await in_thread(locate, source)

    async def converted() -> str:
        try:
            return (await converter.convert(path)).text
        except UnreadableError as error:
            error.details["gone"] = isinstance(error.__cause__, FileNotFoundError | NotADirectoryError)
            raise

    return str(await run.effect("convert", {"path": str(path)}, converted))


def _recorded_path(source: Source) -> Path:
    """Return the path of a source's file as recorded in the report. Raises UnreadableError."""
    try:
        parts = urlsplit(source.url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        raise UnreadableError(Notice("place_of_file_unsaid"), where=source.path)
    return Path(url2pathname(parts.path))


def _path_in(folder: Path | None, source: Source) -> Path:
    """Return the path of a source's file within a folder, never outside it. Raises UnreadableError."""
    if folder is None:
        raise UnreadableError(Notice("no_run_made_this_report"), where=source.path, remedy=Notice("name_its_folder"))
    root = folder.resolve()
    path = (root / source.path).resolve()
    if not source.path or not path.is_relative_to(root):
        raise UnreadableError(Notice("not_in_folder", folder=str(folder)), where=source.path)
    return path


def is_gone(error: FetchError | DocumentError) -> bool:
    """Whether an error means that the page, host or file does not exist, not that it is temporarily unreadable."""
    return error.details.get("status") in GONE or bool(error.details.get("gone"))


def _lost(text: str, quotes: list[str]) -> list[str]:
    """Return the quotes that a text no longer has, ignoring white space and markup."""
    words = _bare(text)
    return [quote for quote in quotes if _bare(quote) not in words]


def _bare(text: str) -> str:
    return "".join(visible(text).split())
