"""The endpoints of collections: documents that callers upload, have indexed, and search in runs and checks."""

import os
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Literal

from fastapi import Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from ..kernel.notice import text_of
from ..kernel.settings import Settings
from ..kernel.thread import in_thread
from ..rag import WalkedFile, walk
from ..rag.index import FileRecord
from ..rag.store import known_files
from .bodies import Text
from .caller import Caller, Calling
from .collection_store import CollectionStore
from .indexing import Indexer, Reading
from .limits import require_room
from .redaction import Redaction


class CollectionRequest(BaseModel):
    """The body of `POST /collections`."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"name": "papers"}]})

    name: Text = Field(max_length=60)


class IndexRequest(BaseModel, extra="forbid"):
    """The body of `POST /collections/{name}/index`: which documents without text to retry; by default all."""

    documents: list[Text] | None = None


class DocumentState(BaseModel):
    """A document: `uploaded` (not requested yet), `waiting` (queued or being read), or `failed` (no text, with reason).

    `seconds_left` estimates the time until it is read, once that is known.
    """

    name: str
    bytes: int
    state: Literal["uploaded", "waiting", "ready", "failed"]
    why: str = ""
    seconds_left: float | None = None


class CollectionState(BaseModel):
    """A collection: its documents in order, the number in each state, and the seconds until all are read."""

    name: str
    documents: list[DocumentState]
    counts: dict[str, int]
    bytes: int
    reading: bool
    seconds_left: float | None = None
    problem: str = ""


class Collections:
    """The endpoints; a caller with their own token has their own collections."""

    def __init__(self, settings: Settings, indexer: Indexer, redaction: Redaction) -> None:
        self._settings = settings
        self._indexer = indexer
        self._redaction = redaction

    async def all(self, caller: Calling) -> list[CollectionState]:
        """List the collections, without their documents."""
        store = self._store_of(caller)
        states = [await self._state(store, name) for name in await in_thread(store.all)]
        return [state.model_copy(update={"documents": []}) for state in states]

    async def make(self, body: CollectionRequest, caller: Calling) -> CollectionState:
        """Create a collection."""
        store = self._store_of(caller)
        await in_thread(store.make, body.name)
        return await self._state(store, body.name)

    async def one(self, name: str, caller: Calling) -> CollectionState:
        """Return a collection with the state of each document."""
        return await self._state(self._store_of(caller), name)

    async def forget(self, name: str, caller: Calling) -> Response:
        """Delete a collection, its documents and its index."""
        await in_thread(self._store_of(caller).forget, name)
        return Response(status_code=204)

    async def upload(self, name: str, document: str, request: Request, caller: Calling) -> Response:
        """Store the request's body as a document, replacing one of that name; it is not indexed yet."""
        store = self._store_of(caller)
        await require_room(self._settings)
        is_new = await store.take(name, document, request.stream())
        return JSONResponse({"name": document}, 201 if is_new else 200)

    async def remove(self, name: str, document: str, caller: Calling) -> Response:
        """Delete a document, and its entries in the index."""
        store = self._store_of(caller)
        path = await in_thread(store.document, name, document)
        await in_thread(path.unlink)
        await self._indexer.want(store, name)
        return Response(status_code=204)

    async def index(self, name: str, caller: Calling, body: IndexRequest | None = None) -> CollectionState:
        """Index the new and changed documents, and retry those that gave no text."""
        store = self._store_of(caller)
        state = await self._state(store, name)
        failed = [document.name for document in state.documents if document.state == "failed"]
        for document in failed if body is None or body.documents is None else body.documents:
            path = await in_thread(store.document, name, document)
            if document in failed:
                await in_thread(os.utime, path)  # so that it counts as changed
        await self._indexer.want(store, name)
        return await self._state(store, name)

    async def folders(self, caller: Caller, names: list[str]) -> list[Path]:
        """Return the document folders of these collections. Raises HTTPException."""
        store = self._store_of(caller)
        return [await in_thread(store.documents, name) for name in dict.fromkeys(names)]

    def _store_of(self, caller: Caller) -> CollectionStore:
        return CollectionStore(self._settings, caller.owner)

    async def _state(self, store: CollectionStore, name: str) -> CollectionState:
        folder = await in_thread(store.documents, name)
        reading = self._indexer.reading(folder)
        documents = await in_thread(lambda: list(_states(self._settings, folder, reading)))
        documents = [each.model_copy(update={"why": self._redaction.text(each.why)}) for each in documents]
        counts = Counter(document.state for document in documents)
        return CollectionState(
            name=name,
            documents=documents,
            counts=dict(counts),
            bytes=sum(document.bytes for document in documents),
            reading=reading is not None,
            seconds_left=None if reading is None else reading.seconds_left,
            problem=self._redaction.text(self._indexer.problem(folder)),
        )


def _states(settings: Settings, folder: Path, reading: Reading | None) -> Iterator[DocumentState]:
    """Yield the state of each document of a folder, according to its index. Blocks."""
    files, known = walk(folder).files, known_files(settings, folder)
    waiting = [file for file in files if not _is_read(file, known)]
    total_bytes = sum(file.stamp[0] for file in waiting) or 1
    shares = accumulate(file.stamp[0] / total_bytes for file in waiting)
    seconds_left = None if reading is None else reading.seconds_left
    for file in files:
        if _is_read(file, known):
            why = text_of(known[file.path].reason or "")
            yield DocumentState(name=file.path, bytes=file.stamp[0], state="failed" if why else "ready", why=why)
        else:
            remaining = None if seconds_left is None else seconds_left * next(shares)
            state: Literal["uploaded", "waiting"] = "uploaded" if reading is None else "waiting"
            yield DocumentState(name=file.path, bytes=file.stamp[0], state=state, seconds_left=remaining)


def _is_read(file: WalkedFile, known: dict[str, FileRecord]) -> bool:
    return file.path in known and known[file.path].stamp == file.stamp
