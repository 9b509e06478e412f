"""Where the documents are that callers upload: a folder for each collection of each caller."""

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
"""The folder under the data folder that has a folder for each caller, with one for each collection."""

DOCUMENTS: Final = "documents"
WANTED: Final = "wanted"
"""What is in the folder of a collection: its documents, and a file while they are to be read into its index."""

OWN: Final = "_own"  # the folder of whoever runs the service; no token has that name
MOST_COLLECTIONS: Final = 100
MOST_DOCUMENTS: Final = 5_000
"""Of one caller, and of one collection."""

LONGEST_NAME: Final = 200  # bytes of the name of a document
PIECE: Final = 1_000_000  # bytes that are written at once
_NAME: Final = re.compile(r"[^\W_](?:[\w -]{0,58}\w)?")


@dataclass(frozen=True, slots=True)
class CollectionStore:
    """The collections of one caller. Raises HTTPException for what is not there, or may not be. Its methods block."""

    settings: Settings
    owner: str | None

    def all(self) -> list[str]:
        """Return their names, in order."""
        return sorted(one.name for one in self._root.iterdir()) if self._root.is_dir() else []

    def make(self, name: str) -> None:
        """Make one, empty."""
        place = self._place(name)
        if place.is_dir():
            raise HTTPException(409, f"There is a collection “{name}”")
        if len(self.all()) >= MOST_COLLECTIONS:
            raise HTTPException(409, f"There are {MOST_COLLECTIONS} collections, which is all that one caller may have")
        private_folder(place / DOCUMENTS)

    def documents(self, name: str) -> Path:
        """Return the folder of its documents."""
        folder = self._place(name) / DOCUMENTS
        if not folder.is_dir():
            raise HTTPException(404, f"There is no collection “{name[:60]}”: POST /collections makes one")
        return folder

    def document(self, name: str, document: str) -> Path:
        """Return where a document of it is."""
        path = self.documents(name) / document_name(document)
        if not path.is_file():
            raise HTTPException(404, f"The collection “{name}” has no document “{document[:60]}”")
        return path

    def forget(self, name: str) -> None:
        """Delete one: its documents, and what its index has of them."""
        folder = self.documents(name)
        forget_index(self.settings, folder)
        shutil.rmtree(self._place(name))

    def want(self, name: str) -> None:
        """Note that its documents are to be read: a service after this one does, if this one does not."""
        (self.documents(name).parent / WANTED).touch(mode=0o600)

    def have(self, name: str) -> None:
        """Note that its documents are read."""
        (self._place(name) / WANTED).unlink(missing_ok=True)

    async def take(self, name: str, document: str, body: AsyncIterator[bytes]) -> bool:
        """Keep a document once it is here as a whole; says whether it is a new one."""
        folder = await in_thread(self.documents, name)
        path = folder / document_name(document)
        is_new = await in_thread(_require_room, path)
        arriving = folder.parent / f"arriving-{secrets.token_hex(8)}"
        file = await in_thread(arriving.open, "xb")
        try:
            size = most = 0
            async for piece in _pieces(body):
                most = most or _most_bytes(self.settings, path, piece[:HEAD])
                if (size := size + len(piece)) > most:
                    raise HTTPException(413, f"“{path.name}” is too large: at most {most / 1e6:,.0f} MB are read of it")
                await in_thread(file.write, piece)
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
        return self.settings.data_dir.absolute() / FOLDER / (self.owner or OWN)

    def _place(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise HTTPException(422, "A collection is called by letters, digits, spaces, - and _, 60 at most")
        return self._root / unicodedata.normalize("NFC", name)


def wanted(settings: Settings) -> Iterator[tuple[str | None, str]]:
    """Yield the collections whose documents are to be read, each with its owner. Blocks."""
    for mark in sorted((settings.data_dir / FOLDER).glob(f"*/*/{WANTED}")):
        owner = mark.parent.parent.name
        yield None if owner == OWN else owner, mark.parent.name


def document_name(text: str) -> str:
    """Return the name of a document as a file has it. Raises HTTPException for one that is a path or hidden."""
    name = unicodedata.normalize("NFC", text)
    odd = {"/", "\\"} & {*name} or any(unicodedata.category(sign)[0] == "C" for sign in name)
    if odd or not name.strip() or name.startswith((".", "~$")) or name in JUNK:
        raise HTTPException(
            422, f"No document can be called {text[:60]!r}: it takes the name of a file, without a path"
        )
    if len(name.encode()) > LONGEST_NAME:
        raise HTTPException(422, f"The name of a document has {LONGEST_NAME} bytes at most")
    return name


def _require_room(path: Path) -> bool:
    """Say whether a document is new. Raises HTTPException where the collection takes none more."""
    if path.exists():
        return False
    if sum(1 for _ in os.scandir(path.parent)) >= MOST_DOCUMENTS:
        raise HTTPException(409, f"The collection has {MOST_DOCUMENTS:,} documents, which is all that it takes")
    return True


def _most_bytes(settings: Settings, path: PurePath, head: bytes) -> int:
    """Return how large a document of its kind may be. Raises HTTPException for a kind that gives no text."""
    kind = kind_of(path, head)
    try:
        refuse(path, kind)
    except DocumentError as error:
        raise HTTPException(415, f"“{path.name}”: {error}".rstrip(".")) from error
    return int(1e6 * min(settings.serve.upload_megabytes, settings.documents.max_megabytes.get(kind, CAPS[kind])))


async def _pieces(body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield a body in pieces of some size, so that the first one tells what it is."""
    held = b""
    async for piece in body:
        held += piece
        if len(held) >= PIECE:
            yield held
            held = b""
    if held:
        yield held
