"""Documents from the web as text: converted once, and kept for later runs with the pages."""

import hashlib
from dataclasses import asdict
from typing import Final

from pydantic import TypeAdapter, ValidationError

from ..documents import Document, converter_of, version
from ..kernel.cache import DAY, cache_of
from ..kernel.errors import CacheError
from ..kernel.notice import Notice
from ..kernel.run import Run
from ..kernel.settings import Settings
from ..kernel.source import digest
from ..kernel.thread import in_thread

CACHE_KIND: Final = "conversion"
"""The kind under which the cache keeps documents; the key is their bytes, their name and who converts them."""

LONGEST_AGE: Final = 30 * DAY
"""Seconds for which a document is kept: its bytes say what its text is, whatever its server says today."""


async def converted(run: Run, name: str, data: bytes, settings: Settings, *, keep: bool) -> Document:
    """Return the text of a document from the web, as an earlier run has kept it or from a converter.

    It is kept for later runs where `keep` says so, unless something of it was left out: other limits may allow more.
    Raises DocumentError.
    """
    key = await in_thread(lambda: digest(hashlib.sha256(data).hexdigest(), name, version())) if keep else ""
    if keep and (kept := await _kept(run, key)) is not None:
        return kept
    converter = await converter_of(run, settings)
    found = await converter.convert_bytes(name, data)
    if keep and not found.skipped:
        await _keep(run, key, found)
    return found


async def _kept(run: Run, key: str) -> Document | None:
    try:
        entry = await (await cache_of(run)).get(CACHE_KIND, key)
        if entry is None:
            return None
        text = entry.data.decode("utf-8", "surrogatepass")
        return TypeAdapter(Document).validate_python({**entry.value, "text": text})
    except CacheError:  # the page itself was not kept either, which is told
        return None
    except (TypeError, UnicodeDecodeError, ValidationError):  # somebody else has written there
        return None


async def _keep(run: Run, key: str, found: Document) -> None:
    value = asdict(found)
    text = value.pop("text").encode("utf-8", "surrogatepass")
    try:
        await (await cache_of(run)).put(CACHE_KIND, key, value, text, lasts=LONGEST_AGE)
    except CacheError as error:
        run.notice(Notice("documents_not_kept", why=error.told))
