"""One folder's index as a run has it open: the lock, the text side, the vectors."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import ExitStack, asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..kernel import host
from ..kernel.errors import IndexBusyError, RetrievalError, SpyglassError
from ..kernel.run import Run
from ..kernel.source import digest
from ..kernel.thread import in_thread
from .index import Known, TextIndex
from .tables import IndexTables
from .vectors import VectorIndex
from .windows import WindowTable

if TYPE_CHECKING:
    from ..kernel.settings import Settings


@dataclass(slots=True)
class Store:
    """An open index of the folder or file `root`.

    Only the process that holds the lock writes, and has `vectors`: Chroma is not safe between processes. Whoever comes
    second reads the text side. The runs of a pool have it together; one at a time is `reading` files into it, and one
    is `filling` it with vectors.
    """

    root: Path
    texts: TextIndex
    vectors: VectorIndex | None
    windows: WindowTable
    reading: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)
    filling: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    @property
    def base(self) -> Path:
        """The folder that the paths in the index are under."""
        return self.root.parent if self.root.is_file() else self.root

    async def begin_beside(self, run: Run, work: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        """Let `work` go on beside the run, until it or the run ends; once a run."""
        await run.client(("beside", self.root), lambda: _going_on(work()))


@asynccontextmanager
async def _going_on(work: Coroutine[Any, Any, Any]) -> AsyncIterator[None]:
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError, SpyglassError):  # a search tells why there are no vectors
            await task


def index_place(settings: "Settings", root: Path) -> Path:
    """Return the folder of the index of a folder or file, which is named without links."""
    return settings.data_dir / "index" / digest(str(root))


def known_files(settings: "Settings", folder: Path) -> dict[str, Known]:
    """Return what the index of a folder knows of its files, by path, whoever is at it; nothing without one. Blocks."""
    manifest = index_place(settings, Path(os.path.realpath(folder))).absolute() / "manifest.sqlite"
    if not manifest.exists():
        return {}
    try:
        with closing(IndexTables(manifest, writable=False)) as tables:
            return TextIndex(tables).known()
    except RetrievalError:  # it is just being made, or is made anew by the next one to read the files
        return {}


async def store_of(run: Run, settings: "Settings", folder: Path) -> Store:
    """Return the open index of a folder or file that the runs of the pool share; it is closed with the last of them.

    Raises IndexBusyError when another process is making this index and there is nothing to read yet.
    """
    root = await in_thread(lambda: Path(os.path.realpath(folder.expanduser())))  # Path.resolve may raise at a loop
    place = index_place(settings, root)
    return await run.shared(("index", place), lambda: _opened(place, root), keeps=False)


@asynccontextmanager
async def _opened(place: Path, root: Path) -> AsyncIterator[Store]:
    stack = ExitStack()
    try:
        yield await in_thread(_open, stack, place, root)
    finally:
        await in_thread(stack.close)


def _open(stack: ExitStack, place: Path, root: Path) -> Store:
    place = place.absolute()
    host.private_folder(place)
    manifest = place / "manifest.sqlite"
    try:
        stack.enter_context(host.hold(place / "lock"))
    except BlockingIOError as error:
        if not manifest.exists():
            raise IndexBusyError(
                "Another process is just making this index", where=str(root), remedy="Wait until it has ended."
            ) from error
        tables = stack.enter_context(closing(IndexTables(manifest, writable=False)))
        return Store(root, TextIndex(tables), None, WindowTable(tables))
    host.private_file(manifest)
    host.private_file(place / "folder.txt")
    tables = stack.enter_context(closing(IndexTables(manifest, writable=True)))
    (place / "folder.txt").write_text(f"{root}\n", encoding="utf-8")
    vectors = stack.enter_context(closing(VectorIndex(tables, place / "vectors")))
    return Store(root, TextIndex(tables), vectors, WindowTable(tables))
