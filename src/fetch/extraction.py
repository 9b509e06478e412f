"""From the bytes of a page to its text: what they really are, and who reads that.

A document is converted once, and kept for later runs with the pages.
"""

import asyncio
import hashlib
import re
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from pydantic import TypeAdapter, ValidationError

from ..documents import HEAD, Document, converter_of, decode, kind_of, refuse, version
from ..documents.html import Extract, read_html
from ..kernel import errors
from ..kernel.cache import DAY, cache_of
from ..kernel.notice import Notice, Told
from ..kernel.source import Recognized, digest
from ..kernel.thread import SingleThread, in_thread
from . import freshness

if TYPE_CHECKING:
    from ..kernel.run import Run
    from ..kernel.settings import Settings
    from .download import Download

HTML: Final = "html"  # the kind of a page that is none of the documents
CACHE_KIND: Final = "conversion"
"""The kind under which the cache keeps documents; the key is their bytes, their name and who converts them."""

LONGEST_AGE: Final = 30 * DAY
"""Seconds for which a document is kept: its bytes say what its text is, whatever its server says today."""

_LANE: Final = SingleThread("spyglass-html")  # the one thread of this process in which HTML is read
_HTML_TYPES: Final = ("text/html", "application/xhtml+xml")
_WITHOUT_TEXT: Final = {"image": "image", "audio": "recording", "video": "recording"}
_MARKUP: Final = re.compile(
    rb"\s*<(?:head|body|title|meta|link|script|style|div|main|article|section|h[1-6]|p|table|ul)[\s>]", re.IGNORECASE
)
_HEADING: Final = re.compile(r"#{1,6} ")
_CHARSET: Final = re.compile(r"""charset\s*=\s*["']?([\w.:-]{2,40})""", re.IGNORECASE)
_KIND_ERRORS: Final = (errors.UnsupportedError, errors.CorruptError, errors.EncryptedError)


@dataclass(frozen=True, slots=True)
class Content(Extract):
    """What a page says, of whatever kind it is; `pages`, `notices` and `ocr` are those of a document."""

    kind: str = HTML
    pages: tuple[int, ...] = ()
    notices: tuple[Told, ...] = ()
    ocr: tuple[Recognized, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing; an HTML page that has headings only is a frame without its picture."""
        return all(not line.strip() or (self.kind == HTML and _HEADING.match(line)) for line in self.text.split("\n"))


async def read_content(run: "Run", page: "Download", settings: "Settings", *, links: bool) -> Content:
    """Return what a page says, and its `links` where they are asked for.

    Raises PageKindError, PageTooLargeError and NoPageTextError for a kind without text.
    """
    content_type = page.headers.get("content-type", "")
    name = _name(page.url)
    kind = page_kind(name, page.body[:HEAD], content_type)
    if kind == HTML:
        return await read_markup(page.body, page.url, content_type, links=links)
    try:
        refuse(PurePath(name), kind)
        data = page.body
        if kind == "text" and (declared := _CHARSET.search(content_type)):
            data = await asyncio.to_thread(_as_utf8, data, declared[1])
        keep = kind != "text" and settings.cache.page_hours > 0 and freshness.may_keep(page.headers)
        found = await _converted(run, name, data, settings, keep=keep)
    except errors.DocumentError as error:
        raise _as_fetch_error(error, kind, page.url) from error
    return Content(found.text, found.title, kind=found.kind, pages=found.pages, notices=found.skipped, ocr=found.ocr)


async def read_markup(body: bytes, url: str, content_type: str, *, links: bool = False) -> Content:
    """Return what an HTML page says, and its `links` where they are asked for."""
    found = await _LANE.run(partial(read_html, body, url, content_type, links=links))
    said = {field.name: getattr(found, field.name) for field in fields(found)}
    return Content(**said, notices=(Notice("page_cut"),) if found.cut else ())


def page_kind(name: str, head: bytes, content_type: str) -> str:
    """Return what a page is, told from its first bytes; the name and the declared type only decide where these do not.

    So a PDF that is served as HTML is a PDF. Bytes that are text are HTML when they begin like it, or when they are
    declared as HTML and hold a tag; they are no text when they are declared as a drawing or a playlist.
    """
    kind = kind_of(PurePath(name), head)
    if kind != "text":
        return kind
    declared = content_type.partition(";")[0].strip().lower()
    if _MARKUP.match(head) or (declared in _HTML_TYPES and b"<" in head):
        return HTML
    return _WITHOUT_TEXT.get(declared.partition("/")[0], kind)


async def _converted(run: "Run", name: str, data: bytes, settings: "Settings", *, keep: bool) -> Document:
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


async def _kept(run: "Run", key: str) -> Document | None:
    try:
        entry = await (await cache_of(run)).get(CACHE_KIND, key)
        if entry is None:
            return None
        text = entry.data.decode("utf-8", "surrogatepass")
        return TypeAdapter(Document).validate_python({**entry.value, "text": text})
    except errors.CacheError:  # the page itself was not kept either, which is told
        return None
    except (TypeError, UnicodeDecodeError, ValidationError):  # somebody else has written there
        return None


async def _keep(run: "Run", key: str, found: Document) -> None:
    value = asdict(found)
    text = value.pop("text").encode("utf-8", "surrogatepass")
    try:
        await (await cache_of(run)).put(CACHE_KIND, key, value, text, lasts=LONGEST_AGE)
    except errors.CacheError as error:
        run.notice(Notice("documents_not_kept", why=error.told))


def _as_utf8(data: bytes, declared: str) -> bytes:
    return decode(data, declared).encode("utf-8", "replace")


def _name(url: str) -> str:
    return PurePath(unquote(urlsplit(url).path)).name or "page"


def _as_fetch_error(error: errors.DocumentError, kind: str, where: str) -> errors.FetchError:
    if isinstance(error, errors.TooLargeError):
        return errors.PageTooLargeError(error.bare, where=where)
    if isinstance(error, _KIND_ERRORS) or kind in ("image", "picture"):
        return errors.PageKindError(error.bare, where=where)
    return errors.NoPageTextError(error.bare, where=where)
