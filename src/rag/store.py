"""The store of a folder: its index, opened by a run, with lock, texts and vectors."""

import asyncio
import os
import secrets
import shutil
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import ExitStack, asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..kernel import host
from ..kernel.errors import FolderError, IndexBusyError, RetrievalError, SpyglassError
from ..kernel.notice import Notice
from ..kernel.run import Run
from ..kernel.source import digest
from ..kernel.thread import in_thread, require_wanted
from .index import FileRecord, TextIndex, VectorIndex
from .local_texts import LocalTexts
from .local_vectors import LocalVectors
from .tables import IndexTables
from .walk import walk
from .windows import WindowTable

if TYPE_CHECKING:
    from ..kernel.settings import Settings
    from .shared_texts import SharedTexts


MAKING = 3.0  # seconds to wait while another process creates the same file
READING = 10.0  # seconds to wait while another process reads the files of a folder
STALLED = 2.0  # seconds after which it is thought to read no more, once it has read some
STEP = 0.1  # seconds between two looks


@dataclass(slots=True)
class Store:
    """An open index of the folder or file `root`.

    A local index is written only by the process that holds its lock, which alone has `vectors`, because Chroma is not
    safe between processes; the others read the texts. An index in a database has no such limits. The runs of a pool
    share the store; one run at a time is `reading` files into it, and one is `filling` it with vectors.
    """

    root: Path
    texts: TextIndex
    vectors: VectorIndex | None
    windows: WindowTable
    made_anew: bool = False  # the former index was damaged or of another version
    reading: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)
    filling: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    @property
    def base(self) -> Path:
        """The folder to which the paths in the index are relative."""
        return self.root.parent if self.root.is_file() else self.root

    async def begin_beside(self, run: Run, work: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        """Start `work` in the background of the run, which cancels it when it ends; once per run."""
        await run.client(("beside", self.root), lambda: _background(work()))


@asynccontextmanager
async def _background(work: Coroutine[Any, Any, Any]) -> AsyncIterator[None]:
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError, SpyglassError):  # a search reports why there are no vectors
            await task


def index_folder_of(settings: "Settings", root: Path) -> Path:
    """Return the folder of the index of `root`, the real path of a folder or file."""
    return settings.data_dir / "index" / digest(str(root))


def known_files(settings: "Settings", folder: Path) -> dict[str, FileRecord]:
    """Return a folder's file records by path, even if its index is locked; {} without an index. Blocks."""
    root = Path(os.path.realpath(folder))
    if settings.database_url is not None:
        return _shared_texts(settings, root).file_records()
    manifest = index_folder_of(settings, root).absolute() / "manifest.sqlite"
    if not manifest.exists():
        return {}
    try:
        with closing(IndexTables(manifest, writable=False)) as tables:
            return LocalTexts(tables).file_records()
    except RetrievalError:  # it is being created, or the next ingest will rebuild it
        return {}


def forget_index(settings: "Settings", folder: Path) -> None:
    """Delete the index of a folder, except what other folders' indexes share. Blocks."""
    root = Path(os.path.realpath(folder.expanduser()))
    shutil.rmtree(index_folder_of(settings, root), ignore_errors=True)
    if settings.database_url is not None:
        _shared_texts(settings, root).forget()


async def store_of(run: Run, settings: "Settings", folder: Path) -> Store:
    """Return the open index of a folder or file, shared by the runs of the pool and closed with the last of them.

    While another process that has its lock has not read all files of the folder, it waits up to READING seconds. Raises
    IndexBusyError if there is nothing to read then.
    """
    root = await in_thread(lambda: Path(os.path.realpath(folder.expanduser())))  # Path.resolve may raise in a link loop
    index_folder = index_folder_of(settings, root)
    url = settings.database_url and settings.database_url.get_secret_value()
    opens = _open if url is None else _open_shared
    return await run.shared(("index", index_folder, url), lambda: _opened(opens, settings, root), keeps=False)


