"""Stores the documents that callers upload: a folder for each collection of each caller."""

import os
import re
import secrets
import shutil
import unicodedata
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final

from starlette.exceptions import HTTPException

from ..documents import CAPS, HEAD, kind_of, refuse
from ..kernel.errors import DocumentError
from ..kernel.host import private_folder
from ..kernel.settings import Settings
from ..kernel.thread import in_thread
from ..rag import forget_index
from ..rag.walk import JUNK

FOLDER: Final = "collections"
"""The folder in the data folder that contains a folder for each caller, with a folder for each collection."""

DOCUMENTS: Final = "documents"
WANTED: Final = "wanted"
"""The contents of a collection's folder: the documents, and a marker file while they wait to be indexed."""

OPERATOR: Final = "_own"  # the folder of the operator of the service; no token can have that name
MOST_COLLECTIONS: Final = 100
MOST_DOCUMENTS: Final = 5_000
"""Collections of one caller, and documents of one collection."""

LONGEST_NAME: Final = 200  # bytes of a document's name
PIECE: Final = 1_000_000  # bytes written at once
_NAME: Final = re.compile(r"[^\W_](?:[\w -]{0,58}\w)?")


@dataclass(frozen=True, slots=True)
class CollectionStore:
    """The collections of one caller. Methods block, and raise HTTPException if something is missing or not allowed."""

    settings: Settings
    owner: str | None

    def all(self) -> list[str]:
        """Return the names of the collections, in order."""
        return sorted(folder.name for folder in self._root.iterdir()) if self._root.is_dir() else []

    def make(self, name: str) -> None:
        """Create an empty collection."""
        folder = self._folder(name)
        if folder.is_dir():
            raise HTTPException(409, f"The collection “{name}” already exists")
        if len(self.all()) >= MOST_COLLECTIONS:
            raise HTTPException(409, f"There are {MOST_COLLECTIONS} collections, which is the maximum for one caller")
        private_folder(folder / DOCUMENTS)

    def documents(self, name: str) -> Path:
        """Return the folder of a collection's documents."""
        folder = self._folder(name) / DOCUMENTS
        if not folder.is_dir():
            raise HTTPException(404, f"There is no collection “{name[:60]}”: POST /collections creates one")
        return folder

    def document(self, name: str, document: str) -> Path:
        """Return the path of a document of a collection."""
        path = self.documents(name) / document_name(document)
        if not path.is_file():
            raise HTTPException(404, f"The collection “{name}” has no document “{document[:60]}”")
        return path

    def forget(self, name: str) -> None:
        """Delete a collection: its documents and its index."""
        folder = self.documents(name)
        forget_index(self.settings, folder)
        shutil.rmtree(self._folder(name))

    def want(self, name: str) -> None:
        """Mark the documents as to be indexed, if need be by a later process of the service."""
        (self.documents(name).parent / WANTED).touch(mode=0o600)

    def have(self, name: str) -> None:
        """Mark the documents as indexed."""
        (self._folder(name) / WANTED).unlink(missing_ok=True)

    async def take(self, name: str, document: str, body: AsyncIterator[bytes]) -> bool:
        """Store a document after it has been received completely; return whether it is new."""
        folder = await in_thread(self.documents, name)
        path = folder / document_name(document)
        is_new = await in_thread(_require_room, path)
        arriving = folder.parent / f"arriving-{secrets.token_hex(8)}"
        file = await in_thread(arriving.open, "xb")
        try:
            size = limit = 0
            async for chunk in _chunks(body):
                limit = limit or _most_bytes(self.settings, path, chunk[:HEAD])
                if (size := size + len(chunk)) > limit:
                    raise HTTPException(413, f"“{path.name}” is too large: the maximum is {limit / 1e6:,.0f} MB")
                await in_thread(file.write, chunk)
            if not size:
                raise HTTPException(422, f"“{path.name}” is empty")
            await in_thread(file.close)
            await in_thread(arriving.replace, path)
        finally:
            await in_thread(file.close)
            await in_thread(arriving.unlink, missing_ok=True)
        return is_new

    @property
    def _root(self) -> Path:
        return self.settings.data_dir.absolute() / FOLDER / (self.owner or OPERATOR)

    def _folder(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise HTTPException(422, "The name of a collection has letters, digits, spaces, - and _, at most 60")
        return self._root / unicodedata.normalize("NFC", name)


def collections_to_index(settings: Settings) -> Iterator[tuple[str | None, str]]:
    """Yield the collections whose documents are to be indexed, each with its owner. Blocks."""
    for mark in sorted((settings.data_dir / FOLDER).glob(f"*/*/{WANTED}")):
        owner = mark.parent.parent.name
        yield None if owner == OPERATOR else owner, mark.parent.name


def document_name(text: str) -> str:
    """Return the file name of a document. Raises HTTPException for a path or a hidden file."""
    name = unicodedata.normalize("NFC", text)
    odd = {"/", "\\"} & {*name} or any(unicodedata.category(sign)[0] == "C" for sign in name)
    if odd or not name.strip() or name.startswith((".", "~$")) or name in JUNK:
        raise HTTPException(422, f"{text[:60]!r} is not a valid name of a document: use a file name without a path")
    if len(name.encode()) > LONGEST_NAME:
        raise HTTPException(422, f"The name of a document has at most {LONGEST_NAME} bytes")
    return name


def _require_room(path: Path) -> bool:
    """Return whether a document is new. Raises HTTPException if the collection is full."""
    if path.exists():
        return False
    if sum(1 for _ in os.scandir(path.parent)) >= MOST_DOCUMENTS:
        raise HTTPException(409, f"The collection has {MOST_DOCUMENTS:,} documents, which is the maximum")
    return True


def _most_bytes(settings: Settings, path: PurePath, head: bytes) -> int:
    """Return the size limit of a document in bytes. Raises HTTPException for a kind without text."""
    kind = kind_of(path, head)
    try:
        refuse(path, kind)
    except DocumentError as error:
        raise HTTPException(415, f"“{path.name}”: {error}".rstrip(".")) from error
    return int(1e6 * min(settings.serve.upload_megabytes, settings.documents.max_megabytes.get(kind, CAPS[kind])))


async def _chunks(body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield a body in chunks of at least PIECE bytes, so that the first one suffices to detect the document's type."""
    buffer = b""
    async for chunk in body:
        buffer += chunk
        if len(buffer) >= PIECE:
            yield buffer
            buffer = b""
    if buffer:
        yield buffer
