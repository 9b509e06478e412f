"""One folder's index as a run has it open: the lock, the text side, the vectors."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import ExitStack, asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import host
from ..errors import IndexBusyError, SpyglassError
from ..run import Run
from ..source import digest
from ..thread import in_thread
from .index import TextIndex
from .tables import Tables
from .vectors import Vectors

if TYPE_CHECKING:
    from ..settings import Settings


@dataclass(slots=True)
class Store:
    """An open index of the folder or file `root`.

    Only the one that holds the lock writes, and has `vectors`: Chroma is not safe between processes. Whoever comes
    second reads the text side.
    """

    root: Path
    texts: TextIndex
    vectors: Vectors | None
    _beside: asyncio.Task[Any] | None = field(default=None, init=False)

    @property
    def base(self) -> Path:
        """The folder that the paths in the index are under."""
        return self.root.parent if self.root.is_file() else self.root

    def begin_beside(self, work: Coroutine[Any, Any, Any]) -> None:
        """Let `work` go on beside the run, until it or the run ends."""
        self._beside = asyncio.create_task(work)

    async def settle(self) -> None:
        """End what goes on beside the run."""
        if self._beside is not None:
            self._beside.cancel()
            with suppress(asyncio.CancelledError, SpyglassError):  # a search tells why there are no vectors
                await self._beside


async def store_of(run: Run, settings: "Settings", folder: Path) -> Store:
    """Return the run's open index of a folder or file; it is closed with the run.

    Raises IndexBusyError when another process is making this index and there is nothing to read yet.
    """
    root = await in_thread(lambda: folder.expanduser().resolve())
    place = settings.data_dir / "index" / digest(str(root))
    return await run.client(f"index {place}", lambda: _opened(place, root))


@asynccontextmanager
async def _opened(place: Path, root: Path) -> AsyncIterator[Store]:
    stack = ExitStack()
    try:
        store = await in_thread(_open, stack, place, root)
        try:
            yield store
        finally:
            await store.settle()
    finally:
        await in_thread(stack.close)


def _open(stack: ExitStack, place: Path, root: Path) -> Store:
    place = place.absolute()
    place.mkdir(parents=True, exist_ok=True)
    manifest = place / "manifest.sqlite"
    try:
        stack.enter_context(host.hold(place / "lock"))
    except BlockingIOError as error:
        if not manifest.exists():
            raise IndexBusyError(
                "Another process is just making this index", where=str(root), remedy="Wait until it has ended."
            ) from error
        return Store(root, TextIndex(stack.enter_context(closing(Tables(manifest, writable=False)))), None)
    tables = stack.enter_context(closing(Tables(manifest, writable=True)))
    (place / "folder.txt").write_text(f"{root}\n", encoding="utf-8")
    return Store(root, TextIndex(tables), stack.enter_context(closing(Vectors(tables, place / "vectors"))))