@asynccontextmanager
async def _opened(
    opens: "Callable[[ExitStack, Settings, Path], Store]", settings: "Settings", root: Path
) -> AsyncIterator[Store]:
    stack = ExitStack()
    try:
        yield await in_thread(opens, stack, settings, root)
    finally:
        await in_thread(stack.close)


def _open(stack: ExitStack, settings: "Settings", root: Path) -> Store:
    index_folder = index_folder_of(settings, root).absolute()
    host.private_folder(index_folder)
    manifest = index_folder / "manifest.sqlite"
    if not _holds(stack, settings, root, index_folder / "lock"):
        if not manifest.exists():
            held = Notice("index_held", folder=str(root))
            raise IndexBusyError(held, remedy=Notice("ask_when_it_has_ended"))
        tables = stack.enter_context(closing(IndexTables(manifest, writable=False)))
        return Store(root, LocalTexts(tables), None, WindowTable(tables))
    host.private_file(manifest)
    host.private_file(index_folder / "folder.txt")
    tables = stack.enter_context(closing(IndexTables(manifest, writable=True)))
    (index_folder / "folder.txt").write_text(f"{root}\n", encoding="utf-8")
    vectors = stack.enter_context(closing(LocalVectors(tables, index_folder / "vectors")))
    return Store(root, LocalTexts(tables), vectors, WindowTable(tables), tables.made_anew)


def _holds(stack: ExitStack, settings: "Settings", root: Path, lock: Path) -> bool:
    """Take the lock of an index and return True, or False if another process keeps it.

    That one may be reading the folder for the first time, or be about to end: so wait until all files are known, or no
    further ones become known.
    """
    ends = stalls = time.monotonic() + READING
    known = 0
    listed: set[str] | None = None
    while True:
        try:
            stack.enter_context(host.hold(lock))
        except BlockingIOError:
            now, files = time.monotonic(), known_files(settings, root)
            listed = _listed(root) if listed is None else listed
            if len(files) > known:
                known, stalls = len(files), now + STALLED
            if listed <= files.keys() or now > min(ends, stalls):
                return False
        else:
            return True
        require_wanted()
        time.sleep(STEP)


def _listed(root: Path) -> set[str]:
    try:
        return {file.path for file in walk(root).files}
    except FolderError:  # whoever reads the folder tells
        return set()


def _open_shared(stack: ExitStack, settings: "Settings", root: Path) -> Store:
    """Open the index of a folder in the database; window vectors, which are cheap to compute, stay on this machine."""
    from .shared_vectors import SharedVectors

    texts = _shared_texts(settings, root)
    index_folder = index_folder_of(settings, root).absolute()
    host.private_folder(index_folder)
    host.private_file(index_folder / "windows.sqlite")
    tables = stack.enter_context(closing(_open_contended(index_folder / "windows.sqlite")))
    return Store(root, texts, SharedVectors(texts), WindowTable(tables))


def _open_contended(path: Path) -> IndexTables:
    """Open a file that several processes may be creating at the same time."""
    ends = time.monotonic() + MAKING
    while True:
        try:
            return IndexTables(path, writable=True)
        except RetrievalError:
            if time.monotonic() > ends:
                raise
            time.sleep(0.1)


def _shared_texts(settings: "Settings", root: Path) -> "SharedTexts":
    from ..kernel.database import database_of
    from .shared_texts import SharedTexts

    return SharedTexts(database_of(settings), shared_key(settings, root), str(root))


def shared_key(settings: "Settings", root: Path) -> str:
    """Return the key of a folder in the database: a digest of its path, which is the same on every machine.

    A folder in the data folder, such as an upload, is keyed to a random id of the data folder, whose path is not
    unique.
    """
    root, data = Path(os.path.realpath(root)), Path(os.path.realpath(settings.data_dir))
    if not root.is_relative_to(data):
        return digest(str(root))
    mark = data / "index" / "id"
    if not mark.exists():
        host.write_private_once(mark, secrets.token_hex(16).encode())
    return digest(mark.read_text(encoding="ascii"), root.relative_to(data).as_posix())
