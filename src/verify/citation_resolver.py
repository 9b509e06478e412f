"""Resolves the citations of a report to check: reads the cited pages and files, and searches the user's folders."""

import asyncio
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path

from ..documents import converter_of, extractor
from ..documents.opening import Beneath
from ..fetch import Page, fetch
from ..kernel.errors import DocumentError, FetchError, FolderError, RetrievalError, StoppedError
from ..kernel.notice import Notice, NoticeOrText
from ..kernel.one_line import shortened_line
from ..kernel.run import Run
from ..kernel.source import Passage, Recognized, Source, digest
from ..kernel.thread import in_thread
from ..rag import Hit, IngestSummary, ingest, retrieve
from ..rag.brief import SNIPPET, best_sentence
from ..rag.chunk import chunks
from ..rag.rerank import WINDOW
from ..report import CitationState
from ..report.source_index import joined
from ..search.urls import normalize_url
from ..web import of_page
from .citation_target import CitationTarget
from .refetch import is_gone

AT_ONCE = 16
"""Most pages, files and searches read concurrently; hosts have their own limits."""

MOST_PASSAGES = 2_000
"""Most passages of one page or file, some 1.5 million characters; text beyond them is not searched."""

HITS = 4
"""Most passages of the folders that are compared with each sentence."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """The result of resolving a citation: `source` is the id of the source read, `why` the reason if none was.

    `state` is `dead` for a link to a page or host that does not exist (any more), `invented` if the folder has no such
    file or the list of references no such entry, and `unresolved` if the citation names a work without its location.
    """

    state: CitationState
    source: str = ""
    why: NoticeOrText = ""


@dataclass(slots=True)
class ResolvedSources:
    """The sources that were read, by id, and the result for each citation."""

    sources: dict[str, Source] = field(default_factory=dict)
    read: dict[CitationTarget, Lookup] = field(default_factory=dict)

    def add(self, source: Source) -> Source:
        """Add a source and return it; if it is known, add its passages to the known one."""
        self.sources[source.id] = known = joined(self.sources.get(source.id, source), source)
        return known


class CitationResolver:
    """Reads the sources that a report cites: pages, through the guard, if `web`, and files in the folders only."""

    def __init__(self, run: Run, folders: Sequence[Path], *, web: bool) -> None:
        self._run = run
        self._folders = folders
        self._web = web
        self._usable: list[Path] = []
        self._files: dict[str, tuple[Path, str]] = {}
        self._bases: dict[Path, Path] = {}
        self._limit = asyncio.Semaphore(AT_ONCE)
        self.resolved = ResolvedSources()

    async def open(self) -> None:
        """Index the folders. Raises FolderError or RetrievalError if none can be read."""
        errors: list[FolderError | RetrievalError] = []
        for folder in dict.fromkeys(self._folders):
            try:
                self._list(await ingest(self._run, folder, embed=False))
                self._usable.append(folder)
            except (FolderError, RetrievalError) as error:
                errors.append(error)
                self._run.notice(Notice("folder_not_searched", folder=str(folder), why=error.message))
        if errors and not self._usable:
            raise errors[0]

    def _list(self, summary: IngestSummary) -> None:
        """Index the files by path and by name, in lower case; of several with the same name, the first."""
        base = Path(summary.base)
        for path in summary.paths:
            self._bases[base / path] = base
            shown = path if len(set(self._folders)) == 1 else f"{base.name}/{path}"
            for name in (path, shown, Path(path).name):
                self._files.setdefault(name.casefold(), (base / path, shown))

    async def look_up(self, named: Sequence[CitationTarget]) -> None:
        """Read the cited sources concurrently, at most `report.check_pages` pages and files."""
        places: dict[str, list[CitationTarget]] = {}
        for citation in named:
            places.setdefault(self._place(citation), []).append(citation)
        most = self._run.settings.report.check_pages
        if len(places) > most:
            self._run.notice(Notice("check_places_cut", most=most, all=len(places)))
        beyond = Lookup("not followed", why=Notice("place_beyond", most=most))

        async def look(same_place: list[CitationTarget]) -> None:
            async with self._limit:
                result = await self._read(same_place[0])
            self.resolved.read.update(dict.fromkeys(same_place, result))

        for place in list(places)[most:]:
            self.resolved.read.update(dict.fromkeys(places[place], beyond))
        await asyncio.gather(*(look(places[place]) for place in list(places)[:most]))

    def _place(self, named: CitationTarget) -> str:
        file = None if named.url else self._file_of(named)
        return normalize_url(named.url) if named.url else str(file[0]) if file else f"{named.spelled}\n{named.words}"

    def _file_of(self, named: CitationTarget) -> tuple[Path, str] | None:
        """Return the file that a citation names: by all its words, else by the longest file name among them."""
        words = named.words.replace("\\", "/").strip().casefold()
        if words in self._files or not words:
            return self._files.get(words)
        tail = words.rpartition("/")[2]
        if tail in self._files:
            return self._files[tail]
        inside = [name for name in self._files if re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", words)]
        return self._files[max(inside, key=len)] if inside else None

    async def _read(self, named: CitationTarget) -> Lookup:
        if named.url:
            return await self._page(named.url) if self._web else Lookup("not followed", why=Notice("pages_not_wanted"))
        if (file := self._file_of(named)) is not None:
            return await self._converted(*file)
        if not named.words:
            return Lookup("invented", why=Notice("no_reference"))
        if self._folders and re.fullmatch(r"[^\n]{1,200}\.\w{2,8}", named.words) and not named.words.endswith("."):
            return Lookup("invented", why=Notice("no_such_file"))
        return Lookup("unresolved", why=Notice("work_without_address"))

    async def _page(self, url: str) -> Lookup:
        try:
            page = await fetch(self._run, url)
        except FetchError as error:
            return Lookup("dead" if is_gone(error) else "unreadable", why=error.message)
        except StoppedError:
            return Lookup("not followed", why=Notice("run_stopped"))
        return Lookup("read", self.resolved.add(await in_thread(_of_page, page, self._run)).id)

    async def _converted(self, path: Path, shown: str) -> Lookup:
        run = self._run
        converter = await converter_of(run, run.settings)

        async def converted() -> dict[str, object]:
            document = await converter.convert(path, beneath=Beneath(self._bases[path]))
            return asdict(document)

        try:
            result = await run.effect("convert", {"path": str(path)}, converted)
        except DocumentError as error:
            return Lookup("unreadable", why=error.message)
        except StoppedError:
            return Lookup("not followed", why=Notice("run_stopped"))
        text, pages = result["text"], tuple(result["pages"])
        ocr = [Recognized(**part) for part in result["ocr"]]
        snapshot = digest(text, size=64)
        run.journal.keep_snapshot(snapshot, text)
        passages = await in_thread(_windows, text, pages, ocr, lines=result["kind"] == "text")
        source = _file(path, shown, result["title"], result["kind"], snapshot, passages, run)
        return Lookup("read", self.resolved.add(source).id)

    async def search(self, texts: Iterable[str]) -> None:
        """Add the passages that a word search of the folders finds for each text."""
        if not self._usable:
            return
        by_words = self._run.settings.updated(retrieval__dense=False)

        async def hits(text: str) -> list[Hit]:
            async with self._limit:
                with suppress(StoppedError):
                    return await retrieve(self._run, self._usable, [text], HITS, settings=by_words)
                return []

        for passages in await asyncio.gather(*(hits(text) for text in dict.fromkeys(texts))):
            for hit in passages:
                path = Path(hit.base, hit.path)
                _, shown = self._files.get(hit.path.casefold(), (path, hit.path))
                self.resolved.add(_file(path, shown, hit.title, hit.kind, hit.snapshot, [hit.passage], self._run))


def _windows(text: str, pages: Sequence[int], ocr: Sequence[Recognized], *, lines: bool) -> list[Passage]:
    cut = islice(chunks(text, pages, WINDOW, lines=lines), MOST_PASSAGES)
    return [chunk.passage(text).read_from(ocr) for chunk in cut]


def _of_page(page: Page, run: Run) -> Source:
    passages = _windows(page.text, page.pages, page.ocr, lines=False)
    brief = best_sentence(passages[0].text, page.title) if passages else ""
    known = of_page(page, run.settings)
    return Source(
        summary=shortened_line(page.text, SNIPPET), brief_summary=brief, keywords=[], passages=passages, **known
    )


def _file(path: Path, shown: str, title: str, kind: str, snapshot: str, passages: list[Passage], run: Run) -> Source:
    return Source(
        title=title.strip() or path.stem,
        summary=shortened_line(passages[0].text, SNIPPET) if passages else "",
        brief_summary="",
        keywords=[],
        url=path.as_uri(),
        kind="file",
        path=shown,
        snapshot=snapshot,
        retrieved_at=run.started.isoformat(),
        extractor=extractor(kind),
        passages=passages,
    )
