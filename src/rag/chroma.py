"""A ChromaDB folder, which is emptied after a kill or a crash in Chroma."""

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ..kernel.errors import EmbedderError
from ..kernel.host import make_private, private_folder
from ..kernel.notice import Notice
from ..kernel.source import digest

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection

Value = TypeVar("Value")

LOOKED_AT = 1_000
"""HNSW's `ef_search`. With Chroma's default of 100, one of 200 nearly equal vectors is missed in 9 of 36 searches, with
this value in none; a search takes a millisecond or two."""


class Chroma:
    """The collections of one folder, one for each embedder and dimension. Thread-safe; every call blocks.

    Chroma does not write its graph files atomically: after a kill during a write, version 1.5.9 misreads them, up to a
    segmentation fault. Therefore a marker file exists beside the folder during every call. A marker found at the start
    means that a process died in a call: the folder is emptied, and `on_empty` is called.
    """

    def __init__(self, folder: Path, on_empty: Callable[[], None]) -> None:
        self._folder = folder
        self._marker = folder.with_name(folder.name + ".in-use")
        self._on_empty = on_empty
        self._lock = threading.RLock()
        self._client: ClientAPI | None = None
        self._collections: dict[tuple[str, int], Collection] = {}
        if self._marker.exists():
            self._empty()

    def close(self) -> None:
        """Close the client."""
        with self._lock:
            if self._client is not None:
                self._client.close()  # type: ignore[attr-defined]  # the declared type has no `close`
                make_private(self._folder)  # Chroma makes its files readable to everybody
            self._client = None
            self._collections.clear()

    def use(self, embedder: str, dimension: int, call: "Callable[[Collection], Value]") -> Value:
        """Return the result of `call` on a collection; if it fails twice, empty the folder. Raises EmbedderError."""
        with self._lock, self._marked():
            try:
                return call(self._collection(embedder, dimension))
            except EmbedderError:
                raise
            except Exception:  # noqa: BLE001 (Chroma's errors have no common base but Exception)
                self.close()
            try:
                return call(self._collection(embedder, dimension))
            except Exception as error:
                self._empty()
                raise EmbedderError(
                    Notice("vectors_unusable", error=str(error)),
                    where=str(self._folder),
                    remedy=Notice("ingest_makes_them_anew"),
                ) from error

    @contextmanager
    def _marked(self) -> Iterator[None]:
        self._marker.touch(mode=0o600)
        try:
            yield
        finally:
            self._marker.unlink(missing_ok=True)

    def _collection(self, embedder: str, dimension: int) -> "Collection":
        key = (embedder, dimension)
        if key not in self._collections:
            self._collections[key] = self._opened().get_or_create_collection(
                digest(embedder, str(dimension)),
                embedding_function=None,
                configuration={"hnsw": {"space": "cosine", "ef_search": LOOKED_AT}},
                metadata={"embedder": embedder, "dimension": dimension},
            )
        return self._collections[key]

    def _opened(self) -> "ClientAPI":
        if self._client is None:
            try:
                import chromadb
                from chromadb.config import Settings as ChromaSettings
            except ImportError as error:
                notice = Notice("not_loadable", what="ChromaDB", error=str(error))
                raise EmbedderError(notice, remedy=Notice("install_again", packages="chromadb")) from error
            # Without `_env_file` Chroma reads the `.env` of the working directory.
            options = ChromaSettings(_env_file=None, anonymized_telemetry=False)
            private_folder(self._folder)
            self._client = chromadb.PersistentClient(str(self._folder), settings=options)
        return self._client

    def _empty(self) -> None:
        self._on_empty()
        self.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        self._marker.unlink(missing_ok=True)
